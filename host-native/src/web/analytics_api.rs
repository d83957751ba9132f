//! The analytics API under the daemon's own address.
//!
//! Decides who answers `/api/*`, `/version`, `/docs` and `/openapi.json`: the embedded analytics in
//! this process, or the service that `ANALYTICS_BASE_URL` names, to which requests are passed on as
//! they are. Posts of games without an `Authorization` header are not for it: they are browsers' and
//! go to [`super::gateway`].

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use dicechess_analytics::{
    ApiOptions, BodyFault, MAX_BODY_BYTES, discard_body, read_body, router_with,
};

use super::WebContext;
use super::gateway::{Gateway, detail_response};
use crate::analytics::{Analytics, RemoteAnalytics};
use crate::analytics_client::{AnalyticsClient, RelayFailure};

/// The routes; browsers' posts are handed to the gateway.
pub(super) fn router(context: &WebContext, gateway: Arc<Gateway>) -> Router<WebContext> {
    let api = match &context.analytics {
        Analytics::Embedded(receiver) => {
            let token = context.config.ingest_token.clone();
            // The whole web side has its own rules for origins, and its own front page.
            let options = ApiOptions { token, ..ApiOptions::default() };
            router_with(Arc::clone(receiver), options).with_state(())
        }
        Analytics::Remote(service) => relay_routes(service.clone()).with_state(()),
    };
    api.layer(from_fn_with_state(gateway, take_posts_of_browsers))
}

async fn take_posts_of_browsers(
    State(gateway): State<Arc<Gateway>>,
    request: Request,
    next: Next,
) -> Response {
    let is_browsers = request.method() == Method::POST
        && request.uri().path() == "/api/games"
        && !request.headers().contains_key(header::AUTHORIZATION);
    if is_browsers { gateway.post_game(request).await } else { next.run(request).await }
}

fn relay_routes(service: RemoteAnalytics) -> Router {
    let relayed = any(async |State(service): State<RemoteAnalytics>, request: Request| {
        relay(&service.client(), request).await
    });
    Router::new()
        .route("/api/{*path}", relayed.clone())
        .route("/version", relayed.clone())
        .route("/docs", relayed.clone())
        .route("/openapi.json", relayed)
        .with_state(service)
}

/// Passes a request on and its answer back.
async fn relay(client: &AnalyticsClient, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = if matches!(head.method, Method::GET | Method::HEAD) {
        discard_body(body);
        Ok(Default::default())
    } else {
        read_body(body, MAX_BODY_BYTES).await
    };
    let body = match body {
        Ok(body) => body,
        Err(fault) => return body_fault(fault),
    };
    let headers =
        only(&head.headers, &[header::ACCEPT, header::AUTHORIZATION, header::CONTENT_TYPE]);
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    match client.relay(head.method, path, headers, body).await {
        Ok(answer) => {
            let status = answer.status();
            let known = [header::CONTENT_TYPE, header::CACHE_CONTROL, header::WWW_AUTHENTICATE];
            let headers = only(answer.headers(), &known);
            (status, headers, Body::from_stream(answer.bytes_stream())).into_response()
        }
        Err(RelayFailure::Astray) => detail_response(StatusCode::NOT_FOUND, "no such path"),
        Err(RelayFailure::TimedOut) => {
            detail_response(StatusCode::GATEWAY_TIMEOUT, "analytics did not answer in time")
        }
        Err(RelayFailure::Unreachable(cause)) => {
            tracing::warn!("analytics cannot be reached: {cause}");
            detail_response(StatusCode::BAD_GATEWAY, "analytics cannot be reached, try again later")
        }
    }
}

fn body_fault(fault: BodyFault) -> Response {
    match fault {
        BodyFault::TooLarge => {
            let detail = format!("the body is larger than {MAX_BODY_BYTES} bytes");
            detail_response(StatusCode::PAYLOAD_TOO_LARGE, &detail)
        }
        BodyFault::TooSlow => {
            detail_response(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time")
        }
        BodyFault::Broken => {
            detail_response(StatusCode::BAD_REQUEST, "the body could not be read to its end")
        }
    }
}

/// The others are about one connection, or tell a service what is none of its business.
fn only(headers: &HeaderMap, names: &[header::HeaderName]) -> HeaderMap {
    let value = |name: &header::HeaderName| Some((name.clone(), headers.get(name)?.clone()));
    names.iter().filter_map(value).collect()
}
