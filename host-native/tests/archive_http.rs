//! The archive service's client.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::{Method, StatusCode, Uri};
use axum::routing::any;
use dicechess_core::ids::GameId;
use dicechess_sync::archive::{Archive, ArchiveUrl, Stored};
use tokio::net::TcpListener;

type Seen = Arc<Mutex<Vec<(Method, String, String)>>>;

fn game() -> GameId {
    "0b5f1c3e-9a77-4c11-8e55-00000000abcd".parse().unwrap()
}

/// A service that always answers `status`; its URL and what it has seen.
async fn service(status: u16, body: &'static str) -> (String, Seen) {
    let seen = Seen::default();
    let record = move |State(seen): State<Seen>, method: Method, uri: Uri, text: String| async move {
        seen.lock().unwrap().push((method, uri.path().to_owned(), text));
        (StatusCode::from_u16(status).unwrap(), body)
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let app = Router::new().fallback(any(record)).with_state(Arc::clone(&seen));
    tokio::spawn(async { axum::serve(listener, app).await });
    (format!("user:hidden@{address}"), seen)
}

fn archive_at(authority: &str) -> Archive {
    ArchiveUrl::parse(&format!("http://{authority}/below/")).unwrap().open().unwrap().unwrap()
}

#[tokio::test]
async fn created_and_existed_are_confirmations() {
    for (status, stored) in [(201, Stored::Created), (200, Stored::Existed)] {
        let (authority, seen) = service(status, "").await;
        let archive = archive_at(&authority);
        assert_eq!(archive.put(game(), "{\"a\":\"♞\"}").await.unwrap(), stored);
        let path = "/below/raw/dicechess.com/0b5f1c3e-9a77-4c11-8e55-00000000abcd".to_owned();
        let expected = (Method::PUT, path, "{\"a\":\"♞\"}".to_owned());
        assert_eq!(*seen.lock().unwrap(), [expected]);
        assert!(!format!("{archive:?}").contains("hidden"));
    }
}

#[tokio::test]
async fn anything_else_is_an_error_that_names_the_url() {
    for status in [202, 204, 301, 401, 404, 409, 500, 507] {
        let (authority, _) = service(status, "no\nroom").await;
        let error = archive_at(&authority).put(game(), "{}").await.unwrap_err().to_string();
        let address = authority.trim_start_matches("user:hidden@");
        let url = format!("http://{address}/below/raw/dicechess.com/{}", game());
        let prefix = format!("the archive {url} answered {status}, where 201 or 200 is due: ");
        assert!(error.starts_with(&prefix), "{error}");
        assert!(status == 204 || error.ends_with("no room"), "{error}");
    }
}

#[tokio::test]
async fn a_service_that_is_down_is_an_error() {
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let archive = archive_at(&format!("user:hidden@{unused}"));
    let error = archive.put(game(), "{}").await.unwrap_err().to_string();
    assert!(error.contains(&format!("cannot reach the archive http://{unused}/below")), "{error}");
    assert!(error.contains("refused"), "{error}");
    assert!(!error.contains("hidden"), "{error}");
}
