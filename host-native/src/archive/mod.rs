//! Mirrors raw bundles.
//!
//! Decides where a bundle goes and that the first writer wins. What a bundle holds is the core's
//! decision ([`dicechess_core::bundle`]), which bundles wait is the store's.
//!
//! | file | does |
//! |---|---|
//! | `url` | reads `ARCHIVE_URL` |
//! | `directory` | an archive of compressed files |
//! | `http` | an archive service |
//! | `reading` | what lies in a directory, read back |
//! | `error` | what can go wrong |

mod directory;
mod error;
mod http;
mod reading;
mod url;

use dicechess_core::ids::GameId;

pub use directory::DirectoryArchive;
pub use error::ArchiveError;
pub use http::HttpArchive;
pub use reading::{BundleFile, BundleLine, BundleLines, bundle_files, read_bundle};
pub use url::{ArchiveUrl, InvalidArchiveUrl};

/// Where bundles are mirrored.
#[derive(Debug, Clone)]
pub enum Archive {
    /// A directory.
    Directory(DirectoryArchive),
    /// A service.
    Http(HttpArchive),
}

/// How a bundle came to be in the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// It was stored now.
    Created,
    /// One of this game was there already, and stays.
    Existed,
}

impl Archive {
    /// Stores the bundle of a game unless there is one. When this returns, the archive has
    /// confirmed it.
    ///
    /// # Errors
    /// See [`ArchiveError`]; the bundle is then not in the archive, or not certainly so, and can
    /// be put again.
    pub async fn put(&self, game: GameId, bundle_json: &str) -> Result<Stored, ArchiveError> {
        match self {
            Self::Directory(directory) => directory.put(game, bundle_json).await,
            Self::Http(service) => service.put(game, bundle_json).await,
        }
    }
}
