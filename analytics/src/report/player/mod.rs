//! How one player does.
//!
//! Decides which slices of his games are looked at, and how rating and profit run over time. All
//! outcomes are told from his side. A rating point is one active day's last rated game of a mode; a
//! profit point is a day with a paid game (a stake above 0) whose change of money is known for him.
//! Profit is kept apart by currency. Games without a start are in the slices, not in the courses.

mod collect;
mod picture;
mod text;

use std::collections::BTreeMap;

use rusqlite::Connection;
use serde::Serialize;

use super::ReportError;
use super::filter::Player;
use super::record::Record;

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlayerReport {
    /// Who it is.
    pub player: Player,
    /// All his games.
    pub total: Record,
    /// Keys `white`, `black`.
    pub by_color: Vec<Slice>,
    /// Keys `classic`, `x2`.
    pub by_mode: Vec<Slice>,
    /// Keys `human`, `bot`.
    pub by_opponent_type: Vec<Slice>,
    /// Keys like `60:1`: seconds at the start and for each turn; most frequent first.
    pub by_time_control: Vec<Slice>,
    /// His rating by mode.
    pub rating: BTreeMap<String, Vec<RatingPoint>>,
    /// His profit by currency; an unnamed currency is `""`.
    pub profit: BTreeMap<String, Vec<ProfitPoint>>,
    /// His games by month (UTC), oldest first.
    pub months: Vec<Month>,
    /// Paid games whose change of money is not known for him.
    pub paid_games_without_delta: u64,
    /// Games without a start, which are in no month.
    pub undated_games: u64,
}

/// A slice of his games.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Slice {
    /// What the games share.
    pub key: String,
    /// How they went.
    #[serde(flatten)]
    pub record: Record,
}

/// His rating at the end of a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RatingPoint {
    /// The day, UTC.
    pub date: String,
    /// The rating of the day's last rated game.
    pub rating: i64,
}

/// What a day brought.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProfitPoint {
    /// The day, UTC.
    pub date: String,
    /// The day's sum.
    pub delta: f64,
    /// The sum since the first game.
    pub cumulative: f64,
}

/// A month.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Month {
    /// `2026-03`.
    pub month: String,
    /// How its games went.
    #[serde(flatten)]
    pub record: Record,
    /// The last rating of the month by mode.
    pub rating: BTreeMap<String, i64>,
    /// What the month brought, by currency.
    pub profit: BTreeMap<String, f64>,
}

/// Answers how a player does; `name` is the site's id or ours.
///
/// # Errors
/// The player is unknown, or the store cannot be read.
pub fn player(connection: &Connection, name: &str) -> Result<PlayerReport, ReportError> {
    let player = Player::find(connection, name)?;
    let collected = collect::collect(connection, &player)?;
    Ok(collected.report(player))
}

impl PlayerReport {
    /// A text table of 80 columns.
    pub fn table(&self) -> String {
        text::table(self)
    }

    /// An SVG picture.
    pub fn svg(&self) -> String {
        picture::svg(self)
    }
}
