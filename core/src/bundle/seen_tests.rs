//! What is believed of a browser, and each thing that is not.

use std::time::Duration;

use super::*;

const NOW: UnixMillis = UnixMillis(1_774_987_724_793);

const META: &str = r#"{"gameId": "40F3D0D2-72e2-48fa-8c12-cfa0112fafde", "color": "WHITE", "result": 1, "startTime": "2026-03-30T20:08:44.793", "startRatingWhite": 1500, "startRatingBlack": 1600, "historyOpponent": {"opponentId": 77, "opponentName": "rook77"}}"#;

/// White takes the king with the first die.
const MOVES: &str = r#"{"gameMoveHistoryStateMap": {
  "0": {"fen": "4k3/8/8/8/8/8/4R3/KNB5 w - - 0 1", "dices": [{"value": "R"}, {"value": "N"}, {"value": "B"}]},
  "1": {"fen": "4R3/8/8/8/8/8/8/KNB5 w - - 0 1", "dices": [], "gameMoveHistoryMove": {"from": "E2", "to": "E8"}}}}"#;

fn bundle<'a>(meta: &'a str, moves: &'a str) -> Bundle<'a> {
    Bundle {
        game_id: "40f3d0d2-72e2-48fa-8c12-cfa0112fafde".parse().unwrap(),
        white_user_id: Some(UserId(101)),
        black_user_id: Some(UserId(77)),
        started_at: None,
        fetched_at: Some(NOW - Duration::from_mins(3)),
        meta_fetched_at: Some(NOW + Duration::from_mins(3)),
        history_meta: Some(meta),
        move_history: Some(moves),
    }
}

fn refusal(bundle: &Bundle<'_>) -> String {
    SeenGame::judge(bundle, NOW).unwrap_err().to_string()
}

#[test]
fn a_sound_game_is_believed_byte_for_byte() {
    let seen = SeenGame::judge(&bundle(META, MOVES), NOW).unwrap();
    assert_eq!((seen.history_meta, seen.move_history), (META, MOVES));
    assert_eq!((seen.row.white_user_id, seen.row.black_user_id), (UserId(101), UserId(77)));
    assert_eq!((seen.row.discovered_from, seen.row.result), (UserId(101), Some(1)));
    assert_eq!((seen.opponent.user_id, seen.opponent.depth), (UserId(77), 1));
    assert_eq!((seen.own_rating, seen.opponent.discovered_rating), (Some(1500), Some(1600)));
    assert_eq!(seen.fetched_at, NOW - Duration::from_mins(3));
    assert_eq!(seen.meta_fetched_at, NOW, "no time of a browser lies in the future");
}

#[test]
fn the_entry_may_be_of_either_player() {
    let meta = META.replace("WHITE", "BLACK").replace("\"result\": 1", "\"result\": -1");
    let swapped = Bundle {
        white_user_id: Some(UserId(77)),
        black_user_id: Some(UserId(101)),
        ..bundle(&meta, MOVES)
    };
    let seen = SeenGame::judge(&swapped, NOW).unwrap();
    assert_eq!((seen.row.white_user_id, seen.row.result), (UserId(77), Some(1)));
    assert_eq!((seen.row.discovered_from, seen.own_rating), (UserId(101), Some(1600)));
}

#[test]
fn what_is_not_believed() {
    let sound = bundle(META, MOVES);
    let without_result = META.replace("\"result\": 1", "\"result\": null");
    let cancelled = META.replace("\"result\": 1", "\"result\": 1, \"isCancelled\": true");
    let illegal = MOVES.replace("\"E2\"", "\"A1\"");
    let unknown_square = MOVES.replace("\"E8\"", "\"E9\"");
    for (bundle, said) in [
        (Bundle { history_meta: None, ..sound.clone() }, "artifacts.history_meta is missing"),
        (Bundle { move_history: None, ..sound.clone() }, "artifacts.move_history is missing"),
        (bundle("null", MOVES), "broken history entry"),
        (Bundle { game_id: GameId::from_bits(1), ..sound.clone() }, "entry is of game 40f3d0d2-"),
        (Bundle { white_user_id: None, ..sound.clone() }, "whiteUserId is missing"),
        (Bundle { black_user_id: None, ..sound.clone() }, "blackUserId is missing"),
        (Bundle { black_user_id: Some(UserId(78)), ..sound }, "opponent is 77, blackUserId is 78"),
        (bundle(&cancelled, MOVES), "cancelled"),
        (bundle(&without_result, r#"{"gameMoveHistoryStateMap": null}"#), "cannot be normalised"),
        (bundle(META, "{}"), "cannot be normalised"),
        (bundle(META, &unknown_square), "state 1: unknown square \"E9\""),
        (bundle(META, &illegal), "not legal: Turn 1: "),
    ] {
        let refused = refusal(&bundle);
        assert!(refused.contains(said), "{said}: {refused}");
    }
}

#[test]
fn a_game_that_may_go_on_is_not_taken() {
    let started = |start: &str| {
        META.replace("\"result\": 1", "\"result\": null")
            .replace("\"2026-03-30T20:08:44.793\"", start)
    };
    let is_taken = |meta: &str| SeenGame::judge(&bundle(meta, MOVES), NOW).is_ok();
    assert!(is_taken(&started("\"2026-03-30T20:08:44.793\"")), "a day old");
    for start in ["\"2026-03-30T20:08:44.794\"", "\"2027-01-01T00:00:00\"", "null"] {
        assert!(refusal(&bundle(&started(start), MOVES)).contains("still be running"), "{start}");
    }
}
