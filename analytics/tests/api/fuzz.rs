//! Generated and spoilt bodies: never a 5xx, and nothing stored that was not accepted.

use std::cell::RefCell;
use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::client::{Server, store};
use crate::document::{played_game, short_game};
use crate::games::{ask, id};

/// Any JSON, with the words and numbers that documents are made of.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-3_i64..9).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop::sample::select(vec![
            "e2e4",
            "w",
            "b",
            "x2",
            "classic",
            "human",
            "DOUBLE_OFFER",
            "timeout",
            "",
            "2026-03-30T20:08:44.793Z",
            "0000-01-01T00:00:00+23:59",
            "8/8/8/8/8/8/8/8 w - - 0 1",
            "00000000-0000-0000-0000-000000000001",
            "\u{0}",
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::hash_map("[a-z_]{0,12}", inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// All places of a document.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| pointers(value, &format!("{at}/{key}"), found));
        }
        Value::Array(list) => {
            list.iter()
                .enumerate()
                .for_each(|(place, value)| pointers(value, &format!("{at}/{place}"), found));
        }
        _ => {}
    }
}

/// A sound document, a part of which is another value or gone.
fn spoilt() -> impl Strategy<Value = Value> {
    let document = (1..6_u128, 0..8_u32).prop_map(|(number, turns)| match turns {
        0 => short_game(number),
        turns => played_game(number, turns),
    });
    (document, any::<prop::sample::Index>(), prop::option::of(any_json())).prop_map(
        |(mut document, place, value)| {
            let mut places = Vec::new();
            pointers(&document, "", &mut places);
            let place = place.get(&places).clone();
            match (value, place.rsplit_once('/')) {
                (Some(value), _) => *document.pointer_mut(&place).unwrap() = value,
                (None, Some((parent, key))) => match document.pointer_mut(parent).unwrap() {
                    Value::Object(map) => drop(map.remove(key)),
                    Value::Array(list) => drop(list.remove(key.parse().unwrap())),
                    _ => {}
                },
                (None, None) => {}
            }
            document
        },
    )
}

/// What is sent: a document, with luck cut off or with a byte changed.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let text = prop_oneof![6 => spoilt(), 1 => any_json()].prop_map(|json| json.to_string());
    let spoil = prop_oneof![
        8 => Just(None),
        1 => (any::<prop::sample::Index>(), any::<u8>()).prop_map(Some),
    ];
    (text, spoil).prop_map(|(text, spoil)| {
        let mut bytes = text.into_bytes();
        if let Some((place, byte)) = spoil {
            let place = place.index(bytes.len());
            match byte {
                0..100 => bytes.truncate(place),
                _ => bytes[place] = byte,
            }
        }
        bytes
    })
}

#[test]
fn no_body_breaks_the_receiver() {
    let server = Server::start();
    let stored = RefCell::new(BTreeMap::new());
    let mut runner =
        TestRunner::new(Config { cases: 400, failure_persistence: None, ..Config::default() });
    runner
        .run(&(body(), any::<bool>(), 1..6_u128), |(body, replace, number)| {
            let answer = if replace { server.put(&id(number), &body) } else { server.post(&body) };
            let known = match answer.status {
                200 | 201 => {
                    let answer = answer.json();
                    let game = answer["id"].as_str().unwrap().to_owned();
                    stored.borrow_mut().insert(game, ());
                    true
                }
                400 | 413 | 422 => !answer.detail().is_empty(),
                _ => false,
            };
            prop_assert!(known, "{answer:?} for {}", String::from_utf8_lossy(&body));
            let total = ask(&server, "/api/games")["total"].clone();
            prop_assert_eq!(total, json!(stored.borrow().len()));
            Ok(())
        })
        .unwrap();
    tallies_agree_with_turns(&server);
    // Whatever was accepted can be read again.
    assert!(!stored.borrow().is_empty());
    for game in stored.borrow().keys() {
        ask(&server, &format!("/api/games/{game}"));
    }
    let players = ask(&server, "/api/players?limit=100");
    for player in players.as_array().unwrap() {
        for call in ["stats", "breakdowns", "rating-history", "profit-history"] {
            ask(&server, &format!("/api/players/{}/{call}", player["id"].as_str().unwrap()));
        }
    }
}

/// What is counted while writing and replacing is what counting anew gives.
fn tallies_agree_with_turns(server: &Server) {
    let other = Connection::open(store(server.folder.path())).unwrap();
    let counted =
        "SELECT position_id, slice_id, count(*) FROM turns WHERE novelty = 3 GROUP BY 1, 2";
    let kept = "SELECT position_id, slice_id, games FROM position_tallies";
    for (one, without) in [(counted, kept), (kept, counted)] {
        let differences = format!("SELECT count(*) FROM ({one} EXCEPT {without})");
        let differences: i64 = other.query_row(&differences, [], |row| row.get(0)).unwrap();
        assert_eq!(differences, 0, "{one}");
    }
}

/// A query of known parameters with any values.
#[test]
fn no_query_breaks_the_api() {
    let server = Server::start();
    server.post(short_game(1).to_string());
    let player = ask(&server, "/api/players")[0]["id"].as_str().unwrap().to_owned();
    let calls = vec![
        "/api/games".to_owned(),
        "/api/players".to_owned(),
        format!("/api/players/{player}/stats"),
        format!("/api/players/{player}/breakdowns"),
        format!("/api/players/{player}/rating-history"),
        format!("/api/players/{player}/profit-history"),
        "/api/positions/equity".to_owned(),
        "/api/positions/continuations".to_owned(),
        "/api/positions/dice-distribution".to_owned(),
    ];
    let fields = prop::sample::select(vec![
        "mode",
        "color",
        "stake",
        "player_id",
        "opponent_id",
        "opponent_type",
        "date_from",
        "sort",
        "order",
        "limit",
        "offset",
        "min_turns",
        "result",
        "username",
        "fen",
        "dice",
        "min_rating",
    ]);
    let values = prop_oneof![
        "[ -~]{0,8}",
        any::<String>(),
        any::<i64>().prop_map(|number| number.to_string()),
        prop::sample::select(vec![
            "x2",
            "w",
            "free",
            "bot",
            "2026-01-01",
            "desc",
            "PNB",
            "1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
        ])
        .prop_map(str::to_owned),
    ];
    let pairs = prop::collection::vec((fields, values), 0..4);
    let mut runner =
        TestRunner::new(Config { cases: 400, failure_persistence: None, ..Config::default() });
    runner
        .run(&(prop::sample::select(calls), pairs), |(call, pairs)| {
            let query =
                form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
            let answer = server.get(&format!("{call}?{query}"));
            prop_assert!([200, 400].contains(&answer.status), "{call}?{query}: {answer:?}");
            Ok(())
        })
        .unwrap();
}
