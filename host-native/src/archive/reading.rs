//! What lies in an archive directory, read back.
//!
//! Decides which files are bundles and that one is read whole, with its checksum, and no further
//! than an answer of the site can be long.

use std::fs::{self, File};
use std::io::{self, BufRead, Read};
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

/// Bundles one a line, as the browser extension exports them.
#[derive(Debug)]
pub struct BundleLines<R> {
    reader: R,
    /// Lines read so far.
    lines: u64,
}

/// A line that holds something: its number, from 1, and its text or why it is none.
pub type BundleLine = (u64, Result<String, String>);

impl<R: BufRead> BundleLines<R> {
    /// Before the first line.
    pub const fn new(reader: R) -> Self {
        Self { reader, lines: 0 }
    }

    /// The next lines, `most` at most and not many long ones; none at the end. Empty lines are
    /// passed over.
    ///
    /// # Errors
    /// The file cannot be read, or a line is far too long.
    pub fn next_portion(&mut self, most: usize) -> io::Result<Vec<BundleLine>> {
        let (mut portion, mut bytes) = (Vec::new(), 0);
        while portion.len() < most && bytes < MUCH {
            let mut line = Vec::new();
            let read = (&mut self.reader).take(LONGEST + 1).read_until(b'\n', &mut line)? as u64;
            if read == 0 {
                break;
            }
            self.lines += 1;
            if read > LONGEST {
                let message = format!("line {} is longer than {LONGEST} bytes", self.lines);
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            }
            bytes += read;
            if !line.trim_ascii().is_empty() {
                let text = String::from_utf8(line).map_err(|_| "it is no UTF-8".to_owned());
                portion.push((self.lines, text));
            }
        }
        Ok(portion)
    }
}

/// Bytes of lines held at once, but for the last one.
const MUCH: u64 = 32 << 20;

/// Two answers of the site at their longest, and what is around them.
const LONGEST: u64 = 80 << 20;
