//! The answers people collect games for: are the dice fair, how does a player do, which
//! continuations win, what is a position worth.
//!
//! Each report is a function of a connection and a query that answers a serialisable value, and
//! the value can print itself as a text table of 80 columns and as an SVG picture. Nothing is
//! written. Every report names what it counted and what it left out.
//!
//! | module | decides |
//! |---|---|
//! | `inference`, `record` | intervals, tests, win rates: pure functions of counts |
//! | `dice` | whether the dice are fair |
//! | `player` | how one player does |
//! | `openings` | what was played from a position, and how it went |
//! | `position` | what a position is worth before the roll |
//! | `filter` | how players and modes are named |
//! | `text` | how tables look |
//!
//! Leaves the command line to the host and the store's shape to the store.

mod dice;
mod filter;
mod inference;
mod openings;
mod player;
mod position;
mod record;
mod text;

use dicechess_core::dice::InvalidRoll;
use dicechess_core::rules::InvalidFen;
use thiserror::Error;

pub use dice::{
    Counted, DISTINCT_ROLLS, DiceGroup, DiceQuery, DiceReport, KindShare, RollKind, RollShare,
    Share, dice,
};
pub use filter::Player;
pub use inference::{ChiSquareTest, Interval, Z_95, holm};
pub use openings::{Continuation, OpeningsQuery, OpeningsReport, START_FEN, openings};
pub use player::{Month, PlayerReport, ProfitPoint, RatingPoint, Slice, player};
pub use position::{
    Advice, CASH_POINT, DOUBLE_POINT, Doubling, PositionQuery, PositionReport, WIDEST_INTERVAL,
    position,
};
pub use record::{Record, Tally};

/// Why there is no report.
#[derive(Debug, Error)]
pub enum ReportError {
    /// Nobody in the store has this id.
    #[error("no player {0:?} in the store: give the site's user id or the analytics id")]
    UnknownPlayer(String),
    /// The position cannot be read.
    #[error("fen: {0}")]
    Fen(#[from] InvalidFen),
    /// The dice cannot be read.
    #[error("dice: {0}")]
    Dice(#[from] InvalidRoll),
    /// The store cannot be read.
    #[error("analytics store: {0}")]
    Store(#[from] rusqlite::Error),
}
