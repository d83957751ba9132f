//! `GET /api/players` and `GET /api/players/{id}`.

use serde_json::{Value, json};

use crate::client::Server;
use crate::games::{ask, fields, game, player, uuid};

fn named(external_id: &str, name: Value) -> Value {
    let mut named = player(external_id, "human", None);
    named["username"] = name;
    named
}

fn names(server: &Server, query: &str) -> Vec<Value> {
    let found = ask(server, &format!("/api/players?{query}"));
    found.as_array().unwrap().iter().map(|player| player["username"].clone()).collect()
}

#[test]
fn names_are_searched_in_any_case() {
    let server = Server::start();
    let players = ["Anna", "hannah", "Жанна", "100%_x", "Bob"];
    for (number, name) in (1..).zip(players) {
        let white = named(&number.to_string(), json!(name));
        game(number).between(white, named("nobody", Value::Null)).post(&server);
    }
    let lower = "%D0%B6%D0%B0%D0%BD%D0%BD%D0%B0";
    let upper = "%D0%96%D0%90%D0%9D%D0%9D%D0%90";
    for (query, expected) in [
        ("username=ANNA", json!(["Anna", "hannah"])),
        ("username=annah", json!(["hannah"])),
        (&format!("username={lower}"), json!(["Жанна"])),
        (&format!("username={upper}"), json!(["Жанна"])),
        ("username=%25", json!(["100%_x"])),
        ("username=_", json!(["100%_x"])),
        ("username=nobody", json!([])),
        ("username=", json!(["100%_x", "Anna", "Bob", "hannah", "Жанна", null])),
        ("", json!(["100%_x", "Anna", "Bob", "hannah", "Жанна", null])),
        ("limit=2", json!(["100%_x", "Anna"])),
    ] {
        assert_eq!(json!(names(&server, query)), expected, "{query}");
    }
}

#[test]
fn a_player() {
    let server = Server::start();
    let white = player("1", "human", Some(1500));
    game(1).between(white, player("-7", "bot", None)).post(&server);
    let id = uuid(&server, "name 1");
    // The UUID version 5 of "1" in the namespace of dicechess.com.
    assert_eq!(id.chars().nth(14), Some('5'));
    let found = ask(&server, &format!("/api/players/{id}"));
    assert_eq!(fields(&found), ["id", "player_type", "rating_classic", "username"]);
    assert_eq!(found["rating_classic"], json!(1500));
    assert_eq!(ask(&server, &format!("/api/players/{}", id.to_uppercase())), found);
    let bot = uuid(&server, "name -7");
    let bot = ask(&server, &format!("/api/players/{bot}"));
    assert_eq!((&bot["player_type"], &bot["rating_classic"]), (&json!("bot"), &Value::Null));
    for call in ["", "/stats", "/breakdowns", "/rating-history", "/profit-history"] {
        let unknown = "00000000-0000-0000-0000-000000000000";
        let answer = server.get(&format!("/api/players/{unknown}{call}"));
        assert_eq!((answer.status, answer.detail().as_str()), (404, "no such player"), "{call}");
        for bad in ["7", "%FF", &id.replace('-', ""), &format!("{{{id}}}")] {
            let answer = server.get(&format!("/api/players/{bad}{call}"));
            assert_eq!(answer.status, 400, "{bad}{call}");
            assert!(answer.detail().starts_with("path: "), "{answer:?}");
        }
    }
}

#[test]
fn the_rating_is_that_of_the_latest_rated_classic_game() {
    let server = Server::start();
    let rated = |number: u128, day: u32, mode: &str, white: bool, rating: Option<i64>| {
        let (one, other) = (player("1", "human", rating), player("2", "human", Some(1)));
        let (white, black) = if white { (one, other) } else { (other, one) };
        let start = format!("2026-03-{day:02}T00:00:00Z");
        game(number).with("started_at", start).with("mode", mode).between(white, black)
    };
    rated(1, 5, "classic", true, Some(1500)).post(&server);
    rated(2, 9, "x2", true, Some(1700)).post(&server);
    rated(3, 7, "classic", false, Some(1520)).post(&server);
    rated(4, 8, "classic", false, None).post(&server);
    rated(5, 6, "classic", true, Some(1510)).post(&server);
    rated(6, 1, "classic", true, Some(9)).with("started_at", Value::Null).post(&server);
    let id = uuid(&server, "name 1");
    assert_eq!(ask(&server, &format!("/api/players/{id}"))["rating_classic"], json!(1520));
    let stats = ask(&server, &format!("/api/players/{id}/stats?date_to=2026-03-05"));
    assert_eq!((&stats["rating_classic"], &stats["rating_x2"]), (&json!(1520), &json!(1700)));
    let listed = ask(&server, "/api/games?limit=1");
    assert_eq!(listed["items"][0]["white_player"]["rating_classic"], json!(1520));
}

#[test]
fn a_later_name_wins_and_null_erases_none() {
    let server = Server::start();
    let whole = "x".repeat(300);
    let post = |number: u128, name: Value, player_type: &str| {
        let mut white = named("5", name);
        white["player_type"] = player_type.into();
        game(number).between(white, Value::Null).post(&server);
        let found = ask(&server, "/api/players");
        assert_eq!(found.as_array().unwrap().len(), 1);
        found[0].clone()
    };
    let first = post(1, Value::Null, "human");
    assert_eq!(first["username"], Value::Null);
    assert_eq!(post(2, json!("old"), "human")["username"], json!("old"));
    let renamed = post(3, json!(whole), "bot");
    assert_eq!((&renamed["username"], &renamed["player_type"]), (&json!(whole), &json!("human")));
    let last = post(4, Value::Null, "human");
    assert_eq!((&last["username"], &last["id"]), (&json!(whole), &first["id"]));
    assert_eq!(names(&server, "username=old"), Vec::<Value>::new());
}
