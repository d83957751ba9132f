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
    let history_meta =
        parts.history_meta.map(|text| artifact("history entry", text)).transpose()?;
    let id = |id: Option<UserId>| id.map_or_else(null, |id| id.to_string());
    Ok(format!(
        concat!(
            r#"{{"source":"{}","externalId":"{}","whiteUserId":{},"blackUserId":{},"#,
            r#""startedAt":{},"fetchedAt":{},"metaFetchedAt":{},"#,
            r#""artifacts":{{"history_meta":{},"move_history":{}}}}}"#
        ),
        SOURCE,
        parts.game_id,
        id(parts.white_user_id),
        id(parts.black_user_id),
        text(parts.started_at),
        text(parts.fetched_at),
        text(parts.meta_fetched_at),
        history_meta.unwrap_or("null"),
        artifact("move history", parts.move_history)?,
    ))
}

fn null() -> String {
    "null".to_owned()
}

fn text(text: Option<&str>) -> String {
    text.map_or_else(null, |text| {
        serde_json::to_string(text).unwrap_or_else(|_| unreachable!("a text always serialises"))
    })
}

/// The text itself, if it is JSON.
fn artifact<'a>(name: &'static str, text: &'a str) -> Result<&'a str, UnreadableArtifact> {
    match serde_json::from_str::<&RawValue>(text) {
        Ok(json) => Ok(json.get()),
        Err(source) => Err(UnreadableArtifact { artifact: name, source }),
    }
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
