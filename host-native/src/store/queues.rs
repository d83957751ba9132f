//! Which game is fetched, posted and archived next.
//!
//! Decides the order, newest game first, and what a stage gets of each game. A queue is walked
//! through an index of its own and stops as soon as enough games are found, so it costs the same
//! however many games wait or are done.

use dicechess_core::bundle::{BundleParts, UnreadableArtifact, bundle_json};
use dicechess_core::ids::{GameId, UserId};
use dicechess_core::ingest::KnownPlayer;
use dicechess_core::lifecycle::PlayerType;
use dicechess_core::time::UnixMillis;
use rusqlite::{OptionalExtension, Row};

use super::columns::{game_id, iso, millis_column, user_column};
use super::error::Fault;
use super::{Store, StoreError};

/// A game to be normalised and posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostItem {
    /// The game.
    pub game_id: GameId,
    /// The history entry as received. Only a database of the older service can lack it.
    pub history_meta_json: Option<String>,
    /// Whose history it is from.
    pub meta_source_user_id: Option<UserId>,
    /// The moves as received.
    pub move_history_json: String,
    /// Send it with `PUT`: analytics has an older reading.
    pub replace: bool,
    /// What the frontier knows of White.
    pub white: Option<KnownPlayer>,
    /// What the frontier knows of Black.
    pub black: Option<KnownPlayer>,
}

/// A game to be archived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveItem {
    /// The game.
    pub game_id: GameId,
    /// White.
    pub white_user_id: Option<UserId>,
    /// Black.
    pub black_user_id: Option<UserId>,
    /// When it started.
    pub started_at: Option<UnixMillis>,
    /// When the moves were received, ISO-8601.
    pub fetched_at: Option<String>,
    /// When the history entry was received, ISO-8601.
    pub meta_fetched_at: Option<String>,
    /// The history entry as received.
    pub history_meta_json: Option<String>,
    /// The moves as received.
    pub move_history_json: String,
}

impl Store {
    /// The games to fetch now: catalogued ones and failed ones whose timer is due, newest first.
    /// A game that may still be running is not among them.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn next_to_fetch(&self, now: UnixMillis, limit: u32) -> Result<Vec<GameId>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(TO_FETCH)?;
            let ids = statement.query_map([iso(now)], |row| row.get::<_, String>(0))?;
            take_readable(ids.map(|id| Ok(game_id(&id?))), limit)
        })
    }

    /// The games to post now: fetched ones and failed ones whose timer is due, newest first.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn next_to_post(&self, now: UnixMillis, limit: u32) -> Result<Vec<PostItem>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(TO_POST)?;
            take_readable(statement.query_map([iso(now)], post_item)?, limit)
        })
    }

    /// The games to archive, in the order of their ids.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn next_to_archive(&self, limit: u32) -> Result<Vec<GameId>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(TO_ARCHIVE)?;
            let ids = statement.query_map([], |row| row.get::<_, String>(0))?;
            take_readable(ids.map(|id| Ok(game_id(&id?))), limit)
        })
    }

    /// What the archive is to hold of a game; `None` without moves.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn archive_item(&self, game: GameId) -> Result<Option<ArchiveItem>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(ARCHIVE_ITEM)?;
            Ok(statement.query_row([game.to_string()], archive_item).optional()?.flatten())
        })
    }

    /// Records that the archive has confirmed a game.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn mark_archived(&self, game: GameId, now: UnixMillis) -> Result<(), StoreError> {
        const SQL: &str = "UPDATE raw_game_data SET archived_at = ?2 WHERE game_id = ?1";
        self.write(|tx| {
            let changed = tx.prepare_cached(SQL)?.execute((game.to_string(), iso(now)))?;
            if changed == 0 { Err(Fault::UnknownGame(game)) } else { Ok(()) }
        })
    }
}

impl ArchiveItem {
    /// The archive's document of this game.
    ///
    /// # Errors
    /// A stored answer is no JSON, which only an older database can hold.
    pub fn bundle(&self) -> Result<String, UnreadableArtifact> {
        let started_at = self.started_at.map(iso);
        bundle_json(&BundleParts {
            game_id: self.game_id,
            white_user_id: self.white_user_id,
            black_user_id: self.black_user_id,
            started_at: started_at.as_deref(),
            fetched_at: self.fetched_at.as_deref(),
            meta_fetched_at: self.meta_fetched_at.as_deref(),
            history_meta: self.history_meta_json.as_deref(),
            move_history: &self.move_history_json,
        })
    }
}

/// The first `limit` rows. A row whose game id is no UUID, which only an older database can hold,
/// is passed over: it must not stop the others.
fn take_readable<T>(
    rows: impl Iterator<Item = rusqlite::Result<Option<T>>>,
    limit: u32,
) -> Result<Vec<T>, Fault> {
    Ok(rows.filter_map(Result::transpose).take(limit as usize).collect::<rusqlite::Result<_>>()?)
}

fn post_item(row: &Row<'_>) -> rusqlite::Result<Option<PostItem>> {
    let Some(game_id) = game_id(&row.get::<_, String>("game_id")?) else { return Ok(None) };
    Ok(Some(PostItem {
        game_id,
        history_meta_json: row.get("history_meta_json")?,
        meta_source_user_id: user_column(row, "meta_source_user_id")?,
        move_history_json: row.get("move_history_json")?,
        replace: row.get("replace_on_post")?,
        white: known_player(row, "white_name", "white_type")?,
        black: known_player(row, "black_name", "black_type")?,
    }))
}

fn known_player(row: &Row<'_>, name: &str, kind: &str) -> rusqlite::Result<Option<KnownPlayer>> {
    let username = row.get(name)?;
    let kind: Option<String> = row.get(kind)?;
    let player_type = kind.as_deref().and_then(PlayerType::parse);
    Ok(player_type.map(|player_type| KnownPlayer { username, player_type }))
}

fn archive_item(row: &Row<'_>) -> rusqlite::Result<Option<ArchiveItem>> {
    let Some(game_id) = game_id(&row.get::<_, String>("game_id")?) else { return Ok(None) };
    Ok(Some(ArchiveItem {
        game_id,
        white_user_id: user_column(row, "white_user_id")?,
        black_user_id: user_column(row, "black_user_id")?,
        started_at: millis_column(row, "started_at_ms")?,
        fetched_at: row.get("move_history_fetched_at")?,
        meta_fetched_at: row.get("created_at")?,
        history_meta_json: row.get("history_meta_json")?,
        move_history_json: row.get("move_history_json")?,
    }))
}

// Left to itself, the planner takes the index on the status and sorts all games that wait.
const TO_FETCH: &str = "
    SELECT game_id FROM games INDEXED BY ix_games_to_fetch
    WHERE (status = 'discovered' OR (status = 'error' AND error_stage = 'fetch'))
        AND (next_retry_at IS NULL OR next_retry_at <= ?1)
    ORDER BY started_at_ms DESC, game_id";

const TO_POST: &str = "
    SELECT g.game_id, g.replace_on_post, r.history_meta_json, r.meta_source_user_id,
        r.move_history_json, w.username AS white_name, w.player_type AS white_type,
        b.username AS black_name, b.player_type AS black_type
    FROM games AS g INDEXED BY ix_games_to_post
        CROSS JOIN raw_game_data AS r ON r.game_id = g.game_id
        LEFT JOIN players AS w ON w.user_id = g.white_user_id
        LEFT JOIN players AS b ON b.user_id = g.black_user_id
    WHERE (g.status = 'fetched' OR (g.status = 'error' AND g.error_stage = 'post'))
        AND (g.next_retry_at IS NULL OR g.next_retry_at <= ?1)
        AND r.move_history_json IS NOT NULL
    ORDER BY g.started_at_ms DESC, g.game_id";

const TO_ARCHIVE: &str = "
    SELECT game_id FROM raw_game_data INDEXED BY ix_raw_archive_pending
    WHERE archived_at IS NULL AND move_history_json IS NOT NULL ORDER BY game_id";

const ARCHIVE_ITEM: &str = "
    SELECT r.game_id, r.history_meta_json, r.move_history_json, r.move_history_fetched_at,
        r.created_at, g.white_user_id, g.black_user_id, g.started_at_ms
    FROM raw_game_data AS r JOIN games AS g USING (game_id)
    WHERE r.game_id = ?1 AND r.move_history_json IS NOT NULL";

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
