//! The database fails: disk full, read-only, locked, damaged. The error names the file, nothing is
//! half-written, and the next run goes on.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use dicechess_sim::{Endpoint, Fault, FaultRule, SimServer};
use dicechess_tests::faults::{asked_games, distinct, newest_first, requests, small_site};
use dicechess_tests::{Database, Finished, Invocation, Workspace, binary};

/// A run that failed for want of its database.
#[track_caller]
fn storage_error(finished: Finished, file: &Path, what: &str) {
    let finished = finished.expect(74);
    let named = file.display().to_string();
    let error = finished.stderr.lines().find(|line| line.starts_with("error: "));
    let error = error.unwrap_or_else(|| panic!("no error: {}", finished.stderr));
    assert!(error.contains(&named) && error.contains(what), "{what}: {error}");
    assert!(!finished.stderr.contains("panicked"), "{}", finished.stderr);
}

/// What holds of every database, however the run that wrote it ended.
#[track_caller]
fn sound(file: &Path) {
    let database = Database::open(file);
    assert_eq!(database.texts("PRAGMA integrity_check"), ["ok"]);
    assert_eq!(database.rows("PRAGMA foreign_key_check").len(), 0);
    let last_table = "SELECT count(*) FROM sqlite_schema WHERE name = 'ix_games_to_post'";
    if database.number(last_table) == 0 {
        return;
    }
    // A game and its moves come in one transaction, a page and its offset too.
    let half_written = "SELECT count(*) FROM games LEFT JOIN raw_game_data AS r USING (game_id)
        WHERE (status IN ('fetched', 'posted')) <> (r.move_history_json IS NOT NULL)
            OR r.history_meta_json IS NULL OR attempts > 0";
    assert_eq!(database.number(half_written), 0);
}

/// All of the site is posted, and no game was asked for again after its moves were stored.
#[track_caller]
fn complete(file: &Path, site: &SimServer, asked_twice: usize) {
    sound(file);
    let posted = "SELECT count(*) FROM games WHERE status = 'posted'";
    let games = newest_first(site).len();
    assert_eq!(Database::open(file).number(posted), games as i64);
    let asked = asked_games(site);
    assert_eq!(distinct(&asked).len(), games);
    assert!(asked.len() <= games + asked_twice, "{} requests", asked.len());
}

fn command(program: &str, args: &[&str]) -> Output {
    Command::new(program).args(args).output().unwrap()
}

fn is_root() -> bool {
    command("id", &["-u"]).stdout == b"0\n"
}

/// A small disk of its own, where this machine lets us have one.
struct Disk(PathBuf);

impl Disk {
    fn mount(place: PathBuf, size: &str) -> Option<Self> {
        fs::create_dir(&place).unwrap();
        let options = format!("size={size}");
        let path = place.to_str().unwrap();
        let output = command("mount", &["-t", "tmpfs", "-o", &options, "tmpfs", path]);
        if output.status.success() {
            return Some(Self(place));
        }
        eprintln!("skipped: no tmpfs here: {}", String::from_utf8_lossy(&output.stderr));
        None
    }

    fn grow(&self, size: &str) {
        let options = format!("remount,size={size}");
        let output = command("mount", &["-o", &options, self.0.to_str().unwrap()]);
        assert!(output.status.success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        command("umount", &["--lazy", self.0.to_str().unwrap()]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_named_and_costs_nothing_that_was_there() {
    // Too small for the schema, for the catalogue, for the moves.
    for size in ["64k", "256k", "420k", "700k"] {
        let site = small_site(3, 18).await;
        let workspace = Workspace::new();
        let Some(disk) = Disk::mount(workspace.path().join("disk"), size) else { return };
        let file = disk.0.join("sync.db");
        let crawl = || workspace.crawl(&site).env("DB_PATH", &file);
        storage_error(crawl().run(), &file, "no space left");

        disk.grow("64m");
        sound(&file);
        crawl().run().expect(0);
        complete(&file, &site, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_on_the_size_of_files_is_an_error_like_others() {
    for ignores_signal in [true, false] {
        let site = small_site(3, 18).await;
        let workspace = Workspace::new();
        let invocation = workspace.crawl(&site);
        // 300 KiB a file: room for the schema, not for all moves.
        let script = match ignores_signal {
            true => "trap '' XFSZ; ulimit -f 600; exec \"$0\" crawl",
            false => "ulimit -c 0; ulimit -f 600; exec \"$0\" crawl",
        };
        let mut shell = Command::new("sh");
        shell.args(["-c", script]).arg(binary()).current_dir(workspace.path());
        let plain = invocation.command();
        shell.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let output = shell.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        if ignores_signal {
            assert_eq!(output.status.code(), Some(74), "{stderr}");
            assert!(stderr.contains(&workspace.db_path().display().to_string()), "{stderr}");
        } else {
            assert!(output.status.code() == Some(74) || output.status.signal().is_some());
        }
        sound(&workspace.db_path());
        workspace.crawl(&site).run().expect(0);
        complete(&workspace.db_path(), &site, 1);
    }
}

/// Makes a folder read-only for everybody, root included, until dropped.
struct ReadOnly(PathBuf);

impl ReadOnly {
    fn new(folder: &Path) -> Option<Self> {
        let path = folder.to_str().unwrap();
        if !is_root() {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o555)).unwrap();
            return Some(Self(folder.to_owned()));
        }
        let bound = command("mount", &["--bind", path, path]).status.success();
        if !bound {
            eprintln!("skipped: root writes everywhere, and no bind mount can be made here");
            return None;
        }
        let guard = Self(folder.to_owned());
        assert!(command("mount", &["-o", "remount,ro,bind", path]).status.success());
        Some(guard)
    }
}

impl Drop for ReadOnly {
    fn drop(&mut self) {
        if is_root() {
            command("umount", &["--lazy", self.0.to_str().unwrap()]);
        } else {
            let _ = fs::set_permissions(&self.0, fs::Permissions::from_mode(0o755));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_folder_is_named_and_nothing_is_asked() {
    let site = small_site(2, 6).await;
    let workspace = Workspace::new();
    let folder = workspace.path().join("data");
    let file = folder.join("sync.db");
    let crawl = || workspace.crawl(&site).env("DB_PATH", &file);
    fs::create_dir(&folder).unwrap();
    {
        // Nothing there yet.
        let Some(_guard) = ReadOnly::new(&folder) else { return };
        storage_error(crawl().run(), &file, "cannot be opened: is the folder writable");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    }
    crawl().arg("--max-games").arg("3").run().expect(0);
    let requests = site.log().len();
    let before = fs::read(&file).unwrap();
    {
        // A whole database.
        let _guard = ReadOnly::new(&folder).unwrap();
        storage_error(crawl().run(), &file, "writable");
        assert_eq!(fs::read(&file).unwrap(), before);
    }
    assert_eq!(site.log().len(), requests);
    crawl().run().expect(0);
    complete(&file, &site, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_file_is_named_and_nothing_is_asked() {
    let site = small_site(2, 6).await;
    let workspace = Workspace::new();
    let file = workspace.db_path();
    workspace.crawl(&site).arg("--max-games").arg("3").run().expect(0);
    let requests = site.log().len();
    let path = file.to_str().unwrap();
    let protect = |protect: bool| {
        if is_root() {
            let flag = if protect { "+i" } else { "-i" };
            return command("chattr", &[flag, path]).status.success();
        }
        let mode = if protect { 0o444 } else { 0o644 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).is_ok()
    };
    if !protect(true) {
        eprintln!("skipped: root writes everywhere, and chattr +i does not work here");
        return;
    }
    let finished = workspace.crawl(&site).run();
    assert!(protect(false));
    storage_error(finished, &file, "is read-only: make the file and its folder writable");
    assert_eq!(site.log().len(), requests);
    workspace.crawl(&site).run().expect(0);
    complete(&file, &site, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_that_can_be_no_database_is_named() {
    let site = small_site(2, 3).await;
    let workspace = Workspace::new();
    let folder = workspace.path().join("folder");
    fs::create_dir(&folder).unwrap();
    let crawl = |path: &Path| workspace.crawl(&site).env("DB_PATH", path);
    storage_error(crawl(&folder).run(), &folder, "cannot be opened");

    let obstacle = workspace.path().join("file");
    fs::write(&obstacle, "text").unwrap();
    storage_error(crawl(&obstacle.join("sync.db")).run(), &obstacle, "cannot be created");
    assert_eq!(fs::read(&obstacle).unwrap(), b"text");
    assert_eq!(site.log(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_another_program_locks_is_named_at_the_start() {
    let site = small_site(2, 6).await;
    let workspace = Workspace::new();
    workspace.crawl(&site).arg("--max-games").arg("3").run().expect(0);
    let (requests, before) = (site.log().len(), workspace.database().outcome());
    let other = rusqlite::Connection::open(workspace.db_path()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let finished = workspace.crawl(&site).run();
    assert!(finished.took.as_millis() >= 4500, "it waited for the other: {:?}", finished.took);
    storage_error(finished, &workspace.db_path(), "is locked by another process");
    assert_eq!(site.log().len(), requests);
    // Looking is possible meanwhile.
    assert_eq!(workspace.status()["games"]["posted"], 3);
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(workspace.database().outcome(), before);
    workspace.crawl(&site).run().expect(0);
    complete(&workspace.db_path(), &site, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_taken_in_the_middle_ends_the_run_and_loses_nothing() {
    let site = small_site(2, 6).await;
    let workspace = Workspace::new();
    let game = newest_first(&site)[2];
    site.set_fault(FaultRule::new(Fault::Stall { millis: 800 }).game(game).next(1));
    let mut running = workspace.crawl(&site).start();
    running.until("the third game is asked for", || asked_games(&site).len() == 3);
    let other = rusqlite::Connection::open(workspace.db_path()).unwrap();
    // Nobody keeps a write transaction open while waiting for the site.
    other.busy_timeout(std::time::Duration::from_millis(300)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    storage_error(running.wait(), &workspace.db_path(), "is locked by another process");
    other.execute_batch("ROLLBACK").unwrap();
    assert!(workspace.game(game).is_untouched());
    assert_eq!(workspace.games_that_are("fetched"), 2);
    sound(&workspace.db_path());
    // The lease of the ended process holds nobody up.
    let finished = workspace.crawl(&site).run().expect(0);
    assert!(finished.took.as_secs() < 20, "{:?}", finished.took);
    complete(&workspace.db_path(), &site, 1);
}

/// Commands that open the database.
fn commands(workspace: &Workspace, site: &SimServer) -> Vec<Invocation> {
    let mut commands = vec![workspace.crawl(site)];
    for args in [
        &["status"][..],
        &["status", "--json"],
        &["seed", "1000"],
        &["replay", "rejected"],
        &["refetch", "0b5f1c3e-9a77-4c11-8e55-00000000abcd"],
        &["show"],
        &["verify"],
    ] {
        commands.push(workspace.command(args));
    }
    commands
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_no_database_is_named_and_left_as_it_is() {
    let site = small_site(2, 3).await;
    let workspace = Workspace::new();
    let file = workspace.db_path();
    let text = "a letter, not a database. ".repeat(400);
    fs::write(&file, &text).unwrap();
    for command in commands(&workspace, &site) {
        storage_error(command.run(), &file, "is damaged or is no SQLite database");
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    assert_eq!(site.log(), []);
    fs::remove_file(&file).unwrap();
    workspace.crawl(&site).run().expect(0);
    complete(&file, &site, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_database_is_named_whatever_is_damaged() {
    let site = small_site(3, 12).await;
    let workspace = Workspace::new();
    let file = workspace.db_path();
    workspace.crawl(&site).arg("--max-games").arg("6").run().expect(0);
    let whole = fs::read(&file).unwrap();
    let page_of = |name: &str| {
        let sql = format!("SELECT rootpage FROM sqlite_schema WHERE name = '{name}'");
        workspace.database().number(&sql) as usize - 1
    };
    let page_size = workspace.database().number("PRAGMA page_size") as usize;
    let roots: Vec<(usize, &str)> =
        ["games", "players", "lease", "ix_games_to_fetch", "raw_game_data"]
            .map(|name| (page_of(name), name))
            .into();
    for (page, name) in roots {
        let mut damaged = whole.clone();
        damaged[page * page_size..][..page_size].fill(0xa5);
        fs::write(&file, &damaged).unwrap();
        let finished = workspace.crawl(&site).run();
        assert_eq!(finished.code(), Some(74), "{name}: {}{}", finished.stdout, finished.stderr);
        storage_error(finished, &file, "is damaged");
        for side in ["sync.db-wal", "sync.db-shm"] {
            let _ = fs::remove_file(workspace.path().join(side));
        }
    }
    let cut = &whole[..whole.len() / 2];
    fs::write(&file, cut).unwrap();
    storage_error(workspace.crawl(&site).run(), &file, "is damaged");

    // The backup is restored.
    for side in ["sync.db-wal", "sync.db-shm"] {
        let _ = fs::remove_file(workspace.path().join(side));
    }
    fs::write(&file, &whole).unwrap();
    workspace.crawl(&site).run().expect(0);
    let posted = workspace.games_that_are("posted");
    assert_eq!(posted, 12);
    sound(&file);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_database_of_another_program_or_of_a_newer_version_is_refused() {
    for (pragma, what) in [
        ("application_id = 252006673", "is not one of dicechess-sync"),
        ("user_version = 9999", "use the newer program"),
    ] {
        let site = small_site(2, 3).await;
        let workspace = Workspace::new();
        let file = workspace.db_path();
        if pragma.starts_with("user") {
            workspace.crawl(&site).run().expect(0);
            site.clear_log();
        }
        let other = rusqlite::Connection::open(&file).unwrap();
        other.execute_batch(&format!("PRAGMA {pragma}; CREATE TABLE theirs (x)")).unwrap();
        drop(other);
        for command in commands(&workspace, &site) {
            storage_error(command.run(), &file, what);
        }
        assert_eq!(requests(&site, Endpoint::History), []);
        let tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'theirs'";
        assert_eq!(Database::open(&file).number(tables), 1);
    }
}

#[test]
fn a_file_of_another_program_stays_as_it_is() {
    let workspace = Workspace::new();
    let file = workspace.db_path();
    let theirs = rusqlite::Connection::open(&file).unwrap();
    theirs.execute_batch("CREATE TABLE customers (id, name)").unwrap();
    drop(theirs);
    let before = fs::read(&file).unwrap();
    let game = "0b5f1c3e-9a77-4c11-8e55-00000000abcd";
    for command in [
        vec!["status"],
        vec!["verify"],
        vec!["show", game],
        vec!["watch", "list"],
        vec!["pair", "list"],
        vec!["replay", "posted"],
        vec!["seed", "7"],
        vec!["watch", "add", "7"],
    ] {
        storage_error(workspace.command(command).run(), &file, "is not one of dicechess-sync");
    }
    let looked_at = workspace.command(["doctor"]).run();
    assert!(
        looked_at.stdout.contains("is not a database of dicechess-sync"),
        "{}",
        looked_at.stdout
    );
    assert_eq!(fs::read(&file).unwrap(), before);

    fs::write(&file, "").unwrap();
    storage_error(workspace.command(["status"]).run(), &file, "is empty");
    assert_eq!(fs::read(&file).unwrap(), b"");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_analytics_store_is_named_before_anything_is_asked() {
    let site = small_site(2, 3).await;
    let workspace = Workspace::new();
    let file = workspace.analytics_db();
    fs::write(&file, "no database either".repeat(300)).unwrap();
    storage_error(workspace.crawl(&site).run(), &file, "");
    assert_eq!(site.log(), []);
    fs::remove_file(&file).unwrap();
    workspace.crawl(&site).run().expect(0);
    complete(&workspace.db_path(), &site, 0);
}
