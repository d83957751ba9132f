//! Positions. Results are the point of view of the side to move.

use serde::Serialize;
use utoipa::ToSchema;

use crate::statistics::Record;

/// What a position is worth before the roll.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Equity {
    /// The normalised FEN.
    pub(crate) fen: String,
    /// `w` or `b`.
    pub(crate) side_to_move: char,
    /// Games that saw the position.
    pub(crate) games: u64,
    /// Games that its side to move won.
    pub(crate) wins: u64,
    /// Games drawn.
    pub(crate) draws: u64,
    /// Games that its side to move lost.
    pub(crate) losses: u64,
    /// `(wins + draws / 2) / decided`, 0 when nothing is decided.
    pub(crate) win_rate: f64,
}

/// What was played with a roll.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Continuations {
    /// The normalised FEN.
    pub(crate) fen: String,
    /// The roll: letters in alphabetical order, in the case of the side to move.
    pub(crate) dice: String,
    /// Games that saw the position and roll.
    pub(crate) total_games: u64,
    /// The resulting positions, the most frequent first.
    pub(crate) items: Vec<Continuation>,
}

/// One resulting position.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Continuation {
    /// The position after the turn, as normalised FEN.
    pub(crate) fen: String,
    /// Micro-moves that lead there, as the first stored game has them; none for a pass.
    pub(crate) moves: Vec<String>,
    /// Games that went there.
    pub(crate) games: u64,
    /// Games that the side that rolled won.
    pub(crate) wins: u64,
    /// Games drawn.
    pub(crate) draws: u64,
    /// Games that the side that rolled lost.
    pub(crate) losses: u64,
    /// `(wins + draws / 2) / decided`, 0 when nothing is decided.
    pub(crate) win_rate: f64,
}

/// Which rolls a position saw.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DiceDistribution {
    /// The normalised FEN.
    pub(crate) fen: String,
    /// `w` or `b`.
    pub(crate) side_to_move: char,
    /// Games that saw the position.
    pub(crate) total_games: u64,
    /// The rolls, the most frequent first.
    pub(crate) items: Vec<DiceShare>,
}

/// One roll.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DiceShare {
    /// Letters in alphabetical order, in upper case whoever is to move.
    pub(crate) dice: String,
    /// Games that saw the roll here.
    pub(crate) games: u64,
    /// Games that the side to move won.
    pub(crate) wins: u64,
    /// Games drawn.
    pub(crate) draws: u64,
    /// Games that the side to move lost.
    pub(crate) losses: u64,
    /// `(wins + draws / 2) / decided`, 0 when nothing is decided.
    pub(crate) win_rate: f64,
}

impl Equity {
    pub(crate) fn new(fen: String, side_to_move: char, record: Record) -> Self {
        let Record { games, wins, draws, losses } = record;
        Self { fen, side_to_move, games, wins, draws, losses, win_rate: record.win_rate() }
    }
}

impl Continuation {
    pub(crate) fn new(fen: String, moves: Vec<String>, record: Record) -> Self {
        let Record { games, wins, draws, losses } = record;
        Self { fen, moves, games, wins, draws, losses, win_rate: record.win_rate() }
    }
}

impl DiceShare {
    pub(crate) fn new(dice: String, record: Record) -> Self {
        let Record { games, wins, draws, losses } = record;
        Self { dice, games, wins, draws, losses, win_rate: record.win_rate() }
    }
}
