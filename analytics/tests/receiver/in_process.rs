//! First writer wins, replacement, batches, restarts and many writers at once.

use dicechess_analytics::{Receiver, Reply};
use dicechess_core::ids::GameId;
use serde_json::Value;

use crate::client::store;
use crate::document::{played_game, short_game};

fn receiver() -> (tempfile::TempDir, Receiver) {
    let folder = tempfile::tempdir().unwrap();
    let receiver = Receiver::open(&store(folder.path())).unwrap();
    (folder, receiver)
}

fn id(number: u128) -> GameId {
    GameId::from_bits(number)
}

#[test]
fn the_first_writer_wins_across_a_restart() {
    let (folder, receiver) = receiver();
    let mut game = short_game(1);
    let first = game.to_string();
    assert!(matches!(receiver.post(first.as_bytes()), Reply::Created(new) if new == id(1)));
    drop(receiver);

    let receiver = Receiver::open(&store(folder.path())).unwrap();
    game["result"] = (-1).into();
    let reply = receiver.post(game.to_string().as_bytes());
    assert!(matches!(reply, Reply::Existed(old) if old == id(1)));
    assert_eq!(reply.body(), r#"{"id":"00000000-0000-0000-0000-000000000001","created":false}"#);
    assert_eq!(receiver.body(id(1)).unwrap(), Some(first));
}

#[test]
fn a_repeat_is_judged_like_any_other_body() {
    let (_folder, receiver) = receiver();
    let mut game = short_game(1);
    receiver.post(game.to_string().as_bytes());
    game["turns"][0]["moves"] = vec!["a1a4"].into();
    assert_eq!(receiver.post(game.to_string().as_bytes()).status(), 422);
    game["turns"] = Value::Null;
    assert_eq!(receiver.post(game.to_string().as_bytes()).status(), 400);
}

#[test]
fn an_id_in_upper_case_is_the_same_game() {
    let (_folder, receiver) = receiver();
    let body = short_game(0xabc).to_string();
    assert_eq!(receiver.post(body.replace("abc\"", "ABC\"").as_bytes()).status(), 201);
    assert_eq!(receiver.post(body.as_bytes()).status(), 200);
    assert_eq!(receiver.count().unwrap(), 1);
}

#[test]
fn a_replacement_is_whole_or_nothing() {
    let (_folder, receiver) = receiver();
    let mut game = short_game(1);
    let path = id(1).to_string();
    let replace = |game: &Value| receiver.replace(&path, game.to_string().as_bytes());
    assert!(matches!(replace(&game), Reply::Created(_)));
    game["result"] = (-1).into();
    assert!(matches!(replace(&game), Reply::Replaced(_)));
    let kept = receiver.body(id(1)).unwrap();
    assert_eq!(kept.as_deref(), Some(game.to_string().as_str()));

    assert_eq!(replace(&short_game(2)).status(), 400);
    assert_eq!(receiver.replace("1", game.to_string().as_bytes()).status(), 400);
    game["initial_fen"] = "8/8".into();
    assert_eq!(replace(&game).status(), 422);
    assert_eq!(receiver.body(id(1)).unwrap(), kept);
    assert_eq!(receiver.count().unwrap(), 1);
}

#[test]
fn a_batch_answers_in_order_and_keeps_what_it_can() {
    let (_folder, receiver) = receiver();
    let mut illegal = short_game(2);
    illegal["turns"][0]["moves"] = vec!["a1a4"].into();
    let bodies =
        [short_game(1), illegal, short_game(3), short_game(1)].map(|game| game.to_string());
    let mut batch: Vec<&[u8]> = bodies.iter().map(String::as_bytes).collect();
    batch.push(b"{");
    let replies = receiver.post_batch(&batch);
    let statuses: Vec<u16> = replies.iter().map(Reply::status).collect();
    assert_eq!(statuses, [201, 422, 201, 200, 400]);
    assert!(matches!(replies[2], Reply::Created(new) if new == id(3)));
    assert_eq!(receiver.count().unwrap(), 2);
    assert!(receiver.post_batch(&[]).is_empty());
}

#[test]
fn long_legal_games_are_accepted() {
    let (_folder, receiver) = receiver();
    for number in 1..20 {
        let reply = receiver.post(played_game(number, 60).to_string().as_bytes());
        assert_eq!(reply.status(), 201, "{}", reply.body());
    }
}

/// Two receivers on one file stand for two processes.
#[test]
fn of_many_writers_one_creates() {
    let (folder, receiver) = receiver();
    let other = Receiver::open(&store(folder.path())).unwrap();
    let bodies: Vec<String> = (1..=10).map(|number| short_game(number).to_string()).collect();
    let created: usize = std::thread::scope(|scope| {
        let post_all = |receiver: &Receiver| {
            let created = |body: &&String| match receiver.post(body.as_bytes()).status() {
                201 => true,
                200 => false,
                status => panic!("{status}"),
            };
            bodies.iter().filter(created).count()
        };
        let receivers = [&receiver, &other, &receiver, &other, &receiver, &other];
        let threads = receivers.map(|receiver| scope.spawn(move || post_all(receiver)));
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(created, 10);
    assert_eq!(receiver.count().unwrap(), 10);
}

#[test]
fn a_store_that_fails_keeps_nothing_and_names_its_file() {
    let (folder, receiver) = receiver();
    let other = rusqlite::Connection::open(store(folder.path())).unwrap();
    other.execute_batch("ALTER TABLE accepted_games RENAME TO away").unwrap();
    let reply = receiver.post(short_game(1).to_string().as_bytes());
    assert_eq!(reply.status(), 503);
    let Reply::Storage(error) = reply else { panic!("{reply:?}") };
    assert!(error.to_string().contains("analytics.db"), "{error}");

    other.execute_batch("ALTER TABLE away RENAME TO accepted_games").unwrap();
    assert_eq!(receiver.post(short_game(1).to_string().as_bytes()).status(), 201);
}
