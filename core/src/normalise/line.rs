//! The command `normalize`: one line in, one line out.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{GameContext, NormalizeError, NormalizedGame, normalize_state_map};
use crate::catalogue::map_history_entry;
use crate::ids::UserId;
use crate::ingest::{IngestGame, assemble_ingest};
use crate::site::{HistoryEntry, parse_move_history};

/// Why a line gives no game, as it is printed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LineError {
    /// A stable name of the kind of error.
    pub kind: &'static str,
    /// The key of the state it is about.
    pub state: Option<String>,
    /// What is wrong, with the offending value.
    pub message: String,
}

/// Normalises `{"history_meta": Entry, "queried_user_id": N, "move_history": {…}}`.
///
/// # Errors
/// The line is no such JSON, its entry is broken, or the game cannot be normalised.
pub fn normalize_line(line: &str) -> Result<IngestGame, LineError> {
    #[derive(Deserialize)]
    #[serde(expecting = "an object with history_meta, queried_user_id and move_history")]
    struct Wire<'a> {
        #[serde(borrow)]
        history_meta: &'a RawValue,
        queried_user_id: UserId,
        #[serde(borrow)]
        move_history: Option<&'a RawValue>,
    }
    let wire: Wire<'_> = serde_json::from_str(line).map_err(|error| LineError {
        kind: "bad_input",
        state: None,
        message: error.to_string(),
    })?;
    let entry = HistoryEntry::parse(wire.history_meta.get()).map_err(|error| LineError {
        kind: "broken_entry",
        state: None,
        message: error.to_string(),
    })?;
    let move_history = wire.move_history.map_or("null", RawValue::get);
    let game = entry.normalize(wire.queried_user_id, move_history)?;
    Ok(assemble_ingest(&entry, wire.queried_user_id, game, [None, None]))
}

impl From<NormalizeError> for LineError {
    fn from(error: NormalizeError) -> Self {
        Self { kind: error.kind(), state: error.state(), message: error.to_string() }
    }
}

impl HistoryEntry {
    /// Normalises the raw answer of `game-move-history` for the game of this entry.
    ///
    /// # Errors
    /// See [`NormalizeError`].
    pub fn normalize(
        &self,
        queried: UserId,
        move_history: &str,
    ) -> Result<NormalizedGame, NormalizeError> {
        let map = parse_move_history(move_history)?;
        let (row, _) = map_history_entry(self, queried, 0);
        let context = GameContext {
            white: row.white_user_id,
            black: row.black_user_id,
            result: row.result,
            allow_doubling: self.allow_doubling,
        };
        normalize_state_map(&map, context)
    }
}
