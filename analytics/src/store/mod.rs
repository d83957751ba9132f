//! Where accepted games are kept: a SQLite file of its own.
//!
//! Decides that every write is one `IMMEDIATE` transaction, so that of several writers the first
//! one wins and the others see its game. Which games are accepted is [`crate::acceptance`]'s
//! matter, the shape of the file `migrations/`'.

mod migrate;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use dicechess_core::ids::GameId;
use dicechess_core::time::UnixMillis;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};
use thiserror::Error;

/// An accepted game on its way into the store.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeptGame<'a> {
    /// Its key.
    pub(crate) id: GameId,
    /// The request's body, unchanged.
    pub(crate) body: &'a str,
}

/// The open store. Writers queue for one connection, readers for another.
#[derive(Debug)]
pub(crate) struct Store {
    path: PathBuf,
    writer: Mutex<Connection>,
    reader: Mutex<Connection>,
}

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
        let mut writer = connect(path).map_err(sqlite)?;
        migrate::migrate(&mut writer, path)?;
        let reader = connect(path).map_err(sqlite)?;
        Ok(Self { path: path.to_owned(), writer: writer.into(), reader: reader.into() })
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
            let mut is_new = |game: &KeptGame<'_>| {
                insert.execute((game.id.to_string(), game.body, &now)).map(|rows| rows == 1)
            };
            games.iter().map(&mut is_new).collect()
        })
    }

    /// Keeps a game, in place of the one that is there; whether it is new.
    pub(crate) fn replace(&self, game: KeptGame<'_>) -> Result<bool, AnalyticsStoreError> {
        const UPDATE: &str = "UPDATE accepted_games SET body = ?2, replaced_at = ?3 WHERE id = ?1";
        const INSERT: &str = "INSERT INTO accepted_games (id, body, received_at) \
                              VALUES (?1, ?2, ?3)";
        self.write(|transaction| {
            let values = (game.id.to_string(), game.body, now().to_string());
            let replaced = transaction.prepare_cached(UPDATE)?.execute(values.clone())? == 1;
            if !replaced {
                transaction.prepare_cached(INSERT)?.execute(values)?;
            }
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

    fn write<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, AnalyticsStoreError> {
        let run = || {
            let mut writer = lock(&self.writer);
            // A deferred transaction that turns into a write ignores the busy timeout.
            let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        };
        run().map_err(|cause| self.failed(cause))
    }

    fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, AnalyticsStoreError> {
        work(&lock(&self.reader)).map_err(|cause| self.failed(cause))
    }

    fn failed(&self, cause: rusqlite::Error) -> AnalyticsStoreError {
        AnalyticsStoreError::Sqlite { path: self.path.clone(), cause }
    }
}

/// A connection whose user panicked is whole: its transaction was rolled back.
fn lock(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
    const PRAGMAS: &str = "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; \
                           PRAGMA journal_size_limit = 67108864;";
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.execute_batch(PRAGMAS)?;
    Ok(connection)
}

fn now() -> UnixMillis {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis(0) + since_1970
}
