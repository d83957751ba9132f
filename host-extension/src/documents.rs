//! What is sent: the bundle for a daemon, the ingest document for analytics.

use dicechess_core::bundle::{BundleParts, bundle_json};
use dicechess_core::catalogue::map_history_entry;
use dicechess_core::ids::UserId;
use dicechess_core::ingest::{KnownPlayer, assemble_ingest};
use dicechess_core::normalise::normalize_line_by_parts;
use dicechess_core::site::HistoryEntry;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::failure::Failure;
use crate::json::{read_list, time, utf8};
use crate::shapes::known_player;

/// The bundle of a game (contract, section 10), with both raw answers byte for byte.
///
/// # Errors
/// `broken_entry`, `unreadable_artifact`, or the moves are not UTF-8.
#[wasm_bindgen]
pub fn bundle(
    entry_json: &str,
    queried_user_id: f64,
    moves: &[u8],
    fetched_at_ms: f64,
    meta_fetched_at_ms: f64,
) -> Result<String, Failure> {
    let entry = HistoryEntry::parse(entry_json)?;
    let (row, _) = map_history_entry(&entry, user_id(queried_user_id)?, 0);
    let started_at = row.started_at.map(|at| at.to_string());
    Ok(bundle_json(&BundleParts {
        game_id: row.game_id,
        white_user_id: Some(row.white_user_id),
        black_user_id: Some(row.black_user_id),
        started_at: started_at.as_deref(),
        fetched_at: Some(&time(fetched_at_ms).to_string()),
        meta_fetched_at: Some(&time(meta_fetched_at_ms).to_string()),
        history_meta: Some(entry_json),
        move_history: utf8("moves", moves)?,
    })?)
}

/// The ingest document of a game (contract, section 6), byte for byte as the daemon makes it of the
/// same bytes and names. `known_players_json`: a list of `KnownPlayer`.
///
/// # Errors
/// `broken_entry`, a kind of the normaliser, or an argument cannot be read.
#[wasm_bindgen]
pub fn ingest(
    entry_json: &str,
    queried_user_id: f64,
    moves: &[u8],
    known_players_json: &str,
) -> Result<String, Failure> {
    let players = read_list("known_players", known_players_json, known_player)?;
    let entry = HistoryEntry::parse(entry_json)?;
    let queried = user_id(queried_user_id)?;
    let (row, _) = map_history_entry(&entry, queried, 0);
    let white = known(&players, row.white_user_id);
    let black = known(&players, row.black_user_id);
    let game = entry.normalize(queried, utf8("moves", moves)?)?;
    Ok(assemble_ingest(&entry, queried, game, [white, black]).to_json())
}

/// The command `normalize` of `dicechess-sync`: `{"history_meta", "queried_user_id",
/// "move_history"}` becomes an ingest document.
///
/// # Errors
/// The kinds of that command.
#[wasm_bindgen]
pub fn normalize(input: &[u8]) -> Result<String, Failure> {
    Ok(normalize_line_by_parts(utf8("not UTF-8", input)?)?.to_json())
}

fn known(players: &[(UserId, KnownPlayer)], id: UserId) -> Option<KnownPlayer> {
    players.iter().find(|(player, _)| *player == id).map(|(_, known)| known.clone())
}

fn user_id(number: f64) -> Result<UserId, Failure> {
    const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
    if number.fract() == 0.0 && number.abs() <= LARGEST_EXACT {
        return Ok(UserId(number as i64));
    }
    Err(Failure::bad_input("queried user id", &"not a whole number"))
}
