//! What is answered.
//!
//! Decides status and body of each outcome, the same in process and over HTTP. Which outcome it is
//! is decided by [`crate::acceptance`] and the store.

use std::sync::Arc;

use dicechess_core::ids::GameId;
use serde_json::json;

use crate::acceptance::Rejection;
use crate::store::AnalyticsStoreError;

/// The outcome of a post or a replacement.
#[derive(Debug, Clone)]
pub enum Reply {
    /// 201: the game is new.
    Created(GameId),
    /// 200: the game was there and nothing changed.
    Existed(GameId),
    /// 200: the game was there and the body took its place.
    Replaced(GameId),
    /// 400, 413 or 422: the body is not accepted.
    Rejected(Rejection),
    /// 503: the store failed and nothing was written; the same post may succeed later. Shared,
    /// because one failed transaction answers a whole batch.
    Storage(Arc<AnalyticsStoreError>),
}

impl Reply {
    /// The HTTP status.
    pub fn status(&self) -> u16 {
        match self {
            Self::Created(_) => 201,
            Self::Existed(_) | Self::Replaced(_) => 200,
            Self::Rejected(Rejection::Malformed(_)) => 400,
            Self::Rejected(Rejection::TooLarge) => 413,
            Self::Rejected(Rejection::Refused(_)) => 422,
            Self::Storage(_) => 503,
        }
    }

    /// The JSON body.
    pub fn body(&self) -> String {
        match self {
            Self::Created(id) => kept(*id, true),
            Self::Existed(id) | Self::Replaced(id) => kept(*id, false),
            Self::Rejected(rejection) => detail(&rejection.to_string()),
            // The error names a file of this machine: that is for the log, not for the client.
            Self::Storage(_) => detail("the game could not be stored, try again later"),
        }
    }
}

/// The body of a success, written by hand for the order of its fields.
fn kept(id: GameId, created: bool) -> String {
    format!(r#"{{"id":"{id}","created":{created}}}"#)
}

/// The body of an error. A detail may quote what was sent, so it is cut off.
pub(crate) fn detail(text: &str) -> String {
    const MAX_CHARS: usize = 1000;
    let cut: String = text.chars().take(MAX_CHARS).collect();
    json!({ "detail": cut }).to_string()
}
