//! One piece move: as the rules know it and as UCI spells it.
//!
//! Decides spelling. A [`UciMove`] is what a record says; a [`MicroMove`] is what it means on a
//! board. One spelling can have two meanings in Chess960 (a king step and a castling);
//! [`super::judge`] picks the one that makes the turn legal.

use std::fmt;
use std::str::FromStr;

use shakmaty::{CastlingSide, Role, Square};
use thiserror::Error;

/// A micro-move with its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MicroMove {
    /// A piece moves, and takes what stands there (or the pawn it passes, en passant).
    Step {
        /// The piece that moves, and the die it uses.
        role: Role,
        /// Where it stands.
        from: Square,
        /// Where it goes.
        to: Square,
        /// What a pawn becomes on the last rank.
        promotion: Option<Role>,
    },
    /// King and rook move together; uses a king die and a rook die.
    Castle {
        /// Where the king stands.
        king: Square,
        /// Where the rook stands.
        rook: Square,
        /// Towards which wing.
        side: CastlingSide,
    },
}

impl MicroMove {
    /// How many dice it uses.
    pub fn dice(self) -> u8 {
        match self {
            Self::Step { .. } => 1,
            Self::Castle { .. } => 2,
        }
    }

    /// Its spelling. Castling is written as the king's move (`e1g1`); where the king would step
    /// one square or none, which could be read as a plain king step, as king takes rook.
    pub fn to_uci(self) -> UciMove {
        match self {
            Self::Step { from, to, promotion, .. } => UciMove { from, to, promotion },
            Self::Castle { king, rook, side } => {
                let king_to = Square::from_coords(side.king_to_file(), king.rank());
                let to = if king.distance(king_to) > 1 { king_to } else { rook };
                UciMove { from: king, to, promotion: None }
            }
        }
    }
}

impl fmt::Display for MicroMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_uci().fmt(f)
    }
}

/// A micro-move as written: `e2e4`, `e7e8q`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UciMove {
    /// Where the piece stands.
    pub from: Square,
    /// Where it goes.
    pub to: Square,
    /// What a pawn becomes.
    pub promotion: Option<Role>,
}

/// A text that spells no move.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} is no move")]
pub struct InvalidUciMove(pub String);

impl fmt::Display for UciMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)?;
        self.promotion.map_or(Ok(()), |role| write!(f, "{}", role.char()))
    }
}

impl FromStr for UciMove {
    type Err = InvalidUciMove;

    fn from_str(text: &str) -> Result<Self, InvalidUciMove> {
        parse(text.as_bytes()).ok_or_else(|| InvalidUciMove(text.chars().take(20).collect()))
    }
}

fn parse(text: &[u8]) -> Option<UciMove> {
    let promotion = match text {
        [_, _, _, _] => None,
        [_, _, _, _, b'q'] => Some(Role::Queen),
        [_, _, _, _, b'r'] => Some(Role::Rook),
        [_, _, _, _, b'b'] => Some(Role::Bishop),
        [_, _, _, _, b'n'] => Some(Role::Knight),
        _ => return None,
    };
    let from = Square::from_ascii(&text[..2]).ok()?;
    let to = Square::from_ascii(&text[2..4]).ok()?;
    Some(UciMove { from, to, promotion })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_round_trips() {
        for text in ["e2e4", "e7e8q", "a2a1n", "h7g8r", "e1g1"] {
            assert_eq!(text.parse::<UciMove>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_spells_no_move() {
        for text in ["", "e2", "e2e9", "e2e4k", "e2e4qq", "E2E4", "0000", "é2e4", "N@e4"] {
            assert!(text.parse::<UciMove>().is_err(), "{text}");
        }
    }
}
