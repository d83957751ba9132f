//! A copy before it has its name.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::check::{check, count_rows, identify, open};
use super::{BackupError, CheckedCopy, DatabaseKind, file_error, sqlite_error};
use crate::store::files::{flush_directory, shm_path, wal_path, with_suffix};

/// A copy that has no name of its own yet; unless published, it goes when this is dropped.
pub(super) struct Draft {
    path: PathBuf,
    checked: CheckedCopy,
}

impl Draft {
    /// Copies a database to where it will be published, and checks the copy.
    pub(super) fn copied(
        from: &Path,
        to: &Path,
        kind: DatabaseKind,
        progress: impl FnMut(u64, u64),
    ) -> Result<Self, BackupError> {
        let path = with_suffix(to, ".partial");
        let checked = CheckedCopy { bytes: 0, rows: BTreeMap::new() };
        let mut draft = Self { path, checked };
        // One that a killed run left.
        draft.remove();
        let rows = copy(from, &draft.path, kind, progress)?;
        draft.checked = check(&draft.path, from, kind)?;
        if draft.checked.rows != rows {
            let why = "the copy has not the rows of the original".to_owned();
            return Err(BackupError::Unfit { path: draft.path.clone(), why });
        }
        Ok(draft)
    }

    /// Gives the copy its name.
    pub(super) fn publish(self, to: &Path) -> Result<CheckedCopy, BackupError> {
        File::open(&self.path)
            .and_then(|file| file.sync_all())
            .and_then(|()| fs::rename(&self.path, to))
            .and_then(|()| flush_directory(to))
            .map_err(file_error(to))?;
        Ok(self.checked.clone())
    }

    fn remove(&self) {
        for path in [self.path.clone(), wal_path(&self.path), shm_path(&self.path)] {
            // Usually there is none.
            let _ = fs::remove_file(path);
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        self.remove();
    }
}

/// Copies page by page inside one read transaction, so that writers neither wait nor are waited
/// for. Returns the rows of that state.
fn copy(
    from: &Path,
    to: &Path,
    kind: DatabaseKind,
    mut progress: impl FnMut(u64, u64),
) -> Result<BTreeMap<String, u64>, BackupError> {
    let source = open(from, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .or_else(|_| open(from, OpenFlags::SQLITE_OPEN_READ_ONLY))?;
    source.execute_batch("BEGIN").map_err(sqlite_error(from))?;
    identify(&source, from, kind)?;
    let mut rows = count_rows(&source).map_err(sqlite_error(from))?;
    let mut target = Connection::open(to).map_err(sqlite_error(to))?;
    {
        let backup = Backup::new(&source, &mut target).map_err(sqlite_error(to))?;
        loop {
            match backup.step(PAGES_A_STEP).map_err(copy_error(from, to))? {
                StepResult::Done => break,
                StepResult::More => {
                    let pages = backup.progress();
                    let count = |pages: i32| u64::try_from(pages).unwrap_or(0);
                    progress(count(pages.pagecount - pages.remaining), count(pages.remaining));
                }
                // Busy or locked: somebody recovers the write-ahead log.
                _ => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    }
    target.pragma_update(None, "journal_mode", "DELETE").map_err(sqlite_error(to))?;
    // Who crawls with the original does not crawl with the copy.
    if let Some(leases) = rows.get_mut("lease").filter(|_| kind == DatabaseKind::Sync) {
        target.execute("DELETE FROM lease", []).map_err(sqlite_error(to))?;
        *leases = 0;
    }
    Ok(rows)
}

/// A full disk is that of the copy, whatever else fails is the original's.
fn copy_error(from: &Path, to: &Path) -> impl FnOnce(rusqlite::Error) -> BackupError {
    move |source| match source.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => sqlite_error(to)(source),
        Some(_) | None => sqlite_error(from)(source),
    }
}

/// 4 MB with SQLite's usual pages.
const PAGES_A_STEP: i32 = 1024;
