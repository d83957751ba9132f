//! How a bundle is read.
//!
//! Decides form only: which fields there are and of what type. Unknown fields are ignored. Whether
//! what it says is true is the reader's question.

use serde::Deserialize;
use serde_json::value::RawValue;
use thiserror::Error;

use crate::ids::{GameId, UserId};
use crate::ingest::SOURCE;
use crate::time::UnixMillis;

/// A bundle as it was read; the raw answers are its own bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle<'a> {
    /// The game.
    pub game_id: GameId,
    /// White.
    pub white_user_id: Option<UserId>,
    /// Black.
    pub black_user_id: Option<UserId>,
    /// When the game started.
    pub started_at: Option<UnixMillis>,
    /// When the move history was received.
    pub fetched_at: Option<UnixMillis>,
    /// When the history entry was received.
    pub meta_fetched_at: Option<UnixMillis>,
    /// The history entry's JSON.
    pub history_meta: Option<&'a str>,
    /// The move history's JSON.
    pub move_history: Option<&'a str>,
}

/// A text that is no bundle of this site; says what is wrong and with which field.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnreadableBundle {
    /// No JSON object of the right form.
    #[error("{0}")]
    Form(String),
    /// A bundle of another site.
    #[error("source: {0:?} where \"{SOURCE}\" is due")]
    Source(String),
    /// A time that is none.
    #[error("{field}: {value:?} is no ISO-8601 time")]
    Time {
        /// The field.
        field: &'static str,
        /// The text.
        value: String,
    },
}

impl<'a> Bundle<'a> {
    /// Reads a bundle. An artifact that is `null` or absent is none.
    ///
    /// # Errors
    /// See [`UnreadableBundle`].
    pub fn parse(text: &'a str) -> Result<Self, UnreadableBundle> {
        // An array would be read as an object without its names.
        if !text.trim_start().starts_with('{') {
            return Err(UnreadableBundle::Form("expected an object (a bundle)".to_owned()));
        }
        let wire: Wire<'a> = serde_json::from_str(text)
            .map_err(|error| UnreadableBundle::Form(error.to_string()))?;
        if wire.source != SOURCE {
            return Err(UnreadableBundle::Source(wire.source.chars().take(60).collect()));
        }
        Ok(Self {
            game_id: wire.external_id,
            white_user_id: wire.white_user_id,
            black_user_id: wire.black_user_id,
            started_at: time("startedAt", wire.started_at)?,
            fetched_at: time("fetchedAt", wire.fetched_at)?,
            meta_fetched_at: time("metaFetchedAt", wire.meta_fetched_at)?,
            history_meta: wire.artifacts.history_meta.map(RawValue::get),
            move_history: wire.artifacts.move_history.map(RawValue::get),
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object (a bundle)")]
struct Wire<'a> {
    source: String,
    external_id: GameId,
    white_user_id: Option<UserId>,
    black_user_id: Option<UserId>,
    started_at: Option<String>,
    fetched_at: Option<String>,
    meta_fetched_at: Option<String>,
    #[serde(borrow)]
    artifacts: Artifacts<'a>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object (the artifacts)")]
struct Artifacts<'a> {
    #[serde(borrow)]
    history_meta: Option<&'a RawValue>,
    #[serde(borrow)]
    move_history: Option<&'a RawValue>,
}

fn time(field: &'static str, text: Option<String>) -> Result<Option<UnixMillis>, UnreadableBundle> {
    let Some(text) = text else { return Ok(None) };
    match UnixMillis::parse_iso(&text) {
        Some(time) => Ok(Some(time)),
        None => Err(UnreadableBundle::Time { field, value: text.chars().take(60).collect() }),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BundleParts, bundle_json};
    use super::*;

    const PARTS: BundleParts<'_> = BundleParts {
        game_id: GameId::from_bits(7),
        white_user_id: Some(UserId(1)),
        black_user_id: Some(UserId(-2)),
        started_at: Some("2026-01-01T00:00:00.000Z"),
        fetched_at: Some("2026-01-01T01:00:00.000Z"),
        meta_fetched_at: None,
        history_meta: Some(r#"{"b" : 1.0, "a":"\ud800", "n":12345678901234567890123}"#),
        move_history: "{\"x\":[1,\n  2]}",
    };

    #[test]
    fn what_is_printed_is_read_with_its_bytes() {
        let text = bundle_json(&PARTS).unwrap();
        let bundle = Bundle::parse(&text).unwrap();
        assert_eq!((bundle.game_id, bundle.white_user_id), (PARTS.game_id, PARTS.white_user_id));
        assert_eq!(bundle.black_user_id, PARTS.black_user_id);
        assert_eq!(bundle.started_at, PARTS.started_at.and_then(UnixMillis::parse_iso));
        assert_eq!(bundle.fetched_at, PARTS.fetched_at.and_then(UnixMillis::parse_iso));
        assert_eq!(bundle.meta_fetched_at, None);
        assert_eq!(bundle.history_meta, PARTS.history_meta);
        assert_eq!(bundle.move_history, Some(PARTS.move_history));
    }

    #[test]
    fn an_artifact_may_be_missing_or_null() {
        let text = bundle_json(&BundleParts { history_meta: None, ..PARTS }).unwrap();
        assert_eq!(Bundle::parse(&text).unwrap().history_meta, None);
        let text = text.replace("\"history_meta\":null,", "");
        assert_eq!(Bundle::parse(&text).unwrap().history_meta, None);
    }

    #[test]
    fn what_is_no_bundle_says_why() {
        let text = bundle_json(&PARTS).unwrap();
        for (from, to, said) in [
            ("dicechess.com", "chess.com", "source: \"chess.com\""),
            ("\"source\"", "\"sauce\"", "missing field `source`"),
            ("00000007\"", "0000000\"", "is not a UUID"),
            ("\"externalId\"", "\"id\"", "missing field `externalId`"),
            ("\"whiteUserId\":1", "\"whiteUserId\":1.5", "user id"),
            ("2026-01-01T00", "yesterday", "startedAt: \"yesterday:00:00.000Z\" is no ISO-8601"),
            ("\"artifacts\"", "\"artefacts\"", "missing field `artifacts`"),
        ] {
            let error = Bundle::parse(&text.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.contains(said), "{from}: {error}");
        }
        for text in ["", "[]", "null", "{", "{}", "\u{feff}{}"] {
            assert!(Bundle::parse(text).is_err(), "{text}");
        }
    }
}
