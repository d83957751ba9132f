//! `GET /api/games/{id}`, and what of a game is stored how.

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::client::{Server, store};
use crate::document::short_game;
use crate::games::{ask, fields, game, id};

#[test]
fn a_whole_game() {
    let server = Server::start();
    server.post(short_game(1).to_string());
    let found = ask(&server, &format!("/api/games/{}", id(1)));
    let detail = ["metadata_json", "turns", "events"];
    let listed = ask(&server, "/api/games")["items"][0].clone();
    for field in fields(&found) {
        if !detail.contains(&field) {
            assert_eq!(found[field], listed[field], "{field}");
        }
    }
    assert_eq!(fields(&found).len(), fields(&listed).len() + detail.len());
    assert_eq!(found["metadata_json"], Value::Null);
    let after_one = "rnbqkbnr/pppppppp/8/8/4P3/2N2Q2/PPPP1PPP/R1B1KBNR b KQkq -";
    let expected = json!([
        {"turn_number": 1, "active_color": "w", "dice_sorted": "NPQ",
         "played_moves": ["b1c3", "e2e4", "d1f3"], "thinking_time_ms": 1200,
         "position_fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -",
         "position_after_fen": after_one},
        {"turn_number": 2, "active_color": "b", "dice_sorted": "kqq", "played_moves": [],
         "thinking_time_ms": null, "position_fen": after_one,
         "position_after_fen": after_one.replace(" b ", " w ")},
    ]);
    assert_eq!(found["turns"], expected);
    let mut events = found["events"].clone();
    for event in events.as_array_mut().unwrap() {
        assert!(event.as_object_mut().unwrap().remove("id").unwrap().is_i64());
    }
    let expected = json!([
        {"sequence_number": 1, "turn_number": 2, "event_type": "DOUBLE_OFFER", "actor_color": "b",
         "clock_white_ms": 59800, "clock_black_ms": 60000, "payload": null},
        {"sequence_number": 2, "turn_number": 2, "event_type": "DOUBLE_ACCEPT", "actor_color": "w",
         "clock_white_ms": 59800, "clock_black_ms": 60000, "payload": {"bank": 20}},
    ]);
    assert_eq!(events, expected);
}

#[test]
fn what_is_not_known_is_null() {
    let server = Server::start();
    let nothing = Value::Null;
    game(1)
        .between(nothing.clone(), nothing.clone())
        .with("termination", nothing.clone())
        .with("started_at", nothing.clone())
        .post(&server);
    let found = ask(&server, &format!("/api/games/{}", id(1)));
    assert_eq!((&found["white_player"], &found["started_at"]), (&nothing, &nothing));
    assert_eq!((&found["termination"], &found["total_turns"]), (&json!("unknown"), &json!(0)));
    assert_eq!((&found["turns"], &found["events"]), (&json!([]), &json!([])));
}

#[test]
fn after_a_king_capture_the_other_side_is_to_move() {
    let server = Server::start();
    game(1)
        .with("initial_fen", "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1")
        .with("termination", "king_captured")
        .turns(&[(&[4], "e2e8")])
        .post(&server);
    let found = ask(&server, &format!("/api/games/{}", id(1)));
    assert_eq!(found["turns"][0]["position_after_fen"], json!("4R3/8/8/8/8/8/8/4K3 b - -"));
}

#[test]
fn after_a_partial_turn_the_same_side_is_to_move() {
    let server = Server::start();
    game(1).turns(&[(&[1, 1], "e2e4")]).post(&server);
    let found = ask(&server, &format!("/api/games/{}", id(1)));
    let after = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -";
    assert_eq!(found["turns"][0]["position_after_fen"], json!(after));
}

#[test]
fn positions_are_one_row_each_with_their_hash() {
    let server = Server::start();
    game(1).turns(&[(&[1], "e2e4")]).post(&server);
    game(2).turns(&[(&[1, 1], "e2e3 e3e4")]).post(&server);
    let other = Connection::open(store(server.folder.path())).unwrap();
    let mut select = other
        .prepare(
            "SELECT normalized_fen, fen_hash, piece_placement || ' ' || active_color || ' ' || \
             castling || ' ' || en_passant FROM positions ORDER BY id",
        )
        .unwrap();
    let rows: Vec<(String, i64, String)> =
        select.query_map([], |row| row.try_into()).unwrap().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 2, "{rows:?}");
    for (fen, hash, fields) in rows {
        let position: dicechess_core::rules::Position = fen.parse().unwrap();
        assert_eq!((hash, &fields), (position.fen_hash(), &fen));
    }
}
