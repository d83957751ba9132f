//! `backup` and `restore`: whole copies while a crawl runs, and putting them back.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;

use dicechess_sim::{Endpoint, Fault, FaultRule, SimServer, WorldSpec};
use dicechess_tests::evidence::{requests_to, serve};
use dicechess_tests::{Database, Workspace};
use rusqlite::Connection;

async fn crawled() -> (SimServer, Workspace) {
    let site = serve(WorldSpec { seed: 41, players: 8, games: 50, ..WorldSpec::default() }).await;
    let workspace = Workspace::new();
    workspace.crawl(&site).run().expect(0);
    (site, workspace)
}

/// The files beside each other whose names begin with a text.
fn names(folder: &Path, prefix: &str) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(prefix))
        .collect();
    names.sort();
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_whole_and_is_put_back() {
    let (_site, workspace) = crawled().await;
    let before = workspace.database().outcome();
    let accepted = workspace.accepted();
    let backup = workspace.command(["backup", "copies/", "--json"]).run().expect(0).json();
    let files = backup["files"].as_array().unwrap();
    let databases: Vec<_> = files.iter().map(|file| file["database"].as_str().unwrap()).collect();
    assert_eq!(databases, ["sync", "analytics"]);
    let path = workspace.path().join(files[0]["path"].as_str().unwrap());
    assert_eq!(files[0]["bytes"].as_u64().unwrap(), fs::metadata(&path).unwrap().len());
    let games = workspace.database().number("SELECT count(*) FROM games");
    assert_eq!(files[0]["rows"]["games"].as_i64().unwrap(), games);
    assert_eq!(Database::open(&path).outcome(), before);
    assert_eq!(names(&workspace.path().join("copies"), "").len(), 2, "nothing but the copies");

    // A lost machine: both databases are gone.
    for name in ["sync.db", "sync.db-wal", "sync.db-shm", "analytics.db"] {
        let _ = fs::remove_file(workspace.path().join(name));
    }
    let restored = workspace.command(["restore"]).arg(&path).run().expect(0);
    assert!(restored.stdout.contains("is in its place"), "{}", restored.stdout);
    assert_eq!(workspace.database().outcome(), before);
    assert_eq!(workspace.accepted(), accepted);
    assert_eq!(names(workspace.path(), "sync.db"), ["sync.db"]);
    workspace.command(["verify"]).run().expect(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_made_while_a_crawl_writes() {
    let site = serve(WorldSpec { seed: 42, players: 10, games: 120, ..WorldSpec::default() }).await;
    let workspace = Workspace::new();
    let mut crawl = workspace.crawl(&site).start();
    crawl.until("moves are fetched", || requests_to(&site.log(), Endpoint::MoveHistory) > 5);
    workspace.command(["backup", "copy.db", "--without-analytics"]).run().expect(0);
    crawl.wait().expect(0);
    let copy = Database::open(&workspace.path().join("copy.db"));
    // One state: each fetched game has its moves, whatever the crawl was doing.
    let torn = "SELECT count(*) FROM games WHERE status IN ('fetched', 'posted')
        AND game_id NOT IN (SELECT game_id FROM raw_game_data WHERE move_history_json IS NOT NULL)";
    assert_eq!(copy.number(torn), 0);
    assert!(copy.number("SELECT count(*) FROM raw_game_data") > 0);
    assert_eq!(copy.texts("PRAGMA journal_mode"), ["delete"], "it stands alone");
    assert!(!workspace.path().join("copy.analytics.db").exists());
    // Put back, it is a database to go on with: nothing that is known is asked for again.
    workspace.command(["restore", "copy.db", "--force"]).run().expect(0);
    let known = workspace
        .database()
        .number("SELECT count(*) FROM raw_game_data WHERE move_history_json IS NOT NULL");
    site.clear_log();
    workspace.crawl(&site).run().expect(0);
    let all = workspace
        .database()
        .number("SELECT count(*) FROM raw_game_data WHERE move_history_json IS NOT NULL");
    assert_eq!(requests_to(&site.log(), Endpoint::MoveHistory) as i64, all - known);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_overwritten_unasked() {
    let (_site, workspace) = crawled().await;
    workspace.command(["backup", "copy.db"]).run().expect(0);
    let first = fs::read(workspace.path().join("copy.db")).unwrap();
    let refused = workspace.command(["backup", "copy.db"]).run().expect(65);
    assert!(refused.stderr.contains("--force"), "{}", refused.stderr);
    assert_eq!(fs::read(workspace.path().join("copy.db")).unwrap(), first);
    workspace.command(["seed", "4711"]).run().expect(0);
    workspace.command(["backup", "copy.db", "--force"]).run().expect(0);
    assert_ne!(fs::read(workspace.path().join("copy.db")).unwrap(), first);

    workspace.command(["seed", "4712"]).run().expect(0);
    let refused = workspace.command(["restore", "copy.db"]).run().expect(65);
    assert!(refused.stderr.contains("--force"), "{}", refused.stderr);
    let known = "SELECT count(*) FROM players WHERE user_id IN (4711, 4712)";
    assert_eq!(workspace.database().number(known), 2);
    workspace.command(["restore", "copy.db", "--force"]).run().expect(0);
    assert_eq!(workspace.database().number(known), 1);
    let kept = names(workspace.path(), "sync.db.before-restore-");
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(Database::open(&workspace.path().join(&kept[0])).number(known), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_in_use_is_not_replaced() {
    let (site, workspace) = crawled().await;
    workspace.command(["backup", "copy.db"]).run().expect(0);
    workspace.command(["replay", "posted"]).run().expect(0);
    let before = workspace.database().outcome();
    site.set_fault(FaultRule::new(Fault::Stall { millis: 60_000 }).on(Endpoint::Leaderboard));
    workspace.command(["seed", "1"]).run().expect(0);
    let open = Connection::open(workspace.db_path()).unwrap();
    open.query_row("SELECT count(*) FROM games", [], |row| row.get::<_, i64>(0)).unwrap();
    let refused = workspace.command(["restore", "copy.db", "--force"]).run().expect(5);
    assert!(refused.stderr.contains("another process that has it open"), "{}", refused.stderr);
    drop(open);

    site.set_fault(FaultRule::new(Fault::Stall { millis: 60_000 }).on(Endpoint::History));
    let mut crawl = workspace.crawl(&site).start();
    crawl.until("a lease", || workspace.database().number("SELECT count(*) FROM lease") == 1);
    let restore = ["restore", "copy.db", "--force", "--without-analytics"];
    let refused = workspace.command(restore).run().expect(5);
    assert!(refused.stderr.contains(&format!("process {}", crawl.pid())), "{}", refused.stderr);
    crawl.kill();
    assert_eq!(workspace.database().outcome().len(), before.len() + 1);
    // Its holder is dead, so nobody uses the database.
    workspace.command(["restore", "copy.db", "--force"]).run().expect(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_a_crawl_is_held_by_nobody() {
    let (site, workspace) = crawled().await;
    workspace.command(["seed", "1"]).run().expect(0);
    site.set_fault(FaultRule::new(Fault::Stall { millis: 60_000 }).on(Endpoint::History));
    let mut crawl = workspace.crawl(&site).start();
    let leases = "SELECT count(*) FROM lease";
    crawl.until("a lease", || workspace.database().number(leases) == 1);
    workspace.command(["backup", "copy.db"]).run().expect(0);
    let at = |name: &str| workspace.path().join(name);
    assert_eq!(Database::open(&at("copy.db")).number(leases), 0);
    // As earlier versions copied it, with the lease of a process that lives.
    fs::copy(at("copy.db"), at("older.db")).unwrap();
    let lease = {
        let sql = "SELECT quote(holder) || ',' || quote(host) || ',' || quote(pid) || ',' ||
            quote(process_start) || ',' || quote(expires_at_ms) FROM lease";
        workspace.database().texts(sql).remove(0)
    };
    let older = Connection::open(at("older.db")).unwrap();
    let sql = format!(
        "INSERT INTO lease (id, holder, host, pid, process_start, expires_at_ms) VALUES (1,{lease})"
    );
    older.execute_batch(&sql).unwrap();
    drop(older);
    for backup in ["copy.db", "older.db"] {
        let elsewhere = workspace.path().join("elsewhere.db");
        let restore = || {
            let command = ["restore", backup, "--without-analytics", "--db-path"];
            workspace.command(command).arg(&elsewhere)
        };
        restore().run().expect(0);
        restore().arg("--force").run().expect(0);
        assert_eq!(Database::open(&elsewhere).number(leases), 0, "{backup}");
        fs::remove_file(&elsewhere).unwrap();
    }
    crawl.kill();
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_restored_when_one_of_the_databases_is_in_use() {
    let (_site, workspace) = crawled().await;
    workspace.command(["backup", "copy.db"]).run().expect(0);
    let analytics = fs::read(workspace.analytics_db()).unwrap();
    let open = Connection::open(workspace.db_path()).unwrap();
    open.query_row("SELECT count(*) FROM games", [], |row| row.get::<_, i64>(0)).unwrap();
    workspace.command(["restore", "copy.db", "--force"]).run().expect(5);
    drop(open);
    assert_eq!(fs::read(workspace.analytics_db()).unwrap(), analytics);
    assert_eq!(names(workspace.path(), "analytics.db.before"), Vec::<String>::new());

    let open = Connection::open(workspace.analytics_db()).unwrap();
    open.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0)).unwrap();
    workspace.command(["restore", "copy.db", "--force"]).run().expect(5);
    assert_eq!(names(workspace.path(), "sync.db"), ["sync.db"]);
    drop(open);

    let refused = workspace.command(["restore", "copy.analytics.db", "--force"]).run().expect(65);
    assert!(refused.stderr.contains("name copy.db"), "{}", refused.stderr);
    let refused = workspace.command(["restore", "copy.db"]).run().expect(65);
    assert!(refused.stderr.contains("sync.db exists"), "{}", refused.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_whole_backup_is_refused() {
    let (_site, workspace) = crawled().await;
    let at = |name: &str| workspace.path().join(name);
    workspace.command(["backup", "copy.db"]).run().expect(0);
    let before = fs::read(at("copy.db")).unwrap();
    let mut damaged = before.clone();
    let middle = damaged.len() / 2;
    damaged[middle..middle + 8192].fill(0xa5);
    fs::write(at("damaged.db"), damaged).unwrap();
    fs::write(at("cut.db"), &before[..before.len() / 2]).unwrap();
    fs::write(at("text.db"), "no database at all".repeat(100)).unwrap();
    fs::copy(at("copy.db"), at("newer.db")).unwrap();
    let newer = Connection::open(at("newer.db")).unwrap();
    newer.pragma_update(None, "user_version", 1000).unwrap();
    drop(newer);
    for (name, said) in [
        ("damaged.db", "damaged"),
        ("cut.db", "damaged"),
        ("text.db", "no SQLite database"),
        ("newer.db", "version 1000"),
        ("copy.analytics.db", "is not a database of dicechess-sync"),
    ] {
        let refused =
            workspace.command(["restore", name, "--force", "--without-analytics"]).run().expect(65);
        assert!(refused.stderr.contains(said), "{name}: {}", refused.stderr);
    }
    workspace.command(["restore", "absent.db", "--force"]).run().expect(74);
    assert_eq!(names(workspace.path(), "sync.db"), ["sync.db"], "nothing was touched");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_takes_the_place_of_a_damaged_database() {
    let (_site, workspace) = crawled().await;
    let before = workspace.database().outcome();
    workspace.command(["backup", "copy.db"]).run().expect(0);
    let damaged = "damaged beyond reading".repeat(1000);
    fs::write(workspace.db_path(), &damaged).unwrap();
    fs::write(workspace.path().join("sync.db-wal"), "a log that must not be applied").unwrap();
    workspace.command(["status"]).run().expect(74);
    let refused = workspace.command(["backup", "of-damaged.db"]).run().expect(74);
    assert!(refused.stderr.contains("sync.db is not usable"), "{}", refused.stderr);
    assert!(!workspace.path().join("of-damaged.db").exists());
    workspace.command(["restore", "copy.db", "--force"]).run().expect(0);
    assert_eq!(workspace.database().outcome(), before);
    workspace.command(["status"]).run().expect(0);
    let kept = names(workspace.path(), "sync.db.before-restore-");
    let kept = fs::read(workspace.path().join(&kept[0])).unwrap();
    assert_eq!(kept, damaged.as_bytes(), "it is not ours to throw away");
}
