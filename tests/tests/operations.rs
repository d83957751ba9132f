//! Probes, metrics and logs of a running `serve`, read by those who read them in earnest.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use dicechess_sim::{Endpoint, Fault, FaultRule, SimServer, WorldSpec};
use dicechess_tests::evidence::{postable, serve};
use dicechess_tests::tools::{ensure, repository};
use dicechess_tests::{AnalyticsService, Invocation, Running, Workspace};
use serde_json::Value;

/// A port that was free a moment ago.
fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

fn daemon(workspace: &Workspace, site: &SimServer, port: u16) -> Invocation {
    let seeds: Vec<String> = site.world().seed_ids().iter().map(ToString::to_string).collect();
    workspace
        .command(["serve"])
        .env("SITE_BASE_URL", site.base_url())
        .env("DICECHESS_JWT", site.jwt())
        .env("SEED_IDS", seeds.join(","))
        .env("TRANSPORT", "reqwest")
        .env("REQUEST_MIN_DELAY_MS", "0")
        .env("REQUEST_JITTER_MS", "0")
        .env("REQUEST_HOURLY_BUDGET", "0")
        .env("LISTEN", format!("127.0.0.1:{port}"))
}

/// Asks for a path: status and body. `None` while nobody listens.
fn get(port: u16, path: &str) -> Option<(u16, String)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    write!(stream, "GET {path} HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    Some((head.split(' ').nth(1)?.parse().ok()?, body.to_owned()))
}

fn metrics(port: u16) -> String {
    get(port, "/metrics").unwrap().1
}

/// The value of a series.
fn value(text: &str, series: &str) -> Option<f64> {
    let line =
        text.lines().find(|line| line.rsplit_once(' ').is_some_and(|(name, _)| name == series))?;
    line.rsplit_once(' ')?.1.parse().ok()
}

/// Waits until a series has a value. What is read off the database may be some seconds old.
fn until_metric(run: &mut Running, port: u16, series: &str, wanted: f64) -> String {
    let mut text = String::new();
    run.until(&format!("{series} {wanted}"), || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        text = get(port, "/metrics").map(|(_, body)| body).unwrap_or_default();
        value(&text, series) == Some(wanted)
    });
    text
}

/// A daemon that has posted everything.
async fn crawled(workspace: &Workspace) -> (SimServer, Running, u16, String) {
    let site = serve(WorldSpec { seed: 51, players: 8, games: 40, ..WorldSpec::default() }).await;
    site.set_fault(FaultRule::new(Fault::NotFound).on(Endpoint::MoveHistory).next(1));
    let port = free_port();
    let mut run = daemon(workspace, &site, port).start();
    let posted = {
        let world = site.world();
        postable(&world, &world.seed_ids()).len() - 1
    };
    let series = r#"dicechess_sync_games{status="posted"}"#;
    let text = until_metric(&mut run, port, series, posted as f64);
    (site, run, port, text)
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_are_those_of_the_reference_and_promtool_has_nothing_to_say() {
    let workspace = Workspace::new();
    let (_site, mut run, port, _) = crawled(&workspace).await;
    let text = until_metric(&mut run, port, r#"dicechess_sync_queue_length{stage="archive"}"#, 0.0);
    let served: BTreeSet<&str> =
        text.lines().filter_map(|line| line.strip_prefix("# HELP ")?.split(' ').next()).collect();
    let page = fs::read_to_string(repository().join("docs/metrics.md")).unwrap();
    let documented: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(served, documented, "docs/metrics.md lists what is served, and nothing else");
    for line in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let name = cells[1].trim_matches('`');
        let kind = format!("# TYPE {name} {}", cells[2]);
        assert!(text.lines().any(|line| line == kind), "{kind}");
    }
    ensure("promtool", "prometheus");
    let mut check = Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    check.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = check.wait_with_output().unwrap();
    let said = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.status.success(), "{said}");
    assert_eq!(said, "");
    run.kill();
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_tell_what_happened() {
    let workspace = Workspace::new();
    let (site, mut run, port, text) = crawled(&workspace).await;
    let log = site.log();
    let asked =
        |endpoint| log.iter().filter(|entry| entry.endpoint == Some(endpoint)).count() as f64;
    let sum = |prefix: &str| -> f64 {
        let lines = text.lines().filter(|line| line.starts_with(prefix));
        lines.map(|line| line.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap()).sum()
    };
    let of = |name: &str| format!("dicechess_sync_site_requests_total{{endpoint=\"{name}\"");
    assert_eq!(sum(&of("history")), asked(Endpoint::History));
    assert_eq!(sum(&of("move_history")), asked(Endpoint::MoveHistory));
    let failed = r#"dicechess_sync_site_requests_total{endpoint="move_history",status="404"}"#;
    assert_eq!(value(&text, failed), Some(1.0));
    assert_eq!(value(&text, r#"dicechess_sync_games{status="error_fetch"}"#), Some(1.0));
    let posted = value(&text, r#"dicechess_sync_games{status="posted"}"#);
    assert_eq!(value(&text, r#"dicechess_sync_posts_total{result="created"}"#), posted);
    assert_eq!(value(&text, "dicechess_sync_lease_held"), Some(1.0));
    assert_eq!(value(&text, "dicechess_sync_site_budget_left_requests"), Some(f64::INFINITY));
    assert!(value(&text, "process_resident_memory_bytes").unwrap() > 1e6);
    for stage in ["enumerate", "fetch", "post"] {
        let last =
            format!("dicechess_sync_stage_last_success_timestamp_seconds{{stage=\"{stage}\"}}");
        assert!(value(&text, &last).unwrap() > 1.7e9, "{last}");
    }
    for secret in [site.jwt(), "Bearer"] {
        assert!(!text.contains(secret));
    }
    until_metric(&mut run, port, r#"dicechess_sync_queue_length{stage="archive"}"#, 0.0);
    run.kill();
}

#[tokio::test(flavor = "multi_thread")]
async fn one_daemon_crawls_and_the_other_is_ready_to() {
    let workspace = Workspace::new();
    let (site, first, port, _) = crawled(&workspace).await;
    assert_eq!(get(port, "/healthz"), Some((200, "ok\n".to_owned())));
    let (status, body) = get(port, "/readyz").unwrap();
    let crawling = serde_json::json!({ "ready": true, "role": "crawling", "not_ready": [] });
    assert_eq!((status, serde_json::from_str::<Value>(&body).unwrap()), (200, crawling));

    let spare_port = free_port();
    let mut spare = daemon(&workspace, &site, spare_port).start();
    let mut ready = None;
    spare.until("ready", || {
        ready = get(spare_port, "/readyz").filter(|(status, _)| *status == 200);
        ready.is_some()
    });
    let body: Value = serde_json::from_str(&ready.unwrap().1).unwrap();
    assert_eq!(body["role"], "standby");
    assert!(body["lease_held_by"].as_str().unwrap().contains(&first.pid().to_string()), "{body}");
    assert_eq!(value(&metrics(spare_port), "dicechess_sync_lease_held"), Some(0.0));
    first.kill();
    until_metric(&mut spare, spare_port, "dicechess_sync_lease_held", 1.0);
    spare.kill();
}

/// A Prometheus; dropping it ends it.
struct Prometheus {
    child: Child,
    port: u16,
}

impl Prometheus {
    /// The configuration of `deploy/`, with another target and no pause between scrapes.
    fn start(folder: &Path, target: u16) -> Self {
        ensure("prometheus", "prometheus");
        let deploy = repository().join("deploy/prometheus");
        let config = fs::read_to_string(deploy.join("prometheus.yml")).unwrap();
        let config = config
            .replace("127.0.0.1:8787", &format!("127.0.0.1:{target}"))
            .replace("30s", "1s")
            .replace("alerts.yml", deploy.join("alerts.yml").to_str().unwrap());
        fs::write(folder.join("prometheus.yml"), config).unwrap();
        let port = free_port();
        let child = Command::new("prometheus")
            .arg(format!("--config.file={}", folder.join("prometheus.yml").display()))
            .arg(format!("--storage.tsdb.path={}", folder.join("tsdb").display()))
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(folder.join("prometheus.log")).unwrap())
            .spawn()
            .unwrap();
        Self { child, port }
    }

    /// The value of an instant query that gives one series.
    fn query(&self, expression: &str) -> Option<f64> {
        let (_, body) = get(self.port, &format!("/api/v1/query?query={expression}"))?;
        let answer: Value = serde_json::from_str(&body).ok()?;
        answer["data"]["result"][0]["value"][1].as_str()?.parse().ok()
    }
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_prometheus_scrapes_a_running_daemon() {
    let workspace = Workspace::new();
    let (_site, mut run, port, text) = crawled(&workspace).await;
    let folder = tempfile::tempdir().unwrap();
    let prometheus = Prometheus::start(folder.path(), port);
    run.until("a scrape", || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        prometheus.query("up") == Some(1.0)
    });
    let posted = value(&text, r#"dicechess_sync_games{status="posted"}"#);
    run.until("the numbers", || {
        std::thread::sleep(std::time::Duration::from_millis(100));
        prometheus.query("dicechess_sync_games%7Bstatus%3D%22posted%22%7D") == posted
    });
    let rules = get(prometheus.port, "/api/v1/rules").unwrap().1;
    assert!(rules.contains("DicechessSyncDown") && !rules.contains("\"lastError\":\"e"), "{rules}");
    run.kill();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_stage_rests_from_is_among_the_problems_of_the_dashboard() {
    let site = serve(WorldSpec { seed: 53, players: 6, games: 25, ..WorldSpec::default() }).await;
    let analytics = AnalyticsService::start().await;
    let workspace = Workspace::new();
    fs::write(workspace.archive(), "no directory").unwrap();
    let port = free_port();
    let mut run = daemon(&workspace, &site, port)
        .env("ANALYTICS_BASE_URL", analytics.base_url())
        .env("INGEST_TOKEN", "not-the-right-one")
        .start();
    for stage in ["post", "archive"] {
        until_metric(
            &mut run,
            port,
            &format!(r#"dicechess_sync_stage_resting{{stage="{stage}"}}"#),
            1.0,
        );
    }
    for (path, texts) in [
        ("/", ["Analytics does not accept our token", "The archive's directory cannot be used"]),
        ("/readyz", ["\"ready\":true", "\"role\":\"crawling\""]),
    ] {
        let mut page = String::new();
        run.until(path, || {
            std::thread::sleep(std::time::Duration::from_millis(200));
            page = get(port, path).map(|(_, body)| body).unwrap_or_default();
            texts.iter().all(|text| page.contains(text))
        });
        assert!(!page.contains("Nothing is held back"), "{page}");
    }
    run.kill();
}

#[tokio::test(flavor = "multi_thread")]
async fn each_line_of_a_json_log_is_an_event_without_a_secret() {
    let site = serve(WorldSpec { seed: 52, players: 6, games: 25, ..WorldSpec::default() }).await;
    site.set_fault(FaultRule::new(Fault::NotFound).on(Endpoint::MoveHistory).next(1));
    let workspace = Workspace::new();
    let port = free_port();
    let daemon =
        daemon(&workspace, &site, port).env("LOG_FORMAT", "json").env("ADMIN_TOKEN", ADMIN);
    let mut run = daemon.clone().env("RUST_LOG", "trace").start();
    until_metric(&mut run, port, r#"dicechess_sync_games{status="error_fetch"}"#, 1.0);
    // The port is taken: the second one ends with an error, which is an event too.
    let second = daemon.clone().run().expect(74);
    run.signal(rustix::process::Signal::TERM);
    let first = run.wait().expect(0);
    for ended in [&first, &second] {
        let events: Vec<Value> = ended
            .stderr
            .lines()
            .map(|line| {
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
            })
            .collect();
        for event in &events {
            for field in ["timestamp", "level", "target"] {
                assert!(event[field].is_string(), "{field}: {event}");
            }
        }
        for secret in [site.jwt(), site.jwt().split('.').nth(1).unwrap(), ADMIN] {
            assert!(!ended.stderr.contains(secret));
        }
        assert!(events.iter().any(|event| event["message"].is_string()));
    }
    let has = |ended: &str, level: &str, said: &str| {
        ended.lines().any(|line| line.contains(&format!("\"{level}\"")) && line.contains(said))
    };
    assert!(has(&first.stderr, "WARN", "\"game\":"), "a failed fetch names its game");
    assert!(has(&second.stderr, "ERROR", "the port is taken"), "{}", second.stderr);
}

const ADMIN: &str = "admin-token-of-the-tests";
