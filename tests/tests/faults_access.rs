//! The site refuses access: 401, an expired token, a Cloudflare challenge.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use dicechess_sim::{Endpoint, Fault, FaultRule, SimServer, When, unsigned_jwt};
use dicechess_tests::faults::{
    NOBODY, TRANSPORTS, asked_games, contains, everybody, newest_first, now, requests, small_site,
};
use dicechess_tests::{Finished, Invocation, Workspace};

const HOW_TO_RENEW: &str = "sign in on dicechess.com, copy the new token and set DICECHESS_JWT";

/// Another token that the site lets in.
fn another_token() -> String {
    unsigned_jwt(4_102_444_801)
}

/// A workspace in which four games wait for posting and archiving, the rest for fetching, and
/// every player is to be asked again.
fn with_waiting_games(site: &SimServer) -> Workspace {
    let workspace = Workspace::new();
    workspace
        .crawl(site)
        .args(&["--stages", "enumerate,fetch", "--max-games", "4"])
        .run()
        .expect(0);
    assert_eq!(workspace.games_that_are("fetched"), 4);
    site.clear_log();
    workspace
}

trait MoreArgs {
    fn args(self, args: &[&str]) -> Self;
}

impl MoreArgs for Invocation {
    fn args(self, args: &[&str]) -> Self {
        args.iter().fold(self, |invocation, arg| invocation.arg(arg))
    }
}

/// What waited for analytics and the archive went there; nothing else moved and nothing is wrong.
#[track_caller]
fn only_delivered(workspace: &Workspace, site: &SimServer, posted: i64) {
    let games = newest_first(site);
    assert_eq!(workspace.games_that_are("posted"), posted);
    assert_eq!(workspace.games_that_are("discovered"), games.len() as i64 - posted);
    for game in &games {
        let row = workspace.game(*game);
        assert!(row.is_untouched() || row.status == "posted", "{row:?}");
        assert_eq!((row.has_moves, row.is_archived), (row.status == "posted", row.has_moves));
    }
    for status in ["error", "in_progress"] {
        assert_eq!(workspace.players_that_are(status), 0);
    }
    let failures = "SELECT count(*) FROM players WHERE attempts > 0 OR last_error IS NOT NULL";
    assert_eq!(workspace.database().number(failures), 0);
    assert_eq!(workspace.accepted().len() as i64, posted);
    assert_eq!(workspace.bundles().len() as i64, posted);
}

/// The operator is told, in the log and in the summary.
#[track_caller]
fn told(finished: &Finished, advice: &str) {
    for text in [&finished.stdout, &finished.stderr] {
        assert!(text.contains(advice), "{advice}\n{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_401_on_history_stops_the_site_stages_at_once() {
    for transport in TRANSPORTS {
        let site = small_site(3, 12).await;
        let workspace = with_waiting_games(&site);
        site.set_fault(FaultRule::new(Fault::Unauthorized).on(Endpoint::History));
        let crawl = workspace.crawl(&site).env("TRANSPORT", transport).env("REFRESH_AFTER", "0s");
        let finished = crawl.run().expect(4);

        told(&finished, HOW_TO_RENEW);
        assert_eq!(requests(&site, Endpoint::History).len(), 1);
        assert_eq!(site.log().len(), 1, "nothing else is asked");
        // The player in hand waits again, like the others.
        assert_eq!(workspace.players_that_are("pending"), 3);
        only_delivered(&workspace, &site, 4);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_401_on_a_game_leaves_the_game_as_it_was() {
    for transport in TRANSPORTS {
        let site = small_site(3, 12).await;
        let workspace = with_waiting_games(&site);
        let after_two = When::After { skip: 2, count: u64::MAX >> 1 };
        site.set_fault(
            FaultRule::new(Fault::Unauthorized).on(Endpoint::MoveHistory).when(after_two),
        );
        let finished = workspace.crawl(&site).env("TRANSPORT", transport).run().expect(4);

        told(&finished, HOW_TO_RENEW);
        assert_eq!(asked_games(&site), newest_first(&site)[4..7]);
        assert_eq!(workspace.players_that_are("synced"), 3);
        only_delivered(&workspace, &site, 6);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_token_is_noticed_before_asking() {
    let expired = unsigned_jwt(now().0 / 1000 - 60);
    for transport in TRANSPORTS {
        let site = small_site(3, 12).await;
        let fresh = Workspace::new();
        let crawl = |workspace: &Workspace| {
            workspace.crawl(&site).env("DICECHESS_JWT", &expired).env("TRANSPORT", transport)
        };
        let finished = crawl(&fresh).run().expect(4);
        assert!(finished.stdout.contains("the token expired at "), "{}", finished.stdout);
        told(&finished, HOW_TO_RENEW);
        assert_eq!(fresh.players_that_are("pending"), 2, "the seeds");

        let workspace = with_waiting_games(&site);
        let finished = crawl(&workspace).env("REFRESH_AFTER", "0s").run().expect(4);
        told(&finished, HOW_TO_RENEW);
        assert_eq!(workspace.players_that_are("pending"), 3);
        only_delivered(&workspace, &site, 4);
        assert_eq!(site.log(), [], "no request with an expired token");

        // Nothing was refused by the site, so a good token is not held back by anything.
        workspace.crawl(&site).run().expect(0);
        assert_eq!(workspace.games_that_are("posted"), 12);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_expires_during_the_pass_is_not_sent_any_more() {
    let site = small_site(3, 12).await;
    let workspace = with_waiting_games(&site);
    let exp = now().0 / 1000 + 3;
    let finished = workspace
        .crawl(&site)
        .env("DICECHESS_JWT", unsigned_jwt(exp))
        .env("REQUEST_MIN_DELAY_MS", "700")
        .run()
        .expect(4);
    assert!(finished.stdout.contains("the token expired at "), "{}", finished.stdout);
    let log = site.log();
    assert!(log.len() >= 2, "it was good at first");
    assert!(log.iter().all(|entry| entry.status == 200 && entry.at_ms <= exp * 1000 + 500));
    only_delivered(&workspace, &site, 4 + log.len() as i64);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_remembered_for_the_same_credentials() {
    for (transport, fault) in
        [("curl", Fault::Unauthorized), ("reqwest", Fault::Challenge { status: 403 })]
    {
        let site = small_site(3, 6).await;
        let workspace = Workspace::new();
        let crawl = || {
            let crawl = workspace.crawl(&site).env("TRANSPORT", transport);
            crawl.env("DICECHESS_COOKIE", "cf_clearance=first")
        };
        let blocked = "SELECT count(block_since_ms) FROM site_memory";
        site.set_fault(FaultRule::new(fault).on(Endpoint::History).next(1));
        crawl().run().expect(4);
        assert_eq!(workspace.database().number(blocked), 1);
        assert!(!contains(&workspace.all_bytes(), site.jwt()), "the fingerprint hides the token");

        // The same again: not one request, though the site would answer now.
        site.clear_log();
        let finished = crawl().run().expect(4);
        assert!(finished.stdout.contains("--ignore-block tries now"), "{}", finished.stdout);
        assert_eq!(site.log(), []);
        assert_eq!(workspace.players_that_are("error"), 0);

        // The operator insists; the site refuses once more, which is remembered anew.
        site.set_fault(FaultRule::new(Fault::Unauthorized).next(1));
        crawl().arg("--ignore-block").run().expect(4);
        assert_eq!(site.log().len(), 1);
        crawl().run().expect(4);
        assert_eq!(site.log().len(), 1);

        // Changed credentials are tried at once; what they achieve ends the memory.
        let token = crawl().env("DICECHESS_JWT", another_token());
        token.args(&["--stages", "enumerate"]).run().expect(0);
        assert_eq!(workspace.database().number(blocked), 0);
        crawl().run().expect(0);
        assert_eq!(workspace.games_that_are("posted"), 6);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_over_after_a_quarter_of_an_hour_or_with_another_cookie() {
    let site = small_site(3, 6).await;
    for (what, cookie, minutes) in
        [("time", "cf_clearance=first", 15), ("a cookie", "cf_clearance=second", 0)]
    {
        let workspace = Workspace::new();
        let crawl = |cookie: &str| workspace.crawl(&site).env("DICECHESS_COOKIE", cookie);
        site.set_fault(FaultRule::new(Fault::Challenge { status: 503 }).next(1));
        crawl("cf_clearance=first").run().expect(4);
        crawl("cf_clearance=first").run().expect(4);
        workspace.change(&format!(
            "UPDATE site_memory SET block_since_ms = block_since_ms - {minutes} * 60000"
        ));
        let finished = crawl(cookie).run();
        assert_eq!(finished.code(), Some(0), "{what}: {}", finished.stdout);
        assert_eq!(workspace.games_that_are("posted"), 6);
        site.clear_faults();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_challenge_is_never_data() {
    let faults = [Fault::Challenge { status: 403 }, Fault::Challenge { status: 503 }, Fault::Html];
    for (fault, endpoint) in faults
        .into_iter()
        .flat_map(|f| [(f.clone(), Endpoint::History), (f, Endpoint::MoveHistory)])
    {
        for transport in TRANSPORTS {
            let site = small_site(3, 6).await;
            let workspace = with_waiting_games(&site);
            site.set_fault(FaultRule::new(fault.clone()).on(endpoint));
            let crawl = workspace.crawl(&site).env("TRANSPORT", transport);
            let crawl = match endpoint {
                Endpoint::History => crawl.env("REFRESH_AFTER", "0s"),
                _ => crawl,
            };
            let finished = crawl.run().expect(4);

            told(&finished, "Cloudflare answered with a challenge");
            assert!(finished.stdout.contains("set DICECHESS_COOKIE to the cf_clearance cookie"));
            assert_eq!(requests(&site, endpoint).len(), 1, "{fault:?}");
            assert_eq!(site.log().len(), 1, "{fault:?}: nothing else is asked");
            only_delivered(&workspace, &site, 4);
            let bytes = workspace.all_bytes();
            assert!(!contains(&bytes, "Just a moment") && !contains(&bytes, "<!DOCTYPE"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_challenge_in_a_leaderboards_place_stops_everything_before_it_begins() {
    let site = small_site(3, 6).await;
    let workspace = Workspace::new();
    site.set_fault(FaultRule::new(Fault::Html).on(Endpoint::Leaderboard));
    workspace.crawl(&site).run().expect(4);
    assert_eq!(site.log().len(), 1);
    assert_eq!(workspace.database().number("SELECT count(*) FROM sources"), 0);

    // It was not answered, so it is asked as soon as the site lets us in.
    site.clear_faults();
    workspace.crawl(&site).arg("--ignore-block").run().expect(0);
    assert_eq!(requests(&site, Endpoint::Leaderboard).len(), 2);
    assert_eq!(workspace.games_that_are("posted"), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_site_wins_over_stages_that_stopped_early() {
    let site = small_site(3, 12).await;
    let workspace = Workspace::new();
    let after = When::After { skip: 6, count: 1 };
    site.set_fault(FaultRule::new(Fault::Unauthorized).on(Endpoint::MoveHistory).when(after));
    let finished = workspace
        .crawl(&site)
        .env("SEED_IDS", everybody(&site))
        .env("ANALYTICS_BASE_URL", NOBODY)
        .env("ARCHIVE_URL", NOBODY)
        .run()
        .expect(4);
    for part in [HOW_TO_RENEW, "the stage post stopped after five failures", "archiving stopped"] {
        assert!(finished.stdout.contains(part), "{part}\n{}", finished.stdout);
    }
    assert_eq!(workspace.games_that_are("fetched"), 1);
    assert_eq!(workspace.games_that_are("error/post"), 5);
    assert_eq!(workspace.games_that_are("discovered"), 6);
    assert_eq!(workspace.status()["archive_pending"], 6);

    // Without the refusal, the others decide.
    let crawl = workspace.crawl(&site).arg("--ignore-block").env("ARCHIVE_URL", NOBODY);
    crawl.run().expect(3);
    assert_eq!(workspace.games_that_are("posted"), 7);
}
