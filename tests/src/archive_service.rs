//! An archive service: `PUT /raw/{source}/{id}`, the first writer wins.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::StatusCode;
use axum::routing::put;
use dicechess_core::ids::GameId;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::Scripted;

/// One request as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedBundle {
    /// The source in the path.
    pub source: String,
    /// The game in the path.
    pub game: GameId,
    /// The bundle.
    pub body: String,
    /// The status of the answer.
    pub status: u16,
}

/// A running service. Dropping it stops it.
#[derive(Debug)]
pub struct ArchiveService {
    base_url: String,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

#[derive(Debug, Default)]
struct Shared {
    kept: Mutex<BTreeMap<(String, GameId), String>>,
    puts: Mutex<Vec<RecordedBundle>>,
    script: Mutex<VecDeque<Scripted>>,
    always: Mutex<Option<Scripted>>,
}

impl ArchiveService {
    /// Starts an empty service on a free loopback port.
    pub async fn start() -> Self {
        let shared = Arc::new(Shared::default());
        let app = Router::new()
            .route("/raw/{source}/{id}", put(store))
            .layer(DefaultBodyLimit::max(64 << 20))
            .with_state(Arc::clone(&shared));
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let task = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { base_url, shared, task }
    }

    /// What `ARCHIVE_URL` is set to.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Has it keep a bundle as if somebody else had stored it.
    pub fn keep(&self, game: GameId, body: &str) {
        assert_eq!(self.shared.keep("dicechess.com", game, body), 201);
    }

    /// The requests so far.
    pub fn puts(&self) -> Vec<RecordedBundle> {
        self.shared.puts.lock().unwrap().clone()
    }

    /// The bundles it keeps.
    pub fn bundles(&self) -> BTreeMap<GameId, String> {
        let kept = self.shared.kept.lock().unwrap();
        kept.iter().map(|((_, game), body)| (*game, body.clone())).collect()
    }

    /// The next answers, one a request; nothing is kept.
    pub fn script(&self, answers: impl IntoIterator<Item = Scripted>) {
        self.shared.script.lock().unwrap().extend(answers);
    }

    /// The answer to everything that is not scripted, until it is set to `None`.
    pub fn always(&self, answer: Option<Scripted>) {
        *self.shared.always.lock().unwrap() = answer;
    }
}

impl Drop for ArchiveService {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn store(
    State(shared): State<Arc<Shared>>,
    Path((source, game)): Path<(String, GameId)>,
    body: Bytes,
) -> (StatusCode, String) {
    let body = String::from_utf8_lossy(&body).into_owned();
    let scripted = shared.next_scripted();
    let (status, text) = match scripted {
        Some(answer) => {
            tokio::time::sleep(answer.delay).await;
            (answer.status, answer.body)
        }
        None => (shared.keep(&source, game, &body), String::new()),
    };
    shared.puts.lock().unwrap().push(RecordedBundle { source, game, body, status });
    (StatusCode::from_u16(status).unwrap(), text)
}

impl Shared {
    fn next_scripted(&self) -> Option<Scripted> {
        let next = self.script.lock().unwrap().pop_front();
        next.or_else(|| self.always.lock().unwrap().clone())
    }

    fn keep(&self, source: &str, game: GameId, body: &str) -> u16 {
        let mut kept = self.kept.lock().unwrap();
        let key = (source.to_owned(), game);
        if kept.contains_key(&key) {
            return 200;
        }
        kept.insert(key, body.to_owned());
        201
    }
}
