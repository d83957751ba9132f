//! What is refused before anything happens: usage, configuration, a database that is none.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use dicechess_sim::{SimServer, WorldSpec};
use dicechess_tests::evidence::serve;
use dicechess_tests::{Finished, Invocation, Workspace};

async fn small_site() -> SimServer {
    serve(WorldSpec { seed: 2, players: 4, games: 20, ..WorldSpec::default() }).await
}

#[test]
fn wrong_usage_ends_with_2() {
    let workspace = Workspace::new();
    let wrong: [&[&str]; 13] = [
        &[],
        &["frobnicate"],
        &["crawl", "--frobnicate"],
        &["crawl", "--stages", "sleep"],
        &["crawl", "--max-games", "many"],
        &["crawl", "--max-players=-1"],
        &["crawl", "1000"],
        &["seed"],
        &["seed", "somebody"],
        &["refetch"],
        &["show", "no-game-id"],
        &["replay"],
        &["replay", "everything"],
    ];
    for args in wrong {
        let ended = workspace.command(args).run();
        assert_eq!(ended.code(), Some(2), "{args:?}\n{}", ended.stderr);
        assert!(!ended.stderr.is_empty() && ended.stdout.is_empty(), "{args:?}");
    }
    assert_eq!(workspace.files(), [""; 0].map(std::path::PathBuf::from), "nothing was made");
}

#[test]
fn help_and_version_are_no_errors() {
    let workspace = Workspace::new();
    for args in [["--help"].as_slice(), &["--version"], &["crawl", "--help"], &["help", "show"]] {
        let ended = workspace.command(args).run().expect(0);
        assert!(ended.stderr.is_empty() && !ended.stdout.is_empty());
        assert!(!ended.stdout.contains('\u{1b}'), "no colours in a pipe");
    }
}

#[test]
fn help_shows_every_setting_with_its_default() {
    let workspace = Workspace::new();
    let help = workspace.command(["crawl", "--help"]).run().expect(0).stdout;
    // As lines may be wrapped, white space is one blank.
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let settings = [
        ("DB_PATH", "./data/sync.db"),
        ("SEED_IDS", ""),
        ("SITE_BASE_URL", "https://dicechess.com"),
        ("DICECHESS_JWT", ""),
        ("DICECHESS_JWT_FILE", ""),
        ("DICECHESS_COOKIE", ""),
        ("DICECHESS_COOKIE_FILE", ""),
        ("USER_AGENT", ""),
        ("TRANSPORT", "curl"),
        ("CURL_BIN", "curl"),
        ("ENUMERATE_PAGE_SIZE", "500"),
        ("ENUMERATE_PAGE_SIZE_MAX", "1000"),
        ("REQUEST_MIN_DELAY_MS", "3000"),
        ("REQUEST_JITTER_MS", "1000"),
        ("REQUEST_MAX_RETRIES", "5"),
        ("REQUEST_BACKOFF_BASE_MS", "60000"),
        ("REQUEST_HOURLY_BUDGET", "600"),
        ("REQUEST_TIMEOUT_MS", "30000"),
        ("ANALYTICS_BASE_URL", ""),
        ("ANALYTICS_DB", ""),
        ("INGEST_TOKEN", ""),
        ("INGEST_TOKEN_FILE", ""),
        ("ARCHIVE_URL", "./data/archive"),
        ("POST_BATCH", "50"),
        ("ARCHIVE_BATCH", "500"),
        ("REFRESH_AFTER", "24h"),
        ("CRAWL_INTERVAL", "15m"),
        ("LISTEN", "127.0.0.1:8787"),
        ("LOG_FORMAT", "text"),
    ];
    for (name, default) in settings {
        let is_secret = matches!(name, "DICECHESS_JWT" | "DICECHESS_COOKIE" | "INGEST_TOKEN");
        let shown = format!("[env: {name}]");
        assert!(is_secret || help.contains(&shown), "{name}");
        assert!(help.contains(name), "{name}");
        if !default.is_empty() {
            let shown = format!("[default: {default}] [env: {name}]");
            assert!(help.contains(&shown), "{shown}");
        }
        let flag = format!("--{}", name.to_ascii_lowercase().replace('_', "-"));
        assert_eq!(help.contains(&format!("{flag} <")), !is_secret, "{flag}");
    }
}

fn refused(crawl: Invocation, named: &str) -> Finished {
    let ended = crawl.run();
    let text = &ended.stderr;
    assert_eq!(ended.code(), Some(78), "{named}: {text}\n{}", ended.stdout);
    assert!(text.contains(named), "{named}: {text}");
    assert!(!text.contains("panicked"), "{text}");
    ended
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_mean_nothing_end_with_78_and_are_named() {
    let site = small_site().await;
    let workspace = Workspace::new();
    let wrong = [
        ("ENUMERATE_PAGE_SIZE", "0"),
        ("ENUMERATE_PAGE_SIZE", "many"),
        ("ENUMERATE_PAGE_SIZE_MAX", "-5"),
        ("REQUEST_MIN_DELAY_MS", "fast"),
        ("REQUEST_JITTER_MS", "-1"),
        ("REQUEST_MAX_RETRIES", "1.5"),
        ("REQUEST_BACKOFF_BASE_MS", "1m"),
        ("REQUEST_HOURLY_BUDGET", "lots"),
        ("REQUEST_TIMEOUT_MS", "30s"),
        ("POST_BATCH", "0"),
        ("ARCHIVE_BATCH", "none"),
        ("REFRESH_AFTER", "tomorrow"),
        ("CRAWL_INTERVAL", "15"),
        ("LISTEN", "everywhere"),
        ("LOG_FORMAT", "xml"),
        ("TRANSPORT", "pigeon"),
        ("SEED_IDS", "12,x"),
        ("SITE_BASE_URL", "dicechess.com"),
        ("SITE_BASE_URL", "ftp://127.0.0.1"),
        ("ANALYTICS_BASE_URL", "somewhere"),
        ("ARCHIVE_URL", "ftp://127.0.0.1/x"),
        ("DICECHESS_JWT_FILE", "/nonexistent/token"),
    ];
    for (name, value) in wrong {
        let crawl = workspace.crawl(&site).env(name, value);
        let crawl =
            if name.ends_with("_FILE") { crawl.without_env("DICECHESS_JWT") } else { crawl };
        refused(crawl, name);
    }
    assert_eq!(site.log(), []);
    assert!(!workspace.db_path().exists(), "nothing was made");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_site_is_not_asked_faster_than_once_a_second() {
    let site = small_site().await;
    let workspace = Workspace::new();
    // Names that lead nowhere: even a mistake would reach nobody.
    for url in ["https://dicechess.invalid", "http://192.0.2.1", "http://127.0.0.1.invalid"] {
        let crawl = workspace.crawl(&site).env("SITE_BASE_URL", url);
        let ended = refused(crawl.env("REQUEST_MIN_DELAY_MS", "999"), "REQUEST_MIN_DELAY_MS");
        assert!(ended.stderr.contains("1000"), "{}", ended.stderr);
    }
    assert!(!workspace.db_path().exists());
    // On loopback it may.
    workspace.crawl(&site).env("REQUEST_MIN_DELAY_MS", "1").run().expect(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_used_is_said_with_what_to_do() {
    let site = small_site().await;
    let workspace = Workspace::new();
    let curl = workspace.crawl(&site).env("TRANSPORT", "curl").env("CURL_BIN", "/nonexistent/curl");
    let ended = refused(curl, "CURL_BIN");
    assert!(ended.stderr.contains("/nonexistent/curl") && ended.stderr.contains("reqwest"));

    let s3 = workspace.crawl(&site).env("ARCHIVE_URL", "s3://bucket/prefix");
    let ended = refused(s3, "ARCHIVE_URL");
    assert!(ended.stderr.contains("not supported yet"), "{}", ended.stderr);

    let secret = "secret\nwith a line";
    let token = workspace.crawl(&site).env("DICECHESS_JWT", secret);
    let ended = refused(token, "DICECHESS_JWT");
    assert!(!ended.stderr.contains("with a line"), "{}", ended.stderr);
    assert_eq!(site.log(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_toml_file_is_weaker_than_environment_and_flags() {
    let site = small_site().await;
    let workspace = Workspace::new();
    let toml = workspace.path().join("dicechess-sync.toml");
    fs::write(&toml, "db_path = \"toml.db\"\nSEED_IDS = [1000, 1037]\nlog_format = \"json\"\n")
        .unwrap();
    let exists = |name: &str| workspace.path().join(name).exists();
    let seed = || Invocation::new(workspace.path(), ["seed", "5"]);
    seed().run().expect(0);
    assert!(exists("toml.db") && !exists("env.db"));
    seed().env("DB_PATH", "env.db").run().expect(0);
    assert!(exists("env.db") && !exists("flag.db"));
    seed().env("DB_PATH", "env.db").arg("--db-path=flag.db").run().expect(0);
    assert!(exists("flag.db"));
    let empty = workspace.crawl(&site).without_env("SEED_IDS").env("DB_PATH", "seeds.db");
    empty.arg("--stages=post").run().expect(0);
    let seeds = "SELECT user_id FROM players WHERE discovered_via = 'manual'";
    let database = dicechess_tests::Database::open(&workspace.path().join("seeds.db"));
    assert_eq!(database.rows(seeds).len(), 2);

    fs::write(&toml, "db_path = \"toml.db\"\nrequest_min_dealy_ms = 5\n").unwrap();
    refused(workspace.crawl(&site), "request_min_dealy_ms");
    fs::write(&toml, "db_path = \n").unwrap();
    refused(workspace.crawl(&site), "line 1");
    fs::write(&toml, "db_path = true\n").unwrap();
    refused(workspace.crawl(&site), "db_path");
    fs::write(&toml, "DICECHESS_JWT = \"hidden\n").unwrap();
    let ended = refused(workspace.crawl(&site), "line 1");
    assert!(!ended.stderr.contains("hidden"), "{}", ended.stderr);
    fs::remove_file(&toml).unwrap();
    refused(workspace.crawl(&site).env("CONFIG_FILE", "absent.toml"), "absent.toml");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_none_ends_with_74_and_is_named() {
    let site = small_site().await;
    let workspace = Workspace::new();
    let folder = workspace.path().join("folder.db");
    fs::create_dir(&folder).unwrap();
    let text = workspace.path().join("text.db");
    fs::write(&text, "This is no database. ".repeat(500)).unwrap();
    let below_a_file = text.join("sync.db");
    for path in [&folder, &text, &below_a_file] {
        for args in [["crawl"].as_slice(), &["seed", "1"], &["status"]] {
            let crawl = workspace.crawl(&site);
            let run = if args == ["crawl"] { crawl } else { workspace.command(args) };
            let ended = run.env("DB_PATH", path).run();
            let text = &ended.stderr;
            assert_eq!(ended.code(), Some(74), "{args:?} {}: {text}", path.display());
            let name = path.file_name().unwrap().to_str().unwrap();
            assert!(text.contains(name) || text.contains("text.db"), "{text}");
        }
    }
    assert_eq!(fs::read_to_string(&text).unwrap().len(), 21 * 500, "it is left alone");
    assert_eq!(site.log(), []);

    // Commands that only read need a database that is there.
    for args in [
        ["status"].as_slice(),
        &["status", "--json"],
        &["show"],
        &["verify"],
        &["replay", "posted"],
    ] {
        let ended = workspace.command(args).run();
        assert_eq!(ended.code(), Some(74), "{args:?}: {}", ended.stderr);
        assert!(ended.stderr.contains("crawl"), "it says what to do: {}", ended.stderr);
    }
    assert!(!workspace.db_path().exists(), "asking makes none");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_site_is_not_asked_without_a_token() {
    let site = small_site().await;
    let workspace = Workspace::new();
    let crawl = workspace.crawl(&site).env("SITE_BASE_URL", "https://dicechess.invalid");
    let crawl = crawl.env("REQUEST_MIN_DELAY_MS", "1000").without_env("DICECHESS_JWT");
    let ended = refused(crawl, "DICECHESS_JWT");
    assert!(ended.stderr.contains("README"), "it says where to find one: {}", ended.stderr);
}
