//! A paired extension sends the raw answers that its browser saw.
//!
//! Decides the order of the checks: secret, rate, size, form, then whether the game is believed
//! ([`SeenGame`]) and how it fits what is known ([`SeenOutcome`]).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
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
    let admitted = match bearer(&head.headers) {
        Some(secret) => gateway.ask(move |store| store.pairing_with_secret(&secret)).await,
        None => Ok(None),
    };
    let admitted = admitted
        .and_then(|pairing| pairing.ok_or(Refusal::Unpaired))
        .and_then(|pairing| gateway.raw_answers.admit(pairing).map(|()| pairing));
    let pairing = match admitted {
        Ok(pairing) => pairing,
        Err(refusal) => {
            tracing::info!("raw answers of a browser refused: {refusal:?}");
            discard_body(body);
            return Err(refusal);
        }
    };
    let _turn = gateway.raw_turns.acquire().await.map_err(|_| Refusal::Bug)?;
    let limit = MOST_BYTES;
    let body = read_body(body, limit).await.map_err(|fault| Refusal::Body { fault, limit })?;
    let store = Arc::clone(&gateway.context.store);
    let taken = tokio::task::spawn_blocking(move || take(&store, &body, pairing)).await;
    let taken = taken.map_err(|_| Refusal::Bug).and_then(|taken| taken);
    match &taken {
        Ok((game, created)) => {
            tracing::info!(pairing, %game, created, "raw answers of a browser taken");
        }
        Err(refusal) => tracing::warn!(pairing, "raw answers of a browser refused: {refusal:?}"),
    }
    let (game, created) = taken?;
    if created {
        gateway.context.daemon.wake_delivery();
    }
    let status = if created { StatusCode::CREATED } else { StatusCode::OK };
    let body = json!({ "id": game, "created": created }).to_string();
    Ok((status, [(header::CONTENT_TYPE, "application/json")], body).into_response())
}

/// Judges and stores a bundle; the game, and whether it is new.
fn take(store: &Store, body: &[u8], pairing: PairingId) -> Result<(GameId, bool), Refusal> {
    let malformed = |error: &dyn std::fmt::Display| Refusal::Malformed(error.to_string());
    let text = std::str::from_utf8(body)
        .map_err(|error| Refusal::Malformed(format!("not UTF-8: {error}")))?;
    let bundle = Bundle::parse(text).map_err(|error| malformed(&error))?;
    let now = now();
    let seen = SeenGame::judge(&bundle, now)
        .map_err(|refused| Refusal::Disbelieved(refused.to_string()))?;
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
