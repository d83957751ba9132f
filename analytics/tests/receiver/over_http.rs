//! The same over the wire: statuses, token, methods, sizes.

use std::time::{Duration, Instant};

use dicechess_core::ids::GameId;
use serde_json::{Value, json};

use crate::client::{Server, TOKEN, bearer, store};
use crate::document::short_game;

const GAME_1: &str = "00000000-0000-0000-0000-000000000001";

#[test]
fn created_existed_malformed_refused() {
    let server = Server::start();
    let mut game = short_game(1);
    let created = server.post(game.to_string());
    assert_eq!((created.status, created.json()), (201, json!({"id": GAME_1, "created": true})));
    let existed = server.post(game.to_string());
    assert_eq!((existed.status, existed.json()), (200, json!({"id": GAME_1, "created": false})));

    game["turns"][0]["moves"] = json!(["a1a4"]);
    let refused = server.post(game.to_string());
    assert_eq!(refused.status, 422);
    assert_eq!(refused.body, r#"{"detail":"Turn 1: illegal move sequence [a1a4]"}"#);

    game["mode"] = json!("x3");
    let malformed = server.post(game.to_string());
    assert_eq!(malformed.status, 400);
    assert!(malformed.detail().starts_with("mode: unknown variant `x3`"), "{malformed:?}");
    assert_eq!(server.post("\u{feff}").status, 400);
    assert_eq!(server.post(b"{\"id\": \"\xff\"}").status, 400);
    assert_eq!(server.post("").status, 400);
}

#[test]
fn a_replacement_over_the_wire() {
    let server = Server::start();
    let mut game = short_game(1);
    assert_eq!(server.put(GAME_1, game.to_string()).status, 201);
    game["result"] = json!(0);
    let replaced = server.put(&GAME_1.replace('-', "%2D"), game.to_string());
    assert_eq!((replaced.status, replaced.json()["created"].clone()), (200, json!(false)));
    assert_eq!(server.put(&GameId::from_bits(2).to_string(), game.to_string()).status, 400);
    assert_eq!(server.put("one", game.to_string()).status, 400);
    assert_eq!(server.put("%FF", game.to_string()).status, 400);
    game["turns"][0]["dice"] = json!([7]);
    assert_eq!(server.put(GAME_1, game.to_string()).status, 422);
    assert_eq!(server.put(GAME_1, "x".repeat((1 << 20) + 1)).status, 413);
    assert_eq!(server.get(&format!("/api/games/{GAME_1}")).json()["result"], json!(0));
}

#[test]
fn reading_a_game() {
    let server = Server::start();
    server.post(short_game(1).to_string());
    let found = server.get(&format!("/api/games/{}", GAME_1.to_uppercase()));
    assert_eq!((found.status, found.json()["id"].clone()), (200, json!(GAME_1)));
    for (path, status) in [
        ("/api/games/00000000-0000-0000-0000-000000000002", 404),
        ("/api/games/2", 400),
        ("/api/games/%FF", 400),
        ("/api/games/", 404),
        ("/api/nothing", 404),
    ] {
        let answer = server.get(path);
        assert_eq!(answer.status, status, "{path}");
        assert!(!answer.detail().is_empty());
    }
    assert_eq!(server.get("/version").json()["name"], json!("dicechess-analytics"));
}

#[test]
fn writes_need_the_token() {
    let server = Server::start();
    let game = short_game(1).to_string();
    for headers in [
        String::new(),
        bearer(""),
        bearer("wrong"),
        bearer(&TOKEN[1..]),
        bearer(&format!("{TOKEN}x")),
        format!("Authorization: Basic {TOKEN}\r\n"),
        format!("Authorization: {TOKEN}\r\n"),
        "Authorization: Bearer \u{e9}\r\n".to_owned(),
    ] {
        for (method, path) in [("POST", "/api/games"), ("PUT", "/api/games/x")] {
            let answer = server.send(method, path, &headers, game.as_bytes());
            assert_eq!(answer.status, 401, "{method} {headers:?}");
            assert!(answer.head.contains("www-authenticate: bearer"));
            assert!(!answer.detail().is_empty());
        }
    }
    let lower = format!("authorization: bearer {TOKEN}\r\n");
    assert_eq!(server.send("POST", "/api/games", &lower, game.as_bytes()).status, 201);
}

#[test]
fn without_a_configured_token_nobody_writes() {
    for token in [None, Some("")] {
        let server = Server::with_token(token);
        for headers in
            [String::new(), bearer(""), bearer(TOKEN), "Authorization: Bearer\r\n".into()]
        {
            let answer = server.send("POST", "/api/games", &headers, b"{}");
            assert_eq!(answer.status, 401, "{token:?} {headers:?}");
        }
        assert_eq!(server.get(&format!("/api/games/{GAME_1}")).status, 404);
    }
}

#[test]
fn the_token_is_checked_before_the_body_arrives() {
    let server = Server::start();
    let started = Instant::now();
    let head = "POST /api/games HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n";
    assert_eq!(server.exchange(head.as_bytes()).status, 401);
    let length = (1 << 20) + 1;
    let head = format!(
        "POST /api/games HTTP/1.1\r\nHost: x\r\n{}Content-Length: {length}\r\n\r\n",
        bearer(TOKEN)
    );
    assert_eq!(server.exchange(head.as_bytes()).status, 413);
    assert!(started.elapsed() < Duration::from_secs(5), "an answer waited for its body");
}

/// The client sends everything before it reads, as plain clients do.
#[test]
fn an_early_answer_reaches_a_client_that_is_still_sending() {
    let server = Server::start();
    let large = vec![b' '; 12 << 20];
    for _ in 0..5 {
        assert_eq!(server.send("POST", "/api/games", &bearer("wrong"), &large).status, 401);
        assert_eq!(server.post(&large).status, 413);
    }
}

#[test]
fn a_body_without_a_length_has_the_same_limit() {
    let server = Server::start();
    let chunked = |body: &[u8]| {
        let head = "POST /api/games HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n";
        let start = format!("{head}{}\r\n{:x}\r\n", bearer(TOKEN), body.len());
        server.exchange(&[start.as_bytes(), body, b"\r\n0\r\n\r\n"].concat()).status
    };
    assert_eq!(chunked(short_game(1).to_string().as_bytes()), 201);
    assert_eq!(chunked(&vec![b' '; 1 << 20]), 400);
    assert_eq!(chunked(&vec![b' '; (1 << 20) + 1]), 413);
}

#[test]
fn other_methods_are_405() {
    let server = Server::start();
    for (method, path, allowed) in [
        ("PUT", "/api/games", "post"),
        ("DELETE", "/api/games", "post"),
        ("POST", "/api/games/x", "put"),
        ("PATCH", "/api/games/x", "put"),
        ("POST", "/version", "get"),
    ] {
        let answer = server.send(method, path, &bearer(TOKEN), b"{}");
        assert_eq!(answer.status, 405, "{method} {path}");
        let allow = answer.head.lines().find(|line| line.starts_with("allow: "));
        assert!(allow.is_some_and(|line| line.contains(allowed)), "{answer:?}");
        assert!(!answer.detail().is_empty());
    }
}

#[test]
fn of_many_posts_at_once_one_creates() {
    let server = Server::start();
    let game = short_game(1).to_string();
    let mut statuses: Vec<u16> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..16).map(|_| scope.spawn(|| server.post(&game).status)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    statuses.sort_unstable();
    assert_eq!((statuses[15], &statuses[..15]), (201, &[200; 15][..]));
}

#[test]
fn a_failing_store_is_503_and_the_path_stays_private() {
    let server = Server::start();
    let other = rusqlite::Connection::open(store(server.folder.path())).unwrap();
    other
        .execute_batch(
            "ALTER TABLE accepted_games RENAME TO away; ALTER TABLE games RENAME TO gone",
        )
        .unwrap();
    let read = server.get(&format!("/api/games/{GAME_1}"));
    for answer in [server.post(short_game(1).to_string()), read] {
        assert_eq!(answer.status, 503);
        assert!(!answer.body.contains("analytics.db"), "{answer:?}");
    }
}

#[test]
fn a_long_detail_is_cut_off() {
    let server = Server::start();
    let mut game = short_game(1);
    game["turns"][0]["moves"] = Value::from(vec!["a1a4"; 10_000]);
    let refused = server.post(game.to_string());
    assert_eq!(refused.status, 422);
    assert!(refused.body.len() < 1100);
}
