//! The command `normalize`: one line in, one line out.

use std::fmt::Display;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{GameContext, NormalizeError, NormalizedGame, normalize_state_map};
use crate::catalogue::map_history_entry;
use crate::ids::UserId;
use crate::ingest::{IngestGame, assemble_ingest};
use crate::site::{HistoryEntry, MoveHistory, StateMap, UnreadableStateMap, parse_move_history};

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
    // Most lines are sound and are read in one pass. A faulty one is read again, part by part, to
    // name what is wrong with it.
    if let Ok(wire) = serde_json::from_str::<Wire<'_, MoveHistory<'_>>>(line) {
        return wire.normalize(|history| history.unwrap_or_default().into_map());
    }
    normalize_line_by_parts(line)
}

/// The same, part by part: slower, and half the code.
///
/// # Errors
/// As [`normalize_line`].
pub fn normalize_line_by_parts(line: &str) -> Result<IngestGame, LineError> {
    let wire: Wire<'_, &RawValue> =
        serde_json::from_str(line).map_err(|error| LineError::new("bad_input", &error))?;
    wire.normalize(|history| parse_move_history(history.map_or("null", RawValue::get)))
}

/// A line whose move history is read as `H`.
#[derive(Deserialize)]
#[serde(
    expecting = "an object with history_meta, queried_user_id and move_history",
    bound(deserialize = "H: Deserialize<'de>")
)]
struct Wire<'a, H> {
    #[serde(borrow)]
    history_meta: &'a RawValue,
    queried_user_id: UserId,
    move_history: Option<H>,
}

impl<H> Wire<'_, H> {
    fn normalize<'b>(
        self,
        map: impl FnOnce(Option<H>) -> Result<StateMap<'b>, UnreadableStateMap>,
    ) -> Result<IngestGame, LineError> {
        let entry = HistoryEntry::parse(self.history_meta.get())
            .map_err(|error| LineError::new("broken_entry", &error))?;
        let queried = self.queried_user_id;
        let map = map(self.move_history).map_err(NormalizeError::from)?;
        let game = entry.normalize_map(queried, &map)?;
        Ok(assemble_ingest(&entry, queried, game, [None, None]))
    }
}

impl LineError {
    fn new(kind: &'static str, error: &dyn Display) -> Self {
        Self { kind, state: None, message: error.to_string() }
    }
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
        self.normalize_map(queried, &parse_move_history(move_history)?)
    }

    fn normalize_map(
        &self,
        queried: UserId,
        map: &StateMap<'_>,
    ) -> Result<NormalizedGame, NormalizeError> {
        let (row, _) = map_history_entry(self, queried, 0);
        let context = GameContext {
            white: row.white_user_id,
            black: row.black_user_id,
            result: row.result,
            allow_doubling: self.allow_doubling,
        };
        normalize_state_map(map, context)
    }
}
