//! The functions as JavaScript calls them, natively: what they take and give. The rules behind them
//! are tested in the core; on the shipped module, `extension/tests` tries them once more.

use serde_json::{Value, json};

use super::*;

const START_MS: f64 = 1_774_901_324_793.0;
const HOUR_MS: f64 = 3_600_000.0;
const GAME: &str = "40f3d0d2-72e2-48fa-8c12-cfa0112fafde";
const ENTRY: &str = r#"{"gameId": "40F3D0D2-72e2-48fa-8c12-cfa0112fafde", "color": "WHITE", "result": 1, "startTime": "2026-03-30T20:08:44.793", "historyOpponent": {"opponentId": 77, "opponentName": "rook77"}}"#;
const MOVES: &str = r#"{"gameMoveHistoryStateMap": {
  "0": {"fen": "4k3/8/8/8/8/8/4R3/KNB5 w - - 0 1", "dices": [{"value": "R"}, {"value": "N"}, {"value": "B"}], "leftTime": {"101": 9, "77": 8}},
  "1": {"fen": "4R3/8/8/8/8/8/8/KNB5 w - - 0 1", "dices": [], "gameMoveHistoryMove": {"from": "E2", "to": "E8"}}}}"#;

fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

fn head(method: &str, path: &str) -> String {
    json!({"page_origin": "https://dicechess.com", "url": format!("https://dicechess.com{path}"),
        "method": method, "status": 200, "content_type": "application/json"})
    .to_string()
}

/// The row that a page of history gives for an entry.
fn row(entry: &str) -> Value {
    let asked = br#"{"filters":{"PLAYER_ID":"101"}}"#.to_vec();
    let body = format!(r#"{{"gameHistoryList":[{entry},7]}}"#);
    let seen = observe(&head("POST", "/api/player/history"), Some(asked), body.as_bytes());
    let seen = value(&seen.unwrap());
    assert_eq!((&seen["kind"], &seen["broken"]), (&json!("history"), &json!(1)));
    seen["rows"][0].clone()
}

fn states(events: &[Value]) -> Value {
    let mut state = discovered(&row(ENTRY).to_string(), START_MS + HOUR_MS).unwrap();
    for event in events {
        state = apply(&state, &event.to_string(), START_MS + HOUR_MS).unwrap();
    }
    value(&state)
}

#[test]
fn a_page_of_history_gives_rows() {
    let row = row(ENTRY);
    assert_eq!(row["entry_json"], ENTRY);
    assert_eq!(row["game_id"], GAME);
    assert_eq!((&row["white_user_id"], &row["black_user_id"]), (&json!(101), &json!(77)));
    assert_eq!((&row["result"], &row["has_result"]), (&json!(1), &json!(true)));
    assert_eq!(row["started_at_ms"].as_f64(), Some(START_MS));
    let opponent = json!({"user_id": 77, "username": "rook77", "player_type": "human"});
    assert_eq!(row["opponent"], opponent);
}

#[test]
fn moves_and_all_else() {
    let path = format!("/api/game-move-history?gameId={GAME}");
    let seen = observe(&head("GET", &path), None, MOVES.as_bytes()).unwrap();
    assert_eq!(value(&seen), json!({"kind": "moves", "game_id": GAME, "players": [101, 77]}));
    let other = value(&observe(&head("GET", "/api/news"), None, b"{}").unwrap());
    assert_eq!((&other["kind"], &other["reason"]), (&json!("ignored"), &json!("other_address")));
    assert_eq!(value(&page(&format!("/game/{GAME}"))), json!({"kind": "game", "game_id": GAME}));
    assert_eq!(value(&page("/")), json!({"kind": "other"}));
    for head in ["", "[]", "{}", r#"{"page_origin":1}"#] {
        assert!(observe(head, None, b"").is_err(), "{head}");
    }
}

#[test]
fn a_game_goes_its_way() {
    let fetched = states(&[json!({"event": "fetched"})]);
    assert_eq!(fetched["status"], "fetched");
    let failed =
        states(&[json!({"event": "fetched"}), json!({"event": "post_failed", "message": "down"})]);
    assert_eq!((&failed["status"], &failed["error_stage"]), (&json!("error"), &json!("post")));
    let step = |state: &Value, has_moves, later: f64| {
        value(&next_step(&state.to_string(), has_moves, START_MS + HOUR_MS + later).unwrap())
    };
    assert_eq!(step(&states(&[]), false, 0.0), json!({"step": "fetch", "at_ms": null}));
    assert_eq!(step(&states(&[]), true, 0.0), json!({"step": "fetched", "at_ms": null}));
    assert_eq!(step(&fetched, true, 0.0), json!({"step": "post", "at_ms": null}));
    assert_eq!(step(&failed, true, 0.0)["step"], "wait");
    assert_eq!(step(&failed, true, 300_000.0)["step"], "post");
    let at_once = value(&without_timer(&failed.to_string()).unwrap());
    assert_eq!(step(&at_once, true, 0.0)["step"], "post");
    let posted = states(&[
        json!({"event": "fetched"}),
        json!({"event": "post_accepted", "result": "created"}),
    ]);
    assert_eq!((&posted["status"], &posted["post_result"]), (&json!("posted"), &json!("created")));
    assert_eq!(step(&posted, true, 0.0)["step"], "none");
}

#[test]
fn what_cannot_be_is_refused() {
    let fetched = json!({"event": "fetched"});
    let posted = states(std::slice::from_ref(&fetched)).to_string();
    assert!(apply(&posted, &fetched.to_string(), START_MS).is_err(), "an illegal pair");
    for event in ["", "{}", r#"{"event":"won"}"#, r#"{"event":"post_accepted","result":"perhaps"}"#]
    {
        assert!(apply(&posted, event, START_MS).is_err(), "{event}");
    }
    for (field, wrong) in
        [("status", json!("lost")), ("attempts", json!(-1)), ("replace", json!(0))]
    {
        let mut state = value(&posted);
        state[field] = wrong;
        assert!(without_timer(&state.to_string()).is_err(), "{field}");
    }
    assert!(answer("nobody", 201, "", GAME).is_err());
    assert!(receiver_after("null", "sulks", None).is_err());
}

#[test]
fn a_running_game_is_told_of_again() {
    let running = row(&ENTRY.replace("\"result\": 1", "\"result\": null")).to_string();
    let state = discovered(&running, START_MS).unwrap();
    let is_final = |row: &str, end: Option<f64>, at: f64| {
        moves_are_final(row, MOVES.as_bytes(), START_MS + at, end, START_MS + at).unwrap()
    };
    assert!(!is_final(&running, None, 1.0));
    let ended = row(ENTRY).to_string();
    let told = value(&told_again(&ended, &running, &state, START_MS + 9.0).unwrap());
    assert_eq!((&told["kind"], &told["row"]), (&json!("changed"), &value(&ended)));
    assert_eq!(told["state"]["next_retry_at_ms"], Value::Null);
    assert!(is_final(&ended, Some(START_MS + 9.0), 1.0), "the moves take a king");
    let same = told_again(&running, &ended, &state, START_MS).unwrap();
    assert_eq!(value(&same), json!({"kind": "same"}));
}

#[test]
fn what_is_sent() {
    let sent = bundle(ENTRY, 101.0, MOVES.as_bytes(), START_MS, START_MS + 1.0).unwrap();
    assert!(sent.contains(&format!(r#"{{"history_meta":{ENTRY},"move_history":{MOVES}}}"#)));
    assert_eq!(value(&sent)["metaFetchedAt"], "2026-03-30T20:08:44.794Z");
    let known = r#"[{"user_id":101,"username":"ann","player_type":"human"}]"#;
    let document = value(&ingest(ENTRY, 101.0, MOVES.as_bytes(), known).unwrap());
    assert_eq!(document["white_player"]["username"], "ann");
    assert_eq!(document["black_player"]["username"], "rook77");
    let line =
        format!(r#"{{"history_meta":{ENTRY},"queried_user_id":101,"move_history":{MOVES}}}"#);
    let plain = ingest(ENTRY, 101.0, MOVES.as_bytes(), "[]").unwrap();
    assert_eq!(normalize(line.as_bytes()).unwrap(), plain);
    assert!(ingest(ENTRY, 1.5, MOVES.as_bytes(), "[]").is_err());
    assert!(ingest(ENTRY, 101.0, b"\xff", "[]").is_err());
    assert!(ingest(ENTRY, 101.0, MOVES.as_bytes(), r#"[{"user_id":101}]"#).is_err());
}

#[test]
fn answers_and_what_goes_next() {
    let reading = |status, body| value(&answer("daemon", status, body, GAME).unwrap());
    let accepted = json!({"event": "post_accepted", "result": "created"});
    let works = json!({"kind": "event", "event": accepted, "standing": "works"});
    assert_eq!(reading(201, ""), works);
    assert_eq!(reading(409, "no")["event"], json!({"event": "post_refused", "reason": "no"}));
    assert_eq!(reading(0, "gone")["standing"], "away");
    let pause = json!({"kind": "pause", "reason": "unauthorized", "message": "who?",
        "standing": "unauthorized"});
    assert_eq!(reading(401, " who? "), pause);

    let away = receiver_after("null", "away", Some(START_MS + 5.0)).unwrap();
    assert_eq!(value(&away)["paused_until_ms"].as_f64(), Some(START_MS + 5.0));
    let game =
        json!({"game_id": GAME, "seen_at_ms": 1, "state": states(&[json!({"event": "fetched"})])});
    let next = |receiver: Value, games: Value| {
        let outbox = json!({"receiver": receiver, "games": games}).to_string();
        value(&next_sending(&outbox, START_MS).unwrap())
    };
    assert_eq!(next(Value::Null, json!([game])), json!({"kind": "send", "game_id": GAME}));
    assert_eq!(next(value(&away), json!([game]))["kind"], "wait");
    assert_eq!(next(Value::Null, json!([])), json!({"kind": "nothing"}));
}

#[test]
fn room_is_made_and_questions_are_planned() {
    let stored = |status: Value, has_moves: bool| {
        json!({"game_id": GAME, "status": status, "error_stage": null, "bytes": 60,
            "has_moves": has_moves, "since_ms": 0})
    };
    let room = |stored: Value| {
        let storage = json!({"stored": [stored], "incoming_bytes": 50, "most_bytes": 100});
        value(&to_drop(&storage.to_string()).unwrap())
    };
    let posted = room(stored(json!("posted"), true));
    assert_eq!((&posted["drop_moves"], &posted["is_free"]), (&json!([GAME]), &json!(true)));
    assert_eq!(room(stored(Value::Null, true))["drop_games"], json!([GAME]));
    let waiting = room(stored(json!("fetched"), true));
    assert_eq!((&waiting["drop_games"], &waiting["is_free"]), (&json!([]), &json!(false)));

    let visit = json!({"game_id": GAME, "left_at_ms": START_MS, "entry": null, "players": [101],
        "has_final_moves": false, "history_asked_at_ms": null, "moves_asked_at_ms": null});
    let facts = json!({"enabled": true, "own_user_id": 101, "last_ask_at_ms": null,
        "visits": [visit]});
    let ask = |at: f64| value(&ask_plan(&facts.to_string(), START_MS + at).unwrap());
    assert_eq!(ask(0.0)["kind"], "wait");
    let now = ask(10_000.0);
    assert_eq!((&now["kind"], &now["what"]), (&json!("ask"), &json!("history")));
    assert_eq!(now["url"], "/api/player/history");
    assert_eq!(value(&versions()), json!({"api": 1, "core": "0.1.0"}));
}
