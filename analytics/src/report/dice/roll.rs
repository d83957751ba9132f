//! The 56 distinct rolls of three dice and how often fair dice give them.
//!
//! Of the 216 ordered rolls, a roll of three equal dice is 1, of two equal dice 3, of three
//! different ones 6.

use dicechess_core::dice::Roll;
use serde::Serialize;

/// The piece letters in alphabetical order, which is the order of `dice_sorted`.
const LETTERS: [u8; 6] = *b"BKNPQR";

/// How many distinct rolls there are.
pub const DISTINCT_ROLLS: usize = 56;

/// How many of a roll's dice are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RollKind {
    /// Three different dice.
    Single,
    /// Two equal dice.
    Double,
    /// Three equal dice.
    Triple,
}

impl RollKind {
    /// In the order of the tables.
    pub const ALL: [Self; 3] = [Self::Single, Self::Double, Self::Triple];

    /// The share that fair dice give.
    pub fn expected(self) -> f64 {
        match self {
            Self::Single => 120.0 / 216.0,
            Self::Double => 90.0 / 216.0,
            Self::Triple => 6.0 / 216.0,
        }
    }

    /// The share that fair dice give one roll of this kind.
    pub(super) fn expected_of_one(self) -> f64 {
        match self {
            Self::Single => 6.0 / 216.0,
            Self::Double => 3.0 / 216.0,
            Self::Triple => 1.0 / 216.0,
        }
    }

    /// Its name in tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Single => "singles (three different)",
            Self::Double => "doubles (two equal)",
            Self::Triple => "triples (three equal)",
        }
    }
}

/// The letters of all distinct rolls, upper case, in alphabetical order.
pub(super) fn all() -> Vec<String> {
    let mut rolls = Vec::with_capacity(DISTINCT_ROLLS);
    for (i, a) in LETTERS.iter().enumerate() {
        for (j, b) in LETTERS.iter().enumerate().skip(i) {
            for c in &LETTERS[j..] {
                rolls.push([a, b, c].map(|letter| char::from(*letter)).iter().collect());
            }
        }
    }
    rolls
}

/// The kind of a roll given as letters.
pub(super) fn kind(letters: &str) -> RollKind {
    let letters = letters.as_bytes();
    let equal = letters.windows(2).filter(|pair| pair[0] == pair[1]).count();
    match equal {
        0 => RollKind::Single,
        1 => RollKind::Double,
        _ => RollKind::Triple,
    }
}

/// The place of a roll of three dice in [`all`]; none when the letters are no such roll.
pub(super) fn index(rolls: &[String], letters: &str) -> Option<usize> {
    if letters.len() != 3 || Roll::from_letters(letters).is_err() {
        return None;
    }
    let mut letters = letters.to_ascii_uppercase().into_bytes();
    letters.sort_unstable();
    rolls.binary_search_by(|roll| roll.as_bytes().cmp(&letters)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fifty_six_rolls_and_their_shares() {
        let rolls = all();
        assert_eq!(rolls.len(), DISTINCT_ROLLS);
        assert!(rolls.is_sorted());
        let count = |wanted| rolls.iter().filter(|roll| kind(roll) == wanted).count();
        assert_eq!(RollKind::ALL.map(count), [20, 30, 6]);
        for kind in RollKind::ALL {
            let all = count(kind) as f64 * kind.expected_of_one();
            assert!((all - kind.expected()).abs() < 1e-12);
        }
    }

    #[test]
    fn letters_are_found_in_any_case_and_order() {
        let rolls = all();
        assert_eq!(index(&rolls, "bpq").map(|at| rolls[at].as_str()), Some("BPQ"));
        assert_eq!(index(&rolls, "RNB").map(|at| rolls[at].as_str()), Some("BNR"));
        for no_roll in ["", "BP", "BPQR", "BPX", "é1"] {
            assert_eq!(index(&rolls, no_roll), None);
        }
    }
}
