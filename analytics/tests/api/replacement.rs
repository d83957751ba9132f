//! `PUT` replaces everything or nothing, and nobody sees a game half written.

use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::Connection;
use serde_json::{Value, json};

use crate::client::{Server, store};
use crate::document::START;
use crate::games::{Game, ask, encoded, game, id, numbers};

fn first() -> Game {
    game(1)
        .with("result", 1)
        .turns(&[(&[1], "e2e4"), (&[1], "e7e5"), (&[5], "d1h5")])
        .events(&[("DOUBLE_OFFER", "w"), ("DOUBLE_ACCEPT", "b")])
}

fn second() -> Game {
    game(1)
        .with("result", -1)
        .with("mode", "x2")
        .turns(&[(&[2], "b1c3")])
        .events(&[("DRAW_OFFER", "b")])
}

fn whole(server: &Server) -> Value {
    ask(server, &format!("/api/games/{}", id(1)))
}

fn games_at_start(server: &Server, more: &str) -> Value {
    let fen = encoded(START);
    ask(server, &format!("/api/positions/equity?fen={fen}{more}"))["games"].clone()
}

#[test]
fn everything_is_replaced() {
    let server = Server::start();
    first().post(&server);
    assert_eq!(server.put(&id(1), second().0.to_string()).status, 200);
    let found = whole(&server);
    assert_eq!((&found["result"], &found["total_turns"]), (&json!(-1), &json!(1)));
    assert_eq!(found["turns"].as_array().unwrap().len(), 1);
    assert_eq!(found["events"][0]["event_type"], json!("DRAW_OFFER"));
    assert_eq!(numbers(&server, ""), [1]);
    assert_eq!(games_at_start(&server, ""), json!(1));
    assert_eq!(games_at_start(&server, "&mode=classic"), json!(0));
    let after_e4 = encoded("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -");
    let equity = ask(&server, &format!("/api/positions/equity?fen={after_e4}"));
    assert_eq!(equity["games"], json!(0));
}

#[test]
fn a_replacement_that_fails_in_its_second_half_leaves_the_old_game() {
    let server = Server::start();
    first().post(&server);
    let before = whole(&server);
    let other = Connection::open(store(server.folder.path())).unwrap();
    other
        .execute_batch(
            "CREATE TRIGGER fail BEFORE INSERT ON game_events WHEN NEW.event_type = 'DRAW_OFFER' \
             BEGIN SELECT raise(ABORT, 'disk on fire'); END",
        )
        .unwrap();
    let failed = server.put(&id(1), second().0.to_string());
    assert_eq!(failed.status, 503);
    assert!(!failed.body.contains("fire"), "{failed:?}");
    assert_eq!(whole(&server), before);
    assert_eq!(games_at_start(&server, "&mode=classic"), json!(1));
    let body: String =
        other.query_row("SELECT body FROM accepted_games", [], |row| row.get(0)).unwrap();
    assert_eq!(body, first().0.to_string());

    // A post that fails so leaves nothing, and the next one succeeds.
    let mut new = second().0;
    new["id"] = id(2).into();
    assert_eq!(server.post(new.to_string()).status, 503);
    assert_eq!(numbers(&server, ""), [1]);
    other.execute_batch("DROP TRIGGER fail").unwrap();
    assert_eq!(server.post(new.to_string()).status, 201);
    assert_eq!(server.put(&id(1), second().0.to_string()).status, 200);
    assert_eq!(games_at_start(&server, ""), json!(2));
}

#[test]
fn of_many_posts_at_once_one_creates() {
    let server = Server::start();
    let body = first().0.to_string();
    let mut statuses: Vec<u16> = std::thread::scope(|scope| {
        let post = || server.post(&body).status;
        let threads: Vec<_> = (0..12).map(|_| scope.spawn(post)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    statuses.sort_unstable();
    assert_eq!((statuses[11], &statuses[..11]), (201, &[200; 11][..]));
    assert_eq!(whole(&server)["turns"].as_array().unwrap().len(), 3);
    assert_eq!(games_at_start(&server, ""), json!(1));
}

#[test]
fn readers_see_a_game_whole() {
    let server = Server::start();
    first().post(&server);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watch = || {
            while !done.load(Ordering::Relaxed) {
                let found = whole(&server);
                let counts = ["turns", "events"].map(|list| found[list].as_array().unwrap().len());
                let expected = if found["result"] == json!(1) { [3, 2] } else { [1, 1] };
                assert_eq!(counts, expected);
            }
        };
        let watchers = [scope.spawn(watch), scope.spawn(watch)];
        for _ in 0..30 {
            for game in [second(), first()] {
                assert_eq!(server.put(&id(1), game.0.to_string()).status, 200);
            }
        }
        done.store(true, Ordering::Relaxed);
        for watcher in watchers {
            watcher.join().unwrap();
        }
    });
    assert_eq!(games_at_start(&server, ""), json!(1));
}
