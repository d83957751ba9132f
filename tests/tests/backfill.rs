//! Clean backfills: everything that can be reached, byte for byte, once, at the least cost.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use dicechess_core::ids::{GameId, UserId};
use dicechess_core::site::parse_leaderboard;
use dicechess_sim::{Endpoint, PlayerKind, SimOptions, SimServer, World, WorldSpec};
use dicechess_tests::evidence::{
    by_game, fetchable, fetched_games, history_requests, overlapping_pages, postable, requests_to,
    serve, told, truth, without_names,
};
use dicechess_tests::{AnalyticsService, ArchiveService, Workspace};
use serde_json::{Value, json};

fn spec() -> WorldSpec {
    WorldSpec {
        seed: 11,
        players: 24,
        games: 170,
        unreachable_games: 4,
        equal_start_times: true,
        ..WorldSpec::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backfill_over_reqwest_is_complete_and_costs_the_least() {
    complete_and_cheap("reqwest").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backfill_over_curl_is_complete_and_costs_the_least() {
    complete_and_cheap("curl").await;
}

async fn complete_and_cheap(transport: &str) {
    let site = serve(spec()).await;
    let analytics = AnalyticsService::start().await;
    let workspace = Workspace::new();
    workspace.crawl_to(&site, &analytics).env("TRANSPORT", transport).run().expect(0);
    let seeds = site.world().seed_ids();
    assert_eq!(site.world().reachable_humans(&seeds).len(), 24, "the world is connected");

    raw_is_byte_exact(&site.world(), &seeds, &workspace);
    the_catalogue_is_right(&site.world(), &seeds, &workspace);
    the_first_perspective_wins_and_the_second_is_kept(&site.world(), &workspace);
    leaderboards_are_known(&site.world(), &workspace);
    posts_are_the_truth(&site.world(), &seeds, &workspace, &analytics);
    bundles_are_complete(&site.world(), &seeds, &workspace);
    status_is_exact(&site.world(), &seeds, &workspace);
    the_site_was_asked_the_least(&site, &seeds, 500);
}

fn raw_is_byte_exact(world: &World, seeds: &[UserId], workspace: &Workspace) {
    let rows = workspace.database().rows(
        "SELECT game_id, move_history_json, byte_size, archived_at IS NOT NULL FROM raw_game_data
         WHERE move_history_json IS NOT NULL ORDER BY game_id",
    );
    let expected = fetchable(world, seeds).into_iter().map(|id| {
        let body = world.state_map(id).unwrap();
        let size = body.len();
        vec![json!(id), json!(body), json!(size), json!(1)]
    });
    assert!(rows == expected.collect::<Vec<_>>(), "the raw copies are what the site sent");
}

fn the_catalogue_is_right(world: &World, seeds: &[UserId], workspace: &Workspace) {
    let rows = workspace.database().rows(
        "SELECT game_id, status, error_stage, white_user_id, black_user_id, started_at_ms,
             allow_doubling, result, time_initial_sec, time_increment_sec, is_cancelled,
             post_result, next_retry_at
         FROM games ORDER BY game_id",
    );
    let expected: Vec<Vec<Value>> = world
        .reachable_games(seeds)
        .into_iter()
        .map(|id| {
            let game = world.game(id).unwrap();
            let (status, stage, post) = match (game.is_cancelled, game.has_map) {
                (true, _) => ("skipped", None, None),
                (false, true) => ("posted", None, Some("created")),
                (false, false) => ("error", Some("normalize"), None),
            };
            vec![
                json!(id),
                json!(status),
                json!(stage),
                json!(game.white.0),
                json!(game.black.0),
                json!(game.started_at.0),
                json!(i64::from(game.allow_doubling)),
                json!(game.result()),
                json!((game.time_limit_min * 60.0).round() as i64),
                json!(game.time_bonus_sec),
                json!(i64::from(game.is_cancelled)),
                json!(post),
                Value::Null,
            ]
        })
        .collect();
    assert_eq!(rows, expected);
    let stages: BTreeSet<String> = rows.iter().map(|row| row[2].to_string()).collect();
    assert_eq!(stages.len(), 2, "some games have no map");
}

fn the_first_perspective_wins_and_the_second_is_kept(world: &World, workspace: &Workspace) {
    let told_by =
        |player: UserId| -> Vec<String> { world.history_page(player, None, 0, usize::MAX).rows };
    let rows = workspace.database().rows(
        "SELECT g.game_id, g.discovered_from, r.meta_source_user_id, r.history_meta_json
         FROM games AS g JOIN raw_game_data AS r USING (game_id)",
    );
    for row in &rows {
        assert_eq!(row[1], row[2]);
        let player = UserId(row[1].as_i64().unwrap());
        assert!(told_by(player).iter().any(|told| row[3] == **told), "{row:?}");
    }
    // A game of two humans is told twice; the second entry stays beside the first.
    let seconds = workspace.database().rows(
        "SELECT game_id, queried_user_id, entry_json FROM history_perspectives ORDER BY game_id",
    );
    let is_human = |id: UserId| world.player(id).unwrap().kind == PlayerKind::Human;
    let of_two: BTreeSet<GameId> = rows
        .iter()
        .map(|row| row[0].as_str().unwrap().parse().unwrap())
        .filter(|id| world.game(*id).is_some_and(|g| is_human(g.white) && is_human(g.black)))
        .collect();
    let kept: Vec<GameId> =
        seconds.iter().map(|row| row[0].as_str().unwrap().parse().unwrap()).collect();
    assert_eq!(kept, of_two.into_iter().collect::<Vec<_>>());
    for row in &seconds {
        let player = UserId(row[1].as_i64().unwrap());
        assert!(told_by(player).iter().any(|told| row[2] == **told));
    }
}

fn leaderboards_are_known(world: &World, workspace: &Workspace) {
    let boards = [("rating_classic", world.leaderboard()), ("rating_x2", world.x2_leaderboard())];
    for (column, body) in boards {
        let ratings = workspace.database().rows(&format!(
            "SELECT user_id, {column} FROM players WHERE {column} IS NOT NULL ORDER BY user_id"
        ));
        let mut expected: Vec<Vec<Value>> = parse_leaderboard(&body)
            .unwrap()
            .into_iter()
            .map(|row| vec![json!(row.user_id.0), json!(row.rating)])
            .collect();
        expected.sort_by_key(|row| row[0].as_i64());
        assert_eq!(ratings, expected);
    }
}

fn posts_are_the_truth(
    world: &World,
    seeds: &[UserId],
    workspace: &Workspace,
    analytics: &AnalyticsService,
) {
    let posts = analytics.posts();
    let bearer = format!("Bearer {}", AnalyticsService::TOKEN);
    for post in &posts {
        assert_eq!((post.method.as_str(), post.path.as_str()), ("POST", "/api/games"));
        assert_eq!((post.status, post.authorization.as_ref()), (201, Some(&bearer)));
        assert_eq!(analytics.body(post.game()).as_ref(), Some(&post.body));
    }
    let started: Vec<String> =
        posts.iter().map(|post| post.json()["started_at"].as_str().unwrap().to_owned()).collect();
    assert!(started.is_sorted_by(|newer, older| newer >= older), "newest game first");
    let posted = by_game(posts.iter().map(|post| post.json()));
    assert_eq!(posted.keys().copied().collect::<BTreeSet<_>>(), postable(world, seeds));
    for (id, body) in &posted {
        assert_eq!(told(body), truth(world, *id), "{id}");
    }

    // `normalize` makes the same of the same bytes, but for the names.
    let normalized = workspace.command(["normalize", "--jsonl"]).stdin(workspace.raw_lines());
    let normalized = normalized.run().expect(65).json_lines();
    let (games, errors): (Vec<Value>, Vec<Value>) =
        normalized.into_iter().partition(|line| line["error"].is_null());
    assert_eq!(errors.len(), fetchable(world, seeds).len() - posted.len());
    assert!(errors.iter().all(|line| line["error"]["kind"] == "no_state_map"));
    for (id, body) in by_game(games) {
        assert_eq!(without_names(body), without_names(posted[&id].clone()));
    }
    for body in posted.values() {
        for side in ["white_player", "black_player"] {
            let id = UserId(body[side]["external_id"].as_str().unwrap().parse().unwrap());
            let player = world.player(id).unwrap();
            let is_bot = player.kind == PlayerKind::Bot;
            assert_eq!(body[side]["player_type"], if is_bot { "bot" } else { "human" });
        }
    }
}

fn bundles_are_complete(world: &World, seeds: &[UserId], workspace: &Workspace) {
    let bundles = workspace.bundles();
    assert_eq!(bundles.keys().copied().collect::<BTreeSet<_>>(), fetchable(world, seeds));
    let rows = workspace.database().rows(
        "SELECT r.game_id, r.history_meta_json, r.created_at, r.move_history_fetched_at
         FROM raw_game_data AS r WHERE r.move_history_json IS NOT NULL",
    );
    for row in rows {
        let id: GameId = row[0].as_str().unwrap().parse().unwrap();
        let game = world.game(id).unwrap();
        let expected = format!(
            "{{\"source\":\"dicechess.com\",\"externalId\":\"{id}\",\"whiteUserId\":{},\
             \"blackUserId\":{},\"startedAt\":\"{}\",\"fetchedAt\":{},\"metaFetchedAt\":{},\
             \"artifacts\":{{\"history_meta\":{},\"move_history\":{}}}}}",
            game.white,
            game.black,
            game.started_at,
            row[3],
            row[2],
            row[1].as_str().unwrap(),
            world.state_map(id).unwrap(),
        );
        assert_eq!(bundles[&id], expected);
    }
}

fn status_is_exact(world: &World, seeds: &[UserId], workspace: &Workspace) {
    let games: Vec<_> =
        world.reachable_games(seeds).iter().map(|id| world.game(*id).unwrap()).collect();
    let humans = world.reachable_humans(seeds);
    let others: BTreeSet<UserId> = games
        .iter()
        .flat_map(|game| [game.white, game.black])
        .filter(|id| !humans.contains(id))
        .collect();
    let posted = games.iter().filter(|game| game.has_map && !game.is_cancelled).count();
    let cancelled = games.iter().filter(|game| game.is_cancelled).count();
    let least = world.least_requests(seeds, 500);
    let expected = json!({
        "players": {"pending": 0, "in_progress": 0, "synced": humans.len(), "error": 0,
                    "skipped": others.len()},
        "games": {"discovered": 0, "fetched": 0, "posted": posted, "rejected": 0,
                  "error_fetch": 0, "error_post": 0,
                  "error_normalize": games.len() - posted - cancelled, "skipped": cancelled},
        "archive_pending": 0,
        "site_requests": {"history": least.history, "move_history": least.move_history,
                          "leaderboard": least.leaderboard},
    });
    assert!(cancelled > 0 && !others.is_empty());
    let status = workspace.status();
    for (key, value) in expected.as_object().unwrap() {
        assert_eq!(&status[key], value, "{key}");
    }
}

fn the_site_was_asked_the_least(site: &SimServer, seeds: &[UserId], page_size: usize) {
    let log = site.log();
    let least = site.world().least_requests(seeds, page_size);
    assert_eq!(requests_to(&log, Endpoint::History), least.history);
    assert_eq!(requests_to(&log, Endpoint::MoveHistory), least.move_history);
    assert_eq!(log.len(), least.total());
    assert!(log.iter().all(|entry| entry.in_flight == 1), "one request at a time");
    assert!(log.iter().all(|entry| entry.status == 200));
    let is_honest = |agent: &Option<String>| {
        agent.as_ref().is_some_and(|agent| agent.starts_with("dicechess-sync/"))
    };
    assert!(log.iter().all(|entry| is_honest(&entry.user_agent)));
    let fetched = fetched_games(&log);
    let world = site.world();
    let started = |id: &GameId| world.game(*id).unwrap().started_at;
    assert!(fetched.is_sorted_by(|newer, older| started(newer) >= started(older)));
    assert_eq!(fetched.iter().collect::<BTreeSet<_>>().len(), fetched.len(), "none twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn small_pages_cost_one_row_of_overlap_each_also_for_a_whale() {
    let spec = WorldSpec { whale_games: 220, games: 120, players: 16, seed: 3, ..spec() };
    let site = serve(spec).await;
    let workspace = Workspace::new();
    let crawl = workspace.crawl(&site).env("ENUMERATE_PAGE_SIZE", "10");
    crawl.env("ENUMERATE_PAGE_SIZE_MAX", "10").run().expect(0);

    let world = site.world();
    let seeds = world.seed_ids();
    let pages: BTreeMap<UserId, usize> = world
        .reachable_humans(&seeds)
        .into_iter()
        .map(|id| (id, overlapping_pages(world.games_of(id).count(), 10)))
        .collect();
    assert!(pages.values().any(|pages| *pages > 15), "there is a whale");
    let mut asked = BTreeMap::new();
    for (player, _, _) in history_requests(&site.log()) {
        *asked.entry(player).or_insert(0) += 1;
    }
    assert_eq!(asked, pages);
    // Enumeration does not hold games back: after fifty pages the games found are fetched.
    let log = site.log();
    let first_fetch = log.iter().position(|entry| entry.endpoint == Some(Endpoint::MoveHistory));
    assert!(requests_to(&log, Endpoint::History) > 50);
    assert_eq!(requests_to(&log[..first_fetch.unwrap()], Endpoint::History), 50);
    assert_eq!(requests_to(&site.log(), Endpoint::MoveHistory), fetchable(&world, &seeds).len());
    assert!(site.log().iter().all(|entry| entry.in_flight == 1));
    assert_eq!(
        workspace.accepted().keys().copied().collect::<BTreeSet<_>>(),
        postable(&world, &seeds)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_player_with_more_games_than_a_page_gets_greater_pages() {
    let spec = WorldSpec { whale_games: 150, games: 80, players: 16, seed: 3, ..spec() };
    let site = serve(spec).await;
    let workspace = Workspace::new();
    let crawl = workspace.crawl(&site).env("ENUMERATE_PAGE_SIZE", "40");
    crawl.env("ENUMERATE_PAGE_SIZE_MAX", "1000").arg("--stages=enumerate").run().expect(0);
    let world = site.world();
    let pages = |id: &UserId| if world.games_of(*id).count() > 40 { 2 } else { 1 };
    let expected: usize = world.reachable_humans(&world.seed_ids()).iter().map(pages).sum();
    assert_eq!(requests_to(&site.log(), Endpoint::History), expected);
    assert_eq!(
        workspace.database().number("SELECT count(*) FROM games"),
        world.reachable_games(&world.seed_ids()).len() as i64
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_analytics_and_archive_have_already_stays() {
    let site = serve(WorldSpec { games: 60, players: 12, ..spec() }).await;
    let (analytics, archive) = (AnalyticsService::start().await, ArchiveService::start().await);
    let seeds = site.world().seed_ids();
    let game = *postable(&site.world(), &seeds).first().unwrap();
    let older = json!({"id": game, "source": "dicechess.com", "mode": "classic", "turns": [],
                       "initial_fen": "4k3/8/8/8/8/8/8/4K3 w - - 0 1"});
    analytics.keep(&older.to_string());
    archive.keep(game, "{\"older\":true}");

    let workspace = Workspace::new();
    let crawl = workspace.crawl_to(&site, &analytics).env("ARCHIVE_URL", archive.base_url());
    crawl.run().expect(0);
    assert_eq!(analytics.body(game), Some(older.to_string()));
    let results = workspace
        .database()
        .texts("SELECT post_result FROM games WHERE status = 'posted' ORDER BY post_result DESC");
    assert_eq!(results.iter().filter(|result| *result == "exists").count(), 1);
    assert_eq!(results.len(), postable(&site.world(), &seeds).len());

    assert_eq!(archive.bundles()[&game], "{\"older\":true}");
    assert_eq!(archive.bundles().len(), fetchable(&site.world(), &seeds).len());
    assert!(archive.puts().iter().all(|put| put.source == "dicechess.com"));
    assert_eq!(archive.puts().iter().filter(|put| put.status == 200).count(), 1);
    assert_eq!(workspace.status()["archive_pending"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_caps_its_pages_hides_nothing() {
    let spec = WorldSpec { whale_games: 60, games: 70, players: 12, ..spec() };
    let options = SimOptions { page_size_cap: Some(20), ..SimOptions::default() };
    let site = SimServer::start(World::generate(spec), options).await.unwrap();
    let workspace = Workspace::new();
    workspace.crawl(&site).arg("--stages=enumerate").run().expect(0);
    let world = site.world();
    let seeds = world.seed_ids();
    let known = workspace.database().texts("SELECT game_id FROM games");
    let known: BTreeSet<GameId> = known.iter().map(|id| id.parse().unwrap()).collect();
    assert_eq!(known, world.reachable_games(&seeds));
    let pages = |id: &UserId| overlapping_pages(world.games_of(*id).count(), 20);
    let expected: usize = world.reachable_humans(&seeds).iter().map(pages).sum();
    assert_eq!(requests_to(&site.log(), Endpoint::History), expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seed_that_the_site_does_not_know_costs_one_page() {
    let site = serve(WorldSpec { games: 60, players: 12, ..spec() }).await;
    let workspace = Workspace::new();
    let crawl = || workspace.crawl(&site).env("SEED_IDS", "1000, 424242");
    crawl().run().expect(0);
    let of_seed = |player: UserId| {
        let asked = history_requests(&site.log());
        asked.into_iter().filter(|(id, _, _)| *id == player).count()
    };
    assert_eq!(of_seed(UserId(424_242)), 1);
    let row = "SELECT sync_status, total_count, enumerate_complete, depth FROM players
        WHERE user_id = 424242";
    assert_eq!(workspace.database().rows(row), [[json!("synced"), json!(0), json!(1), json!(0)]]);
    assert_eq!(workspace.status()["players"]["error"], 0);
}
