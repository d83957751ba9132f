//! The lease and what is remembered of the site, seen by two processes on one file.

use std::time::Duration;

use crate::support::{ANN, Fixture, HOUR, MINUTE, NOW};
use dicechess_core::pacing::{LEASE_LIFE, SiteBlock};
use dicechess_core::site::Endpoint;
use dicechess_sync::store::{LeaseHolder, LeaseOutcome, Store, StoreError};

fn taken(outcome: &LeaseOutcome) -> bool {
    matches!(outcome, LeaseOutcome::Taken { .. })
}

#[test]
fn one_of_two_holds_the_lease() {
    let fixture = Fixture::new();
    let other_store = Store::open(&fixture.path()).unwrap();
    let (me, other) = (LeaseHolder::this_process(), LeaseHolder::this_process());
    assert!(taken(&fixture.store.try_take_lease(&me, NOW).unwrap()));
    let held = other_store.try_take_lease(&other, NOW).unwrap();
    let until = NOW + LEASE_LIFE;
    assert_eq!(held, LeaseOutcome::Held { by: me.clone(), until });

    fixture.store.release_lease(&me).unwrap();
    assert!(taken(&other_store.try_take_lease(&other, NOW).unwrap()));
    fixture.store.release_lease(&me).unwrap();
    assert_eq!(other_store.lease().unwrap().unwrap().0, other, "another's lease stays");
}

#[test]
fn a_lost_lease_refuses_every_write() {
    let fixture = Fixture::new();
    let other_store = Store::open(&fixture.path()).unwrap();
    let (me, other) = (LeaseHolder::this_process(), LeaseHolder::this_process());
    let _ = fixture.store.try_take_lease(&me, NOW).unwrap();
    fixture.store.set_lease_guard(Some(&me));
    fixture.store.seed_players(&[ANN], NOW).unwrap();
    let renewed = fixture.store.renew_lease(&me, NOW + LEASE_LIFE).unwrap();
    assert_eq!(renewed, NOW + 2 * LEASE_LIFE);

    assert!(taken(&other_store.try_take_lease(&other, renewed).unwrap()));
    let refused = fixture.store.claim_next_player(renewed).unwrap_err();
    assert!(matches!(refused, StoreError::LeaseLost { .. }), "{refused}");
    let lost = fixture.store.renew_lease(&me, renewed).unwrap_err();
    assert!(matches!(lost, StoreError::LeaseLost { .. }), "{lost}");
    assert_eq!(fixture.text("SELECT sync_status FROM players"), "pending");
    assert_eq!(fixture.store.status(NOW).unwrap().players["pending"], 1, "reading goes on");

    // Commands without a lease may write meanwhile.
    other_store.seed_players(&[ANN], NOW).unwrap();
    fixture.store.set_lease_guard(None);
    assert!(fixture.store.claim_next_player(NOW).unwrap().is_some());
}

#[cfg(target_os = "linux")]
#[test]
fn the_lease_of_a_dead_process_is_taken_at_once() {
    let fixture = Fixture::new();
    let me = LeaseHolder::this_process();
    let mut child = std::process::Command::new("true").spawn().unwrap();
    let pid = i32::try_from(child.id()).unwrap();
    child.wait().unwrap();
    let dead = LeaseHolder { name: "dead".to_owned(), pid, ..me.clone() };
    let elsewhere = LeaseHolder { host: "elsewhere".to_owned(), ..dead.clone() };
    for (holder, is_taken) in [(elsewhere, false), (dead, true)] {
        let _ = fixture.store.try_take_lease(&holder, NOW).unwrap();
        assert_eq!(taken(&fixture.store.try_take_lease(&me, NOW).unwrap()), is_taken);
    }
}

#[test]
fn requests_are_counted_for_ever_and_paced_for_an_hour() {
    let fixture = Fixture::new();
    let record = |endpoint, now| fixture.store.record_site_request(endpoint, now).unwrap();
    record(Endpoint::History, NOW - HOUR);
    record(Endpoint::MoveHistory, NOW - MINUTE);
    record(Endpoint::X2Leaderboard, NOW);
    let reopened = Store::open(&fixture.path()).unwrap();
    let state = reopened.pacing_state(NOW).unwrap();
    assert_eq!((state.recent, state.last_request_at), (vec![NOW - MINUTE, NOW], Some(NOW)));
    assert_eq!(fixture.number("SELECT count(*) FROM site_requests"), 2);
    let totals = reopened.status(NOW).unwrap().site_requests;
    let totals: Vec<_> = totals.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    assert_eq!(totals, [("history", 1), ("leaderboard", 1), ("move_history", 1)]);

    // The clock went back by a day: the requests are as recent as can be, and then forgotten.
    let earlier = NOW - Duration::from_hours(24);
    record(Endpoint::History, earlier);
    assert_eq!(reopened.pacing_state(earlier).unwrap().recent, [earlier; 3]);
    assert_eq!(reopened.pacing_state(earlier + HOUR).unwrap().recent, []);
}

#[test]
fn silence_and_refusals_are_remembered() {
    let fixture = Fixture::new();
    let store = &fixture.store;
    store.set_throttled_until(Some(NOW + MINUTE)).unwrap();
    assert_eq!(store.pacing_state(NOW).unwrap().throttled_until, Some(NOW + MINUTE));
    assert_eq!(store.pacing_state(NOW + MINUTE).unwrap().throttled_until, None);
    store.set_throttled_until(None).unwrap();
    assert_eq!(store.pacing_state(NOW).unwrap().throttled_until, None);

    assert_eq!(store.site_block().unwrap(), None);
    let block =
        SiteBlock { since: NOW, fingerprint: "f".to_owned(), reason: "challenge".to_owned() };
    store.set_site_block(&block).unwrap();
    let reopened = Store::open(&fixture.path()).unwrap();
    assert_eq!(reopened.site_block().unwrap(), Some(block));
    assert_eq!(reopened.status(NOW).unwrap().site.block_reason.as_deref(), Some("challenge"));
    store.clear_site_block().unwrap();
    assert_eq!(store.site_block().unwrap(), None);
}

#[test]
fn a_locked_database_is_said_to_be_locked() {
    let fixture = Fixture::new();
    fixture.sql.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = fixture.store.seed_players(&[ANN], NOW).unwrap_err();
    assert!(matches!(error, StoreError::Busy { .. }), "{error}");
    fixture.sql.execute_batch("ROLLBACK").unwrap();
    fixture.store.seed_players(&[ANN], NOW).unwrap();
}
