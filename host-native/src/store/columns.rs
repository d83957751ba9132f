//! How values are spelled in columns.
//!
//! Decides the text of times and ids and how columns of older databases are read leniently. Leaves
//! the meaning of values to the core.

use dicechess_core::ids::{GameId, UserId};
use dicechess_core::time::UnixMillis;
use rusqlite::Row;

use super::error::Fault;

/// ISO-8601, as all times of the contract's tables.
pub(super) fn iso(time: UnixMillis) -> String {
    time.to_string()
}

/// As [`iso`], for columns that may be NULL.
pub(super) fn iso_opt(time: Option<UnixMillis>) -> Option<String> {
    time.map(iso)
}

/// A time column. An unreadable time of an older database counts as none.
pub(super) fn time_column(row: &Row<'_>, name: &str) -> rusqlite::Result<Option<UnixMillis>> {
    let text: Option<String> = row.get(name)?;
    Ok(text.as_deref().and_then(UnixMillis::parse_iso))
}

/// A column of milliseconds.
pub(super) fn millis_column(row: &Row<'_>, name: &str) -> rusqlite::Result<Option<UnixMillis>> {
    Ok(row.get::<_, Option<i64>>(name)?.map(UnixMillis))
}

/// A user id column.
pub(super) fn user_column(row: &Row<'_>, name: &str) -> rusqlite::Result<Option<UserId>> {
    Ok(row.get::<_, Option<i64>>(name)?.map(UserId))
}

/// A count column; a negative one counts as 0.
pub(super) fn count_column(row: &Row<'_>, name: &str) -> rusqlite::Result<u64> {
    Ok(row.get::<_, Option<i64>>(name)?.map_or(0, unsigned))
}

/// A stored game id; `None` for a text that is none, which only an older database can hold.
pub(super) fn game_id(text: &str) -> Option<GameId> {
    text.parse().ok()
}

/// SQLite has no unsigned integers.
pub(super) fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The reverse of [`signed`].
pub(super) fn unsigned(count: i64) -> u64 {
    u64::try_from(count).unwrap_or(0)
}

/// The fault of a value that cannot be read.
pub(super) fn unreadable(column: &str, value: &str) -> Fault {
    Fault::Unreadable(format!("{column} is {value:?}"))
}
