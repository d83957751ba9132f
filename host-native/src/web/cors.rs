//! Which web sites and extensions may ask from within a browser.
//!
//! Decides what a browser is told of every path here: pages of `ALLOWED_ORIGINS` and paired
//! extensions may ask everything; any extension may ask to be paired and may send raw answers,
//! since before it is paired nobody knows its origin, and both ask for more than an origin. Whether
//! a request is then let in is decided where it is answered.

use std::time::Duration;

use axum::http::{HeaderValue, Method, header, request};
use dicechess_analytics::is_extension_origin;
use tower_http::cors::{AllowOrigin, CorsLayer};

use super::WebContext;
use super::gateway::is_allowed_origin;

/// The layer around all paths.
pub(super) fn layer(context: &WebContext) -> CorsLayer {
    let context = context.clone();
    let is_allowed = move |origin: HeaderValue, head: &request::Parts| {
        let context = context.clone();
        let is_for_extensions = matches!(head.uri.path(), "/pair" | "/ingest/raw");
        async move {
            let Ok(origin) = origin.to_str() else { return false };
            (is_for_extensions && is_extension_origin(origin))
                || is_allowed_origin(&context, origin).await
        }
    };
    CorsLayer::new()
        .allow_origin(AllowOrigin::async_predicate(is_allowed))
        .allow_methods([Method::GET, Method::HEAD, Method::POST, Method::PUT])
        .allow_headers([header::ACCEPT, header::AUTHORIZATION, header::CONTENT_TYPE])
        .expose_headers([header::RETRY_AFTER])
        // This machine is a private network to a page of the internet.
        .allow_private_network(true)
        .max_age(PREFLIGHT_LIFE)
}

/// For so long a browser need not ask again.
const PREFLIGHT_LIFE: Duration = Duration::from_mins(10);
