//! Analytics or the archive fails: what was fetched stays, and goes there when they are back.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::fs;

use dicechess_core::ids::GameId;
use dicechess_sim::{Endpoint, Fault, FaultRule, SimServer};
use dicechess_tests::faults::{NOBODY, SilentService, ask, newest_first, requests, small_site};
use dicechess_tests::{
    AnalyticsService, ArchiveService, Finished, Invocation, Scripted, Workspace,
};

/// A crawl that posts to a service.
fn crawl_to(workspace: &Workspace, site: &SimServer, analytics: &str) -> Invocation {
    workspace
        .crawl(site)
        .env("ANALYTICS_BASE_URL", analytics)
        .env("INGEST_TOKEN", AnalyticsService::TOKEN)
}

#[track_caller]
fn says(finished: &Finished, part: &str) {
    assert!(finished.stdout.contains(part), "{part}\n{}", finished.stdout);
    assert!(finished.stderr.contains(part), "{part}\n{}", finished.stderr);
}

/// Everything is posted and archived, and every game was asked for once.
#[track_caller]
fn all_arrived(workspace: &Workspace, site: &SimServer, games: i64) {
    assert_eq!(workspace.games_that_are("posted"), games);
    assert_eq!(workspace.status()["archive_pending"], 0);
    assert_eq!(requests(site, Endpoint::MoveHistory).len() as i64, games);
    let marks = "SELECT count(*) FROM games WHERE attempts > 0 OR last_error IS NOT NULL
        OR next_retry_at IS NOT NULL OR reject_reason IS NOT NULL";
    assert_eq!(workspace.database().number(marks), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn analytics_that_is_down_stops_posting_after_five_games() {
    for status in [None, Some(500), Some(503), Some(429)] {
        let site = small_site(3, 12).await;
        let analytics = AnalyticsService::start().await;
        let workspace = Workspace::new();
        let games = newest_first(&site);
        analytics.always(status.map(|status| Scripted::new(status, "{\"detail\":\"try later\"}")));
        let url = if status.is_some() { analytics.base_url() } else { NOBODY };
        let message = match status {
            Some(status) => format!("HTTP {status}: {{\"detail\":\"try later\"}}"),
            None => "analytics cannot be reached: ".to_owned(),
        };
        let finished = crawl_to(&workspace, &site, url).run().expect(3);
        says(
            &finished,
            &format!("the stage post stopped after five failures in a row, the last: {message}"),
        );
        if status.is_some() {
            let posts: Vec<_> = analytics.posts().iter().map(|post| post.game()).collect();
            assert_eq!(posts, games[..5]);
        }
        for game in &games[..5] {
            let row = workspace.game(*game);
            assert_eq!(row.status, "error/post");
            assert_eq!((row.attempts, row.retry_in_minutes), (1, Some(5)));
            assert!(row.last_error.starts_with(&message), "{}", row.last_error);
        }
        assert_eq!(workspace.games_that_are("fetched"), 7);
        assert_eq!(workspace.bundles().len(), 12, "raw is stored and mirrored");

        // Still down when the first five are due: their timers double.
        workspace.make_due();
        crawl_to(&workspace, &site, url).run().expect(3);
        let row = workspace.game(games[0]);
        assert_eq!((row.attempts, row.retry_in_minutes), (2, Some(10)));

        // Back: those without a timer at once, the others in their time.
        analytics.always(None);
        crawl_to(&workspace, &site, analytics.base_url()).run().expect(0);
        assert_eq!(workspace.games_that_are("posted"), 7);
        workspace.make_due();
        crawl_to(&workspace, &site, analytics.base_url()).run().expect(0);
        all_arrived(&workspace, &site, 12);
        assert_eq!(analytics.count(), 12);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_post_that_succeeds_or_is_refused_resets_the_count() {
    let site = small_site(3, 15).await;
    let analytics = AnalyticsService::start().await;
    let workspace = Workspace::new();
    let bad = || std::iter::repeat_n(Scripted::new(502, ""), 4);
    let answers = bad()
        .chain([Scripted::new(201, "{}")])
        .chain(bad())
        .chain([Scripted::new(422, "{\"detail\":\"no\"}")])
        .chain(bad())
        .chain([Scripted::new(200, "{}")]);
    analytics.script(answers);
    crawl_to(&workspace, &site, analytics.base_url()).run().expect(0);
    let counts = ["error/post", "posted", "rejected"].map(|s| workspace.games_that_are(s));
    assert_eq!(counts, [12, 2, 1]);
    let games = newest_first(&site);
    let results = workspace
        .database()
        .rows("SELECT post_result FROM games WHERE status = 'posted' ORDER BY started_at_ms DESC");
    assert_eq!(results, [["created"], ["exists"]]);
    assert_eq!(workspace.game(games[9]).reject_reason, "{\"detail\":\"no\"}");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_are_none_of_the_known_ones_are_tried_again() {
    let site = small_site(2, 4).await;
    let analytics = AnalyticsService::start().await;
    let workspace = Workspace::new();
    analytics.script([202, 302, 404, 409].map(|status| Scripted::new(status, "<html>")));
    crawl_to(&workspace, &site, analytics.base_url()).run().expect(0);
    for (game, status) in newest_first(&site).into_iter().zip([202, 302, 404, 409]) {
        let row = workspace.game(game);
        assert_eq!(row.status, "error/post");
        assert_eq!(row.last_error, format!("HTTP {status}: <html>"));
    }
    workspace.make_due();
    crawl_to(&workspace, &site, analytics.base_url()).run().expect(0);
    all_arrived(&workspace, &site, 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn analytics_that_refuses_the_token_stops_posting_at_once() {
    let wrong = |crawl: Invocation| crawl.env("INGEST_TOKEN", "not-the-token");
    let none = |crawl: Invocation| crawl.without_env("INGEST_TOKEN");
    let changes: [fn(Invocation) -> Invocation; 2] = [wrong, none];
    for change in changes {
        let site = small_site(3, 8).await;
        let analytics = AnalyticsService::start().await;
        let workspace = Workspace::new();
        let crawl = change(crawl_to(&workspace, &site, analytics.base_url()));
        let finished = crawl.run().expect(3);

        says(&finished, "analytics does not accept INGEST_TOKEN");
        let posts = analytics.posts();
        assert_eq!((posts.len(), posts[0].status), (1, 401));
        for game in newest_first(&site) {
            let row = workspace.game(game);
            assert_eq!((row.status.as_str(), row.attempts), ("fetched", 0));
            assert!(row.last_error.is_empty() && row.retry_in_minutes.is_none());
            assert!(row.is_archived);
        }
        crawl_to(&workspace, &site, analytics.base_url()).run().expect(0);
        all_arrived(&workspace, &site, 8);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unanswered_post_is_repeated_with_the_same_body() {
    let site = small_site(3, 7).await;
    let analytics = AnalyticsService::start().await;
    let silent = SilentService::start();
    let workspace = Workspace::new();
    let finished = crawl_to(&workspace, &site, silent.base_url()).run().expect(3);
    says(&finished, "analytics cannot be reached: ");
    let bodies = silent.bodies();
    assert_eq!(bodies.len(), 5, "not repeated behind our back");
    assert_eq!(workspace.games_that_are("error/post"), 5);

    // The service had kept two of them before it hung up.
    let token = AnalyticsService::TOKEN;
    let head = format!("POST /api/games HTTP/1.1\nAuthorization: Bearer {token}");
    for body in &bodies[..2] {
        let answer = ask(analytics.base_url(), &head, body);
        assert!(answer.contains("\"created\":true"), "{answer}");
    }
    let kept = analytics.posts().len();
    workspace.make_due();
    crawl_to(&workspace, &site, analytics.base_url()).run().expect(0);
    all_arrived(&workspace, &site, 7);
    let repeats = analytics.posts()[kept..].to_vec();
    assert_eq!(repeats.len(), 7);
    assert!(bodies.iter().zip(&repeats).all(|(body, repeat)| *body == repeat.body));
    assert_eq!(repeats.iter().filter(|post| post.status == 200).count(), 2);
    let existed = "SELECT count(*) FROM games WHERE post_result = 'exists'";
    assert_eq!(workspace.database().number(existed), 2);
    assert_eq!(analytics.count(), 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_embedded_store_that_fails_says_which_file() {
    let site = small_site(2, 4).await;
    let workspace = Workspace::new();
    let file = workspace.analytics_db().display().to_string();
    let game = newest_first(&site)[0];
    site.set_fault(FaultRule::new(Fault::Stall { millis: 1500 }).game(game));
    let mut running = workspace.crawl(&site).arg("--max-games").arg("1").start();
    running.until("a game is asked for", || !requests(&site, Endpoint::MoveHistory).is_empty());
    // Another program sits on the store for longer than anybody waits.
    let other = rusqlite::Connection::open(workspace.analytics_db()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let finished = running.wait().expect(0);
    let row = workspace.game(game);
    assert_eq!((row.status.as_str(), row.attempts), ("error/post", 1));
    assert!(row.last_error.contains(&file), "{}", row.last_error);
    assert!(finished.stderr.contains(&file), "{}", finished.stderr);

    // At the start it is an error of its own.
    let finished = workspace.crawl(&site).run().expect(74);
    assert!(finished.stderr.contains(&file), "{}", finished.stderr);
    other.execute_batch("ROLLBACK").unwrap();
    drop(other);
    workspace.make_due();
    workspace.crawl(&site).run().expect(0);
    all_arrived(&workspace, &site, 4);
    assert_eq!(workspace.accepted().len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_service_that_is_down_stops_archiving_at_once() {
    for status in [None, Some(500), Some(503), Some(403), Some(404), Some(302)] {
        let site = small_site(3, 8).await;
        let archive = ArchiveService::start().await;
        let workspace = Workspace::new();
        archive.always(status.map(|status| Scripted::new(status, "out of order")));
        let url = if status.is_some() { archive.base_url() } else { NOBODY };
        let url = url.replace("http://", "http://operator:archive-password@");
        let finished = workspace.crawl(&site).env("ARCHIVE_URL", &url).run().expect(3);

        let what = match status {
            Some(status) => format!("answered {status}, where 201 or 200 is due: out of order"),
            None => format!("cannot reach the archive {NOBODY}/raw/dicechess.com/"),
        };
        says(&finished, &what);
        says(&finished, "Bundles stay pending");
        let printed = format!("{}{}", finished.stdout, finished.stderr);
        assert!(!printed.contains("archive-password"), "{printed}");
        assert_eq!(archive.puts().len(), usize::from(status.is_some()), "one try");
        assert_eq!(workspace.games_that_are("posted"), 8, "posting goes on");
        assert_eq!(workspace.status()["archive_pending"], 8);

        archive.always(None);
        workspace.crawl(&site).env("ARCHIVE_URL", archive.base_url()).run().expect(0);
        all_arrived(&workspace, &site, 8);
        assert_eq!(archive.bundles().len(), 8);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_that_fails_in_the_middle_keeps_what_it_confirmed() {
    let site = small_site(3, 8).await;
    let archive = ArchiveService::start().await;
    let workspace = Workspace::new();
    let crawl = || workspace.crawl(&site).env("ARCHIVE_URL", archive.base_url());
    // 200: another writer was first, which is as good.
    archive.script([201, 200, 201, 507].map(|status| Scripted::new(status, "")));
    crawl().run().expect(3);
    assert_eq!(archive.puts().len(), 4);
    assert_eq!(workspace.status()["archive_pending"], 5);

    crawl().run().expect(0);
    assert_eq!(workspace.status()["archive_pending"], 0);
    let puts = archive.puts();
    assert_eq!(puts.len(), 9);
    let again = puts[4..].iter().filter(|put| put.game == puts[3].game).collect::<Vec<_>>();
    assert_eq!((again.len(), &again[0].body), (1, &puts[3].body), "the same bundle again");
    assert!(puts[4..].iter().all(|put| puts[..3].iter().all(|done| done.game != put.game)));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_directory_that_cannot_be_written_stops_archiving() {
    let site = small_site(3, 8).await;
    let mut ids: Vec<GameId> = newest_first(&site);
    ids.sort();
    let shard = ids[4].to_string()[..2].to_owned();
    let before = ids.iter().filter(|id| id.to_string()[..2] < *shard).count();
    // A file stands where a directory is due: the archive itself, or one below.
    for (below, archived) in [("".to_owned(), 0), (format!("dicechess.com/{shard}"), before)] {
        let site = small_site(3, 8).await;
        let workspace = Workspace::new();
        let obstacle = workspace.archive().join(&below);
        let obstacle = obstacle.to_str().unwrap().trim_end_matches('/').to_owned();
        fs::create_dir_all(std::path::Path::new(&obstacle).parent().unwrap()).unwrap();
        fs::write(&obstacle, "in the way").unwrap();
        let finished = workspace.crawl(&site).run().expect(3);

        says(&finished, &format!("archiving stopped: cannot create {obstacle}"));
        assert_eq!(workspace.games_that_are("posted"), 8);
        assert_eq!(workspace.status()["archive_pending"], 8 - archived);
        assert_eq!(fs::read_to_string(&obstacle).unwrap(), "in the way");

        fs::remove_file(&obstacle).unwrap();
        workspace.crawl(&site).run().expect(0);
        all_arrived(&workspace, &site, 8);
        assert_eq!(workspace.bundles().len(), 8);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_writer_of_a_bundle_wins() {
    let site = small_site(2, 4).await;
    let workspace = Workspace::new();
    let games = newest_first(&site);
    let name = games[2].to_string();
    let path = workspace.archive().join("dicechess.com").join(&name[..2]);
    fs::create_dir_all(&path).unwrap();
    let path = path.join(format!("{name}.json.zst"));
    let first = zstd::encode_all(&b"another writer's"[..], 1).unwrap();
    fs::write(&path, &first).unwrap();
    workspace.crawl(&site).run().expect(0);
    assert_eq!(fs::read(&path).unwrap(), first);
    all_arrived(&workspace, &site, 4);

    let bundles: BTreeMap<GameId, String> = workspace.bundles();
    assert_eq!(bundles[&games[2]], "another writer's");
    assert!(bundles[&games[0]].starts_with("{\"source\":\"dicechess.com\""));
}
