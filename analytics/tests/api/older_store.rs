//! A store that was made before there was anything to ask.

use std::path::Path;

use dicechess_analytics::{Receiver, Reply};
use rusqlite::Connection;

use crate::client::store;
use crate::document::{played_game, short_game};

/// A store as the first version left it.
fn older_store(path: &Path, bodies: &[(String, String)]) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(include_str!("../../migrations/0001_accepted_games.sql")).unwrap();
    connection.pragma_update(None, "application_id", 0x4443_616e).unwrap();
    connection.pragma_update(None, "user_version", 1).unwrap();
    let insert = "INSERT INTO accepted_games VALUES (?1, ?2, '2026-01-01T00:00:00.000Z', NULL)";
    for body in bodies {
        connection.execute(insert, (&body.0, &body.1)).unwrap();
    }
}

fn counts(path: &Path) -> Vec<i64> {
    let connection = Connection::open(path).unwrap();
    let count = |table| {
        let count = format!("SELECT count(*) FROM {table}");
        connection.query_row(&count, [], |row| row.get(0)).unwrap()
    };
    ["accepted_games", "games", "turns", "game_events", "players", "positions", "position_tallies"]
        .map(count)
        .to_vec()
}

fn body(number: u128) -> (String, String) {
    let game = if number == 7 { short_game(7) } else { played_game(number, 4) };
    (game["id"].as_str().unwrap().to_owned(), game.to_string())
}

#[test]
fn its_bodies_are_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (store(folder.path()), folder.path().join("new.db"));
    let bodies: Vec<_> = (1..=420).map(body).collect();
    older_store(&old, &bodies);
    drop(Receiver::open(&old).unwrap());
    let receiver = Receiver::open(&new).unwrap();
    let posts: Vec<&[u8]> = bodies.iter().map(|(_, body)| body.as_bytes()).collect();
    assert!(receiver.post_batch(&posts).iter().all(|reply| matches!(reply, Reply::Created(_))));
    assert_eq!(counts(&old), counts(&new));
    assert_eq!(counts(&old)[1], 420);
    let connection = Connection::open(&old).unwrap();
    let left: i64 =
        connection.query_row("SELECT count(*) FROM gold_fill", [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0);
}

#[test]
fn an_interrupted_take_over_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = store(folder.path());
    let bodies: Vec<_> = (1..=420).map(body).collect();
    older_store(&path, &bodies);
    // The first batch of 200 passes, the second one fails whole.
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(include_str!("../../migrations/0002_gold.sql")).unwrap();
    connection.pragma_update(None, "user_version", 2).unwrap();
    let fail = format!(
        "CREATE TRIGGER fail BEFORE INSERT ON games WHEN NEW.id = '{}' \
         BEGIN SELECT raise(ABORT, 'out of power'); END",
        bodies[299].0
    );
    connection.execute_batch(&fail).unwrap();
    assert!(Receiver::open(&path).is_err());
    assert_eq!(counts(&path)[1], 200);
    connection.execute_batch("DROP TRIGGER fail").unwrap();
    let receiver = Receiver::open(&path).unwrap();
    assert_eq!(counts(&path)[1], 420);
    assert_eq!(receiver.post(bodies[0].1.as_bytes()).status(), 200);
}

#[test]
fn a_body_that_is_accepted_no_more_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = store(folder.path());
    let (id, text) = body(7);
    older_store(&path, &[body(1), (id, text.replace("d1f3", "d1h8")), body(2)]);
    let receiver = Receiver::open(&path).unwrap();
    assert_eq!((receiver.count().unwrap(), counts(&path)[1]), (3, 2));
    drop(receiver);
    drop(Receiver::open(&path).unwrap());
    // A replacement brings it in.
    let receiver = Receiver::open(&path).unwrap();
    let (id, text) = body(7);
    assert_eq!(receiver.replace(&id, text.as_bytes()).status(), 200);
    assert_eq!(counts(&path)[1], 3);
}
