//! Whether a database is sound, found out without changing it.
//!
//! Decides what is looked at. Opens the file read only and migrates nothing, so that a damaged, an
//! older or a foreign database can be looked at too.

use std::path::Path;

use dicechess_core::ids::UserId;
use dicechess_core::pacing::SiteBlock;
use dicechess_core::time::UnixMillis;
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::backup::{BackupError, DatabaseKind, identify, integrity, open, sqlite_error};
use super::error::Fault;
use super::lease_holder::LeaseHolder;
use super::{lease, site_memory, status};

/// How closely the file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HealthDepth {
    /// Pages and rows.
    Quick,
    /// Also whether each index agrees with its table, which takes several times as long.
    Full,
}

/// What was found.
#[derive(Debug)]
pub struct DatabaseHealth {
    /// The version of the schema.
    pub version: i64,
    /// The version that this program brings it to.
    pub newest_version: i64,
    /// What SQLite finds wrong; nothing in a sound file.
    pub faults: Vec<String>,
    /// Rows that refer to rows that are not there, by table.
    pub orphans: Vec<(String, u64)>,
    /// What only the crawler's database of the newest version tells.
    pub contents: Option<Contents>,
}

/// What a database of the newest version tells.
#[derive(Debug)]
pub struct Contents {
    /// Games in the catalogue.
    pub games: u64,
    /// Games whose moves are still wanted.
    pub games_to_fetch: u64,
    /// Players whose last sweep failed.
    pub players_failed: u64,
    /// Games that analytics refused.
    pub games_rejected: u64,
    /// Games that cannot be normalised.
    pub games_parked: u64,
    /// Somebody whose history can be asked for.
    pub some_player: Option<UserId>,
    /// Who holds the lease.
    pub lease: Option<LeaseState>,
    /// The site asked for silence until then.
    pub throttled_until: Option<UnixMillis>,
    /// The last refusal, while it is remembered.
    pub block: Option<SiteBlock>,
    /// The latest request to the site, as the clock of then told.
    pub latest_request: Option<UnixMillis>,
}

/// Who holds the lease.
#[derive(Debug)]
pub struct LeaseState {
    /// The process.
    pub holder: LeaseHolder,
    /// When it ends unless renewed.
    pub until: UnixMillis,
    /// The holder was a process of this machine and is gone.
    pub is_dead: bool,
}

impl DatabaseHealth {
    /// Looks at a database file.
    ///
    /// # Errors
    /// It is not there, is no database of this kind, or cannot be read.
    pub fn inspect(
        path: &Path,
        kind: DatabaseKind,
        depth: HealthDepth,
        now: UnixMillis,
    ) -> Result<Self, BackupError> {
        let connection = open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        identify(&connection, path, kind)?;
        let version: i64 = connection
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .map_err(sqlite_error(path))?;
        let check = match depth {
            HealthDepth::Quick => "quick_check",
            HealthDepth::Full => "integrity_check",
        };
        let newest_version = kind.newest_version();
        let faults = integrity(&connection, check).map_err(sqlite_error(path))?;
        if !faults.is_empty() {
            // What a damaged file tells is not worth telling.
            let (orphans, contents) = (Vec::new(), None);
            return Ok(Self { version, newest_version, faults, orphans, contents });
        }
        let contents = if kind == DatabaseKind::Sync && version == newest_version {
            Some(contents(&connection, now).map_err(|fault| unfit(path, fault))?)
        } else {
            None
        };
        Ok(Self {
            version,
            newest_version,
            faults,
            orphans: orphans(&connection).map_err(sqlite_error(path))?,
            contents,
        })
    }
}

fn unfit(path: &Path, fault: Fault) -> BackupError {
    match fault {
        Fault::Sqlite(error) => sqlite_error(path)(error),
        fault => BackupError::Unfit { path: path.to_owned(), why: fault.at(path).to_string() },
    }
}

fn contents(connection: &Connection, now: UnixMillis) -> Result<Contents, Fault> {
    const LATEST: &str = "SELECT max(at_ms) FROM site_requests";
    const SOMEBODY: &str = "SELECT user_id FROM players
        WHERE sync_status IN ('synced', 'pending', 'error')
        ORDER BY sync_status = 'error', priority DESC LIMIT 1";
    let games = status::games_by_status(connection)?;
    let players = status::players_by_status(connection)?;
    let of = |status: &str| games.get(status).copied().unwrap_or(0);
    let me = LeaseHolder::this_process();
    let lease = lease::load(connection)?;
    let latest: Option<i64> = connection.query_row(LATEST, [], |row| row.get(0))?;
    let somebody: Option<i64> = connection.query_row(SOMEBODY, [], |row| row.get(0)).optional()?;
    Ok(Contents {
        games: games.values().sum(),
        games_to_fetch: of("discovered") + of("error_fetch"),
        players_failed: players.get("error").copied().unwrap_or(0),
        games_rejected: of("rejected"),
        games_parked: of("error_normalize"),
        some_player: somebody.map(UserId),
        lease: lease.map(|(holder, until)| {
            let is_dead = holder.is_dead(&me);
            LeaseState { holder, until, is_dead }
        }),
        throttled_until: site_memory::load_pacing(connection, now)?.throttled_until,
        block: site_memory::load_block(connection)?,
        latest_request: latest.map(UnixMillis),
    })
}

fn orphans(connection: &Connection) -> rusqlite::Result<Vec<(String, u64)>> {
    let mut statement = connection.prepare(
        "SELECT \"table\", count(*) FROM pragma_foreign_key_check GROUP BY 1 ORDER BY 1",
    )?;
    let rows =
        statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs())))?;
    rows.collect()
}
