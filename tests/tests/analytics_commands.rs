//! The commands over the embedded analytics: report, export, analytics.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use dicechess_sim::{SimServer, WorldSpec};
use dicechess_tests::Workspace;
use dicechess_tests::evidence::{postable, serve};
use rustix::process::Signal;
use serde_json::Value;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A backfilled world, and how many games its analytics holds.
async fn backfilled() -> (SimServer, Workspace, usize) {
    let spec = WorldSpec { seed: 21, players: 12, games: 70, ..WorldSpec::default() };
    let site = serve(spec).await;
    let workspace = Workspace::new();
    workspace.crawl(&site).run().expect(0);
    let games = {
        let world = site.world();
        postable(&world, &world.seed_ids()).len()
    };
    (site, workspace, games)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_report_is_a_table_json_and_a_picture() {
    let (_site, workspace, _) = backfilled().await;
    let reports: [&[&str]; 4] = [
        &["report", "dice"],
        &["report", "player", "1000"],
        &["report", "openings", "--min-games", "2"],
        &["report", "position", START],
    ];
    for report in reports {
        let table = workspace.command(report).run().expect(0).stdout;
        assert!(table.lines().count() > 5, "{report:?}: {table}");
        let json = workspace.command(report).arg("--json").run().expect(0).json();
        assert!(json.is_object(), "{report:?}");
        let picture = workspace.path().join("picture.svg");
        workspace.command(report).arg("--plot").arg(&picture).run().expect(0);
        let svg = std::fs::read_to_string(&picture).unwrap();
        assert!(svg.starts_with("<svg") || svg.starts_with("<?xml"), "{report:?}");
    }
    let wrong: [&[&str]; 3] = [
        &["report", "player", "999999999"],
        &["report", "position", "nonsense"],
        &["report", "openings", "--dice", "XYZ"],
    ];
    for report in wrong {
        let finished = workspace.command(report).run().expect(65);
        assert!(finished.stderr.starts_with("error: "), "{}", finished.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn exports_hold_every_game() {
    let (_site, workspace, games) = backfilled().await;
    let lines = workspace.command(["export", "games"]).run().expect(0).json_lines();
    let ids: BTreeSet<String> =
        lines.iter().map(|line| line["id"].as_str().unwrap().to_owned()).collect();
    assert_eq!(ids.len(), games);
    let csv = workspace.command(["export", "games", "--format", "csv"]).run().expect(0);
    assert!(csv.stdout.lines().count() > games, "a header and a row a game");
    let out = workspace.path().join("out");
    let parquet = ["export", "turns", "--format", "parquet", "--out"];
    workspace.command(parquet).arg(&out).run().expect(0);
    let years = std::fs::read_dir(out.join("turns")).unwrap().flatten();
    assert!(years.map(|year| year.file_name()).any(|name| name == "year=2026"));
    let nowhere = workspace.command(["export", "games", "--format", "parquet"]).run().expect(65);
    assert!(nowhere.stderr.contains("--out"), "{}", nowhere.stderr);
    workspace.command(["export", "players"]).run().expect(2);
}

#[tokio::test(flavor = "multi_thread")]
async fn analytics_is_served_alone() {
    let (_site, workspace, games) = backfilled().await;
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut service = workspace
        .command(["analytics"])
        .env("LISTEN", format!("127.0.0.1:{port}"))
        .env("INGEST_TOKEN", "t0ken")
        .start();
    let get = |path: &str| {
        let url = format!("http://127.0.0.1:{port}{path}");
        let out = std::process::Command::new("curl").args(["-s", "-m", "5", &url]).output();
        out.ok().map(|out| String::from_utf8(out.stdout).unwrap()).filter(|text| !text.is_empty())
    };
    service.until("it listens", || get("/version").is_some());
    let page: Value = serde_json::from_str(&get("/api/games?limit=1").unwrap()).unwrap();
    assert_eq!(page["total"], games);
    let described: Value = serde_json::from_str(&get("/openapi.json").unwrap()).unwrap();
    assert!(described["paths"]["/api/games"].is_object());
    assert!(get("/docs").unwrap().contains("<html"));
    service.signal(Signal::TERM);
    service.wait().expect(0);
}

#[test]
fn without_a_store_the_way_to_one_is_named() {
    let workspace = Workspace::new();
    for command in [&["report", "dice"][..], &["export", "games"]] {
        let finished = workspace.command(command).run().expect(65);
        assert!(finished.stderr.contains("crawl"), "{}", finished.stderr);
    }
}
