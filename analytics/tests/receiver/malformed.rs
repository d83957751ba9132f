//! What is 400 and 413, and what is not.

use dicechess_analytics::{MAX_BODY_BYTES, Rejection, accept};
use serde_json::{Value, json};

use crate::document::short_game;

/// The short game with one value, given by its JSON pointer, changed.
fn with(pointer: &str, value: Value) -> String {
    let mut game = short_game(1);
    *game.pointer_mut(pointer).unwrap() = value;
    game.to_string()
}

fn malformed(body: impl AsRef<[u8]>) -> String {
    match accept(body.as_ref()) {
        Err(Rejection::Malformed(detail)) => detail,
        other => panic!("{other:?} for {}", String::from_utf8_lossy(body.as_ref())),
    }
}

#[test]
fn what_is_no_json() {
    let nested = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let in_payload = with("/events/0/payload", "?".into()).replace("\"?\"", &nested);
    let unclosed = format!(r#"{{"unknown":{}"#, "[".repeat(500_000));
    for body in
        ["", " ", "{", "nul", "{}{}", "{'id':1}", "\u{feff}{}", &nested, &in_payload, &unclosed]
    {
        malformed(body);
    }
    let text = short_game(1).to_string();
    malformed(text.replace("anna", r"\ud800"));
    malformed(text.replace("anna", "\n"));
    malformed([text.as_bytes(), b"\xff"].concat());
    // Also where nobody looks: in a field that is not read.
    let (before, after) = text.split_once('{').unwrap();
    malformed([before.as_bytes(), b"{\"unknown\":\"\xff\",", after.as_bytes()].concat());
    malformed(text.replace("9.5", "1e400"));
}

#[test]
fn wrong_types_and_unknown_words_name_the_field() {
    for (pointer, wrong) in [
        ("/id", json!("17")),
        ("/id", json!(17)),
        ("/id", json!("0b5f1c3e9a774c118e5500000000abcd")),
        ("/source", json!(null)),
        ("/mode", json!("x3")),
        ("/mode", json!("X2")),
        ("/mode", json!(null)),
        ("/result", json!(2)),
        ("/result", json!("1")),
        ("/result", json!(0.5)),
        ("/termination", json!("mate")),
        ("/started_at", json!("2026-02-29T00:00:00Z")),
        ("/started_at", json!(1_774_901_324_793_i64)),
        ("/time_initial_sec", json!("60")),
        ("/time_increment_sec", json!(0.5)),
        ("/initial_stake_amount", json!(true)),
        ("/final_stake_amount", json!([])),
        ("/stake_currency", json!(1)),
        ("/white_money_delta", json!("9")),
        ("/black_money_delta", json!({})),
        ("/white_player", json!("anna")),
        ("/white_player/external_id", json!(7)),
        ("/white_player/external_id", json!("")),
        ("/white_player/external_id", json!("7".repeat(51))),
        ("/white_player/username", json!(7)),
        ("/white_player/player_type", json!("guest")),
        ("/black_player/rating", json!("1500")),
        ("/initial_fen", json!(null)),
        ("/turns", json!(null)),
        ("/turns", json!({})),
        ("/turns/1", json!([1, "w", [1], [], null, null])),
        ("/turns/1/turn_number", json!("2")),
        ("/turns/1/turn_number", json!(2.5)),
        ("/turns/1/active_color", json!("white")),
        ("/turns/1/dice", json!("PNB")),
        ("/turns/1/dice/0", json!("x")),
        ("/turns/1/dice/0", json!(1.5)),
        ("/turns/1/moves", json!(null)),
        ("/turns/0/moves/1", json!(1)),
        ("/turns/1/thinking_time_ms", json!("1")),
        ("/turns/1/fen_after", json!(1)),
        ("/events", json!(null)),
        ("/events/1/sequence_number", json!(null)),
        ("/events/1/turn_number", json!("2")),
        ("/events/1/event_type", json!("RESIGN")),
        ("/events/1/actor_color", json!("x")),
        ("/events/1/clock_white_ms", json!("1")),
        ("/events/1/clock_black_ms", json!(1.5)),
    ] {
        let detail = malformed(with(pointer, wrong.clone()));
        let mut segments = pointer.split('/').filter(|segment| segment.parse::<u8>().is_err());
        let field = segments.next_back().unwrap();
        assert!(detail.contains(field), "{pointer} {wrong}: {detail}");
    }
}

#[test]
fn required_fields_are_missed_by_name() {
    for pointer in [
        "/id",
        "/source",
        "/mode",
        "/initial_fen",
        "/turns",
        "/white_player/external_id",
        "/white_player/player_type",
        "/turns/1/turn_number",
        "/turns/1/active_color",
        "/turns/1/dice",
        "/turns/1/moves",
        "/events/0/sequence_number",
        "/events/0/turn_number",
        "/events/0/event_type",
        "/events/0/actor_color",
    ] {
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        let mut game = short_game(1);
        game.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(field);
        let detail = malformed(game.to_string());
        assert!(detail.contains(&format!("missing field `{field}`")), "{detail}");
    }
}

#[test]
fn all_else_may_be_null_or_absent() {
    for pointer in [
        "/result",
        "/termination",
        "/started_at",
        "/time_initial_sec",
        "/time_increment_sec",
        "/initial_stake_amount",
        "/final_stake_amount",
        "/stake_currency",
        "/white_money_delta",
        "/black_money_delta",
        "/white_player",
        "/black_player",
        "/white_player/username",
        "/white_player/rating",
        "/turns/0/thinking_time_ms",
        "/turns/0/fen_after",
        "/events/0/clock_white_ms",
        "/events/0/clock_black_ms",
        "/events/0/payload",
    ] {
        accept(with(pointer, Value::Null).as_bytes()).unwrap();
        let (parent, field) = pointer.rsplit_once('/').unwrap();
        let mut game = short_game(1);
        game.pointer_mut(parent).unwrap().as_object_mut().unwrap().remove(field);
        accept(game.to_string().as_bytes()).unwrap();
    }
    let mut game = short_game(1);
    game.as_object_mut().unwrap().remove("events");
    game["unknown"] = json!({"ignored": [1]});
    accept(game.to_string().as_bytes()).unwrap();
}

#[test]
fn a_key_twice_is_malformed() {
    let text = short_game(1).to_string();
    for (key, value) in [
        ("mode", r#""x2""#),
        ("result", "1"),
        ("white_money_delta", "9.5"),
        ("external_id", r#""7""#),
        ("active_color", r#""w""#),
        ("event_type", r#""DOUBLE_OFFER""#),
    ] {
        let once = format!(r#""{key}":{value}"#);
        let detail = malformed(text.replacen(&once, &format!("{once},{once}"), 1));
        assert!(detail.contains(&format!("duplicate field `{key}`")), "{detail}");
    }
}

#[test]
fn one_mebibyte_is_the_most() {
    let text = short_game(1).to_string();
    let padded = |length: usize| format!("{text}{}", " ".repeat(length - text.len()));
    accept(padded(MAX_BODY_BYTES).as_bytes()).unwrap();
    assert_eq!(accept(padded(MAX_BODY_BYTES + 1).as_bytes()), Err(Rejection::TooLarge));
}
