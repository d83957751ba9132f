//! What was played in a position.
//!
//! Decides which turns count: those with a novelty of at least 1, each game once (the migration
//! tells what the numbers mean). The joins are `CROSS JOIN`s because SQLite keeps their order: the
//! turns of a position are few, the slices of a store are many.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};

use super::Conditions;
use crate::query::PositionFilter;
use crate::statistics::Record;

/// One resulting position, White's point of view.
#[derive(Debug)]
pub(crate) struct ContinuationRow {
    pub(crate) fen: String,
    pub(crate) moves: Vec<String>,
    pub(crate) record: Record,
}

/// The games that saw a position, White's point of view.
pub(crate) fn equity(
    connection: &Connection,
    fen: &str,
    filter: &PositionFilter,
) -> rusqlite::Result<Record> {
    let Some(position) = position_id(connection, fen)? else { return Ok(Record::default()) };
    let mut conditions = Conditions::default();
    conditions.add("t.position_id = ?", [position.into()]);
    add_slice(&mut conditions, filter);
    let select = format!(
        "SELECT s.result, sum(t.games) FROM position_tallies t \
         CROSS JOIN slices s ON s.id = t.slice_id WHERE {} GROUP BY s.result",
        conditions.sql()
    );
    let mut record = Record::default();
    let mut select = connection.prepare_cached(&select)?;
    let mut rows = select.query(params_from_iter(conditions.values()))?;
    while let Some(row) = rows.next()? {
        record.add(row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs());
    }
    Ok(record)
}

/// The positions that a roll led to, the most frequent first, and how many games rolled it there.
/// Of equally frequent ones the one that was stored first comes first.
pub(crate) fn continuations(
    connection: &Connection,
    fen: &str,
    dice: &str,
    filter: &PositionFilter,
    limit: usize,
) -> rusqlite::Result<(u64, Vec<ContinuationRow>)> {
    let Some(position) = position_id(connection, fen)? else { return Ok((0, Vec::new())) };
    let mut conditions = Conditions::default();
    let roll = [position.into(), Value::from(dice.to_owned())];
    conditions.add("t.position_id = ? AND t.dice_sorted = ? AND t.novelty >= 1", roll);
    add_slice(&mut conditions, filter);
    let select = format!(
        "SELECT {RECORD}, sum(t.novelty >= 2), t.position_after_id, min(t.id) FROM turns t \
         CROSS JOIN slices s ON s.id = t.slice_id WHERE {} GROUP BY t.position_after_id",
        conditions.sql()
    );
    let mut select = connection.prepare_cached(&select)?;
    let group = |row: &Row<'_>| {
        let key: (i64, i64, i64) = (row.get(4)?, row.get(5)?, row.get(6)?);
        Ok((record(row)?, key))
    };
    let groups = select.query_map(params_from_iter(conditions.values()), group)?;
    let mut groups = groups.collect::<rusqlite::Result<Vec<_>>>()?;
    let total: i64 = groups.iter().map(|(_, (rolled, ..))| rolled).sum();
    groups.sort_by_key(|(record, (_, _, turn))| (std::cmp::Reverse(record.games), *turn));
    groups.truncate(limit);
    let row = |(record, (_, after, turn))| continuation(connection, record, after, turn);
    Ok((total.unsigned_abs(), groups.into_iter().map(row).collect::<rusqlite::Result<_>>()?))
}

/// The rolls that a position saw with their games, White's point of view, and how many games saw
/// the position.
pub(crate) fn rolls(
    connection: &Connection,
    fen: &str,
    filter: &PositionFilter,
) -> rusqlite::Result<(u64, Vec<(String, Record)>)> {
    let Some(position) = position_id(connection, fen)? else { return Ok((0, Vec::new())) };
    let mut conditions = Conditions::default();
    conditions.add("t.position_id = ? AND t.novelty >= 2", [position.into()]);
    add_slice(&mut conditions, filter);
    let select = format!(
        "SELECT {RECORD}, sum(t.novelty >= 3), t.dice_sorted FROM turns t \
         CROSS JOIN slices s ON s.id = t.slice_id WHERE {} GROUP BY t.dice_sorted",
        conditions.sql()
    );
    let mut select = connection.prepare_cached(&select)?;
    let mut rows = select.query(params_from_iter(conditions.values()))?;
    let (mut total, mut rolls) = (0, Vec::new());
    while let Some(row) = rows.next()? {
        total += row.get::<_, i64>(4)?.unsigned_abs();
        rolls.push((row.get(5)?, record(row)?));
    }
    Ok((total, rolls))
}

/// The first four columns of a query about turns.
const RECORD: &str = "count(*), count(*) FILTER (WHERE s.result = 1), count(*) FILTER (WHERE s.result = 0), \
     count(*) FILTER (WHERE s.result = -1)";

fn record(row: &Row<'_>) -> rusqlite::Result<Record> {
    let count = |place| row.get::<_, i64>(place).map(i64::unsigned_abs);
    Ok(Record { games: count(0)?, wins: count(1)?, draws: count(2)?, losses: count(3)? })
}

fn position_id(connection: &Connection, fen: &str) -> rusqlite::Result<Option<i64>> {
    const SELECT: &str = "SELECT id FROM positions WHERE normalized_fen = ?1";
    connection.prepare_cached(SELECT)?.query_row([fen], |row| row.get(0)).optional()
}

fn add_slice(conditions: &mut Conditions, filter: &PositionFilter) {
    conditions.add_some("s.mode = ?", filter.mode.map(|mode| mode.as_str().to_owned()));
    conditions.add_some("s.source = ?", filter.source.clone());
    conditions.add_some("s.least_rating >= ?", filter.min_rating.map(|rating| rating.0));
}

fn continuation(
    connection: &Connection,
    record: Record,
    after: i64,
    turn: i64,
) -> rusqlite::Result<ContinuationRow> {
    const FEN: &str = "SELECT normalized_fen FROM positions WHERE id = ?1";
    const MOVES: &str = "SELECT played_moves FROM turns WHERE id = ?1";
    let fen = connection.prepare_cached(FEN)?.query_row([after], |row| row.get(0))?;
    let moves: String = connection.prepare_cached(MOVES)?.query_row([turn], |row| row.get(0))?;
    Ok(ContinuationRow { fen, moves: serde_json::from_str(&moves).unwrap_or_default(), record })
}
