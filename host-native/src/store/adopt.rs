//! A database of the older service becomes ours.
//!
//! Decides which columns are added to its tables and which rows could otherwise never move on.
//! Keeps every row and every column, also those it does not know. The older service has the same
//! three tables under the same names, but not always all columns.

use rusqlite::{Connection, Transaction};

use super::error::Fault;

/// Whether a database without an application id has tables of the older service. Fails if they are
/// somebody else's.
pub(super) fn is_of_older_service(connection: &Connection) -> Result<bool, Fault> {
    let mut is_older = false;
    for (table, key) in TABLES {
        let existing = columns(connection, table)?;
        if existing.is_empty() {
            continue;
        }
        is_older = true;
        if !existing.iter().any(|column| column.name == key) {
            return Err(Fault::Foreign(format!("its table {table} has no column {key}")));
        }
    }
    Ok(is_older)
}

/// Adds what `schema` has and an existing table has not. Whether there was such a table at all.
pub(super) fn complete_columns(tx: &Transaction<'_>, schema: &str) -> Result<bool, Fault> {
    let model = Connection::open_in_memory()?;
    model.execute_batch(schema)?;
    if !is_of_older_service(tx)? {
        return Ok(false);
    }
    for (table, _) in TABLES {
        let existing = columns(tx, table)?;
        if existing.is_empty() {
            continue;
        }
        let missing = columns(&model, table)?
            .into_iter()
            .filter(|column| !existing.iter().any(|other| other.name == column.name));
        for column in missing {
            column.add_to(tx, table)?;
        }
    }
    Ok(true)
}

/// Repairs what would hold rows back for ever.
pub(super) fn mend_rows(tx: &Transaction<'_>) -> Result<(), Fault> {
    // Ids are compared as text, and the older service did not always keep them in lower case. The
    // reference from raw_game_data to games holds again at the end.
    tx.pragma_update(None, "defer_foreign_keys", true)?;
    Ok(tx.execute_batch(MEND)?)
}

struct Column {
    name: String,
    kind: String,
    is_required: bool,
    default: Option<String>,
}

impl Column {
    /// SQLite adds no column whose default is computed, so such values are filled in afterwards.
    fn add_to(&self, tx: &Transaction<'_>, table: &str) -> rusqlite::Result<()> {
        let Self { name, kind, is_required, default } = self;
        let computed = default.as_ref().filter(|default| default.contains('('));
        let mut sql = format!("ALTER TABLE {table} ADD COLUMN {name} {kind}");
        if let (Some(default), None) = (default, computed) {
            let required = if *is_required { " NOT NULL" } else { "" };
            sql.push_str(&format!("{required} DEFAULT {default}"));
        }
        tx.execute_batch(&sql)?;
        if let Some(default) = computed {
            tx.execute_batch(&format!("UPDATE {table} SET {name} = {default}"))?;
        }
        Ok(())
    }
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<Column>> {
    let sql = "SELECT name, type, \"notnull\", dflt_value FROM pragma_table_info(?1)";
    let mut statement = connection.prepare(sql)?;
    let rows = statement.query_map([table], |row| {
        Ok(Column {
            name: row.get(0)?,
            kind: row.get(1)?,
            is_required: row.get(2)?,
            default: row.get(3)?,
        })
    })?;
    rows.collect()
}

const TABLES: [(&str, &str); 3] =
    [("players", "user_id"), ("games", "game_id"), ("raw_game_data", "game_id")];

/// In this order: ids in lower case; what is NULL and must not be; errors without a stage; games
/// that count as fetched and have no moves.
const MEND: &str = "
    UPDATE OR IGNORE games SET game_id = lower(game_id) WHERE game_id <> lower(game_id);
    UPDATE OR IGNORE raw_game_data SET game_id = lower(game_id)
        WHERE game_id <> lower(game_id) AND lower(game_id) IN (SELECT game_id FROM games)
            AND game_id NOT IN (SELECT game_id FROM games);
    UPDATE games SET attempts = 0 WHERE attempts IS NULL;
    UPDATE games SET is_cancelled = 0 WHERE is_cancelled IS NULL;
    UPDATE players SET attempts = 0 WHERE attempts IS NULL;
    UPDATE games SET error_stage = CASE
            WHEN EXISTS (SELECT 1 FROM raw_game_data AS r
                         WHERE r.game_id = games.game_id AND r.move_history_json IS NOT NULL)
            THEN 'post' ELSE 'fetch' END
        WHERE status = 'error' AND coalesce(error_stage, '') NOT IN ('fetch', 'post', 'normalize');
    UPDATE games SET status = 'discovered', error_stage = NULL, next_retry_at = NULL
        WHERE (status = 'fetched' OR (status = 'error' AND error_stage IN ('post', 'normalize')))
            AND NOT EXISTS (SELECT 1 FROM raw_game_data AS r
                            WHERE r.game_id = games.game_id AND r.move_history_json IS NOT NULL);
";
