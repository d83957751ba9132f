//! Both databases, the lease, and what is remembered of the site.

use std::path::Path;

use rusqlite::ErrorCode;

use super::finding::Findings;
use super::machine::{look_at_growth, megabytes};
use crate::clock::now;
use crate::exit_code::Exit;
use crate::progress::tell;
use crate::store::{
    BackupError, Contents, DatabaseHealth, DatabaseKind, DatabaseSize, HealthDepth,
};

/// A log of this size is cut at the next checkpoint, unless somebody reads an old state.
const WAL_WARNING: u64 = 128 * 1024 * 1024;
/// Reading more than this is worth a word.
const LARGE: u64 = 500_000_000;
/// The database, the bundle in the archive and the embedded analytics, per game: what a game takes
/// in the database once more for the other two.
const COPIES: u64 = 2;

/// Looks at both databases; gives what the crawler's tells.
pub(super) fn look(
    db_path: &Path,
    analytics_db: &Path,
    full: bool,
    findings: &mut Findings,
) -> Option<Contents> {
    let size = DatabaseSize::of(db_path);
    if !db_path.exists() {
        let message = format!("there is none yet at {}", db_path.display());
        findings.warning("database", message, "crawl, or restore a backup; or set DB_PATH");
        return None;
    }
    let contents = look_at_file("database", db_path, DatabaseKind::Sync, full, findings);
    if size.wal > WAL_WARNING {
        findings.warning(
            "write-ahead log",
            megabytes(size.wal),
            "some process reads an old state for long: end forgotten sqlite3 shells and exports",
        );
    } else {
        findings.ok("write-ahead log", megabytes(size.wal));
    }
    if analytics_db.exists() {
        look_at_file("analytics db", analytics_db, DatabaseKind::Analytics, full, findings);
    }
    let contents = contents?;
    if let Some(bytes_a_game) = size.database.checked_div(contents.games) {
        look_at_growth(db_path, contents.games_to_fetch * bytes_a_game * COPIES, findings);
    }
    look_at_lease(&contents, findings);
    look_at_troubles(&contents, findings);
    look_at_memory(&contents, findings);
    Some(contents)
}

fn look_at_file(
    check: &'static str,
    path: &Path,
    kind: DatabaseKind,
    full: bool,
    findings: &mut Findings,
) -> Option<Contents> {
    let size = DatabaseSize::of(path).database;
    if size > LARGE {
        tell(&format!("reading {} of {}…", megabytes(size), path.display()));
    }
    let depth = if full { HealthDepth::Full } else { HealthDepth::Quick };
    let health = match DatabaseHealth::inspect(path, kind, depth, now()) {
        Ok(health) => health,
        Err(error) => {
            let advice = match &error {
                BackupError::Unfit { .. } => "restore a backup, or set DB_PATH to another file",
                BackupError::Full { .. } => "free some space on its disk",
                BackupError::Sqlite { source, .. }
                    if source.sqlite_error_code() == Some(ErrorCode::SystemIoFailure) =>
                {
                    "check the disk (smartctl, dmesg); stop the daemon if its file was removed"
                }
                _ => "make the file and its folder readable and writable for this user",
            };
            findings.problem(check, Exit::Storage, error.to_string(), advice);
            return None;
        }
    };
    report_health(check, path, size, &health, findings);
    health.contents
}

fn report_health(
    check: &'static str,
    path: &Path,
    size: u64,
    health: &DatabaseHealth,
    findings: &mut Findings,
) {
    if let Some(first) = health.faults.first() {
        findings.problem(
            check,
            Exit::Storage,
            format!("{} is damaged: {first} ({} faults)", path.display(), health.faults.len()),
            "stop the daemon and restore a backup; check the disk (smartctl, dmesg)",
        );
    } else if let Some((table, rows)) = health.orphans.first() {
        findings.problem(
            check,
            Exit::Storage,
            format!("{rows} rows of {table} refer to rows that are not there"),
            "another program has changed the file: restore a backup",
        );
    } else {
        let message =
            format!("{} is whole, {}, version {}", path.display(), megabytes(size), health.version);
        findings.ok(check, message);
    }
    if health.version < health.newest_version {
        findings.warning(
            check,
            format!("its version is {}, this program's {}", health.version, health.newest_version),
            "it is upgraded when it is opened next; make a backup first",
        );
    }
}

fn look_at_lease(contents: &Contents, findings: &mut Findings) {
    match &contents.lease {
        None => findings.ok("lease", "free: nobody crawls"),
        Some(lease) if lease.is_dead || lease.until <= now() => {
            findings.ok("lease", "free: its last holder is gone");
        }
        Some(lease) => {
            findings.ok("lease", format!("held by {} until {}", lease.holder, lease.until));
        }
    }
}

/// What waits for somebody to look at it.
fn look_at_troubles(contents: &Contents, findings: &mut Findings) {
    let Contents { players_failed, games_rejected, games_parked, .. } = contents;
    let advice = "`dicechess-sync status` says why; the dashboard lists them";
    if *players_failed > 0 {
        let message = format!("the last sweep failed for {players_failed} of them");
        findings.warning("players", message, advice);
    }
    if games_rejected + games_parked > 0 {
        let message =
            format!("{games_rejected} refused by analytics, {games_parked} that do not replay");
        findings.warning("games", message, advice);
    }
}

fn look_at_memory(contents: &Contents, findings: &mut Findings) {
    if let Some(latest) = contents.latest_request.filter(|latest| *latest > now()) {
        findings.warning(
            "clock",
            format!("a request is remembered for {latest}, which is still to come"),
            "the clock went back, or goes wrong now: check the time",
        );
    }
    if let Some(until) = contents.throttled_until {
        findings.warning(
            "throttle",
            format!("the site asked for silence until {until}"),
            "wait; if it comes again, ask less: REQUEST_MIN_DELAY_MS, REQUEST_HOURLY_BUDGET",
        );
    }
    match &contents.block {
        Some(block) => findings.problem(
            "site access",
            Exit::SiteRefused,
            format!("refused at {}: {}", block.since, block.reason),
            "changed credentials are tried at once, the same ones after 15 minutes",
        ),
        None => findings.ok("site access", "no refusal is remembered"),
    }
}
