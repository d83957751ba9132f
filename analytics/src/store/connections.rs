//! The connections to the file.
//!
//! Decides their settings, and that writers queue for one connection while every reader has one of
//! his own and sees the store as it was when he began.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, Transaction, TransactionBehavior};

/// Connections to one file.
#[derive(Debug)]
pub(super) struct Connections {
    path: PathBuf,
    writer: Mutex<Connection>,
    idle_readers: Mutex<Vec<Connection>>,
}

impl Connections {
    /// With a connection that was made by [`connect`].
    pub(super) fn new(path: &Path, writer: Connection) -> Self {
        Self { path: path.to_owned(), writer: writer.into(), idle_readers: Mutex::default() }
    }

    /// Does work in one transaction that is kept when the work succeeds.
    pub(super) fn write<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        let mut writer = lock(&self.writer);
        // A deferred transaction that turns into a write ignores the busy timeout.
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let value = work(&transaction)?;
        transaction.commit()?;
        Ok(value)
    }

    /// Does work on one state of the store, whatever is written meanwhile.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> rusqlite::Result<T> {
        const MOST_IDLE: usize = 8;
        let idle = lock(&self.idle_readers).pop();
        let mut reader = idle.map_or_else(|| connect_reader(&self.path), Ok)?;
        let value = {
            let transaction = reader.transaction_with_behavior(TransactionBehavior::Deferred)?;
            work(&transaction)?
        };
        let mut idle = lock(&self.idle_readers);
        if idle.len() < MOST_IDLE {
            idle.push(reader);
        }
        Ok(value)
    }
}

/// A connection for the writer.
pub(super) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
    // A batch of games touches pages all over the indexes of positions, the same ones again and
    // again. They are written back from the WAL once in 64 MB, not after every commit.
    const PRAGMAS: &str = "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; \
                           PRAGMA wal_autocheckpoint = 16384; \
                           PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -131072;";
    /// More than there are statements.
    const STATEMENTS: usize = 64;
    let connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.execute_batch(PRAGMAS)?;
    Ok(connection)
}

fn connect_reader(path: &Path) -> rusqlite::Result<Connection> {
    let connection = connect(path)?;
    connection.execute_batch("PRAGMA query_only = ON; PRAGMA cache_size = -16384;")?;
    Ok(connection)
}

/// A connection whose user panicked is whole: its transaction was rolled back.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
