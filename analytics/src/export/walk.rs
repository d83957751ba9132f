//! Which rows an export has, and in which order.
//!
//! Games come by their start, those without one last; each game's rows are read with a statement
//! of its own, so that only keys are sorted. A position comes with the first game that reached it;
//! positions that no game reaches (a replaced game can leave some) come last. Memory: a bit a
//! position, and what SQLite keeps for sorting before it goes to a temporary file.

use dicechess_core::time::UnixMillis;
use rusqlite::types::Value;
use rusqlite::{Connection, Statement, ToSql};

use super::{ExportError, ExportRequest, ExportTable};

/// A month of UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Month {
    pub(super) year: i64,
    pub(super) month: u8,
}

/// Takes the key and the start of a game.
type EachGame<'a> = &'a mut dyn FnMut(&str, Option<UnixMillis>) -> Result<(), ExportError>;

/// Takes a row and its month.
type Each<'a> = &'a mut dyn FnMut(Option<Month>, &[Value]) -> Result<(), ExportError>;

const KEYS: &str = "SELECT id, started_at_ms FROM games \
     WHERE ?1 IS NULL OR started_at_ms >= ?1 \
     ORDER BY started_at_ms IS NULL, started_at_ms, id";

const GAME: &str = "SELECT g.id, g.source, g.mode, g.result, g.termination, g.started_at, \
     g.total_turns, g.white_player_id, w.external_id, w.username, w.player_type, g.white_rating, \
     g.black_player_id, b.external_id, b.username, b.player_type, g.black_rating, \
     g.time_initial_sec, g.time_increment_sec, g.initial_stake_amount, g.final_stake_amount, \
     g.stake_currency, g.white_money_delta, g.black_money_delta, g.initial_position_id, \
     g.final_position_id, g.metadata_json \
     FROM games g LEFT JOIN players w ON w.id = g.white_player_id \
          LEFT JOIN players b ON b.id = g.black_player_id WHERE g.id = ?1";

const TURNS: &str = "SELECT game_id, turn_number, active_color, dice_sorted, played_moves, \
     position_id, position_after_id, thinking_time_ms, is_partial \
     FROM turns WHERE game_id = ?1 ORDER BY turn_number";

const RAW: &str = "SELECT a.id, g.started_at, a.received_at, a.replaced_at, a.body \
     FROM accepted_games a JOIN games g ON g.id = a.id WHERE a.id = ?1";

/// Bodies whose game is in no table.
const RAW_REST: &str = "SELECT id, NULL, received_at, replaced_at, body FROM accepted_games a \
     WHERE NOT EXISTS (SELECT 1 FROM games g WHERE g.id = a.id) ORDER BY id";

const REACHED: &str = "SELECT initial_position_id, final_position_id FROM games WHERE id = ?1 \
     UNION ALL SELECT position_id, position_after_id FROM turns WHERE game_id = ?1";

const POSITION: &str = "SELECT id, normalized_fen, fen_hash, piece_placement, active_color, \
     castling, en_passant, ?2 FROM positions WHERE id = ?1";

const POSITION_IDS: &str = "SELECT id FROM positions ORDER BY id";

/// Calls `each` for every row.
pub(super) fn walk(
    connection: &Connection,
    request: &ExportRequest,
    each: Each<'_>,
) -> Result<(), ExportError> {
    let is_whole = request.since.is_none();
    match request.table {
        ExportTable::Games => by_game(connection, request, GAME, each),
        ExportTable::Turns => by_game(connection, request, TURNS, each),
        ExportTable::Positions => positions(connection, request, each),
        ExportTable::Raw => {
            by_game(connection, request, RAW, each)?;
            if is_whole {
                pass(&mut connection.prepare(RAW_REST)?, &[], None, each)?;
            }
            Ok(())
        }
    }
}

/// Passes the rows that `sql` finds for each game.
fn by_game(
    connection: &Connection,
    request: &ExportRequest,
    sql: &str,
    each: Each<'_>,
) -> Result<(), ExportError> {
    let mut statement = connection.prepare(sql)?;
    games(connection, request.since, &mut |id, start| {
        pass(&mut statement, &[&id], start.map(Month::of), each)
    })
}

/// Calls `each` with the key and the start of every game.
fn games(
    connection: &Connection,
    since: Option<UnixMillis>,
    each: EachGame<'_>,
) -> Result<(), ExportError> {
    let mut keys = connection.prepare(KEYS)?;
    let mut rows = keys.query([since.map(|since| since.0)])?;
    while let Some(row) = rows.next()? {
        let id = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        each(id, row.get::<_, Option<i64>>(1)?.map(UnixMillis))?;
    }
    Ok(())
}

/// Passes all rows of a statement.
fn pass(
    statement: &mut Statement<'_>,
    parameters: &[&dyn ToSql],
    month: Option<Month>,
    each: Each<'_>,
) -> Result<(), ExportError> {
    let columns = statement.column_count();
    let mut values = vec![Value::Null; columns];
    let mut rows = statement.query(parameters)?;
    while let Some(row) = rows.next()? {
        for (column, value) in values.iter_mut().enumerate() {
            *value = row.get(column)?;
        }
        each(month, &values)?;
    }
    Ok(())
}

/// Passes each position once, with the first game that reached it.
fn positions(
    connection: &Connection,
    request: &ExportRequest,
    each: Each<'_>,
) -> Result<(), ExportError> {
    let mut reached = connection.prepare(REACHED)?;
    let mut position = connection.prepare(POSITION)?;
    let mut seen = Seen::default();
    // Games before `since` are walked too: what they reached is not new.
    games(connection, None, &mut |game, start| {
        let is_asked = request.since.is_none_or(|since| start.is_some_and(|start| start >= since));
        let first_seen = start.map(|start| start.to_string());
        let mut rows = reached.query([game])?;
        while let Some(row) = rows.next()? {
            for column in 0..2 {
                let id: Option<i64> = row.get(column)?;
                if let Some(id) = id.filter(|id| seen.is_new(*id) && is_asked) {
                    pass(&mut position, &[&id, &first_seen], start.map(Month::of), each)?;
                }
            }
        }
        Ok(())
    })?;
    if request.since.is_some() {
        return Ok(());
    }
    let mut ids = connection.prepare(POSITION_IDS)?;
    let mut rows = ids.query([])?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        if seen.is_new(id) {
            pass(&mut position, &[&id, &None::<String>], None, each)?;
        }
    }
    Ok(())
}

/// A set of row numbers, which SQLite gives out without gaps: a bit each.
#[derive(Default)]
struct Seen(Vec<u64>);

impl Seen {
    /// Puts a number into the set; whether it was not there. Numbers that no row has are never new.
    fn is_new(&mut self, id: i64) -> bool {
        let Ok(id) = usize::try_from(id) else { return false };
        let (word, bit) = (id / 64, 1_u64 << (id % 64));
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }
}

impl Month {
    pub(super) fn of(time: UnixMillis) -> Self {
        let text = time.to_string();
        let mut parts = text.split('-').map(str::parse);
        // A time is printed as year-month-day, so that both are there.
        let year = parts.next().and_then(Result::ok).unwrap_or_default();
        let month = parts.next().and_then(Result::ok).unwrap_or_default();
        Self { year, month: month as u8 }
    }

    /// The start of the month in which a time lies.
    #[cfg(feature = "parquet")]
    pub(super) fn start_of(time: UnixMillis) -> UnixMillis {
        let Self { year, month } = Self::of(time);
        UnixMillis::parse_iso(&format!("{year:04}-{month:02}-01T00:00:00Z")).unwrap_or(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months() {
        let time = UnixMillis::parse_iso("2026-03-31T23:59:59.999Z").unwrap();
        assert_eq!(Month::of(time), Month { year: 2026, month: 3 });
        assert_eq!(Month::of(UnixMillis(0)), Month { year: 1970, month: 1 });
    }

    #[test]
    fn numbers_are_new_once() {
        let mut seen = Seen::default();
        assert!(seen.is_new(64) && seen.is_new(63) && !seen.is_new(64) && !seen.is_new(-1));
    }
}
