//! Games that a browser brought: how they enter, and how they give way to the site.

use dicechess_core::bundle::{Bundle, SeenGame};
use dicechess_core::catalogue::Contradiction;
use dicechess_core::ids::UserId;
use dicechess_core::lifecycle::{GameEvent, PostResult};
use dicechess_core::pairing::PairingCode;
use dicechess_sync::store::{Origin, PairingRequest, RawOutcome, SeenOutcome, Store};
use serde_json::value::RawValue;

use crate::support::{ANN, BOB, Entry, Fixture, HOUR, MINUTE, NOW, game};

/// White takes the king with the first die.
const MOVES: &str = r#"{"gameMoveHistoryStateMap": {
  "0": {"fen": "4k3/8/8/8/8/8/4R3/KNB5 w - - 0 1", "dices": [{"value": "R"}, {"value": "N"}]},
  "1": {"fen": "4R3/8/8/8/8/8/8/KNB5 w - - 0 1", "dices": [], "gameMoveHistoryMove": {"from": "E2", "to": "E8"}}}}"#;

fn pair(store: &Store) -> i64 {
    let code = PairingCode::from_random(7);
    store.add_pairing_code(code, Some("laptop"), NOW).unwrap();
    let secret = "secret".into();
    let request = PairingRequest { origin: "chrome-extension://abc", label: None, secret: &secret };
    store.redeem_pairing_code(code, &request, NOW).unwrap().unwrap()
}

/// Sends an entry of Ann's with legal moves, as her browser would.
fn send(fixture: &Fixture, pairing: i64, entry: &str) -> SeenOutcome {
    let meta: &RawValue = serde_json::from_str(entry).unwrap();
    let told: serde_json::Value = serde_json::from_str(entry).unwrap();
    let opponent = UserId(told["historyOpponent"]["opponentId"].as_i64().unwrap());
    let is_white = told["color"] == "WHITE";
    let bundle = Bundle {
        game_id: told["gameId"].as_str().unwrap().parse().unwrap(),
        white_user_id: Some(if is_white { ANN } else { opponent }),
        black_user_id: Some(if is_white { opponent } else { ANN }),
        started_at: None,
        fetched_at: Some(NOW - MINUTE),
        meta_fetched_at: Some(NOW - 2 * MINUTE),
        history_meta: Some(meta.get()),
        move_history: Some(MOVES),
    };
    let seen = SeenGame::judge(&bundle, NOW).unwrap();
    fixture.store.accept_seen_game(&seen, pairing, NOW).unwrap()
}

/// A store with Ann known and one game of hers from a browser.
fn with_game() -> (Fixture, i64) {
    let fixture = Fixture::new();
    let pairing = pair(&fixture.store);
    assert_eq!(send(&fixture, pairing, &Entry::new(1).json()), SeenOutcome::Stored);
    fixture.store.seed_players(&[ANN, BOB], NOW).unwrap();
    (fixture, pairing)
}

fn state(fixture: &Fixture) -> (String, bool) {
    let state = fixture.store.game_state(game(1)).unwrap().unwrap();
    (state.status.to_string(), state.replace)
}

/// Who told the entry that counts, and who told the moves.
fn origins(fixture: &Fixture) -> (Origin, Origin) {
    let details = fixture.store.game_details(game(1)).unwrap().unwrap();
    (details.meta_origin.unwrap(), details.moves_origin.unwrap())
}

fn perspectives(fixture: &Fixture) -> Vec<(i64, Origin, String)> {
    let details = fixture.store.game_details(game(1)).unwrap().unwrap();
    let kept = details.perspectives.into_iter();
    kept.map(|kept| (kept.queried_user_id, kept.origin, kept.entry_json)).collect()
}

/// The archive's document of the game that waits for it.
fn bundle(fixture: &Fixture) -> String {
    assert_eq!(fixture.store.next_to_archive(10).unwrap(), [game(1)]);
    fixture.store.archive_item(game(1)).unwrap().unwrap().bundle().unwrap()
}

fn post(fixture: &Fixture) {
    fixture.apply(1, GameEvent::PostAccepted(PostResult::Created));
}

#[test]
fn a_game_enters_fetched_with_its_bytes_and_its_mark() {
    let (fixture, pairing) = with_game();
    assert_eq!(state(&fixture), ("fetched".to_owned(), false));
    assert_eq!(fixture.store.next_to_fetch(NOW, 10).unwrap(), []);
    let details = fixture.store.game_details(game(1)).unwrap().unwrap();
    assert_eq!(details.history_meta_json, Some(Entry::new(1).json()));
    assert_eq!(details.move_history_json.as_deref(), Some(MOVES));
    assert_eq!((details.meta_source_user_id, details.pairing_id), (Some(ANN.0), Some(pairing)));
    assert_eq!(origins(&fixture), (Origin::Browser, Origin::Browser));
    assert_eq!(details.move_history_fetched_at, Some((NOW - MINUTE).to_string()));
    assert_eq!(fixture.store.status(NOW).unwrap().from_browsers, 1);
    assert_eq!(fixture.number("SELECT count(*) FROM players WHERE depth = 1"), 2);

    let bundle = bundle(&fixture);
    let parsed = Bundle::parse(&bundle).unwrap();
    assert_eq!(parsed.meta_fetched_at, Some(NOW - 2 * MINUTE));
    assert_eq!(parsed.move_history, Some(MOVES));
    assert_eq!(fixture.number("SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

#[test]
fn a_game_that_has_moves_stays_as_it_is() {
    let fixture = Fixture::new();
    let pairing = pair(&fixture.store);
    fixture.catalogue(&[1]);
    fixture.store.accept_move_history(game(1), "{\"the site's\": 1}", NOW).unwrap();
    let other = Entry { result: "-1", ..Entry::new(1) };
    assert_eq!(send(&fixture, pairing, &other.json()), SeenOutcome::Known);
    assert_eq!(origins(&fixture), (Origin::Site, Origin::Site));
    assert_eq!(perspectives(&fixture), []);
    assert_eq!(fixture.number("SELECT result FROM games"), 1);
}

#[test]
fn the_sites_entry_stays_where_the_browser_brings_only_the_moves() {
    let fixture = Fixture::new();
    let pairing = pair(&fixture.store);
    fixture.catalogue(&[1]);
    let browsers = Entry { rating: 1501, ..Entry::new(1) }.json();
    assert_eq!(send(&fixture, pairing, &browsers), SeenOutcome::Stored);
    assert_eq!(origins(&fixture), (Origin::Site, Origin::Browser));
    assert_eq!(perspectives(&fixture), [(ANN.0, Origin::Browser, browsers)]);
    let details = fixture.store.game_details(game(1)).unwrap().unwrap();
    assert_eq!(details.history_meta_json, Some(Entry::new(1).json()));
    assert_eq!(state(&fixture).0, "fetched");
}

#[test]
fn a_browser_that_contradicts_the_site_is_refused() {
    for (sites, why) in [
        (Entry { result: "-1", ..Entry::new(1) }, Contradiction::Result),
        (Entry { opponent: 78, ..Entry::new(1) }, Contradiction::Players),
        (Entry { color: "BLACK", result: "-1", ..Entry::new(1) }, Contradiction::Players),
        (Entry { cancelled: true, ..Entry::new(1) }, Contradiction::Cancelled),
    ] {
        let fixture = Fixture::new();
        let pairing = pair(&fixture.store);
        fixture.store.seed_players(&[ANN], NOW).unwrap();
        fixture.page(ANN, &[sites.json()], NOW);
        let before = state(&fixture);
        let outcome = send(&fixture, pairing, &Entry::new(1).json());
        assert_eq!(outcome, SeenOutcome::Contradicted(why));
        assert_eq!(state(&fixture), before);
        assert_eq!(perspectives(&fixture), []);
        assert_eq!(fixture.store.status(NOW).unwrap().from_browsers, 0);
    }
}

#[test]
fn a_browser_tells_how_a_running_game_ended() {
    let fixture = Fixture::new();
    let pairing = pair(&fixture.store);
    fixture.store.seed_players(&[ANN], NOW).unwrap();
    let running = Entry { result: "null", start: Some(NOW - MINUTE), ..Entry::new(1) };
    fixture.page(ANN, &[running.json()], NOW);
    let ended = Entry { result: "1", ..running };
    assert_eq!(send(&fixture, pairing, &ended.json()), SeenOutcome::Stored);
    assert_eq!(origins(&fixture), (Origin::Browser, Origin::Browser));
    assert_eq!(fixture.number("SELECT result FROM games"), 1);
    let running = Entry { result: "null", ..ended };
    assert_eq!(perspectives(&fixture), [(ANN.0, Origin::Site, running.json())]);

    // The site's page may be older than the browser's news: it takes nothing back.
    fixture.page(ANN, &[running.json()], NOW);
    assert_eq!(origins(&fixture), (Origin::Browser, Origin::Browser));
    assert_eq!(fixture.number("SELECT result FROM games"), 1);
}

#[test]
fn the_site_wins_whatever_became_of_the_game() {
    let refused = || GameEvent::PostRefused { reason: "no".to_owned() };
    let failed = || GameEvent::NormalizeFailed { message: "no".to_owned() };
    let posted = || GameEvent::PostAccepted(PostResult::Created);
    for event in [None, Some(posted()), Some(refused()), Some(failed())] {
        for sites in
            [Entry { result: "0", ..Entry::new(1) }, Entry { opponent: 78, ..Entry::new(1) }]
        {
            let (fixture, _) = with_game();
            if let Some(event) = event.clone() {
                fixture.apply(1, event);
            }
            fixture.page(ANN, &[sites.json()], NOW);
            assert_eq!(state(&fixture), ("discovered".to_owned(), true));
            assert_eq!(origins(&fixture), (Origin::Site, Origin::Browser));
            assert_eq!(perspectives(&fixture), [(ANN.0, Origin::Browser, Entry::new(1).json())]);
            let row = "SELECT result || ' ' || black_user_id FROM games";
            assert_eq!(fixture.text(row), format!("{} {}", sites.result, sites.opponent));
            assert_eq!(fixture.number("SELECT games_discovered FROM players WHERE user_id = 5"), 1);

            // The site is asked, and what it says replaces what may have been posted.
            assert_eq!(fixture.store.next_to_fetch(NOW, 10).unwrap(), [game(1)]);
            let outcome = fixture.store.accept_move_history(game(1), "{}", NOW).unwrap();
            assert_eq!(outcome, RawOutcome::NewRevision);
            assert_eq!(state(&fixture), ("fetched".to_owned(), true));
            assert_eq!(origins(&fixture), (Origin::Site, Origin::Site));
        }
    }
}

#[test]
fn a_contradiction_by_the_other_player_counts_as_well() {
    let (fixture, _) = with_game();
    post(&fixture);
    let sites = Entry { result: "1", ..Entry::of_bob(1) };
    fixture.page(BOB, &[sites.json()], NOW);
    assert_eq!(state(&fixture), ("discovered".to_owned(), true));
    assert_eq!(fixture.number("SELECT result FROM games"), -1);
    let details = fixture.store.game_details(game(1)).unwrap().unwrap();
    assert_eq!(details.meta_source_user_id, Some(BOB.0));
    // Ann's own history tells it for the first time after that.
    fixture.page(ANN, &[Entry::new(1).json()], NOW);
    assert_eq!(fixture.number("SELECT games_discovered FROM players WHERE user_id = 5"), 1);
}

#[test]
fn a_cancelled_game_is_skipped_and_one_that_may_run_waits() {
    let (fixture, _) = with_game();
    fixture.page(ANN, &[Entry { cancelled: true, ..Entry::new(1) }.json()], NOW);
    assert_eq!(state(&fixture), ("skipped".to_owned(), false));

    let (fixture, _) = with_game();
    let start = Some(NOW - HOUR);
    let running = Entry { opponent: 78, result: "null", start, ..Entry::new(1) };
    fixture.page(ANN, &[running.json()], NOW);
    assert_eq!(state(&fixture), ("discovered".to_owned(), true));
    assert_eq!(fixture.store.next_to_fetch(NOW + 22 * HOUR, 10).unwrap(), []);
    assert_eq!(fixture.store.next_to_fetch(NOW + 23 * HOUR, 10).unwrap(), [game(1)]);
}

#[test]
fn the_same_players_other_bytes_take_the_browsers_place() {
    let (fixture, _) = with_game();
    post(&fixture);
    let sites = Entry { rating: 1501, ..Entry::new(1) }.json();
    fixture.page(ANN, std::slice::from_ref(&sites), NOW);
    assert_eq!(state(&fixture), ("fetched".to_owned(), true));
    assert_eq!(origins(&fixture), (Origin::Site, Origin::Browser));
    let details = fixture.store.game_details(game(1)).unwrap().unwrap();
    assert_eq!(details.history_meta_json, Some(sites));
    assert_eq!(perspectives(&fixture), [(ANN.0, Origin::Browser, Entry::new(1).json())]);
    assert_eq!(fixture.store.next_to_fetch(NOW, 10).unwrap(), []);
}

#[test]
fn the_same_bytes_confirm_the_entry_and_are_counted_once() {
    let (fixture, _) = with_game();
    post(&fixture);
    for _ in 0..2 {
        fixture.page(ANN, &[Entry::new(1).json()], NOW);
        assert_eq!(state(&fixture), ("posted".to_owned(), false));
        assert_eq!(origins(&fixture), (Origin::Site, Origin::Browser));
        assert_eq!(fixture.number("SELECT games_discovered FROM players WHERE user_id = 5"), 1);
    }
    assert_eq!(perspectives(&fixture), []);
}

#[test]
fn the_other_players_entry_is_kept_beside() {
    let (fixture, _) = with_game();
    post(&fixture);
    for _ in 0..2 {
        fixture.page(BOB, &[Entry::of_bob(1).json()], NOW);
        assert_eq!(state(&fixture), ("posted".to_owned(), false));
        assert_eq!(origins(&fixture), (Origin::Browser, Origin::Browser));
        assert_eq!(perspectives(&fixture), [(BOB.0, Origin::Site, Entry::of_bob(1).json())]);
        assert_eq!(fixture.number("SELECT games_discovered FROM players WHERE user_id = 77"), 1);
    }
}

#[test]
fn a_browser_may_come_first_while_the_site_is_asked() {
    let raced = || {
        let fixture = Fixture::new();
        let pairing = pair(&fixture.store);
        fixture.catalogue(&[1]);
        assert_eq!(fixture.store.next_to_fetch(NOW, 10).unwrap(), [game(1)]);
        assert_eq!(send(&fixture, pairing, &Entry::new(1).json()), SeenOutcome::Stored);
        post(&fixture);
        fixture
    };
    let fixture = raced();
    fixture.store.fetch_failed(game(1), "reset".to_owned(), NOW).unwrap();
    assert_eq!(state(&fixture), ("posted".to_owned(), false));

    let fixture = raced();
    let outcome = fixture.store.accept_move_history(game(1), MOVES, NOW).unwrap();
    assert_eq!((outcome, state(&fixture)), (RawOutcome::Same, ("posted".to_owned(), false)));
    assert_eq!(origins(&fixture), (Origin::Site, Origin::Site));

    let fixture = raced();
    let outcome = fixture.store.accept_move_history(game(1), "{}", NOW).unwrap();
    assert_eq!((outcome, state(&fixture)), (RawOutcome::NewRevision, ("fetched".to_owned(), true)));
    assert_eq!(origins(&fixture), (Origin::Site, Origin::Site));
}

#[test]
fn a_revoked_pairing_brings_nothing() {
    let fixture = Fixture::new();
    let pairing = pair(&fixture.store);
    assert!(fixture.store.is_paired_origin("chrome-extension://abc").unwrap());
    assert_eq!(fixture.store.pairing_with_secret(&"secret".into()).unwrap(), Some(pairing));
    assert!(fixture.store.revoke_pairing(pairing, NOW).unwrap());
    assert!(!fixture.store.revoke_pairing(pairing, NOW).unwrap());
    assert!(!fixture.store.is_paired_origin("chrome-extension://abc").unwrap());
    assert_eq!(fixture.store.pairing_with_secret(&"secret".into()).unwrap(), None);
    assert_eq!(send(&fixture, pairing, &Entry::new(1).json()), SeenOutcome::Revoked);
    assert_eq!(fixture.number("SELECT count(*) FROM games"), 0);
}

#[test]
fn a_code_is_good_once_and_for_ten_minutes() {
    let fixture = Fixture::new();
    let store = &fixture.store;
    let secret = "secret".into();
    let request =
        PairingRequest { origin: "moz-extension://a", label: Some("mine"), secret: &secret };
    let code = PairingCode::from_random;
    let until = store.add_pairing_code(code(1), None, NOW).unwrap();
    assert_eq!(until, NOW + 10 * MINUTE);
    store.add_pairing_code(code(2), None, NOW).unwrap();
    assert_eq!(store.redeem_pairing_code(code(3), &request, NOW).unwrap(), None);
    assert_eq!(store.redeem_pairing_code(code(1), &request, NOW).unwrap(), Some(1));
    assert_eq!(store.redeem_pairing_code(code(1), &request, NOW).unwrap(), None);
    assert_eq!(store.redeem_pairing_code(code(2), &request, until).unwrap(), None);
    let kept = &store.pairings().unwrap()[0];
    assert_eq!((kept.label.as_deref(), kept.origin.as_str()), (Some("mine"), "moz-extension://a"));
    let hash = "SELECT secret_hash FROM pairings";
    // printf secret | sha256sum
    assert_eq!(
        fixture.text(hash),
        "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
    );
}

#[test]
fn guessing_voids_the_codes() {
    let fixture = Fixture::new();
    let secret = "secret".into();
    let request = PairingRequest { origin: "moz-extension://a", label: None, secret: &secret };
    let try_code = |number| {
        let code = PairingCode::from_random(number);
        fixture.store.redeem_pairing_code(code, &request, NOW).unwrap()
    };
    for (wrong_tries, is_good) in [(19, true), (20, false)] {
        fixture.store.add_pairing_code(PairingCode::from_random(1), None, NOW).unwrap();
        for number in 0..wrong_tries {
            assert_eq!(try_code(100 + number), None);
        }
        assert_eq!(try_code(1).is_some(), is_good, "{wrong_tries}");
    }
}

#[test]
fn bundles_of_ours_are_bundles_of_browsers() {
    let (fixture, pairing) = with_game();
    let text = bundle(&fixture);
    let other = Fixture::new();
    pair(&other.store);
    let seen = SeenGame::judge(&Bundle::parse(&text).unwrap(), NOW).unwrap();
    assert_eq!(other.store.accept_seen_game(&seen, pairing, NOW).unwrap(), SeenOutcome::Stored);
    assert_eq!(bundle(&other), text);
}

#[test]
fn what_changes_while_it_is_posted_is_posted_again() {
    let accepted = || GameEvent::PostAccepted(PostResult::Created);
    let browsers = Entry::new(1).json();
    for (sites, expected) in [
        (Entry { result: "0", ..Entry::new(1) }, ("discovered", true)),
        (Entry { rating: 1501, ..Entry::new(1) }, ("fetched", true)),
        (Entry::new(1), ("posted", false)),
    ] {
        let (fixture, _) = with_game();
        fixture.page(ANN, &[sites.json()], NOW);
        fixture.store.record_post(game(1), accepted(), Some(&browsers), NOW).unwrap();
        assert_eq!(state(&fixture), (expected.0.to_owned(), expected.1));
    }
}
