//! What lies in an archive directory, read back.
//!
//! Decides which files are bundles and that one is read whole, with its checksum, and no further
//! than an answer of the site can be long.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use dicechess_core::ids::GameId;
use dicechess_core::ingest::SOURCE;

/// A file that bears a bundle's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleFile {
    /// The game it is named after.
    pub game: GameId,
    /// The file.
    pub path: PathBuf,
}

/// The bundles in an archive directory, in the order of their games.
///
/// # Errors
/// The directory or one below it cannot be read.
pub fn bundle_files(root: &Path) -> io::Result<Vec<BundleFile>> {
    let mut files = Vec::new();
    for folder in fs::read_dir(root.join(SOURCE))? {
        let folder = folder?.path();
        let is_hidden =
            folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if is_hidden || !folder.is_dir() {
            continue;
        }
        for file in fs::read_dir(folder)? {
            let path = file?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
            let game = name.as_deref().and_then(|name| name.strip_suffix(".json.zst"));
            if let Some(game) = game.and_then(|id| id.parse().ok()) {
                files.push(BundleFile { game, path });
            }
        }
    }
    files.sort_unstable_by_key(|file| file.game);
    Ok(files)
}

/// The text of a bundle.
///
/// # Errors
/// The file cannot be read or decompressed to its end, is no UTF-8 or far too long.
pub fn read_bundle(path: &Path) -> io::Result<String> {
    let decoder = zstd::Decoder::new(File::open(path)?)?;
    let mut text = String::new();
    let read = decoder.take(LONGEST + 1).read_to_string(&mut text)? as u64;
    if read > LONGEST {
        let message = format!("it is longer than {LONGEST} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(text)
}

/// Two answers of the site at their longest, and what is around them.
const LONGEST: u64 = 80 << 20;
