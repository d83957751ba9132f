//! Why a bundle is not in the archive.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The archive failed. Messages name the file or the URL, never a password.
#[derive(Debug, Error)]
pub enum ArchiveError {
    /// A file or directory could not be used.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried.
        action: &'static str,
        /// The file or directory.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The archive service could not be asked or did not answer in time.
    #[error("cannot reach the archive {url}: {cause}")]
    Unreachable {
        /// The URL asked.
        url: String,
        /// Why.
        cause: String,
    },
    /// The archive service did not confirm.
    #[error("the archive {url} answered {status}, where 201 or 200 is due: {reason}")]
    Refused {
        /// The URL asked.
        url: String,
        /// The HTTP status.
        status: u16,
        /// The beginning of its answer.
        reason: String,
    },
    /// The work was cut off because the process ends.
    #[error("the archive was interrupted")]
    Interrupted,
}

impl ArchiveError {
    /// Makes an error of a file out of an I/O error.
    pub(super) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File { action, path: path.to_owned(), source }
    }
}
