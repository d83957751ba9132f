//! What really happened in a game.
//!
//! Decides how the player of games notes what it played. The record is made while playing and never
//! read back from a state map, so that tests can hold a normalisation against it. It tells what a
//! correct normalisation can know: a last roll that was never played is no turn, and a draw whose
//! agreement left no trace has no events.

use std::collections::BTreeSet;
use std::fmt;

use shakmaty::{CastlingSide, Color, Role};

/// The truth about one game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameTruth {
    /// The position of state 0, as the map spells it.
    pub initial_fen: String,
    /// The turns, without a last roll that was never played.
    pub turns: Vec<TruthTurn>,
    /// Doubles and draws, in order.
    pub events: Vec<TruthEvent>,
    /// How the game ended.
    pub termination: Termination,
    /// The result from White's point of view.
    pub result: Option<i8>,
    /// The pot at the start.
    pub initial_stake: i64,
    /// The pot at the end.
    pub final_stake: i64,
    /// What is special about the game.
    pub features: BTreeSet<Feature>,
}

/// One turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruthTurn {
    /// Who rolled.
    pub color: Color,
    /// The dice as codes in ascending order.
    pub dice: Vec<u8>,
    /// The micro-moves as UCI, spelled as the map spells them; none for a pass.
    pub moves: Vec<String>,
    /// Whether the game ended before the turn was complete.
    pub is_partial: bool,
}

/// One double or draw event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TruthEvent {
    /// What happened.
    pub kind: EventKind,
    /// Who did it.
    pub actor: Color,
}

/// The types of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    /// A double was offered.
    DoubleOffer,
    /// The double was accepted; the pot grew.
    DoubleAccept,
    /// The double was declined; the game is lost.
    DoubleDecline,
    /// A draw was offered.
    DrawOffer,
    /// The draw was accepted.
    DrawAccept,
}

impl EventKind {
    /// The name in the ingest contract.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DoubleOffer => "DOUBLE_OFFER",
            Self::DoubleAccept => "DOUBLE_ACCEPT",
            Self::DoubleDecline => "DOUBLE_DECLINE",
            Self::DrawOffer => "DRAW_OFFER",
            Self::DrawAccept => "DRAW_ACCEPT",
        }
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Termination {
    /// A king was captured.
    KingCaptured,
    /// A clock ran out.
    Timeout,
    /// A player resigned.
    Resign,
    /// The players agreed on a draw.
    DrawAgreement,
    /// A double was declined.
    DoubleDeclined,
    /// Nothing tells: still running, broken off or cancelled.
    Unknown,
}

impl Termination {
    /// The name in the ingest contract.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::KingCaptured => "king_captured",
            Self::Timeout => "timeout",
            Self::Resign => "resign",
            Self::DrawAgreement => "draw_agreement",
            Self::DoubleDeclined => "double_declined",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Termination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What makes a game worth testing with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Feature {
    /// A roll that allowed no micro-move.
    Pass,
    /// A last roll that was never played though it could have been.
    UnplayedRoll,
    /// The game ended between the micro-moves of a turn.
    PartialLastTurn,
    /// A castling.
    Castling(CastlingWing),
    /// En passant as the n-th micro-move of its turn.
    EnPassant(u8),
    /// A promotion to this piece.
    Promotion(Promoted),
    /// A piece moved in the turn in which it was promoted.
    PromotedPieceMoved,
    /// A pawn took the king on the last rank.
    PawnTookKingOnLastRank,
    /// A shuffled back rank.
    Chess960,
    /// A castling from a shuffled back rank.
    Chess960Castling(CastlingWing),
    /// A roll of fewer than three dice.
    FewDice,
    /// An accepted double.
    DoubleAccepted,
    /// A draw whose agreement can be read off the clocks.
    DrawSeen,
    /// A draw without such a trace.
    DrawUnseen,
    /// No turn at all.
    NoTurns,
}

/// The wing of a castling, ordered so that features can be listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CastlingWing {
    /// Towards the h-file.
    KingSide,
    /// Towards the a-file.
    QueenSide,
}

impl From<CastlingSide> for CastlingWing {
    fn from(side: CastlingSide) -> Self {
        if side.is_king_side() { Self::KingSide } else { Self::QueenSide }
    }
}

/// What a pawn became.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Promoted {
    Queen,
    Rook,
    Bishop,
    Knight,
}

impl Promoted {
    pub(crate) const fn from_role(role: Role) -> Self {
        match role {
            Role::Rook => Self::Rook,
            Role::Bishop => Self::Bishop,
            Role::Knight => Self::Knight,
            Role::Pawn | Role::Queen | Role::King => Self::Queen,
        }
    }
}
