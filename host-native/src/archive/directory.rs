//! An archive of compressed files: `<root>/<source>/<first two of the id>/<id>.json.zst`.
//!
//! Decides how a file comes to be there whole or not at all: it is written and flushed beside the
//! others under a name no reader takes for a bundle, then linked to its own name, which fails if
//! that is taken, and the directory is flushed too. What a killed run left half-written is removed
//! by a later one.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};
use std::time::Duration;

use dicechess_core::ids::GameId;
use dicechess_core::ingest::SOURCE;
use rand::TryRngCore;
use rand::rngs::OsRng;
use serde::Deserialize;
use tokio::task;

use super::{ArchiveError, Stored};

/// An archive in a directory.
#[derive(Debug, Clone)]
pub struct DirectoryArchive {
    root: PathBuf,
    cleaning: Arc<Once>,
}

impl DirectoryArchive {
    /// The archive below `root`, which is created with the first bundle.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), cleaning: Arc::new(Once::new()) }
    }

    /// Where the bundle of a game is or would be.
    pub fn path(&self, game: GameId) -> PathBuf {
        let name = game.to_string();
        self.root.join(SOURCE).join(&name[..2]).join(format!("{name}.json.zst"))
    }

    /// Stores a bundle unless there is one.
    ///
    /// # Errors
    /// A file or directory cannot be written; the message names it.
    pub async fn put(&self, game: GameId, bundle_json: &str) -> Result<Stored, ArchiveError> {
        let archive = self.clone();
        let bundle = bundle_json.to_owned();
        // Flushing waits for the disk; the runtime must not.
        let stored = task::spawn_blocking(move || archive.store(game, bundle.as_bytes())).await;
        stored.unwrap_or(Err(ArchiveError::Interrupted))
    }

    fn store(&self, game: GameId, bundle: &[u8]) -> Result<Stored, ArchiveError> {
        self.cleaning.call_once(|| self.remove_leftovers());
        let path = self.path(game);
        let directory = path.parent().unwrap_or(&self.root);
        if path.exists() {
            check_bundle(&path, game).map_err(ArchiveError::file("take for a bundle", &path))?;
            // Its writer may have been killed before it flushed the directory.
            flush_directory(directory)?;
            return Ok(Stored::Existed);
        }
        create_directory(directory)?;
        let incoming = self.incoming();
        create_directory(&incoming)?;
        let unique = OsRng.try_next_u64().map_err(io::Error::other);
        let unique = unique.map_err(ArchiveError::file("name a file in", &incoming))?;
        let draft = Draft(incoming.join(format!("{game}.{unique:016x}")));
        draft.write(bundle)?;
        let stored = draft.publish(&path)?;
        flush_directory(directory)?;
        Ok(stored)
    }

    /// Where files are written before they get their names; on the same file system as those.
    fn incoming(&self) -> PathBuf {
        self.root.join(SOURCE).join(INCOMING)
    }

    /// Removes what killed runs left. A failure harms nothing but disk space.
    fn remove_leftovers(&self) {
        let Ok(entries) = fs::read_dir(self.incoming()) else { return };
        for entry in entries.flatten() {
            let age = entry.metadata().and_then(|data| data.modified()).map(|time| time.elapsed());
            if matches!(age, Ok(Ok(age)) if age > LEFTOVER_AGE) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// A file that has no name of its own yet; it goes when this is dropped.
struct Draft(PathBuf);

impl Draft {
    fn write(&self, bundle: &[u8]) -> Result<(), ArchiveError> {
        compress(&self.0, bundle).map_err(ArchiveError::file("write", &self.0))
    }

    /// Gives the file its name, unless another file has it.
    fn publish(&self, path: &Path) -> Result<Stored, ArchiveError> {
        match fs::hard_link(&self.0, path) {
            Ok(()) => Ok(Stored::Created),
            Err(_) if path.exists() => Ok(Stored::Existed),
            // Some file systems know no links. Only one process crawls, so looking first will do.
            Err(_) => fs::rename(&self.0, path)
                .map(|()| Stored::Created)
                .map_err(ArchiveError::file("create", path)),
        }
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Absent if it was renamed; otherwise a leftover that a later run removes.
        let _ = fs::remove_file(&self.0);
    }
}

/// Fails if a file that bears a bundle's name cannot be decompressed to its end, or says that it is
/// another game's. Such a file must be moved away by hand: it is not ours to overwrite.
fn check_bundle(path: &Path, game: GameId) -> io::Result<()> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Bundle {
        external_id: GameId,
    }
    let content = zstd::decode_all(File::open(path)?)?;
    match serde_json::from_slice::<Bundle>(&content) {
        Ok(bundle) if bundle.external_id != game => {
            let message = format!("it is the bundle of game {}", bundle.external_id);
            Err(io::Error::new(io::ErrorKind::InvalidData, message))
        }
        Ok(_) | Err(_) => Ok(()),
    }
}

fn compress(path: &Path, bundle: &[u8]) -> io::Result<()> {
    let file = File::create_new(path)?;
    let mut encoder = zstd::Encoder::new(file, COMPRESSION_LEVEL)?;
    encoder.include_checksum(true)?;
    encoder.set_pledged_src_size(Some(bundle.len() as u64))?;
    encoder.write_all(bundle)?;
    encoder.finish()?.sync_all()
}

/// Creates a directory and those above it, and flushes each one's entry in the one above.
fn create_directory(path: &Path) -> Result<(), ArchiveError> {
    if path.is_dir() {
        return Ok(());
    }
    let parent = match path.parent() {
        Some(parent) if parent.as_os_str() != OsStr::new("") => parent,
        _ => Path::new("."),
    };
    create_directory(parent)?;
    match fs::create_dir(path) {
        Err(error) if !path.is_dir() => Err(ArchiveError::file("create", path)(error)),
        _ => flush_directory(parent),
    }
}

fn flush_directory(path: &Path) -> Result<(), ArchiveError> {
    // Elsewhere a directory cannot be opened as a file, and its entries need no flushing.
    if cfg!(unix) {
        let flushed = File::open(path).and_then(|directory| directory.sync_all());
        flushed.map_err(ArchiveError::file("flush", path))?;
    }
    Ok(())
}

const INCOMING: &str = ".incoming";

/// Drafts older than this belong to no living process.
const LEFTOVER_AGE: Duration = Duration::from_secs(60 * 60);

/// Bundles are written once and kept for good, so some time is spent on their size.
const COMPRESSION_LEVEL: i32 = 9;
