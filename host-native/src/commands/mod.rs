//! The commands: what each prints and how it ends.

pub mod analytics;
pub mod backup;
pub mod crawl;
pub mod demo;
pub mod doctor;
pub mod export;
pub mod import;
pub mod normalize;
pub mod pair;
pub mod replay;
pub mod report;
pub mod restore;
pub mod seed;
pub mod serve;
pub mod show;
pub mod sim;
pub mod status;
pub mod verify;
pub mod watch;

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use thiserror::Error;
use tokio::net::TcpListener;

use crate::config::ConfigError;
use crate::crawl::{PartyError, PassError};
use crate::exit_code::Exit;
use crate::store::{BackupError, Store, StoreError};

/// Why a command could not do its work.
#[derive(Debug, Error)]
pub enum CommandError {
    /// The configuration is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Something that the configuration names cannot be used.
    #[error("{0}")]
    Unusable(String),
    /// The address cannot be listened on.
    #[error("LISTEN {address}: {}", listen_advice(source))]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A backup cannot be made or put back.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// The embedded analytics store failed.
    #[error(transparent)]
    Analytics(#[from] dicechess_analytics::AnalyticsStoreError),
    /// A store cannot be read, or an export cannot be written.
    #[error("{0}")]
    Unreadable(String),
    /// A file cannot be read.
    #[error("{} cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Output cannot be written, or the system failed otherwise.
    #[error("standard output or the system failed: {0}")]
    Io(#[from] io::Error),
    /// The request makes no sense for what is stored.
    #[error("{0}")]
    BadInput(String),
}

impl CommandError {
    /// How the program ends after this error.
    pub fn exit(&self) -> Exit {
        match self {
            // Whoever has the port may go away: worth another try.
            Self::Listen { source, .. } if source.kind() == io::ErrorKind::AddrInUse => {
                Exit::Storage
            }
            Self::Config(_) | Self::Unusable(_) | Self::Listen { .. } => Exit::Configuration,
            Self::Store(StoreError::LeaseLost { .. }) => Exit::LeaseHeld,
            // An id that somebody typed; the database is sound.
            Self::Store(StoreError::UnknownGame(_) | StoreError::UnknownPlayer(_)) => {
                Exit::BadInput
            }
            Self::Backup(BackupError::InUse { .. }) => Exit::LeaseHeld,
            Self::Backup(BackupError::Unfit { .. } | BackupError::Exists { .. }) => Exit::BadInput,
            Self::Backup(_)
            | Self::Store(_)
            | Self::Analytics(_)
            | Self::Io(_)
            | Self::Unreadable(_) => Exit::Storage,
            Self::Read { .. } | Self::BadInput(_) => Exit::BadInput,
        }
    }

    /// Whether whoever read our output went away, which is no fault.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(self, Self::Io(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }
}

impl From<PartyError> for CommandError {
    fn from(error: PartyError) -> Self {
        match error {
            PartyError::Unusable(message) => Self::Unusable(message),
            PartyError::Analytics(error) => Self::Analytics(error),
            PartyError::Folder(error) => Self::Io(error),
        }
    }
}

impl From<PassError> for CommandError {
    fn from(error: PassError) -> Self {
        match error {
            PassError::Store(error) => Self::Store(error),
            PassError::Unusable(message) => Self::Unusable(message),
        }
    }
}

fn listen_advice(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => "the port is taken by another program or by another `serve`: \
                                     end it, or set LISTEN to another port"
            .to_owned(),
        io::ErrorKind::AddrNotAvailable => {
            "this machine has no such address: set LISTEN to one of its own".to_owned()
        }
        io::ErrorKind::PermissionDenied => {
            "this user may not listen there: set LISTEN to a port above 1023".to_owned()
        }
        _ => error.to_string(),
    }
}

/// Listens.
async fn listen(address: SocketAddr) -> Result<TcpListener, CommandError> {
    TcpListener::bind(address).await.map_err(|source| CommandError::Listen { address, source })
}

/// Opens the database, and says so if there was none: it may be the wrong folder.
fn open_or_begin(path: &Path, out: &mut impl io::Write) -> Result<Store, CommandError> {
    let is_new = !path.exists();
    let store = Store::open(path)?;
    if is_new {
        writeln!(out, "new database {}", path.display())?;
    }
    Ok(store)
}

fn create_parent(path: &Path) -> Result<(), CommandError> {
    match path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => Ok(std::fs::create_dir_all(parent)?),
        None => Ok(()),
    }
}

fn read_error(path: &Path, source: &io::Error) -> CommandError {
    let source = io::Error::new(source.kind(), source.to_string());
    CommandError::Read { path: path.to_owned(), source }
}
