//! The state of games, raw answers, replays and the archive queue.

use crate::support::{Entry, Fixture, MINUTE, NOW, game};
use dicechess_core::ids::UserId;
use dicechess_core::lifecycle::{ErrorStage, GameEvent, GameStatus, PlayerType, PostResult};
use dicechess_sync::store::{RawOutcome, ReplayKind, StoreError, content_hash};

const MOVES: &str = "{\"gameMoveHistoryStateMap\": {\"0\" : \"\\ud800 é\"}}";

#[test]
fn moves_are_saved_as_received() {
    let fixture = Fixture::new();
    fixture.catalogue(&[1]);
    assert_eq!(fixture.store.accept_move_history(game(1), MOVES, NOW).unwrap(), RawOutcome::First);
    assert_eq!(fixture.text("SELECT move_history_json FROM raw_game_data"), MOVES);
    assert_eq!(fixture.number("SELECT byte_size FROM raw_game_data"), MOVES.len() as i64);
    assert_eq!(fixture.text("SELECT move_history_fetched_at FROM raw_game_data"), NOW.to_string());
    assert_eq!(fixture.text("SELECT status FROM games"), "fetched");

    let again = fixture.store.accept_move_history(game(1), "{}", NOW).unwrap_err();
    assert!(matches!(again, StoreError::Illegal(_)), "{again}");
    assert_eq!(fixture.text("SELECT move_history_json FROM raw_game_data"), MOVES);
    let unknown = fixture.store.accept_move_history(game(9), "{}", NOW).unwrap_err();
    assert!(matches!(unknown, StoreError::UnknownGame(_)), "{unknown}");
}

#[test]
fn a_body_and_its_status_are_one_transaction() {
    let fixture = Fixture::new();
    fixture.catalogue(&[1]);
    let trigger = "CREATE TRIGGER fail BEFORE UPDATE ON raw_game_data
        BEGIN SELECT raise(ABORT, 'injected'); END";
    fixture.sql.execute_batch(trigger).unwrap();
    fixture.store.accept_move_history(game(1), MOVES, NOW).unwrap_err();
    assert_eq!(fixture.text("SELECT status FROM games"), "discovered");
    assert_eq!(fixture.store.next_to_fetch(NOW, 1).unwrap(), [game(1)]);
}

#[test]
fn every_distinct_answer_is_kept() {
    let fixture = Fixture::new();
    fixture.catalogue(&[1]);
    let fetch = |body: &str, now| {
        let outcome = fixture.store.accept_move_history(game(1), body, now).unwrap();
        fixture.store.refetch(game(1), now).unwrap();
        outcome
    };
    let at = |minutes| NOW + MINUTE * minutes;
    assert_eq!(fetch("a", at(0)), RawOutcome::First);
    assert_eq!(fetch("a", at(1)), RawOutcome::Same);
    assert_eq!(fetch("b", at(2)), RawOutcome::NewRevision);
    let details = fixture.store.game_details(game(1)).unwrap().unwrap();
    assert_eq!(details.move_history_json.as_deref(), Some("b"));
    let revisions: Vec<_> = details
        .revisions
        .iter()
        .map(|one| (one.body.as_deref(), one.first_seen_at.clone(), one.last_seen_at.clone()))
        .collect();
    let times = |first: u32, last: u32| (at(first).to_string(), at(last).to_string());
    let (a_first, a_last) = times(0, 1);
    let (b_first, b_last) = times(2, 2);
    assert_eq!(revisions, [(Some("a"), a_first, a_last), (None, b_first, b_last)]);
    assert_eq!(details.revisions[0].content_hash, content_hash(b"a"));

    assert_eq!(fetch("a", at(3)), RawOutcome::NewRevision, "back to the first answer");
    let bodies = "SELECT group_concat(coalesce(body, '-'), ' ') FROM
        (SELECT * FROM raw_revisions ORDER BY first_seen_at)";
    assert_eq!(fixture.text(bodies), "- b");
    assert_eq!(fixture.text("SELECT move_history_json FROM raw_game_data"), "a");
}

#[test]
fn states_are_written_whole() {
    let fixture = Fixture::new();
    fixture.catalogue(&[1]);
    let apply = |event| fixture.apply(1, event);
    let row = || {
        fixture.text(
            "SELECT concat_ws(' ', status, coalesce(error_stage, '-'), attempts,
                coalesce(last_error, '-'), coalesce(next_retry_at, '-'), coalesce(post_result, '-'),
                coalesce(reject_reason, '-'), replace_on_post) FROM games",
        )
    };
    let message = || "reset".to_owned();
    apply(GameEvent::FetchFailed { message: message() });
    assert_eq!(row(), format!("error fetch 1 reset {} - - 0", NOW + 5 * MINUTE));
    assert_eq!(fixture.store.fetch_left(NOW).unwrap(), 0);
    assert_eq!(fixture.store.fetch_left(NOW + 5 * MINUTE).unwrap(), 1);
    fixture.store.accept_move_history(game(1), MOVES, NOW).unwrap();
    assert_eq!(row(), "fetched - 0 - - - - 0");
    apply(GameEvent::PostFailed { message: message() });
    assert_eq!(row(), format!("error post 1 reset {} - - 0", NOW + 5 * MINUTE));
    assert_eq!(fixture.store.next_to_post(NOW, 1).unwrap(), []);
    assert_eq!(fixture.store.next_to_post(NOW + 5 * MINUTE, 1).unwrap().len(), 1);
    apply(GameEvent::PostRefused { reason: "Turn 1".to_owned() });
    assert_eq!(row(), "rejected - 0 - - - Turn 1 0");
    assert_eq!(fixture.store.replay(ReplayKind::Posted, None, NOW).unwrap(), 0);
    assert_eq!(fixture.store.replay(ReplayKind::Rejected, None, NOW).unwrap(), 1);
    apply(GameEvent::NormalizeFailed { message: message() });
    assert_eq!(row(), "error normalize 1 reset - - - 0");
    assert_eq!(fixture.store.next_to_post(NOW + 5 * MINUTE, 1).unwrap(), []);
    let named = Some(game(1));
    assert_eq!(fixture.store.replay(ReplayKind::Rejected, named, NOW).unwrap(), 0);
    assert_eq!(fixture.store.replay(ReplayKind::Normalize, named, NOW).unwrap(), 1);
    apply(GameEvent::PostAccepted(PostResult::Exists));
    assert_eq!(row(), "posted - 0 - - exists - 0");
    assert_eq!(fixture.store.replay(ReplayKind::Posted, named, NOW).unwrap(), 1);
    assert_eq!(row(), "fetched - 0 - - - - 1");
    assert!(fixture.store.next_to_post(NOW, 1).unwrap()[0].replace);

    let illegal = fixture.store.accept_move_history(game(1), MOVES, NOW).unwrap_err();
    assert!(matches!(illegal, StoreError::Illegal(_)), "{illegal}");
}

#[test]
fn a_game_without_moves_is_not_fetched_once_more() {
    let fixture = Fixture::new();
    fixture.catalogue(&[1]);
    assert!(matches!(fixture.store.refetch(game(1), NOW).unwrap_err(), StoreError::Illegal(_)));
    assert!(matches!(fixture.store.refetch(game(2), NOW).unwrap_err(), StoreError::UnknownGame(_)));
    fixture.store.accept_move_history(game(1), MOVES, NOW).unwrap();
    assert_eq!(fixture.store.refetch(game(1), NOW).unwrap().status, GameStatus::Discovered);
    assert_eq!(fixture.text("SELECT move_history_json FROM raw_game_data"), MOVES);
}

#[test]
fn what_is_posted_next() {
    let fixture = Fixture::new();
    fixture.catalogue(&[1, 2, 3]);
    for number in [1, 2, 3] {
        fixture.store.accept_move_history(game(number), MOVES, NOW).unwrap();
    }
    let items = fixture.store.next_to_post(NOW, 2).unwrap();
    assert_eq!(items.iter().map(|item| item.game_id).collect::<Vec<_>>(), [game(3), game(2)]);
    let item = &items[0];
    assert_eq!(item.history_meta_json, Some(Entry::new(3).json()));
    assert_eq!(item.meta_source_user_id, Some(UserId(5)));
    assert_eq!(item.move_history_json, MOVES);
    let (white, black) = (item.white.as_ref().unwrap(), item.black.as_ref().unwrap());
    assert_eq!((white.username.as_deref(), white.player_type), (None, PlayerType::Human));
    assert_eq!(black.username.as_deref(), Some("Bob"));
    assert_eq!(fixture.store.post_left(NOW).unwrap(), 3);
}

#[test]
fn the_archive_queue() {
    let fixture = Fixture::new();
    fixture.catalogue(&[1, 2, 3]);
    for number in [3, 1] {
        fixture.store.accept_move_history(game(number), "{\"a\":  1}", NOW + MINUTE).unwrap();
    }
    let items = fixture.store.next_to_archive(10).unwrap();
    assert_eq!(items, [game(1), game(3)]);
    let bundle = fixture.store.archive_item(game(1)).unwrap().unwrap().bundle().unwrap();
    assert_eq!(fixture.store.archive_item(game(2)).unwrap(), None);
    assert!(bundle.contains("\"move_history\":{\"a\":  1}"), "{bundle}");
    assert!(bundle.contains(&format!("\"metaFetchedAt\":\"{NOW}\"")), "{bundle}");
    fixture.store.mark_archived(game(1), NOW).unwrap();
    assert_eq!(fixture.store.archive_pending().unwrap(), 1);
    assert_eq!(fixture.store.next_to_archive(10).unwrap(), [game(3)]);
    assert_eq!(
        fixture.text("SELECT archived_at FROM raw_game_data ORDER BY game_id"),
        NOW.to_string()
    );
}

#[test]
fn cached_games_are_read_in_portions() {
    let fixture = Fixture::new();
    fixture.catalogue(&[1, 2, 3, 4]);
    for number in [1, 2, 4] {
        fixture.store.accept_move_history(game(number), MOVES, NOW).unwrap();
    }
    assert_eq!(fixture.store.raw_count().unwrap(), 3);
    assert_eq!(fixture.store.latest_raw_game().unwrap(), Some(game(4)));
    let mut seen = Vec::new();
    let mut after = None;
    loop {
        let portion = fixture.store.raw_games(after, 2).unwrap();
        let Some(last) = portion.last() else { break };
        after = Some(last.game_id);
        seen.extend(portion.iter().map(|raw| raw.game_id));
    }
    assert_eq!(seen, [game(1), game(2), game(4)]);
}

#[test]
fn the_numbers_of_the_whole() {
    let fixture = Fixture::new();
    fixture.catalogue(&[1, 2, 3]);
    fixture.store.accept_move_history(game(1), MOVES, NOW).unwrap();
    for message in ["state 3: no die", "state 3: no die"] {
        let event = GameEvent::NormalizeFailed { message: message.to_owned() };
        fixture.apply(1, event);
    }
    let report = serde_json::to_value(fixture.store.status(NOW).unwrap()).unwrap();
    for (pointer, number) in [
        ("/players/pending", 2),
        ("/players/in_progress", 0),
        ("/games/discovered", 2),
        ("/games/error_normalize", 1),
        ("/games/error_fetch", 0),
        ("/games/skipped", 0),
        ("/archive_pending", 1),
        ("/site_requests/history", 0),
        ("/site_requests/leaderboard", 0),
        ("/queues/fetch", 2),
        ("/queues/post", 0),
        ("/running_games", 0),
        ("/broken_entries", 0),
        ("/reasons/0/games", 1),
    ] {
        assert_eq!(report.pointer(pointer), Some(&number.into()), "{pointer} of {report}");
    }
    assert_eq!(report["reasons"][0]["reason"], "state 3: no die");
    assert_eq!(report["completeness"]["share"], serde_json::Value::Null);
    let state = fixture.store.game_state(game(1)).unwrap().unwrap();
    assert_eq!(state.status, GameStatus::Error(ErrorStage::Normalize));
}
