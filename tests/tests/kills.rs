//! Killed at any instant, stopped by a signal, held off by a lease.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use dicechess_core::ids::GameId;
use dicechess_core::time::UnixMillis;
use dicechess_sim::{Endpoint, Fault, FaultRule, SimServer, WorldSpec};
use dicechess_tests::evidence::{
    fetchable, fetched_games, history_requests, overlapping_pages, postable, requests_to, serve,
    without_names, without_perspective,
};
use dicechess_tests::{AnalyticsService, ArchiveService, Database, Invocation, Workspace};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustix::process::Signal;
use serde_json::Value;

const KILLS: usize = 20;

fn spec() -> WorldSpec {
    WorldSpec { seed: 21, players: 12, games: 70, ..WorldSpec::default() }
}

/// A crawl and all that it leaves behind outside of its workspace.
struct Scene {
    site: SimServer,
    analytics: AnalyticsService,
    archive: ArchiveService,
    workspace: Workspace,
}

impl Scene {
    async fn new() -> Self {
        Self {
            site: serve(spec()).await,
            analytics: AnalyticsService::start().await,
            archive: ArchiveService::start().await,
            workspace: Workspace::new(),
        }
    }

    /// Everything goes over the wire, so that instants can be told by what was sent.
    fn crawl(&self, transport: &str) -> Invocation {
        self.workspace
            .crawl_to(&self.site, &self.analytics)
            .env("ARCHIVE_URL", self.archive.base_url())
            .env("TRANSPORT", transport)
            .env("ENUMERATE_PAGE_SIZE", "8")
            .env("ENUMERATE_PAGE_SIZE_MAX", "8")
    }

    fn sent(&self) -> usize {
        self.site.log().len() + self.analytics.posts().len() + self.archive.puts().len()
    }

    /// The games whose raw copy is stored.
    fn stored(&self) -> BTreeSet<GameId> {
        if !self.workspace.db_path().exists() {
            return BTreeSet::new();
        }
        let database = self.workspace.database();
        let is_made = "SELECT count(*) FROM sqlite_schema WHERE name = 'raw_game_data'";
        if database.number(is_made) == 0 {
            return BTreeSet::new();
        }
        stored(&database)
    }

    /// What analytics and archive keep, without what depends on when things were learned.
    fn delivered(&self) -> BTreeMap<GameId, (Option<Value>, Option<Value>)> {
        let world = self.site.world();
        let games = world.reachable_games(&world.seed_ids()).into_iter();
        let bundles = self.archive.bundles();
        games
            .map(|id| {
                let body = self.analytics.body(id);
                let body =
                    body.map(|body| without_perspective(serde_json::from_str(&body).unwrap()));
                let bundle = bundles.get(&id).map(|bundle| without_times(bundle));
                (id, (body, bundle))
            })
            .collect()
    }
}

fn stored(database: &Database) -> BTreeSet<GameId> {
    database
        .texts("SELECT game_id FROM raw_game_data WHERE move_history_json IS NOT NULL")
        .iter()
        .map(|id| id.parse().unwrap())
        .collect()
}

fn without_times(bundle: &str) -> Value {
    let mut bundle: Value = serde_json::from_str(bundle).unwrap();
    for name in ["fetchedAt", "metaFetchedAt"] {
        assert!(bundle[name].is_string());
        bundle[name] = Value::Null;
    }
    assert!(bundle["artifacts"]["history_meta"].is_object());
    bundle["artifacts"]["history_meta"] = Value::Null;
    bundle
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_twenty_times_it_ends_as_if_undisturbed() {
    killed_and_undisturbed("reqwest", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_twenty_times_over_curl_it_ends_as_if_undisturbed() {
    killed_and_undisturbed("curl", 2).await;
}

async fn killed_and_undisturbed(transport: &str, seed: u64) {
    let undisturbed = Scene::new().await;
    undisturbed.crawl("reqwest").run().expect(0);
    let all = undisturbed.sent();

    let scene = Scene::new().await;
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut instants: Vec<usize> = (0..KILLS).map(|_| rng.random_range(0..all)).collect();
    instants.sort_unstable();
    for instant in instants {
        let delay = Duration::from_micros(rng.random_range(0..8000));
        kill_once_sent(&scene, transport, instant, delay);
    }
    scene.crawl(transport).run().expect(0);

    assert_eq!(scene.workspace.database().outcome(), undisturbed.workspace.database().outcome());
    assert_eq!(scene.delivered(), undisturbed.delivered());
    nothing_was_posted_with_another_body(&scene.analytics);
    assert_eq!(
        scene.workspace.database().texts("PRAGMA integrity_check"),
        ["ok"],
        "the database is sound"
    );
}

/// Runs until so much was sent and a little longer, and kills it; no game whose raw copy was
/// stored before is asked for again.
fn kill_once_sent(scene: &Scene, transport: &str, instant: usize, delay: Duration) {
    let stored = scene.stored();
    let asked = scene.site.log().len();
    let mut run = scene.crawl(transport).start();
    let deadline = Instant::now() + Duration::from_secs(60);
    while scene.sent() < instant && !run.has_ended() {
        assert!(Instant::now() < deadline, "the run hangs");
        std::thread::sleep(Duration::from_micros(300));
    }
    std::thread::sleep(delay);
    run.kill();
    let again: Vec<GameId> = fetched_games(&scene.site.log()[asked..])
        .into_iter()
        .filter(|game| stored.contains(game))
        .collect();
    assert_eq!(again, [], "fetched though its raw copy was stored");
}

fn nothing_was_posted_with_another_body(analytics: &AnalyticsService) {
    let mut bodies: BTreeMap<GameId, Value> = BTreeMap::new();
    for post in analytics.posts() {
        let body = without_names(post.json());
        let first = bodies.entry(post.game()).or_insert_with(|| body.clone());
        assert_eq!(*first, body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_at_start_up_it_begins_anew() {
    let scene = Scene::new().await;
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for _ in 0..12 {
        let run = scene.crawl("reqwest").start();
        std::thread::sleep(Duration::from_micros(rng.random_range(500..40_000)));
        run.kill();
    }
    scene.crawl("reqwest").run().expect(0);
    let world = scene.site.world();
    assert_eq!(scene.stored(), fetchable(&world, &world.seed_ids()));
    nothing_was_posted_with_another_body(&scene.analytics);
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_finishes_the_item_in_hand() {
    stopped_by(Signal::INT, "reqwest").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sigterm_finishes_the_item_in_hand_over_curl() {
    stopped_by(Signal::TERM, "curl").await;
}

async fn stopped_by(signal: Signal, transport: &str) {
    let scene = Scene::new().await;
    let seeds = scene.site.world().seed_ids();
    let moves = || requests_to(&scene.site.log(), Endpoint::MoveHistory);
    scene.site.set_fault(FaultRule::new(Fault::Stall { millis: 40 }).on(Endpoint::MoveHistory));
    let mut run = scene.crawl(transport).start();
    run.until("ten games are fetched", || moves() >= 10);
    let asked = Instant::now();
    run.signal(signal);
    let ended = run.wait().expect(0);
    assert!(asked.elapsed() < Duration::from_secs(10));
    assert!(ended.stdout.contains("stopped on request"), "{}", ended.stdout);
    let fetched: BTreeSet<GameId> = fetched_games(&scene.site.log()).into_iter().collect();
    assert_eq!(scene.stored(), fetched, "what was asked for is stored");
    assert!(fetched.len() < fetchable(&scene.site.world(), &seeds).len(), "it did stop");
    let lease = scene.workspace.status()["lease"].clone();
    assert_eq!(lease, Value::Null, "the lease was given back");

    scene.site.clear_faults();
    scene.crawl(transport).run().expect(0);
    let fetched = fetched_games(&scene.site.log());
    let expected = fetchable(&scene.site.world(), &seeds);
    assert_eq!(fetched.len(), expected.len(), "none twice");
    assert_eq!(scene.stored(), expected);
    let accepted: BTreeSet<GameId> = scene.analytics.posts().iter().map(|p| p.game()).collect();
    assert_eq!(accepted, postable(&scene.site.world(), &seeds));
    assert_eq!(scene.analytics.posts().len(), accepted.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_a_wait_at_once() {
    let scene = Scene::new().await;
    let mut run = scene.crawl("reqwest").env("REQUEST_MIN_DELAY_MS", "60000").start();
    run.until("the first request", || !scene.site.log().is_empty());
    std::thread::sleep(Duration::from_millis(200));
    let asked = Instant::now();
    run.signal(Signal::TERM);
    run.wait().expect(0);
    assert!(asked.elapsed() < Duration::from_secs(10));
    assert_eq!(scene.site.log().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_it_at_once() {
    let scene = Scene::new().await;
    scene.site.set_fault(FaultRule::new(Fault::Stall { millis: 20_000 }).on(Endpoint::MoveHistory));
    let mut run = scene.crawl("reqwest").start();
    run.until("moves are asked for", || requests_to(&scene.site.log(), Endpoint::MoveHistory) > 0);
    run.signal(Signal::INT);
    std::thread::sleep(Duration::from_millis(300));
    assert!(!run.has_ended(), "the item in hand is waited for");
    let asked = Instant::now();
    run.signal(Signal::INT);
    assert_eq!(run.wait().code(), Some(130));
    assert!(asked.elapsed() < Duration::from_secs(10));
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_crawls_the_second_names_the_first_and_ends() {
    let scene = Scene::new().await;
    scene.site.set_fault(FaultRule::new(Fault::Stall { millis: 50 }));
    let mut first = scene.crawl("reqwest").start();
    first.until("the first one asks", || scene.site.log().len() > 3);
    let second = scene.crawl("reqwest").run().expect(5);
    assert!(second.stderr.contains(&first.pid().to_string()), "{}", second.stderr);
    let status = scene.workspace.status();
    assert_eq!(status["lease"]["pid"], first.pid());
    assert!(!first.has_ended());

    assert!(scene.site.log().iter().all(|entry| entry.in_flight == 1));

    // A killed holder's lease is taken over at once, long before it expires.
    let pid = first.pid();
    first.kill();
    let lease = scene.workspace.status()["lease"].clone();
    assert_eq!(lease["pid"], pid, "it could not give it back");
    let expires = UnixMillis::parse_iso(lease["expires_at"].as_str().unwrap()).unwrap();
    scene.site.clear_faults();
    scene.site.clear_log();
    scene.crawl("reqwest").run().expect(0);
    assert!(scene.site.log()[0].at_ms < expires.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lease_of_another_machine_holds_until_it_expires() {
    let scene = Scene::new().await;
    scene.crawl("reqwest").arg("--max-players=1").arg("--max-games=1").run().expect(0);
    let lend = |seconds: i64| {
        let connection = rusqlite::Connection::open(scene.workspace.db_path()).unwrap();
        let sql = "INSERT OR REPLACE INTO lease (id, holder, host, pid, expires_at_ms)
                   VALUES (1, 'elsewhere/1', 'elsewhere', 1, unixepoch() * 1000 + ?1 * 1000)";
        connection.execute(sql, [seconds]).unwrap();
    };
    lend(25);
    let asked = scene.site.log().len();
    let refused = scene.crawl("reqwest").run().expect(5);
    assert!(refused.stderr.contains("elsewhere"), "{}", refused.stderr);
    assert_eq!(scene.site.log().len(), asked);
    lend(-2);
    scene.crawl("reqwest").run().expect(0);
    let world = scene.site.world();
    assert_eq!(scene.stored(), fetchable(&world, &world.seed_ids()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_sweep_goes_on_where_it_was() {
    let spec = WorldSpec { whale_games: 150, ..spec() };
    let site = serve(spec).await;
    let whale = site.world().seed_ids()[1];
    let workspace = Workspace::new();
    let crawl = || {
        let crawl = workspace.crawl(&site).env("ENUMERATE_PAGE_SIZE", "10");
        crawl.env("ENUMERATE_PAGE_SIZE_MAX", "10").arg("--stages=enumerate")
    };
    let pages = || -> Vec<u64> {
        let asked = history_requests(&site.log()).into_iter();
        asked.filter(|(player, _, _)| *player == whale).map(|(_, first, _)| first).collect()
    };
    site.set_fault(FaultRule::new(Fault::Stall { millis: 30 }).player(whale));
    for (count, signal) in [(4, Signal::TERM), (8, Signal::KILL), (12, Signal::INT)] {
        let mut run = crawl().start();
        run.until("some pages", || pages().len() >= count);
        run.signal(signal);
        run.wait();
    }
    site.clear_faults();
    crawl().run().expect(0);
    let pages = pages();
    let least = overlapping_pages(site.world().games_of(whale).count(), 10);
    assert!(
        pages.len() <= least + 1,
        "only the page that was killed is asked for again: {pages:?}"
    );
    assert!(pages.is_sorted(), "{pages:?}");
    assert_eq!(pages.iter().filter(|first| **first == 0).count(), 1);
    let known = format!(
        "SELECT count(*) FROM games WHERE white_user_id = {whale} OR black_user_id = {whale}"
    );
    assert_eq!(workspace.database().number(&known), site.world().games_of(whale).count() as i64);
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_while_delivering_nothing_is_half_written() {
    let site = serve(spec()).await;
    let workspace = Workspace::new();
    workspace.crawl(&site).arg("--stages=enumerate,fetch").run().expect(0);
    let deliver = || workspace.command(["crawl", "--stages=post,archive"]);
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    for round in 0..14 {
        let (posted, archived) = (delivered_so_far(&workspace), workspace.bundles().len());
        let mut run = deliver().start();
        // Half of the kills strike while there is something to deliver, for certain.
        if round % 2 == 0 {
            run.until("a delivery", || {
                delivered_so_far(&workspace) > posted || workspace.bundles().len() > archived
            });
        }
        std::thread::sleep(Duration::from_micros(rng.random_range(0..60_000)));
        run.kill();
        // Every bundle is whole at any time: reading them all decompresses them.
        for bundle in workspace.bundles().values() {
            serde_json::from_str::<Value>(bundle).unwrap();
        }
        if workspace.status()["archive_pending"] == 0 {
            break;
        }
    }
    deliver().run().expect(0);
    let world = site.world();
    let seeds = world.seed_ids();
    assert_eq!(workspace.bundles().into_keys().collect::<BTreeSet<_>>(), fetchable(&world, &seeds));
    assert_eq!(workspace.accepted().into_keys().collect::<BTreeSet<_>>(), postable(&world, &seeds));

    // A draft of a killed run lies where no reader looks, until it is an hour old.
    let drafts = || -> Vec<PathBuf> {
        let archive = workspace.archive();
        let files = workspace.files().into_iter().filter(|file| file.starts_with(&archive));
        files.filter(|file| file.extension().is_none_or(|end| end != "zst")).collect()
    };
    let incoming = workspace.archive().join("dicechess.com/.incoming");
    for draft in drafts() {
        assert!(draft.starts_with(&incoming), "{}", draft.display());
        let long_ago = SystemTime::now() - Duration::from_secs(2 * 60 * 60);
        File::options().write(true).open(draft).unwrap().set_modified(long_ago).unwrap();
    }
    workspace.change("UPDATE raw_game_data SET archived_at = NULL");
    deliver().run().expect(0);
    assert_eq!(drafts(), [""; 0].map(PathBuf::from));
    assert_eq!(workspace.bundles().len(), fetchable(&world, &seeds).len());
}

fn delivered_so_far(workspace: &Workspace) -> i64 {
    if !workspace.analytics_db().exists() {
        return 0;
    }
    let database = Database::open(&workspace.analytics_db());
    let is_made = "SELECT count(*) FROM sqlite_schema WHERE name = 'accepted_games'";
    match database.number(is_made) {
        0 => 0,
        _ => database.number("SELECT count(*) FROM accepted_games"),
    }
}
