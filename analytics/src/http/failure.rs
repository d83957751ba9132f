//! How a failure is said.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::json_response;
use crate::reply::detail;
use crate::store::AnalyticsStoreError;

/// Why a request is not answered as asked.
#[derive(Debug)]
pub(super) enum Failure {
    /// 400: the request cannot be read; says what and where.
    Bad(String),
    /// 401.
    Unauthorized,
    /// 404: there is no such thing.
    NotFound(&'static str),
    /// 405.
    MethodNotAllowed,
    /// 408: the body did not arrive in time.
    TooSlow,
    /// 503: the store failed; the same request may succeed later.
    Store(AnalyticsStoreError),
    /// 500: a bug.
    Internal,
}

impl Failure {
    pub(super) fn bad(text: impl Into<String>) -> Self {
        Self::Bad(text.into())
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, text) = match self {
            Self::Bad(text) => (StatusCode::BAD_REQUEST, text),
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, "a valid token is needed".to_owned()),
            Self::NotFound(what) => (StatusCode::NOT_FOUND, format!("no such {what}")),
            Self::MethodNotAllowed => {
                (StatusCode::METHOD_NOT_ALLOWED, "method not allowed".to_owned())
            }
            Self::TooSlow => {
                (StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time".to_owned())
            }
            Self::Store(failure) => {
                // The error names a file of this machine: that is for the log.
                tracing::error!("{failure}");
                let text = "the store could not be read, try again later";
                (StatusCode::SERVICE_UNAVAILABLE, text.to_owned())
            }
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal error".to_owned()),
        };
        json_response(status, detail(&text))
    }
}
