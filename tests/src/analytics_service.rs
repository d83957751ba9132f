//! An analytics service: the embedded receiver over HTTP, recording what it is sent.
//!
//! Decides nothing about games: the receiver judges them, unless an answer was scripted.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use dicechess_analytics::{Receiver, router};
use dicechess_core::ids::GameId;
use secrecy::SecretString;
use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::Scripted;

/// One request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedPost {
    /// `POST` or `PUT`.
    pub method: String,
    /// The path.
    pub path: String,
    /// The `Authorization` header.
    pub authorization: Option<String>,
    /// The body.
    pub body: String,
    /// The status of the answer.
    pub status: u16,
}

impl RecordedPost {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The game it is about.
    pub fn game(&self) -> GameId {
        self.json()["id"].as_str().unwrap().parse().unwrap()
    }
}

/// A running service. Dropping it stops it.
#[derive(Debug)]
pub struct AnalyticsService {
    base_url: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
    _directory: TempDir,
}

#[derive(Debug)]
struct Shared {
    receiver: Arc<Receiver>,
    posts: Mutex<Vec<RecordedPost>>,
    script: Mutex<VecDeque<Scripted>>,
    always: Mutex<Option<Scripted>>,
}

impl AnalyticsService {
    /// The token that is let in.
    pub const TOKEN: &'static str = "ingest-token-of-the-tests";

    /// Starts an empty service on a free loopback port.
    pub async fn start() -> Self {
        let directory = TempDir::new().unwrap();
        let receiver = Arc::new(Receiver::open(&directory.path().join("received.db")).unwrap());
        let shared = Arc::new(Shared {
            receiver: Arc::clone(&receiver),
            posts: Mutex::default(),
            script: Mutex::default(),
            always: Mutex::default(),
        });
        let app: Router = router(receiver, Some(SecretString::from(Self::TOKEN)))
            .layer(from_fn_with_state(Arc::clone(&shared), record));
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let task = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { base_url, shared, task, _directory: directory }
    }

    /// Where it is.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// The requests so far, reads not among them.
    pub fn posts(&self) -> Vec<RecordedPost> {
        self.shared.posts.lock().unwrap().clone()
    }

    /// What it keeps of a game.
    pub fn body(&self, game: GameId) -> Option<String> {
        self.shared.receiver.body(game).unwrap()
    }

    /// Has it keep a game as if somebody else had posted it.
    pub fn keep(&self, body: &str) {
        assert_eq!(self.shared.receiver.post(body.as_bytes()).status(), 201);
    }

    /// How many games it keeps.
    pub fn count(&self) -> u64 {
        self.shared.receiver.count().unwrap()
    }

    /// The next answers, one a request; the receiver is not asked.
    pub fn script(&self, answers: impl IntoIterator<Item = Scripted>) {
        self.shared.script.lock().unwrap().extend(answers);
    }

    /// The answer to everything that is not scripted, until it is set to `None`.
    pub fn always(&self, answer: Option<Scripted>) {
        *self.shared.always.lock().unwrap() = answer;
    }
}

impl Drop for AnalyticsService {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn record(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let is_write = matches!(parts.method.as_str(), "POST" | "PUT");
    let bytes = to_bytes(body, 64 << 20).await.unwrap_or_default();
    let authorization = parts.headers.get(AUTHORIZATION);
    let mut recorded = RecordedPost {
        method: parts.method.to_string(),
        path: parts.uri.path().to_owned(),
        authorization: authorization.map(|value| value.to_str().unwrap().to_owned()),
        body: String::from_utf8_lossy(&bytes).into_owned(),
        status: 0,
    };
    let scripted = if is_write { shared.next_scripted() } else { None };
    let response = match scripted {
        Some(answer) => {
            tokio::time::sleep(answer.delay).await;
            Response::builder().status(answer.status).body(answer.body.into()).unwrap()
        }
        None => next.run(Request::from_parts(parts, Body::from(bytes))).await,
    };
    recorded.status = response.status().as_u16();
    if is_write {
        shared.posts.lock().unwrap().push(recorded);
    }
    response
}

impl Shared {
    fn next_scripted(&self) -> Option<Scripted> {
        let next = self.script.lock().unwrap().pop_front();
        next.or_else(|| self.always.lock().unwrap().clone())
    }
}
