//! `GET /api/games`.

use serde_json::{Value, json};

use crate::client::Server;
use crate::games::{Game, ask, fields, game, id, numbers, player, uuid};

const SUMMARY: [&str; 18] = [
    "black_money_delta",
    "black_player",
    "black_rating",
    "final_stake_amount",
    "id",
    "initial_stake_amount",
    "mode",
    "result",
    "source",
    "stake_currency",
    "started_at",
    "termination",
    "time_increment_sec",
    "time_initial_sec",
    "total_turns",
    "white_money_delta",
    "white_player",
    "white_rating",
];

#[test]
fn a_page_and_its_summaries() {
    let server = Server::start();
    let page = ask(&server, "/api/games");
    assert_eq!(page, json!({"items": [], "total": 0, "limit": 50, "offset": 0}));

    game(1)
        .with("result", -1)
        .with("time_initial_sec", 60)
        .with("time_increment_sec", 1)
        .with("initial_stake_amount", 10)
        .with("final_stake_amount", 20)
        .with("white_money_delta", 9.5)
        .with("stake_currency", "GOLD")
        .with("started_at", "2026-03-30T22:08:44.793+02:00")
        .between(player("1", "human", Some(1500)), player("-3", "bot", None))
        .turns(&[(&[1], "e2e4"), (&[5], "")])
        .post(&server);
    let page = ask(&server, "/api/games?limit=7&offset=0");
    assert_eq!((&page["total"], &page["limit"]), (&json!(1), &json!(7)));
    let summary = &page["items"][0];
    assert_eq!(fields(summary), SUMMARY);
    for (field, value) in [
        ("id", json!(id(1))),
        ("source", json!("dicechess.com")),
        ("mode", json!("classic")),
        ("result", json!(-1)),
        ("termination", json!("resign")),
        ("total_turns", json!(2)),
        ("started_at", json!("2026-03-30T20:08:44.793Z")),
        ("white_rating", json!(1500)),
        ("black_rating", Value::Null),
        ("white_money_delta", json!(9.5)),
        ("black_money_delta", Value::Null),
        ("time_initial_sec", json!(60)),
        ("final_stake_amount", json!(20)),
    ] {
        assert_eq!(summary[field], value, "{field}");
    }
    let white = &summary["white_player"];
    assert_eq!(fields(white), ["id", "player_type", "rating_classic", "username"]);
    assert_eq!((&white["username"], &white["rating_classic"]), (&json!("name 1"), &json!(1500)));
    assert_eq!(summary["black_player"]["player_type"], json!("bot"));
}

/// Games 1 to 8; 3 has no start, 4 no White.
fn some_games(server: &Server) {
    let opponents = |white: &str, black: &str| {
        let kind = |id: &str| if id.starts_with('-') { "bot" } else { "human" };
        (player(white, kind(white), Some(1000)), player(black, kind(black), None))
    };
    let on = |number: u128, day: &str, white: &str, black: &str, stake: Value| -> Game {
        let (white, black) = opponents(white, black);
        game(number)
            .with("started_at", format!("2026-03-{day}"))
            .between(white, black)
            .with("initial_stake_amount", stake)
    };
    on(1, "01T00:00:00Z", "1", "2", json!(0)).with("result", 1).post(server);
    on(2, "02T23:59:59.999Z", "2", "1", json!(1)).with("result", 0).with("mode", "x2").post(server);
    on(3, "03T00:00:00Z", "1", "-9", Value::Null).with("started_at", Value::Null).post(server);
    on(4, "03T10:00:00Z", "2", "-9", json!(20)).with("white_player", Value::Null).post(server);
    on(5, "04T10:00:00Z", "3", "2", json!(21)).with("result", -1).post(server);
    on(6, "04T10:00:00Z", "-9", "1", json!(200))
        .turns(&[(&[1], "e2e4"), (&[1], "e7e5"), (&[1], "d2d4")])
        .post(server);
    on(7, "05T10:00:00Z", "1", "3", json!(201)).turns(&[(&[1], "e2e4")]).post(server);
    on(8, "06T10:00:00Z", "-9", "-8", json!(5)).with("mode", "x2").post(server);
}

#[test]
fn every_filter() {
    let server = Server::start();
    some_games(&server);
    let [one, two, bot] = ["name 1", "name 2", "name -9"].map(|name| uuid(&server, name));
    for (query, expected) in [
        (String::new(), vec![8, 7, 6, 5, 4, 2, 1, 3]),
        (format!("player_id={one}"), vec![7, 6, 2, 1, 3]),
        (format!("player_id={}", one.to_uppercase()), vec![7, 6, 2, 1, 3]),
        (format!("player_id={one}&color=w"), vec![7, 1, 3]),
        (format!("player_id={one}&color=b"), vec![6, 2]),
        (format!("player_id={one}&opponent_type=bot"), vec![6, 3]),
        (format!("player_id={one}&opponent_type=human"), vec![7, 2, 1]),
        (format!("player_id={one}&opponent_id={two}"), vec![2, 1]),
        (format!("player_id={one}&opponent_id={two}&color=b"), vec![2]),
        (format!("player_id={bot}&opponent_type=bot"), vec![8]),
        (format!("player_id={one}&opponent_id={one}"), vec![]),
        (format!("opponent_id={two}"), vec![5, 2, 1]),
        ("opponent_type=bot".into(), vec![8, 6, 4, 3]),
        ("opponent_type=human".into(), vec![7, 6, 5, 2, 1, 3]),
        ("mode=x2".into(), vec![8, 2]),
        ("result=1".into(), vec![1]),
        ("result=0".into(), vec![2]),
        ("result=-1".into(), vec![5]),
        ("min_turns=1".into(), vec![7, 6]),
        ("min_turns=2&max_turns=3".into(), vec![6]),
        ("max_turns=0&mode=classic".into(), vec![5, 4, 1, 3]),
        ("stake=free".into(), vec![1, 3]),
        ("stake=low".into(), vec![8, 4, 2]),
        ("stake=medium".into(), vec![6, 5]),
        ("stake=high".into(), vec![7]),
        ("date_from=2026-03-05".into(), vec![8, 7]),
        ("date_to=2026-03-02".into(), vec![2, 1]),
        ("date_from=2026-03-02&date_to=2026-03-03".into(), vec![4, 2]),
        ("player_id=00000000-0000-0000-0000-000000000000".into(), vec![]),
        ("something=else".into(), vec![8, 7, 6, 5, 4, 2, 1, 3]),
    ] {
        assert_eq!(numbers(&server, &query), expected, "{query}");
    }
}

#[test]
fn order_and_pages() {
    let server = Server::start();
    some_games(&server);
    for (query, expected) in [
        ("sort=started_at&order=desc", vec![8, 7, 6, 5, 4, 2, 1, 3]),
        ("order=asc", vec![1, 2, 4, 5, 6, 7, 8, 3]),
        ("sort=total_turns&limit=2", vec![6, 7]),
        ("sort=total_turns&order=asc&offset=6", vec![7, 6]),
        ("sort=white_rating&limit=7&order=asc&offset=5", vec![7, 8, 4]),
        ("sort=black_rating&limit=1", vec![8]),
        ("sort=final_stake_amount&limit=1", vec![8]),
        ("limit=3&offset=2", vec![6, 5, 4]),
        ("offset=8", vec![]),
        ("offset=9223372036854775807", vec![]),
    ] {
        assert_eq!(numbers(&server, query), expected, "{query}");
    }
    let page = ask(&server, "/api/games?limit=1&offset=2&mode=classic");
    assert_eq!((&page["total"], &page["offset"]), (&json!(6), &json!(2)));
}

#[test]
fn a_color_needs_its_player() {
    let server = Server::start();
    let answer = server.get("/api/games?color=w");
    assert_eq!((answer.status, answer.detail().as_str()), (400, "color: needs player_id"));
}
