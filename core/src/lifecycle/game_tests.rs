//! Every state against every event, written out so that a missing row fails.

use std::time::Duration;

use super::*;

const NOW: UnixMillis = UnixMillis(1_774_901_324_793);

/// What each event makes of each status, in the order of [`events`]; `-` is illegal.
#[rustfmt::skip]
const TABLE: [(&str, [&str; 10]); 8] = [
    //                  Fetched    FetchFailed    PostAccepted PostRefused PostFailed    NormalizeFailed    Replay     Refetch       without raw  Contradicted
    ("discovered",      ["fetched", "error/fetch", "-",         "-",        "-",          "-",               "-",       "discovered", "-",         "discovered"]),
    ("fetched",         ["-",       "-",           "posted",    "rejected", "error/post", "error/normalize", "-",       "discovered", "-",         "discovered"]),
    ("posted",          ["-",       "-",           "-",         "-",        "-",          "-",               "fetched", "discovered", "-",         "discovered"]),
    ("rejected",        ["-",       "-",           "-",         "-",        "-",          "-",               "fetched", "discovered", "-",         "discovered"]),
    ("error/fetch",     ["fetched", "error/fetch", "-",         "-",        "-",          "-",               "-",       "discovered", "-",         "discovered"]),
    ("error/post",      ["-",       "-",           "posted",    "rejected", "error/post", "error/normalize", "-",       "discovered", "-",         "discovered"]),
    ("error/normalize", ["-",       "-",           "-",         "-",        "-",          "-",               "fetched", "discovered", "-",         "discovered"]),
    ("skipped",         ["-",       "-",           "-",         "-",        "-",          "-",               "-",       "-",          "-",         "-"]),
];

fn events() -> [GameEvent; 10] {
    let message = || "reset by peer".to_owned();
    [
        GameEvent::Fetched,
        GameEvent::FetchFailed { message: message() },
        GameEvent::PostAccepted(PostResult::Created),
        GameEvent::PostRefused { reason: message() },
        GameEvent::PostFailed { message: message() },
        GameEvent::NormalizeFailed { message: message() },
        GameEvent::Replay,
        GameEvent::Refetch { has_raw: true },
        GameEvent::Refetch { has_raw: false },
        GameEvent::Contradicted,
    ]
}

/// A state with every field set, to see what an event clears.
fn full(status: GameStatus) -> GameState {
    GameState {
        status,
        attempts: 3,
        last_error: Some("old".to_owned()),
        next_retry_at: Some(NOW),
        post_result: Some(PostResult::Exists),
        reject_reason: Some("old".to_owned()),
        replace: true,
    }
}

fn step(state: &GameState, event: GameEvent) -> GameState {
    state.apply(event, NOW).unwrap()
}

#[test]
fn every_state_against_every_event() {
    assert_eq!(TABLE.map(|(from, _)| from), GameStatus::ALL.map(|s| s.to_string()));
    for (status, (from, row)) in GameStatus::ALL.into_iter().zip(TABLE) {
        for (event, to) in events().into_iter().zip(row) {
            let name = event.name();
            match full(status).apply(event, NOW) {
                Ok(next) => assert_eq!(next.status.to_string(), to, "{from} + {name}"),
                Err(error) => {
                    assert_eq!(to, "-", "{from} + {name}");
                    assert_eq!((error.state.as_str(), error.event), (from, name));
                }
            }
        }
    }
}

#[test]
fn fields_after_each_event() {
    use ErrorStage::{Fetch, Normalize, Post};
    let failed = |stage, next_retry_at| GameState {
        attempts: 4,
        last_error: Some("reset by peer".to_owned()),
        next_retry_at,
        replace: true,
        ..GameState::at(GameStatus::Error(stage))
    };
    let later = Some(NOW + Duration::from_mins(40));
    for (event, before, after) in [
        (GameEvent::Fetched, GameStatus::Error(Fetch), GameStatus::Fetched),
        (GameEvent::Replay, GameStatus::Posted, GameStatus::Fetched),
        (GameEvent::Replay, GameStatus::Rejected, GameStatus::Fetched),
        (GameEvent::Replay, GameStatus::Error(Normalize), GameStatus::Fetched),
        (GameEvent::Refetch { has_raw: true }, GameStatus::Posted, GameStatus::Discovered),
    ] {
        let kept = GameState { replace: true, ..GameState::at(after) };
        assert_eq!(step(&full(before), event), kept, "{before}");
    }
    let [_, fetch_failed, accepted, refused, post_failed, normalize_failed, ..] = events();
    assert_eq!(step(&full(GameStatus::Discovered), fetch_failed), failed(Fetch, later));
    for from in [GameStatus::Fetched, GameStatus::Error(Post)] {
        assert_eq!(step(&full(from), post_failed.clone()), failed(Post, later));
        assert_eq!(step(&full(from), normalize_failed.clone()), failed(Normalize, None));
        let posted = step(&full(from), accepted.clone());
        let result = Some(PostResult::Created);
        assert_eq!(posted, GameState { post_result: result, ..GameState::at(GameStatus::Posted) });
        let rejected = step(&full(from), refused.clone());
        assert_eq!(rejected.reject_reason.as_deref(), Some("reset by peer"));
        assert_eq!((rejected.attempts, rejected.last_error, rejected.replace), (0, None, true));
    }
}

#[test]
fn a_replay_of_a_posted_game_replaces_until_it_is_accepted() {
    let posted = GameState::at(GameStatus::Posted);
    let mut state = step(&posted, GameEvent::Replay);
    assert_eq!(state.attempts, 0);
    state = step(&state, GameEvent::NormalizeFailed { message: String::new() });
    state = step(&state, GameEvent::Replay);
    state = step(&state, GameEvent::PostFailed { message: String::new() });
    state = step(&state, GameEvent::PostRefused { reason: String::new() });
    state = step(&state, GameEvent::Replay);
    assert!(state.replace);
    assert!(!step(&state, GameEvent::PostAccepted(PostResult::Exists)).replace);
    let refetched = step(&posted, GameEvent::Refetch { has_raw: true });
    assert!(!step(&refetched, GameEvent::Fetched).replace, "a plain POST");
}

#[test]
fn a_contradicted_game_replaces_whatever_was_posted_of_it() {
    for status in GameStatus::ALL.into_iter().filter(|status| *status != GameStatus::Skipped) {
        let told = GameState { replace: false, ..full(status) };
        let state = step(&told, GameEvent::Contradicted);
        assert_eq!(state, GameState { replace: true, ..GameState::at(GameStatus::Discovered) });
        assert!(step(&state, GameEvent::Fetched).replace);
    }
}

#[test]
fn a_reason_is_cut_at_500_characters() {
    let reason = "ё".repeat(501);
    let state = step(&GameState::at(GameStatus::Fetched), GameEvent::PostRefused { reason });
    assert_eq!(state.reject_reason, Some("ё".repeat(500)));
}

#[test]
fn entering_the_catalogue() {
    let hour = Duration::from_hours(1);
    let day = 24 * hour;
    let enter = |cancelled, result, started| GameState::discovered(cancelled, result, started, NOW);
    let discovered =
        |due| GameState { next_retry_at: due, ..GameState::at(GameStatus::Discovered) };
    assert_eq!(enter(true, false, Some(NOW)), GameState::at(GameStatus::Skipped));
    assert_eq!(enter(false, true, Some(NOW)), discovered(None));
    assert_eq!(enter(false, false, None), discovered(None));
    assert_eq!(enter(false, false, Some(NOW - hour)), discovered(Some(NOW + 23 * hour)));
    assert_eq!(enter(false, false, Some(NOW - day)), discovered(None));
    assert_eq!(enter(false, false, Some(NOW + 100 * day)), discovered(Some(NOW + day)));
}

#[test]
fn queues_hold_what_is_due() {
    for status in GameStatus::ALL {
        let name = status.to_string();
        let fetch = ["discovered", "error/fetch"].contains(&name.as_str());
        let post = ["fetched", "error/post"].contains(&name.as_str());
        for (due, open) in [(None, true), (Some(NOW), true), (Some(UnixMillis(NOW.0 + 1)), false)] {
            let state = GameState { next_retry_at: due, ..GameState::at(status) };
            assert_eq!(state.is_fetchable(NOW), fetch && open, "{name}");
            assert_eq!(state.is_postable(NOW), post && open, "{name}");
        }
    }
}

#[test]
fn columns_round_trip() {
    for status in GameStatus::ALL {
        let stage = status.error_stage().map(ErrorStage::as_str);
        assert_eq!(GameStatus::parse(status.as_str(), stage), Some(status));
    }
    assert_eq!(GameStatus::parse("error", None), None);
    assert_eq!(GameStatus::parse("done", None), None);
    assert_eq!(PostResult::parse("exists"), Some(PostResult::Exists));
}

#[test]
fn what_failed_can_be_tried_at_once() {
    let now = UnixMillis(1_000_000);
    let failed = GameState::discovered(false, true, None, now)
        .apply(GameEvent::Fetched, now)
        .and_then(|state| state.apply(GameEvent::PostFailed { message: "x".to_owned() }, now))
        .unwrap();
    assert!(!failed.is_postable(now));
    assert!(failed.without_timer().is_postable(now));
    assert_eq!(failed.without_timer().attempts, 1);
    let running = GameState::discovered(false, false, Some(now), now);
    assert_eq!(running.without_timer(), running);
}
