//! Why a game cannot be normalised.

use thiserror::Error;

use crate::rules::InvalidFen;
use crate::site::UnreadableStateMap;

/// Why a game cannot be normalised.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NormalizeError {
    /// The states cannot be read.
    #[error(transparent)]
    Map(#[from] UnreadableStateMap),
    /// A state says something that cannot be.
    #[error("state {state}: {fault}")]
    State {
        /// The state's key.
        state: u64,
        /// What is wrong with it.
        fault: StateFault,
    },
}

/// What can be wrong with a state. Each names the offending value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StateFault {
    /// A micro-move before any roll.
    #[error("move {0} before any roll")]
    MoveBeforeRoll(String),
    /// A roll with dice of both sides.
    #[error("roll {0} mixes both sides' dice")]
    MixedRoll(String),
    /// A roll of more than three dice.
    #[error("roll {0} has more than three dice")]
    TooManyDice(String),
    /// A die letter that names no piece type.
    #[error("unknown die {0:?}")]
    UnknownDie(String),
    /// A square that is not on the board, or none.
    #[error("unknown square {0:?}")]
    UnknownSquare(String),
    /// A promotion that names no piece.
    #[error("unknown promotion {0:?}")]
    UnknownPromotion(String),
    /// A piece moved on the other side's roll.
    #[error("move {0} is not of the side that rolled")]
    WrongSide(String),
    /// A position that is needed cannot be read.
    #[error("unreadable position {0:?}: {1}")]
    UnreadableFen(String, InvalidFen),
    /// A position is needed and there is none.
    #[error("no position (fen)")]
    NoFen,
}

impl StateFault {
    pub(super) fn at(self, state: u64) -> NormalizeError {
        NormalizeError::State { state, fault: self }
    }

    const fn kind(&self) -> &'static str {
        match self {
            Self::MoveBeforeRoll(_) => "move_before_roll",
            Self::MixedRoll(_) => "mixed_roll",
            Self::TooManyDice(_) => "too_many_dice",
            Self::UnknownDie(_) => "unknown_die",
            Self::UnknownSquare(_) => "unknown_square",
            Self::UnknownPromotion(_) => "unknown_promotion",
            Self::WrongSide(_) => "wrong_side",
            Self::UnreadableFen(..) => "unreadable_fen",
            Self::NoFen => "no_fen",
        }
    }
}

impl NormalizeError {
    /// A stable name of the kind of error.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Map(UnreadableStateMap::NoStateMap) => "no_state_map",
            Self::Map(UnreadableStateMap::Body(_)) => "unreadable_move_history",
            Self::Map(UnreadableStateMap::Key(_)) => "unknown_state_key",
            Self::Map(UnreadableStateMap::State { .. }) => "unreadable_state",
            Self::State { fault, .. } => fault.kind(),
        }
    }

    /// The key of the state it is about.
    pub fn state(&self) -> Option<String> {
        match self {
            Self::Map(UnreadableStateMap::NoStateMap | UnreadableStateMap::Body(_)) => None,
            Self::Map(UnreadableStateMap::Key(state) | UnreadableStateMap::State { state, .. }) => {
                Some(state.clone())
            }
            Self::State { state, .. } => Some(state.to_string()),
        }
    }
}
