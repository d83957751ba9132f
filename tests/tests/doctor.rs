//! `doctor`: what is wrong is found and named, nothing is changed, no secret is shown.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use dicechess_sim::{Endpoint, Fault, FaultRule, SimServer, WorldSpec};
use dicechess_tests::evidence::{now, serve};
use dicechess_tests::{AnalyticsService, ArchiveService, Finished, Invocation, Workspace};
use rusqlite::Connection;
use serde_json::Value;

async fn crawled() -> (SimServer, Workspace) {
    let site = serve(WorldSpec { seed: 71, players: 6, games: 30, ..WorldSpec::default() }).await;
    let workspace = Workspace::new();
    workspace.crawl(&site).run().expect(0);
    (site, workspace)
}

/// A doctor with the settings of a crawl.
fn doctor(workspace: &Workspace, site: &SimServer) -> Invocation {
    let seeds: Vec<String> = site.world().seed_ids().iter().map(ToString::to_string).collect();
    workspace
        .command(["doctor", "--json"])
        .env("SITE_BASE_URL", site.base_url())
        .env("DICECHESS_JWT", site.jwt())
        .env("SEED_IDS", seeds.join(","))
        .env("REQUEST_MIN_DELAY_MS", "0")
        .env("REQUEST_JITTER_MS", "0")
}

/// The findings of a check: verdict and message.
fn of(ended: &Finished, check: &str) -> Vec<(String, String)> {
    let text = |finding: &Value, field: &str| finding[field].as_str().unwrap().to_owned();
    let report = ended.json();
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .filter(|finding| finding["check"] == check)
        .map(|finding| (text(finding, "verdict"), text(finding, "message")))
        .collect()
}

#[track_caller]
fn found(ended: &Finished, check: &str, verdict: &str, said: &str) {
    let findings = of(ended, check);
    let is_there = findings.iter().any(|(found, text)| found == verdict && text.contains(said));
    assert!(is_there, "{check} {verdict} {said:?} is not in {findings:?}\n{}", ended.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sound_set_up_has_no_problem_and_stays_as_it_is() {
    let (site, workspace) = crawled().await;
    site.clear_log();
    let before = workspace.database().outcome();
    let ended = doctor(&workspace, &site).arg("--full").run().expect(0);
    assert_eq!(ended.json()["problems"], 0);
    for check in [
        "configuration",
        "token",
        "clock",
        "disk",
        "database",
        "analytics db",
        "write-ahead log",
        "growth",
        "lease",
        "site access",
        "curl",
        "analytics",
        "archive",
        "listen",
    ] {
        found(&ended, check, "ok", "");
    }
    assert_eq!(site.log(), [], "the site is not asked");
    assert_eq!(workspace.database().outcome(), before);
    let people = workspace.command(["doctor"]).env("SITE_BASE_URL", site.base_url()).run();
    assert!(people.expect(0).stdout.contains("0 problems"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_site_is_asked_once_when_told_to() {
    let (site, workspace) = crawled().await;
    site.clear_log();
    let ask = || doctor(&workspace, &site).arg("--ask-site");
    let ended = ask().run().expect(0);
    found(&ended, "site", "ok", "lets us in");
    found(&ended, "clock skew", "ok", "the site");
    assert_eq!(site.log().len(), 1);
    assert_eq!(workspace.database().number("SELECT count(*) FROM lease"), 0);

    site.set_fault(FaultRule::new(Fault::Unauthorized).on(Endpoint::History).next(1));
    found(&ask().run().expect(4), "site", "problem", "does not accept the token");
    found(&doctor(&workspace, &site).run().expect(4), "site access", "problem", "refused at");
    // A refusal does not keep whoever asks from seeing that it is over.
    found(&ask().run().expect(4), "site", "ok", "lets us in");
    doctor(&workspace, &site).run().expect(0);

    site.clear_log();
    let database = Connection::open(workspace.db_path()).unwrap();
    let soon = now().0 + 60_000;
    database.execute("UPDATE site_memory SET throttled_until_ms = ?1", [soon]).unwrap();
    let ended = ask().run().expect(0);
    found(&ended, "throttle", "warning", "silence until");
    found(&ended, "site", "warning", "not asked");
    database.execute("UPDATE site_memory SET throttled_until_ms = NULL", []).unwrap();
    database
        .execute("INSERT INTO lease VALUES (1, 'x', 'elsewhere', 7, NULL, ?1)", [soon - 40_000])
        .unwrap();
    let ended = ask().run().expect(0);
    found(&ended, "lease", "ok", "held by process 7 on elsewhere");
    found(&ended, "site", "warning", "process 7 crawls");
    assert_eq!(site.log(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_and_secrets_are_looked_at_without_being_shown() {
    let (site, workspace) = crawled().await;
    let file = |name: &str, mode: u32| {
        let path = workspace.path().join(name);
        fs::write(&path, format!("{}\n", site.jwt())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let with_file = |path: &Path| {
        doctor(&workspace, &site).without_env("DICECHESS_JWT").env("DICECHESS_JWT_FILE", path)
    };
    let safe = with_file(&file("jwt", 0o600)).run().expect(0);
    found(&safe, "secret files", "ok", "DICECHESS_JWT_FILE");
    let open = with_file(&file("open-jwt", 0o644)).run().expect(0);
    found(&open, "secret files", "warning", "mode 644");
    let absent = with_file(&workspace.path().join("absent")).run().expect(78);
    found(&absent, "secret files", "problem", "cannot be read");
    found(&absent, "configuration", "problem", "DICECHESS_JWT_FILE");
    found(&absent, "database", "ok", "");

    let toml = workspace.path().join("settings.toml");
    fs::write(&toml, format!("dicechess_jwt = '{}'\n", site.jwt())).unwrap();
    let in_toml = doctor(&workspace, &site).env("CONFIG_FILE", &toml).run().expect(0);
    found(&in_toml, "secret files", "warning", "CONFIG_FILE");

    let elsewhere = doctor(&workspace, &site)
        .without_env("DICECHESS_JWT")
        .env("SITE_BASE_URL", "https://site.invalid")
        .env("REQUEST_MIN_DELAY_MS", "3000")
        .run()
        .expect(78);
    found(&elsewhere, "token", "problem", "DICECHESS_JWT is not set");
    found(&elsewhere, "user agent", "warning", "names no contact");
    let wrong = doctor(&workspace, &site).env("POST_BATCH", "many").run().expect(78);
    found(&wrong, "configuration", "problem", "POST_BATCH");

    let reachable = doctor(&workspace, &site).env("LISTEN", "0.0.0.0:1");
    found(&reachable.clone().run().expect(0), "listen", "warning", "no ADMIN_TOKEN");
    let guessable = reachable.env("ADMIN_TOKEN", "hunter2-short").run().expect(0);
    found(&guessable, "listen", "warning", "shorter than");
    found(&guessable, "listen", "warning", "travels openly");
    let no_curl = doctor(&workspace, &site).env("CURL_BIN", "/no/curl").run().expect(78);
    found(&no_curl, "curl", "problem", "cannot be run");
    for ended in [safe, open, absent, in_toml, guessable] {
        for secret in [site.jwt(), site.jwt().split('.').nth(1).unwrap(), "hunter2"] {
            assert!(!ended.stdout.contains(secret) && !ended.stderr.contains(secret));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_s_last_days_are_told() {
    let (site, workspace) = crawled().await;
    // Unsigned: {"exp": …} between two parts that nobody reads here.
    let token = |expiry_seconds: i64| {
        let payload = format!("{{\"exp\":{expiry_seconds}}}");
        format!("e30.{}.c2ln", base64url(payload.as_bytes()))
    };
    let now = now().0 / 1000;
    let with = |expiry| doctor(&workspace, &site).env("DICECHESS_JWT", token(expiry)).run();
    found(&with(now + 86_400).expect(0), "token", "warning", "it ends in");
    found(&with(now - 5).expect(4), "token", "problem", "it ended at");
    found(&with(now + 30 * 86_400).expect(0), "token", "ok", "good for");
}

fn base64url(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for digit in 0..=chunk.len() {
            text.push(char::from(DIGITS[(bits >> (18 - 6 * digit) & 63) as usize]));
        }
    }
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn parties_that_cannot_be_reached_are_named() {
    let (site, workspace) = crawled().await;
    let (analytics, archive) = (AnalyticsService::start().await, ArchiveService::start().await);
    let before = analytics.count();
    let remote = doctor(&workspace, &site)
        .env("ANALYTICS_BASE_URL", analytics.base_url())
        .env("ARCHIVE_URL", archive.base_url());
    let good = remote.clone().env("INGEST_TOKEN", AnalyticsService::TOKEN).run().expect(0);
    found(&good, "analytics", "ok", "accepts the token");
    found(&good, "archive", "ok", "answers");
    assert_eq!(analytics.count(), before, "nothing is stored there");
    let wrong = remote.env("INGEST_TOKEN", "a-wrong-token").run().expect(3);
    found(&wrong, "analytics", "problem", "does not accept INGEST_TOKEN");
    assert!(!wrong.stdout.contains("a-wrong-token"));

    let nobody = {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        listener.local_addr().unwrap()
    };
    let ended = doctor(&workspace, &site)
        .env("ANALYTICS_BASE_URL", format!("http://{nobody}"))
        .env("ARCHIVE_URL", format!("http://me:very-secret@{nobody}"))
        .run()
        .expect(3);
    found(&ended, "analytics", "problem", "cannot be reached");
    found(&ended, "archive", "problem", "cannot be reached");
    assert!(!ended.stdout.contains("very-secret"));
    let not_one = doctor(&workspace, &site).env("ANALYTICS_BASE_URL", archive.base_url());
    found(&not_one.run().expect(3), "analytics", "problem", "HTTP 404");
    let file = workspace.path().join("a-file");
    fs::write(&file, "").unwrap();
    let no_folder = doctor(&workspace, &site).env("ARCHIVE_URL", file.join("archive"));
    found(&no_folder.run().expect(78), "archive", "problem", "is no directory");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_database_is_found() {
    let (site, workspace) = crawled().await;
    let copy = |name: &str| {
        let path = workspace.path().join(name);
        workspace.command(["backup"]).arg(&path).arg("--without-analytics").run().expect(0);
        path
    };
    let look = |path: &Path| doctor(&workspace, &site).env("DB_PATH", path);
    let absent = look(&workspace.path().join("absent.db")).run().expect(0);
    found(&absent, "database", "warning", "none yet");

    let damaged = copy("damaged.db");
    let mut bytes = fs::read(&damaged).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 8192].fill(0xa5);
    fs::write(&damaged, &bytes).unwrap();
    found(&look(&damaged).run().expect(74), "database", "problem", "damaged");
    assert_eq!(fs::read(&damaged).unwrap(), bytes, "nothing is repaired behind one's back");

    let orphaned = copy("orphaned.db");
    let connection = Connection::open(&orphaned).unwrap();
    connection.execute_batch("PRAGMA foreign_keys = OFF; DELETE FROM games").unwrap();
    drop(connection);
    found(&look(&orphaned).run().expect(74), "database", "problem", "refer to rows");

    let older = copy("older.db");
    let connection = Connection::open(&older).unwrap();
    connection.pragma_update(None, "user_version", 3).unwrap();
    found(&look(&older).run().expect(0), "database", "warning", "version is 3");
    let version: i64 =
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, 3, "it is not upgraded by looking at it");
    connection.pragma_update(None, "user_version", 999).unwrap();
    found(&look(&older).run().expect(74), "database", "problem", "version 999");

    let foreign = workspace.path().join("foreign.db");
    let connection = Connection::open(&foreign).unwrap();
    connection.execute_batch("PRAGMA application_id = 7; CREATE TABLE x (y)").unwrap();
    found(&look(&foreign).run().expect(74), "database", "problem", "is not a database of");

    let clock = copy("clock.db");
    let connection = Connection::open(&clock).unwrap();
    let ahead = now().0 + 3_600_000;
    connection
        .execute("INSERT INTO site_requests (at_ms, endpoint) VALUES (?1, 'history')", [ahead])
        .unwrap();
    found(&look(&clock).run().expect(0), "clock", "warning", "still to come");
}
