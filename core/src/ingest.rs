//! The analytics API's game document (contract, section 6) and its assembly.
//!
//! Decides the exact bytes that are posted: field names, their order, what is null. The same types
//! are read by the receiver. How a game is cut into turns is [`crate::normalise`]'s matter, whether
//! it is legal [`crate::replay`]'s.

use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};
use shakmaty::Color;

use crate::catalogue::{PlayerType, white_pov};
use crate::ids::{GameId, UserId};
use crate::normalise::NormalizedGame;
use crate::site::HistoryEntry;

/// The name of the site as the source of a game.
pub const SOURCE: &str = "dicechess.com";

/// A game as it is posted. Signed values are White's point of view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IngestGame {
    /// The game id and the idempotency key.
    pub id: GameId,
    /// Where the game was played.
    pub source: String,
    /// Whether the stake can be doubled.
    pub mode: Mode,
    /// 1 White won, 0 drawn, -1 Black won.
    pub result: Option<i8>,
    /// How the game ended.
    pub termination: Option<Termination>,
    /// ISO-8601 UTC with milliseconds.
    pub started_at: Option<String>,
    /// Thinking time in seconds.
    pub time_initial_sec: Option<i64>,
    /// Increment in seconds.
    pub time_increment_sec: Option<i64>,
    /// The stake at the start.
    pub initial_stake_amount: Option<i64>,
    /// The stake at the end.
    pub final_stake_amount: Option<i64>,
    /// The stake's currency.
    pub stake_currency: Option<String>,
    /// White's net change.
    pub white_money_delta: Option<Number>,
    /// Black's net change.
    pub black_money_delta: Option<Number>,
    /// White.
    pub white_player: Option<IngestPlayer>,
    /// Black.
    pub black_player: Option<IngestPlayer>,
    /// The initial position, as recorded.
    pub initial_fen: String,
    /// The turns played.
    pub turns: Vec<IngestTurn>,
    /// Doubles and draws.
    pub events: Vec<IngestEvent>,
}

/// `classic` or `x2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// The stake is fixed.
    Classic,
    /// The stake can be doubled.
    X2,
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Termination {
    /// A king was captured.
    KingCaptured,
    /// A clock ran out.
    Timeout,
    /// A player gave up.
    Resign,
    /// The players agreed on a draw.
    DrawAgreement,
    /// A player declined a double and so lost.
    DoubleDeclined,
    /// The record does not say.
    Unknown,
}

/// One side's identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IngestPlayer {
    /// The user id in decimal.
    pub external_id: String,
    /// The name, if known.
    pub username: Option<String>,
    /// `human` or `bot`; a guest is sent as human.
    pub player_type: IngestPlayerType,
    /// The rating at the start of the game.
    pub rating: Option<i64>,
}

/// The two kinds of players that analytics knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IngestPlayerType {
    /// A person, registered or not.
    Human,
    /// The site itself.
    Bot,
}

/// A side, spelled `w` or `b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Side {
    /// White.
    #[serde(rename = "w")]
    White,
    /// Black.
    #[serde(rename = "b")]
    Black,
}

/// One roll and what was played with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IngestTurn {
    /// Counted from 1 over both sides.
    pub turn_number: u32,
    /// Who rolled.
    pub active_color: Side,
    /// Piece codes in ascending order.
    pub dice: Vec<u8>,
    /// The micro-moves as UCI; empty for a pass.
    pub moves: Vec<String>,
    /// What the mover's clock lost.
    pub thinking_time_ms: Option<i64>,
    /// The position after the turn, as recorded.
    pub fen_after: Option<String>,
}

/// Something that happened between micro-moves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IngestEvent {
    /// Counted from 1.
    pub sequence_number: u32,
    /// The turn it precedes or belongs to.
    pub turn_number: u32,
    /// What happened.
    pub event_type: EventType,
    /// Who did it.
    pub actor_color: Side,
    /// White's clock.
    pub clock_white_ms: Option<i64>,
    /// Black's clock.
    pub clock_black_ms: Option<i64>,
    /// `{"bank": stake}` for an accepted double.
    pub payload: Option<Value>,
}

/// The kinds of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum EventType {
    /// A player offers to double the stake.
    DoubleOffer,
    /// The other one plays on for the doubled stake.
    DoubleAccept,
    /// The other one gives up instead.
    DoubleDecline,
    /// A player offers a draw.
    DrawOffer,
    /// The other one agrees.
    DrawAccept,
}

/// What the frontier knows of a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownPlayer {
    /// The latest name seen.
    pub username: Option<String>,
    /// What the player is.
    pub player_type: PlayerType,
}

/// Assembles the document of a game from its history entry, the normalised state map and what the
/// frontier knows of the two players (White's first).
///
/// The entry is the authority for the result. Only the queried player's money is known.
pub fn assemble_ingest(
    entry: &HistoryEntry,
    queried: UserId,
    game: NormalizedGame,
    known: [Option<KnownPlayer>; 2],
) -> IngestGame {
    let [known_white, known_black] = known;
    let (white_delta, black_delta) = match entry.color {
        Color::White => (entry.money_delta.clone(), None),
        Color::Black => (None, entry.money_delta.clone()),
    };
    IngestGame {
        id: entry.game_id,
        source: SOURCE.to_owned(),
        mode: if entry.allow_doubling { Mode::X2 } else { Mode::Classic },
        result: entry.result.map(|result| white_pov(result, entry.color)),
        termination: Some(game.termination),
        started_at: entry.started_at.map(|time| time.to_string()),
        time_initial_sec: entry.time_initial_sec(),
        time_increment_sec: entry.time_increment_sec(),
        initial_stake_amount: game.initial_stake_amount,
        final_stake_amount: game.final_stake_amount,
        stake_currency: entry.currency.clone(),
        white_money_delta: white_delta,
        black_money_delta: black_delta,
        white_player: Some(player(entry, queried, Color::White, known_white)),
        black_player: Some(player(entry, queried, Color::Black, known_black)),
        initial_fen: game.initial_fen,
        turns: game.turns,
        events: game.events,
    }
}

fn player(
    entry: &HistoryEntry,
    queried: UserId,
    color: Color,
    known: Option<KnownPlayer>,
) -> IngestPlayer {
    let is_queried = entry.color == color;
    let id = if is_queried { queried } else { entry.opponent_id };
    let is_bot = known.as_ref().map_or(id.is_bot(), |player| player.player_type == PlayerType::Bot);
    let entry_name = || entry.opponent_name.clone().filter(|_| !is_queried);
    IngestPlayer {
        external_id: id.to_string(),
        username: known.and_then(|player| player.username).or_else(entry_name),
        player_type: if is_bot { IngestPlayerType::Bot } else { IngestPlayerType::Human },
        rating: color.fold_wb(entry.rating_white, entry.rating_black),
    }
}

impl From<Color> for Side {
    fn from(color: Color) -> Self {
        color.fold_wb(Self::White, Self::Black)
    }
}

impl From<Side> for Color {
    fn from(side: Side) -> Self {
        match side {
            Side::White => Self::White,
            Side::Black => Self::Black,
        }
    }
}

impl IngestGame {
    /// The bytes that are posted.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self)
            .unwrap_or_else(|_| unreachable!("a game has only string keys and finite numbers"))
    }
}
