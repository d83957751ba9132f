//! A page that cannot be shown.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};

use super::layout::{Section, layout};
use super::visit::Visit;
use crate::printable::printable;

/// The answer in place of a page.
pub(super) struct Failure(Box<(StatusCode, Markup)>);

impl Failure {
    /// What was asked for does not exist.
    pub(super) fn not_found(visit: &Visit) -> Self {
        let words = &visit.words.failure;
        Self::page(visit, StatusCode::NOT_FOUND, words.not_found, words.not_found_hint)
    }

    /// The database failed.
    pub(super) fn storage(visit: &Visit, error: &dyn std::fmt::Display) -> Self {
        tracing::error!("a page cannot be shown: {error}");
        let text = printable(&error.to_string());
        Self::page(visit, StatusCode::INTERNAL_SERVER_ERROR, visit.words.failure.storage, &text)
    }

    /// The request is refused.
    pub(super) fn refused(visit: &Visit, status: StatusCode, hint: &str) -> Self {
        Self::page(visit, status, visit.words.failure.refused, hint)
    }

    fn page(visit: &Visit, status: StatusCode, title: &str, hint: &str) -> Self {
        let main = html! {
            h1 { (title) }
            p.lead { (hint) }
            p { a href="/" { (visit.words.failure.back) } }
        };
        Self(Box::new((status, layout(visit, title, Section::None, &main))))
    }
}

/// The answer where there is no page.
#[allow(clippy::unused_async, reason = "a handler is a future")]
pub(super) async fn missing(visit: Visit) -> Failure {
    Failure::not_found(&visit)
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (*self.0).into_response()
    }
}
