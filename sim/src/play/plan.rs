//! How a game is going to go, settled before its first move.
//!
//! Decides the ending and what is crafted in a game. The result must stand before the moves do: a
//! history page tells results, and playing five hundred games for one page would be slow.

use rand::Rng;

/// How a game is going to end. Who wins says the game's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The winner takes the king.
    KingCaptured,
    /// The loser gives up.
    Resign(EndPoint),
    /// The loser's clock runs out.
    Timeout(EndPoint),
    /// The players agree; `seen` if the map shows it.
    Draw { at: EndPoint, seen: bool },
    /// The winner offers a double and the loser declines; `rolled` if the winner's roll is shown.
    DoubleDeclined { rolled: bool },
    /// The record just stops.
    Open(EndPoint),
}

/// Where in a turn a game ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndPoint {
    /// After a whole turn, before the next roll.
    BetweenTurns,
    /// After a roll, before its first micro-move.
    Unplayed,
    /// Between the micro-moves of a turn.
    MidTurn,
}

impl EndPoint {
    pub(crate) fn random(rng: &mut impl Rng) -> Self {
        match rng.random_range(0..10) {
            0..4 => Self::BetweenTurns,
            4..7 => Self::Unplayed,
            _ => Self::MidTurn,
        }
    }
}

/// What is settled about the moves of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) ending: Ending,
    /// The game ends as soon as it can after this many turns.
    pub(crate) turns: usize,
    pub(crate) start: Start,
    /// Turns that are played as written before chance takes over.
    pub(crate) script: &'static [ScriptedTurn],
    pub(crate) doubles: Doubles,
}

/// Where a game starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    Standard,
    /// A shuffled back rank, drawn by the game's own stream.
    Chess960,
    Crafted(&'static str),
    /// With a shuffled back rank.
    Crafted960(&'static str),
}

/// When doubles are offered and accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Doubles {
    Never,
    Sometimes,
    /// Before the turns with these numbers, counted from 0.
    Before(&'static [usize]),
}

/// A roll (piece letters) and the micro-moves played with it.
pub(crate) type ScriptedTurn = (&'static str, &'static [&'static str]);
