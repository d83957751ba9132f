//! Why the store could not do what it was asked.
//!
//! Decides which message the operator gets for each failure of SQLite. Leaves the exit code to the
//! command. Every write is one transaction, so after any of these nothing is half-written.

use std::path::{Path, PathBuf};

use dicechess_core::ids::{GameId, UserId};
use dicechess_core::lifecycle::IllegalTransition;
use rusqlite::ErrorCode;
use thiserror::Error;

/// A failed operation on the store.
#[derive(Debug, Error)]
pub enum StoreError {
    /// There is no database yet.
    #[error(
        "there is no database {path}: run `dicechess-sync crawl` (or `demo`) first, or set DB_PATH"
    )]
    Missing {
        /// The file asked for.
        path: PathBuf,
    },
    /// The file is there and holds nothing.
    #[error(
        "the database {path} is empty: run `dicechess-sync crawl` (or `demo`) first, or set DB_PATH"
    )]
    Empty {
        /// The database file.
        path: PathBuf,
    },
    /// The folder of the database cannot be made.
    #[error("the folder {path} for the database cannot be created: {source}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file cannot be opened.
    #[error(
        "the database {path} cannot be opened: is the folder writable, and is it a file? ({source})"
    )]
    CannotOpen {
        /// The database file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// No space is left.
    #[error(
        "no space left for the database {path}: free some and run again, nothing was half-written ({source})"
    )]
    Full {
        /// The database file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The file or its folder is read-only.
    #[error(
        "the database {path} is read-only: make the file and its folder writable for this user ({source})"
    )]
    ReadOnly {
        /// The database file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// Another process kept the write lock for longer than the busy timeout.
    #[error(
        "the database {path} is locked by another process: end it or try again later ({source})"
    )]
    Busy {
        /// The database file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The file is damaged, or is no database.
    #[error(
        "the database {path} is damaged or is no SQLite database: restore a backup, or move it away to begin anew ({source})"
    )]
    Corrupt {
        /// The database file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// A newer version of this program wrote the database.
    #[error(
        "the database {path} has version {found}, this program knows versions up to {known}: use the newer program"
    )]
    Newer {
        /// The database file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// The newest version known here.
        known: i64,
    },
    /// The database belongs to another program.
    #[error(
        "the database {path} is not one of dicechess-sync ({why}): set DB_PATH to another file"
    )]
    Foreign {
        /// The database file.
        path: PathBuf,
        /// What gave it away.
        why: String,
    },
    /// The file was removed or replaced while it was in use: what is written now would be lost.
    #[error(
        "the database {path} was removed or replaced while it was in use: put it back, or run again to begin anew"
    )]
    Gone {
        /// The database file.
        path: PathBuf,
    },
    /// The system cannot read or write the file.
    #[error(
        "the database {path} cannot be read or written: if its file was removed or replaced while `serve` or a crawl runs, stop that and put the file back or restore a backup; else check the disk: dmesg, smartctl ({source})"
    )]
    Io {
        /// The database file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// Another process took the lease, so this one must not write any more.
    #[error("another process crawls with the database {path} now: its lease was taken over")]
    LeaseLost {
        /// The database file.
        path: PathBuf,
    },
    /// The event does not fit the stored state.
    #[error(transparent)]
    Illegal(#[from] IllegalTransition),
    /// No such game.
    #[error("the game {0} is not in the catalogue")]
    UnknownGame(GameId),
    /// No such player.
    #[error("the player {0} is not in the frontier")]
    UnknownPlayer(UserId),
    /// A stored value that this program never writes.
    #[error("the database {path} holds an unreadable value: {what}")]
    Unreadable {
        /// The database file.
        path: PathBuf,
        /// Where, and what.
        what: String,
    },
    /// Anything else SQLite reports.
    #[error("the database {path} failed: {source}")]
    Sqlite {
        /// The database file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
}

/// A failure inside a transaction, where the file's name is of no interest.
#[derive(Debug)]
pub(super) enum Fault {
    /// SQLite failed.
    Sqlite(rusqlite::Error),
    /// The guard found another holder.
    LeaseLost,
    /// See [`StoreError::Empty`].
    Empty,
    /// See [`StoreError::Newer`].
    Newer { found: i64, known: i64 },
    /// See [`StoreError::Foreign`].
    Foreign(String),
    /// See [`StoreError::Illegal`].
    Illegal(IllegalTransition),
    /// See [`StoreError::UnknownGame`].
    UnknownGame(GameId),
    /// See [`StoreError::UnknownPlayer`].
    UnknownPlayer(UserId),
    /// See [`StoreError::Unreadable`].
    Unreadable(String),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl From<IllegalTransition> for Fault {
    fn from(error: IllegalTransition) -> Self {
        Self::Illegal(error)
    }
}

impl Fault {
    /// Names the file.
    pub(super) fn at(self, path: &Path) -> StoreError {
        let path = path.to_owned();
        match self {
            Self::Sqlite(source) => sqlite_error(path, source),
            Self::LeaseLost => StoreError::LeaseLost { path },
            Self::Empty => StoreError::Empty { path },
            Self::Newer { found, known } => StoreError::Newer { path, found, known },
            Self::Foreign(why) => StoreError::Foreign { path, why },
            Self::Illegal(error) => StoreError::Illegal(error),
            Self::UnknownGame(id) => StoreError::UnknownGame(id),
            Self::UnknownPlayer(id) => StoreError::UnknownPlayer(id),
            Self::Unreadable(what) => StoreError::Unreadable { path, what },
        }
    }
}

fn sqlite_error(path: PathBuf, source: rusqlite::Error) -> StoreError {
    match source.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full { path, source },
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            StoreError::ReadOnly { path, source }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Busy { path, source }
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Corrupt { path, source }
        }
        Some(ErrorCode::SystemIoFailure) => StoreError::Io { path, source },
        Some(ErrorCode::CannotOpen) => StoreError::CannotOpen { path, source },
        Some(_) | None => StoreError::Sqlite { path, source },
    }
}

#[cfg(test)]
mod tests {
    use dicechess_core::time::UnixMillis;

    use super::*;
    use crate::store::Store;

    #[test]
    fn what_stops_a_write_is_named_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("sync.db")).unwrap();
        let pragma = |name: &str, value: u32| {
            store.lock().connection.pragma_update(None, name, value).unwrap();
        };
        let seed = |count: i64| {
            let ids: Vec<_> = (1..=count).map(UserId).collect();
            store.seed_players(&ids, UnixMillis(0))
        };
        pragma("query_only", 1);
        let error = seed(1).unwrap_err();
        assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
        pragma("query_only", 0);

        // SQLite cannot tell a limit on pages from a full disk.
        pragma("max_page_count", 1);
        let error = seed(10_000).unwrap_err();
        assert!(matches!(error, StoreError::Full { .. }), "{error}");
        assert!(error.to_string().contains("sync.db"), "{error}");
        assert!(!store.has_players().unwrap());
    }
}
