//! How much waits: small questions for commands and progress, answered from the counts that triggers
//! keep and from indexes.

use dicechess_core::ids::GameId;
use dicechess_core::time::UnixMillis;
use rusqlite::{Connection, OptionalExtension, Params};

use super::columns::{game_id, iso, unsigned};
use super::error::Fault;
use super::{Store, StoreError};

impl Store {
    /// How many players can be claimed now.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn players_left(&self, now: UnixMillis) -> Result<u64, StoreError> {
        self.read(|connection| count(connection, CLAIMABLE, [iso(now)]))
    }

    /// How many games can be fetched now.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn fetch_left(&self, now: UnixMillis) -> Result<u64, StoreError> {
        self.read(|connection| to_fetch(connection, now))
    }

    /// How many games can be posted now.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn post_left(&self, now: UnixMillis) -> Result<u64, StoreError> {
        self.read(|connection| to_post(connection, now))
    }

    /// How many games are not archived yet.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn archive_pending(&self) -> Result<u64, StoreError> {
        self.read(to_archive)
    }

    /// Whether anybody is in the frontier.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn has_players(&self) -> Result<bool, StoreError> {
        const SQL: &str = "SELECT EXISTS (SELECT 1 FROM players)";
        self.read(|connection| Ok(connection.query_row(SQL, [], |row| row.get(0))?))
    }

    /// How many games [`Store::raw_games`] will read, but for those that are fetched once more.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn raw_count(&self) -> Result<u64, StoreError> {
        self.read(|connection| count(connection, WITH_MOVES, ()))
    }

    /// The game that started last among those that analytics has, else among those it refused or
    /// has yet to get.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn latest_raw_game(&self) -> Result<Option<GameId>, StoreError> {
        const SQL: &str = "SELECT game_id FROM games WHERE status = ?1
            ORDER BY started_at_ms DESC LIMIT 1";
        self.read(|connection| {
            for status in ["posted", "fetched", "rejected"] {
                let found: Option<String> =
                    connection.query_row(SQL, [status], |row| row.get(0)).optional()?;
                if let Some(id) = found.as_deref().and_then(game_id) {
                    return Ok(Some(id));
                }
            }
            Ok(None)
        })
    }
}

/// See [`Store::fetch_left`].
pub(super) fn to_fetch(connection: &Connection, now: UnixMillis) -> Result<u64, Fault> {
    count(connection, WAITING, ("discovered", "fetch", iso(now)))
}

/// See [`Store::post_left`].
pub(super) fn to_post(connection: &Connection, now: UnixMillis) -> Result<u64, Fault> {
    count(connection, WAITING, ("fetched", "post", iso(now)))
}

/// See [`Store::archive_pending`].
pub(super) fn to_archive(connection: &Connection) -> Result<u64, Fault> {
    count(connection, "SELECT pending FROM archive_counts", ())
}

/// A count; NULL is 0.
pub(super) fn count(
    connection: &Connection,
    sql: &str,
    parameters: impl Params,
) -> Result<u64, Fault> {
    let row = connection.prepare_cached(sql)?.query_row(parameters, |row| row.get(0));
    Ok(row.map(|count: Option<i64>| count.map_or(0, unsigned))?)
}

// All that are in a state, but for the few whose timer is not due.
const CLAIMABLE: &str = "
    SELECT (SELECT coalesce(sum(players), 0) FROM player_counts
            WHERE sync_status IN ('pending', 'error'))
        - (SELECT count(*) FROM players WHERE sync_status = 'error' AND next_retry_at > ?1)";

// The condition of the index must be repeated word for word.
pub(super) const WAITING: &str = "
    SELECT (SELECT coalesce(sum(games), 0) FROM game_counts
            WHERE (status = ?1 AND error_stage = '') OR (status = 'error' AND error_stage = ?2))
        - (SELECT count(*) FROM games WHERE status = ?1 AND next_retry_at > ?3)
        - (SELECT count(*) FROM games INDEXED BY ix_games_troubles
            WHERE status IN ('rejected', 'error') AND status = 'error' AND error_stage = ?2
                AND next_retry_at > ?3)";

const WITH_MOVES: &str = "
    SELECT coalesce(sum(games), 0) FROM game_counts
    WHERE status IN ('fetched', 'posted', 'rejected')
        OR (status = 'error' AND error_stage IN ('post', 'normalize'))";
