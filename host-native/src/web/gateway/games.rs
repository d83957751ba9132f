//! A browser posts a game document.
//!
//! Decides the order of the checks (origin, rate, size, form) and what of analytics' answers the
//! browser is told. The game's id is the idempotency key: the answer of the first success is kept
//! and given to every repeat. Whether the game is legal is decided by analytics.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use dicechess_analytics::{MAX_BODY_BYTES, discard_body, read_body, read_heading};
use dicechess_core::delivery::{NO_ANSWER, PostAnswer};
use dicechess_core::ids::GameId;
use dicechess_core::ingest::SOURCE;
use serde_json::json;
use serde_json::value::RawValue;

use super::client::Client;
use super::origin::is_allowed_origin;
use super::refusal::{Refusal, detail};
use super::{Gateway, origin_of};
use crate::clock::now;
use crate::store::KeptAnswer;

/// What a browser is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    /// The status.
    pub(super) status: u16,
    /// The JSON body.
    pub(super) body: String,
}

/// Checks a post and passes it on.
pub(super) async fn post_game(gateway: &Arc<Gateway>, request: Request) -> Result<Answer, Refusal> {
    let client = Client::of(&request);
    let taken = take(gateway, client, request).await;
    match &taken {
        Ok((game, answer)) => {
            tracing::info!(%client, %game, status = answer.status, "a browser's post answered");
        }
        Err(refusal) => tracing::info!(%client, "a browser's post refused: {refusal}"),
    }
    taken.map(|(_, answer)| answer)
}

async fn take(
    gateway: &Arc<Gateway>,
    client: Client,
    request: Request,
) -> Result<(GameId, Answer), Refusal> {
    let (head, body) = request.into_parts();
    let admitted = match origin_of(&head.headers) {
        Some(origin) if is_allowed_origin(&gateway.context, origin).await => {
            gateway.posts.admit(client)
        }
        _ => Err(Refusal::Origin),
    };
    if let Err(refusal) = admitted {
        discard_body(body);
        return Err(refusal);
    }
    let limit = MAX_BODY_BYTES;
    let body = read_body(body, limit).await.map_err(|fault| Refusal::Body { fault, limit })?;
    let game = check(&body)?;
    Ok((game, pass_on(gateway, game, body).await?))
}

/// Form and source; the game's id.
fn check(body: &[u8]) -> Result<GameId, Refusal> {
    let heading =
        read_heading(body).map_err(|rejection| Refusal::malformed(&rejection.to_string()))?;
    if heading.source == SOURCE {
        Ok(heading.id)
    } else {
        Err(Refusal::malformed(&format!("source: {SOURCE:?} is due, not {:?}", heading.source)))
    }
}

/// In a task of its own: a browser that goes away does not break off what others wait for.
async fn pass_on(gateway: &Arc<Gateway>, game: GameId, body: Bytes) -> Result<Answer, Refusal> {
    let gateway = Arc::clone(gateway);
    let flight = tokio::spawn(async move {
        let send = async |body: &Bytes| match relay(&gateway, game, body).await {
            Ok(answer) => answer,
            Err(refusal) => refusal.into_answer(),
        };
        gateway.flights.join(game, body, send).await
    });
    flight.await.map_err(|_| Refusal::Bug)
}

/// One post to analytics, unless an answer is kept.
async fn relay(gateway: &Gateway, game: GameId, body: &Bytes) -> Result<Answer, Refusal> {
    if let Some(kept) = gateway.ask(move |store| store.begin_browser_post(game, now())).await? {
        return Ok(kept.into());
    }
    let text = String::from_utf8_lossy(body).into_owned();
    match gateway.context.analytics.send(game, text, false).await {
        PostAnswer::Created { body } => keep(gateway, game, 201, body).await,
        PostAnswer::Exists { body } => keep(gateway, game, 200, body).await,
        PostAnswer::Refused { status: status @ (400 | 422), reason } => {
            gateway.ask(move |store| store.forget_browser_post(game)).await?;
            Ok(Answer { status, body: readable(&reason).unwrap_or_else(|| detail(&reason)) })
        }
        PostAnswer::TimedOut => Ok(Answer { status: 504, body: detail(NO_ANSWER) }),
        failure @ (PostAnswer::Refused { .. }
        | PostAnswer::Unauthorized
        | PostAnswer::Failed { .. }) => {
            tracing::warn!(%game, "analytics did not take a browser's post: {}", failure.text());
            let text = "analytics did not take the game; the daemon's log says why";
            Ok(Answer { status: 502, body: detail(text) })
        }
    }
}

/// Keeps the answer of a success for every repeat.
async fn keep(
    gateway: &Gateway,
    game: GameId,
    status: u16,
    body: String,
) -> Result<Answer, Refusal> {
    let plain = || json!({ "id": game, "created": status == 201 }).to_string();
    let kept = KeptAnswer { status, body: readable(&body).unwrap_or_else(plain) };
    let answer = kept.clone().into();
    gateway.ask(move |store| store.keep_browser_answer(game, &kept)).await?;
    Ok(answer)
}

/// The body if it is JSON. One that was cut off or is a proxy's page would only confuse a client.
fn readable(body: &str) -> Option<String> {
    serde_json::from_str::<&RawValue>(body).ok().map(|_| body.to_owned())
}

impl From<KeptAnswer> for Answer {
    fn from(KeptAnswer { status, body }: KeptAnswer) -> Self {
        Self { status, body }
    }
}

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::BAD_GATEWAY);
        (status, [(header::CONTENT_TYPE, "application/json")], self.body).into_response()
    }
}
