//! Dice: a roll and the pool of dice left in a turn.
//!
//! Decides which rolls exist and how dice are spelled. A die names a piece type: 1 pawn, 2 knight,
//! 3 bishop, 4 rook, 5 queen, 6 king. What a die lets a piece do is [`crate::rules`]' matter.
//!
//! ```
//! use dicechess_core::dice::Roll;
//! let roll = Roll::from_codes(&[5, 1, 5]).unwrap();
//! assert_eq!(roll.codes().collect::<Vec<_>>(), [1, 5, 5]);
//! assert_eq!(roll, Roll::from_letters("qPq").unwrap());
//! ```

use shakmaty::{Color, Role};
use thiserror::Error;

/// The six piece types in the order of their codes.
pub const ROLES: [Role; 6] =
    [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

/// A multiset of up to three dice: what may still be played in a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Pool {
    counts: [u8; 6],
}

/// One to three dice as rolled, without order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Roll(Pool);

/// Why dice are no roll.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InvalidRoll {
    /// No die at all.
    #[error("a roll needs at least one die")]
    Empty,
    /// More than three dice.
    #[error("a roll has at most three dice, not {0}")]
    TooMany(usize),
    /// A code or letter that names no piece type.
    #[error("unknown die {0}")]
    UnknownDie(String),
}

impl Pool {
    /// How many dice of a piece type are left.
    pub fn count(self, role: Role) -> u8 {
        self.counts[usize::from(role) - 1]
    }

    /// How many dice are left.
    pub fn len(self) -> u8 {
        self.counts.iter().sum()
    }

    /// Whether no die is left.
    pub fn is_empty(self) -> bool {
        self.counts == [0; 6]
    }

    /// The dice left, as codes in ascending order.
    pub fn codes(self) -> impl Iterator<Item = u8> {
        (1..=6u8).flat_map(move |code| {
            std::iter::repeat_n(code, usize::from(self.counts[usize::from(code) - 1]))
        })
    }

    /// The dice as piece letters in the order of their codes: upper case for White's, lower case
    /// for Black's; `-` for an empty pool.
    pub fn letters(self, color: Color) -> String {
        if self.is_empty() {
            return "-".to_owned();
        }
        self.codes().map(|code| ROLES[usize::from(code) - 1].of(color).char()).collect()
    }

    pub(crate) fn contains(self, role: Role) -> bool {
        self.count(role) > 0
    }

    /// The pool without one die of `role`, which must be in it.
    pub(crate) fn without(mut self, role: Role) -> Self {
        self.counts[usize::from(role) - 1] -= 1;
        self
    }

    pub(crate) fn with(mut self, role: Role) -> Self {
        self.counts[usize::from(role) - 1] += 1;
        self
    }
}

impl Roll {
    /// A roll from codes 1 to 6 in any order.
    ///
    /// # Errors
    /// No dice, more than three, or a code outside 1 to 6.
    pub fn from_codes(codes: &[u8]) -> Result<Self, InvalidRoll> {
        let mut pool = Pool::default();
        for code in codes {
            let role = code.checked_sub(1).and_then(|index| ROLES.get(usize::from(index)));
            pool = pool.with(*role.ok_or_else(|| InvalidRoll::UnknownDie(code.to_string()))?);
        }
        Self::from_pool(pool, codes.len())
    }

    /// A roll from piece letters in any case and order, e.g. `PNB`.
    ///
    /// # Errors
    /// No dice, more than three, or a letter that is none of `PNBRQK`.
    pub fn from_letters(letters: &str) -> Result<Self, InvalidRoll> {
        let mut pool = Pool::default();
        for letter in letters.chars() {
            let role = Role::from_char(letter);
            pool = pool.with(role.ok_or_else(|| InvalidRoll::UnknownDie(letter.to_string()))?);
        }
        Self::from_pool(pool, letters.chars().count())
    }

    fn from_pool(pool: Pool, dice: usize) -> Result<Self, InvalidRoll> {
        match dice {
            0 => Err(InvalidRoll::Empty),
            1..=3 => Ok(Self(pool)),
            _ => Err(InvalidRoll::TooMany(dice)),
        }
    }

    /// The dice as codes in ascending order, the form in which rolls are sent.
    pub fn codes(self) -> impl Iterator<Item = u8> {
        self.0.codes()
    }

    /// All dice of the roll, none played yet.
    pub fn pool(self) -> Pool {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolls_that_do_not_exist() {
        assert_eq!(Roll::from_codes(&[]), Err(InvalidRoll::Empty));
        assert_eq!(Roll::from_codes(&[1, 1, 1, 1]), Err(InvalidRoll::TooMany(4)));
        assert_eq!(Roll::from_codes(&[7]), Err(InvalidRoll::UnknownDie("7".into())));
        assert_eq!(Roll::from_codes(&[0]), Err(InvalidRoll::UnknownDie("0".into())));
        assert_eq!(Roll::from_letters("PX"), Err(InvalidRoll::UnknownDie("X".into())));
        assert_eq!(Roll::from_letters("♞"), Err(InvalidRoll::UnknownDie("♞".into())));
    }

    #[test]
    fn letters_take_the_case_of_their_side() {
        let pool = Roll::from_codes(&[3, 1, 2]).unwrap().pool();
        assert_eq!(pool.letters(Color::White), "PNB");
        assert_eq!(pool.letters(Color::Black), "pnb");
        assert_eq!(Pool::default().letters(Color::White), "-");
    }
}
