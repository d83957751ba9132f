//! What browsers may send without the analytics service's token.
//!
//! | path | takes | from |
//! |---|---|---|
//! | `POST /api/games` without `Authorization` | a game document, passed on to analytics | pages of `ALLOWED_ORIGINS`, paired extensions |
//! | `POST /pair` | a one-time code, for a secret of the extension's own | extensions |
//! | `POST /ingest/raw` | a game's raw answers, into the catalogue | paired extensions |
//!
//! | file | decides |
//! |---|---|
//! | `origin` | whose pages and extensions may ask |
//! | `client` | how often a client may ask |
//! | `games`, `flight` | what becomes of a posted game, and that equal posts have one effect |
//! | `pair` | how an extension gets its secret |
//! | `raw` | what becomes of raw answers |
//! | `refusal` | how a refusal is said |
//!
//! `docs/gateway.md` tells the same to those who write a client.

mod client;
mod flight;
mod games;
mod origin;
mod pair;
mod raw;
mod refusal;

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use dicechess_core::pacing::BucketRate;
use secrecy::SecretString;
use tokio::sync::Semaphore;

pub(super) use origin::is_allowed_origin;
pub(super) use refusal::detail_response;

use super::WebContext;
use crate::store::{PairingId, Store, StoreError};
use client::{Client, Limiter};
use flight::Flights;
use refusal::Refusal;

/// What the calls of browsers share.
pub(super) struct Gateway {
    context: WebContext,
    posts: Limiter<Client>,
    raw_answers: Limiter<PairingId>,
    codes: Limiter<Client>,
    flights: Flights,
    /// Raw answers are large: only so many are in memory at once.
    raw_turns: Semaphore,
}

impl Gateway {
    /// With full buckets and nothing under way.
    pub(super) fn new(context: WebContext) -> Self {
        let rate = context.config.gateway_rate;
        let rate = BucketRate::per_minute(rate.per_minute, rate.burst);
        Self {
            context,
            posts: Limiter::new(rate),
            raw_answers: Limiter::new(rate),
            codes: Limiter::new(BucketRate::per_minute(CODES_PER_MINUTE, CODES_PER_MINUTE)),
            flights: Flights::default(),
            raw_turns: Semaphore::new(RAW_ANSWERS_AT_ONCE),
        }
    }

    /// Answers a post of a game that came without a token.
    pub(super) async fn post_game(self: &Arc<Self>, request: Request) -> Response {
        games::post_game(self, request).await.into_response()
    }

    /// Asks the database away from the reactor.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Refusal> {
        let store = Arc::clone(&self.context.store);
        match tokio::task::spawn_blocking(move || question(&store)).await {
            Ok(answer) => answer.map_err(|error| Refusal::storage(&error)),
            Err(_) => Err(Refusal::Bug),
        }
    }
}

/// The paths that only the gateway has; [`Gateway::post_game`] is reached through the analytics
/// API's.
pub(super) fn router(gateway: Arc<Gateway>) -> Router<WebContext> {
    Router::new()
        .route("/pair", post(pair::pair))
        .route("/ingest/raw", post(raw::ingest_raw))
        .method_not_allowed_fallback(async || {
            detail_response(StatusCode::METHOD_NOT_ALLOWED, "only POST is answered here")
        })
        .with_state(gateway)
}

/// The origin that a browser states.
fn origin_of(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::ORIGIN)?.to_str().ok()
}

/// The token of an `Authorization: Bearer` header.
fn bearer(headers: &HeaderMap) -> Option<SecretString> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().into())
}

/// Codes that one client may try in a minute.
const CODES_PER_MINUTE: u32 = 5;
/// At most 8 MiB each, and about as much again while they are judged.
const RAW_ANSWERS_AT_ONCE: usize = 2;
