//! The schema and its versions.
//!
//! Decides in which order the files in `migrations/` are applied and which databases are refused.
//! The files are append-only: a published one never changes. Each is applied in a transaction of
//! its own together with its number in `PRAGMA user_version`, which is read again inside, so that
//! two processes may open a database at once.

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::adopt;
use super::error::Fault;

/// Fails unless the database is ours, of the older service, or, if one may be begun here, empty.
/// Writes nothing.
pub(super) fn recognise(connection: &Connection, may_begin: bool) -> Result<(), Fault> {
    const SOMETHING: &str = "SELECT min(name) FROM sqlite_schema WHERE type IN ('table', 'view')";
    // One state of it, as another process may be about to begin it.
    let tx = connection.unchecked_transaction()?;
    check(&tx)?;
    let application: i64 = tx.pragma_query_value(None, "application_id", |row| row.get(0))?;
    if application == APPLICATION_ID || adopt::is_of_older_service(&tx)? {
        return Ok(());
    }
    match tx.query_row(SOMETHING, [], |row| row.get::<_, Option<String>>(0))? {
        Some(name) => Err(Fault::Foreign(format!(
            "it has a table {name} and none of players, games and raw_game_data"
        ))),
        None if may_begin => Ok(()),
        None => Err(Fault::Empty),
    }
}

/// Brings the schema up to date.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), Fault> {
    if check(connection)? == MIGRATIONS.len() {
        return Ok(());
    }
    for step in 0..MIGRATIONS.len() {
        let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if check(&tx)? == step {
            apply(&tx, step)?;
            tx.commit()?;
        }
    }
    Ok(())
}

/// How many migrations the database has seen.
fn check(connection: &Connection) -> Result<usize, Fault> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (version, application) = (pragma("user_version")?, pragma("application_id")?);
    let known = MIGRATIONS.len() as i64;
    if version > known {
        return Err(Fault::Newer { found: version, known });
    }
    match application {
        APPLICATION_ID => Ok(usize::try_from(version).unwrap_or(0)),
        // The older service set neither number; whatever version it may have counted is not ours.
        0 => Ok(0),
        other => Err(Fault::Foreign(format!("its application id is {other}"))),
    }
}

fn apply(tx: &Transaction<'_>, step: usize) -> Result<(), Fault> {
    let Some((_, sql)) = MIGRATIONS.get(step) else { return Ok(()) };
    let is_first = step == 0;
    let is_older = is_first && adopt::complete_columns(tx, sql)?;
    tx.execute_batch(sql)?;
    if is_older {
        adopt::mend_rows(tx)?;
    }
    let mut version = step + 1;
    if is_first {
        tx.pragma_update(None, "application_id", APPLICATION_ID)?;
        version += applied_after_first(tx)?;
    }
    Ok(tx.pragma_update(None, "user_version", version as i64)?)
}

/// How many further migrations the tables show: a dump that was read back has lost its version.
fn applied_after_first(tx: &Transaction<'_>) -> Result<usize, Fault> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?1)";
    let mut applied = 0;
    for (creates, _) in MIGRATIONS.iter().skip(1) {
        if !tx.query_row(SQL, [creates], |row| row.get(0))? {
            break;
        }
        applied += 1;
    }
    Ok(applied)
}

/// What each one creates last, and the file.
const MIGRATIONS: [(&str, &str); 7] = [
    ("ix_raw_archive_pending", include_str!("../../../migrations/0001_frontier_and_catalogue.sql")),
    ("broken_entries", include_str!("../../../migrations/0002_raw_copies.sql")),
    ("ix_player_sweeps_gap", include_str!("../../../migrations/0003_sweeps.sql")),
    ("sources", include_str!("../../../migrations/0004_site_memory.sql")),
    ("ix_games_to_post", include_str!("../../../migrations/0005_queues.sql")),
    ("watches", include_str!("../../../migrations/0006_daemon.sql")),
    ("ix_raw_from_browser", include_str!("../../../migrations/0007_gateway.sql")),
];
/// `DCsy`, to tell our databases from others with a version of their own.
pub(super) const APPLICATION_ID: i64 = 0x4443_7379;
/// The version of a database that is up to date.
pub(super) const NEWEST_VERSION: i64 = MIGRATIONS.len() as i64;
