//! The acceptance of history pages.

use crate::support::{ANN, BOB, Entry, Fixture, HOUR, MINUTE, NOW, game};
use dicechess_core::sweep::GapDecision;
use dicechess_sync::store::StoreError;

const GAME: &str =
    "SELECT concat_ws(' ', status, coalesce(result, '-'), coalesce(next_retry_at, '-'),
    is_cancelled) FROM games";
const META: &str = "SELECT history_meta_json FROM raw_game_data";

#[test]
fn a_page_brings_games_opponents_and_progress() {
    let fixture = Fixture::with_claimed(&[ANN]);
    let cancelled = Entry { cancelled: true, ..Entry::new(2) };
    let entries = [Entry::new(3).json(), cancelled.json(), Entry::new(1).json()];
    let accepted = fixture.page(ANN, &entries, NOW);
    assert_eq!((accepted.new_games, accepted.new_players, accepted.broken), (3, 1, 0));
    let statuses = "SELECT group_concat(status, ' ') FROM (SELECT * FROM games ORDER BY game_id)";
    assert_eq!(fixture.text(statuses), "discovered skipped discovered");
    let row = "SELECT concat_ws(' ', white_user_id, black_user_id, discovered_from, result,
        time_initial_sec, time_increment_sec, allow_doubling) FROM games";
    assert_eq!(fixture.text(row), "5 77 5 1 180 2 0");
    assert_eq!(fixture.text(&format!("{META} ORDER BY game_id")), entries[2], "byte for byte");
    let bob = "SELECT concat_ws(' ', username, discovered_via, depth, sync_status, priority)
        FROM players WHERE user_id = 77";
    assert_eq!(fixture.text(bob), "Bob opponent 1 pending 1500");
    let ann = "SELECT concat_ws(' ', enumerate_offset, games_discovered) FROM players
        WHERE user_id = 5";
    assert_eq!(fixture.text(ann), "3 3");

    fixture.page(ANN, &entries, NOW);
    assert_eq!(fixture.text(ann), "3 3", "repeated rows count once");
    assert_eq!(fixture.number("SELECT count(*) FROM history_perspectives"), 0);
    assert_eq!(fixture.store.known_games(BOB).unwrap(), 3);
}

#[test]
fn a_page_is_accepted_whole_or_not_at_all() {
    let fixture = Fixture::with_claimed(&[ANN]);
    let trigger = format!(
        "CREATE TRIGGER fail BEFORE INSERT ON raw_game_data WHEN new.game_id = '{}'
         BEGIN SELECT raise(ABORT, 'injected'); END",
        game(2)
    );
    fixture.sql.execute_batch(&trigger).unwrap();
    let entries = ["{}".to_owned(), Entry::new(1).json(), Entry::new(2).json()];
    let error = fixture.try_page(ANN, &entries, None, NOW).unwrap_err();
    assert!(error.to_string().contains("injected"), "{error}");
    for table in ["games", "raw_game_data", "broken_entries", "player_sweeps"] {
        assert_eq!(fixture.number(&format!("SELECT count(*) FROM {table}")), 0, "{table}");
    }
    assert_eq!(fixture.number("SELECT count(*) FROM players"), 1);
    assert_eq!(fixture.number("SELECT enumerate_offset FROM players"), 0);

    fixture.sql.execute_batch("DROP TRIGGER fail").unwrap();
    assert_eq!(fixture.page(ANN, &entries, NOW).new_games, 2);
}

#[test]
fn the_second_perspective_is_kept_and_fills_nothing() {
    let fixture = Fixture::with_claimed(&[ANN, BOB]);
    let running = Entry { result: "null", start: Some(NOW - HOUR), ..Entry::new(1) };
    fixture.page(ANN, &[running.json()], NOW);
    let due = NOW - HOUR + 24 * HOUR;
    assert_eq!(fixture.text(GAME), format!("discovered - {due} 0"));
    assert_eq!(fixture.store.next_to_fetch(NOW, 5).unwrap(), []);
    assert_eq!(fixture.store.next_to_fetch(due, 5).unwrap(), [game(1)]);

    let accepted = fixture.page(BOB, &[Entry::of_bob(1).json()], NOW);
    assert_eq!((accepted.new_games, accepted.new_players), (0, 0));
    assert_eq!(fixture.text(GAME), format!("discovered - {due} 0"));
    assert_eq!(fixture.text(META), running.json());
    assert_eq!(fixture.number("SELECT discovered_from FROM games"), 5);
    fixture.page(BOB, &[Entry::of_bob(1).json()], NOW + MINUTE);
    let kept = "SELECT concat_ws(' ', count(*), queried_user_id, first_seen_at, last_seen_at,
        entry_json) FROM history_perspectives";
    let expected = format!("1 77 {NOW} {} {}", NOW + MINUTE, Entry::of_bob(1).json());
    assert_eq!(fixture.text(kept), expected);
    let seen = "SELECT games_discovered FROM players WHERE user_id = 77";
    assert_eq!(fixture.number(seen), 1);
    assert_eq!(fixture.text("SELECT username FROM players WHERE user_id = 5"), "Ann");
}

#[test]
fn a_running_game_is_settled_by_the_player_who_told_of_it() {
    let fixture = Fixture::with_claimed(&[ANN]);
    let running = Entry { result: "null", start: Some(NOW - HOUR), ..Entry::new(1) };
    let ended = Entry { result: "-1", start: Some(NOW - HOUR), ..Entry::new(1) };
    fixture.page(ANN, &[running.json()], NOW);
    fixture.page(ANN, &[ended.json()], NOW + MINUTE);
    assert_eq!(fixture.text(GAME), "discovered -1 - 0");
    assert_eq!(fixture.text(META), ended.json());
    let older = "SELECT concat_ws(' ', entry_json, first_seen_at) FROM history_perspectives";
    assert_eq!(fixture.text(older), format!("{} {NOW}", running.json()));
    assert_eq!(fixture.store.next_to_fetch(NOW, 5).unwrap(), [game(1)]);

    // Once the moves are stored, nothing changes any more but the copies kept.
    fixture.store.accept_move_history(game(1), "{}", NOW).unwrap();
    let other = Entry { rating: 1700, ..ended };
    fixture.page(ANN, &[other.json()], NOW + MINUTE);
    assert_eq!(fixture.text(GAME), "fetched -1 - 0");
    assert_ne!(fixture.text(META), other.json());
    assert_eq!(fixture.number("SELECT count(*) FROM history_perspectives"), 2);
}

#[test]
fn a_running_game_may_turn_out_to_be_cancelled() {
    let fixture = Fixture::with_claimed(&[ANN]);
    let running = Entry { result: "null", start: Some(NOW - HOUR), ..Entry::new(1) };
    fixture.page(ANN, &[running.json()], NOW);
    fixture.page(ANN, &[Entry { cancelled: true, ..running }.json()], NOW);
    assert_eq!(fixture.text(GAME), "skipped - - 1");
}

#[test]
fn broken_entries_are_kept_once() {
    let fixture = Fixture::with_claimed(&[ANN]);
    let broken = r#"{"gameId": 7, "name":"\ud800"}"#.to_owned();
    let accepted = fixture.page(ANN, &[broken.clone(), Entry::new(1).json()], NOW);
    assert_eq!((accepted.new_games, accepted.broken), (1, 1));
    assert_eq!(fixture.page(ANN, std::slice::from_ref(&broken), NOW + MINUTE).broken, 1);
    let kept = "SELECT concat_ws('|', count(*), user_id, entry_json, seen_at, last_seen_at)
        FROM broken_entries";
    assert_eq!(fixture.text(kept), format!("1|5|{broken}|{NOW}|{}", NOW + MINUTE));
    assert_ne!(fixture.text("SELECT reason FROM broken_entries"), "");
}

#[test]
fn a_finished_sweep_saves_cursor_and_gap() {
    let fixture = Fixture::with_claimed(&[ANN]);
    fixture.page(ANN, &[Entry::new(2).json()], NOW);
    let accepted = fixture.last_page(ANN, &[Entry::new(1).json()], 3, NOW);
    assert_eq!(accepted.finished, Some((GapDecision::Resweep, 2)));
    let ann = "SELECT concat_ws(' ', sync_status, enumerate_offset, enumerate_complete,
        synced_through_ms, total_count, last_synced_at) FROM players WHERE user_id = 5";
    assert_eq!(fixture.text(ann), format!("pending 0 1 {} 3 {NOW}", (NOW - HOUR).0));

    // In the same pass he is swept from the start, without the cursor, also after a kill.
    fixture.sql.execute("UPDATE players SET priority = 9999 WHERE user_id = 5", []).unwrap();
    let again = fixture.store.claim_next_player(NOW).unwrap().unwrap();
    assert_eq!((again.user_id, again.cursor, again.gap.is_resweeping), (ANN, None, true));
    fixture.store.reset_in_progress(NOW).unwrap();
    assert_eq!(fixture.store.claim_next_player(NOW).unwrap().unwrap().cursor, None);

    let accepted = fixture.last_page(ANN, &[Entry::new(1).json()], 3, NOW + MINUTE);
    assert_eq!(accepted.finished, Some((GapDecision::Report, 2)));
    assert_eq!(fixture.text("SELECT sync_status FROM players WHERE user_id = 5"), "synced");
    let report = fixture.store.status(NOW).unwrap();
    assert_eq!((report.gaps.len(), report.gaps[0].gap, report.gaps[0].known_games), (1, 1, 2));
    assert_eq!(report.completeness.players_with_gap, 1);

    fixture.store.requeue_stale(NOW + HOUR, NOW + HOUR).unwrap();
    let later = fixture.store.claim_next_player(NOW + HOUR).unwrap().unwrap();
    assert_eq!(later.cursor, Some(NOW - HOUR));
    let accepted = fixture.last_page(ANN, &[Entry::new(3).json()], 3, NOW + HOUR);
    assert_eq!(accepted.finished, Some((GapDecision::Complete, 3)));
}

#[test]
fn a_full_sweep_can_be_asked_for() {
    let fixture = Fixture::with_claimed(&[ANN]);
    fixture.last_page(ANN, &[], 0, NOW);
    fixture.store.mark_for_full_resweep(ANN, NOW).unwrap();
    let claimed = fixture.store.claim_next_player(NOW).unwrap().unwrap();
    assert_eq!((claimed.cursor, claimed.offset), (None, 0));
}

#[test]
fn a_page_of_a_player_who_is_not_claimed_ends_nothing() {
    let fixture = Fixture::new();
    let unknown = fixture.try_page(ANN, &[Entry::new(1).json()], None, NOW).unwrap_err();
    assert!(matches!(unknown, StoreError::UnknownPlayer(ANN)), "{unknown}");
    assert_eq!(fixture.number("SELECT count(*) FROM games"), 0);
}

#[test]
fn a_memory_that_cannot_be_read_begins_the_sweep_anew() {
    let fixture = Fixture::with_claimed(&[ANN]);
    fixture.page(ANN, &[Entry::new(1).json()], NOW);
    fixture.sql.execute("UPDATE player_sweeps SET memory = '[]'", []).unwrap();
    fixture.sql.execute("UPDATE players SET priority = 9999 WHERE user_id = 5", []).unwrap();
    fixture.store.reset_in_progress(NOW).unwrap();
    let claimed = fixture.store.claim_next_player(NOW).unwrap().unwrap();
    assert_eq!((claimed.user_id, claimed.offset, claimed.memory), (ANN, 0, None));
}
