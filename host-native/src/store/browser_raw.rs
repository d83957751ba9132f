//! Games whose raw answers a paired browser sent.
//!
//! Decides how such a game enters the catalogue, in one transaction and marked as a browser's, and
//! what becomes of it when the site's own history tells of it:
//!
//! | the site's entry | then |
//! |---|---|
//! | names other players, another result or a cancellation | it takes the browser's place, and the moves are asked for |
//! | is the same player's, with other bytes | it takes the browser's place, and a posted game is posted again |
//! | is the same player's, with the same bytes | the game's entry is the site's from now on |
//! | is the other player's, or does not know the end yet | it is kept among the perspectives |
//!
//! What a browser said is kept among the perspectives when it loses its place. Whether a game is
//! believed at all is [`dicechess_core::bundle::SeenGame`]'s decision, what contradicts what
//! [`dicechess_core::catalogue::GameClaim`]'s.

use dicechess_core::bundle::SeenGame;
use dicechess_core::catalogue::{CatalogueRow, Contradiction};
use dicechess_core::ids::GameId;
use dicechess_core::lifecycle::{ErrorStage, GameEvent, GameState, GameStatus};
use dicechess_core::time::UnixMillis;
use rusqlite::{OptionalExtension, Transaction};

use super::columns::iso;
use super::error::Fault;
use super::games::{has_moves, load_state, save_state, transition};
use super::known_game::{Entry, KnownGame, is_told_by_site, keep_perspective, write_entry};
use super::origin::Origin;
use super::page_rows::insert_game;
use super::pairings::{PairingId, use_pairing};
use super::players::{self, DiscoveredVia, PlayerSighting};
use super::raw::{Moves, confirm_body, note_revision, write_body};
use super::{Store, StoreError};

/// What became of a game that a browser sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SeenOutcome {
    /// Its moves are stored, and it is `fetched`.
    Stored,
    /// Its moves were there, and nothing changed.
    Known,
    /// The site's entry says otherwise, and nothing changed.
    Contradicted(Contradiction),
    /// The pairing was revoked meanwhile, and nothing changed.
    Revoked,
}

impl Store {
    /// Takes a game that a paired browser sent: all of it or nothing.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn accept_seen_game(
        &self,
        seen: &SeenGame<'_>,
        pairing: PairingId,
        now: UnixMillis,
    ) -> Result<SeenOutcome, StoreError> {
        let game = seen.row.game_id;
        self.write(|tx| {
            if !use_pairing(tx, pairing, now)? {
                return Ok(SeenOutcome::Revoked);
            }
            if load_state(tx, game)?.is_none() {
                insert_game(tx, &seen.row, now)?;
                write_entry(tx, game, &seen_entry(seen))?;
            } else if has_moves(tx, game)? {
                return Ok(SeenOutcome::Known);
            } else {
                let known = KnownGame::load(tx, game)?;
                if let Some(why) = known.claim.contradiction(seen.row.claim()) {
                    return Ok(SeenOutcome::Contradicted(why));
                }
                add_entry(tx, &known, seen, now)?;
            }
            store_moves(tx, seen, pairing, now)?;
            meet_players(tx, seen, now)?;
            Ok(SeenOutcome::Stored)
        })
    }

    /// Records that the moves of a game could not be had, unless a browser brought them meanwhile.
    ///
    /// # Errors
    /// [`StoreError`]; nothing is written then.
    pub fn fetch_failed(
        &self,
        game: GameId,
        message: String,
        now: UnixMillis,
    ) -> Result<(), StoreError> {
        self.write(|tx| {
            if !browser_came_first(tx, game)? {
                transition(tx, game, GameEvent::FetchFailed { message }, now)?;
            }
            Ok(())
        })
    }
}

fn seen_entry<'a>(seen: &SeenGame<'a>) -> Entry<'a> {
    Entry {
        json: seen.history_meta,
        queried: seen.row.discovered_from,
        origin: Origin::Browser,
        since: seen.meta_fetched_at,
    }
}

/// The site's entry stays, but for one of a running game when the browser knows how it ended.
fn add_entry(
    tx: &Transaction<'_>,
    known: &KnownGame,
    seen: &SeenGame<'_>,
    now: UnixMillis,
) -> Result<(), Fault> {
    const RESULT: &str = "UPDATE games SET result = ?2 WHERE game_id = ?1";
    let game = seen.row.game_id;
    let entry = seen_entry(seen);
    let Some(kept) = known.entry() else { return write_entry(tx, game, &entry) };
    if known.claim.result.is_none() && seen.row.result.is_some() {
        keep_perspective(tx, game, &kept, now)?;
        tx.prepare_cached(RESULT)?.execute((game.to_string(), seen.row.result))?;
        write_entry(tx, game, &entry)?;
    } else if (kept.json, kept.queried) != (entry.json, entry.queried) {
        keep_perspective(tx, game, &entry, now)?;
    }
    Ok(())
}

fn store_moves(
    tx: &Transaction<'_>,
    seen: &SeenGame<'_>,
    pairing: PairingId,
    now: UnixMillis,
) -> Result<(), Fault> {
    const PAIRING: &str = "UPDATE raw_game_data SET pairing_id = ?2 WHERE game_id = ?1";
    let game = seen.row.game_id;
    let body = seen.move_history;
    write_body(tx, game, &Moves { body, origin: Origin::Browser, received_at: seen.fetched_at })?;
    note_revision(tx, game, body, &iso(seen.fetched_at), now)?;
    tx.prepare_cached(PAIRING)?.execute((game.to_string(), pairing))?;
    transition(tx, game, GameEvent::Fetched, now)?;
    Ok(())
}

/// Both players enter the frontier as opponents do.
fn meet_players(tx: &Transaction<'_>, seen: &SeenGame<'_>, now: UnixMillis) -> Result<(), Fault> {
    let own = PlayerSighting {
        user_id: seen.row.discovered_from,
        username: None,
        rating_classic: None,
        rating_x2: None,
        discovered_rating: seen.own_rating,
        via: DiscoveredVia::Opponent,
        depth: seen.opponent.depth,
    };
    players::upsert(tx, &own, now)?;
    players::upsert(tx, &PlayerSighting::opponent(seen.opponent.clone()), now)?;
    Ok(())
}

/// The site's history tells of a game whose entry came from a browser. Whether this player's
/// history tells of it first now.
pub(super) fn site_tells(
    tx: &Transaction<'_>,
    known: &KnownGame,
    told: &CatalogueRow,
    json: &str,
    now: UnixMillis,
) -> Result<bool, Fault> {
    const CONFIRM: &str = "UPDATE raw_game_data SET meta_origin = ?2 WHERE game_id = ?1";
    let (game, queried) = (told.game_id, told.discovered_from);
    let is_first_sight = !is_told_by_site(tx, game, queried)?;
    let entry = Entry { json, queried, origin: Origin::Site, since: now };
    let knows_no_less = told.result.is_some() || known.claim.result.is_none();
    if let Some(why) = told.claim().contradiction(known.claim) {
        tracing::warn!(%game, "a browser told otherwise, the site wins: {why}");
        take_place(tx, known, told, &entry, now)?;
        ask_site_for_moves(tx, known, told, now)?;
    } else if known.source != Some(queried) || !knows_no_less {
        keep_perspective(tx, game, &entry, now)?;
    } else if known.json.as_deref() == Some(json) {
        tx.prepare_cached(CONFIRM)?.execute((game.to_string(), Origin::Site))?;
    } else {
        take_place(tx, known, told, &entry, now)?;
        post_again(tx, known, game, now)?;
    }
    Ok(is_first_sight)
}

/// The site's entry instead of the browser's.
fn take_place(
    tx: &Transaction<'_>,
    known: &KnownGame,
    told: &CatalogueRow,
    entry: &Entry<'_>,
    now: UnixMillis,
) -> Result<(), Fault> {
    const GAME: &str = "UPDATE games SET white_user_id = ?2, black_user_id = ?3,
            discovered_from = ?4, started_at_ms = ?5, allow_doubling = ?6, result = ?7,
            time_initial_sec = ?8, time_increment_sec = ?9, is_cancelled = ?10
        WHERE game_id = ?1";
    let game = told.game_id;
    if let Some(kept) = known.entry() {
        keep_perspective(tx, game, &kept, now)?;
    }
    tx.prepare_cached(GAME)?.execute((
        game.to_string(),
        told.white_user_id.0,
        told.black_user_id.0,
        told.discovered_from.0,
        told.started_at.map(|at| at.0),
        told.allow_doubling,
        told.result,
        told.time_initial_sec,
        told.time_increment_sec,
        told.is_cancelled,
    ))?;
    write_entry(tx, game, entry)
}

/// A browser that was wrong about the game is not believed about its moves either. A game that may
/// still be running waits as any other does.
fn ask_site_for_moves(
    tx: &Transaction<'_>,
    known: &KnownGame,
    told: &CatalogueRow,
    now: UnixMillis,
) -> Result<(), Fault> {
    let game = told.game_id;
    let fresh =
        GameState::discovered(told.is_cancelled, told.result.is_some(), told.started_at, now);
    if fresh.status == GameStatus::Skipped {
        return save_state(tx, game, &fresh, now);
    }
    if known.moves_origin == Origin::Site {
        return post_again(tx, known, game, now);
    }
    let state = known.state.apply(GameEvent::Contradicted, now)?;
    save_state(tx, game, &GameState { next_retry_at: fresh.next_retry_at, ..state }, now)
}

/// What was posted, refused or parked with the browser's entry is tried with the site's. A game that
/// waits takes it anyway.
fn post_again(
    tx: &Transaction<'_>,
    known: &KnownGame,
    game: GameId,
    now: UnixMillis,
) -> Result<(), Fault> {
    match known.state.status {
        GameStatus::Posted | GameStatus::Rejected | GameStatus::Error(ErrorStage::Normalize) => {
            transition(tx, game, GameEvent::Replay, now)?;
        }
        GameStatus::Discovered
        | GameStatus::Fetched
        | GameStatus::Error(ErrorStage::Fetch | ErrorStage::Post)
        | GameStatus::Skipped => {}
    }
    Ok(())
}

/// Whether a browser brought the moves of a game while the site was being asked for them.
fn browser_came_first(tx: &Transaction<'_>, game: GameId) -> Result<bool, Fault> {
    const SQL: &str = "SELECT moves_origin = 'browser' FROM raw_game_data WHERE game_id = ?1";
    let Some(state) = load_state(tx, game)? else { return Ok(false) };
    let is_waiting =
        matches!(state.status, GameStatus::Discovered | GameStatus::Error(ErrorStage::Fetch));
    let is_browsers: Option<bool> =
        tx.prepare_cached(SQL)?.query_row([game.to_string()], |row| row.get(0)).optional()?;
    Ok(!is_waiting && is_browsers == Some(true))
}

/// The site's moves arrive. Whether there is nothing left to do, because a browser brought the same
/// bytes meanwhile; other bytes make way.
pub(super) fn site_answers(
    tx: &Transaction<'_>,
    game: GameId,
    body: &str,
    now: UnixMillis,
) -> Result<bool, Fault> {
    if !browser_came_first(tx, game)? {
        return Ok(false);
    }
    if confirm_body(tx, game, body, now)? {
        return Ok(true);
    }
    transition(tx, game, GameEvent::Contradicted, now)?;
    Ok(false)
}
