//! The API over HTTP.
//!
//! Decides routes, the token, what a browser on another site may read, and the status of each
//! answer. Without a configured token every write is 401. The routes cover `/api/`, `/version`,
//! `/docs` and `/openapi.json` and leave all other paths to the host that mounts them; `/` is a
//! greeting when the API stands alone.
//!
//! | file | decides |
//! |---|---|
//! | `write` | posts and replacements |
//! | `body` | how bodies are read |
//! | `games`, `players`, `positions` | which parameters a question has and who answers it |
//! | `failure` | how a failure is said |
//! | `cors` | which origins may read |
//! | `docs` | the description of the API |

mod body;
mod cors;
mod docs;
mod failure;
mod games;
mod players;
mod positions;
mod write;

use std::sync::Arc;

use axum::Router;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use rusqlite::Connection;
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use tokio::sync::Semaphore;

use crate::model::Version;
use crate::receiver::Receiver;
pub use body::{BodyFault, discard_body, read_body};
pub use cors::{AllowedOrigins, InvalidOrigin, is_extension_origin};
use failure::Failure;

/// How the API is served.
#[derive(Debug, Clone, Default)]
pub struct ApiOptions {
    /// The token of writers; none or an empty one and nobody writes.
    pub token: Option<SecretString>,
    /// The web sites whose pages may read.
    pub allowed_origins: AllowedOrigins,
    /// Whether `/` answers a greeting. Not where a dashboard is.
    pub greeting: bool,
}

/// The API's routes, to be served or merged into a larger router.
pub fn router(receiver: Arc<Receiver>, token: Option<SecretString>) -> Router {
    router_with(receiver, ApiOptions { token, ..ApiOptions::default() })
}

/// The API's routes as the options say.
pub fn router_with(receiver: Arc<Receiver>, options: ApiOptions) -> Router {
    // An empty token would let everybody in that sends none.
    let token = options.token.filter(|token| !token.expose_secret().is_empty());
    let mut router = Router::new()
        .route("/api/games", post(write::post_game).get(games::games))
        .route("/api/games/{id}", get(games::game).put(write::put_game))
        .route("/api/players", get(players::players))
        .route("/api/players/{id}", get(players::player))
        .route("/api/players/{id}/stats", get(players::stats))
        .route("/api/players/{id}/breakdowns", get(players::breakdowns))
        .route("/api/players/{id}/rating-history", get(players::rating_history))
        .route("/api/players/{id}/profit-history", get(players::profit_history))
        .route("/api/positions/equity", get(positions::equity))
        .route("/api/positions/continuations", get(positions::continuations))
        .route("/api/positions/dice-distribution", get(positions::dice_distribution))
        .route("/api/{*path}", any(|| async { Failure::NotFound("path") }))
        .route("/version", get(version))
        .route("/docs", get(docs::page))
        .route("/openapi.json", get(docs::openapi));
    if options.greeting {
        router = router.route("/", get(docs::greeting));
    }
    let router = router
        .method_not_allowed_fallback(|| async { Failure::MethodNotAllowed })
        .with_state(Arc::new(Api { receiver, token, readers: Semaphore::new(READERS) }));
    options.allowed_origins.allow(router)
}

/// How many questions are answered at the same time; the others wait. Each has a connection with a
/// cache of its own.
const READERS: usize = 16;

/// What the handlers share.
struct Api {
    receiver: Arc<Receiver>,
    token: Option<SecretString>,
    readers: Semaphore,
}

impl Api {
    /// Answers a question away from the reactor, from one state of the store.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Failure> {
        let _turn = self.readers.acquire().await.map_err(|_| Failure::Internal)?;
        let receiver = Arc::clone(&self.receiver);
        match tokio::task::spawn_blocking(move || receiver.read(question)).await {
            Ok(answer) => answer.map_err(Failure::Store),
            Err(_) => Err(Failure::Internal),
        }
    }
}

/// A path's id; a path can hold bytes that are no text.
type PathId = Result<Path<String>, PathRejection>;

/// The answer to a question.
type Answer = Result<Response, Failure>;

/// The program and its version.
#[utoipa::path(
    get, path = "/version", tag = "service",
    responses((status = 200, description = "Name and version", body = Version))
)]
async fn version() -> Answer {
    let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    found(&Version { name, version })
}

/// 200 with a value.
fn found(value: &impl Serialize) -> Answer {
    let json = serde_json::to_string(value).map_err(|_| Failure::Internal)?;
    Ok(json_response(StatusCode::OK, json))
}

fn json_response(status: StatusCode, body: String) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}
