//! One row of a history page.
//!
//! Decides which table an entry belongs to. The first player whose history tells of a game gives
//! the catalogue its row and the raw copy its entry; what others tell is kept beside it and fills
//! nothing. The first one's own entry replaces the stored one in one case only, as long as the
//! moves are not stored: when it brings the result, or the cancellation, of a game that was still
//! running. The older bytes are kept then.

use dicechess_core::catalogue::{CatalogueRow, map_history_entry};
use dicechess_core::ids::UserId;
use dicechess_core::lifecycle::{ErrorStage, GameState, GameStatus};
use dicechess_core::site::HistoryRow;
use dicechess_core::time::UnixMillis;
use rusqlite::{Transaction, named_params};

use super::columns::{iso, iso_opt};
use super::error::Fault;
use super::games::save_state;
use super::known_game::{Entry, KnownGame, is_told_by_site, keep_perspective, write_entry};
use super::origin::Origin;
use super::players::{self, PlayerSighting};
use super::raw::content_hash;
use super::{browser_raw, refresh};

/// What became of a row.
#[derive(Debug, Clone, Copy)]
pub(super) enum RowOutcome {
    /// The entry could not be read and is kept with the broken ones.
    Broken,
    /// The entry is one of a game.
    Game {
        /// The game was not in the catalogue.
        is_new: bool,
        /// This player's history had not told of it before.
        is_first_sight: bool,
        /// The opponent was not in the frontier.
        is_new_opponent: bool,
    },
}

impl RowOutcome {
    pub(super) const fn is_first_sight(self) -> bool {
        matches!(self, Self::Game { is_first_sight: true, .. })
    }
}

/// Saves one row of `queried`'s history.
pub(super) fn accept_row(
    tx: &Transaction<'_>,
    row: &HistoryRow<'_>,
    queried: UserId,
    depth: u32,
    now: UnixMillis,
) -> Result<RowOutcome, Fault> {
    let entry = match &row.entry {
        Ok(entry) => entry,
        Err(error) => {
            keep_broken(tx, queried, row.json, &error.0, now)?;
            return Ok(RowOutcome::Broken);
        }
    };
    let (game, opponent) = map_history_entry(entry, queried, depth);
    let is_new = insert_game(tx, &game, now)?;
    let is_first_sight = if is_new {
        write_entry(tx, game.game_id, &site_entry(row.json, queried, now))?;
        refresh::note_news(tx, &game, opponent.user_id, now)?;
        true
    } else {
        meet_again(tx, &game, row.json, now)?
    };
    let is_new_opponent = players::upsert(tx, &PlayerSighting::opponent(opponent), now)?;
    Ok(RowOutcome::Game { is_new, is_first_sight, is_new_opponent })
}

/// Adds a game to the catalogue. Whether it is new.
pub(super) fn insert_game(
    tx: &Transaction<'_>,
    game: &CatalogueRow,
    now: UnixMillis,
) -> Result<bool, Fault> {
    let state =
        GameState::discovered(game.is_cancelled, game.result.is_some(), game.started_at, now);
    let changed = tx.prepare_cached(INSERT_GAME)?.execute(named_params! {
        ":game_id": game.game_id.to_string(),
        ":status": state.status.as_str(),
        ":white": game.white_user_id.0,
        ":black": game.black_user_id.0,
        ":discovered_from": game.discovered_from.0,
        ":started": game.started_at.map(|at| at.0),
        ":doubling": game.allow_doubling,
        ":result": game.result,
        ":initial": game.time_initial_sec,
        ":increment": game.time_increment_sec,
        ":cancelled": game.is_cancelled,
        ":retry": iso_opt(state.next_retry_at),
        ":now": iso(now),
    })?;
    Ok(changed == 1)
}

fn site_entry(json: &str, queried: UserId, since: UnixMillis) -> Entry<'_> {
    Entry { json, queried, origin: Origin::Site, since }
}

/// Saves an entry of a game that is known. Whether this player's history tells of it first now.
fn meet_again(
    tx: &Transaction<'_>,
    game: &CatalogueRow,
    json: &str,
    now: UnixMillis,
) -> Result<bool, Fault> {
    let (id, queried) = (game.game_id, game.discovered_from);
    let known = KnownGame::load(tx, id)?;
    let entry = site_entry(json, queried, now);
    let Some(kept) = known.entry() else {
        // Only a database of the older service can lack the entry, without which nothing is posted.
        write_entry(tx, id, &entry)?;
        return Ok(true);
    };
    if kept.origin == Origin::Browser {
        return browser_raw::site_tells(tx, &known, game, json, now);
    }
    if kept.queried != queried {
        let is_first_sight = !is_told_by_site(tx, id, queried)?;
        keep_perspective(tx, id, &entry, now)?;
        return Ok(is_first_sight);
    }
    if kept.json == json {
        return Ok(false);
    }
    if is_settled(&known, game) {
        keep_perspective(tx, id, &kept, now)?;
        settle(tx, &known, game, json, now)?;
    } else {
        keep_perspective(tx, id, &entry, now)?;
    }
    Ok(false)
}

/// Whether a new entry of the same player tells how a game ended that was still running.
fn is_settled(known: &KnownGame, game: &CatalogueRow) -> bool {
    let is_waiting =
        matches!(known.state.status, GameStatus::Discovered | GameStatus::Error(ErrorStage::Fetch));
    let has_ended = known.claim.result.is_none() && game.result.is_some();
    is_waiting && !known.has_moves && (has_ended || game.is_cancelled)
}

/// The stored entry gives way to the one that tells the end.
fn settle(
    tx: &Transaction<'_>,
    known: &KnownGame,
    game: &CatalogueRow,
    entry: &str,
    now: UnixMillis,
) -> Result<(), Fault> {
    const GAME: &str = "UPDATE games SET result = ?2, is_cancelled = ?3 WHERE game_id = ?1";
    const RAW: &str = "UPDATE raw_game_data SET history_meta_json = ?2 WHERE game_id = ?1";
    let id = game.game_id.to_string();
    tx.prepare_cached(GAME)?.execute((&id, game.result, game.is_cancelled))?;
    tx.prepare_cached(RAW)?.execute((&id, entry))?;
    // A failed fetch keeps its timer; only the wait for the end is over.
    if game.is_cancelled || known.state.status == GameStatus::Discovered {
        let state =
            GameState::discovered(game.is_cancelled, game.result.is_some(), game.started_at, now);
        save_state(tx, game.game_id, &state, now)?;
    }
    Ok(())
}

fn keep_broken(
    tx: &Transaction<'_>,
    user: UserId,
    entry: &str,
    reason: &str,
    now: UnixMillis,
) -> Result<(), Fault> {
    const SQL: &str = "INSERT INTO broken_entries
            (user_id, content_hash, entry_json, reason, seen_at, last_seen_at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?5)
        ON CONFLICT (user_id, content_hash) DO UPDATE SET last_seen_at = excluded.last_seen_at";
    let hash = content_hash(entry.as_bytes());
    tx.prepare_cached(SQL)?.execute((user.0, hash, entry, reason, iso(now)))?;
    Ok(())
}

const INSERT_GAME: &str = "
    INSERT OR IGNORE INTO games (game_id, status, white_user_id, black_user_id, discovered_from,
        started_at_ms, allow_doubling, result, time_initial_sec, time_increment_sec, is_cancelled,
        attempts, next_retry_at, created_at, updated_at)
    VALUES (:game_id, :status, :white, :black, :discovered_from,
        :started, :doubling, :result, :initial, :increment, :cancelled,
        0, :retry, :now, :now)";
