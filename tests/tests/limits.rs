//! What bounds a pass: the hourly budget, numbers of players and games, stages.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use dicechess_sim::{Endpoint, WorldSpec};
use dicechess_tests::Workspace;
use dicechess_tests::evidence::{fetchable, fetched_games, postable, requests_to, serve};
use rustix::process::Signal;

fn spec() -> WorldSpec {
    WorldSpec { seed: 8, players: 12, games: 60, ..WorldSpec::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spent_budget_ends_the_pass_and_survives_restarts() {
    let site = serve(spec()).await;
    let workspace = Workspace::new();
    let frugal = || workspace.crawl(&site).env("REQUEST_HOURLY_BUDGET", "25").arg("--no-wait");
    let first = frugal().run().expect(0);
    assert!(first.stdout.contains("the hourly budget is spent until 20"), "{}", first.stdout);
    assert_eq!(site.log().len(), 25);
    // What had come in was delivered all the same.
    assert_eq!(workspace.accepted().len(), workspace.bundles().len());
    assert_eq!(workspace.bundles().len(), requests_to(&site.log(), Endpoint::MoveHistory));

    for _ in 0..2 {
        let again = frugal().run().expect(0);
        assert!(again.stdout.contains("the hourly budget is spent until"), "{}", again.stdout);
    }
    assert_eq!(site.log().len(), 25, "a restart spends nothing");
    let status = workspace.status();
    assert_eq!(status["site"]["requests_last_hour"], 25);
    let used: u64 = ["history", "move_history", "leaderboard"]
        .iter()
        .map(|name| status["site_requests"][name].as_u64().unwrap())
        .sum();
    assert_eq!(used, 25);

    // A greater budget goes on where it stopped.
    workspace.crawl(&site).env("REQUEST_HOURLY_BUDGET", "30").arg("--no-wait").run().expect(0);
    assert_eq!(site.log().len(), 30);
    workspace.crawl(&site).run().expect(0);
    let world = site.world();
    let seeds = world.seed_ids();
    assert_eq!(site.log().len(), world.least_requests(&seeds, 500).total());
    assert_eq!(workspace.accepted().len(), postable(&world, &seeds).len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_spent_budget_is_waited_for_and_the_time_is_shown() {
    let site = serve(spec()).await;
    let workspace = Workspace::new();
    let crawl = workspace.crawl(&site).env("REQUEST_HOURLY_BUDGET", "5");
    let mut run = crawl.start();
    run.until("the budget is spent", || site.log().len() == 5);
    std::thread::sleep(Duration::from_millis(500));
    assert!(!run.has_ended());
    run.signal(Signal::TERM);
    let ended = run.wait().expect(0);
    let told = ended.stderr.lines().find(|line| line.contains("hourly budget is spent: waiting"));
    let told = told.unwrap_or_else(|| panic!("{}", ended.stderr));
    assert!(told.contains("until 20") && told.contains("Z"), "{told}");
    assert_eq!(site.log().len(), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_of_players_and_games_are_kept() {
    let site = serve(spec()).await;
    let workspace = Workspace::new();
    let crawl = || workspace.crawl(&site).arg("--max-players=2").arg("--max-games=5");
    crawl().run().expect(0);
    let log = site.log();
    assert_eq!(requests_to(&log, Endpoint::History), 2);
    let newest: Vec<_> = fetched_games(&log);
    assert_eq!(newest.len(), 5);
    {
        // The newest games of all that are known.
        let world = site.world();
        let mut known: Vec<_> = workspace
            .database()
            .texts("SELECT game_id FROM games WHERE status <> 'skipped'")
            .iter()
            .map(|id| id.parse().unwrap())
            .collect();
        known.sort_by_key(|id| -world.game(*id).unwrap().started_at.0);
        assert_eq!(newest, known[..5]);
    }
    assert_eq!(workspace.status()["players"]["synced"], 2);

    site.clear_log();
    crawl().run().expect(0);
    assert_eq!(requests_to(&site.log(), Endpoint::History), 2);
    assert_eq!(requests_to(&site.log(), Endpoint::MoveHistory), 5);
    assert_eq!(site.log().len(), 7);
    assert_eq!(workspace.bundles().len(), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn stages_run_by_themselves() {
    let site = serve(spec()).await;
    let workspace = Workspace::new();
    let stage = |names: &str| workspace.crawl(&site).arg("--stages").arg(names).run().expect(0);
    let numbers = || {
        let status = workspace.status();
        ["discovered", "fetched", "posted"].map(|name| status["games"][name].as_u64().unwrap())
    };
    let (all, with_map) = {
        let world = site.world();
        let seeds = world.seed_ids();
        (fetchable(&world, &seeds).len() as u64, postable(&world, &seeds).len() as u64)
    };
    stage("enumerate");
    assert_eq!(numbers(), [all, 0, 0]);
    assert_eq!(requests_to(&site.log(), Endpoint::MoveHistory), 0);

    site.clear_log();
    stage("fetch");
    assert_eq!(numbers(), [0, all, 0]);
    assert_eq!(site.log().len() as u64, all, "no history, no leaderboard");

    // Posting and archiving need no site.
    site.clear_log();
    workspace.command(["crawl", "--stages", "post"]).run().expect(0);
    assert_eq!(numbers(), [0, 0, with_map]);
    assert_eq!(workspace.status()["archive_pending"], all);
    workspace.command(["crawl", "--stages=archive,post"]).run().expect(0);
    assert_eq!(workspace.status()["archive_pending"], 0);
    assert_eq!(workspace.bundles().len() as u64, all);
    assert_eq!(site.log(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_an_archive_everything_else_is_done() {
    let site = serve(spec()).await;
    let workspace = Workspace::new();
    workspace.crawl(&site).env("ARCHIVE_URL", "none").run().expect(0);
    let world = site.world();
    let seeds = world.seed_ids();
    assert_eq!(workspace.accepted().len(), postable(&world, &seeds).len());
    assert_eq!(workspace.status()["archive_pending"], fetchable(&world, &seeds).len());
    assert!(!workspace.archive().exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_distance_between_requests_is_kept_also_across_restarts() {
    let site = serve(spec()).await;
    let workspace = Workspace::new();
    let agent = "tests/1 (+mailto:tests@example.org)";
    for _ in 0..4 {
        let crawl = workspace.crawl(&site).env("REQUEST_MIN_DELAY_MS", "150");
        let crawl = crawl.env("USER_AGENT", agent).arg("--max-players=2").arg("--max-games=2");
        crawl.run().expect(0);
    }
    let log = site.log();
    assert_eq!(log.len(), 2 + 4 * 4);
    assert!(log.iter().all(|entry| entry.user_agent.as_deref() == Some(agent)));
    let took = log.last().unwrap().at_ms - log[0].at_ms;
    // The log tells when answers went out, so the first answer's own time is missing.
    assert!(took >= 17 * 150 - 400, "{took} ms");
}

#[tokio::test(flavor = "multi_thread")]
async fn jitter_comes_on_top_of_the_distance() {
    let site = serve(spec()).await;
    let workspace = Workspace::new();
    let crawl = workspace.crawl(&site).env("REQUEST_JITTER_MS", "200");
    crawl.arg("--max-players=6").arg("--max-games=12").run().expect(0);
    let log = site.log();
    let took = log.last().unwrap().at_ms - log[0].at_ms;
    // Twenty draws between 0 and 200 ms are this small once in more than a million runs.
    assert!(log.len() == 20 && took > 500, "{took} ms");
}
