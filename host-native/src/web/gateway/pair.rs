//! An extension redeems a one-time code.
//!
//! Decides who may try and how often, and what the extension gets: a secret of its own, shown this
//! one time. What a code is and how long it is good is [`dicechess_core::pairing`]'s decision.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use dicechess_analytics::{discard_body, read_body};
use dicechess_core::pairing::PairingCode;
use rand::TryRngCore;
use rand::rngs::OsRng;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::json;

use super::client::Client;
use super::origin::may_be_paired;
use super::refusal::Refusal;
use super::{Gateway, origin_of};
use crate::clock::now;
use crate::store::{PairingId, PairingRequest};

/// Answers `POST /pair`.
pub(super) async fn pair(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
) -> Result<Response, Refusal> {
    let client = Client::of(&request);
    let origin = origin_of(request.headers()).map(str::to_owned);
    let paired = take(&gateway, client, origin.as_deref(), request).await;
    match &paired {
        Ok((id, _)) => tracing::info!(%client, origin, pairing = id, "paired"),
        Err(refusal) => tracing::warn!(%client, origin, "pairing refused: {refusal}"),
    }
    let (id, secret) = paired?;
    let body = json!({ "pairing_id": id, "secret": secret.expose_secret() }).to_string();
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    Ok((StatusCode::CREATED, headers, body).into_response())
}

async fn take(
    gateway: &Gateway,
    client: Client,
    origin: Option<&str>,
    request: Request,
) -> Result<(PairingId, SecretString), Refusal> {
    let body = request.into_body();
    let admitted = match origin {
        Some(origin) if may_be_paired(&gateway.context, origin) => {
            gateway.codes.admit(client).map(|()| origin.to_owned())
        }
        _ => Err(Refusal::Origin),
    };
    let origin = match admitted {
        Ok(origin) => origin,
        Err(refusal) => {
            discard_body(body);
            return Err(refusal);
        }
    };
    let limit = MOST_BYTES;
    let body = read_body(body, limit).await.map_err(|fault| Refusal::Body { fault, limit })?;
    let asked = serde_json::from_slice(&body).map_err(|_| Refusal::malformed(FORM))?;
    let secret = new_secret()?;
    let id = redeem(gateway, asked, origin, secret.clone()).await?.ok_or(Refusal::Code)?;
    Ok((id, secret))
}

#[derive(Deserialize)]
struct Asked {
    code: String,
    label: Option<String>,
}

async fn redeem(
    gateway: &Gateway,
    asked: Asked,
    origin: String,
    secret: SecretString,
) -> Result<Option<PairingId>, Refusal> {
    let code: PairingCode = asked.code.parse().map_err(|_| Refusal::Code)?;
    let label: Option<String> =
        asked.label.map(|label| label.trim().chars().take(LABEL_CHARS).collect());
    let request = move |store: &crate::store::Store| {
        let label = label.as_deref().filter(|label| !label.is_empty());
        let request = PairingRequest { origin: &origin, label, secret: &secret };
        store.redeem_pairing_code(code, &request, now())
    };
    gateway.ask(request).await
}

/// 256 random bits.
fn new_secret() -> Result<SecretString, Refusal> {
    let mut bytes = [0u8; 32];
    OsRng.try_fill_bytes(&mut bytes).map_err(|error| {
        tracing::error!("the system gives no random numbers: {error}");
        Refusal::Bug
    })?;
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text.into())
}

/// A parser's own words would quote the code.
const FORM: &str = "an object with code, a string, is due; label, a string, may come with it";
const MOST_BYTES: usize = 4096;
const LABEL_CHARS: usize = 60;
