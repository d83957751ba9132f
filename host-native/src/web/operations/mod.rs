//! What machines ask: is it alive, is it ready, what does it measure.
//!
//! | path | answers |
//! |---|---|
//! | `/healthz` | 200 as long as the process serves |
//! | `/readyz` | 200 when the database can be used and the daemon knows its role, else 503 with the reasons |
//! | `/metrics` | Prometheus' text format; `docs/metrics.md` lists all of it |
//!
//! Decides when the process counts as ready, and that what is read off the database is kept for a
//! few seconds, so that a scrape costs little however often somebody asks. None of these needs a
//! token: they tell numbers, no names and no secrets.

mod families;

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Json, Response};
use axum::routing::get;
use prometheus::TextEncoder;
use serde::Serialize;
use tokio::sync::Mutex;

use super::WebContext;
use crate::clock::now;
use crate::daemon::Role;
use crate::store::{DatabaseSize, StoreError, StoreGauges, free_space};

/// For so long what was read off the database is told again.
const READING_LIFE: Duration = Duration::from_secs(5);

/// The routes.
pub(super) fn router() -> Router<WebContext> {
    let cache = Arc::new(Cache::default());
    Router::new()
        .route("/healthz", get(async || "ok\n"))
        .route("/readyz", get(ready))
        .route("/metrics", get(async move |State(context)| metrics(context, &cache).await))
}

/// Counts what is answered, whichever part of the web side answers.
pub(super) async fn count_answers(
    State(context): State<WebContext>,
    request: Request,
    next: Next,
) -> Response {
    let route = request.extensions().get::<MatchedPath>().cloned();
    let method = request.method().clone();
    let response = next.run(request).await;
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    context.telemetry.http_answered(route, method_name(&method), response.status().as_u16());
    response
}

/// Strangers may send any word as a method; each would become a series.
fn method_name(method: &axum::http::Method) -> &str {
    match method.as_str() {
        known @ ("GET" | "HEAD" | "POST" | "PUT" | "DELETE" | "OPTIONS") => known,
        _ => "other",
    }
}

/// The body of `/readyz`.
#[derive(Debug, Serialize)]
struct Readiness {
    ready: bool,
    role: &'static str,
    /// Who crawls instead, in standby.
    #[serde(skip_serializing_if = "Option::is_none")]
    lease_held_by: Option<String>,
    not_ready: Vec<NotReady>,
}

/// A part that is not ready.
#[derive(Debug, Serialize)]
struct NotReady {
    part: &'static str,
    reason: &'static str,
}

async fn ready(State(context): State<WebContext>) -> Response {
    let mut not_ready = Vec::new();
    let store = Arc::clone(&context.store);
    let is_read = tokio::task::spawn_blocking(move || store.has_players()).await;
    if let Err(error) = is_read.map_err(|error| error.to_string()).and_then(shown) {
        tracing::warn!("not ready: {error}");
        let reason = "the database cannot be read; the log says why";
        not_ready.push(NotReady { part: "database", reason });
    }
    let view = context.daemon.view();
    if view.is_database_failing() && not_ready.is_empty() {
        let reason = "the daemon cannot use it; the dashboard and the log say why";
        not_ready.push(NotReady { part: "database", reason });
    }
    let role = view.role;
    match &role {
        Role::Crawling | Role::Standby { .. } => {}
        // Told already: the database keeps it from starting.
        Role::Starting if view.database_failure.is_some() => {}
        Role::Starting => {
            not_ready.push(NotReady { part: "daemon", reason: "it is starting" });
        }
        Role::Stopping => {
            not_ready.push(NotReady { part: "daemon", reason: "it is stopping" });
        }
    }
    let status =
        if not_ready.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let lease_held_by = match &role {
        Role::Standby { holder, .. } => Some(holder.clone()),
        Role::Starting | Role::Crawling | Role::Stopping => None,
    };
    let body =
        Readiness { ready: not_ready.is_empty(), role: role_name(&role), lease_held_by, not_ready };
    (status, Json(body)).into_response()
}

fn shown<T>(outcome: Result<T, StoreError>) -> Result<T, String> {
    outcome.map_err(|error| error.to_string())
}

const fn role_name(role: &Role) -> &'static str {
    match role {
        Role::Starting => "starting",
        Role::Crawling => "crawling",
        Role::Standby { .. } => "standby",
        Role::Stopping => "stopping",
    }
}

/// What is read off the database and its disk for a scrape.
#[derive(Debug, Clone)]
struct Reading {
    /// `None` when the database cannot be read.
    gauges: Option<StoreGauges>,
    size: DatabaseSize,
    free_bytes: Option<u64>,
}

/// The latest reading. The lock is held while one is made, so that those who ask at the same time
/// share it.
#[derive(Debug, Default)]
struct Cache(Mutex<Option<(Instant, Reading)>>);

impl Cache {
    async fn reading(&self, context: &WebContext) -> Result<Reading, tokio::task::JoinError> {
        let mut latest = self.0.lock().await;
        if let Some((_, reading)) = latest.as_ref().filter(|(at, _)| at.elapsed() < READING_LIFE) {
            return Ok(reading.clone());
        }
        let store = Arc::clone(&context.store);
        let reading = tokio::task::spawn_blocking(move || {
            let gauges = store.gauges(now());
            if let Err(error) = &gauges {
                tracing::warn!("metrics without the database: {error}");
            }
            Reading {
                gauges: gauges.ok(),
                size: DatabaseSize::of(store.path()),
                free_bytes: free_space(store.path()).ok(),
            }
        })
        .await?;
        *latest = Some((Instant::now(), reading.clone()));
        Ok(reading)
    }
}

async fn metrics(context: WebContext, cache: &Cache) -> Response {
    let text = async {
        let reading = cache.reading(&context).await.map_err(|error| error.to_string())?;
        let mut all = context.telemetry.gather();
        all.extend(families::of(&reading, &context.daemon.view(), &context.config, now()));
        all.sort_by(|a, b| a.name().cmp(b.name()));
        TextEncoder::new().encode_to_string(&all).map_err(|error| error.to_string())
    };
    match text.await {
        Ok(text) => ([(header::CONTENT_TYPE, prometheus::TEXT_FORMAT)], text).into_response(),
        Err(error) => {
            tracing::error!("metrics cannot be told: {error}");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

#[cfg(test)]
mod tests;
