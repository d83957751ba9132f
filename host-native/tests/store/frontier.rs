//! The frontier: sightings, claims, retries and stale players.

use std::time::Duration;

use crate::support::{ANN, BOB, Entry, Fixture, HOUR, MINUTE, NOW};
use dicechess_core::ids::UserId;
use dicechess_core::lifecycle::PlayerStatus;
use dicechess_sync::store::{DiscoveredVia, PlayerSighting, SourceAcceptance, StoreError};

fn sighting(id: UserId, name: Option<&str>, ratings: [Option<i64>; 3]) -> PlayerSighting {
    let [rating_classic, rating_x2, discovered_rating] = ratings;
    PlayerSighting {
        username: name.map(str::to_owned),
        rating_classic,
        rating_x2,
        discovered_rating,
        via: DiscoveredVia::Opponent,
        depth: 3,
        ..PlayerSighting::seed(id)
    }
}

fn row(fixture: &Fixture) -> String {
    fixture.text(
        "SELECT concat_ws(' ', coalesce(username, '-'), player_type, coalesce(rating_classic, '-'),
            coalesce(rating_x2, '-'), coalesce(discovered_rating, '-'), priority, sync_status,
            discovered_via, depth) FROM players WHERE user_id = 5",
    )
}

#[test]
fn sightings_enrich_and_never_overwrite() {
    let fixture = Fixture::new();
    let see = |name, ratings| {
        fixture.store.upsert_player(&sighting(ANN, name, ratings), NOW + MINUTE).unwrap()
    };
    assert_eq!(fixture.store.seed_players(&[ANN, ANN], NOW).unwrap(), 1);
    assert_eq!(row(&fixture), "- human - - - 0 pending manual 0");
    fixture.sql.execute("UPDATE players SET sync_status = 'synced'", []).unwrap();

    assert!(!see(None, [None; 3]));
    assert_eq!(fixture.text("SELECT updated_at FROM players"), NOW.to_string());
    see(Some("Guest 1"), [None, None, Some(1400)]);
    assert_eq!(row(&fixture), "Guest 1 human - - 1400 1400 synced manual 0");
    see(Some("Ann"), [Some(1700), None, Some(1300)]);
    assert_eq!(row(&fixture), "Ann human 1700 - 1400 1700 synced manual 0");
    see(None, [Some(1600), Some(-5), None]);
    assert_eq!(row(&fixture), "Ann human 1600 -5 1400 1700 synced manual 0");
    see(None, [None, None, Some(1900)]);
    assert_eq!(row(&fixture), "Ann human 1600 -5 1900 1900 synced manual 0");
    assert_eq!(fixture.text("SELECT created_at FROM players"), NOW.to_string());
    assert_eq!(fixture.text("SELECT updated_at FROM players"), (NOW + MINUTE).to_string());
}

#[test]
fn bots_and_guests_are_skipped() {
    let fixture = Fixture::new();
    for (id, name) in [(-41, "Bot"), (8, "Guest8"), (9, "Nina")] {
        fixture.store.upsert_player(&sighting(UserId(id), Some(name), [None; 3]), NOW).unwrap();
    }
    let kinds = "SELECT group_concat(player_type || ' ' || sync_status, ', ')
        FROM (SELECT * FROM players ORDER BY user_id)";
    assert_eq!(fixture.text(kinds), "bot skipped, guest skipped, human pending");
}

#[test]
fn claims_take_the_strongest_and_wait_for_timers() {
    let fixture = Fixture::new();
    for (id, rating) in [(9, 1500), (7, 1500), (8, 1200), (6, 2000)] {
        let seen = sighting(UserId(id), None, [Some(rating), None, None]);
        fixture.store.upsert_player(&seen, NOW).unwrap();
    }
    let claim = |now| fixture.store.claim_next_player(now).unwrap().map(|player| player.user_id.0);
    assert_eq!(claim(NOW), Some(6));
    let failed = fixture.store.fail_player(UserId(6), "broken page", NOW).unwrap();
    assert_eq!((failed.attempts, failed.next_retry_at), (1, Some(NOW + 5 * MINUTE)));
    assert_eq!(fixture.store.players_left(NOW).unwrap(), 3);
    assert_eq!([claim(NOW), claim(NOW)], [Some(7), Some(9)]);
    assert_eq!(claim(NOW + 5 * MINUTE), Some(6), "due again, and stronger than 8");
    assert_eq!([claim(NOW), claim(NOW)], [Some(8), None]);
    assert_eq!(
        fixture.text("SELECT last_attempt_at FROM players WHERE user_id = 8"),
        NOW.to_string()
    );

    assert_eq!(fixture.store.reset_in_progress(NOW).unwrap(), 4);
    let state = fixture.store.player_state(UserId(6)).unwrap().unwrap();
    assert_eq!((state.status, state.attempts), (PlayerStatus::Pending, 1));
    assert_eq!(claim(NOW), Some(6));
    fixture.store.release_player(UserId(6), NOW).unwrap();
    assert_eq!(claim(NOW), Some(6));
}

#[test]
fn stale_players_are_swept_again_from_their_cursor() {
    let fixture = Fixture::with_claimed(&[ANN]);
    fixture.last_page(ANN, &[Entry::new(1).json()], 1, NOW);
    let requeue = |before| fixture.store.requeue_stale(before, NOW + HOUR).unwrap();
    assert_eq!(requeue(NOW - MINUTE), 0);
    assert_eq!(requeue(NOW), 1);
    // Bob became known as an opponent and is claimed first, as his rating is known.
    assert_eq!(fixture.store.claim_next_player(NOW).unwrap().unwrap().user_id, BOB);
    let ann = fixture.store.claim_next_player(NOW).unwrap().unwrap();
    assert_eq!((ann.user_id, ann.cursor, ann.total_count), (ANN, Some(NOW - HOUR), Some(1)));
}

#[test]
fn unknown_players_and_impossible_events_are_errors() {
    let fixture = Fixture::new();
    let unknown = fixture.store.fail_player(ANN, "x", NOW).unwrap_err();
    assert!(matches!(unknown, StoreError::UnknownPlayer(ANN)), "{unknown}");
    fixture.store.seed_players(&[ANN], NOW).unwrap();
    let illegal = fixture.store.fail_player(ANN, "x", NOW).unwrap_err();
    assert!(matches!(illegal, StoreError::Illegal(_)), "{illegal}");
    assert_eq!(fixture.text("SELECT sync_status FROM players"), "pending");
}

#[test]
fn a_source_is_saved_with_its_players_and_validators() {
    let fixture = Fixture::new();
    let players = [sighting(ANN, Some("Ann"), [Some(2100), None, None])];
    let accept = |body, etag, now| {
        let name = "leaderboard";
        let source = SourceAcceptance { name, body, etag, last_modified: None, players: &players };
        fixture.store.accept_source(&source, now).unwrap();
        fixture.store.source(name).unwrap().unwrap()
    };
    assert_eq!(fixture.store.source("leaderboard").unwrap(), None);
    let first = accept("[1]", Some("\"a\""), NOW);
    assert_eq!(first.validators(), [("if-none-match", "\"a\"".to_owned())]);
    assert_eq!(fixture.number("SELECT rating_classic FROM players"), 2100);

    let later = NOW + Duration::from_hours(24);
    fixture.store.touch_source("leaderboard", later).unwrap();
    let touched = fixture.store.source("leaderboard").unwrap().unwrap();
    assert_eq!(touched.checked_at, later);
    assert_eq!(
        (touched.changed_at, touched.body, touched.etag),
        (Some(NOW), first.body, first.etag)
    );

    assert_eq!(accept("[1]", None, later).changed_at, Some(NOW));
    assert_eq!(accept("[2]", None, later).changed_at, Some(later));
    fixture.store.touch_source("x2_leaderboard", NOW).unwrap();
    assert_eq!(fixture.store.source("x2_leaderboard").unwrap().unwrap().body, None);
}
