//! Games put back from an archive.
//!
//! Decides that an imported game stands where a fetched one does: catalogued, with both raw answers
//! as they were received and the times at which they were, its players in the frontier as opponents
//! are, ready to be posted. What is known already is left as it is, so an import can be repeated.

use std::collections::BTreeSet;

use dicechess_core::bundle::ArchivedGame;
use dicechess_core::ids::GameId;
use dicechess_core::lifecycle::{GameEvent, GameStatus};
use dicechess_core::time::UnixMillis;
use rusqlite::Transaction;

use super::columns::iso;
use super::error::Fault;
use super::games::{load_state, transition};
use super::page_rows::{RowOutcome, accept_row};
use super::players::{self, DiscoveredVia, PlayerSighting};
use super::raw::accept_body;
use super::{Store, StoreError};

/// What an import brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Imported {
    /// Games that have their moves now and had not before.
    pub games: u64,
    /// Games whose moves were there.
    pub known: u64,
    /// Games that the site cancelled: catalogued, without moves.
    pub cancelled: u64,
    /// Players who were not in the frontier.
    pub players: u64,
}

impl Store {
    /// Which of these games have their moves.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn with_moves(&self, games: &[GameId]) -> Result<BTreeSet<GameId>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(HAS_MOVES)?;
            let mut found = BTreeSet::new();
            for game in games {
                if statement.query_row([game.to_string()], |row| row.get(0))? {
                    found.insert(*game);
                }
            }
            Ok(found)
        })
    }

    /// Puts games back, all of them or none. With `is_archived` they count as mirrored already.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn import_games(
        &self,
        games: &[ArchivedGame<'_>],
        is_archived: bool,
        now: UnixMillis,
    ) -> Result<Imported, StoreError> {
        self.write(|tx| {
            let mut imported = Imported::default();
            for game in games {
                import(tx, game, now, &mut imported)?;
                if is_archived {
                    mark_archived(tx, game.game_id, now)?;
                }
            }
            Ok(imported)
        })
    }

    /// Marks games as mirrored whose bundles were found in the archive.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn note_archived(
        &self,
        games: impl IntoIterator<Item = GameId>,
        now: UnixMillis,
    ) -> Result<(), StoreError> {
        self.write(|tx| games.into_iter().try_for_each(|game| mark_archived(tx, game, now)))
    }
}

fn import(
    tx: &Transaction<'_>,
    game: &ArchivedGame<'_>,
    now: UnixMillis,
    imported: &mut Imported,
) -> Result<(), Fault> {
    let id = game.game_id.to_string();
    if tx.prepare_cached(HAS_MOVES)?.query_row([&id], |row| row.get(0))? {
        imported.known += 1;
        return Ok(());
    }
    let outcome = accept_row(tx, &game.row, game.queried, 0, now)?;
    let is_new_player = players::upsert(tx, &sighting(game), now)?;
    if let RowOutcome::Game { is_new, is_first_sight, is_new_opponent } = outcome {
        imported.players += u64::from(is_new_player) + u64::from(is_new_opponent);
        if is_new && let Some(received) = game.meta_fetched_at {
            tx.prepare_cached(SET_RECEIVED)?.execute((&id, iso(received)))?;
        }
        if is_first_sight {
            tx.prepare_cached(COUNT_DISCOVERED)?.execute([game.queried.0])?;
        }
    }
    match load_state(tx, game.game_id)?.map(|state| state.status) {
        Some(GameStatus::Skipped) => imported.cancelled += 1,
        Some(_) => {
            transition(tx, game.game_id, GameEvent::Fetched, now)?;
            accept_body(tx, game.game_id, game.move_history, game.fetched_at.unwrap_or(now))?;
            imported.games += 1;
        }
        None => return Err(Fault::UnknownGame(game.game_id)),
    }
    Ok(())
}

/// The player whose history it was, as his opponent's history would have told of him.
fn sighting(game: &ArchivedGame<'_>) -> PlayerSighting {
    PlayerSighting {
        user_id: game.queried,
        username: None,
        rating_classic: None,
        rating_x2: None,
        discovered_rating: game.own_rating,
        via: DiscoveredVia::Opponent,
        depth: 1,
    }
}

fn mark_archived(tx: &Transaction<'_>, game: GameId, now: UnixMillis) -> Result<(), Fault> {
    const SQL: &str = "UPDATE raw_game_data SET archived_at = ?2
        WHERE game_id = ?1 AND archived_at IS NULL AND move_history_json IS NOT NULL";
    tx.prepare_cached(SQL)?.execute((game.to_string(), iso(now)))?;
    Ok(())
}

const HAS_MOVES: &str = "SELECT EXISTS (SELECT 1 FROM raw_game_data
    WHERE game_id = ?1 AND move_history_json IS NOT NULL)";

/// The row says when its entry was received in the column `created_at`.
const SET_RECEIVED: &str = "UPDATE raw_game_data SET created_at = ?2 WHERE game_id = ?1";

const COUNT_DISCOVERED: &str =
    "UPDATE players SET games_discovered = games_discovered + 1 WHERE user_id = ?1";
