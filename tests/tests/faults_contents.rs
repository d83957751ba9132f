//! Answers that are well-formed and wrong: broken entries and pages, games that cannot be
//! normalised, games that no rule allows.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use dicechess_core::ids::{GameId, UserId};
use dicechess_sim::{BrokenEntry, Endpoint, Fault, FaultRule, MissingMap, SimServer, When};
use dicechess_tests::faults::{ask, asked_games, newest_first, requests, small_site};
use dicechess_tests::{AnalyticsService, Scripted, Workspace};
use serde_json::Value;
use serde_json::value::RawValue;

/// The rows of a player's first page, byte for byte.
fn served_rows(site: &SimServer, player: UserId) -> Vec<String> {
    let body = format!(
        r#"{{"filters":{{"PLAYER_ID":"{player}"}},"pageSize":500,"first":0,"sortColumn":"DATE","isAsc":false}}"#
    );
    let head = format!("POST /api/player/history HTTP/1.1\nAuthorization: Bearer {}", site.jwt());
    let page = ask(site.base_url(), &head, &body);
    let page: BTreeMap<String, &RawValue> = serde_json::from_str(&page).unwrap();
    let rows: Vec<&RawValue> = serde_json::from_str(page["gameHistoryList"].get()).unwrap();
    rows.iter().map(|row| row.get().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_entry_costs_itself_and_is_kept() {
    for (entry, reason) in [
        (BrokenEntry::WrongType, "invalid type"),
        (BrokenEntry::LoneSurrogate, "hex escape"),
        (BrokenEntry::NotAnObject, "an object (a history entry)"),
        (BrokenEntry::NoOpponent, "historyOpponent is missing"),
    ] {
        // Two players who met only each other: both histories list the same six games.
        let site = small_site(2, 6).await;
        let workspace = Workspace::new();
        let games = newest_first(&site);
        site.set_fault(FaultRule::new(Fault::BrokenEntry { entry }).on(Endpoint::History));
        let finished = workspace.crawl(&site).run().expect(0);

        assert_eq!(workspace.games_that_are("posted"), 5, "{entry:?}");
        let known = workspace.database().texts("SELECT game_id FROM games");
        assert!(!known.contains(&games[1].to_string()));
        assert_eq!(workspace.players_that_are("synced"), 2);
        assert!(finished.stderr.contains("1 broken history entries skipped and kept"));
        assert!(finished.stdout.contains("broken history entries kept"), "{}", finished.stdout);
        assert_eq!(workspace.status()["broken_entries"], 2, "one of each player");

        let kept = workspace.database().rows(
            "SELECT user_id, entry_json, reason, seen_at IS NOT NULL FROM broken_entries
             ORDER BY user_id",
        );
        let ids = site.world().seed_ids();
        for (row, player) in kept.iter().zip(&ids) {
            assert_eq!(row[0], player.0);
            assert_eq!(row[1], served_rows(&site, *player)[1], "the very bytes");
            assert!(row[2].as_str().unwrap().contains(reason), "{entry:?}: {}", row[2]);
            assert_eq!(row[3], 1);
        }
        // The gap was looked for once more in the same pass, and is reported.
        assert_eq!(workspace.status()["gaps"].as_array().unwrap().len(), 2);
        assert!(finished.stdout.contains("5 of 6 known"), "{}", finished.stdout);

        // Mended a day later, the game is found.
        site.clear_faults();
        workspace.change(
            "UPDATE player_sweeps SET last_resweep_at_ms = last_resweep_at_ms - 25 * 3600000",
        );
        workspace.crawl(&site).env("REFRESH_AFTER", "0s").run().expect(0);
        assert_eq!(workspace.games_that_are("posted"), 6);
        assert_eq!(workspace.game(games[1]).status, "posted");
        assert_eq!(workspace.status()["broken_entries"], 2, "what was seen stays");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_entry_of_one_player_is_found_through_the_other() {
    let site = small_site(2, 6).await;
    let workspace = Workspace::new();
    let entry = BrokenEntry::WrongType;
    let player = site.world().seed_ids()[0];
    site.set_fault(FaultRule::new(Fault::BrokenEntry { entry }).player(player));
    workspace.crawl(&site).run().expect(0);
    assert_eq!(workspace.games_that_are("posted"), 6);
    assert_eq!(workspace.status()["broken_entries"], 1);
    // The player was swept before the other; his gap is closed when he is swept next.
    workspace.crawl(&site).env("REFRESH_AFTER", "0s").run().expect(0);
    assert_eq!(workspace.status()["gaps"], serde_json::json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_page_in_the_middle_leaves_the_offset_where_it_was() {
    let site = small_site(2, 9).await;
    let workspace = Workspace::new();
    let player = site.world().seed_ids()[0];
    let third = When::After { skip: 2, count: 1 };
    site.set_fault(FaultRule::new(Fault::NoList).player(player).when(third));
    let crawl = || {
        let crawl = workspace.crawl(&site).env("ENUMERATE_PAGE_SIZE", "3");
        crawl.env("ENUMERATE_PAGE_SIZE_MAX", "3")
    };
    crawl().arg("--stages").arg("enumerate").run().expect(0);
    let row = workspace.player(player);
    assert_eq!((row.status.as_str(), row.attempts), ("error", 1));
    assert_eq!(row.last_error, "the page has no gameHistoryList");
    let offset = row.offset;
    assert!(offset >= 5, "two pages were accepted: {offset}");

    site.clear_log();
    workspace.make_due();
    crawl().run().expect(0);
    let log = requests(&site, Endpoint::History);
    assert_eq!(log[0].params["first"].as_i64().unwrap(), offset - 1, "one row of overlap");
    assert_eq!(workspace.players_that_are("synced"), 2);
    assert_eq!(workspace.games_that_are("posted"), 9);
}

/// The key of the first state of a game for which something holds.
fn first_state(site: &SimServer, game: GameId, holds: impl Fn(&Value) -> bool) -> u64 {
    let body: Value = serde_json::from_str(&site.world().state_map(game).unwrap()).unwrap();
    let map = body["gameMoveHistoryStateMap"].as_object().unwrap();
    let states = map.iter().filter(|(_, state)| holds(state));
    states.map(|(key, _)| key.parse().unwrap()).min().unwrap()
}

fn has_move(state: &Value) -> bool {
    state["gameMoveHistoryMove"].is_object()
}

/// What the code cannot read, and what is said about the game then.
fn unreadable(site: &SimServer, games: &[GameId]) -> Vec<(Fault, GameId, String)> {
    let rolled = first_state(site, games[0], |state| state["dices"].get(0).is_some());
    let at = |game: GameId, what: &str| {
        format!("state {}: unknown {what}", first_state(site, game, has_move))
    };
    let no_map = |how, game| (Fault::NoMap { how }, game, "the game has no state map".to_owned());
    vec![
        (Fault::UnknownDie, games[0], format!("state {rolled}: unknown die \"X\"")),
        (Fault::UnknownPromotion, games[1], at(games[1], "promotion \"WHITE_JOKER\"")),
        (Fault::UnknownSquare, games[2], at(games[2], "square \"J9\"")),
        no_map(MissingMap::EmptyAnswer, games[3]),
        no_map(MissingMap::Null, games[4]),
        no_map(MissingMap::EmptyMap, games[5]),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_cannot_be_normalised_is_parked_with_its_raw_copy() {
    let site = small_site(3, 12).await;
    let workspace = Workspace::new();
    let games = newest_first(&site);
    let cases = unreadable(&site, &games);
    for (fault, game, _) in &cases {
        site.set_fault(FaultRule::new(fault.clone()).game(*game));
    }
    // Six in a row do not stop the stage.
    let finished = workspace.crawl(&site).run().expect(0);
    assert_eq!(workspace.games_that_are("posted"), 6);
    assert!(finished.stdout.contains("6 games parked"), "{}", finished.stdout);
    for (fault, game, message) in &cases {
        let row = workspace.game(*game);
        assert_eq!(row.status, "error/normalize", "{fault:?}");
        assert_eq!((row.attempts, row.retry_in_minutes), (1, None), "{fault:?}");
        assert_eq!(&row.last_error, message, "{fault:?}");
        assert!(row.has_moves && row.is_archived, "raw is kept and mirrored: {fault:?}");
    }

    // Parked: neither asked for nor tried again, however long it takes.
    site.clear_log();
    let finished = workspace.crawl(&site).run().expect(0);
    assert!(!finished.stdout.contains("games parked"), "{}", finished.stdout);
    assert_eq!(workspace.games_that_are("error/normalize"), 6);

    // The code as it is finds the same again; only what was asked for is tried.
    let one = games[1].to_string();
    workspace.command(["replay", "normalize", &one]).run().expect(0);
    assert_eq!(workspace.game(games[1]).status, "fetched");
    assert_eq!(workspace.games_that_are("error/normalize"), 5);
    workspace.command(["replay", "normalize"]).run().expect(0);
    assert_eq!(workspace.games_that_are("fetched"), 6);
    workspace.crawl(&site).run().expect(0);
    assert_eq!(workspace.games_that_are("error/normalize"), 6);
    assert_eq!(workspace.game(games[1]).attempts, 1, "counted from nothing");
    assert_eq!(site.log(), [], "a replay never asks the site");

    // Mended code, in a way: what is stored can be read now.
    for game in &games[..6] {
        let map = site.world().state_map(*game).unwrap().replace('\'', "''");
        workspace.change(&format!(
            "UPDATE raw_game_data SET move_history_json = '{map}' WHERE game_id = '{game}'"
        ));
    }
    workspace.command(["replay", "normalize"]).run().expect(0);
    workspace.crawl(&site).run().expect(0);
    assert_eq!(workspace.games_that_are("posted"), 12);
    assert_eq!(workspace.accepted().len(), 12);
    assert_eq!(site.log(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parked_game_that_the_site_has_mended_is_fetched_again_on_request() {
    let site = small_site(2, 3).await;
    let workspace = Workspace::new();
    let game = newest_first(&site)[0];
    site.set_fault(FaultRule::new(Fault::UnknownDie).game(game).next(1));
    workspace.crawl(&site).run().expect(0);
    assert_eq!(workspace.game(game).status, "error/normalize");
    site.clear_log();
    workspace.command(["refetch", &game.to_string()]).run().expect(0);
    workspace.crawl(&site).run().expect(0);
    assert_eq!(asked_games(&site), [game]);
    assert_eq!(workspace.game(game).status, "posted");
    let revisions = format!("SELECT count(*) FROM raw_revisions WHERE game_id = '{game}'");
    assert_eq!(workspace.database().number(&revisions), 2, "the broken answer is kept too");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_normalise_error_neither_counts_nor_resets() {
    let site = small_site(3, 12).await;
    let analytics = AnalyticsService::start().await;
    let workspace = Workspace::new();
    let games = newest_first(&site);
    for place in [2, 4] {
        let how = MissingMap::Null;
        site.set_fault(FaultRule::new(Fault::NoMap { how }).game(games[place]));
    }
    analytics.always(Some(Scripted::new(500, "{}")));
    workspace
        .crawl(&site)
        .env("ANALYTICS_BASE_URL", analytics.base_url())
        .env("INGEST_TOKEN", AnalyticsService::TOKEN)
        .run()
        .expect(3);
    let posted: Vec<_> = analytics.posts().iter().map(|post| post.game()).collect();
    assert_eq!(posted, [0, 1, 3, 5, 6].map(|place| games[place]));
    assert_eq!(workspace.games_that_are("error/normalize"), 2);
    assert_eq!(workspace.games_that_are("error/post"), 5);
    assert_eq!(workspace.games_that_are("fetched"), 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_no_rule_allows_is_rejected_with_the_reason() {
    let analytics = AnalyticsService::start().await;
    for is_embedded in [true, false] {
        let site = small_site(3, 8).await;
        let workspace = Workspace::new();
        let games = newest_first(&site);
        // Six of them in a row: a refusal is no failure and does not stop the stage.
        for game in &games[..6] {
            site.set_fault(FaultRule::new(Fault::IllegalMove).game(*game));
        }
        let crawl = || {
            let crawl = workspace.crawl(&site);
            if is_embedded {
                return crawl;
            }
            crawl
                .env("ANALYTICS_BASE_URL", analytics.base_url())
                .env("INGEST_TOKEN", AnalyticsService::TOKEN)
        };
        let finished = crawl().run().expect(0);
        assert!(finished.stdout.contains("6 games rejected"), "{}", finished.stdout);
        assert_eq!(workspace.games_that_are("posted"), 2);
        for game in &games[..6] {
            let row = workspace.game(*game);
            assert_eq!(row.status, "rejected");
            assert!(row.reject_reason.contains("illegal move sequence [a1h7"), "{row:?}");
            assert_eq!((row.attempts, row.retry_in_minutes), (0, None));
            assert!(row.has_moves && row.is_archived && row.last_error.is_empty());
        }
        // It stays rejected by itself; a replay sends it once more, to the same end.
        site.clear_log();
        crawl().run().expect(0);
        let posts = analytics.posts().len();
        workspace.command(["replay", "rejected"]).run().expect(0);
        assert_eq!(workspace.games_that_are("fetched"), 6);
        assert!(workspace.game(games[0]).reject_reason.is_empty());
        crawl().run().expect(0);
        assert_eq!(workspace.games_that_are("rejected"), 6);
        if !is_embedded {
            let again = &analytics.posts()[posts..];
            assert_eq!(again.len(), 6);
            assert!(again.iter().all(|post| post.method == "POST" && post.status == 422));
        }
        assert_eq!(site.log(), []);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_long_reason_500_characters_are_kept() {
    let site = small_site(2, 3).await;
    let analytics = AnalyticsService::start().await;
    let workspace = Workspace::new();
    let long: String = "ż漢🎲".chars().cycle().take(5000).collect();
    analytics.script([422, 400, 413].map(|status| Scripted::new(status, &long)));
    workspace
        .crawl(&site)
        .env("ANALYTICS_BASE_URL", analytics.base_url())
        .env("INGEST_TOKEN", AnalyticsService::TOKEN)
        .run()
        .expect(0);
    assert_eq!(workspace.games_that_are("rejected"), 3);
    for game in newest_first(&site) {
        let reason: String = long.chars().take(500).collect();
        assert_eq!(workspace.game(game).reject_reason, reason);
    }
}
