//! The watch list: players whose games are wanted within minutes of their end.
//!
//! Decides what is kept of a watch and when a look is due. A look reads the newest rows of a history
//! and leaves the player's own sweep, with its cursor and offset, as it is.

use std::time::Duration;

use dicechess_core::ids::{GameId, UserId};
use dicechess_core::site::HistoryRow;
use dicechess_core::time::UnixMillis;
use rusqlite::{OptionalExtension, Row, named_params};
use serde::Serialize;

use super::columns::{count_column, game_id, iso, iso_opt, millis_column, signed};
use super::page_rows::accept_row;
use super::pages::PageAccepted;
use super::players::{self, PlayerSighting};
use super::{Store, StoreError, sweeps};

/// A watched player, as `watch list` shows him.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Watch {
    /// The player.
    pub user_id: i64,
    /// His name, if known.
    pub username: Option<String>,
    /// The time between two looks, in seconds.
    pub every_seconds: u64,
    /// When the next look is due.
    pub next_look_at: String,
    /// When the last one was.
    pub last_look_at: Option<String>,
    /// Looks so far.
    pub looks: u64,
    /// Games that a look told of first.
    pub found_games: u64,
    /// Why the last look failed, if it did.
    pub last_error: Option<String>,
}

/// A look that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueLook {
    /// The player.
    pub user_id: UserId,
    /// His distance from a seed.
    pub depth: u32,
    /// Where the look begins: the end of what his sweep has seen, or of the last look, but no later
    /// than the oldest game of his that may still be running.
    pub since: UnixMillis,
}

impl Store {
    /// Watches a player; one who is watched already gets the new interval. He enters the frontier if
    /// he is not in it.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn add_watch(
        &self,
        user: UserId,
        every: Duration,
        now: UnixMillis,
    ) -> Result<(), StoreError> {
        const SQL: &str = "INSERT INTO watches (user_id, every_ms, next_look_at_ms, created_at)
            VALUES (:user, :every, :now, :created)
            ON CONFLICT (user_id) DO UPDATE SET every_ms = excluded.every_ms,
                next_look_at_ms = min(next_look_at_ms, excluded.next_look_at_ms)";
        let every = i64::try_from(every.as_millis()).unwrap_or(i64::MAX);
        self.write(|tx| {
            players::upsert(tx, &PlayerSighting::seed(user), now)?;
            tx.prepare_cached(SQL)?.execute(named_params! {
                ":user": user.0, ":every": every, ":now": now.0, ":created": iso(now),
            })?;
            Ok(())
        })
    }

    /// Watches a player no longer. Whether he was watched.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn remove_watch(&self, user: UserId) -> Result<bool, StoreError> {
        const SQL: &str = "DELETE FROM watches WHERE user_id = ?1";
        self.write(|tx| Ok(tx.prepare_cached(SQL)?.execute([user.0])? > 0))
    }

    /// All watches, by player.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn watches(&self) -> Result<Vec<Watch>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(LIST)?;
            Ok(statement.query_map([], watch)?.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The look that has been due longest.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn due_look(&self, now: UnixMillis) -> Result<Option<DueLook>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(DUE)?;
            let found = statement.query_row([now.0], due_look).optional()?;
            let Some(look) = found else { return Ok(None) };
            let running = sweeps::oldest_running(connection, look.user_id)?;
            let since = running.map_or(look.since, |started| started.min(look.since));
            Ok(Some(DueLook { since, ..look }))
        })
    }

    /// When the next look is due.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn next_look_at(&self) -> Result<Option<UnixMillis>, StoreError> {
        const SQL: &str = "SELECT min(next_look_at_ms) AS due FROM watches";
        self.read(|connection| {
            let read = |row: &Row<'_>| millis_column(row, "due");
            Ok(connection.prepare_cached(SQL)?.query_row([], read)?)
        })
    }

    /// Saves what a look brought: its games and opponents, and when the next one is due.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn accept_look(
        &self,
        look: &DueLook,
        rows: &[HistoryRow<'_>],
        now: UnixMillis,
    ) -> Result<PageAccepted, StoreError> {
        self.write(|tx| {
            let mut accepted = PageAccepted::default();
            for row in rows {
                accepted.count(accept_row(tx, row, look.user_id, look.depth, now)?);
            }
            tx.prepare_cached(LOOKED)?.execute(named_params! {
                ":user": look.user_id.0,
                ":now": now.0,
                ":found": signed(accepted.new_games as u64),
                ":error": None::<String>,
            })?;
            Ok(accepted)
        })
    }

    /// Records that a look failed; the next one is due after the usual time.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn fail_look(&self, user: UserId, error: &str, now: UnixMillis) -> Result<(), StoreError> {
        self.write(|tx| {
            tx.prepare_cached(LOOKED)?.execute(named_params! {
                ":user": user.0, ":now": now.0, ":found": 0, ":error": error,
            })?;
            Ok(())
        })
    }

    /// The games of a player to fetch now that started at `since` or later, newest first.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn next_to_fetch_of(
        &self,
        user: UserId,
        since: UnixMillis,
        now: UnixMillis,
    ) -> Result<Vec<GameId>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(TO_FETCH_OF)?;
            let ids = statement
                .query_map((user.0, since.0, iso(now)), |row| row.get::<_, String>(0))?
                .collect::<rusqlite::Result<Vec<_>>>()?;
            Ok(ids.iter().filter_map(|id| game_id(id)).collect())
        })
    }
}

fn watch(row: &Row<'_>) -> rusqlite::Result<Watch> {
    let next_look_at = UnixMillis(row.get("next_look_at_ms")?);
    Ok(Watch {
        user_id: row.get("user_id")?,
        username: row.get("username")?,
        every_seconds: count_column(row, "every_ms")? / 1000,
        next_look_at: iso(next_look_at),
        last_look_at: iso_opt(millis_column(row, "last_look_at_ms")?),
        looks: count_column(row, "looks")?,
        found_games: count_column(row, "found_games")?,
        last_error: row.get("last_error")?,
    })
}

fn due_look(row: &Row<'_>) -> rusqlite::Result<DueLook> {
    Ok(DueLook {
        user_id: UserId(row.get("user_id")?),
        depth: row.get("depth")?,
        since: UnixMillis(row.get("since_ms")?),
    })
}

const LIST: &str = "SELECT w.*, p.username FROM watches AS w LEFT JOIN players AS p USING (user_id)
    ORDER BY w.user_id";

/// A player who was never swept is looked at from an hour before he was watched; what is older comes
/// with his sweep.
const DUE: &str = "
    SELECT w.user_id, coalesce(p.depth, 0) AS depth,
        coalesce(p.synced_through_ms, unixepoch(w.created_at) * 1000 - 3600000) AS since_ms
    FROM watches AS w LEFT JOIN players AS p USING (user_id)
    WHERE w.next_look_at_ms <= ?1 ORDER BY w.next_look_at_ms, w.user_id LIMIT 1";

const LOOKED: &str = "UPDATE watches SET next_look_at_ms = :now + every_ms, last_look_at_ms = :now,
        looks = looks + 1, found_games = found_games + :found, last_error = :error
    WHERE user_id = :user";

const TO_FETCH_OF: &str = "
    SELECT game_id FROM (
        SELECT game_id, started_at_ms, status, error_stage, next_retry_at FROM games
            WHERE white_user_id = ?1 AND started_at_ms >= ?2
        UNION ALL
        SELECT game_id, started_at_ms, status, error_stage, next_retry_at FROM games
            WHERE black_user_id = ?1 AND started_at_ms >= ?2)
    WHERE (status = 'discovered' OR (status = 'error' AND error_stage = 'fetch'))
        AND (next_retry_at IS NULL OR next_retry_at <= ?3)
    ORDER BY started_at_ms DESC, game_id";
