//! The commands around a crawl: seed, status, replay, refetch, show, verify.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use dicechess_core::ids::GameId;
use dicechess_sim::{Endpoint, Fault, FaultRule, SimServer, WorldSpec};
use dicechess_tests::evidence::{fetchable, postable, requests_to, serve, without_names};
use dicechess_tests::{AnalyticsService, Scripted, Workspace};
use serde_json::Value;

async fn crawled() -> (SimServer, AnalyticsService, Workspace) {
    let spec = WorldSpec { seed: 13, players: 12, games: 70, ..WorldSpec::default() };
    let (site, analytics) = (serve(spec).await, AnalyticsService::start().await);
    let workspace = Workspace::new();
    workspace.crawl_to(&site, &analytics).run().expect(0);
    (site, analytics, workspace)
}

fn posted(site: &SimServer) -> BTreeSet<GameId> {
    let world = site.world();
    postable(&world, &world.seed_ids())
}

fn status_of(workspace: &Workspace, game: GameId) -> String {
    let sql = format!(
        "SELECT status || coalesce('/' || error_stage, '') FROM games WHERE game_id = '{game}'"
    );
    workspace.database().texts(&sql).remove(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn seeds_are_added_once_and_bots_are_not_walked() {
    let spec = WorldSpec { seed: 13, players: 12, games: 70, ..WorldSpec::default() };
    let site = serve(spec).await;
    let workspace = Workspace::new();
    let seed = workspace.command(["seed", "1000", "1037", "-41"]).run().expect(0);
    let (begun, added) = seed.stdout.split_once('\n').unwrap();
    assert_eq!(begun, format!("new database {}", workspace.db_path().display()));
    assert!(added.starts_with("3 added"), "{added}");
    let seed = workspace.command(["seed", "1000", "5"]).run().expect(0);
    assert!(seed.stdout.starts_with("1 added to the frontier, 1 already known"), "{}", seed.stdout);
    let rows = workspace.database().rows(
        "SELECT user_id, sync_status, player_type, discovered_via, depth FROM players ORDER BY 1",
    );
    let row = |id: i64, status: &str, kind: &str| -> Vec<Value> {
        vec![id.into(), status.into(), kind.into(), "manual".into(), 0.into()]
    };
    let expected = [
        row(-41, "skipped", "bot"),
        row(5, "pending", "human"),
        row(1000, "pending", "human"),
        row(1037, "pending", "human"),
    ];
    assert_eq!(rows, expected);
    // A crawl without SEED_IDS walks them.
    workspace.crawl(&site).without_env("SEED_IDS").run().expect(0);
    assert_eq!(workspace.accepted().len(), posted(&site).len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_posted_game_is_replaced_by_a_put() {
    let (site, analytics, workspace) = crawled().await;
    let all = posted(&site);
    let game = *all.first().unwrap();
    let body = without_names(serde_json::from_str(&analytics.body(game).unwrap()).unwrap());
    let before = analytics.posts().len();
    site.clear_log();

    let replay = workspace.command(["replay", "posted", &game.to_string()]).run().expect(0);
    assert!(replay.stdout.starts_with("1 game is "), "{}", replay.stdout);
    assert_eq!(status_of(&workspace, game), "fetched");
    workspace.crawl_to(&site, &analytics).run().expect(0);
    assert_eq!(status_of(&workspace, game), "posted");
    let puts = &analytics.posts()[before..];
    assert_eq!(puts.len(), 1);
    assert_eq!((puts[0].method.as_str(), puts[0].status), ("PUT", 200));
    assert_eq!(puts[0].path, format!("/api/games/{game}"));
    assert_eq!(without_names(puts[0].json()), body);

    workspace.command(["replay", "posted"]).run().expect(0);
    workspace.crawl_to(&site, &analytics).run().expect(0);
    let puts = &analytics.posts()[before + 1..];
    assert_eq!(puts.iter().map(|put| put.game()).collect::<BTreeSet<_>>(), all);
    assert!(puts.len() == all.len() && puts.iter().all(|put| put.method == "PUT"));
    assert_eq!(site.log(), [], "the site is not asked");

    // The replacement was sent: the next post of this game is an ordinary one again.
    workspace.command(["refetch", &game.to_string()]).run().expect(0);
    workspace.crawl_to(&site, &analytics).run().expect(0);
    let last = analytics.posts().pop().unwrap();
    assert_eq!((last.method.as_str(), last.status, last.game()), ("POST", 200, game));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_game_is_posted_after_a_replay() {
    let spec = WorldSpec { seed: 13, players: 12, games: 70, ..WorldSpec::default() };
    let (site, analytics) = (serve(spec).await, AnalyticsService::start().await);
    let workspace = Workspace::new();
    let reason = r#"{"detail":"Turn 1: illegal move sequence [a1a4]"}"#;
    analytics.script([422, 400, 413].map(|status| Scripted::new(status, reason)));
    workspace.crawl_to(&site, &analytics).run().expect(0);
    let rejected = workspace
        .database()
        .rows("SELECT game_id, reject_reason FROM games WHERE status = 'rejected'");
    assert_eq!(rejected.len(), 3);
    assert!(rejected.iter().all(|row| row[1] == reason));
    let game = rejected[0][0].as_str().unwrap().to_owned();

    workspace.command(["replay", "rejected", &game]).run().expect(0);
    let again = workspace.command(["replay", "rejected", &game]).run().expect(65);
    assert!(again.stderr.contains(&game) && again.stderr.contains("fetched"), "{}", again.stderr);
    let all = workspace.command(["replay", "rejected"]).run().expect(0);
    assert!(all.stdout.starts_with("2 games"), "{}", all.stdout);
    let left = "SELECT count(*) FROM games WHERE reject_reason IS NOT NULL OR attempts > 0";
    assert_eq!(workspace.database().number(left), 0);
    site.clear_log();
    workspace.crawl_to(&site, &analytics).run().expect(0);
    assert_eq!(workspace.status()["games"]["posted"], posted(&site).len());
    assert_eq!(site.log(), []);
    assert!(analytics.posts().iter().all(|post| post.method == "POST"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_parked_game_waits_for_a_replay_or_a_refetch() {
    let spec = WorldSpec { seed: 13, players: 12, games: 70, ..WorldSpec::default() };
    let (site, analytics) = (serve(spec).await, AnalyticsService::start().await);
    let game = *posted(&site).last().unwrap();
    site.set_fault(FaultRule::new(Fault::UnknownDie).game(game));
    let workspace = Workspace::new();
    let crawl = || workspace.crawl_to(&site, &analytics).run().expect(0);
    crawl();
    assert_eq!(status_of(&workspace, game), "error/normalize");
    let timer =
        format!("SELECT count(*) FROM games WHERE game_id = '{game}' AND next_retry_at IS NULL");
    assert_eq!(workspace.database().number(&timer), 1);
    let posts = analytics.posts().len();
    site.clear_log();
    crawl();
    assert_eq!(status_of(&workspace, game), "error/normalize", "it is parked");
    // The same program makes the same of the same bytes.
    workspace.command(["replay", "normalize", &game.to_string()]).run().expect(0);
    crawl();
    assert_eq!(status_of(&workspace, game), "error/normalize");
    assert_eq!((analytics.posts().len(), site.log().len()), (posts, 0));

    // The site knows better by now.
    site.clear_faults();
    workspace.command(["refetch", &game.to_string()]).run().expect(0);
    assert_eq!(status_of(&workspace, game), "discovered");
    crawl();
    assert_eq!(status_of(&workspace, game), "posted");
    assert_eq!(site.log().len(), 1);
    assert_eq!(revisions(&workspace, game).len(), 2);
}

/// Hash, whether the body is kept there, first and last seen.
fn revisions(workspace: &Workspace, game: GameId) -> Vec<Vec<Value>> {
    workspace.database().rows(&format!(
        "SELECT content_hash, body, first_seen_at, last_seen_at FROM raw_revisions
         WHERE game_id = '{game}' ORDER BY first_seen_at"
    ))
}

fn raw(workspace: &Workspace, game: GameId) -> String {
    let sql = format!("SELECT move_history_json FROM raw_game_data WHERE game_id = '{game}'");
    workspace.database().texts(&sql).remove(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refetched_game_keeps_every_revision() {
    let (site, analytics, workspace) = crawled().await;
    let game = *posted(&site).first().unwrap();
    let original = raw(&workspace, game);
    let refetch = || {
        workspace.command(["refetch", &game.to_string()]).run().expect(0);
        assert_eq!(raw(&workspace, game), original, "the raw copy stays until there is an answer");
        site.clear_log();
        workspace.crawl_to(&site, &analytics).run().expect(0);
        assert_eq!(requests_to(&site.log(), Endpoint::MoveHistory), 1);
    };
    let first_seen = revisions(&workspace, game);
    assert_eq!(first_seen.len(), 1);

    refetch();
    let same = revisions(&workspace, game);
    assert_eq!(same.len(), 1);
    assert_eq!((&same[0][0], &same[0][2]), (&first_seen[0][0], &first_seen[0][2]));
    assert!(same[0][3].as_str() > first_seen[0][3].as_str(), "it was seen again");
    assert_eq!(status_of(&workspace, game), "posted");

    site.set_fault(FaultRule::new(Fault::IllegalMove).game(game));
    refetch();
    let changed = raw(&workspace, game);
    assert_ne!(changed, original);
    let both = revisions(&workspace, game);
    assert_eq!(both.len(), 2);
    assert!(both.iter().any(|row| row[1] == original), "the older body is kept");

    site.clear_faults();
    workspace.command(["refetch", &game.to_string()]).run().expect(0);
    workspace.crawl_to(&site, &analytics).run().expect(0);
    assert_eq!(raw(&workspace, game), original);
    let back = revisions(&workspace, game);
    assert_eq!(back.len(), 2, "a body that comes again is no new revision");
    assert!(back.iter().any(|row| row[1] == changed));
}

#[tokio::test(flavor = "multi_thread")]
async fn replays_and_refetches_of_what_cannot_be_are_refused() {
    let (site, _analytics, workspace) = crawled().await;
    let unknown = "00000000-0000-4000-8000-000000000000";
    let cancelled = {
        let world = site.world();
        world.games().find(|game| game.is_cancelled).unwrap().id.to_string()
    };
    for (args, named) in [
        (["refetch", unknown].as_slice(), unknown),
        (&["refetch", &cancelled], &cancelled),
        (&["replay", "posted", unknown], unknown),
        (&["replay", "rejected", &cancelled], &cancelled),
        (&["show", unknown], unknown),
    ] {
        let ended = workspace.command(args).run();
        assert_eq!(ended.code(), Some(65), "{args:?}: {}", ended.stderr);
        assert!(ended.stderr.contains(named), "{args:?}: {}", ended.stderr);
    }
    assert_eq!(workspace.status()["games"]["posted"], posted(&site).len(), "nothing moved");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_is_shown_to_people_and_scripts() {
    let (site, analytics, workspace) = crawled().await;
    let world = site.world();
    for id in posted(&site) {
        let body: Value = serde_json::from_str(&analytics.body(id).unwrap()).unwrap();
        let json = workspace.command(["show", "--json", &id.to_string()]).run().expect(0).json();
        assert_eq!(without_names(json), without_names(body));
    }
    for id in posted(&site).into_iter().take(8) {
        let game = world.game(id).unwrap();
        let truth = world.truth(id).unwrap();
        let text = workspace.command(["show", &id.to_string()]).run().expect(0).stdout;
        assert!(text.contains(&id.to_string()));
        for player in [game.white, game.black] {
            assert!(text.contains(&format!("id {player}")), "{text}");
        }
        for turn in &truth.turns {
            let moves =
                if turn.moves.is_empty() { "passes".to_owned() } else { turn.moves.join(" ") };
            assert!(text.contains(&moves), "{moves}\n{text}");
        }
        assert!(text.contains("a b c d e f g h"), "the board\n{text}");
        for rank in 1..=8 {
            assert!(
                text.lines().any(|line| line.trim_start().starts_with(&format!("{rank}  "))),
                "rank {rank}\n{text}"
            );
        }
        assert!(text.contains("posted"));
    }
    // Without an id it is the latest game.
    let latest = "SELECT game_id FROM games JOIN raw_game_data USING (game_id)
        WHERE move_history_json IS NOT NULL ORDER BY started_at_ms DESC LIMIT 1";
    let latest = workspace.database().texts(latest).remove(0);
    let shown = workspace.command(["show"]).run().expect(0).stdout;
    assert!(shown.contains(&latest), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn verify_finds_what_would_be_refused() {
    let (site, analytics, workspace) = crawled().await;
    let (all, with_map) = {
        let world = site.world();
        (fetchable(&world, &world.seed_ids()).len(), posted(&site).len())
    };
    let outcome = workspace.database().outcome();
    let text = workspace.command(["verify"]).run().expect(0).stdout;
    assert!(text.contains(&format!("{all} raw games: {with_map} legal")), "{text}");
    assert!(text.contains("Nothing would be rejected"), "{text}");
    let found = workspace.command(["verify", "--json"]).run().expect(0).json();
    assert_eq!((&found["games"], &found["legal"]), (&all.into(), &with_map.into()));
    assert_eq!(found["without_map"], all - with_map);
    let turns: usize = {
        let world = site.world();
        posted(&site).iter().map(|id| world.truth(*id).unwrap().turns.len()).sum()
    };
    assert_eq!(found["turns"], turns);
    assert_eq!(workspace.database().outcome(), outcome, "it changes nothing");

    let games: Vec<GameId> = posted(&site).into_iter().take(2).collect();
    site.set_fault(FaultRule::new(Fault::UnknownSquare).game(games[0]));
    site.set_fault(FaultRule::new(Fault::IllegalMove).game(games[1]));
    for game in &games {
        workspace.command(["refetch", &game.to_string()]).run().expect(0);
    }
    workspace.crawl_to(&site, &analytics).run().expect(0);
    let found = workspace.command(["verify", "--json"]).run().expect(65).json();
    assert_eq!(found["legal"], with_map - 2);
    let problems = found["problems"].to_string();
    assert!(games.iter().all(|game| problems.contains(&game.to_string())), "{problems}");
    let text = workspace.command(["verify"]).run().expect(65).stdout;
    assert!(games.iter().all(|game| text.contains(&game.to_string())), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn output_in_a_pipe_has_no_colours_and_a_closed_pipe_is_no_error() {
    let (site, analytics, workspace) = crawled().await;
    site.set_fault(FaultRule::new(Fault::Status { status: 500 }).on(Endpoint::MoveHistory));
    let game = posted(&site).first().unwrap().to_string();
    workspace.command(["refetch", &game]).run().expect(0);
    let crawl = workspace.crawl_to(&site, &analytics).env("TERM", "xterm-256color").run().expect(0);
    assert!(crawl.stderr.contains("WARN"), "{}", crawl.stderr);
    for ended in [
        crawl,
        workspace.command(["status"]).run().expect(0),
        workspace.command(["verify"]).run().expect(0),
        workspace.command(["show", "nonsense"]).run().expect(2),
        workspace.command(["show"]).env("NO_COLOR", "1").run().expect(0),
    ] {
        assert!(!ended.stdout.contains('\u{1b}') && !ended.stderr.contains('\u{1b}'));
    }

    let lines = workspace.raw_lines().repeat(20);
    let file = workspace.path().join("lines.jsonl");
    std::fs::write(&file, lines).unwrap();
    let status = workspace.command(["status", "--json"]);
    let normalize = workspace.command(["normalize", "--jsonl"]).arg(&file);
    let show = workspace.command(["show"]);
    for run in [status, normalize, show] {
        let mut child = run.command().stderr(Stdio::piped()).spawn().unwrap();
        // Whoever reads goes away before anything comes.
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""));
    }
    let mut child =
        workspace.command(["normalize", "--jsonl"]).arg(&file).command().spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.starts_with("{\"id\":"), "{first}");
    assert_eq!(child.wait().unwrap().code(), Some(0), "as with head -1");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_summary_and_status_tell_the_numbers() {
    let spec = WorldSpec { seed: 13, players: 12, games: 70, ..WorldSpec::default() };
    let site = serve(spec).await;
    let workspace = Workspace::new();
    let crawl = workspace.crawl(&site).run().expect(0).stdout;
    let count = posted(&site).len();
    let (pages, fetched) = {
        let least = site.world().least_requests(&site.world().seed_ids(), 500);
        (least.history, least.move_history)
    };
    let summary = crawl.lines().next().unwrap();
    for part in [
        format!("{pages} pages"),
        format!("{fetched} fetched"),
        format!("{count} posted"),
        format!("{fetched} archived"),
    ] {
        assert!(summary.contains(&part), "{part}: {summary}");
    }
    let status = workspace.command(["status"]).run().expect(0).stdout;
    assert!(status.contains(&format!("{count} posted")), "{status}");
    assert!(status.contains("100.0 %"), "{status}");
    assert!(status.contains(&format!("{fetched} move_history")), "{status}");
    let dated = workspace.command(["status"]).env("DICECHESS_JWT", site.jwt()).run().expect(0);
    assert!(dated.stdout.contains("good until 2100"), "{}", dated.stdout);
}

#[test]
fn the_demo_backfills_a_site_of_its_own_and_goes_on() {
    let workspace = Workspace::new();
    let demo = || {
        let demo = workspace.command(["demo", "--dir", "demo", "--games", "60", "--players", "12"]);
        // What an operator has set for the real site is not for the demo.
        let demo = demo.env("SITE_BASE_URL", "https://dicechess.invalid");
        demo.env("TRANSPORT", "pigeon").run().expect(0).stdout
    };
    let first = demo();
    assert!(first.contains("can be reached") && first.contains("What to try next"), "{first}");
    assert!(!workspace.db_path().exists(), "it has a folder of its own");
    let again = demo();
    assert!(
        again.contains("This pass: 0 players swept, 0 pages, 0 new games; 0 fetched"),
        "{again}"
    );
    let database = workspace.path().join("demo").join("sync.db");
    for command in ["show", "status", "verify"] {
        let run = workspace.command([command]).env("DB_PATH", &database).run().expect(0);
        assert!(!run.stdout.is_empty());
    }
}

#[test]
fn the_simulated_site_can_be_crawled_from_another_shell() {
    let workspace = Workspace::new();
    let sim =
        workspace.command(["sim", "--listen", "127.0.0.1:0", "--games", "60", "--players", "12"]);
    let mut child = sim.command().stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut crawl = workspace.command(["crawl"]);
    for line in lines.by_ref().take(6) {
        let line = line.unwrap();
        let (name, value) = line.strip_prefix("export ").unwrap().split_once('=').unwrap();
        crawl = crawl.env(name, value);
    }
    let ended = crawl.run();
    let pid = rustix::process::Pid::from_raw(child.id().try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0), "Ctrl-C ends it");
    ended.expect(0);
    assert!(workspace.accepted().len() > 30);
    let beyond = workspace.command(["sim", "--listen", "0.0.0.0:0"]).run();
    assert_eq!(beyond.code(), Some(78), "loopback only: {}", beyond.stderr);
}

#[test]
fn only_humans_are_watched() {
    let workspace = Workspace::new();
    let refused = workspace.command(["watch", "add", "-5"]).run().expect(65);
    assert!(refused.stderr.contains("a bot of the site"), "{}", refused.stderr);
    assert!(!workspace.db_path().exists());
    let began = workspace.command(["seed", "7", "8"]).run().expect(0);
    let file = workspace.db_path();
    assert!(began.stdout.contains(&format!("new database {}", file.display())), "{}", began.stdout);
    let sql = "UPDATE players SET player_type = 'guest', sync_status = 'skipped' WHERE user_id = 8";
    workspace.change(sql);
    let refused = workspace.command(["watch", "add", "8"]).run().expect(65);
    assert!(refused.stderr.contains("is a guest"), "{}", refused.stderr);
    let added = workspace.command(["watch", "add", "7"]).run().expect(0);
    assert!(!added.stdout.contains("new database"), "{}", added.stdout);
    assert_eq!(workspace.database().number("SELECT count(*) FROM watches"), 1);
}

#[test]
fn players_whose_history_cannot_be_had_are_named() {
    let workspace = Workspace::new();
    workspace.command(["seed", "7"]).run().expect(0);
    workspace.change(
        "UPDATE players SET sync_status = 'error', attempts = 1, last_error = 'no route to host',
             next_retry_at = '2026-03-30T20:08:44.000Z'",
    );
    let told = workspace.command(["status"]).run().expect(0).stdout;
    let line = "7 (unnamed): no route to host; next try 2026-03-30T20:08:44.000Z";
    assert!(told.contains(line), "{told}");
    let json = workspace.command(["status", "--json"]).run().expect(0).json();
    assert_eq!(json["failed_players"][0]["reason"], "no route to host");
    let looked_at = workspace.command(["doctor"]).run().stdout;
    assert!(looked_at.contains("the last sweep failed for 1 of them"), "{looked_at}");
}
