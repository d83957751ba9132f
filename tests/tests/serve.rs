//! The daemon: stages side by side, a clean stop, standby and takeover, reload, watches, rests.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use dicechess_core::ids::UserId;
use dicechess_sim::{
    Endpoint, Fault, FaultRule, NewGames, SimOptions, SimServer, World, WorldSpec,
};
use dicechess_tests::evidence::{fetchable, postable, requests_to, serve};
use dicechess_tests::faults::{NOBODY, everybody, now, small_site};
use dicechess_tests::{AnalyticsService, Running, Workspace};
use rustix::process::Signal;

fn spec() -> WorldSpec {
    WorldSpec { seed: 8, players: 12, games: 60, ..WorldSpec::default() }
}

/// Everything that can be had has been fetched, posted and archived, each at the least cost.
fn assert_all_arrived(site: &SimServer, workspace: &Workspace) {
    let world = site.world();
    let seeds = world.seed_ids();
    assert_eq!(workspace.accepted().len(), postable(&world, &seeds).len());
    assert_eq!(workspace.bundles().len(), fetchable(&world, &seeds).len());
    assert_eq!(site.log().len(), world.least_requests(&seeds, 500).total());
}

fn until_all_is_archived(run: &mut Running, site: &SimServer, workspace: &Workspace) {
    let (games, posted) = {
        let world = site.world();
        let seeds = world.seed_ids();
        (fetchable(&world, &seeds).len(), postable(&world, &seeds).len())
    };
    run.until("all is posted and archived", || {
        workspace.db_path().exists()
            && workspace.bundles().len() == games
            && workspace.games_that_are("posted") == posted as i64
            && workspace.status()["archive_pending"] == 0
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn every_game_arrives_and_posting_does_not_wait_for_the_site() {
    let site = serve(spec()).await;
    let workspace = Workspace::new();
    let mut run = workspace.serve(&site).env("REQUEST_MIN_DELAY_MS", "30").start();
    let games = fetchable(&site.world(), &site.world().seed_ids()).len();
    run.until("some are posted and archived", || {
        workspace.analytics_db().exists()
            && workspace.games_that_are("posted") > 0
            && !workspace.bundles().is_empty()
    });
    assert!(requests_to(&site.log(), Endpoint::MoveHistory) < games, "while others are fetched");
    until_all_is_archived(&mut run, &site, &workspace);
    run.signal(Signal::TERM);
    let ended = run.wait().expect(0);
    assert!(ended.stderr.contains("everything accepted is kept"), "{}", ended.stderr);
    assert_all_arrived(&site, &workspace);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_ends_within_ten_seconds_even_while_the_site_is_silent() {
    let site = serve(spec()).await;
    let workspace = Workspace::new();
    site.set_fault(FaultRule::new(Fault::Stall { millis: 60_000 }).on(Endpoint::MoveHistory));
    for transport in ["curl", "reqwest"] {
        let mut run = workspace.serve(&site).env("TRANSPORT", transport).start();
        let asked = requests_to(&site.log(), Endpoint::MoveHistory);
        run.until("a game is asked for", || {
            requests_to(&site.log(), Endpoint::MoveHistory) > asked
        });
        run.signal(Signal::TERM);
        let ended = run.wait().expect(0);
        assert!(ended.took < Duration::from_secs(10), "{transport}: {:?}", ended.took);
        assert!(ended.stderr.contains("is given up"), "{}", ended.stderr);
    }
    let waiting = fetchable(&site.world(), &site.world().seed_ids()).len();
    assert_eq!(workspace.games_that_are("discovered"), waiting as i64, "none is marked");
    assert_eq!(workspace.database().number("SELECT count(*) FROM lease"), 0);

    site.clear_faults();
    let mut run = workspace.serve(&site).start();
    until_all_is_archived(&mut run, &site, &workspace);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_two_crawls_and_the_other_takes_over() {
    let site = serve(spec()).await;
    let workspace = Workspace::new();
    let slow = || workspace.serve(&site).env("REQUEST_MIN_DELAY_MS", "20");
    let mut first = slow().start();
    first.until_logged("this process crawls");
    let mut second = slow().start();
    second.until_logged("crawls this database");
    let told = second.logged();
    assert!(told.contains(&format!("process {} on", first.pid())), "{told}");
    assert!(told.contains("its lease ends at 20"), "{told}");
    // The other commands say the same.
    let refused = workspace.crawl(&site).run().expect(5);
    assert!(refused.stderr.contains(&format!("process {}", first.pid())), "{}", refused.stderr);

    first.until("some games are fetched", || requests_to(&site.log(), Endpoint::MoveHistory) >= 5);
    assert!(!second.logged().contains("this process crawls"));
    first.kill();
    second.until_logged("this process crawls");
    until_all_is_archived(&mut second, &site, &workspace);
    let world = site.world();
    // At most the request in hand was made twice.
    let least = world.least_requests(&world.seed_ids(), 500).total();
    assert!((least..=least + 1).contains(&site.log().len()), "{}", site.log().len());
}

/// Stops a run between two of its writes, not within one: that would lock everybody out.
fn freeze_until_its_lease_ended(run: &Running, workspace: &Workspace) {
    let connection = rusqlite::Connection::open(workspace.db_path()).unwrap();
    connection.busy_timeout(Duration::from_millis(200)).unwrap();
    for _ in 0..100 {
        run.signal(Signal::STOP);
        if connection.execute("UPDATE lease SET expires_at_ms = 0", []).is_ok() {
            return;
        }
        run.signal(Signal::CONT);
        std::thread::sleep(Duration::from_millis(7));
    }
    panic!("the run writes whenever it is stopped");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_holder_that_lost_its_lease_writes_nothing_and_stands_by() {
    let site = serve(spec()).await;
    let workspace = Workspace::new();
    let slow = || workspace.serve(&site).env("REQUEST_MIN_DELAY_MS", "20");
    let mut first = slow().start();
    first.until("it has begun", || site.log().len() > 3);
    // Frozen, as a machine that sleeps: its lease ends meanwhile, and it does not know.
    freeze_until_its_lease_ended(&first, &workspace);
    let mut second = slow().start();
    second.until_logged("this process crawls");
    second.until("it has asked", || requests_to(&site.log(), Endpoint::MoveHistory) > 3);
    first.signal(Signal::CONT);
    first.until_logged(&format!("process {} on", second.pid()));
    until_all_is_archived(&mut second, &site, &workspace);
    for mut run in [first, second] {
        assert!(!run.has_ended());
        run.signal(Signal::TERM);
        run.wait().expect(0);
    }
    assert_eq!(workspace.database().number("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    let world = site.world();
    assert_eq!(workspace.accepted().len(), postable(&world, &world.seed_ids()).len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_token_and_new_seeds_need_no_restart() {
    let spec = WorldSpec { players: 6, games: 12, guests: 0, bots: 0, ..WorldSpec::default() };
    // By default the site takes its own token and no other.
    let site = SimServer::start(World::generate(spec), SimOptions::default()).await.unwrap();
    let workspace = Workspace::new();
    let path = |name: &str| workspace.path().join(name);
    std::fs::write(path("token"), "wrong").unwrap();
    std::fs::write(path("dicechess-sync.toml"), "SEED_IDS = []\n").unwrap();
    let mut run = workspace
        .serve(&site)
        .without_env("DICECHESS_JWT")
        .without_env("SEED_IDS")
        .env("DICECHESS_JWT_FILE", path("token"))
        .start();
    run.until_logged("the site does not accept the token");
    let refused = site.log().len();
    assert_eq!(refused, 1, "a refusal ends the turn");

    std::fs::write(path("token"), site.jwt()).unwrap();
    run.until_logged("the configuration changed");
    run.until_logged("nobody is in the frontier");
    std::fs::write(path("dicechess-sync.toml"), format!("SEED_IDS = [{}]\n", everybody(&site)))
        .unwrap();
    run.signal(Signal::HUP);
    run.until_logged("SIGHUP");
    run.until("all are posted", || workspace.games_that_are("posted") == 12);
    // A file that cannot be used changes nothing.
    std::fs::write(path("dicechess-sync.toml"), "SEED_IDS = [").unwrap();
    run.signal(Signal::HUP);
    run.until_logged("the old one stays");
    assert!(!run.logged().contains("wrong"), "{}", run.logged());
    run.signal(Signal::TERM);
    run.wait().expect(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watched_players_game_is_fetched_as_soon_as_it_has_ended() {
    let site = small_site(4, 8).await;
    let workspace = Workspace::new();
    let player = site.world().players().next().unwrap().id;
    let command = |action: &[&str]| workspace.command([&["watch"], action].concat());
    let id = player.to_string();
    command(&["add", &id, "--every", "10s"]).run().expect(2);
    command(&["add", &id, "--every", "2m"]).run().expect(0);

    let mut run = workspace.serve(&site).env("SEED_IDS", everybody(&site)).start();
    // A look goes back to what the player's own sweep has seen.
    run.until("the site is known", || {
        workspace.db_path().exists()
            && workspace.games_that_are("posted") == 8
            && workspace.players_that_are("synced") == 4
    });
    // One without a result that began long ago would count as over.
    let started_at = Some(now() - Duration::from_mins(1));
    let new = NewGames { count: 1, players: vec![player], running: true, started_at };
    let game = site.add_games(&new)[0];
    site.clear_log();
    let look = || workspace.change("UPDATE watches SET next_look_at_ms = 0");
    let looks = || workspace.database().number("SELECT looks FROM watches");
    let before = looks();
    look();
    run.until("a look was made", || looks() > before);
    assert_eq!(workspace.games_that_are("discovered"), 1, "it is still running");
    assert_eq!(requests_to(&site.log(), Endpoint::MoveHistory), 0);

    site.world_mut().finish_running_games();
    look();
    run.until("its game is posted", || workspace.games_that_are("posted") == 9);
    assert!(workspace.accepted().contains_key(&game));
    let log = site.log();
    assert_eq!((requests_to(&log, Endpoint::History), log.len()), (2, 3), "two looks, one game");

    let list = command(&["list", "--json"]).run().expect(0).json();
    assert_eq!((&list[0]["user_id"], &list[0]["found_games"]), (&player.0.into(), &1.into()));
    command(&["remove", &id]).run().expect(0);
    command(&["remove", &id]).run().expect(65);
    assert!(command(&["list"]).run().expect(0).stdout.contains("Nobody is watched"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stage_that_stops_rests_and_the_others_go_on() {
    let site = serve(spec()).await;
    let workspace = Workspace::new();
    let games = fetchable(&site.world(), &site.world().seed_ids()).len();
    let mut run =
        workspace.serve(&site).env("ANALYTICS_BASE_URL", NOBODY).env("INGEST_TOKEN", "t").start();
    run.until_logged("the stage post stopped after five failures in a row");
    run.until("all is archived", || workspace.bundles().len() == games);
    assert_eq!(workspace.games_that_are("error/post"), 5, "it rests meanwhile");
    run.signal(Signal::TERM);
    run.wait().expect(0);

    let analytics = AnalyticsService::start().await;
    workspace.make_due();
    let mut run = workspace
        .serve(&site)
        .env("ANALYTICS_BASE_URL", analytics.base_url())
        .env("INGEST_TOKEN", AnalyticsService::TOKEN)
        .start();
    let posted = postable(&site.world(), &site.world().seed_ids()).len();
    run.until("all is posted", || workspace.games_that_are("posted") == posted as i64);
    assert_eq!(analytics.count(), posted as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn seeds_and_replays_of_other_processes_are_followed() {
    let site = small_site(4, 8).await;
    let workspace = Workspace::new();
    let mut run = workspace.serve(&site).without_env("SEED_IDS").start();
    run.until_logged("this process crawls");
    let ids: Vec<String> =
        site.world().players().map(|player| UserId::to_string(&player.id)).collect();
    let seed = ["seed".to_owned()].into_iter().chain(ids);
    workspace.command(seed).run().expect(0);
    run.until("all are posted", || workspace.games_that_are("posted") == 8);
    workspace.change("UPDATE games SET post_result = 'nothing yet'");
    workspace.command(["replay", "posted"]).run().expect(0);
    run.until("all are posted again", || {
        let again = "SELECT count(*) FROM games WHERE status = 'posted' AND post_result = 'exists'";
        workspace.database().number(again) == 8
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_daemon_whose_database_vanishes_ends() {
    for is_replaced in [false, true] {
        let site = small_site(2, 3).await;
        let workspace = Workspace::new();
        let mut run = workspace.serve(&site).env("CRAWL_INTERVAL", "1h").start();
        until_all_is_archived(&mut run, &site, &workspace);
        std::fs::remove_file(workspace.db_path()).unwrap();
        if is_replaced {
            std::fs::write(workspace.db_path(), "").unwrap();
        }
        let ended = run.wait().expect(74);
        assert!(ended.stderr.contains("was removed or replaced"), "{}", ended.stderr);
    }
}
