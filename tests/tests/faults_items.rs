//! One request fails: what it costs the game or the player, and when it is tried again.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use dicechess_core::ids::GameId;
use dicechess_sim::{Endpoint, Fault, FaultRule, SimServer, When};
use dicechess_tests::faults::{
    TRANSPORTS, asked_games, asked_players, distinct, everybody, newest_first, requests, small_site,
};
use dicechess_tests::{Invocation, Workspace};

/// The timeout that runs with stalling answers have.
const TIMEOUT_MS: u64 = 1500;
const LATE_MS: u64 = 6000;

/// Faults of an answer, and how the message begins with either transport.
fn faults() -> [(Fault, &'static str); 10] {
    [
        (Fault::NotFound, "HTTP 404"),
        (Fault::Status { status: 500 }, "HTTP 500"),
        (Fault::Status { status: 502 }, "HTTP 502"),
        (Fault::Reset, "connection failed: "),
        (Fault::CutBody, "the body is cut off: "),
        (Fault::TruncatedJson, "the body is cut off after "),
        (Fault::NotJson, "the body is not JSON"),
        (Fault::Oversized, "the body is longer than 32 MiB"),
        (Fault::Stall { millis: LATE_MS }, "no answer within 1.5 s"),
        (Fault::StallBody { millis: LATE_MS }, "no answer within 1.5 s"),
    ]
}

fn crawl(workspace: &Workspace, site: &SimServer, transport: &str) -> Invocation {
    let crawl = workspace.crawl(site).env("TRANSPORT", transport);
    crawl.env("REQUEST_TIMEOUT_MS", TIMEOUT_MS.to_string())
}

/// A catalogue without moves.
fn enumerated(site: &SimServer) -> Workspace {
    let workspace = Workspace::new();
    workspace.crawl(site).arg("--stages").arg("enumerate").run().expect(0);
    site.clear_log();
    workspace
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_cannot_be_fetched_is_named_timed_and_tried_again_with_curl() {
    failing_games("curl").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_cannot_be_fetched_is_named_timed_and_tried_again_in_process() {
    failing_games("reqwest").await;
}

/// Each fault strikes a game of its own; no five of them come in a row.
async fn failing_games(transport: &str) {
    let site = small_site(3, 18).await;
    let workspace = enumerated(&site);
    let games = newest_first(&site);
    let places = [0, 1, 2, 3, 5, 6, 7, 8, 10, 11];
    for (place, (fault, _)) in places.iter().zip(faults()) {
        site.set_fault(FaultRule::new(fault).on(Endpoint::MoveHistory).game(games[*place]));
    }
    let finished = crawl(&workspace, &site, transport).run().expect(0);

    assert_eq!(asked_games(&site), games, "each game once, whatever came of it");
    for (place, (fault, message)) in places.iter().zip(faults()) {
        let row = workspace.game(games[*place]);
        assert_eq!(row.status, "error/fetch", "{fault:?}");
        assert_eq!((row.attempts, row.retry_in_minutes, row.has_moves), (1, Some(5), false));
        assert!(row.last_error.starts_with(message), "{fault:?}: {}", row.last_error);
        assert!(finished.stderr.contains(message), "{fault:?}: {}", finished.stderr);
    }
    assert_eq!(workspace.games_that_are("posted"), 8);
    assert_eq!(workspace.bundles().len(), 8);

    // Not before the timer is due.
    site.clear_log();
    crawl(&workspace, &site, transport).run().expect(0);
    assert_eq!(site.log(), []);

    site.clear_faults();
    workspace.make_due();
    crawl(&workspace, &site, transport).run().expect(0);
    assert_eq!(asked_games(&site), places.map(|place| games[place]));
    assert_eq!(workspace.games_that_are("posted"), 18);
    let marks = "SELECT count(*) FROM games WHERE attempts > 0 OR last_error IS NOT NULL
        OR next_retry_at IS NOT NULL";
    assert_eq!(workspace.database().number(marks), 0);
    for game in games {
        let stored = workspace.database().texts(&format!(
            "SELECT move_history_json FROM raw_game_data WHERE game_id = '{game}'"
        ));
        assert_eq!(stored, [site.world().state_map(game).unwrap()], "byte for byte");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_whose_history_fails_is_named_timed_and_tried_again_with_curl() {
    failing_players("curl").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_whose_history_fails_is_named_timed_and_tried_again_in_process() {
    failing_players("reqwest").await;
}

/// Four faults a run, each with a player of its own.
async fn failing_players(transport: &str) {
    let mut faults = faults().to_vec();
    faults.push((Fault::NoList, "the page has no gameHistoryList"));
    for few in faults.chunks(4) {
        let site = small_site(6, 12).await;
        let ids: Vec<_> = site.world().players().map(|player| player.id).collect();
        for (player, (fault, _)) in ids.iter().zip(few) {
            site.set_fault(FaultRule::new(fault.clone()).on(Endpoint::History).player(*player));
        }
        let workspace = Workspace::new();
        let crawl = || {
            let crawl = crawl(&workspace, &site, transport).env("SEED_IDS", everybody(&site));
            crawl.arg("--stages").arg("enumerate")
        };
        let finished = crawl().run().expect(0);
        assert_eq!(distinct(&asked_players(&site)).len(), 6);
        for (player, (fault, message)) in ids.iter().zip(few) {
            assert_eq!(asked_players(&site).iter().filter(|asked| *asked == player).count(), 1);
            let row = workspace.player(*player);
            assert_eq!((row.status.as_str(), row.attempts, row.offset), ("error", 1, 0));
            assert_eq!(row.retry_in_minutes, Some(5), "{fault:?}");
            assert!(row.last_error.starts_with(*message), "{fault:?}: {row:?}");
            assert!(finished.stderr.contains(*message), "{}", finished.stderr);
        }

        site.clear_log();
        crawl().run().expect(0);
        assert_eq!(site.log(), []);

        site.clear_faults();
        workspace.make_due();
        crawl().run().expect(0);
        assert_eq!(distinct(&asked_players(&site)), distinct(&ids[..few.len()]));
        assert_eq!(workspace.players_that_are("synced"), 6);
        assert_eq!(workspace.games_that_are("discovered"), 12);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tls_error_is_named() {
    for transport in TRANSPORTS {
        let site = small_site(2, 3).await;
        let workspace = enumerated(&site);
        let game = newest_first(&site)[0];
        let finished = crawl(&workspace, &site, transport)
            .env("SITE_BASE_URL", site.base_url().replace("http://", "https://"))
            .arg("--max-games")
            .arg("1")
            .run()
            .expect(0);
        let row = workspace.game(game);
        assert_eq!((row.status.as_str(), row.attempts), ("error/fetch", 1));
        assert!(row.last_error.starts_with("TLS error: "), "{transport}: {}", row.last_error);
        assert!(finished.stderr.contains("TLS error: "), "{}", finished.stderr);
        assert_eq!(site.log(), [], "no plain request is made instead");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_timer_doubles_up_to_six_hours() {
    let site = small_site(2, 3).await;
    let workspace = Workspace::new();
    let game = newest_first(&site)[1];
    let player = site.world().seed_ids()[1];
    site.set_fault(FaultRule::new(Fault::NotFound).game(game));
    site.set_fault(FaultRule::new(Fault::NoList).player(player));
    let expected = [5, 10, 20, 40, 80, 160, 320, 360, 360];
    for (nth, minutes) in expected.into_iter().enumerate() {
        crawl(&workspace, &site, "reqwest").run().expect(0);
        let row = workspace.game(game);
        assert_eq!((row.attempts, row.retry_in_minutes), (nth as i64 + 1, Some(minutes)));
        let row = workspace.player(player);
        assert_eq!((row.attempts, row.retry_in_minutes), (nth as i64 + 1, Some(minutes)));
        workspace.make_due();
    }
    assert_eq!(asked_games(&site).iter().filter(|asked| **asked == game).count(), 9);

    // A success ends it: the next failure begins with five minutes.
    site.clear_faults();
    crawl(&workspace, &site, "reqwest").run().expect(0);
    let row = workspace.game(game);
    assert_eq!((row.status.as_str(), row.attempts, row.retry_in_minutes), ("posted", 0, None));
    workspace.command(["refetch", &game.to_string()]).run().expect(0);
    site.set_fault(FaultRule::new(Fault::NotFound).game(game));
    site.set_fault(FaultRule::new(Fault::NoList).player(player));
    crawl(&workspace, &site, "reqwest").env("REFRESH_AFTER", "0s").run().expect(0);
    let row = workspace.game(game);
    assert_eq!((row.attempts, row.retry_in_minutes, row.has_moves), (1, Some(5), true));
    assert_eq!(workspace.player(player).retry_in_minutes, Some(5));
}

#[tokio::test(flavor = "multi_thread")]
async fn five_failures_in_a_row_stop_the_stage_and_no_other() {
    for transport in TRANSPORTS {
        let site = small_site(3, 12).await;
        let workspace = enumerated(&site);
        let games = newest_first(&site);
        let after_two = When::After { skip: 2, count: u64::MAX >> 1 };
        let fault = Fault::Status { status: 500 };
        site.set_fault(FaultRule::new(fault).on(Endpoint::MoveHistory).when(after_two));
        let finished = crawl(&workspace, &site, transport).run().expect(3);

        assert_eq!(asked_games(&site), games[..7]);
        assert_eq!(workspace.games_that_are("error/fetch"), 5);
        assert_eq!(workspace.games_that_are("posted"), 2);
        assert_eq!(workspace.bundles().len(), 2);
        let why = "the stage fetch stopped after five failures in a row, the last: HTTP 500.";
        assert!(finished.stdout.contains(why) && finished.stderr.contains(why));
        for game in &games[7..] {
            assert!(workspace.game(*game).is_untouched());
        }
        // The next pass counts from nothing.
        site.clear_faults();
        crawl(&workspace, &site, transport).run().expect(0);
        assert_eq!(workspace.games_that_are("posted"), 7);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_success_in_between_resets_the_count() {
    let site = small_site(3, 14).await;
    let workspace = enumerated(&site);
    let games = newest_first(&site);
    let struck: Vec<GameId> = (0..14).filter(|place| place % 5 < 4).map(|p| games[p]).collect();
    assert_eq!(struck.len(), 12);
    let fault = Fault::Status { status: 500 };
    let rule = FaultRule::new(fault).on(Endpoint::MoveHistory);
    site.set_fault(struck.iter().fold(rule, |rule, game| rule.game(*game)));
    crawl(&workspace, &site, "reqwest").run().expect(0);
    assert_eq!(asked_games(&site), games);
    assert_eq!(workspace.games_that_are("error/fetch"), 12);
    assert_eq!(workspace.games_that_are("posted"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn five_failing_histories_stop_the_enumeration_and_no_other_stage() {
    let site = small_site(8, 18).await;
    let workspace = Workspace::new();
    let crawl = || crawl(&workspace, &site, "reqwest").env("SEED_IDS", everybody(&site));
    let after_one = When::After { skip: 1, count: u64::MAX >> 1 };
    let fault = Fault::Status { status: 502 };
    site.set_fault(FaultRule::new(fault).on(Endpoint::History).when(after_one));
    let finished = crawl().run().expect(3);

    assert_eq!(requests(&site, Endpoint::History).len(), 6);
    assert_eq!(distinct(&asked_players(&site)).len(), 6, "six different players");
    let statuses = ["synced", "error", "pending"].map(|s| workspace.players_that_are(s));
    assert_eq!(statuses, [1, 5, 2]);
    let why = "the stage enumerate stopped after five failures in a row, the last: HTTP 502.";
    assert!(finished.stdout.contains(why), "{}", finished.stdout);
    // What the first history told of is fetched and posted.
    let known = workspace.games_that_are("posted");
    assert!(known > 0);
    assert_eq!(workspace.status()["queues"]["fetch"], 0);

    site.clear_faults();
    workspace.make_due();
    crawl().run().expect(0);
    assert_eq!(workspace.games_that_are("posted"), 18);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_goes_down_in_the_middle_costs_five_requests() {
    for transport in TRANSPORTS {
        let site = small_site(3, 18).await;
        let workspace = enumerated(&site);
        let invocation = crawl(&workspace, &site, transport).env("REQUEST_MIN_DELAY_MS", "50");
        let mut running = invocation.start();
        running.until("three games were asked for", || asked_games(&site).len() >= 3);
        site.shutdown().await;
        let finished = running.wait().expect(3);

        let fetched = workspace.games_that_are("posted");
        assert!((2..=13).contains(&fetched), "{fetched}");
        assert_eq!(workspace.games_that_are("error/fetch"), 5);
        assert_eq!(workspace.games_that_are("discovered"), 13 - fetched);
        let why =
            "the stage fetch stopped after five failures in a row, the last: connection failed: ";
        assert!(finished.stdout.contains(why), "{}", finished.stdout);

        // It is back: the rest is fetched at once, the five when their timers are due.
        let site = small_site(3, 18).await;
        crawl(&workspace, &site, transport).run().expect(0);
        assert_eq!(workspace.games_that_are("posted"), 13);
        workspace.make_due();
        crawl(&workspace, &site, transport).run().expect(0);
        assert_eq!(workspace.games_that_are("posted"), 18);
        assert_eq!(asked_games(&site).len(), 18 - fetched as usize, "none is fetched twice");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_is_down_from_the_beginning_costs_a_few_requests() {
    let site = small_site(8, 12).await;
    let everybody = everybody(&site);
    let workspace = Workspace::new();
    let invocation = crawl(&workspace, &site, "reqwest").env("SEED_IDS", &everybody);
    site.shutdown().await;
    invocation.run().expect(3);
    let statuses = ["error", "pending"].map(|status| workspace.players_that_are(status));
    assert_eq!(statuses, [5, 3]);
    let requests = workspace.status()["site_requests"].clone();
    assert_eq!(requests["history"], 5);

    let site = small_site(8, 12).await;
    workspace.make_due();
    let run = || crawl(&workspace, &site, "reqwest").env("SEED_IDS", &everybody);
    run().deadline(Duration::from_secs(60)).run().expect(0);
    assert_eq!(workspace.games_that_are("posted"), 12);
}
