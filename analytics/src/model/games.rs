//! Games.

use serde::Serialize;
use serde_json::Number;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::PlayerSummary;

/// A page of games.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GamePage {
    /// The games of the page.
    pub(crate) items: Vec<GameSummary>,
    /// How many games there are on all pages.
    pub(crate) total: i64,
    /// The most games a page has.
    pub(crate) limit: i64,
    /// How many games come before the page.
    pub(crate) offset: i64,
}

/// A game without its turns. Signed values are White's point of view.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GameSummary {
    /// The UUID.
    pub(crate) id: String,
    /// Where it was played.
    pub(crate) source: String,
    /// `classic` or `x2`.
    pub(crate) mode: String,
    /// 1 White won, 0 drawn, -1 Black won.
    pub(crate) result: Option<i64>,
    /// How it ended.
    pub(crate) termination: String,
    /// Turns of both sides.
    pub(crate) total_turns: i64,
    /// ISO-8601 UTC with milliseconds.
    pub(crate) started_at: Option<String>,
    /// White's rating at the start.
    pub(crate) white_rating: Option<i64>,
    /// Black's rating at the start.
    pub(crate) black_rating: Option<i64>,
    /// Thinking time in seconds.
    pub(crate) time_initial_sec: Option<i64>,
    /// Increment in seconds.
    pub(crate) time_increment_sec: Option<i64>,
    /// The stake at the start.
    pub(crate) initial_stake_amount: Option<i64>,
    /// The stake at the end.
    pub(crate) final_stake_amount: Option<i64>,
    /// White's net change.
    #[schema(value_type = Option<f64>)]
    pub(crate) white_money_delta: Option<Number>,
    /// Black's net change.
    #[schema(value_type = Option<f64>)]
    pub(crate) black_money_delta: Option<Number>,
    /// The stake's currency.
    pub(crate) stake_currency: Option<String>,
    /// White.
    pub(crate) white_player: Option<PlayerSummary>,
    /// Black.
    pub(crate) black_player: Option<PlayerSummary>,
}

/// A whole game.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GameDetail {
    /// What the list says of it.
    #[serde(flatten)]
    pub(crate) summary: GameSummary,
    /// What else is known; nothing so far.
    #[schema(value_type = Option<Object>)]
    pub(crate) metadata_json: Option<Box<RawValue>>,
    /// The turns in order.
    pub(crate) turns: Vec<Turn>,
    /// Doubles and draws in order.
    pub(crate) events: Vec<Event>,
}

/// One roll and what was played with it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Turn {
    /// Counted from 1 over both sides.
    pub(crate) turn_number: i64,
    /// `w` or `b`: who rolled.
    pub(crate) active_color: String,
    /// Piece letters in alphabetical order, upper case for White.
    pub(crate) dice_sorted: String,
    /// The micro-moves as UCI; none for a pass.
    #[schema(value_type = Vec<String>)]
    pub(crate) played_moves: Box<RawValue>,
    /// What the mover's clock lost.
    pub(crate) thinking_time_ms: Option<i64>,
    /// The position before the roll, as normalised FEN.
    pub(crate) position_fen: String,
    /// The position after the turn, as normalised FEN.
    pub(crate) position_after_fen: String,
}

/// Something that happened between micro-moves.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Event {
    /// The row's number.
    pub(crate) id: i64,
    /// Counted from 1 in the game.
    pub(crate) sequence_number: i64,
    /// The turn it precedes or belongs to.
    pub(crate) turn_number: i64,
    /// `DOUBLE_OFFER`, `DOUBLE_ACCEPT`, `DOUBLE_DECLINE`, `DRAW_OFFER` or `DRAW_ACCEPT`.
    pub(crate) event_type: String,
    /// `w` or `b`: who did it.
    pub(crate) actor_color: String,
    /// White's clock.
    pub(crate) clock_white_ms: Option<i64>,
    /// Black's clock.
    pub(crate) clock_black_ms: Option<i64>,
    /// `{"bank": stake}` for an accepted double.
    #[schema(value_type = Option<Object>)]
    pub(crate) payload: Option<Box<RawValue>>,
}
