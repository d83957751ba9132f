//! The state of games.
//!
//! Decides how states are loaded and saved, and which games a replay or a re-fetch takes. Leaves
//! the states themselves to [`GameState`].

use dicechess_core::ids::GameId;
use dicechess_core::lifecycle::{ErrorStage, GameEvent, GameState, GameStatus, PostResult};
use dicechess_core::time::UnixMillis;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, named_params};

use super::columns::{iso, iso_opt, time_column, unreadable};
use super::error::Fault;
use super::known_game::KnownGame;
use super::{Store, StoreError};

/// Which games a replay takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayKind {
    /// Those that analytics refused.
    Rejected,
    /// Those that could not be normalised.
    Normalize,
    /// Those that analytics has; they replace what it has.
    Posted,
}

impl Store {
    /// Records what came of a post that was made with this history entry. Meanwhile the site may
    /// have contradicted the browser that the entry came from: a game that has left the queue keeps
    /// its state, and one whose entry was replaced is posted once more.
    ///
    /// # Errors
    /// [`StoreError::UnknownGame`], [`StoreError::Illegal`] or another; nothing is written then.
    pub fn record_post(
        &self,
        game: GameId,
        event: GameEvent,
        entry: Option<&str>,
        now: UnixMillis,
    ) -> Result<(), StoreError> {
        self.write(|tx| {
            let known = KnownGame::load(tx, game)?;
            let is_queued = matches!(
                known.state.status,
                GameStatus::Fetched | GameStatus::Error(ErrorStage::Post)
            );
            if !is_queued {
                tracing::debug!(%game, "changed while it was posted");
                return Ok(());
            }
            let state = transition(tx, game, event, now)?;
            if state.status == GameStatus::Posted && known.json.as_deref() != entry {
                transition(tx, game, GameEvent::Replay, now)?;
            }
            Ok(())
        })
    }

    /// The state of a game; `None` if it is not in the catalogue.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn game_state(&self, game: GameId) -> Result<Option<GameState>, StoreError> {
        self.read(|connection| load_state(connection, game))
    }

    /// Sends stored games through normalising and posting once more: one, or all of a kind. How
    /// many; a named game of another status, or without moves, is none.
    ///
    /// # Errors
    /// [`StoreError`]. A replay of all commits in batches and can simply be repeated.
    pub fn replay(
        &self,
        kind: ReplayKind,
        game: Option<GameId>,
        now: UnixMillis,
    ) -> Result<usize, StoreError> {
        if let Some(game) = game {
            return self.write(|tx| replay_one(tx, kind, game, now));
        }
        let mut replayed = 0;
        loop {
            let batch = self.write(|tx| replay_batch(tx, kind, now))?;
            replayed += batch;
            if batch == 0 {
                return Ok(replayed);
            }
        }
    }

    /// Has the moves of a game fetched once more; the stored ones stay.
    ///
    /// # Errors
    /// [`StoreError::UnknownGame`]; [`StoreError::Illegal`] without stored moves.
    pub fn refetch(&self, game: GameId, now: UnixMillis) -> Result<GameState, StoreError> {
        self.write(|tx| {
            let has_raw = has_moves(tx, game)?;
            transition(tx, game, GameEvent::Refetch { has_raw }, now)
        })
    }
}

impl ReplayKind {
    const fn status(self) -> GameStatus {
        match self {
            Self::Rejected => GameStatus::Rejected,
            Self::Normalize => GameStatus::Error(ErrorStage::Normalize),
            Self::Posted => GameStatus::Posted,
        }
    }
}

/// Applies an event to a game and saves the new state.
pub(super) fn transition(
    tx: &Transaction<'_>,
    game: GameId,
    event: GameEvent,
    now: UnixMillis,
) -> Result<GameState, Fault> {
    let state = load_state(tx, game)?.ok_or(Fault::UnknownGame(game))?.apply(event, now)?;
    save_state(tx, game, &state, now)?;
    Ok(state)
}

/// The state of a game, if it is in the catalogue.
pub(super) fn load_state(
    connection: &Connection,
    game: GameId,
) -> Result<Option<GameState>, Fault> {
    const SQL: &str = "SELECT status, error_stage, attempts, last_error, next_retry_at,
            post_result, reject_reason, replace_on_post
        FROM games WHERE game_id = ?1";
    let found = connection
        .prepare_cached(SQL)?
        .query_row([game.to_string()], |row| {
            let status: (String, Option<String>) = (row.get("status")?, row.get("error_stage")?);
            Ok((status, state_with(row, GameStatus::Discovered)?))
        })
        .optional()?;
    let Some(((status, stage), state)) = found else { return Ok(None) };
    let status = GameStatus::parse(&status, stage.as_deref())
        .ok_or_else(|| unreadable("games.status", &status))?;
    Ok(Some(GameState { status, ..state }))
}

/// All columns of a state but those of its status.
fn state_with(row: &Row<'_>, status: GameStatus) -> rusqlite::Result<GameState> {
    let post_result: Option<String> = row.get("post_result")?;
    Ok(GameState {
        status,
        attempts: row.get::<_, Option<u32>>("attempts")?.unwrap_or(0),
        last_error: row.get("last_error")?,
        next_retry_at: time_column(row, "next_retry_at")?,
        post_result: post_result.as_deref().and_then(PostResult::parse),
        reject_reason: row.get("reject_reason")?,
        replace: row.get("replace_on_post")?,
    })
}

/// Writes the state of a game in one statement.
pub(super) fn save_state(
    tx: &Transaction<'_>,
    game: GameId,
    state: &GameState,
    now: UnixMillis,
) -> Result<(), Fault> {
    const SQL: &str = "UPDATE games SET status = :status, error_stage = :stage,
            attempts = :attempts, last_error = :error, next_retry_at = :retry,
            post_result = :posted, reject_reason = :reason, replace_on_post = :replace,
            updated_at = :now
        WHERE game_id = :game_id";
    tx.prepare_cached(SQL)?.execute(named_params! {
        ":status": state.status.as_str(),
        ":stage": state.status.error_stage().map(ErrorStage::as_str),
        ":attempts": state.attempts,
        ":error": state.last_error,
        ":retry": iso_opt(state.next_retry_at),
        ":posted": state.post_result.map(PostResult::as_str),
        ":reason": state.reject_reason,
        ":replace": state.replace,
        ":now": iso(now),
        ":game_id": game.to_string(),
    })?;
    Ok(())
}

/// Whether moves of a game are stored.
pub(super) fn has_moves(connection: &Connection, game: GameId) -> Result<bool, Fault> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM raw_game_data
        WHERE game_id = ?1 AND move_history_json IS NOT NULL)";
    Ok(connection.prepare_cached(SQL)?.query_row([game.to_string()], |row| row.get(0))?)
}

fn replay_one(
    tx: &Transaction<'_>,
    kind: ReplayKind,
    game: GameId,
    now: UnixMillis,
) -> Result<usize, Fault> {
    let state = load_state(tx, game)?.ok_or(Fault::UnknownGame(game))?;
    if state.status != kind.status() || !has_moves(tx, game)? {
        return Ok(0);
    }
    transition(tx, game, GameEvent::Replay, now)?;
    Ok(1)
}

/// A million games in one transaction would let the WAL file grow without bound.
fn replay_batch(tx: &Transaction<'_>, kind: ReplayKind, now: UnixMillis) -> Result<usize, Fault> {
    const SQL: &str = "SELECT game_id FROM games AS g
        WHERE status = ?1 AND error_stage IS ?2 AND EXISTS (SELECT 1 FROM raw_game_data AS r
            WHERE r.game_id = g.game_id AND r.move_history_json IS NOT NULL)
        LIMIT ?3";
    let status = kind.status();
    let stage = status.error_stage().map(ErrorStage::as_str);
    let mut statement = tx.prepare_cached(SQL)?;
    let ids: Vec<String> = statement
        .query_map((status.as_str(), stage, REPLAY_BATCH), |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for id in &ids {
        let game = id.parse().map_err(|_| unreadable("games.game_id", id))?;
        transition(tx, game, GameEvent::Replay, now)?;
    }
    Ok(ids.len())
}

const REPLAY_BATCH: u32 = 5000;
