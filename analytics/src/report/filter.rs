//! Which games a report looks at, and of whom.
//!
//! Decides how a player is named (external id first, then our id) and how the mode is spelled.

use dicechess_core::ingest::Mode;
use rusqlite::{Connection, OptionalExtension};
use serde::Serialize;

use super::ReportError;

/// A player as a report names him.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Player {
    /// Our id.
    pub id: String,
    /// The site's id.
    pub external_id: Option<String>,
    /// The name, if known.
    pub username: Option<String>,
    /// `human` or `bot`.
    pub player_type: Option<String>,
}

impl Player {
    /// Finds a player by the site's id or by ours.
    ///
    /// # Errors
    /// There is no such player, or the store cannot be read.
    pub fn find(connection: &Connection, name: &str) -> Result<Self, ReportError> {
        const FIND: &str = "SELECT id, external_id, username, player_type FROM players \
                            WHERE external_id = ?1 OR id = lower(?1) \
                            ORDER BY external_id = ?1 DESC LIMIT 1";
        let read = |row: &rusqlite::Row<'_>| {
            let (id, external_id) = (row.get(0)?, row.get(1)?);
            Ok(Self { id, external_id, username: row.get(2)?, player_type: row.get(3)? })
        };
        let found = connection.query_row(FIND, [name.trim()], read).optional()?;
        found.ok_or_else(|| ReportError::UnknownPlayer(name.trim().to_owned()))
    }

    /// His name, else his id on the site, else ours.
    pub fn label(&self) -> String {
        let name = self.username.as_deref().filter(|name| !name.is_empty());
        name.or(self.external_id.as_deref()).unwrap_or(&self.id).to_owned()
    }
}

/// The mode as it is stored.
pub(super) fn mode_text(mode: Mode) -> &'static str {
    match mode {
        Mode::Classic => "classic",
        Mode::X2 => "x2",
    }
}
