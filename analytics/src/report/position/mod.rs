//! What a position is worth before the roll, and whether to double.
//!
//! Decides the equity (the win rate over the games that reached the position, told from the side to
//! move) and the advice: `advice`. A game counts once; which turns count is the same as for
//! openings.

mod advice;
mod picture;
mod text;

use dicechess_core::ingest::Mode;
use dicechess_core::rules::Position;
use rusqlite::Connection;
use serde::Serialize;

use super::ReportError;
use super::filter::mode_text;
use super::openings::{COUNTED_TURN, side};
use super::record::{Record, Tally};
pub use advice::{Advice, CASH_POINT, DOUBLE_POINT, Doubling, WIDEST_INTERVAL};

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PositionQuery {
    /// The position before the roll.
    pub fen: String,
    /// Only games of this mode.
    pub mode: Option<Mode>,
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PositionReport {
    /// The position, normalised.
    pub fen: String,
    /// `w` or `b`.
    pub side_to_move: char,
    /// The mode that was asked for.
    pub mode: Option<Mode>,
    /// How the games went for the side to move.
    #[serde(flatten)]
    pub record: Record,
    /// What one stake is worth to the side to move, −1 to 1; none when no game is decided.
    pub equity: Option<f64>,
    /// The doubling advice.
    pub advice: Advice,
    /// What the advice takes for granted.
    pub assumptions: Vec<String>,
}

/// Answers what a position is worth.
///
/// # Errors
/// The position cannot be read, or the store cannot.
pub fn position(
    connection: &Connection,
    query: &PositionQuery,
) -> Result<PositionReport, ReportError> {
    let fen = query.fen.parse::<Position>()?.normalized_fen();
    let side_to_move = side(&fen);
    let record = tally(connection, &fen, query.mode)?.record();
    Ok(PositionReport {
        equity: record.interval.map(|_| 2.0 * record.win_rate - 1.0),
        advice: Advice::of(&record),
        assumptions: advice::assumptions(),
        fen,
        side_to_move,
        mode: query.mode,
        record,
    })
}

fn tally(connection: &Connection, fen: &str, mode: Option<Mode>) -> Result<Tally, ReportError> {
    let sql = format!(
        "SELECT g.result, count(DISTINCT t.game_id)
         FROM turns t JOIN games g ON g.id = t.game_id
              JOIN positions p ON p.id = t.position_after_id
         WHERE t.position_id = (SELECT id FROM positions WHERE normalized_fen = ?1)
           AND (?2 IS NULL OR g.mode = ?2) AND {COUNTED_TURN}
         GROUP BY g.result"
    );
    let mut tally = Tally::default();
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query((fen, mode.map(mode_text)))?;
    while let Some(row) = rows.next()? {
        let (result, games): (Option<i64>, i64) = (row.get(0)?, row.get(1)?);
        let games = games.cast_unsigned();
        tally.games += games;
        let is_black = side(fen) == 'b';
        match result.map(|result| if is_black { -result } else { result }) {
            Some(1) => tally.wins += games,
            Some(0) => tally.draws += games,
            Some(-1) => tally.losses += games,
            _ => {}
        }
    }
    Ok(tally)
}

impl PositionReport {
    /// A text table of 80 columns.
    pub fn table(&self) -> String {
        text::table(self)
    }

    /// An SVG picture.
    pub fn svg(&self) -> String {
        picture::svg(self)
    }
}
