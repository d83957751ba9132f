//! Secrets appear nowhere: output, logs, argument lists, files. And what logs look like.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;

use dicechess_sim::{Endpoint, Fault, FaultRule, SimServer, WorldSpec};
use dicechess_tests::evidence::{requests_to, serve};
use dicechess_tests::{AnalyticsService, Finished, Invocation, Workspace};
use serde_json::Value;

const COOKIE: &str = "cf_clearance=very-secret-clearance";

fn spec() -> WorldSpec {
    WorldSpec { seed: 19, players: 6, games: 40, ..WorldSpec::default() }
}

fn secrets(site: &SimServer) -> Vec<String> {
    // The middle part of the token alone would do to read its contents.
    let payload = site.jwt().split('.').nth(1).unwrap().to_owned();
    let mut secrets = vec![site.jwt().to_owned(), payload, AnalyticsService::TOKEN.to_owned()];
    secrets.push("very-secret-clearance".to_owned());
    secrets
}

fn crawl(
    workspace: &Workspace,
    site: &SimServer,
    analytics: &AnalyticsService,
    transport: &str,
) -> Invocation {
    let crawl = workspace.crawl_to(site, analytics).env("DICECHESS_COOKIE", COOKIE);
    crawl.env("TRANSPORT", transport).env("RUST_LOG", "trace")
}

fn not_printed(ended: &Finished, secrets: &[String]) {
    for secret in secrets {
        assert!(!ended.stdout.contains(secret), "{}", ended.stdout);
        let line = ended.stderr.lines().find(|line| line.contains(secret));
        assert_eq!(line, None);
    }
}

fn not_in_files(workspace: &Workspace, secrets: &[String]) {
    let files = workspace.files();
    assert!(files.len() > 3);
    for file in files {
        let bytes = fs::read(&file).unwrap();
        for secret in secrets {
            let is_there = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!is_there, "{}", file.display());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_printed_or_stored_over_reqwest() {
    appears_nowhere("reqwest").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_printed_or_stored_over_curl() {
    appears_nowhere("curl").await;
}

async fn appears_nowhere(transport: &str) {
    let (site, analytics) = (serve(spec()).await, AnalyticsService::start().await);
    let secrets = secrets(&site);
    let workspace = Workspace::new();
    let run = |change: &dyn Fn(Invocation) -> Invocation| {
        let ended = change(crawl(&workspace, &site, &analytics, transport)).run();
        not_printed(&ended, &secrets);
        ended.code().unwrap()
    };
    // Faults first: their messages and memories must not tell either.
    site.set_fault(FaultRule::new(Fault::Reset).on(Endpoint::History).next(2));
    site.set_fault(FaultRule::new(Fault::Unauthorized).on(Endpoint::MoveHistory).next(1));
    assert_eq!(run(&|crawl| crawl), 4);
    assert_eq!(run(&|crawl| crawl), 4, "remembered");
    site.clear_faults();
    assert_eq!(run(&|crawl| crawl.env("INGEST_TOKEN", "wrong").arg("--ignore-block")), 3);
    // The database while it is open, with its write-ahead log.
    let mut open = crawl(&workspace, &site, &analytics, transport).start();
    open.until("a post", || analytics.count() > 0 || !analytics.posts().is_empty());
    not_in_files(&workspace, &secrets);
    let ended = open.wait().expect(0);
    assert!(ended.stderr.contains("TRACE"), "trace was logged: {}", ended.stderr);
    not_printed(&ended, &secrets);
    not_in_files(&workspace, &secrets);
    for args in [["status"].as_slice(), &["status", "--json"], &["show"], &["verify"]] {
        let command = workspace.command(args).env("DICECHESS_JWT", site.jwt());
        let command = command.env("INGEST_TOKEN", AnalyticsService::TOKEN).env("RUST_LOG", "trace");
        not_printed(&command.run().expect(0), &secrets);
    }
    let help = workspace.crawl(&site).arg("--help").run().expect(0);
    not_printed(&help, &secrets);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_in_an_argument_list() {
    let (site, analytics) = (serve(spec()).await, AnalyticsService::start().await);
    let secrets = secrets(&site);
    site.set_fault(FaultRule::new(Fault::Stall { millis: 1500 }).on(Endpoint::MoveHistory));
    let workspace = Workspace::new();
    let mut run = crawl(&workspace, &site, &analytics, "curl").start();
    run.until("moves are asked for", || requests_to(&site.log(), Endpoint::MoveHistory) > 0);
    let mut programs = BTreeSet::new();
    for pid in family(run.pid()) {
        let Ok(line) = fs::read(format!("/proc/{pid}/cmdline")) else { continue };
        let line = String::from_utf8_lossy(&line).into_owned();
        for secret in &secrets {
            assert!(!line.contains(secret.as_str()), "{line}");
        }
        if pid != run.pid() {
            // Nor does curl inherit them.
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            let environment = String::from_utf8_lossy(&environment).into_owned();
            assert!(secrets.iter().all(|secret| !environment.contains(secret.as_str())));
        }
        programs.extend(line.split('\0').next().map(str::to_owned));
    }
    assert!(programs.iter().any(|program| program.ends_with("curl")), "{programs:?}");
    run.kill();
}

/// A process and all that came from it.
fn family(root: u32) -> Vec<u32> {
    let mut parents = Vec::new();
    for entry in fs::read_dir("/proc").unwrap() {
        let name = entry.unwrap().file_name();
        let Ok(pid) = name.to_string_lossy().parse::<u32>() else { continue };
        let Ok(stat) = fs::read_to_string(format!("/proc/{pid}/stat")) else { continue };
        let Some((_, fields)) = stat.rsplit_once(") ") else { continue };
        let parent = fields.split(' ').nth(1).and_then(|field| field.parse::<u32>().ok());
        parents.push((pid, parent));
    }
    let mut family = vec![root];
    let mut next = 0;
    while next < family.len() {
        let parent = family[next];
        family.extend(parents.iter().filter(|(_, of)| *of == Some(parent)).map(|(pid, _)| *pid));
        next += 1;
    }
    family
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_come_from_files_too_and_have_no_flags() {
    let (site, analytics) = (serve(spec()).await, AnalyticsService::start().await);
    let workspace = Workspace::new();
    let file = |name: &str, text: &str| {
        let path = workspace.path().join(name);
        fs::write(&path, format!("{text}\n")).unwrap();
        path
    };
    let crawl = workspace.crawl_to(&site, &analytics).without_env("DICECHESS_JWT");
    let crawl = crawl.without_env("INGEST_TOKEN");
    crawl
        .env("DICECHESS_JWT_FILE", file("jwt", site.jwt()))
        .env("INGEST_TOKEN_FILE", file("ingest", AnalyticsService::TOKEN))
        .env("DICECHESS_COOKIE_FILE", file("cookie", COOKIE))
        .run()
        .expect(0);
    assert!(analytics.count() > 0);
    for flag in ["--dicechess-jwt", "--dicechess-cookie", "--ingest-token"] {
        let ended = workspace.command(["crawl", flag, "hidden-value"]).run().expect(2);
        assert!(!ended.stderr.contains("hidden-value"), "{}", ended.stderr);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn json_logs_are_one_object_a_line() {
    let (site, analytics) = (serve(spec()).await, AnalyticsService::start().await);
    site.set_fault(FaultRule::new(Fault::NotFound).on(Endpoint::MoveHistory).next(2));
    let workspace = Workspace::new();
    let crawl = workspace.crawl_to(&site, &analytics).env("LOG_FORMAT", "json");
    let ended = crawl.env("RUST_LOG", "debug").run().expect(0);
    let lines: Vec<Value> = ended
        .stderr
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    assert!(lines.iter().any(|line| line["level"] == "WARN"));
    for line in &lines {
        assert!(line["timestamp"].is_string() && line["level"].is_string(), "{line}");
    }
}
