//! Whole copies of a database: backups, and backups put back.
//!
//! Decides that a copy is one consistent state however long it takes, that it is read through and
//! its rows are counted before it gets its name, that no file ever bears a name it does not deserve,
//! and that a database in use is never replaced. Works on files, without opening a
//! [`super::Store`], so that a damaged or an older database can be handled too.
//!
//! | file | decides |
//! |---|---|
//! | `draft` | how a copy is made before it gets its name |
//! | `check` | whether a file is what it should be, and whole |
//! | `replaced` | how a database gives up its place, and gets it back |
//! | `restoration` | that several are put back all or none |

mod check;
mod draft;
mod replaced;
mod restoration;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use dicechess_core::time::UnixMillis;
use rusqlite::ErrorCode;
use serde::Serialize;
use thiserror::Error;

pub(super) use check::{identify, integrity, open};
pub use restoration::{Restoration, Restored, restore};

use super::migrate;
use draft::Draft;

/// Which of the two databases a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DatabaseKind {
    /// Catalogue, frontier and raw answers.
    Sync,
    /// The embedded analytics store.
    Analytics,
}

/// A copy that was read through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckedCopy {
    /// The size of its file.
    pub bytes: u64,
    /// The rows of each table.
    pub rows: BTreeMap<String, u64>,
}

/// Why there is no copy, or nothing was put back.
#[derive(Debug, Error)]
pub enum BackupError {
    /// There is no such file.
    #[error("there is no file {}", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The file is not the database it should be.
    #[error("{} is not usable: {why}", path.display())]
    Unfit {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        why: String,
    },
    /// The target exists.
    #[error("{} exists already: {advice}", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
        /// What to do.
        advice: &'static str,
    },
    /// A process uses the database that is to be replaced.
    #[error("the database {} is in use by {by}: stop it first, then restore again", path.display())]
    InUse {
        /// The database.
        path: PathBuf,
        /// Who.
        by: String,
    },
    /// No space is left.
    #[error("no space left for {}: free some or use another disk, nothing was changed ({source})", path.display())]
    Full {
        /// The file being written.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// SQLite failed.
    #[error("{}: {source}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// A file cannot be written, named or read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl DatabaseKind {
    const fn application_id(self) -> i64 {
        match self {
            Self::Sync => migrate::APPLICATION_ID,
            Self::Analytics => dicechess_analytics::APPLICATION_ID,
        }
    }

    /// As a message says it.
    const fn described(self) -> &'static str {
        match self {
            Self::Sync => "a database of dicechess-sync",
            Self::Analytics => "an embedded analytics store",
        }
    }

    /// The version of a database that is up to date.
    pub(super) const fn newest_version(self) -> i64 {
        match self {
            Self::Sync => migrate::NEWEST_VERSION,
            Self::Analytics => dicechess_analytics::SCHEMA_VERSION,
        }
    }
}

/// Copies a database that may be in use into a new file, which then stands alone, without a
/// write-ahead log. `progress` hears of the pages copied and those left.
///
/// # Errors
/// See [`BackupError`]; the new file is then not there.
pub fn back_up(
    from: &Path,
    to: &Path,
    kind: DatabaseKind,
    may_replace: bool,
    progress: impl FnMut(u64, u64),
) -> Result<CheckedCopy, BackupError> {
    if !may_replace && to.exists() {
        let advice = "name another file, or replace it with --force";
        return Err(BackupError::Exists { path: to.to_owned(), advice });
    }
    let draft = Draft::copied(from, to, kind, progress)?;
    draft.publish(to)
}

/// A time as part of a file's name: `20260330T200844Z`.
#[must_use]
pub fn file_time(time: UnixMillis) -> String {
    let text = time.to_string();
    let seconds = text.split('.').next().unwrap_or(&text);
    let plain: String = seconds.chars().filter(|c| !matches!(c, '-' | ':')).collect();
    format!("{plain}Z")
}

/// A damaged file makes itself known wherever it is read first.
pub(super) fn sqlite_error(path: &Path) -> impl FnOnce(rusqlite::Error) -> BackupError {
    move |source| match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
            let why = format!("it is damaged or no SQLite database ({source})");
            BackupError::Unfit { path: path.to_owned(), why }
        }
        Some(ErrorCode::DiskFull) => BackupError::Full { path: path.to_owned(), source },
        Some(_) | None => BackupError::Sqlite { path: path.to_owned(), source },
    }
}

fn file_error(path: &Path) -> impl FnOnce(io::Error) -> BackupError {
    move |source| BackupError::File { path: path.to_owned(), source }
}
