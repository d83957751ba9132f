//! The receiver over HTTP.
//!
//! Decides routes, the token and how bodies are read; what is answered to a body is
//! [`Receiver`]'s matter. Without a configured token every write is 401. The routes cover `/api/`
//! and `/version` and leave all other paths to the host that mounts them.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, BodyDataStream, Bytes, HttpBody};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use futures_util::StreamExt;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use subtle::ConstantTimeEq;

use crate::acceptance::{MAX_BODY_BYTES, Rejection};
use crate::receiver::Receiver;
use crate::reply::{Reply, detail};
use crate::store::AnalyticsStoreError;

/// The API's routes, to be served or merged into a larger router.
pub fn router(receiver: Arc<Receiver>, token: Option<SecretString>) -> Router {
    // An empty token would let everybody in that sends none.
    let token = token.filter(|token| !token.expose_secret().is_empty());
    Router::new()
        .route("/api/games", post(post_game))
        .route("/api/games/{id}", get(game).put(put_game))
        .route("/api/{*path}", any(|| async { error(StatusCode::NOT_FOUND, "not found") }))
        .route("/version", get(version))
        .method_not_allowed_fallback(|| async {
            error(StatusCode::METHOD_NOT_ALLOWED, "method not allowed")
        })
        .with_state(Arc::new(Api { receiver, token }))
}

struct Api {
    receiver: Arc<Receiver>,
    token: Option<SecretString>,
}

type PathId = Result<Path<String>, PathRejection>;

async fn post_game(State(api): State<Arc<Api>>, request: Request) -> Response {
    write(&api, request, |receiver, body| receiver.post(body)).await
}

async fn put_game(State(api): State<Arc<Api>>, id: PathId, request: Request) -> Response {
    // A path that cannot be decoded is no UUID either; it is said after the token was checked.
    let id = id.map_or_else(|rejection| rejection.body_text(), |Path(id)| id);
    write(&api, request, move |receiver, body| receiver.replace(&id, body)).await
}

async fn game(State(api): State<Arc<Api>>, id: PathId) -> Response {
    let id = match id.map_err(|error| error.body_text()).map(|Path(id)| id.parse()) {
        Ok(Ok(id)) => id,
        Ok(Err(invalid)) => return error(StatusCode::BAD_REQUEST, &format!("path: {invalid}")),
        Err(text) => return error(StatusCode::BAD_REQUEST, &format!("path: {text}")),
    };
    let receiver = Arc::clone(&api.receiver);
    match tokio::task::spawn_blocking(move || receiver.body(id)).await {
        Ok(Ok(Some(body))) => json_response(StatusCode::OK, body),
        Ok(Ok(None)) => error(StatusCode::NOT_FOUND, "no such game"),
        Ok(Err(failure)) => {
            report(&failure);
            error(StatusCode::SERVICE_UNAVAILABLE, "the store could not be read, try again later")
        }
        Err(_) => internal(),
    }
}

async fn version() -> Response {
    let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    json_response(StatusCode::OK, json!({ "name": name, "version": version }).to_string())
}

/// Token, then body, then the receiver's work away from the reactor.
async fn write(
    api: &Api,
    request: Request,
    work: impl FnOnce(&Receiver, &[u8]) -> Reply + Send + 'static,
) -> Response {
    let (head, body) = request.into_parts();
    if !is_authorized(&head.headers, api.token.as_ref()) {
        discard(body.into_data_stream());
        let challenge = [(header::WWW_AUTHENTICATE, "Bearer")];
        return (challenge, error(StatusCode::UNAUTHORIZED, "a valid token is needed"))
            .into_response();
    }
    let body = match read(body).await {
        Ok(body) => body,
        Err(response) => return response,
    };
    let receiver = Arc::clone(&api.receiver);
    match tokio::task::spawn_blocking(move || work(&receiver, &body)).await {
        Ok(reply) => respond(&reply),
        Err(_) => internal(),
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

/// The body, or the answer to one that is too large or breaks off.
async fn read(body: Body) -> Result<Bytes, Response> {
    let too_large = || respond(&Reply::Rejected(Rejection::TooLarge));
    if body.size_hint().lower() > MAX_BODY_BYTES as u64 {
        discard(body.into_data_stream());
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        let broken = |_| error(StatusCode::BAD_REQUEST, "the body could not be read to its end");
        bytes.extend_from_slice(&chunk.map_err(broken)?);
        if bytes.len() > MAX_BODY_BYTES {
            discard(chunks);
            return Err(too_large());
        }
    }
    Ok(bytes.into())
}

/// Reads a body that nobody wants while its answer is on the way. A connection that is closed
/// with bytes unread is reset, and a client that is still sending would see that and no answer.
fn discard(mut chunks: BodyDataStream) {
    const MOST: usize = 32 << 20;
    const LONGEST: Duration = Duration::from_secs(10);
    let drain = async move {
        let mut left = MOST;
        while let Some(Ok(chunk)) = chunks.next().await {
            left = left.saturating_sub(chunk.len());
            if left == 0 {
                break;
            }
        }
    };
    tokio::spawn(async move { tokio::time::timeout(LONGEST, drain).await });
}

fn respond(reply: &Reply) -> Response {
    if let Reply::Storage(failure) = reply {
        report(failure);
    }
    let status = StatusCode::from_u16(reply.status()).expect("every reply has a valid status");
    json_response(status, reply.body())
}

fn report(failure: &AnalyticsStoreError) {
    tracing::error!("{failure}");
}

fn internal() -> Response {
    error(StatusCode::INTERNAL_SERVER_ERROR, "internal error")
}

fn error(status: StatusCode, text: &str) -> Response {
    json_response(status, detail(text))
}

fn json_response(status: StatusCode, body: String) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}
