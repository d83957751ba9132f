//! `seed`: players into the frontier by hand.

use std::io::Write;

use dicechess_core::ids::UserId;

use super::CommandError;
use crate::clock::now;
use crate::config::{StoreSettings, resolve_store};
use crate::exit_code::Exit;

/// Adds players to the frontier.
///
/// # Errors
/// The database failed.
pub fn run(ids: &[UserId], settings: &StoreSettings) -> Result<Exit, CommandError> {
    let (db_path, _) = resolve_store(settings)?;
    let mut stdout = std::io::stdout();
    let store = super::open_or_begin(&db_path, &mut stdout)?;
    let added = store.seed_players(ids, now())?;
    let known = ids.len() - added.min(ids.len());
    writeln!(stdout, "{added} added to the frontier, {known} already known.")?;
    for bot in ids.iter().filter(|id| id.is_bot()) {
        writeln!(
            stdout,
            "{bot} is a site bot: it is known as an opponent, its history is not walked."
        )?;
    }
    Ok(Exit::Done)
}
