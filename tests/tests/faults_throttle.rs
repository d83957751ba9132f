//! The site asks for silence: 429 and 503.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use dicechess_sim::{Endpoint, Fault, FaultRule, RetryAfter, SimServer};
use dicechess_tests::faults::{
    TRANSPORTS, asked_games, asked_players, newest_first, now, requests, small_site,
};
use dicechess_tests::{Invocation, Workspace};

/// Milliseconds between each request for a game and the next.
fn gaps(site: &SimServer) -> Vec<i64> {
    let log = requests(site, Endpoint::MoveHistory);
    log.windows(2).map(|pair| pair[1].at_ms - pair[0].at_ms).collect()
}

fn throttled(retry_after: RetryAfter) -> Fault {
    Fault::TooManyRequests { retry_after }
}

/// A catalogue without moves.
fn enumerated(site: &SimServer) -> Workspace {
    let workspace = Workspace::new();
    workspace.crawl(site).arg("--stages").arg("enumerate").run().expect(0);
    site.clear_log();
    workspace
}

#[tokio::test(flavor = "multi_thread")]
async fn a_throttled_request_waits_as_it_is_told_and_is_repeated() {
    let cases = [
        (throttled(RetryAfter::Seconds(1)), 1000),
        // The date has no fractions of a second.
        (throttled(RetryAfter::DateIn(2)), 1000),
        (Fault::Unavailable { retry_after: RetryAfter::Seconds(1) }, 1000),
        // Without a word about it: the base, a fifth less at most.
        (throttled(RetryAfter::Absent), 240),
        (Fault::Unavailable { retry_after: RetryAfter::Absent }, 240),
    ];
    let runs = cases.iter().flat_map(|(fault, least)| TRANSPORTS.map(|t| (fault, *least, t)));
    let mut waiting = Vec::new();
    for (fault, least, transport) in runs {
        let site = small_site(2, 3).await;
        let workspace = enumerated(&site);
        site.set_fault(FaultRule::new(fault.clone()).on(Endpoint::MoveHistory).next(1));
        let crawl = workspace.crawl(&site).env("TRANSPORT", transport);
        waiting.push((
            site,
            fault,
            least,
            crawl.env("REQUEST_BACKOFF_BASE_MS", "300").start(),
            workspace,
        ));
    }
    for (site, fault, least, running, workspace) in waiting {
        let finished = running.wait().expect(0);
        let gaps = gaps(&site);
        assert!(gaps[0] >= least, "{fault:?}: {gaps:?}");
        let games = newest_first(&site);
        assert_eq!(asked_games(&site), [games[0], games[0], games[1], games[2]], "{fault:?}");
        assert!(finished.stderr.contains("the site asks for silence"), "{}", finished.stderr);
        // The game was not marked for it.
        assert_eq!(workspace.games_that_are("posted"), 3);
        assert_eq!(workspace.database().number("SELECT sum(attempts) FROM games"), 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn waits_double_and_after_the_repeats_the_game_gets_its_timer() {
    for (transport, repeats) in [("curl", 1), ("reqwest", 3)] {
        let site = small_site(2, 4).await;
        let workspace = enumerated(&site);
        let games = newest_first(&site);
        let fault = throttled(RetryAfter::Absent);
        site.set_fault(FaultRule::new(fault).on(Endpoint::MoveHistory).game(games[1]));
        let finished = workspace
            .crawl(&site)
            .env("TRANSPORT", transport)
            .env("REQUEST_MAX_RETRIES", repeats.to_string())
            .env("REQUEST_BACKOFF_BASE_MS", "100")
            .run()
            .expect(0);

        let asked = asked_games(&site);
        let struck = asked.iter().filter(|game| **game == games[1]).count();
        assert_eq!((asked.len(), struck), (3 + 1 + repeats, 1 + repeats));
        for (nth, gap) in gaps(&site)[1..=repeats].iter().enumerate() {
            assert!(*gap >= 80 << nth, "wait {nth} was {gap} ms");
        }
        let row = workspace.game(games[1]);
        assert_eq!(row.status, "error/fetch");
        assert_eq!((row.attempts, row.retry_in_minutes, row.has_moves), (1, Some(5), false));
        let message = format!("throttled by the site, {repeats} repeats included");
        assert_eq!(row.last_error, message);
        assert!(finished.stderr.contains(&message));
        assert_eq!(workspace.games_that_are("posted"), 3);

        // Nothing more of it before the timer is due.
        site.clear_log();
        site.clear_faults();
        workspace.crawl(&site).run().expect(0);
        assert_eq!(site.log(), []);
        workspace.make_due();
        workspace.crawl(&site).run().expect(0);
        assert_eq!(asked_games(&site), [games[1]]);
        assert_eq!(workspace.games_that_are("posted"), 4);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_throttled_player_gets_his_timer_and_loses_nothing() {
    let site = small_site(2, 6).await;
    let workspace = Workspace::new();
    let whole = workspace.crawl(&site).env("ENUMERATE_PAGE_SIZE", "3");
    let crawl = || whole.clone().env("REQUEST_MAX_RETRIES", "2");
    let fault = Fault::Unavailable { retry_after: RetryAfter::Absent };
    let after_one = dicechess_sim::When::After { skip: 1, count: 3 };
    site.set_fault(FaultRule::new(fault).on(Endpoint::History).when(after_one));
    crawl().run().expect(0);

    let asked = asked_players(&site);
    assert!(asked[..4].iter().all(|player| *player == asked[0]), "{asked:?}");
    let row = workspace.player(asked[0]);
    assert_eq!((row.status.as_str(), row.attempts, row.offset), ("error", 1, 3));
    assert_eq!(row.retry_in_minutes, Some(5));
    assert_eq!(row.last_error, "throttled by the site, 2 repeats included");
    // The other one's history tells of the same games.
    assert_eq!(workspace.games_that_are("posted"), 6);

    site.clear_log();
    workspace.make_due();
    crawl().run().expect(0);
    let first = |entry: &dicechess_sim::LogEntry| entry.params["first"].as_u64().unwrap();
    let offsets: Vec<u64> = requests(&site, Endpoint::History).iter().map(first).collect();
    assert_eq!(offsets[0], 2, "it goes on behind the rows seen, one row of overlap: {offsets:?}");
    assert_eq!(workspace.players_that_are("synced"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_outlasts_a_restart_with_curl() {
    silence_outlasts_a_restart("curl").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_outlasts_a_restart_with_reqwest() {
    silence_outlasts_a_restart("reqwest").await;
}

async fn silence_outlasts_a_restart(transport: &str) {
    let site = small_site(2, 4).await;
    let workspace = enumerated(&site);
    let crawl = || -> Invocation {
        let crawl = workspace.crawl(&site).env("TRANSPORT", transport);
        crawl.env("REQUEST_MAX_RETRIES", "0").env("RUST_LOG", "info")
    };
    let fault = throttled(RetryAfter::Seconds(6));
    site.set_fault(FaultRule::new(fault).on(Endpoint::MoveHistory).next(1));
    // One game and then the end: the silence itself need not be waited for.
    crawl().arg("--max-games").arg("1").run().expect(0);
    let until = workspace.database().number("SELECT throttled_until_ms FROM site_memory");
    assert!(until > now().0 + 3000);
    assert!(workspace.status()["site"]["throttled_until"].is_string());

    // Asked to stop meanwhile, it does not wait for the end of the silence.
    let mut running = crawl().start();
    running.until("it waits", || workspace.status()["lease"].is_object());
    std::thread::sleep(std::time::Duration::from_millis(200));
    running.signal(rustix::process::Signal::TERM);
    running.wait().expect(0);
    assert!(now().0 < until, "the stop came in time");

    let finished = crawl().run().expect(0);
    let log = site.log();
    assert!(log.len() > 1 && log[1].at_ms >= until, "{} {until}", log[1].at_ms);
    // A wait of more than five seconds would be shown; this one is shorter by now.
    assert!(finished.stdout.contains("3 fetched"), "{}", finished.stdout);
    assert_eq!(workspace.games_that_are("posted"), 3);
    assert_eq!(workspace.games_that_are("error/fetch"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn five_throttled_games_in_a_row_stop_the_stage() {
    let site = small_site(2, 7).await;
    let workspace = enumerated(&site);
    site.set_fault(FaultRule::new(throttled(RetryAfter::Absent)).on(Endpoint::MoveHistory));
    let finished = workspace.crawl(&site).env("REQUEST_MAX_RETRIES", "1").run().expect(3);
    assert_eq!(site.log().len(), 10, "five games, twice each");
    assert!(finished.stdout.contains("the stage fetch stopped after five failures in a row"));
    assert_eq!(workspace.games_that_are("error/fetch"), 5);
    assert_eq!(workspace.games_that_are("discovered"), 2);
}
