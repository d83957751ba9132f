//! Players.

use serde::Serialize;
use utoipa::ToSchema;

use crate::statistics::{Answers, Doubling, ProfitPoint, Record};

/// A player.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct PlayerSummary {
    /// The UUID.
    pub(crate) id: String,
    /// The latest name known.
    pub(crate) username: Option<String>,
    /// `human` or `bot`.
    pub(crate) player_type: String,
    /// The rating in the most recent rated classic game.
    pub(crate) rating_classic: Option<i64>,
}

/// A player's results. Identity and ratings are the same whatever is filtered.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlayerStats {
    /// The UUID.
    pub(crate) id: String,
    /// The latest name known.
    pub(crate) username: Option<String>,
    /// `human` or `bot`.
    pub(crate) player_type: String,
    /// All games, also undecided ones.
    pub(crate) games: u64,
    /// Games won.
    pub(crate) wins: u64,
    /// Games drawn.
    pub(crate) draws: u64,
    /// Games lost.
    pub(crate) losses: u64,
    /// Games with a result.
    pub(crate) decided: u64,
    /// `(wins + draws / 2) / decided`, 0 when nothing is decided.
    pub(crate) win_rate: f64,
    /// Games played as White.
    pub(crate) as_white: u64,
    /// Games played as Black.
    pub(crate) as_black: u64,
    /// When the first game started.
    pub(crate) first_game: Option<String>,
    /// When the last game started.
    pub(crate) last_game: Option<String>,
    /// The rating in the most recent rated classic game.
    pub(crate) rating_classic: Option<i64>,
    /// The rating in the most recent rated x2 game.
    pub(crate) rating_x2: Option<i64>,
}

/// A player's results by what was played.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlayerBreakdowns {
    /// Keys `w` and `b`.
    pub(crate) by_color: Vec<Breakdown>,
    /// Keys `classic` and `x2`.
    pub(crate) by_mode: Vec<Breakdown>,
    /// Keys `human` and `bot`.
    pub(crate) by_opponent_type: Vec<Breakdown>,
    /// Keys such as `60:1`: seconds and increment.
    pub(crate) by_time_control: Vec<Breakdown>,
    /// Mean number of turns of both sides, 0 without games.
    pub(crate) avg_turns: f64,
    /// How doubles were answered.
    pub(crate) doubling: DoublingStats,
}

/// The results of one key.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
pub(crate) struct Breakdown {
    /// What the games have in common.
    pub(crate) key: String,
    /// All games, also undecided ones.
    pub(crate) games: u64,
    /// Games won.
    pub(crate) wins: u64,
    /// Games drawn.
    pub(crate) draws: u64,
    /// Games lost.
    pub(crate) losses: u64,
    /// `(wins + draws / 2) / decided`, 0 when nothing is decided.
    pub(crate) win_rate: f64,
}

/// Answered doubles.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DoublingStats {
    /// Those the player offered.
    pub(crate) player_offered: DoubleAnswers,
    /// Those his opponents offered.
    pub(crate) opponent_offered: DoubleAnswers,
}

/// How often a double was accepted and declined.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DoubleAnswers {
    /// Accepted.
    pub(crate) accepted: u64,
    /// Declined.
    pub(crate) declined: u64,
}

/// Ratings over time.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct RatingHistory {
    /// In classic games.
    pub(crate) classic: Vec<RatingPoint>,
    /// In games with doubling.
    pub(crate) x2: Vec<RatingPoint>,
}

/// A day's last rating.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RatingPoint {
    /// The day in UTC.
    pub(crate) date: String,
    /// The rating of the day's last rated game.
    pub(crate) rating: i64,
}

/// Profit over time.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProfitHistory {
    /// Days with a paid game, in order.
    pub(crate) points: Vec<ProfitHistoryPoint>,
}

/// A day's profit.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProfitHistoryPoint {
    /// The day in UTC.
    pub(crate) date: String,
    /// What was won or lost on it.
    pub(crate) delta: f64,
    /// What was won or lost since the start of the window.
    pub(crate) cumulative: f64,
}

impl Breakdown {
    pub(crate) fn new(key: String, record: Record) -> Self {
        let Record { games, wins, draws, losses } = record;
        Self { key, games, wins, draws, losses, win_rate: record.win_rate() }
    }
}

impl From<Doubling> for DoublingStats {
    fn from(doubling: Doubling) -> Self {
        let answers = |Answers { accepted, declined }| DoubleAnswers { accepted, declined };
        Self {
            player_offered: answers(doubling.player_offered),
            opponent_offered: answers(doubling.opponent_offered),
        }
    }
}

impl From<ProfitPoint> for ProfitHistoryPoint {
    fn from(point: ProfitPoint) -> Self {
        let ProfitPoint { day, delta, cumulative } = point;
        Self { date: day.to_string(), delta, cumulative }
    }
}
