//! When synced players are asked for again, and who is watched.

use std::time::Duration;

use crate::support::{ANN, BOB, Entry, Fixture, HOUR, MINUTE, NOW, game};
use dicechess_core::ids::UserId;
use dicechess_core::site::HistoryPage;
use dicechess_core::time::UnixMillis;
use dicechess_sync::store::DueLook;

const DAY: Duration = Duration::from_hours(24);

fn due_of(fixture: &Fixture, user: UserId) -> UnixMillis {
    let sql = format!("SELECT next_refresh_at_ms FROM players WHERE user_id = {}", user.0);
    UnixMillis(fixture.number(&sql))
}

/// Games of Ann's that started so many hours ago.
fn games_ago(hours: impl IntoIterator<Item = u32>) -> Vec<String> {
    let entry = |hours| Entry { start: Some(NOW - HOUR * hours), ..Entry::new(u128::from(hours)) };
    hours.into_iter().map(|hours| entry(hours).json()).collect()
}

#[test]
fn a_player_is_asked_again_as_often_as_he_plays() {
    let fixture = Fixture::with_claimed(&[ANN]);
    // Sixty games within thirty days: twenty more are expected in ten days.
    fixture.last_page(ANN, &games_ago((1..=60).chain(1000..1010)), 70, NOW);
    assert_eq!(due_of(&fixture, ANN), NOW + DAY * 10);
    assert_eq!(fixture.store.next_refresh_at().unwrap(), Some(NOW + DAY * 10));

    assert_eq!(fixture.store.requeue_due(NOW + DAY * 10 - MINUTE).unwrap(), 0);
    assert_eq!(fixture.store.requeue_due(NOW + DAY * 10).unwrap(), 1);
    assert_eq!(fixture.store.next_refresh_at().unwrap(), None);
    assert_eq!(fixture.store.requeue_due(NOW + DAY * 10).unwrap(), 0);
}

#[test]
fn an_opponents_news_bring_the_next_visit_forward() {
    let fixture = Fixture::with_claimed(&[ANN, BOB]);
    fixture.last_page(ANN, &games_ago([2]), 1, NOW);
    let planned = due_of(&fixture, ANN);
    let told_by_bob = |number: u128, start: UnixMillis| {
        let entry = Entry { start: Some(start), ..Entry::of_bob(number) };
        fixture.page(BOB, &[entry.json()], NOW + MINUTE * 10);
    };
    // Ann's sweep has seen everything up to an hour ago.
    told_by_bob(50, NOW - HOUR * 3);
    assert_eq!(due_of(&fixture, ANN), planned, "an older game is no news");
    told_by_bob(51, NOW - MINUTE);
    assert_eq!(due_of(&fixture, ANN), NOW + HOUR, "at once, but not within an hour of her sweep");
    told_by_bob(52, NOW + MINUTE);
    assert_eq!(due_of(&fixture, ANN), NOW + HOUR);
    fixture.store.refresh_now(ANN, NOW).unwrap();
    assert_eq!(due_of(&fixture, ANN), NOW);
}

#[test]
fn looks_come_in_turn_and_leave_the_sweep_alone() {
    let fixture = Fixture::with_claimed(&[ANN]);
    let store = &fixture.store;
    fixture.last_page(ANN, &games_ago([2]), 1, NOW);
    store.add_watch(ANN, MINUTE * 2, NOW).unwrap();
    store.add_watch(BOB, MINUTE * 5, NOW + MINUTE).unwrap();
    let look = store.due_look(NOW).unwrap().unwrap();
    assert_eq!(look, DueLook { user_id: ANN, depth: 0, since: NOW - HOUR });

    let body = format!(
        r#"{{"gameHistoryList":[{}]}}"#,
        Entry { start: Some(NOW - MINUTE), ..Entry::new(9) }.json()
    );
    let page = HistoryPage::parse(&body).unwrap();
    assert_eq!(store.accept_look(&look, &page.rows, NOW).unwrap().new_games, 1);
    assert_eq!(store.next_to_fetch_of(ANN, look.since, NOW).unwrap(), [game(9)]);
    let cursor = format!("SELECT synced_through_ms FROM players WHERE user_id = {}", ANN.0);
    assert_eq!(fixture.number(&cursor), (NOW - HOUR).0);

    assert_eq!(store.due_look(NOW).unwrap(), None);
    assert_eq!(store.next_look_at().unwrap(), Some(NOW + MINUTE));
    // Bob has been due longer; one who was never swept is looked at from before he was watched.
    let look = store.due_look(NOW + MINUTE * 2).unwrap().unwrap();
    assert_eq!(look.user_id, BOB);
    assert!((NOW + MINUTE - HOUR).0 - look.since.0 < 1000);
    store.fail_look(BOB, "down", NOW + MINUTE * 2).unwrap();
    assert_eq!(store.due_look(NOW + MINUTE * 2).unwrap().unwrap().user_id, ANN);

    let watches = store.watches().unwrap();
    assert_eq!(watches.len(), 2);
    assert_eq!((watches[0].looks, watches[0].found_games, watches[0].every_seconds), (1, 1, 120));
    assert_eq!(watches[1].last_error.as_deref(), Some("down"));
    assert!(store.remove_watch(BOB).unwrap());
    assert!(!store.remove_watch(BOB).unwrap());
}

#[test]
fn a_look_begins_no_later_than_a_game_still_running() {
    let fixture = Fixture::with_claimed(&[ANN]);
    let start = Some(NOW - HOUR * 5);
    let running = Entry { result: "null", start, ..Entry::new(3) };
    fixture.last_page(ANN, &[running.json()], 1, NOW);
    fixture.store.add_watch(ANN, MINUTE * 2, NOW).unwrap();
    assert_eq!(fixture.store.due_look(NOW).unwrap().unwrap().since, NOW - HOUR * 5);
}
