//! The ingest document of a stored game, for whoever shows it.

use dicechess_core::ids::UserId;
use dicechess_core::ingest::{IngestGame, KnownPlayer, assemble_ingest};
use dicechess_core::lifecycle::PlayerType;
use dicechess_core::site::HistoryEntry;

use crate::store::GameDetails;

/// Makes it from the raw copies.
///
/// # Errors
/// What is missing, or what in the raw copies cannot be read.
pub fn document(details: &GameDetails) -> Result<IngestGame, String> {
    let meta = details.history_meta_json.as_deref().ok_or("No history entry is stored.")?;
    let moves = details.move_history_json.as_deref().ok_or("Its moves are not fetched yet.")?;
    let queried = details.meta_source_user_id.ok_or("It is not known whose history told of it.")?;
    let entry = HistoryEntry::parse(meta).map_err(|error| error.to_string())?;
    let game = entry.normalize(UserId(queried), moves).map_err(|error| error.to_string())?;
    let known = |id: Option<i64>, name: &Option<String>| {
        let player_type = PlayerType::classify(UserId(id?), name.as_deref());
        Some(KnownPlayer { username: name.clone(), player_type })
    };
    let white = known(details.white_user_id, &details.white_username);
    let black = known(details.black_user_id, &details.black_username);
    Ok(assemble_ingest(&entry, UserId(queried), game, [white, black]))
}
