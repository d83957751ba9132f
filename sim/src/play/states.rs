//! A game as a row of states, before anything is spelled.
//!
//! Decides which states a game's map consists of and what each of them must show for the record to
//! be readable. How they are written is [`crate::site`]'s matter.

use dicechess_core::rules::{Position, UciMove};
use shakmaty::{ByColor, Color};

/// One state of the map.
#[derive(Debug, Clone)]
pub(crate) struct State {
    pub(crate) kind: StateKind,
    pub(crate) position: Position,
    pub(crate) dice: Option<Dice>,
    pub(crate) played: Option<UciMove>,
    pub(crate) bank: i64,
    /// In milliseconds.
    pub(crate) clocks: ByColor<i64>,
    /// Whether the clocks must be shown.
    pub(crate) needs_clocks: bool,
    /// Whether the dice must be shown even where the site may leave them out.
    pub(crate) needs_dice: bool,
}

/// What a state is there for, and so what its writer is free to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StateKind {
    /// State 0 without a roll.
    Start,
    /// A roll; `is_first` if it stands in state 0.
    Roll { is_first: bool },
    /// The same roll once more.
    RepeatedRoll,
    /// A micro-move after which the turn goes on, or which took a king.
    Move,
    /// The last micro-move of a turn, whose end is not yet in the position: the site may or may not
    /// have flipped the active colour.
    LastMove,
    /// The pot grew between two turns.
    Bank,
    /// Position and dice of the state before, once more.
    Same,
    /// The dice of the state before, all blocked, with the side to move as in the position.
    Blocked,
}

/// The dice of the current turn.
#[derive(Debug, Clone)]
pub(crate) struct Dice {
    pub(crate) color: Color,
    /// Code and whether it is used, in the order rolled.
    pub(crate) dice: Vec<(u8, bool)>,
    /// Whether any die can be played.
    pub(crate) is_stuck: bool,
}

impl Dice {
    /// Marks the dice that a micro-move uses.
    pub(super) fn use_up(&mut self, left: &[u8]) {
        let mut left = left.to_vec();
        for (code, is_used) in self.dice.iter_mut().rev() {
            let place = left.iter().position(|other| other == code);
            *is_used = place.map(|place| left.remove(place)).is_none();
        }
    }
}
