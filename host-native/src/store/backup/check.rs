//! Whether a file is the database it should be, and whole.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::{BackupError, CheckedCopy, DatabaseKind, file_error, sqlite_error};
use crate::store::BUSY_TIMEOUT;

/// Reads a copy through. What is wrong with it is wrong with what was copied, so messages name
/// `original`.
pub(super) fn check(
    path: &Path,
    original: &Path,
    kind: DatabaseKind,
) -> Result<CheckedCopy, BackupError> {
    let connection = open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    identify(&connection, original, kind)?;
    let faults = integrity(&connection, "integrity_check").map_err(sqlite_error(original))?;
    if let Some(fault) = faults.first() {
        let why = format!("it is damaged: {fault}");
        return Err(BackupError::Unfit { path: original.to_owned(), why });
    }
    let rows = count_rows(&connection).map_err(sqlite_error(original))?;
    let bytes = fs::metadata(path).map_err(file_error(path))?.len();
    Ok(CheckedCopy { bytes, rows })
}

/// What `PRAGMA integrity_check` or `quick_check` finds; nothing in a sound database.
pub(in crate::store) fn integrity(
    connection: &Connection,
    pragma: &str,
) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare(&format!("PRAGMA {pragma}"))?;
    let found: Vec<String> =
        statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let lines = found.iter().flat_map(|text| text.lines());
    // A headline says which database, and there is one.
    Ok(lines.filter(|line| *line != "ok" && !line.starts_with("***")).map(str::to_owned).collect())
}

pub(in crate::store) fn open(path: &Path, flags: OpenFlags) -> Result<Connection, BackupError> {
    if !path.is_file() {
        return Err(BackupError::Missing { path: path.to_owned() });
    }
    let connection = Connection::open_with_flags(path, flags).map_err(sqlite_error(path))?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(sqlite_error(path))?;
    Ok(connection)
}

/// Fails unless the file is a database of this kind that this program can read.
pub(in crate::store) fn identify(
    connection: &Connection,
    path: &Path,
    kind: DatabaseKind,
) -> Result<(), BackupError> {
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let unfit = |why: String| BackupError::Unfit { path: path.to_owned(), why };
    let id = number("application_id").map_err(sqlite_error(path))?;
    let version = number("user_version").map_err(sqlite_error(path))?;
    if id != kind.application_id() {
        let other = [DatabaseKind::Sync, DatabaseKind::Analytics]
            .into_iter()
            .find(|other| other.application_id() == id);
        let instead = match other {
            Some(other) => format!("but {}", other.described()),
            None => format!("(its application id is {id})"),
        };
        return Err(unfit(format!("it is not {} {instead}", kind.described())));
    }
    let newest = kind.newest_version();
    if version > newest {
        return Err(unfit(format!(
            "it has version {version}, this program knows versions up to {newest}: use the newer \
             program"
        )));
    }
    Ok(())
}

pub(super) fn count_rows(connection: &Connection) -> rusqlite::Result<BTreeMap<String, u64>> {
    const TABLES: &str = "SELECT name FROM sqlite_schema
        WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    let mut statement = connection.prepare(TABLES)?;
    let tables: Vec<String> =
        statement.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    tables
        .into_iter()
        .map(|table| {
            let sql = format!("SELECT count(*) FROM \"{}\"", table.replace('"', "\"\""));
            let rows: i64 = connection.query_row(&sql, [], |row| row.get(0))?;
            Ok((table, rows.unsigned_abs()))
        })
        .collect()
}
