//! Games that browsers posted to the gateway.
//!
//! Decides that a game is noted before it is relayed, so that whatever a browser brought into
//! analytics can be told and give way to the site's own word, and that the answer of a success is
//! kept for ever: a repeat gets the same one.

use dicechess_core::ids::GameId;
use dicechess_core::time::UnixMillis;
use rusqlite::{Connection, OptionalExtension};

use super::columns::iso;
use super::error::Fault;
use super::{Store, StoreError};

/// The answer that a post of a game got and every repeat gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptAnswer {
    /// 200 or 201.
    pub status: u16,
    /// The body.
    pub body: String,
}

impl Store {
    /// Notes that a game is about to be relayed, unless an answer is kept, which is returned.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn begin_browser_post(
        &self,
        game: GameId,
        now: UnixMillis,
    ) -> Result<Option<KeptAnswer>, StoreError> {
        const SQL: &str = "INSERT OR IGNORE INTO browser_posts (game_id, begun_at) VALUES (?1, ?2)";
        if let Some(kept) = self.read(|connection| kept_answer(connection, game))? {
            return Ok(Some(kept));
        }
        self.write(|tx| {
            tx.prepare_cached(SQL)?.execute((game.to_string(), iso(now)))?;
            kept_answer(tx, game)
        })
    }

    /// Keeps the answer of a success. The first one stays.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn keep_browser_answer(&self, game: GameId, answer: &KeptAnswer) -> Result<(), StoreError> {
        const SQL: &str = "UPDATE browser_posts SET status = ?2, body = ?3
            WHERE game_id = ?1 AND status IS NULL";
        self.write(|tx| {
            tx.prepare_cached(SQL)?.execute((game.to_string(), answer.status, &answer.body))?;
            Ok(())
        })
    }

    /// Forgets a game that analytics refused: it had no effect.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn forget_browser_post(&self, game: GameId) -> Result<(), StoreError> {
        const SQL: &str = "DELETE FROM browser_posts WHERE game_id = ?1 AND status IS NULL";
        self.write(|tx| {
            tx.prepare_cached(SQL)?.execute([game.to_string()])?;
            Ok(())
        })
    }

    /// Whether what analytics has of a game may be a browser's post.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn was_posted_by_browser(&self, game: GameId) -> Result<bool, StoreError> {
        const SQL: &str = "SELECT EXISTS (SELECT 1 FROM browser_posts WHERE game_id = ?1)";
        self.read(|connection| {
            Ok(connection.prepare_cached(SQL)?.query_row([game.to_string()], |row| row.get(0))?)
        })
    }
}

fn kept_answer(connection: &Connection, game: GameId) -> Result<Option<KeptAnswer>, Fault> {
    const SQL: &str = "SELECT status, body FROM browser_posts
        WHERE game_id = ?1 AND status IS NOT NULL";
    Ok(connection
        .prepare_cached(SQL)?
        .query_row([game.to_string()], |row| {
            Ok(KeptAnswer { status: row.get("status")?, body: row.get("body")? })
        })
        .optional()?)
}
