use std::sync::Arc;
use std::time::Duration;

use dicechess_analytics::{AllowedOrigins, Receiver};
use dicechess_core::pacing::Pacing;
use dicechess_core::site::Endpoint;
use tempfile::TempDir;
use tokio::net::TcpListener;

use super::*;
use crate::analytics::Analytics;
use crate::config::{AnalyticsTarget, GatewayRate, WebConfig};
use crate::daemon::DaemonHandle;
use crate::shutdown::Shutdown;
use crate::store::Store;

fn context(folder: &TempDir) -> WebContext {
    let config = WebConfig {
        listen: ([127, 0, 0, 1], 0).into(),
        allowed_origins: "".parse::<AllowedOrigins>().unwrap(),
        admin_token: None,
        ingest_token: None,
        analytics: AnalyticsTarget::Embedded,
        gateway_rate: GatewayRate { per_minute: 1, burst: 1 },
        pacing: Pacing {
            min_delay: Duration::from_secs(3),
            jitter: Duration::ZERO,
            hourly_budget: 600,
        },
        archive_url: "none".to_owned(),
    };
    let receiver = Receiver::open(&folder.path().join("analytics.db")).unwrap();
    WebContext {
        store: Arc::new(Store::open(&folder.path().join("sync.db")).unwrap()),
        analytics: Analytics::Embedded(Arc::new(receiver)),
        config: Arc::new(config),
        telemetry: Arc::default(),
        daemon: DaemonHandle::starting(now()),
        shutdown: Shutdown::default(),
    }
}

/// Serves, and asks for a path: status and body.
async fn ask(context: &WebContext, path: &str) -> (u16, String) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}{path}", listener.local_addr().unwrap());
    let server = tokio::spawn(crate::web::serve(listener, context.clone()));
    let client = crate::http_client::build_client(&url.parse().unwrap(), Duration::from_secs(10));
    let answer = client.unwrap().get(url).send().await.unwrap();
    let answer = (answer.status().as_u16(), answer.text().await.unwrap());
    server.abort();
    answer
}

#[tokio::test]
async fn a_daemon_without_a_role_is_alive_but_not_ready() {
    let folder = TempDir::new().unwrap();
    let context = context(&folder);
    assert_eq!(ask(&context, "/healthz").await, (200, "ok\n".to_owned()));
    let (status, body) = ask(&context, "/readyz").await;
    assert_eq!(status, 503);
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&body).unwrap(),
        serde_json::json!({
            "ready": false,
            "role": "starting",
            "not_ready": [{"part": "daemon", "reason": "it is starting"}],
        })
    );
}

#[tokio::test]
async fn metrics_tell_counters_and_what_the_database_holds() {
    let folder = TempDir::new().unwrap();
    let context = context(&folder);
    context.store.seed_players(&[dicechess_core::ids::UserId(7)], now()).unwrap();
    context.telemetry.site_answered(Endpoint::History, Some(429), Duration::from_millis(300));
    ask(&context, "/healthz").await;
    ask(&context, "/nothing/of/ours").await;
    let (status, text) = ask(&context, "/metrics").await;
    assert_eq!(status, 200);
    for line in [
        r#"dicechess_sync_site_requests_total{endpoint="history",status="429"} 1"#,
        r#"dicechess_sync_site_request_duration_seconds_bucket{endpoint="history",le="0.5"} 1"#,
        r#"dicechess_sync_players{status="pending"} 1"#,
        r#"dicechess_sync_games{status="error_normalize"} 0"#,
        r#"dicechess_sync_queue_length{stage="enumerate"} 1"#,
        "dicechess_sync_site_budget_left_requests 600",
        "dicechess_sync_lease_held 0",
        "dicechess_sync_database_readable 1",
        r#"dicechess_sync_http_requests_total{method="GET",route="/healthz",status="200"} 1"#,
        r#"dicechess_sync_http_requests_total{method="GET",route="none",status="404"} 1"#,
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
    }
    assert!(!text.contains("/nothing"), "a path that a stranger chose is no label");
}

#[tokio::test]
async fn a_database_that_cannot_be_read_is_told_and_not_guessed() {
    let folder = TempDir::new().unwrap();
    let context = context(&folder);
    let path = folder.path().join("sync.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch("DROP TABLE players").unwrap();
    let (status, body) = ask(&context, "/readyz").await;
    assert_eq!(status, 503);
    assert!(body.contains(r#"{"part":"database""#), "{body}");
    let (status, text) = ask(&context, "/metrics").await;
    assert_eq!(status, 200);
    assert!(text.contains("\ndicechess_sync_database_readable 0\n"), "{text}");
    assert!(!text.contains("dicechess_sync_games"), "{text}");
}

#[tokio::test]
async fn a_daemon_or_a_stage_that_waits_for_the_database_is_not_ready() {
    use crate::crawl::Stage;
    use crate::daemon::{Obstacle, Party, StageView};

    let folder = TempDir::new().unwrap();
    let context = context(&folder);
    let resting = |party| {
        let cause = Obstacle { party, message: "no space left".to_owned() };
        StageView::Resting { cause, until: now() }
    };
    for (party, status) in [(Party::Archive, 200), (Party::Database, 503)] {
        context.daemon.update(|view| {
            view.role = Role::Crawling;
            view.stages.insert(Stage::Fetch, resting(party));
        });
        let (answered, body) = ask(&context, "/readyz").await;
        assert_eq!(answered, status, "{party:?}: {body}");
        assert_eq!(body.contains(r#"{"part":"database""#), party == Party::Database, "{body}");
    }
    context.daemon.update(|view| {
        view.role = Role::Starting;
        view.stages.clear();
        view.database_failure = Some("locked".to_owned());
    });
    let (status, body) = ask(&context, "/readyz").await;
    assert_eq!(status, 503);
    assert!(body.contains(r#"{"part":"database""#) && !body.contains("starting;"), "{body}");
}
