//! A game as a browser saw it.
//!
//! Decides whether what a browser tells of a game is believed: both raw answers are there, they are
//! of one game and its two players, the game is over, and its moves replay by the rules. A browser
//! may be wrong or lie, so nothing of a game that fails is kept: it must never stand in the way of
//! the site's own answer. What becomes of an accepted game whose catalogue entry says otherwise is
//! [`crate::catalogue::Contradiction`]'s matter.

use thiserror::Error;

use super::Bundle;
use crate::catalogue::{CatalogueRow, Opponent, map_history_entry};
use crate::ids::{GameId, UserId};
use crate::ingest::assemble_ingest;
use crate::lifecycle::GameState;
use crate::normalise::NormalizeError;
use crate::replay::{ReplayError, replay};
use crate::site::{BrokenEntry, HistoryEntry};
use crate::time::UnixMillis;

/// A believed game.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenGame<'a> {
    /// The game as the catalogue knows it. `discovered_from` is whose history the browser read.
    pub row: CatalogueRow,
    /// The other player, at depth 1.
    pub opponent: Opponent,
    /// The rating of the player whose history it is.
    pub own_rating: Option<i64>,
    /// The history entry's JSON, byte for byte.
    pub history_meta: &'a str,
    /// The move history's JSON, byte for byte.
    pub move_history: &'a str,
    /// When the browser received the moves: its own word, but never later than now.
    pub fetched_at: UnixMillis,
    /// When the browser received the entry; the same holds.
    pub meta_fetched_at: UnixMillis,
}

/// Why a game is not believed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RefusedBundle {
    /// One of the two raw answers is missing.
    #[error("artifacts.{0} is missing: a game is taken with its history entry and its moves")]
    NoArtifact(&'static str),
    /// The history entry cannot be read.
    #[error(transparent)]
    Entry(#[from] BrokenEntry),
    /// The entry is of another game.
    #[error("the history entry is of game {0}")]
    OtherGame(GameId),
    /// The id of the player whose history the entry is from is missing.
    #[error("{0} is missing: it is not known whose history the entry is from")]
    NoPlayer(&'static str),
    /// The entry's opponent is not the other player of the bundle.
    #[error("the history entry's opponent is {entry}, {field} is {bundle}")]
    OtherOpponent {
        /// The entry's opponent.
        entry: UserId,
        /// The bundle's field for the opponent.
        field: &'static str,
        /// What it says.
        bundle: String,
    },
    /// The site cancelled the game: it has no moves worth keeping.
    #[error("the game is cancelled on the site")]
    Cancelled,
    /// It has no result and is not known to be a day old.
    #[error("the game has no result and may still be running: send it when it is over")]
    MayBeRunning,
    /// The moves cannot be read.
    #[error("the moves cannot be normalised: {0}")]
    Normalize(#[from] NormalizeError),
    /// The moves break the rules.
    #[error("the moves are not legal: {0}")]
    Illegal(#[from] ReplayError),
}

impl<'a> SeenGame<'a> {
    /// Judges a bundle that a browser sent.
    ///
    /// # Errors
    /// See [`RefusedBundle`].
    pub fn judge(bundle: &Bundle<'a>, now: UnixMillis) -> Result<Self, RefusedBundle> {
        let history_meta = bundle.history_meta.ok_or(RefusedBundle::NoArtifact("history_meta"))?;
        let move_history = bundle.move_history.ok_or(RefusedBundle::NoArtifact("move_history"))?;
        let entry = HistoryEntry::parse(history_meta)?;
        if entry.game_id != bundle.game_id {
            return Err(RefusedBundle::OtherGame(entry.game_id));
        }
        let queried = queried(bundle, &entry)?;
        let (row, opponent) = map_history_entry(&entry, queried, 0);
        if row.is_cancelled {
            return Err(RefusedBundle::Cancelled);
        }
        if may_be_running(&row, now) {
            return Err(RefusedBundle::MayBeRunning);
        }
        let game = entry.normalize(queried, move_history)?;
        replay(&assemble_ingest(&entry, queried, game, [None, None]))?;
        let not_later = |time: Option<UnixMillis>| time.unwrap_or(now).min(now);
        Ok(Self {
            row,
            opponent,
            own_rating: entry.color.fold_wb(entry.rating_white, entry.rating_black),
            history_meta,
            move_history,
            fetched_at: not_later(bundle.fetched_at),
            meta_fetched_at: not_later(bundle.meta_fetched_at),
        })
    }
}

/// Whose history the entry is from: the player of the side it names.
pub(super) fn queried(bundle: &Bundle<'_>, entry: &HistoryEntry) -> Result<UserId, RefusedBundle> {
    let white = ("whiteUserId", bundle.white_user_id);
    let black = ("blackUserId", bundle.black_user_id);
    let ((own_field, own), (field, other)) = entry.color.fold_wb((white, black), (black, white));
    if other != Some(entry.opponent_id) {
        let bundle = other.map_or_else(|| "missing".to_owned(), |id| id.to_string());
        return Err(RefusedBundle::OtherOpponent { entry: entry.opponent_id, field, bundle });
    }
    own.ok_or(RefusedBundle::NoPlayer(own_field))
}

/// The catalogue would let such a game wait. One without a start is not known to be old.
fn may_be_running(row: &CatalogueRow, now: UnixMillis) -> bool {
    let started_at = row.started_at.or(Some(now));
    GameState::discovered(false, row.result.is_some(), started_at, now).next_retry_at.is_some()
}

#[cfg(test)]
#[path = "seen_tests.rs"]
mod tests;
