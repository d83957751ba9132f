//! A game that is known when it is told of again, and the entries that tell of it.
//!
//! Decides how entries are kept: the one that counts with the raw answers, the others beside it
//! among the perspectives, each with its origin. Which one counts is decided in
//! [`super::page_rows`] and [`super::browser_raw`].

use dicechess_core::catalogue::GameClaim;
use dicechess_core::ids::{GameId, UserId};
use dicechess_core::lifecycle::GameState;
use dicechess_core::time::UnixMillis;
use rusqlite::{Connection, Row, Transaction};

use super::columns::{iso, time_column, user_column};
use super::error::Fault;
use super::games::load_state;
use super::origin::Origin;
use super::raw::content_hash;

/// A history entry and where it is from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    /// Its bytes.
    pub(super) json: &'a str,
    /// Whose history it is from.
    pub(super) queried: UserId,
    /// Who told it.
    pub(super) origin: Origin,
    /// When it was received.
    pub(super) since: UnixMillis,
}

/// What matters of a game that is known when another entry tells of it.
pub(super) struct KnownGame {
    pub(super) state: GameState,
    pub(super) claim: GameClaim,
    pub(super) has_moves: bool,
    /// The bytes of the entry that counts. Only a database of the older service can lack it.
    pub(super) json: Option<String>,
    /// Whose history it is from.
    pub(super) source: Option<UserId>,
    pub(super) meta_origin: Origin,
    pub(super) moves_origin: Origin,
    since: Option<UnixMillis>,
}

impl KnownGame {
    pub(super) fn load(connection: &Connection, id: GameId) -> Result<Self, Fault> {
        const SQL: &str = "SELECT g.white_user_id, g.black_user_id, g.result, g.is_cancelled,
                r.move_history_json IS NOT NULL AS has_moves, r.history_meta_json,
                r.meta_source_user_id, r.created_at,
                coalesce(r.meta_origin, 'site') AS meta_origin,
                coalesce(r.moves_origin, 'site') AS moves_origin
            FROM games AS g LEFT JOIN raw_game_data AS r USING (game_id) WHERE g.game_id = ?1";
        let state = load_state(connection, id)?.ok_or(Fault::UnknownGame(id))?;
        let read = |row: &Row<'_>| {
            Ok(Self {
                state,
                claim: GameClaim {
                    white_user_id: user_column(row, "white_user_id")?,
                    black_user_id: user_column(row, "black_user_id")?,
                    result: row.get("result")?,
                    is_cancelled: row.get::<_, Option<bool>>("is_cancelled")?.unwrap_or(false),
                },
                has_moves: row.get("has_moves")?,
                json: row.get("history_meta_json")?,
                source: user_column(row, "meta_source_user_id")?,
                meta_origin: row.get("meta_origin")?,
                moves_origin: row.get("moves_origin")?,
                since: time_column(row, "created_at")?,
            })
        };
        Ok(connection.prepare_cached(SQL)?.query_row([id.to_string()], read)?)
    }

    /// The entry that counts.
    pub(super) fn entry(&self) -> Option<Entry<'_>> {
        Some(Entry {
            json: self.json.as_deref()?,
            queried: self.source?,
            origin: self.meta_origin,
            since: self.since.unwrap_or_default(),
        })
    }
}

/// Makes an entry the one that counts.
pub(super) fn write_entry(
    tx: &Transaction<'_>,
    game: GameId,
    entry: &Entry<'_>,
) -> Result<(), Fault> {
    const SQL: &str = "INSERT INTO raw_game_data
            (game_id, history_meta_json, meta_source_user_id, meta_origin, created_at)
        VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT (game_id) DO UPDATE SET history_meta_json = excluded.history_meta_json,
            meta_source_user_id = excluded.meta_source_user_id, meta_origin = excluded.meta_origin,
            created_at = excluded.created_at";
    let since = iso(entry.since);
    tx.prepare_cached(SQL)?.execute((
        game.to_string(),
        entry.json,
        entry.queried.0,
        entry.origin,
        since,
    ))?;
    Ok(())
}

/// Keeps an entry beside the one that counts. One that the site confirms is the site's.
pub(super) fn keep_perspective(
    tx: &Transaction<'_>,
    game: GameId,
    entry: &Entry<'_>,
    now: UnixMillis,
) -> Result<(), Fault> {
    const SQL: &str = "INSERT INTO history_perspectives (game_id, queried_user_id, content_hash,
            entry_json, first_seen_at, last_seen_at, origin)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT DO UPDATE SET last_seen_at = excluded.last_seen_at,
            origin = iif(origin = 'site', origin, excluded.origin)";
    tx.prepare_cached(SQL)?.execute((
        game.to_string(),
        entry.queried.0,
        content_hash(entry.json.as_bytes()),
        entry.json,
        iso(entry.since),
        iso(now),
        entry.origin,
    ))?;
    Ok(())
}

/// Whether a perspective of this player is kept that the site told.
pub(super) fn is_told_by_site(
    connection: &Connection,
    game: GameId,
    queried: UserId,
) -> Result<bool, Fault> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM history_perspectives
        WHERE game_id = ?1 AND queried_user_id = ?2 AND origin = 'site')";
    let id = game.to_string();
    Ok(connection.prepare_cached(SQL)?.query_row((id, queried.0), |row| row.get(0))?)
}
