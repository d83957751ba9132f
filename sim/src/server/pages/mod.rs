//! The site's pages, for programs that live in a browser.
//!
//! Decides what there is to open: a home page, games and profiles, which load their data from the
//! API as a single-page site does (`site.js` says how) under a strict content policy. The visitor is
//! signed in: the page holds the token that the site lets in.
//!
//! | page | loads |
//! |---|---|
//! | `/` | a leaderboard |
//! | `/profile/<user id>` | a page of that player's history |
//! | `/game/<game id>` | the game's moves |

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderName, header};
use axum::response::IntoResponse;
use axum::routing::get;

use super::Shared;

pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/", get(page))
        .route("/game/{id}", get(page))
        .route("/profile/{id}", get(page))
        .route("/assets/site.js", get(async || asset("text/javascript", include_str!("site.js"))))
        .route("/assets/site.css", get(async || asset("text/css", include_str!("site.css"))))
        .route("/favicon.ico", get(async || asset("image/svg+xml", ICON)))
}

/// One document for every address: the script finds out what to show.
async fn page(State(shared): State<Arc<Shared>>) -> impl IntoResponse {
    let document = include_str!("page.html").replace("{token}", &shared.options.jwt);
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, document)
}

fn asset(
    content_type: &'static str,
    text: &'static str,
) -> ([(HeaderName, &'static str); 1], &'static str) {
    ([(header::CONTENT_TYPE, content_type)], text)
}

/// Nothing inline, nothing from elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     base-uri 'none'; form-action 'none'";

const ICON: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#7a4a21"/><circle cx="5" cy="5" r="1.5" fill="#fff"/><circle cx="11" cy="11" r="1.5" fill="#fff"/></svg>"##;
