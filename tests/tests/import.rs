//! `import`: an archive alone is enough to begin anew.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use dicechess_core::ids::GameId;
use dicechess_sim::{Endpoint, SimServer, WorldSpec};
use dicechess_tests::evidence::{fetched_games, requests_to, serve, without_names};
use dicechess_tests::{Invocation, Workspace};
use serde_json::Value;

async fn crawled() -> (SimServer, Workspace) {
    let site = serve(WorldSpec { seed: 61, players: 9, games: 60, ..WorldSpec::default() }).await;
    let workspace = Workspace::new();
    workspace.crawl(&site).run().expect(0);
    (site, workspace)
}

fn import(workspace: &Workspace, archive: &Path) -> Invocation {
    workspace.command(["import"]).arg(archive).arg("--json")
}

/// What is stored of each game that has moves, bytes and times included.
fn raw(workspace: &Workspace) -> Vec<Vec<Value>> {
    workspace.database().rows(
        "SELECT game_id, history_meta_json, meta_source_user_id, move_history_json, byte_size,
             move_history_fetched_at, created_at
         FROM raw_game_data WHERE move_history_json IS NOT NULL ORDER BY game_id",
    )
}

fn catalogue(workspace: &Workspace) -> Vec<Vec<Value>> {
    workspace.database().rows(
        "SELECT game_id, white_user_id, black_user_id, discovered_from, started_at_ms,
             allow_doubling, result, time_initial_sec, time_increment_sec
         FROM games JOIN raw_game_data USING (game_id)
         WHERE move_history_json IS NOT NULL ORDER BY game_id",
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archive_becomes_the_database_it_came_from() {
    let (site, first) = crawled().await;
    let fresh = Workspace::new();
    let outcome = import(&fresh, &first.archive()).run().expect(0).json();
    let games = first.bundles().len();
    assert!(games > 20);
    assert_eq!((&outcome["bundles"], &outcome["imported"]), (&games.into(), &games.into()));
    assert_eq!((&outcome["known"], &outcome["broken"]), (&0.into(), &0.into()));
    assert_eq!(raw(&fresh), raw(&first));
    assert_eq!(catalogue(&fresh), catalogue(&first));
    assert_eq!(fresh.status()["games"]["fetched"], games);
    // Both sides of each game are in the frontier, humans to be swept, the others not.
    let players = "SELECT count(*) FROM players WHERE discovered_via = 'opponent' AND depth = 1";
    assert_eq!(fresh.database().number(players), outcome["new_players"].as_i64().unwrap());
    let missing = "SELECT count(*) FROM games WHERE
        white_user_id NOT IN (SELECT user_id FROM players)
        OR black_user_id NOT IN (SELECT user_id FROM players)";
    assert_eq!(fresh.database().number(missing), 0);
    let swept = "SELECT DISTINCT sync_status FROM players WHERE user_id < 0";
    assert_eq!(fresh.database().texts(swept), ["skipped"]);

    // Posted again they are the same documents, and the site is not asked for one of their moves.
    site.clear_log();
    fresh.crawl(&site).run().expect(0);
    assert_eq!(fetched_games(&site.log()), []);
    let documents = |workspace: &Workspace| -> Vec<(GameId, Value)> {
        workspace.accepted().into_iter().map(|(id, body)| (id, without_names(body))).collect()
    };
    assert_eq!(documents(&fresh), documents(&first));
    // Archived again they are the same bundles.
    assert_eq!(fresh.bundles(), first.bundles());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_can_be_repeated_and_goes_on_where_it_was_killed() {
    let (_site, first) = crawled().await;
    let games = first.bundles().len();
    let fresh = Workspace::new();
    let mut run = import(&fresh, &first.archive()).start();
    run.until("a portion", || fresh.db_path().exists());
    run.kill();
    import(&fresh, &first.archive()).run().expect(0);
    assert_eq!(raw(&fresh), raw(&first));
    let before = fresh.database().outcome();
    let again = import(&fresh, &first.archive()).run().expect(0).json();
    assert_eq!((&again["imported"], &again["known"]), (&0.into(), &games.into()));
    assert_eq!(fresh.database().outcome(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_extension_exports_is_read_line_by_line() {
    let (_site, first) = crawled().await;
    let bundles: Vec<String> = first.bundles().into_values().collect();
    let mut without_moves: Value = serde_json::from_str(&bundles[0]).unwrap();
    without_moves["artifacts"]["move_history"] = Value::Null;
    let mut lines = vec![without_moves.to_string(), String::new(), "no bundle".to_owned()];
    lines.extend(bundles.iter().cloned());
    let text = lines.join("\n");
    let file = first.path().join("export.jsonl");
    fs::write(&file, &text).unwrap();
    let from_file = Workspace::new();
    let outcome = import(&from_file, &file).run().expect(65).json();
    let numbers = |name: &str| outcome[name].as_u64().unwrap() as usize;
    assert_eq!(numbers("bundles"), bundles.len() + 2);
    assert_eq!(numbers("imported"), bundles.len());
    assert_eq!((numbers("without_moves"), numbers("broken")), (1, 1));
    let broken = outcome["broken_bundles"][0]["path"].as_str().unwrap();
    assert!(broken.ends_with("export.jsonl:3"), "{broken}");
    assert_eq!(raw(&from_file), raw(&first));
    assert_eq!(catalogue(&from_file), catalogue(&first));

    let from_input = Workspace::new();
    let whole = bundles.join("\n");
    import(&from_input, Path::new("-")).stdin(whole.into_bytes()).run().expect(0);
    assert_eq!(raw(&from_input), raw(&first));
}

#[tokio::test(flavor = "multi_thread")]
async fn games_of_the_configured_archive_count_as_archived() {
    let (_site, first) = crawled().await;
    let games = first.bundles().len();
    let fresh = Workspace::new();
    let pending = |workspace: &Workspace| workspace.status()["archive_pending"].clone();
    import(&fresh, &first.archive()).run().expect(0);
    assert_eq!(pending(&fresh), games);
    // The same directory by another name: now they are known to be there.
    let other_name = first.archive().join(".").join("..").join("archive");
    import(&fresh, &first.archive()).env("ARCHIVE_URL", &other_name).run().expect(0);
    assert_eq!(pending(&fresh), 0);
    let at_once = Workspace::new();
    import(&at_once, &first.archive()).env("ARCHIVE_URL", first.archive()).run().expect(0);
    assert_eq!(pending(&at_once), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_waits_for_its_moves_gets_them() {
    let (site, first) = crawled().await;
    let half = Workspace::new();
    half.crawl(&site).arg("--max-games").arg("5").run().expect(0);
    let posted = half.status()["games"]["posted"].as_u64().unwrap();
    let waiting = half.status()["games"]["discovered"].as_u64().unwrap();
    assert!(posted > 0 && waiting > 10);
    let outcome = import(&half, &first.archive()).run().expect(0).json();
    assert_eq!(outcome["imported"], waiting);
    assert_eq!(outcome["known"], 5);
    assert_eq!(half.status()["games"]["posted"], posted, "what is known stays as it is");
    site.clear_log();
    half.crawl(&site).run().expect(0);
    assert_eq!(requests_to(&site.log(), Endpoint::MoveHistory), 0);
    assert_eq!(half.accepted().len(), first.accepted().len());
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_bundles_are_named_and_stop_nothing() {
    let (_site, first) = crawled().await;
    let ids: Vec<GameId> = first.bundles().into_keys().collect();
    let path = |id: GameId| {
        let name = id.to_string();
        first.archive().join("dicechess.com").join(&name[..2]).join(format!("{name}.json.zst"))
    };
    let whole = fs::read(path(ids[0])).unwrap();
    fs::write(path(ids[0]), &whole[..whole.len() / 2]).unwrap();
    fs::write(path(ids[1]), zstd::encode_all(&b"{\"source\":\"dicechess.com\"}"[..], 1).unwrap())
        .unwrap();
    fs::copy(path(ids[3]), path(ids[2])).unwrap();
    fs::write(first.archive().join("dicechess.com/notes.txt"), "none of ours").unwrap();
    let fresh = Workspace::new();
    let ended = import(&fresh, &first.archive()).run().expect(65);
    let outcome = ended.json();
    assert_eq!((&outcome["broken"], &outcome["imported"]), (&3.into(), &(ids.len() - 3).into()));
    let named = outcome["broken_bundles"].as_array().unwrap();
    for (id, said) in [(0, "incomplete"), (1, "externalId"), (2, "it is the bundle of game")] {
        let broken = named.iter().find(|broken| broken["path"].as_str() == path(ids[id]).to_str());
        let reason = broken.unwrap()["reason"].as_str().unwrap();
        assert!(reason.contains(said), "{reason}");
    }
    let open = rusqlite::Connection::open(fresh.db_path()).unwrap();
    open.execute(
        "INSERT INTO lease VALUES (1, 'somebody', 'elsewhere', 7, NULL, ?1)",
        [dicechess_tests::evidence::now().0 + 20_000],
    )
    .unwrap();
    let held = import(&fresh, &first.archive()).run().expect(5);
    assert!(held.stderr.contains("process 7 on elsewhere"), "{}", held.stderr);
    let refused = import(&fresh, &first.archive().join("dicechess.com")).run().expect(65);
    assert!(refused.stderr.contains("no archive directory"), "{}", refused.stderr);
}
