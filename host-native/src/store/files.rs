//! The files of a database and the room around them.
//!
//! Decides which files belong to a database. Needs no connection.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// How large a database is, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DatabaseSize {
    /// The database file.
    pub database: u64,
    /// Its write-ahead log; 0 when there is none.
    pub wal: u64,
}

impl DatabaseSize {
    /// Looks at the files now.
    #[must_use]
    pub fn of(database: &Path) -> Self {
        Self { database: file_size(database), wal: file_size(&wal_path(database)) }
    }
}

/// The write-ahead log that belongs to a database.
pub(super) fn wal_path(database: &Path) -> PathBuf {
    with_suffix(database, "-wal")
}

/// The index of the write-ahead log.
pub(super) fn shm_path(database: &Path) -> PathBuf {
    with_suffix(database, "-shm")
}

/// The path with something appended to its file name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The bytes that an ordinary user can still write to the file system of a path, which, or the
/// nearest folder above it, must exist.
///
/// # Errors
/// The system does not tell.
pub fn free_space(path: &Path) -> io::Result<u64> {
    let absolute = std::path::absolute(path)?;
    let existing = absolute.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/"));
    let system = rustix::fs::statvfs(existing)?;
    Ok(system.f_bavail.saturating_mul(system.f_frsize))
}

/// Flushes the folder that holds a file, so that the file's name outlives a power cut.
pub(super) fn flush_directory(file: &Path) -> io::Result<()> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

fn file_size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}
