//! How a database gives up its place.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dicechess_core::time::UnixMillis;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::check::open;
use super::{BackupError, file_error, file_time};
use crate::store::files::{flush_directory, shm_path, wal_path, with_suffix};
use crate::store::lease;
use crate::store::lease_holder::LeaseHolder;

/// Makes sure that nobody uses a database, folds its write-ahead log into it, and keeps everybody
/// else out as long as the connection lives. A damaged database, which cannot tell, gives `None`.
pub(super) fn take_out_of_use(
    path: &Path,
    now: UnixMillis,
) -> Result<Option<Connection>, BackupError> {
    let in_use = |by: String| BackupError::InUse { path: path.to_owned(), by };
    let Ok(connection) = open(path, OpenFlags::SQLITE_OPEN_READ_WRITE) else { return Ok(None) };
    if let Ok(Some((holder, until))) = lease::load(&connection)
        && until > now
        && !holder.is_dead(&LeaseHolder::this_process())
    {
        let by = format!("{holder} (lease until {until})");
        return Err(in_use(by));
    }
    // Only somebody who is alone may leave the write-ahead log.
    let alone = connection
        .busy_timeout(Duration::ZERO)
        .and_then(|()| connection.pragma_update(None, "journal_mode", "DELETE"))
        .and_then(|()| connection.execute_batch("BEGIN EXCLUSIVE"));
    match alone {
        Ok(()) => Ok(Some(connection)),
        Err(error)
            if matches!(
                error.sqlite_error_code(),
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
            ) =>
        {
            Err(in_use("another process that has it open".to_owned()))
        }
        Err(error) => {
            tracing::warn!("the database in place cannot be read ({error}); it is kept aside");
            Ok(None)
        }
    }
}

/// A name for the old database that nothing else bears.
pub(super) fn free_name(path: &Path, now: UnixMillis) -> PathBuf {
    let first = with_suffix(path, &format!(".before-restore-{}", file_time(now)));
    let more = (2u32..).map(|number| with_suffix(&first, &format!("-{number}")));
    let mut names = std::iter::once(first.clone()).chain(more);
    names.find(|name| !name.exists()).unwrap_or(first)
}

/// Gives the old database a second name, so that its own can be taken over in one step. What is
/// left of its write-ahead log must not meet the new database.
pub(super) fn keep_aside(path: &Path, aside: &Path) -> Result<(), BackupError> {
    fs::hard_link(path, aside)
        // Some file systems know no links; then there is an instant without a database.
        .or_else(|_| fs::rename(path, aside))
        .and_then(|()| flush_directory(aside))
        .map_err(file_error(aside))?;
    for of in [wal_path, shm_path] {
        if of(path).exists() {
            fs::rename(of(path), of(aside)).map_err(file_error(&of(path)))?;
        }
    }
    Ok(())
}

/// Undoes [`keep_aside`], whether or not another database has taken the place meanwhile.
pub(super) fn put_back(path: &Path, aside: &Path) -> Result<(), BackupError> {
    fs::rename(aside, path).map_err(file_error(path))?;
    // Two names of one file: renaming does nothing then.
    if aside.exists() {
        fs::remove_file(aside).map_err(file_error(aside))?;
    }
    for of in [wal_path, shm_path] {
        if of(aside).exists() {
            fs::rename(of(aside), of(path)).map_err(file_error(&of(path)))?;
        }
    }
    flush_directory(path).map_err(file_error(path))
}
