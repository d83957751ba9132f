//! The dashboard over HTTP: what browsers may do with it, who may change things, what is escaped.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use dicechess_core::pacing::Pacing;
use dicechess_core::time::UnixMillis;
use dicechess_sync::analytics::Analytics;
use dicechess_sync::analytics_client::AnalyticsClient;
use dicechess_sync::config::{AnalyticsTarget, GatewayRate, WebConfig};
use dicechess_sync::daemon::DaemonHandle;
use dicechess_sync::shutdown::Shutdown;
use dicechess_sync::store::Store;
use dicechess_sync::telemetry::Telemetry;
use dicechess_sync::web::{WebContext, serve};
use rusqlite::Connection;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const TOKEN: &str = "open sesame";
const PARKED: &str = "0b5f1c3e-9a77-4c11-8e55-00000000abcd";
const FAILED: &str = "0b5f1c3e-9a77-4c11-8e55-00000000abce";

struct Served {
    address: SocketAddr,
    sql: Connection,
    shutdown: Shutdown,
    _folder: TempDir,
}

/// An answer: status, head in lower case, body.
struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Served {
    async fn start(admin_token: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sync.db");
        let store = Arc::new(Store::open(&path).unwrap());
        let sql = Connection::open(&path).unwrap();
        fill(&sql);
        let url = "http://127.0.0.1:9";
        let client = AnalyticsClient::new(url, None, Duration::from_secs(1)).unwrap();
        let config = WebConfig {
            listen: "127.0.0.1:0".parse().unwrap(),
            allowed_origins: "https://a.org".parse().unwrap(),
            admin_token: admin_token.map(Into::into),
            ingest_token: None,
            analytics: AnalyticsTarget::Remote(url.parse().unwrap()),
            gateway_rate: GatewayRate { per_minute: 10, burst: 10 },
            pacing: Pacing { min_delay: Duration::ZERO, jitter: Duration::ZERO, hourly_budget: 9 },
            archive_url: "none".to_owned(),
        };
        let shutdown = Shutdown::default();
        let context = WebContext {
            store,
            analytics: Analytics::remote(client),
            config: Arc::new(config),
            telemetry: Arc::new(Telemetry::new()),
            daemon: DaemonHandle::starting(UnixMillis(0)),
            shutdown: shutdown.clone(),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(serve(listener, context));
        Self { address, sql, shutdown, _folder: folder }
    }

    async fn send(&self, method: &str, path: &str, headers: &str, body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{headers}\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    }

    async fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> Answer {
        let mut stream = self.send(method, path, headers, body).await;
        let mut text = Vec::new();
        stream.read_to_end(&mut text).await.unwrap();
        let text = String::from_utf8_lossy(&text).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    async fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, "", "").await
    }

    /// Posts a form from a page of the dashboard.
    async fn post(&self, path: &str, headers: &str, body: &str) -> Answer {
        self.ask("POST", path, &format!("Sec-Fetch-Site: same-origin\r\n{headers}"), body).await
    }

    /// Signs in and tells the header that proves it.
    async fn sign_in(&self) -> String {
        let answer = self.post("/sign-in", "", "token=open+sesame&next=%2Fparked").await;
        assert_eq!(answer.status, 303);
        let cookie = answer.header("set-cookie").unwrap();
        assert!(cookie.contains("httponly; samesite=strict"), "{cookie}");
        format!("Cookie: {}\r\n", cookie.split(';').next().unwrap())
    }

    fn status_of(&self, game: &str) -> String {
        let sql = "SELECT status FROM games WHERE game_id = ?1";
        self.sql.query_row(sql, [game], |row| row.get(0)).unwrap()
    }
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}

fn fill(sql: &Connection) {
    sql.execute_batch(&format!(
        "INSERT INTO players (user_id, username, sync_status, last_error) VALUES
            (1, '<script>alert(1)</script>', 'synced', NULL),
            (2, 'tab' || char(9) || char(0x202e) || 'name', 'error', '<b>HTTP 502</b>');
        INSERT INTO games (game_id, status, error_stage, white_user_id, black_user_id, last_error,
                next_retry_at) VALUES
            ('{PARKED}', 'error', 'normalize', 1, 2, 'state 3: unknown die \"<i>\"', NULL),
            ('{FAILED}', 'error', 'fetch', 1, 2, 'HTTP 502', '2999-01-01T00:00:00.000Z');
        INSERT INTO raw_game_data (game_id, history_meta_json, meta_source_user_id,
                move_history_json) VALUES ('{PARKED}', '{{}}', 1, '</pre><script>');"
    ))
    .unwrap();
}

const PAGES: [&str; 9] = [
    "/",
    "/players",
    "/players?q=%3Cscript%3E",
    "/players/1",
    "/games?show=waiting",
    "/games/0b5f1c3e-9a77-4c11-8e55-00000000abcd",
    "/parked",
    "/dice",
    "/sign-in",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_gets_nothing_from_elsewhere_and_runs_nothing_inside_a_page() {
    let served = Served::start(None).await;
    for path in PAGES.into_iter().chain(["/no/such/page", "/games/1", "/players/3"]) {
        let answer = served.get(path).await;
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'self'; "), "{path}: {policy}");
        assert!(!policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        let is_page = PAGES.contains(&path);
        assert_eq!(answer.status, if is_page { 200 } else { 404 }, "{path}");
        assert!(!answer.body.contains(" style="), "{path}");
        assert!(!answer.body.contains("=\"http"), "{path} leads to another host");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_strangers_wrote_is_only_text() {
    let served = Served::start(None).await;
    for path in PAGES {
        let body = served.get(path).await.body;
        for markup in ["<script>", "<b>HTTP", "<i>", "</pre><script>"] {
            assert!(!body.contains(markup), "{path} holds {markup}");
        }
        assert!(!body.contains(['\t', '\u{202e}']), "{path}");
    }
    let body = served.get("/players/2").await.body;
    assert!(body.contains("tab\\u{9}\\u{202e}name"), "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_token_nobody_changes_anything() {
    let served = Served::start(None).await;
    let answer = served.post("/sign-in", "", "token=").await;
    assert_eq!(answer.status, 403);
    assert!(answer.body.contains("ADMIN_TOKEN"), "{}", answer.body);
    let answer = served.post("/actions/replay-normalize", "", "").await;
    assert_eq!(answer.status, 401);
    assert_eq!(served.status_of(PARKED), "error");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_signed_in_replays_and_retries_from_our_own_pages_only() {
    let served = Served::start(Some(TOKEN)).await;
    let one = format!("game={PARKED}");
    let stranger = "Cookie: dicechess_session=0\r\n";
    assert_eq!(served.post("/actions/replay-normalize", stranger, &one).await.status, 401);
    let session = served.sign_in().await;
    for headers in ["", "Sec-Fetch-Site: cross-site\r\n", "Origin: https://a.org\r\n"] {
        let headers = format!("{session}{headers}");
        let answer = served.ask("POST", "/actions/replay-normalize", &headers, &one).await;
        assert_eq!(answer.status, 403, "{headers}");
    }
    assert_eq!(served.status_of(PARKED), "error");

    let answer = served.post("/actions/replay-normalize", &session, &one).await;
    assert_eq!(answer.header("location"), Some("/parked?done=replay-normalize&games=1"));
    assert_eq!(served.status_of(PARKED), "fetched");
    let answer = served.post("/actions/retry-fetch", &session, "").await;
    assert_eq!(answer.header("location"), Some("/parked?done=retry-fetch&games=1"));
    let due = "SELECT next_retry_at < '2900' FROM games WHERE game_id = ?1";
    assert!(served.sql.query_row(due, [FAILED], |row| row.get::<_, bool>(0)).unwrap());

    assert_eq!(served.post("/sign-out", &session, "").await.status, 303);
    assert_eq!(served.post("/actions/retry-fetch", &session, "").await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn guessing_the_token_is_stopped() {
    let served = Served::start(Some(TOKEN)).await;
    for _ in 0..5 {
        assert_eq!(served.post("/sign-in", "", "token=guess").await.status, 401);
    }
    assert_eq!(served.post("/sign-in", "", "token=open+sesame").await.status, 429);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_keeps_what_never_changes() {
    let served = Served::start(None).await;
    let page = served.get("/games").await.body;
    let start = page.find("/assets/dashboard-").unwrap();
    let url = page[start..].split('"').next().unwrap();
    let answer = served.get(url).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.header("cache-control"), Some("public, max-age=31536000, immutable"));
    let tag = answer.header("etag").unwrap();
    let again = served.ask("GET", url, &format!("If-None-Match: {tag}\r\n"), "").await;
    assert_eq!((again.status, again.body.as_str()), (304, ""));
    assert_eq!(served.get("/assets/dashboard-0.css").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_are_sent_to_so_many_and_until_the_end() {
    let served = Served::start(None).await;
    let mut listeners = Vec::new();
    for _ in 0..24 {
        let mut stream = served.send("GET", "/events", "Accept-Language: ru\r\n", "").await;
        let mut text = String::new();
        while !text.contains("event: parts") {
            let mut part = [0; 4096];
            let read = stream.read(&mut part).await.unwrap();
            assert!(read > 0, "{text}");
            text.push_str(&String::from_utf8_lossy(&part[..read]));
        }
        assert!(text.contains("text/event-stream"), "{text}");
        listeners.push(stream);
    }
    let refused = served.get("/events").await;
    assert_eq!((refused.status, refused.header("retry-after")), (503, Some("30")));
    served.shutdown.request();
    for mut stream in listeners {
        let mut rest = Vec::new();
        tokio::time::timeout(Duration::from_secs(30), stream.read_to_end(&mut rest))
            .await
            .expect("the stream ends with the daemon")
            .unwrap();
    }
}

#[tokio::test]
async fn a_list_that_is_none_is_said_to_be_none() {
    let served = Served::start(None).await;
    for (path, is_said) in [
        ("/games?status=lost%3Cb%3E", true),
        ("/players?show=lost%3Cb%3E", true),
        ("/games?status=posted", false),
        ("/players", false),
    ] {
        let page = served.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        assert_eq!(page.body.contains("no list “lost&lt;b&gt;”"), is_said, "{path}");
    }
}

#[tokio::test]
async fn only_what_waits_can_be_tried_now() {
    let served = Served::start(Some(TOKEN)).await;
    let cookie = served.sign_in().await;
    let page = served.ask("GET", "/parked", &cookie, "").await.body;
    assert!(page.contains("Fetch now") && !page.contains("Post now"), "{page}");
}
