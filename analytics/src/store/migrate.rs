//! Bringing a file to the present shape.
//!
//! Decides which files are analytics stores: empty ones and those that carry our application id.
//! Each migration runs in a transaction together with its number in `user_version`; a migration
//! that was ever released is never changed.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::AnalyticsStoreError;

const MIGRATIONS: [&str; 2] = [
    include_str!("../../migrations/0001_accepted_games.sql"),
    include_str!("../../migrations/0002_gold.sql"),
];

/// `DCan` in ASCII: tells an analytics store from the crawler's database, whose path is
/// configured beside it.
pub const APPLICATION_ID: i64 = 0x4443_616e;

/// The version of a store that is up to date: its `user_version`.
pub const SCHEMA_VERSION: i64 = MIGRATIONS.len() as i64;

/// Applies the migrations that the file lacks.
pub(super) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), AnalyticsStoreError> {
    let sqlite = |cause| AnalyticsStoreError::Sqlite { path: path.to_owned(), cause };
    // Nothing is changed, not even the journal mode, before the file is known to be ours.
    while step(connection, path)? {}
    connection.pragma_update(None, "journal_mode", "WAL").map_err(sqlite)
}

/// Applies the next migration, if there is one.
fn step(connection: &mut Connection, path: &Path) -> Result<bool, AnalyticsStoreError> {
    let sqlite = |cause| AnalyticsStoreError::Sqlite { path: path.to_owned(), cause };
    // Immediate, so that two processes that open a new file do not both migrate it.
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sqlite)?;
    let (is_ours, version) = inspect(&transaction).map_err(sqlite)?;
    if !is_ours {
        return Err(AnalyticsStoreError::Foreign { path: path.to_owned() });
    }
    let known = MIGRATIONS.len();
    if version > known {
        return Err(AnalyticsStoreError::Newer { path: path.to_owned(), found: version, known });
    }
    let Some(sql) = MIGRATIONS.get(version) else { return Ok(false) };
    apply(transaction, sql, version + 1).map_err(sqlite)?;
    Ok(true)
}

fn inspect(transaction: &Transaction<'_>) -> rusqlite::Result<(bool, usize)> {
    let number = |sql| transaction.query_row(sql, [], |row| row.get::<_, i64>(0));
    let application = number("PRAGMA application_id")?;
    let version = number("PRAGMA user_version")?;
    let is_empty = number("SELECT count(*) FROM sqlite_schema")? == 0;
    let is_ours = application == APPLICATION_ID || (application == 0 && version == 0 && is_empty);
    Ok((is_ours, usize::try_from(version).unwrap_or(usize::MAX)))
}

fn apply(transaction: Transaction<'_>, sql: &str, version: usize) -> rusqlite::Result<()> {
    transaction.execute_batch(sql)?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", version as i64)?;
    transaction.commit()
}

#[cfg(test)]
mod tests {
    use super::super::Store;
    use super::*;

    #[test]
    fn a_new_file_is_made_once_even_by_many() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sub/analytics.db");
        std::thread::scope(|scope| {
            let open = || scope.spawn(|| Store::open(&path).map(drop));
            let threads: Vec<_> = std::iter::repeat_with(open).take(8).collect();
            for thread in threads {
                thread.join().unwrap().unwrap();
            }
        });
        let connection = Connection::open(&path).unwrap();
        let text = |sql| connection.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
        assert_eq!(text("PRAGMA journal_mode"), "wal");
        assert_eq!(
            text("SELECT group_concat(name) FROM pragma_table_info('accepted_games')"),
            "id,body,received_at,replaced_at"
        );
    }

    #[test]
    fn other_databases_are_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sync.db");
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE players (user_id)").unwrap();
        let before = std::fs::read(&path).unwrap();
        assert!(matches!(Store::open(&path), Err(AnalyticsStoreError::Foreign { .. })));
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn a_newer_store_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("analytics.db");
        drop(Store::open(&path).unwrap());
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 9).unwrap();
        let error = Store::open(&path).unwrap_err();
        assert!(error.to_string().contains("schema 9, this program knows 2"), "{error}");
    }

    #[test]
    fn what_is_no_database_is_an_error_that_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("analytics.db");
        std::fs::write(&path, "this is no database, but long enough to look like one".repeat(20))
            .unwrap();
        let error = Store::open(&path).unwrap_err();
        assert!(error.to_string().contains("analytics.db"), "{error}");
    }
}
