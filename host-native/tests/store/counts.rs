//! The counts that triggers keep equal what counting gives, whatever happens to the rows.

use crate::support::{ANN, BOB, Entry, Fixture, MINUTE, NOW, game};
use dicechess_core::lifecycle::{GameEvent, PostResult};
use dicechess_sync::store::ReplayKind;

/// Whether each count is what counting gives.
fn assert_exact(fixture: &Fixture) {
    for (kept, counted) in [
        (
            "SELECT group_concat(row, ' ') FROM (SELECT concat_ws('/', status, error_stage, games)
                AS row FROM game_counts WHERE games <> 0 ORDER BY row)",
            "SELECT group_concat(row, ' ') FROM (SELECT concat_ws('/', status,
                coalesce(error_stage, ''), count(*)) AS row FROM games
                GROUP BY status, error_stage ORDER BY row)",
        ),
        (
            "SELECT group_concat(row, ' ') FROM (SELECT concat_ws('/', sync_status, players)
                AS row FROM player_counts WHERE players <> 0 ORDER BY row)",
            "SELECT group_concat(row, ' ') FROM (SELECT concat_ws('/', sync_status, count(*))
                AS row FROM players GROUP BY sync_status ORDER BY row)",
        ),
        (
            "SELECT pending FROM archive_counts",
            "SELECT count(*) FROM raw_game_data
                WHERE archived_at IS NULL AND move_history_json IS NOT NULL",
        ),
    ] {
        let text = |sql: &str| fixture.value::<rusqlite::types::Value>(sql);
        assert_eq!(text(kept), text(counted));
    }
}

#[test]
fn counts_are_exact_after_every_step_of_a_game() {
    let fixture = Fixture::new();
    let store = &fixture.store;
    assert_exact(&fixture);
    fixture.catalogue(&[1, 2, 3, 4, 5]);
    assert_exact(&fixture);
    // Rows that are known are ignored, and an ignored row counts nothing.
    fixture.catalogue(&[1, 2, 3]);
    assert_exact(&fixture);

    for number in 1..=4 {
        store.accept_move_history(game(number), "{}", NOW).unwrap();
        assert_exact(&fixture);
    }
    let message = "down".to_owned();
    for (number, event) in [
        (1, GameEvent::PostAccepted(PostResult::Created)),
        (2, GameEvent::PostRefused { reason: message.clone() }),
        (3, GameEvent::PostFailed { message: message.clone() }),
        (4, GameEvent::NormalizeFailed { message: message.clone() }),
        (5, GameEvent::FetchFailed { message }),
    ] {
        fixture.apply(number, event);
        assert_exact(&fixture);
    }
    store.mark_archived(game(1), NOW).unwrap();
    store.mark_archived(game(1), NOW + MINUTE).unwrap();
    assert_exact(&fixture);
    store.replay(ReplayKind::Rejected, None, NOW).unwrap();
    store.replay(ReplayKind::Posted, Some(game(1)), NOW).unwrap();
    store.refetch(game(2), NOW).unwrap();
    store.accept_move_history(game(2), "{ }", NOW).unwrap();
    assert_exact(&fixture);

    let claimed = store.claim_next_player(NOW).unwrap().unwrap();
    assert_exact(&fixture);
    store.fail_player(claimed.user_id, "down", NOW).unwrap();
    assert_exact(&fixture);
    fixture
        .sql
        .execute_batch("PRAGMA foreign_keys = ON; DELETE FROM games; DELETE FROM players")
        .unwrap();
    assert_exact(&fixture);
}

#[test]
fn what_waits_is_what_is_due() {
    let fixture = Fixture::new();
    let store = &fixture.store;
    fixture.catalogue(&[1, 2, 3]);
    let running = Entry { result: "null", start: Some(NOW - MINUTE), ..Entry::new(4) }.json();
    fixture.page(ANN, &[running], NOW);
    store.accept_move_history(game(1), "{}", NOW).unwrap();
    let message = || "down".to_owned();
    fixture.apply(1, GameEvent::PostFailed { message: message() });
    fixture.apply(2, GameEvent::FetchFailed { message: message() });
    let left = |at| (store.fetch_left(at).unwrap(), store.post_left(at).unwrap());
    assert_eq!(left(NOW), (1, 0));
    assert_eq!(left(NOW + MINUTE * 5), (2, 1));
    assert_eq!(left(NOW + MINUTE * 60 * 24), (3, 1));

    assert_eq!(store.players_left(NOW).unwrap(), 2);
    let claimed = store.claim_next_player(NOW).unwrap().unwrap().user_id;
    assert_eq!(claimed, BOB, "rated higher");
    store.fail_player(claimed, "down", NOW).unwrap();
    assert_eq!(store.players_left(NOW).unwrap(), 1);
    assert_eq!(store.players_left(NOW + MINUTE * 5).unwrap(), 2);
}
