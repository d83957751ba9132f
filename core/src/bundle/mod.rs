//! The document of one game with its raw answers (contract, section 10): what the archive keeps and
//! what a paired browser sends.
//!
//! Decides its exact bytes: the raw answers are embedded as they were received, byte for byte.
//!
//! | file | decides |
//! |---|---|
//! | `read` | what is a bundle |
//! | `archived` | what is put back into the catalogue from an archive |
//! | `seen` | whether the game that a browser tells of is believed |

mod archived;
mod read;
mod seen;

pub use archived::ArchivedGame;
pub use read::{Bundle, UnreadableBundle};
pub use seen::{RefusedBundle, SeenGame};

use serde::Serialize;
use serde_json::value::RawValue;
use thiserror::Error;

use crate::ids::{GameId, UserId};
use crate::ingest::SOURCE;

/// What a bundle is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BundleParts<'a> {
    /// The game.
    pub game_id: GameId,
    /// White.
    pub white_user_id: Option<UserId>,
    /// Black.
    pub black_user_id: Option<UserId>,
    /// When the game started, ISO-8601.
    pub started_at: Option<&'a str>,
    /// When the move history was received, ISO-8601.
    pub fetched_at: Option<&'a str>,
    /// When the history entry was received, ISO-8601.
    pub meta_fetched_at: Option<&'a str>,
    /// The history entry's JSON.
    pub history_meta: Option<&'a str>,
    /// The move history's JSON.
    pub move_history: &'a str,
}

/// A stored raw answer that is no JSON.
#[derive(Debug, Error)]
#[error("the stored {artifact} is no JSON: {source}")]
pub struct UnreadableArtifact {
    artifact: &'static str,
    source: serde_json::Error,
}

/// Prints a bundle.
///
/// # Errors
/// One of the raw answers is no JSON.
pub fn bundle_json(parts: &BundleParts<'_>) -> Result<String, UnreadableArtifact> {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct Bundle<'a> {
        source: &'static str,
        external_id: GameId,
        white_user_id: Option<UserId>,
        black_user_id: Option<UserId>,
        started_at: Option<&'a str>,
        fetched_at: Option<&'a str>,
        meta_fetched_at: Option<&'a str>,
        artifacts: Artifacts<'a>,
    }
    #[derive(Serialize)]
    struct Artifacts<'a> {
        history_meta: Option<&'a RawValue>,
        move_history: &'a RawValue,
    }
    let bundle = Bundle {
        source: SOURCE,
        external_id: parts.game_id,
        white_user_id: parts.white_user_id,
        black_user_id: parts.black_user_id,
        started_at: parts.started_at,
        fetched_at: parts.fetched_at,
        meta_fetched_at: parts.meta_fetched_at,
        artifacts: Artifacts {
            history_meta: parts
                .history_meta
                .map(|text| artifact("history entry", text))
                .transpose()?,
            move_history: artifact("move history", parts.move_history)?,
        },
    };
    Ok(serde_json::to_string(&bundle).expect("raw JSON, strings and numbers always serialise"))
}

fn artifact<'a>(name: &'static str, text: &'a str) -> Result<&'a RawValue, UnreadableArtifact> {
    serde_json::from_str(text).map_err(|source| UnreadableArtifact { artifact: name, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_answers_are_embedded_as_received() {
        let parts = BundleParts {
            game_id: "0b5f1c3e-9a77-4c11-8e55-00000000abcd".parse().unwrap(),
            white_user_id: Some(UserId(1)),
            black_user_id: Some(UserId(-2)),
            started_at: None,
            fetched_at: Some("2026-01-01T00:00:00.000Z"),
            meta_fetched_at: None,
            history_meta: Some(r#"{"b" : 1.0, "a":"\ud800"}"#),
            move_history: r#"{"x":[1,  2]}"#,
        };
        assert_eq!(
            bundle_json(&parts).unwrap(),
            concat!(
                r#"{"source":"dicechess.com","externalId":"0b5f1c3e-9a77-4c11-8e55-00000000abcd","#,
                r#""whiteUserId":1,"blackUserId":-2,"startedAt":null,"#,
                r#""fetchedAt":"2026-01-01T00:00:00.000Z","metaFetchedAt":null,"artifacts":"#,
                r#"{"history_meta":{"b" : 1.0, "a":"\ud800"},"move_history":{"x":[1,  2]}}}"#
            )
        );
        assert!(bundle_json(&BundleParts { move_history: "{", ..parts }).is_err());
    }
}
