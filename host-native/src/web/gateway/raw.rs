//! A paired extension sends the raw answers that its browser saw.
//!
//! Decides the order of the checks: secret, rate, size, form, then whether the game is believed
//! ([`SeenGame`]) and how it fits what is known ([`SeenOutcome`]).

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use dicechess_analytics::{discard_body, read_body};
use dicechess_core::bundle::{Bundle, SeenGame};
use dicechess_core::ids::GameId;
use serde_json::json;

use super::refusal::Refusal;
use super::{Gateway, bearer};
use crate::clock::now;
use crate::store::{PairingId, SeenOutcome, Store};

/// Answers `POST /ingest/raw`.
pub(super) async fn ingest_raw(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Refusal> {
    let (head, body) = request.into_parts();
    let pairing = match admit(&gateway, &head.headers).await {
        Ok(pairing) => pairing,
        Err(refusal) => {
            tracing::info!("a browser's raw answers refused: {refusal}");
            discard_body(body);
            return Err(refusal);
        }
    };
    let taken = receive(&gateway, pairing, body).await;
    match &taken {
        Ok((game, created)) => {
            tracing::info!(pairing, %game, created, "a browser's raw answers taken");
        }
        Err(refusal) => tracing::warn!(pairing, "a browser's raw answers refused: {refusal}"),
    }
    let (game, created) = taken?;
    if created {
        gateway.context.daemon.wake_delivery();
    }
    let status = if created { StatusCode::CREATED } else { StatusCode::OK };
    let body = json!({ "id": game, "created": created }).to_string();
    Ok((status, [(header::CONTENT_TYPE, "application/json")], body).into_response())
}

/// The pairing whose secret was sent.
async fn admit(gateway: &Gateway, headers: &HeaderMap) -> Result<PairingId, Refusal> {
    let secret = bearer(headers).ok_or(Refusal::Unpaired)?;
    let pairing = gateway.ask(move |store| store.pairing_with_secret(&secret)).await?;
    let pairing = pairing.ok_or(Refusal::Unpaired)?;
    gateway.raw_answers.admit(pairing).map(|()| pairing)
}

async fn receive(
    gateway: &Gateway,
    pairing: PairingId,
    body: Body,
) -> Result<(GameId, bool), Refusal> {
    let _turn = gateway.raw_turns.acquire().await.map_err(|_| Refusal::Bug)?;
    let limit = MOST_BYTES;
    let body = read_body(body, limit).await.map_err(|fault| Refusal::Body { fault, limit })?;
    let store = Arc::clone(&gateway.context.store);
    let taken = tokio::task::spawn_blocking(move || take(&store, &body, pairing)).await;
    taken.map_err(|_| Refusal::Bug)?
}

/// Judges and stores a bundle; the game, and whether it is new.
fn take(store: &Store, body: &[u8], pairing: PairingId) -> Result<(GameId, bool), Refusal> {
    let text = std::str::from_utf8(body)
        .map_err(|error| Refusal::malformed(&format!("not UTF-8: {error}")))?;
    let bundle = Bundle::parse(text).map_err(|error| Refusal::malformed(&error.to_string()))?;
    let now = now();
    let seen = SeenGame::judge(&bundle, now)
        .map_err(|refused| Refusal::disbelieved(&refused.to_string()))?;
    let outcome = store.accept_seen_game(&seen, pairing, now);
    match outcome.map_err(|error| Refusal::storage(&error))? {
        SeenOutcome::Stored => Ok((bundle.game_id, true)),
        SeenOutcome::Known => Ok((bundle.game_id, false)),
        SeenOutcome::Contradicted(why) => Err(Refusal::Contradicted(why.to_string())),
        SeenOutcome::Revoked => Err(Refusal::Unpaired),
    }
}

/// A long game has some 500 kB.
const MOST_BYTES: usize = 8 << 20;
