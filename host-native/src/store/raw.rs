//! Raw answers and their revisions.
//!
//! Decides how a body is kept: as it was received, with its game's new status, in one transaction.
//! The current answer of a game is in `raw_game_data`; one row of `raw_revisions` for each distinct
//! answer says when it was seen, and holds the body of those that are not current.

use dicechess_core::ids::{GameId, UserId};
use dicechess_core::lifecycle::GameEvent;
use dicechess_core::time::UnixMillis;
use rusqlite::{OptionalExtension, Row, Transaction};
use xxhash_rust::xxh64::xxh64;

use super::columns::{game_id, iso, user_column};
use super::error::Fault;
use super::games::transition;
use super::origin::Origin;
use super::{Store, StoreError, browser_raw};

/// What a fetched body was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawOutcome {
    /// The first answer for this game.
    First,
    /// The same bytes as the current answer.
    Same,
    /// Other bytes: the earlier ones are kept as a revision.
    NewRevision,
}

/// A cached game, for reading all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawGame {
    /// The game.
    pub game_id: GameId,
    /// Its status, as in `error/post`.
    pub status: String,
    /// The history entry as received.
    pub history_meta_json: Option<String>,
    /// Whose history it is from.
    pub meta_source_user_id: Option<UserId>,
    /// The moves as received.
    pub move_history_json: String,
}

impl Store {
    /// Saves the moves of a game as received and makes it `fetched`, in one transaction. What a
    /// browser may have brought while the site was asked makes way.
    ///
    /// # Errors
    /// [`StoreError::UnknownGame`]; [`StoreError::Illegal`] if the game was not to be fetched;
    /// nothing is written then.
    pub fn accept_move_history(
        &self,
        game: GameId,
        body: &str,
        now: UnixMillis,
    ) -> Result<RawOutcome, StoreError> {
        self.write(|tx| {
            if browser_raw::site_answers(tx, game, body, now)? {
                return Ok(RawOutcome::Same);
            }
            transition(tx, game, GameEvent::Fetched, now)?;
            accept_body(tx, game, body, now)
        })
    }

    /// Cached games in the order of their ids, after the given one: read on from the last one until
    /// none is left, so that memory stays flat.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn raw_games(
        &self,
        after: Option<GameId>,
        limit: usize,
    ) -> Result<Vec<RawGame>, StoreError> {
        const SQL: &str = "SELECT r.game_id, r.history_meta_json, r.meta_source_user_id,
                r.move_history_json,
                g.status || coalesce('/' || g.error_stage, '') AS status
            FROM raw_game_data AS r JOIN games AS g USING (game_id)
            WHERE r.game_id > ?1 AND r.move_history_json IS NOT NULL ORDER BY r.game_id";
        let after = after.map(|id| id.to_string()).unwrap_or_default();
        self.read(|connection| {
            let mut statement = connection.prepare_cached(SQL)?;
            let rows = statement.query_map([after], raw_game)?;
            let games = rows.filter_map(Result::transpose).take(limit);
            Ok(games.collect::<rusqlite::Result<_>>()?)
        })
    }
}

/// XXH64 (seed 0) in 16 hex digits.
#[must_use]
pub fn content_hash(bytes: &[u8]) -> String {
    format!("{:016x}", xxh64(bytes, 0))
}

/// Keeps a body as the current answer, received at `now`.
pub(super) fn accept_body(
    tx: &Transaction<'_>,
    game: GameId,
    body: &str,
    now: UnixMillis,
) -> Result<RawOutcome, Fault> {
    if confirm_body(tx, game, body, now)? {
        return Ok(RawOutcome::Same);
    }
    let outcome = match Current::load(tx, game)? {
        None => RawOutcome::First,
        Some(current) => {
            current.supersede(tx, game, now)?;
            RawOutcome::NewRevision
        }
    };
    write_body(tx, game, &Moves { body, origin: Origin::Site, received_at: now })?;
    note_revision(tx, game, body, &iso(now), now)?;
    Ok(outcome)
}

/// Notes that the site gave the stored answer once more. Whether it did.
pub(super) fn confirm_body(
    tx: &Transaction<'_>,
    game: GameId,
    body: &str,
    now: UnixMillis,
) -> Result<bool, Fault> {
    const SQL: &str = "UPDATE raw_game_data SET moves_origin = ?2 WHERE game_id = ?1";
    let current = Current::load(tx, game)?.filter(|current| current.body == body);
    let Some(current) = current else { return Ok(false) };
    // A database of the older service has bodies without a row of their own here.
    let since = current.fetched_at.unwrap_or_else(|| iso(now));
    note_revision(tx, game, body, &since, now)?;
    tx.prepare_cached(SQL)?.execute((game.to_string(), Origin::Site))?;
    Ok(true)
}

/// Moves as received.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moves<'a> {
    /// Their bytes.
    pub(super) body: &'a str,
    /// Who told them.
    pub(super) origin: Origin,
    /// When.
    pub(super) received_at: UnixMillis,
}

/// Makes these moves the current ones.
pub(super) fn write_body(
    tx: &Transaction<'_>,
    game: GameId,
    moves: &Moves<'_>,
) -> Result<(), Fault> {
    const SQL: &str = "INSERT INTO raw_game_data
            (game_id, move_history_json, move_history_fetched_at, byte_size, moves_origin, created_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?3)
        ON CONFLICT (game_id) DO UPDATE SET move_history_json = excluded.move_history_json,
            move_history_fetched_at = excluded.move_history_fetched_at,
            byte_size = excluded.byte_size, moves_origin = excluded.moves_origin";
    let size = moves.body.len() as i64;
    let received_at = iso(moves.received_at);
    tx.prepare_cached(SQL)?.execute((
        game.to_string(),
        moves.body,
        received_at,
        size,
        moves.origin,
    ))?;
    Ok(())
}

/// Notes that the body, now the current one, was seen.
pub(super) fn note_revision(
    tx: &Transaction<'_>,
    game: GameId,
    body: &str,
    since: &str,
    now: UnixMillis,
) -> Result<(), Fault> {
    const SQL: &str =
        "INSERT INTO raw_revisions (game_id, content_hash, first_seen_at, last_seen_at)
        VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT DO UPDATE SET body = NULL, last_seen_at = excluded.last_seen_at";
    let hash = content_hash(body.as_bytes());
    tx.prepare_cached(SQL)?.execute((game.to_string(), hash, since, iso(now)))?;
    Ok(())
}

/// The answer stored for a game.
struct Current {
    body: String,
    fetched_at: Option<String>,
}

impl Current {
    fn load(tx: &Transaction<'_>, game: GameId) -> Result<Option<Self>, Fault> {
        const SQL: &str = "SELECT move_history_json, move_history_fetched_at FROM raw_game_data
            WHERE game_id = ?1 AND move_history_json IS NOT NULL";
        let read = |row: &Row<'_>| Ok(Self { body: row.get(0)?, fetched_at: row.get(1)? });
        Ok(tx.prepare_cached(SQL)?.query_row([game.to_string()], read).optional()?)
    }

    /// Moves the body among the revisions, before another takes its place.
    fn supersede(&self, tx: &Transaction<'_>, game: GameId, now: UnixMillis) -> Result<(), Fault> {
        const SQL: &str = "INSERT INTO raw_revisions
                (game_id, content_hash, body, first_seen_at, last_seen_at)
            VALUES (?1, ?2, ?3, ?4, ?4) ON CONFLICT DO UPDATE SET body = excluded.body";
        let hash = content_hash(self.body.as_bytes());
        let since = self.fetched_at.clone().unwrap_or_else(|| iso(now));
        tx.prepare_cached(SQL)?.execute((game.to_string(), hash, &self.body, since))?;
        Ok(())
    }
}

fn raw_game(row: &Row<'_>) -> rusqlite::Result<Option<RawGame>> {
    let Some(game_id) = game_id(&row.get::<_, String>("game_id")?) else { return Ok(None) };
    Ok(Some(RawGame {
        game_id,
        status: row.get("status")?,
        history_meta_json: row.get("history_meta_json")?,
        meta_source_user_id: user_column(row, "meta_source_user_id")?,
        move_history_json: row.get("move_history_json")?,
    }))
}
