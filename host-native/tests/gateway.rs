//! The gateway before an analytics service that takes its time, and clients that do.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::post;
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
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

const BODY: &str = r#"{"id":"0b5f1c3e-9a77-4c11-8e55-00000000abcd","source":"dicechess.com",
    "mode":"classic","initial_fen":"4k3/8/8/8/8/8/8/4K3 w - - 0 1","turns":[]}"#;
const CREATED: &str = r#"{"id":"0b5f1c3e-9a77-4c11-8e55-00000000abcd","created":true}"#;

/// A service that answers a post with 201 once it is let, and counts.
#[derive(Clone)]
struct Service {
    url: String,
    asked: Arc<AtomicUsize>,
    gate: Arc<Semaphore>,
}

impl Service {
    async fn start() -> Self {
        let (asked, gate) = (Arc::new(AtomicUsize::new(0)), Arc::new(Semaphore::new(0)));
        let (counted, opened) = (Arc::clone(&asked), Arc::clone(&gate));
        let answer = async move || {
            counted.fetch_add(1, Ordering::SeqCst);
            opened.acquire().await.unwrap().forget();
            (StatusCode::CREATED, CREATED)
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let app = Router::new().route("/api/games", post(answer.clone()).get(answer));
        tokio::spawn(async { axum::serve(listener, app).await });
        Self { url, asked, gate }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

/// A gateway before a service that it gives some time.
async fn gateway(service: &Service, patience: Duration) -> (SocketAddr, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let client = AnalyticsClient::new(&service.url, Some("token".into()), patience).unwrap();
    let config = WebConfig {
        listen: "127.0.0.1:0".parse().unwrap(),
        allowed_origins: "https://a.org".parse().unwrap(),
        admin_token: None,
        ingest_token: Some("token".into()),
        analytics: AnalyticsTarget::Remote(service.url.parse().unwrap()),
        gateway_rate: GatewayRate { per_minute: 1000, burst: 1000 },
        pacing: Pacing { min_delay: Duration::ZERO, jitter: Duration::ZERO, hourly_budget: 0 },
        archive_url: "none".to_owned(),
    };
    let context = WebContext {
        store: Arc::new(Store::open(&folder.path().join("sync.db")).unwrap()),
        analytics: Analytics::remote(client),
        config: Arc::new(config),
        telemetry: Arc::new(Telemetry::new()),
        daemon: DaemonHandle::starting(UnixMillis(0)),
        shutdown: Shutdown::default(),
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve(listener, context));
    (address, folder)
}

async fn begin(address: SocketAddr, method: &str, authorization: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!(
        "{method} /api/games HTTP/1.0\r\nOrigin: https://a.org\r\nContent-Type: application/json\r\n\
         {authorization}Content-Length: {}\r\n\r\n",
        BODY.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

async fn send(address: SocketAddr) -> TcpStream {
    let mut stream = begin(address, "POST", "").await;
    stream.write_all(BODY.as_bytes()).await.unwrap();
    stream
}

async fn answer(mut stream: TcpStream) -> (u16, String) {
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_service_is_a_gateway_timeout_and_the_next_try_is_passed_on() {
    let service = Service::start().await;
    let (address, _folder) = gateway(&service, Duration::from_millis(200)).await;
    let (status, body) = answer(send(address).await).await;
    assert_eq!((status, body.as_str()), (504, r#"{"detail":"no answer from analytics in time"}"#));
    let mut with_token = begin(address, "POST", "Authorization: Bearer his\r\n").await;
    with_token.write_all(BODY.as_bytes()).await.unwrap();
    assert_eq!(answer(with_token).await.0, 504);
    let mut read = begin(address, "GET", "").await;
    read.write_all(BODY.as_bytes()).await.unwrap();
    assert_eq!(answer(read).await.0, 504);

    service.gate.add_permits(100);
    assert_eq!(answer(send(address).await).await, (201, CREATED.to_owned()));
    let asked = service.asked();
    assert_eq!(answer(send(address).await).await, (201, CREATED.to_owned()));
    assert_eq!(service.asked(), asked, "the repeat is answered from what is kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_away_breaks_nothing_off() {
    let service = Service::start().await;
    let (address, _folder) = gateway(&service, Duration::from_secs(30)).await;
    let leader = send(address).await;
    while service.asked() == 0 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let follower = send(address).await;
    drop(leader);
    service.gate.add_permits(1);
    // A second request to the service would wait for ever.
    assert_eq!(answer(follower).await, (201, CREATED.to_owned()));
    assert_eq!(service.asked(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_breaks_off_is_not_passed_on() {
    let service = Service::start().await;
    let (address, _folder) = gateway(&service, Duration::from_secs(30)).await;
    let mut stream = begin(address, "POST", "").await;
    stream.write_all(&BODY.as_bytes()[..20]).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut text = String::new();
    // A server may close without a word to whoever breaks off.
    let _ = stream.read_to_string(&mut text).await;
    assert!(text.is_empty() || text.contains(" 400 "), "{text}");
    assert_eq!(service.asked(), 0);
}
