//! Where accepted games are kept: a SQLite file of its own.
//!
//! Decides that every write is one `IMMEDIATE` transaction, so that of several writers the first
//! one wins and the others see its game, and that a body and the rows made of it are written
//! together. Which games are accepted is [`crate::acceptance`]'s matter, the shape of the file
//! `migrations/`'.
//!
//! | file | decides |
//! |---|---|
//! | `connections` | who waits for whom |
//! | `migrate` | how a file comes to the present shape |
//! | `fill` | how the bodies of an older store are taken over |
//! | `gold` | which rows a game becomes |
//! | `read` | what is selected for an answer |

mod connections;
mod fill;
mod gold;
mod migrate;
pub(crate) mod read;

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use dicechess_core::ids::GameId;
use dicechess_core::time::UnixMillis;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Transaction};
use thiserror::Error;

use crate::gold::GoldGame;
use connections::Connections;

/// An accepted game on its way into the store.
#[derive(Debug, Clone)]
pub(crate) struct KeptGame<'a> {
    /// Its key.
    pub(crate) id: GameId,
    /// The request's body, unchanged.
    pub(crate) body: &'a str,
    /// What of it can be asked about.
    pub(crate) gold: GoldGame,
}

/// The open store.
#[derive(Debug)]
pub(crate) struct Store {
    path: PathBuf,
    connections: Connections,
}

pub use migrate::{APPLICATION_ID, SCHEMA_VERSION};

/// Why the store cannot be used. Each text names the file and the cause.
#[derive(Debug, Error)]
pub enum AnalyticsStoreError {
    /// The folder of the file cannot be made.
    #[error("cannot make the folder of {}: {cause}", path.display())]
    Folder {
        /// The store's file.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// SQLite failed: the disk is full, the file read-only, locked, damaged or no database.
    #[error("analytics store {}: {cause}", path.display())]
    Sqlite {
        /// The store's file.
        path: PathBuf,
        /// What SQLite said.
        cause: rusqlite::Error,
    },
    /// The file is a database of something else.
    #[error("{} is no analytics store", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A later version of this program wrote the file.
    #[error("analytics store {} has schema {found}, this program knows {known}", path.display())]
    Newer {
        /// The store's file.
        path: PathBuf,
        /// The file's version.
        found: usize,
        /// The latest version known here.
        known: usize,
    },
}

impl Store {
    pub(crate) fn open(path: &Path) -> Result<Self, AnalyticsStoreError> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .map_err(|cause| AnalyticsStoreError::Folder { path: path.to_owned(), cause })?;
        }
        let sqlite = |cause| AnalyticsStoreError::Sqlite { path: path.to_owned(), cause };
        let mut writer = connections::connect(path).map_err(sqlite)?;
        migrate::migrate(&mut writer, path)?;
        fill::fill(&mut writer).map_err(sqlite)?;
        Ok(Self { path: path.to_owned(), connections: Connections::new(path, writer) })
    }

    /// Keeps the games that are not there; for each, whether it is new.
    pub(crate) fn insert(&self, games: &[KeptGame<'_>]) -> Result<Vec<bool>, AnalyticsStoreError> {
        const INSERT: &str = "INSERT INTO accepted_games (id, body, received_at) \
                              VALUES (?1, ?2, ?3) ON CONFLICT (id) DO NOTHING";
        if games.is_empty() {
            return Ok(Vec::new());
        }
        self.write(|transaction| {
            let now = now().to_string();
            let mut insert = transaction.prepare_cached(INSERT)?;
            let mut keep = |game: &KeptGame<'_>| {
                insert.execute((game.id.to_string(), game.body, &now)).map(|rows| rows == 1)
            };
            let is_new = games.iter().map(&mut keep).collect::<rusqlite::Result<Vec<bool>>>()?;
            let new = games.iter().zip(&is_new).filter(|(_, is_new)| **is_new);
            gold::insert(transaction, new.map(|(game, _)| &game.gold), &now)?;
            Ok(is_new)
        })
    }

    /// Keeps a game, in place of the one that is there; whether it is new.
    pub(crate) fn replace(&self, game: &KeptGame<'_>) -> Result<bool, AnalyticsStoreError> {
        const UPDATE: &str = "UPDATE accepted_games SET body = ?2, replaced_at = ?3 WHERE id = ?1";
        const INSERT: &str = "INSERT INTO accepted_games (id, body, received_at) \
                              VALUES (?1, ?2, ?3)";
        self.write(|transaction| {
            let now = now().to_string();
            let values = (game.id.to_string(), game.body, &now);
            let replaced = transaction.prepare_cached(UPDATE)?.execute(values.clone())? == 1;
            if !replaced {
                transaction.prepare_cached(INSERT)?.execute(values)?;
            }
            gold::replace(transaction, &game.gold, &now)?;
            Ok(!replaced)
        })
    }

    /// The body of a game.
    pub(crate) fn body(&self, id: GameId) -> Result<Option<String>, AnalyticsStoreError> {
        self.read(|reader| {
            let mut select =
                reader.prepare_cached("SELECT body FROM accepted_games WHERE id = ?1")?;
            select.query_row([id.to_string()], |row| row.get(0)).optional()
        })
    }

    /// How many games there are.
    pub(crate) fn count(&self) -> Result<u64, AnalyticsStoreError> {
        self.read(|reader| {
            let mut select = reader.prepare_cached("SELECT count(*) FROM accepted_games")?;
            let count: i64 = select.query_row([], |row| row.get(0))?;
            Ok(count.unsigned_abs())
        })
    }

    /// A further connection, which reads only.
    pub(crate) fn open_for_reading(&self) -> Result<Connection, AnalyticsStoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Connection::open_with_flags(&self.path, flags).map_err(|cause| self.failed(cause))
    }

    /// Does work on one state of the store.
    pub(crate) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, AnalyticsStoreError> {
        self.connections.read(work).map_err(|cause| self.failed(cause))
    }

    fn write<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, AnalyticsStoreError> {
        self.connections.write(work).map_err(|cause| self.failed(cause))
    }

    fn failed(&self, cause: rusqlite::Error) -> AnalyticsStoreError {
        AnalyticsStoreError::Sqlite { path: self.path.clone(), cause }
    }
}

fn now() -> UnixMillis {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis(0) + since_1970
}
