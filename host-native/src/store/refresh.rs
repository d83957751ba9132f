//! When synced players are asked for again.
//!
//! Decides what counts as a player's recent games, and which players are due. Leaves the interval to
//! the core ([`dicechess_core::lifecycle::refresh_interval`]).

use dicechess_core::catalogue::CatalogueRow;
use dicechess_core::ids::UserId;
use dicechess_core::lifecycle::{Activity, OBSERVED, PlayerEvent, refresh_on_news};
use dicechess_core::time::UnixMillis;
use rusqlite::{Connection, OptionalExtension, Row, Transaction};

use super::columns::{count_column, millis_column, time_column};
use super::error::Fault;
use super::sweeps::{transition, user_ids};
use super::{Store, StoreError};

impl Store {
    /// Makes the synced players pending whose time to be asked again has come. How many.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn requeue_due(&self, now: UnixMillis) -> Result<usize, StoreError> {
        self.write(|tx| {
            let users = user_ids(tx, DUE, now.0)?;
            for user in &users {
                transition(tx, *user, PlayerEvent::Stale, now)?;
            }
            Ok(users.len())
        })
    }

    /// When the next synced player is due.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn next_refresh_at(&self) -> Result<Option<UnixMillis>, StoreError> {
        self.read(|connection| {
            let read = |row: &Row<'_>| millis_column(row, "due");
            Ok(connection.prepare_cached(NEXT)?.query_row([], read)?)
        })
    }

    /// Has a synced player swept as soon as possible.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn refresh_now(&self, user: UserId, now: UnixMillis) -> Result<(), StoreError> {
        self.write(|tx| {
            tx.prepare_cached(SET_DUE)?.execute((user.0, now.0))?;
            Ok(())
        })
    }
}

/// What was observed of a player.
pub(super) fn activity(
    connection: &Connection,
    user: UserId,
    now: UnixMillis,
) -> Result<Activity, Fault> {
    let read = |row: &Row<'_>| {
        Ok(Activity {
            recent_games: count_column(row, "recent")?,
            last_game_at: millis_column(row, "last")?,
        })
    };
    let since = now - OBSERVED;
    Ok(connection.prepare_cached(ACTIVITY)?.query_row((user.0, since.0), read)?)
}

/// A new game of somebody's history is news of the other player too, if it started after what his
/// own sweep has seen.
pub(super) fn note_news(
    tx: &Transaction<'_>,
    game: &CatalogueRow,
    opponent: UserId,
    now: UnixMillis,
) -> Result<(), Fault> {
    let Some(started) = game.started_at else { return Ok(()) };
    let read = |row: &Row<'_>| time_column(row, "last_synced_at");
    let synced =
        tx.prepare_cached(UNSEEN_BY)?.query_row((opponent.0, started.0), read).optional()?;
    if let Some(last_synced_at) = synced {
        let due = refresh_on_news(last_synced_at, now);
        tx.prepare_cached(SET_DUE)?.execute((opponent.0, due.0))?;
    }
    Ok(())
}

const DUE: &str = "SELECT user_id FROM players INDEXED BY ix_players_refresh
    WHERE sync_status = 'synced' AND next_refresh_at_ms <= ?1";

const NEXT: &str = "SELECT min(next_refresh_at_ms) AS due
    FROM players INDEXED BY ix_players_refresh WHERE sync_status = 'synced'";

const SET_DUE: &str = "UPDATE players SET next_refresh_at_ms = ?2
    WHERE user_id = ?1 AND sync_status = 'synced'
        AND (next_refresh_at_ms IS NULL OR next_refresh_at_ms > ?2)";

const UNSEEN_BY: &str = "SELECT last_synced_at FROM players
    WHERE user_id = ?1 AND sync_status = 'synced'
        AND (synced_through_ms IS NULL OR synced_through_ms < ?2)";

const ACTIVITY: &str = "
    SELECT (SELECT count(*) FROM games WHERE white_user_id = ?1 AND started_at_ms > ?2)
            + (SELECT count(*) FROM games WHERE black_user_id = ?1 AND started_at_ms > ?2)
            AS recent,
        (SELECT max(started_at_ms) FROM (
            SELECT max(started_at_ms) AS started_at_ms FROM games WHERE white_user_id = ?1
            UNION ALL
            SELECT max(started_at_ms) FROM games WHERE black_user_id = ?1)) AS last";
