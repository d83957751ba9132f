//! The SQLite store: frontier, catalogue, raw answers and what must be remembered of the site.
//!
//! Decides nothing about games and players: states come from [`dicechess_core::lifecycle`], sweeps
//! from [`dicechess_core::sweep`], pacing and lease from [`dicechess_core::pacing`]. What it does
//! decide is how they are kept: each write is one `BEGIN IMMEDIATE` transaction that commits whole
//! or not at all, and none is open while anyone waits for the network.
//!
//! | file | keeps |
//! |---|---|
//! | `migrate`, `adopt` | the schema, also of databases of the older service |
//! | `players` | the frontier |
//! | `sweeps`, `gaps` | claims, sweeps under way and what finished ones missed |
//! | `refresh`, `watches` | when a synced player is asked for again, and who is watched |
//! | `pages`, `page_rows`, `known_game` | what one page of history brings |
//! | `browser_raw`, `browser_posts`, `origin` | what browsers bring, and its mark |
//! | `pairings` | which browser extensions may bring raw answers |
//! | `games` | the state of games, replays and re-fetches |
//! | `queues` | which game is fetched, posted and archived next |
//! | `raw` | raw answers and their revisions |
//! | `imports` | games put back from an archive |
//! | `details` | everything about one game |
//! | `listings`, `people`, `retries` | what pages list, and an operator's "try again now" |
//! | `site_memory` | pacing, refusals, counts of requests |
//! | `sources` | leaderboards and their validators |
//! | `lease`, `lease_holder`, `lease_keeper` | which process may crawl |
//! | `status`, `counts`, `gauges` | the numbers of the whole, small questions, metrics |
//! | `backup` | whole copies, and putting one back |
//! | `health` | whether a database is sound, read only |
//! | `files` | which files a database has, and how large they are |
//! | `error`, `columns` | messages, and how values are spelled in columns |
//!
//! All methods block and take `&self`; share a [`Store`] as an `Arc` and keep it off the threads
//! that drive futures where a call may be long.

mod adopt;
mod backup;
mod browser_posts;
mod browser_raw;
mod columns;
mod counts;
mod details;
mod error;
mod files;
mod games;
mod gaps;
mod gauges;
mod health;
mod imports;
mod known_game;
mod lease;
mod lease_holder;
mod lease_keeper;
mod listings;
mod migrate;
mod origin;
mod page_rows;
mod pages;
mod pairings;
mod people;
mod players;
mod queues;
mod raw;
mod refresh;
mod retries;
mod site_memory;
mod sources;
mod status;
mod sweeps;
mod watches;

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

pub use backup::{
    BackupError, CheckedCopy, DatabaseKind, Restoration, Restored, back_up, file_time, restore,
};
pub use browser_posts::KeptAnswer;
pub use browser_raw::SeenOutcome;
pub use details::{GameDetails, Perspective, Revision};
pub use error::StoreError;
pub use files::{DatabaseSize, free_space};
pub use games::ReplayKind;
pub use gauges::{QueueGauge, StoreGauges};
pub use health::{Contents, DatabaseHealth, HealthDepth, LeaseState};
pub use imports::Imported;
pub use lease::LeaseOutcome;
pub use lease_holder::{LeaseHolder, machine_name};
pub use lease_keeper::{Lease, LeaseKeeper};
pub use listings::{GameList, GameRow, Page, SiteRequestSeen};
pub use origin::Origin;
pub use pages::{PageAcceptance, PageAccepted};
pub use pairings::{Pairing, PairingId, PairingRequest};
pub use people::{PlayerList, PlayerRow};
pub use players::{DiscoveredVia, PlayerSighting};
pub use queues::{ArchiveItem, PostItem};
pub use raw::{RawGame, RawOutcome, content_hash};
pub use sources::{SourceAcceptance, SourceRecord};
pub use status::{FailedPlayer, PlayerGap, Reason, StatusReport};
pub use sweeps::ClaimedPlayer;
pub use watches::{DueLook, Watch};

use error::Fault;

/// An open database.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    /// Which file the path named when it was opened.
    file: Option<(u64, u64)>,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    connection: Connection,
    /// The lease holder in whose name writes are made.
    guard: Option<String>,
}

impl Store {
    /// Opens the database, creating the file and its folder if they are not there, and brings its
    /// schema up to date. A database of the older service is adopted without loss.
    ///
    /// # Errors
    /// [`StoreError`] names the file and what to do.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder)
                .map_err(|source| StoreError::Folder { path: folder.to_owned(), source })?;
        }
        Self::open_with(path, OpenFlags::default())
    }

    /// Opens a database that must be there already, and not empty.
    ///
    /// # Errors
    /// [`StoreError::Missing`] or [`StoreError::Empty`], else as [`Self::open`].
    pub fn open_existing(path: &Path) -> Result<Self, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        Self::open_with(path, OpenFlags::default() & !OpenFlags::SQLITE_OPEN_CREATE)
    }

    fn open_with(path: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        let connection = connect(path, flags).map_err(|fault| fault.at(path))?;
        let inner = Inner { connection, guard: None };
        Ok(Self { path: path.to_owned(), file: file_identity(path), inner: Mutex::new(inner) })
    }

    /// The database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// From now on each write first checks, inside its transaction, that `holder` still holds the
    /// lease, and is refused with [`StoreError::LeaseLost`] if not. `None` lifts the guard.
    pub fn set_lease_guard(&self, holder: Option<&LeaseHolder>) {
        self.lock().guard = holder.map(|holder| holder.name.clone());
    }

    /// One guarded write transaction.
    fn write<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        self.check_place()?;
        let mut inner = self.lock();
        let guard = inner.guard.clone();
        transact(&mut inner.connection, |tx| {
            if let Some(holder) = &guard {
                lease::check_held_by(tx, holder)?;
            }
            work(tx)
        })
        .map_err(|fault| self.failed(fault))
    }

    /// A write transaction that needs no lease: those about the lease itself.
    fn write_unguarded<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        self.check_place()?;
        transact(&mut self.lock().connection, work).map_err(|fault| self.failed(fault))
    }

    /// Reads from one consistent state of the database.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Fault>) -> Result<T, StoreError> {
        self.check_place()?;
        snapshot(&mut self.lock().connection, work).map_err(|fault| self.failed(fault))
    }

    /// Fails when the path names another file than the one that is open, or none: what is read is
    /// out of date then, and what is written is lost.
    fn check_place(&self) -> Result<(), StoreError> {
        if file_identity(&self.path) == self.file {
            return Ok(());
        }
        Err(StoreError::Gone { path: self.path.clone() })
    }

    /// A file that vanishes meanwhile makes SQLite fail in many ways.
    fn failed(&self, fault: Fault) -> StoreError {
        match (fault, self.check_place()) {
            (Fault::Sqlite(_), Err(gone)) => gone,
            (fault, _) => fault.at(&self.path),
        }
    }

    /// A panic while the lock was held rolled its transaction back, so the connection is sound.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, Fault> {
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // Before the first pragma that writes.
    let may_begin = flags.contains(OpenFlags::SQLITE_OPEN_CREATE);
    migrate::recognise(&connection, may_begin)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    use_write_ahead_log(&connection)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "wal_autocheckpoint", WAL_PAGES)?;
    connection.pragma_update(None, "journal_size_limit", WAL_BYTES)?;
    migrate::migrate(&mut connection)?;
    Ok(connection)
}

/// Two processes that both switch a new file to WAL meet a lock for which SQLite does not wait by
/// itself.
fn use_write_ahead_log(connection: &Connection) -> Result<(), Fault> {
    let begun = Instant::now();
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && begun.elapsed() < BUSY_TIMEOUT =>
            {
                std::thread::sleep(Duration::from_millis(20));
            }
            outcome => return Ok(outcome?),
        }
    }
}

/// Immediate, as a deferred transaction that becomes a writer ignores the busy timeout.
fn transact<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let value = work(&tx)?;
    tx.commit()?;
    Ok(value)
}

fn snapshot<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Connection) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let tx = connection.transaction()?;
    work(&tx)
}

const BUSY_TIMEOUT: Duration = Duration::from_millis(5000);
const STATEMENT_CACHE: usize = 64;
/// A checkpoint after so many pages keeps the WAL file near 4 MB.
const WAL_PAGES: u32 = 1000;
/// To which it is cut after a greater burst.
const WAL_BYTES: u32 = 64 * 1024 * 1024;

/// Device and number of the file a path names now.
fn file_identity(path: &Path) -> Option<(u64, u64)> {
    std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()))
}
