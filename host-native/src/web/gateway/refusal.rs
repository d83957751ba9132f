//! How a refusal is said.
//!
//! Decides status, headers and words. All bodies are `{"detail": "…"}`, as those of the analytics
//! API; none repeats a secret or names a file of this machine.

use std::fmt;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use dicechess_analytics::BodyFault;
use serde_json::json;

use super::games::Answer;
use crate::store::StoreError;

/// Why a request is not answered as asked.
#[derive(Debug)]
pub(super) enum Refusal {
    /// 403: no origin, or one that is not let in.
    Origin,
    /// 429: too many requests.
    TooOften {
        /// When to come again.
        wait: Duration,
    },
    /// 413, 408 or 400: the body was not read.
    Body {
        /// Why.
        fault: BodyFault,
        /// How many bytes it may have.
        limit: usize,
    },
    /// 400: not what is taken here; says which field.
    Malformed(String),
    /// 401: no pairing secret that is good.
    Unpaired,
    /// 401: no pairing code that is good.
    Code,
    /// 422: well-formed, but not believed; says why.
    Disbelieved(String),
    /// 409: the site says otherwise; says what.
    Contradicted(String),
    /// 503: the database failed; the same request may succeed later.
    Storage,
    /// 500.
    Bug,
}

impl Refusal {
    /// The error names a file of this machine: that is for the log.
    pub(super) fn storage(error: &StoreError) -> Self {
        tracing::error!("{error}");
        Self::Storage
    }

    /// What is said quotes what was sent, which may be long.
    pub(super) fn malformed(text: &str) -> Self {
        Self::Malformed(cut(text))
    }

    /// As [`Self::malformed`].
    pub(super) fn disbelieved(text: &str) -> Self {
        Self::Disbelieved(cut(text))
    }

    /// As an answer that several clients can share.
    pub(super) fn into_answer(self) -> Answer {
        Answer { status: self.status().as_u16(), body: detail(&self.to_string()) }
    }

    fn status(&self) -> StatusCode {
        match self {
            Self::Origin => StatusCode::FORBIDDEN,
            Self::TooOften { .. } => StatusCode::TOO_MANY_REQUESTS,
            Self::Body { fault: BodyFault::TooLarge, .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::Body { fault: BodyFault::TooSlow, .. } => StatusCode::REQUEST_TIMEOUT,
            Self::Body { fault: BodyFault::Broken, .. } | Self::Malformed(_) => {
                StatusCode::BAD_REQUEST
            }
            Self::Unpaired | Self::Code => StatusCode::UNAUTHORIZED,
            Self::Disbelieved(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::Contradicted(_) => StatusCode::CONFLICT,
            Self::Storage => StatusCode::SERVICE_UNAVAILABLE,
            Self::Bug => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Origin => f.write_str(
                "this origin is not let in: add it to ALLOWED_ORIGINS, or pair the extension \
                 (`dicechess-sync pair`)",
            ),
            Self::TooOften { wait } => write!(f, "too often: wait {} s", whole_seconds(*wait)),
            Self::Body { fault: BodyFault::TooLarge, limit } => {
                write!(f, "the body is larger than {limit} bytes")
            }
            Self::Body { fault: BodyFault::TooSlow, .. } => {
                f.write_str("the body did not arrive in time")
            }
            Self::Body { fault: BodyFault::Broken, .. } => {
                f.write_str("the body could not be read to its end")
            }
            Self::Malformed(text) | Self::Disbelieved(text) | Self::Contradicted(text) => {
                f.write_str(text)
            }
            Self::Unpaired => f.write_str(
                "the pairing is unknown or revoked: pair the extension once more \
                 (`dicechess-sync pair`)",
            ),
            Self::Code => f.write_str(
                "the code is wrong, used or older than ten minutes: `dicechess-sync pair` prints \
                 another",
            ),
            Self::Storage => f.write_str("the database could not be used, try again later"),
            Self::Bug => f.write_str("internal error"),
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = detail_response(self.status(), &self.to_string());
        let header = match self {
            Self::TooOften { wait } => Some((header::RETRY_AFTER, whole_seconds(wait).into())),
            Self::Unpaired => Some((header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
            _ => None,
        };
        response.headers_mut().extend(header);
        response
    }
}

/// An error of any kind.
pub(in crate::web) fn detail_response(status: StatusCode, text: &str) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], detail(text)).into_response()
}

/// The body of an error.
pub(super) fn detail(text: &str) -> String {
    json!({ "detail": cut(text) }).to_string()
}

/// Long enough for every sentence of ours.
fn cut(text: &str) -> String {
    const MOST_CHARS: usize = 500;
    text.chars().take(MOST_CHARS).collect()
}

/// Rounded up, so that whoever waits so long is let in.
fn whole_seconds(wait: Duration) -> u64 {
    wait.as_millis().div_ceil(1000).try_into().unwrap_or(u64::MAX)
}
