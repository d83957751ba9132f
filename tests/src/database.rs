//! Questions to a SQLite file, read only.

use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

/// A database that is only read.
#[derive(Debug)]
pub struct Database {
    connection: Connection,
}

impl Database {
    /// Opens a file that is there.
    pub fn open(path: &Path) -> Self {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
        let connection = Connection::open_with_flags(path, flags)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        connection.busy_timeout(std::time::Duration::from_secs(5)).unwrap();
        Self { connection }
    }

    /// All rows of a query: numbers, texts and nulls as JSON.
    #[track_caller]
    pub fn rows(&self, sql: &str) -> Vec<Vec<Value>> {
        let mut statement = self.connection.prepare(sql).unwrap();
        let columns = statement.column_count();
        let rows = statement.query_map([], |row| {
            (0..columns).map(|column| row.get_ref(column).map(json)).collect()
        });
        rows.unwrap().collect::<Result<_, _>>().unwrap()
    }

    /// The one number that a query gives.
    #[track_caller]
    pub fn number(&self, sql: &str) -> i64 {
        self.connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    /// The first column of a query, as texts.
    #[track_caller]
    pub fn texts(&self, sql: &str) -> Vec<String> {
        let mut statement = self.connection.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0));
        rows.unwrap().collect::<Result<_, _>>().unwrap()
    }

    /// What must be equal at the end of two passes over the same site, however often one of them
    /// was interrupted: players, games and raw answers without the times at which things were done.
    ///
    /// Which of two perspectives told of a game first, and at what depth a player was met, depends
    /// on the order of the sweeps; whether analytics had a game already, on an answer that was lost.
    pub fn outcome(&self) -> Vec<Vec<Value>> {
        let queries = [
            "SELECT 'player', user_id, username, player_type, rating_classic, rating_x2,
                 discovered_rating, priority, total_count, sync_status, enumerate_offset,
                 enumerate_complete, synced_through_ms, attempts, last_error, next_retry_at
             FROM players ORDER BY user_id",
            "SELECT 'game', game_id, status, error_stage, white_user_id, black_user_id,
                 started_at_ms, allow_doubling, result, time_initial_sec, time_increment_sec,
                 is_cancelled, reject_reason, attempts, last_error, next_retry_at
             FROM games ORDER BY game_id",
            "SELECT 'raw', game_id, move_history_json, byte_size, archived_at IS NOT NULL,
                 history_meta_json IS NOT NULL
             FROM raw_game_data ORDER BY game_id",
        ];
        queries.iter().flat_map(|sql| self.rows(sql)).collect()
    }
}

fn json(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => number.into(),
        ValueRef::Real(number) => number.into(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into(),
        ValueRef::Blob(bytes) => bytes.into(),
    }
}
