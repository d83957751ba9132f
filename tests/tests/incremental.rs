//! What later passes ask and find: little, and everything that is new.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use dicechess_core::ids::{GameId, UserId};
use dicechess_core::time::UnixMillis;
use dicechess_sim::{Endpoint, Fault, FaultRule, NewGames, SimServer, When, WorldSpec};
use dicechess_tests::Workspace;
use dicechess_tests::evidence::{
    fetchable, fetched_games, history_requests, now, postable, requests_to, serve,
};
use serde_json::Value;

fn spec() -> WorldSpec {
    WorldSpec { seed: 5, players: 14, games: 80, ..WorldSpec::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_pass_asks_nothing() {
    let site = serve(spec()).await;
    let workspace = Workspace::new();
    workspace.crawl(&site).run().expect(0);
    let outcome = workspace.database().outcome();
    site.clear_log();
    workspace.crawl(&site).run().expect(0);
    assert_eq!(site.log(), []);
    assert_eq!(workspace.database().outcome(), outcome);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_incremental_pass_asks_one_page_a_player_since_his_cursor() {
    let site = serve(spec()).await;
    let workspace = Workspace::new();
    workspace.crawl(&site).run().expect(0);
    let cursors: BTreeMap<UserId, i64> = cursors(&workspace);
    site.clear_log();
    workspace.crawl(&site).env("REFRESH_AFTER", "0s").run().expect(0);
    let asked = history_requests(&site.log());
    assert_eq!(site.log().len(), asked.len(), "nothing but history");
    let expected: BTreeSet<_> =
        cursors.into_iter().map(|(player, cursor)| (player, 0, Some(cursor))).collect();
    assert_eq!(asked.len(), expected.len());
    assert_eq!(asked.into_iter().collect::<BTreeSet<_>>(), expected);
    assert!(expected.len() >= 14);
}

fn cursors(workspace: &Workspace) -> BTreeMap<UserId, i64> {
    workspace
        .database()
        .rows("SELECT user_id, synced_through_ms FROM players WHERE sync_status = 'synced'")
        .iter()
        .map(|row| (UserId(row[0].as_i64().unwrap()), row[1].as_i64().unwrap()))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cursor_is_the_greatest_start_seen() {
    let site = serve(spec()).await;
    let workspace = Workspace::new();
    workspace.crawl(&site).run().expect(0);
    let world = site.world();
    let expected: BTreeMap<UserId, i64> = world
        .reachable_humans(&world.seed_ids())
        .into_iter()
        .map(|id| (id, world.games_of(id).map(|game| game.started_at.0).max().unwrap()))
        .collect();
    assert_eq!(cursors(&workspace), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_new_games_are_fetched_and_newcomers_are_walked() {
    let site = serve(spec()).await;
    let workspace = Workspace::new();
    workspace.crawl(&site).run().expect(0);
    let before: Vec<Vec<Value>> = workspace.database().outcome();
    let newcomer = UserId(999_999);
    let mut added = site.add_games(&NewGames { count: 6, ..NewGames::default() });
    let with_newcomer = vec![newcomer, UserId(1000)];
    added.extend(site.add_games(&NewGames {
        count: 2,
        players: with_newcomer,
        ..NewGames::default()
    }));
    // A newcomer whose first game is older than the others' cursors brings it in by his own sweep.
    let added: BTreeSet<GameId> = added.into_iter().collect();
    let cancelled: BTreeSet<GameId> = {
        let world = site.world();
        added.iter().copied().filter(|id| world.game(*id).unwrap().is_cancelled).collect()
    };
    site.clear_log();
    workspace.crawl(&site).env("REFRESH_AFTER", "0s").run().expect(0);
    let fetched: BTreeSet<GameId> = fetched_games(&site.log()).into_iter().collect();
    assert_eq!(fetched, &added - &cancelled);
    assert_eq!(requests_to(&site.log(), Endpoint::MoveHistory), fetched.len());
    let walked = history_requests(&site.log());
    assert_eq!(walked.len(), 15, "a page for each of the old players and one for the newcomer");
    assert!(walked.contains(&(newcomer, 0, None)));
    everything_is_there(&site, &workspace);

    let after = workspace.database().outcome();
    let raw = |rows: &[Vec<Value>]| -> BTreeSet<String> {
        rows.iter().filter(|row| row[0] == "raw").map(|row| format!("{row:?}")).collect()
    };
    assert!(raw(&after).is_superset(&raw(&before)), "old raw copies are untouched");
}

fn everything_is_there(site: &SimServer, workspace: &Workspace) {
    let world = site.world();
    let seeds = world.seed_ids();
    let raw: BTreeSet<GameId> = workspace
        .database()
        .texts("SELECT game_id FROM raw_game_data WHERE move_history_json IS NOT NULL")
        .iter()
        .map(|id| id.parse().unwrap())
        .collect();
    assert_eq!(&fetchable(&world, &seeds) - &raw, BTreeSet::new());
    let accepted: BTreeSet<GameId> = workspace.accepted().into_keys().collect();
    assert_eq!(&postable(&world, &seeds) - &accepted, BTreeSet::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_game_is_catalogued_and_fetched_when_it_has_ended() {
    let spec = WorldSpec { running_games: 4, now: now(), ..spec() };
    let site = serve(spec).await;
    let running: BTreeSet<GameId> =
        site.world().games().filter(|game| game.is_running).map(|game| game.id).collect();
    let workspace = Workspace::new();
    workspace.crawl(&site).run().expect(0);
    assert_eq!(
        requests_to(&site.log(), Endpoint::MoveHistory),
        fetchable(&site.world(), &site.world().seed_ids()).len()
    );
    let waiting = "SELECT game_id FROM games WHERE status = 'discovered' AND result IS NULL";
    assert_eq!(ids(&workspace.database().texts(waiting)), running);
    let status = workspace.status();
    assert_eq!(
        (&status["games"]["discovered"], &status["queues"]["fetch"]),
        (&4.into(), &0.into())
    );
    assert_eq!(status["running_games"], 4);

    // Still running: asked for again, but not for its moves. Later games of the same players must
    // not hide it behind their cursors.
    site.add_games(&NewGames {
        count: 20,
        started_at: Some(UnixMillis(now().0)),
        ..NewGames::default()
    });
    site.clear_log();
    workspace.crawl(&site).env("REFRESH_AFTER", "0s").run().expect(0);
    assert!(fetched_games(&site.log()).iter().all(|game| !running.contains(game)));

    site.world_mut().finish_running_games();
    site.clear_log();
    workspace.crawl(&site).env("REFRESH_AFTER", "0s").run().expect(0);
    assert_eq!(fetched_games(&site.log()).into_iter().collect::<BTreeSet<_>>(), running);
    assert_eq!(fetched_games(&site.log()).len(), running.len());
    everything_is_there(&site, &workspace);
    let accepted = workspace.accepted();
    for id in &running {
        let result = site.world().game(*id).unwrap().result();
        assert_eq!(accepted[id]["result"], Value::from(result), "{id}");
        let column = format!("SELECT coalesce(result, 9) FROM games WHERE game_id = '{id}'");
        assert_eq!(workspace.database().number(&column), i64::from(result.unwrap_or(9)));
    }
}

fn ids(texts: &[String]) -> BTreeSet<GameId> {
    texts.iter().map(|id| id.parse().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn games_that_vanish_between_pages_hide_no_other_game() {
    shifting_list(Fault::VanishAfter { games: 3 }, When::After { skip: 1, count: 4 }).await;
    shifting_list(Fault::VanishAfter { games: 12 }, When::After { skip: 3, count: 1 }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn games_that_appear_between_pages_hide_no_other_game() {
    shifting_list(Fault::AppearAfter { games: 3 }, When::EveryNth(2)).await;
    shifting_list(Fault::AppearAfter { games: 25 }, When::After { skip: 2, count: 2 }).await;
}

/// A whale's list shifts while it is walked.
async fn shifting_list(fault: Fault, when: When) {
    let spec = WorldSpec { whale_games: 80, games: 60, players: 12, seed: 9, ..spec() };
    let site = serve(spec).await;
    let seeds = site.world().seed_ids();
    let whale = seeds[1];
    let lasting = site.world().reachable_games(&seeds);
    assert!(site.world().games_of(whale).count() >= 80);
    let rule = FaultRule::new(fault.clone()).on(Endpoint::History).player(whale).when(when);
    site.set_fault(rule);
    let workspace = Workspace::new();
    // The newest games vanish before they are fetched, so fetching would end at the breaker.
    let crawl = || {
        let crawl = workspace.crawl(&site).arg("--stages=enumerate");
        crawl.env("ENUMERATE_PAGE_SIZE", "10").env("ENUMERATE_PAGE_SIZE_MAX", "10")
    };
    let missing = |games: &BTreeSet<GameId>| {
        games - &ids(&workspace.database().texts("SELECT game_id FROM games"))
    };
    crawl().run().expect(0);
    assert!(site.log().iter().any(|entry| entry.fault == Some(fault.clone())), "it struck");
    // What appeared during the sweep is the next one's work; what was there all the time is found.
    let now_there = site.world().reachable_games(&seeds);
    assert_eq!(missing(&(&now_there & &lasting)), BTreeSet::new());
    site.clear_faults();
    crawl().env("REFRESH_AFTER", "0s").run().expect(0);
    assert_eq!(missing(&now_there), BTreeSet::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_leaderboard_that_cannot_be_had_is_asked_again_within_minutes() {
    let site = serve(spec()).await;
    for (fault, longest) in [(Fault::Reset, 300), (Fault::NotFound, 24 * 3600)] {
        let workspace = Workspace::new();
        workspace.command(["seed", "7"]).run().expect(0);
        site.clear_faults();
        site.set_fault(FaultRule::new(fault).on(Endpoint::Leaderboard));
        let before = now().0 / 1000;
        workspace.crawl(&site).arg("--max-games").arg("0").run();
        let after = now().0 / 1000;
        let sql = "SELECT unixepoch(checked_at) + 86400 FROM sources WHERE name = 'leaderboard'";
        let due = workspace.database().number(sql);
        assert!((before + longest..=after + longest + 1).contains(&due), "{due} {before}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn leaderboards_are_asked_once_a_day_and_conditionally() {
    let site = serve(spec()).await;
    let workspace = Workspace::new();
    workspace.crawl(&site).run().expect(0);
    let sources = || {
        let sql = "SELECT name, etag, last_modified, body, changed_at FROM sources ORDER BY name";
        workspace.database().rows(sql)
    };
    let checked = || workspace.database().texts("SELECT checked_at FROM sources ORDER BY name");
    let before = sources();
    assert_eq!(before.len(), 2);
    assert_eq!(before[0][3], site.world().leaderboard());
    assert_eq!(before[1][3], site.world().x2_leaderboard());
    let age = |hours: i64| {
        let connection = rusqlite::Connection::open(workspace.db_path()).unwrap();
        let sql = "UPDATE sources SET checked_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now', ?1)";
        assert_eq!(connection.execute(sql, [format!("-{hours} hours")]).unwrap(), 2);
    };
    site.clear_log();
    age(23);
    workspace.crawl(&site).run().expect(0);
    assert_eq!(site.log(), []);

    age(25);
    let old = checked();
    workspace.crawl(&site).run().expect(0);
    let log = site.log();
    assert!(log.len() == 2 && log.iter().all(|entry| entry.status == 304 && entry.is_conditional));
    assert_eq!(sources(), before, "a 304 changes nothing");
    assert!(checked().iter().zip(&old).all(|(new, old)| new > old), "but the check time");

    // Newcomers change the boards.
    let players = |id: i64| vec![UserId(id), UserId(id + 1)];
    for id in 0..20 {
        let players = players(900_000 + 2 * id);
        site.add_games(&NewGames { count: 1, players, ..NewGames::default() });
    }
    site.clear_log();
    age(25);
    workspace.crawl(&site).run().expect(0);
    let boards = site.log().into_iter().filter(|entry| entry.path.ends_with("eaderboard"));
    assert!(boards.clone().count() == 2 && boards.clone().all(|entry| entry.status == 200));
    assert_eq!(sources()[0][3], site.world().leaderboard());
    let newcomers = "SELECT count(*) FROM players WHERE discovered_via = 'leaderboard'
        AND user_id >= 900000 AND sync_status = 'synced' AND depth = 0";
    assert!(workspace.database().number(newcomers) > 0, "and bring new players");
}
