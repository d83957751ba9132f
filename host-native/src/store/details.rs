//! Everything about one game, for `show`.

use dicechess_core::ids::GameId;
use rusqlite::{Connection, OptionalExtension, Row};
use serde::Serialize;

use super::error::Fault;
use super::origin::Origin;
use super::pairings::PairingId;
use super::{Store, StoreError};

/// A game with all that is stored about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GameDetails {
    /// The game.
    pub game_id: String,
    /// Its status.
    pub status: String,
    /// The stage that failed, in the status `error`.
    pub error_stage: Option<String>,
    /// White.
    pub white_user_id: Option<i64>,
    /// White's name, if known.
    pub white_username: Option<String>,
    /// Black.
    pub black_user_id: Option<i64>,
    /// Black's name, if known.
    pub black_username: Option<String>,
    /// Whose history told of it first.
    pub discovered_from: Option<i64>,
    /// When it started.
    pub started_at_ms: Option<i64>,
    /// Whether the stake could be doubled.
    pub allow_doubling: Option<bool>,
    /// White's result.
    pub result: Option<i64>,
    /// Thinking time in seconds.
    pub time_initial_sec: Option<i64>,
    /// Increment in seconds.
    pub time_increment_sec: Option<i64>,
    /// Whether the site cancelled it.
    pub is_cancelled: Option<bool>,
    /// What analytics did with it.
    pub post_result: Option<String>,
    /// Why analytics refused it.
    pub reject_reason: Option<String>,
    /// Failures in a row.
    pub attempts: Option<i64>,
    /// The last failure.
    pub last_error: Option<String>,
    /// Not tried before.
    pub next_retry_at: Option<String>,
    /// Whether the next post replaces what analytics has.
    pub replace_on_post: bool,
    /// When it entered the catalogue.
    pub created_at: Option<String>,
    /// When its row last changed.
    pub updated_at: Option<String>,
    /// The history entry as received.
    pub history_meta_json: Option<String>,
    /// Whose history it is from.
    pub meta_source_user_id: Option<i64>,
    /// The moves as received.
    pub move_history_json: Option<String>,
    /// When they were received.
    pub move_history_fetched_at: Option<String>,
    /// Who told the history entry; `None` without one.
    pub meta_origin: Option<Origin>,
    /// Who told the moves; `None` without any.
    pub moves_origin: Option<Origin>,
    /// The browser that brought the game, if one did.
    pub pairing_id: Option<PairingId>,
    /// Their size in bytes.
    pub byte_size: Option<i64>,
    /// When the archive confirmed it.
    pub archived_at: Option<String>,
    /// The distinct answers seen, oldest first.
    pub revisions: Vec<Revision>,
    /// Other history entries about it.
    pub perspectives: Vec<Perspective>,
}

/// One distinct answer to the question for a game's moves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Revision {
    /// XXH64 of its bytes.
    pub content_hash: String,
    /// Its bytes, unless it is the current answer.
    pub body: Option<String>,
    /// When it was first received.
    pub first_seen_at: String,
    /// When it was last received.
    pub last_seen_at: String,
}

/// A history entry besides the first one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Perspective {
    /// Whose history it is from.
    pub queried_user_id: i64,
    /// Who told it.
    pub origin: Origin,
    /// The entry as received.
    pub entry_json: String,
    /// When it was first received.
    pub first_seen_at: String,
    /// When it was last received.
    pub last_seen_at: String,
}

impl Store {
    /// Everything about a game; `None` if it is not in the catalogue.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn game_details(&self, game: GameId) -> Result<Option<GameDetails>, StoreError> {
        let id = game.to_string();
        self.read(|connection| {
            let found = connection.prepare_cached(GAME)?.query_row([&id], details).optional()?;
            let Some(mut found) = found else { return Ok(None) };
            found.revisions = all(connection, REVISIONS, &id, revision)?;
            found.perspectives = all(connection, PERSPECTIVES, &id, perspective)?;
            Ok(Some(found))
        })
    }
}

fn all<T>(
    connection: &Connection,
    sql: &str,
    id: &str,
    read: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, Fault> {
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_map([id], read)?.collect::<rusqlite::Result<_>>()?)
}

fn details(row: &Row<'_>) -> rusqlite::Result<GameDetails> {
    Ok(GameDetails {
        game_id: row.get("game_id")?,
        status: row.get("status")?,
        error_stage: row.get("error_stage")?,
        white_user_id: row.get("white_user_id")?,
        white_username: row.get("white_username")?,
        black_user_id: row.get("black_user_id")?,
        black_username: row.get("black_username")?,
        discovered_from: row.get("discovered_from")?,
        started_at_ms: row.get("started_at_ms")?,
        allow_doubling: row.get("allow_doubling")?,
        result: row.get("result")?,
        time_initial_sec: row.get("time_initial_sec")?,
        time_increment_sec: row.get("time_increment_sec")?,
        is_cancelled: row.get("is_cancelled")?,
        post_result: row.get("post_result")?,
        reject_reason: row.get("reject_reason")?,
        attempts: row.get("attempts")?,
        last_error: row.get("last_error")?,
        next_retry_at: row.get("next_retry_at")?,
        replace_on_post: row.get("replace_on_post")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
        history_meta_json: row.get("history_meta_json")?,
        meta_source_user_id: row.get("meta_source_user_id")?,
        move_history_json: row.get("move_history_json")?,
        move_history_fetched_at: row.get("move_history_fetched_at")?,
        meta_origin: row.get("meta_origin")?,
        moves_origin: row.get("moves_origin")?,
        pairing_id: row.get("pairing_id")?,
        byte_size: row.get("byte_size")?,
        archived_at: row.get("archived_at")?,
        revisions: Vec::new(),
        perspectives: Vec::new(),
    })
}

fn revision(row: &Row<'_>) -> rusqlite::Result<Revision> {
    Ok(Revision {
        content_hash: row.get("content_hash")?,
        body: row.get("body")?,
        first_seen_at: row.get("first_seen_at")?,
        last_seen_at: row.get("last_seen_at")?,
    })
}

fn perspective(row: &Row<'_>) -> rusqlite::Result<Perspective> {
    Ok(Perspective {
        queried_user_id: row.get("queried_user_id")?,
        origin: row.get("origin")?,
        entry_json: row.get("entry_json")?,
        first_seen_at: row.get("first_seen_at")?,
        last_seen_at: row.get("last_seen_at")?,
    })
}

const GAME: &str = "
    SELECT g.*, r.history_meta_json, r.meta_source_user_id, r.move_history_json,
        r.move_history_fetched_at, r.byte_size, r.archived_at, r.pairing_id,
        iif(r.history_meta_json IS NULL, NULL, r.meta_origin) AS meta_origin,
        iif(r.move_history_json IS NULL, NULL, r.moves_origin) AS moves_origin,
        w.username AS white_username, b.username AS black_username
    FROM games AS g LEFT JOIN raw_game_data AS r USING (game_id)
        LEFT JOIN players AS w ON w.user_id = g.white_user_id
        LEFT JOIN players AS b ON b.user_id = g.black_user_id
    WHERE g.game_id = ?1";

const REVISIONS: &str = "SELECT content_hash, body, first_seen_at, last_seen_at
    FROM raw_revisions WHERE game_id = ?1 ORDER BY first_seen_at, content_hash";

const PERSPECTIVES: &str = "SELECT queried_user_id, origin, entry_json, first_seen_at, last_seen_at
    FROM history_perspectives WHERE game_id = ?1 ORDER BY first_seen_at, queried_user_id";
