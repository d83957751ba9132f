//! Posts and replacements.
//!
//! Decides that the token comes before the body; what is answered to a body is [`Receiver`]'s matter.

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq;

use super::body::{BodyFault, discard_body, read_body};
use super::{Api, Failure, PathId, json_response};
use crate::acceptance::{MAX_BODY_BYTES, Rejection};
use crate::model::{ErrorBody, Kept};
use crate::receiver::Receiver;
use crate::reply::Reply;

/// Keeps a game unless it is there.
///
/// The first writer wins: a game that is there is answered with 200 and nothing changes.
#[utoipa::path(
    post, path = "/api/games", tag = "games", security(("token" = [])),
    request_body(content = Object, description = "The game document"),
    responses(
        (status = 201, description = "The game is new", body = Kept),
        (status = 200, description = "The game was there, nothing changed", body = Kept),
        (status = 400, description = "Not well-formed", body = ErrorBody),
        (status = 401, description = "No valid token", body = ErrorBody),
        (status = 413, description = "Larger than 1 MiB", body = ErrorBody),
        (status = 422, description = "Refused by the replay", body = ErrorBody),
    )
)]
pub(super) async fn post_game(State(api): State<Arc<Api>>, request: Request) -> Response {
    write(&api, request, |receiver, body| receiver.post(body)).await
}

/// Keeps a game in place of the one that is there.
///
/// All of the old game goes and all of the new one comes, or nothing changes.
#[utoipa::path(
    put, path = "/api/games/{id}", tag = "games", security(("token" = [])),
    params(("id" = String, Path, description = "The game's UUID, the same as in the body")),
    request_body(content = Object, description = "The game document"),
    responses(
        (status = 201, description = "The game is new", body = Kept),
        (status = 200, description = "The game was replaced", body = Kept),
        (status = 400, description = "Not well-formed, or another id", body = ErrorBody),
        (status = 401, description = "No valid token", body = ErrorBody),
        (status = 413, description = "Larger than 1 MiB", body = ErrorBody),
        (status = 422, description = "Refused by the replay", body = ErrorBody),
    )
)]
pub(super) async fn put_game(
    State(api): State<Arc<Api>>,
    id: PathId,
    request: Request,
) -> Response {
    // A path that cannot be decoded is no UUID either; it is said after the token was checked.
    let id = id.map_or_else(|rejection| rejection.body_text(), |path| path.0);
    write(&api, request, move |receiver, body| receiver.replace(&id, body)).await
}

/// Token, then body, then the receiver's work away from the reactor.
async fn write(
    api: &Api,
    request: Request,
    work: impl FnOnce(&Receiver, &[u8]) -> Reply + Send + 'static,
) -> Response {
    let (head, body) = request.into_parts();
    if !is_authorized(&head.headers, api.token.as_ref()) {
        discard_body(body);
        let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
        return (challenge, Failure::Unauthorized).into_response();
    }
    let body = match read(body).await {
        Ok(body) => body,
        Err(response) => return response,
    };
    let receiver = Arc::clone(&api.receiver);
    match tokio::task::spawn_blocking(move || work(&receiver, &body)).await {
        Ok(reply) => respond(&reply),
        Err(_) => Failure::Internal.into_response(),
    }
}

fn is_authorized(headers: &HeaderMap, token: Option<&SecretString>) -> bool {
    let Some(token) = token else { return false };
    let sent = headers.get(header::AUTHORIZATION).and_then(|value| {
        let (scheme, sent) = value.as_bytes().split_at_checked("Bearer ".len())?;
        scheme.eq_ignore_ascii_case(b"Bearer ").then_some(sent.trim_ascii())
    });
    sent.is_some_and(|sent| sent.ct_eq(token.expose_secret().as_bytes()).into())
}

/// The body, or the answer to one that is too large, too slow or breaks off.
async fn read(body: Body) -> Result<Bytes, Response> {
    read_body(body, MAX_BODY_BYTES).await.map_err(|fault| match fault {
        BodyFault::TooLarge => respond(&Reply::Rejected(Rejection::TooLarge)),
        BodyFault::TooSlow => Failure::TooSlow.into_response(),
        BodyFault::Broken => Failure::bad("the body could not be read to its end").into_response(),
    })
}

fn respond(reply: &Reply) -> Response {
    if let Reply::Storage(failure) = reply {
        tracing::error!("{failure}");
    }
    let status = StatusCode::from_u16(reply.status()).expect("every reply has a valid status");
    json_response(status, reply.body())
}
