//! The analytics client over real connections.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::routing::any;
use dicechess_core::delivery::PostAnswer;
use dicechess_core::ids::GameId;
use dicechess_sync::analytics_client::{AnalyticsClient, RelayFailure};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const TOKEN: &str = "ingest-token-nobody-may-see";

type Seen = Arc<Mutex<Vec<(Method, String, HeaderMap, String)>>>;

fn game() -> GameId {
    "0b5f1c3e-9a77-4c11-8e55-00000000abcd".parse().unwrap()
}

/// A service that always answers `status`; its URL and what it has seen.
async fn service(status: u16, body: String) -> (String, Seen) {
    let seen = Seen::default();
    let record = move |State(seen): State<Seen>,
                       method: Method,
                       uri: Uri,
                       headers: HeaderMap,
                       text: String| {
        seen.lock().unwrap().push((method, uri.path().to_owned(), headers, text));
        std::future::ready((StatusCode::from_u16(status).unwrap(), body.clone()))
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let app = Router::new().fallback(any(record)).with_state(Arc::clone(&seen));
    tokio::spawn(async { axum::serve(listener, app).await });
    (url, seen)
}

/// A server that answers each connection with these bytes; it closes them unless it `stalls`.
async fn raw_server(bytes: &'static [u8], stalls: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 4096]).await;
            let _ = stream.write_all(bytes).await;
            if stalls {
                let _ = stream.read_to_end(&mut Vec::new()).await;
            }
        }
    });
    url
}

fn client(url: &str) -> AnalyticsClient {
    AnalyticsClient::new(url, Some(TOKEN.into()), Duration::from_millis(800)).unwrap()
}

#[tokio::test]
async fn a_game_is_posted_and_replaced() {
    for (base, prefix) in [("", ""), ("/", ""), ("/below", "/below"), ("/below/", "/below")] {
        let (url, seen) = service(201, "{\"id\":\"x\",\"created\":true}".to_owned()).await;
        let client = client(&format!("{url}{base}"));
        let created = PostAnswer::Created { body: "{\"id\":\"x\",\"created\":true}".to_owned() };
        assert_eq!(client.post(game(), "{\"a\":\"♞\"}").await, created);
        assert_eq!(client.put(game(), "{\"b\":2}").await, created);

        let seen = seen.lock().unwrap();
        let [(post, post_path, headers, post_body), (put, put_path, _, put_body)] = &seen[..]
        else {
            panic!("two requests: {seen:?}")
        };
        assert_eq!((post, post_path.as_str()), (&Method::POST, &*format!("{prefix}/api/games")));
        assert_eq!(post_body, "{\"a\":\"♞\"}");
        assert_eq!((put, put_path), (&Method::PUT, &format!("{prefix}/api/games/{}", game())));
        assert_eq!(put_body, "{\"b\":2}");
        assert_eq!(headers["authorization"], format!("Bearer {TOKEN}"));
        assert_eq!(headers["content-type"], "application/json");
        assert_eq!(headers["user-agent"], concat!("dicechess-sync/", env!("CARGO_PKG_VERSION")));
    }
}

#[tokio::test]
async fn every_status_has_its_answer() {
    let detail = "{\"detail\":\"Turn 1: illegal move sequence [a1a4]\"}";
    let refused = |status| PostAnswer::Refused { status, reason: detail.to_owned() };
    let failed = |status| PostAnswer::Failed { message: format!("HTTP {status}: {detail}") };
    for (status, expected) in [
        (201, PostAnswer::Created { body: detail.to_owned() }),
        (200, PostAnswer::Exists { body: detail.to_owned() }),
        (400, refused(400)),
        (413, refused(413)),
        (422, refused(422)),
        (401, PostAnswer::Unauthorized),
        (403, PostAnswer::Unauthorized),
        (302, failed(302)),
        (404, failed(404)),
        (429, failed(429)),
        (500, failed(500)),
        (503, failed(503)),
    ] {
        let (url, _) = service(status, detail.to_owned()).await;
        assert_eq!(client(&url).post(game(), "{}").await, expected);
    }
}

#[tokio::test]
async fn a_long_reason_is_cut_and_an_echoed_token_is_not_kept() {
    let (url, _) = service(422, format!("{TOKEN} {}", "x".repeat(1 << 20))).await;
    let PostAnswer::Refused { reason, .. } = client(&url).post(game(), "{}").await else {
        panic!("refused")
    };
    assert!(reason.starts_with("[secret] xxx"));
    assert!(reason.len() <= 64 * 1024);
    let (url, _) = service(500, TOKEN.to_owned()).await;
    let failed = PostAnswer::Failed { message: "HTTP 500: [secret]".to_owned() };
    assert_eq!(client(&url).post(game(), "{}").await, failed);
    assert!(!format!("{:?}", client(&url)).contains(TOKEN));
}

#[tokio::test]
async fn a_success_counts_even_if_its_body_is_cut_off_or_never_ends() {
    let cut = b"HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{\"id\"";
    for stalls in [false, true] {
        let url = raw_server(cut, stalls).await;
        let body = "{\"id\"".to_owned();
        assert_eq!(client(&url).post(game(), "{}").await, PostAnswer::Created { body });
    }
}

#[tokio::test]
async fn what_brings_no_answer_is_a_failure() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (url, cause) in [
        (format!("http://{unused}"), "refused"),
        (raw_server(b"", false).await, "cannot be reached"),
        (raw_server(b"HTTP/1.1 20", false).await, "cannot be reached"),
    ] {
        let PostAnswer::Failed { message } = client(&url).post(game(), "{}").await else {
            panic!("{url} brings no answer")
        };
        assert!(message.contains(cause), "{message}");
        assert!(!message.contains(TOKEN), "{message}");
    }
    let silent = raw_server(b"", true).await;
    assert_eq!(client(&silent).post(game(), "{}").await, PostAnswer::TimedOut);
}

#[tokio::test]
async fn what_others_ask_is_passed_on_and_does_not_leave_the_service() {
    let (url, seen) = service(418, "tea".to_owned()).await;
    let client = client(&format!("{url}/below"));
    let headers = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static("Bearer his"))]);
    let path = "/api/games?limit=1&player_id=%C3%A9";
    let body = Bytes::from_static(b"{}");
    let answer = client.relay(Method::PUT, path, headers.clone(), body).await.unwrap();
    assert_eq!(answer.status(), 418);
    {
        let seen = seen.lock().unwrap();
        let (method, asked, headers, body) = &seen[0];
        assert_eq!(
            (method, asked.as_str(), body.as_str()),
            (&Method::PUT, "/below/api/games", "{}")
        );
        assert_eq!(headers["authorization"], "Bearer his");
    }
    for path in ["/api/../secret", "/api/%2e%2e/secret", "/api/../../secret", "/api/..%2F/../x"] {
        let answer = client.relay(Method::GET, path, headers.clone(), Bytes::new()).await;
        assert_eq!(answer.unwrap_err(), RelayFailure::Astray, "{path}");
    }
    assert_eq!(seen.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn without_a_token_none_is_sent() {
    let (url, seen) = service(401, String::new()).await;
    let client = AnalyticsClient::new(&url, None, Duration::from_secs(5)).unwrap();
    assert_eq!(client.post(game(), "{}").await, PostAnswer::Unauthorized);
    assert!(!seen.lock().unwrap()[0].2.contains_key("authorization"));
}
