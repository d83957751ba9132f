//! No secret is printed, logged, passed as an argument or stored, whatever goes wrong.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use dicechess_sim::{Endpoint, Fault, FaultRule, RetryAfter, SimServer, unsigned_jwt};
use dicechess_tests::faults::{
    NOBODY, SilentService, asked_games, contains, newest_first, small_site,
};
use dicechess_tests::{
    AnalyticsService, ArchiveService, Finished, Invocation, Scripted, Workspace,
};

const COOKIE: &str = "cf_clearance=clearance-kept-secret; session=session-kept-secret";
const INGEST: &str = AnalyticsService::TOKEN;
const ARCHIVE_PASSWORD: &str = "archive kept+secret";
/// `operator:archive kept+secret` as basic authentication carries it.
const ARCHIVE_BASIC: &str = "b3BlcmF0b3I6YXJjaGl2ZSBrZXB0K3NlY3JldA==";

/// Everything that must not appear anywhere, also in pieces.
fn secrets(site: &SimServer) -> Vec<String> {
    let payload = site.jwt().split('.').nth(1).unwrap().to_owned();
    let mut secrets = vec![site.jwt().to_owned(), payload, INGEST.to_owned()];
    secrets.extend([COOKIE, "clearance-kept-secret", "session-kept-secret"].map(str::to_owned));
    secrets.extend([ARCHIVE_PASSWORD, "archive%20kept"].map(str::to_owned));
    secrets.push(ARCHIVE_BASIC.to_owned());
    secrets
}

/// A crawl with every secret there is, logging all it can.
fn crawl(workspace: &Workspace, site: &SimServer, transport: &str) -> Invocation {
    workspace
        .crawl(site)
        .env("TRANSPORT", transport)
        .env("DICECHESS_COOKIE", COOKIE)
        .env("INGEST_TOKEN", INGEST)
        .env("RUST_LOG", "trace")
        .env("REQUEST_TIMEOUT_MS", "1000")
        .env("REQUEST_MAX_RETRIES", "1")
}

/// Neither the run's output nor any file of the workspace holds a secret.
#[track_caller]
fn nothing_leaked(workspace: &Workspace, site: &SimServer, finished: &Finished, what: &str) {
    let files = workspace.all_bytes();
    for secret in secrets(site) {
        for (place, bytes) in [
            ("standard output", finished.stdout.as_bytes()),
            ("standard error", finished.stderr.as_bytes()),
            ("a file", &files),
        ] {
            assert!(!contains(bytes, &secret), "{what}: {secret} is in {place}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_fault_of_the_site_reveals_a_secret_with_curl() {
    no_fault_of_the_site_reveals_a_secret("curl").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_fault_of_the_site_reveals_a_secret_in_process() {
    no_fault_of_the_site_reveals_a_secret("reqwest").await;
}

async fn no_fault_of_the_site_reveals_a_secret(transport: &str) {
    let later = RetryAfter::Absent;
    let faults = [
        Fault::Unauthorized,
        Fault::Challenge { status: 403 },
        Fault::Html,
        Fault::TooManyRequests { retry_after: later },
        Fault::NotFound,
        Fault::Status { status: 500 },
        Fault::Reset,
        Fault::CutBody,
        Fault::NotJson,
        Fault::Stall { millis: 3000 },
        Fault::NoList,
        Fault::UnknownDie,
    ];
    for fault in &faults {
        let site = small_site(2, 3).await;
        let workspace = Workspace::new();
        let crawl = crawl(&workspace, &site, transport);
        let game = newest_first(&site)[0];
        match fault {
            Fault::NoList => site.set_fault(FaultRule::new(fault.clone())),
            _ => site.set_fault(FaultRule::new(fault.clone()).game(game)),
        }
        let finished = crawl.run();
        assert!(matches!(finished.code(), Some(0 | 4)), "{fault:?}: {}", finished.stderr);
        nothing_leaked(&workspace, &site, &finished, &format!("{transport}, {fault:?}"));
    }
    // No answer at all, and no TLS.
    for url in [NOBODY.to_owned(), small_site(2, 3).await.base_url().replace("http", "https")] {
        let site = small_site(2, 3).await;
        let workspace = Workspace::new();
        let crawl = crawl(&workspace, &site, transport).env("SITE_BASE_URL", &url);
        let finished = crawl.run().expect(0);
        nothing_leaked(&workspace, &site, &finished, &format!("{transport}, {url}"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn services_that_repeat_secrets_do_not_reveal_them() {
    let site = small_site(2, 8).await;
    // A careless service shows what it was sent.
    let echo = format!("{{\"detail\":\"Bearer {INGEST} is not welcome, nor is {INGEST}\"}}");
    for status in [401, 403, 400, 422, 500, 429] {
        let analytics = AnalyticsService::start().await;
        analytics.always(Some(Scripted::new(status, &echo)));
        let workspace = Workspace::new();
        let crawl = crawl(&workspace, &site, "reqwest");
        let finished = crawl.env("ANALYTICS_BASE_URL", analytics.base_url()).run();
        let code = if matches!(status, 400 | 422) { 0 } else { 3 };
        let finished = finished.expect(code);
        let authorization = analytics.posts()[0].authorization.clone();
        assert_eq!(authorization.as_deref(), Some(&*format!("Bearer {INGEST}")));
        assert!(finished.stderr.contains(" TRACE "), "all is logged: {}", finished.stderr);
        nothing_leaked(&workspace, &site, &finished, &format!("analytics, {status}"));
    }
    let silent = SilentService::start();
    for url in [silent.base_url(), NOBODY] {
        let workspace = Workspace::new();
        let crawl = crawl(&workspace, &site, "reqwest").env("ANALYTICS_BASE_URL", url);
        nothing_leaked(&workspace, &site, &crawl.run().expect(3), url);
    }
    for status in [None, Some(403)] {
        let archive = ArchiveService::start().await;
        archive.always(status.map(|status| {
            Scripted::new(status, &format!("{ARCHIVE_PASSWORD} ({ARCHIVE_BASIC}) may not write"))
        }));
        let workspace = Workspace::new();
        let base = if status.is_some() { archive.base_url() } else { NOBODY };
        let url = base.replace("http://", "http://operator:archive%20kept+secret@");
        let crawl = crawl(&workspace, &site, "reqwest").env("ARCHIVE_URL", url);
        nothing_leaked(&workspace, &site, &crawl.run().expect(3), &format!("archive, {status:?}"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_argument_list_and_no_environment_of_curl_holds_a_secret() {
    let site = small_site(2, 3).await;
    let workspace = Workspace::new();
    let game = newest_first(&site)[0];
    site.set_fault(FaultRule::new(Fault::Stall { millis: 900 }).game(game).next(1));
    let mut running = crawl(&workspace, &site, "curl").start();
    running.until("curl waits for an answer", || !asked_games(&site).is_empty());

    let own = running.pid();
    let children: Vec<u32> = fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok())
        .filter(|pid| parent_of(*pid) == Some(own))
        .collect();
    assert_eq!(children.len(), 1, "one curl");
    let shown = |pid: u32, file: &str| fs::read(format!("/proc/{pid}/{file}")).unwrap();
    let curl = shown(children[0], "cmdline");
    assert!(contains(&curl, "curl"), "{}", String::from_utf8_lossy(&curl));
    for secret in secrets(&site) {
        assert!(!contains(&shown(own, "cmdline"), &secret));
        assert!(!contains(&curl, &secret));
        assert!(!contains(&shown(children[0], "environ"), &secret));
    }
    let finished = running.wait().expect(0);
    nothing_leaked(&workspace, &site, &finished, "curl");
}

fn parent_of(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The command in parentheses may hold anything.
    stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_setting_is_named_without_its_value() {
    let site = small_site(2, 3).await;
    let workspace = Workspace::new();
    let secret = "kept\u{1}secret";
    for name in ["DICECHESS_JWT", "DICECHESS_COOKIE", "INGEST_TOKEN"] {
        let crawl = crawl(&workspace, &site, "curl");
        let finished = crawl.env("ANALYTICS_BASE_URL", NOBODY).env(name, secret).run().expect(78);
        assert!(finished.stderr.contains(name), "{}", finished.stderr);
        assert!(!finished.stderr.contains("kept"), "{}", finished.stderr);
    }
    // A file that names a secret is read; a missing one is named.
    let file = workspace.path().join("token");
    fs::write(&file, format!("{}\n", unsigned_jwt(4_102_444_800))).unwrap();
    let crawl = workspace.crawl(&site).without_env("DICECHESS_JWT");
    crawl.clone().env("DICECHESS_JWT_FILE", &file).run().expect(0);
    fs::remove_file(&file).unwrap();
    let finished = crawl.env("DICECHESS_JWT_FILE", &file).run().expect(78);
    assert!(finished.stderr.contains("DICECHESS_JWT_FILE"), "{}", finished.stderr);
    // A TOML file that cannot be read may hold secrets in its lines.
    let toml = "INGEST_TOKEN = \"kept-secret";
    fs::write(workspace.path().join("dicechess-sync.toml"), toml).unwrap();
    let finished = workspace.crawl(&site).run().expect(78);
    assert!(!finished.stderr.contains("kept-secret"), "{}", finished.stderr);
    assert_eq!(site.log().iter().filter(|e| e.endpoint == Some(Endpoint::History)).count(), 2);
}
