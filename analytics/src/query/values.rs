//! Values that are neither words nor plain numbers.

use std::str::FromStr;

use dicechess_core::dice::Roll;
use dicechess_core::rules::Position;
use uuid::Uuid;

/// A player's UUID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlayerId(String);

/// A whole number from `LEAST` to `MOST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bounded<const LEAST: i64, const MOST: i64>(pub(crate) i64);

/// How many items are answered: `DEFAULT`, or any number from 1 to `MOST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit<const DEFAULT: i64, const MOST: i64>(pub(crate) i64);

/// A position.
#[derive(Debug, Clone)]
pub(crate) struct Fen(pub(crate) Position);

/// A roll in letters of either case.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dice(pub(crate) Roll);

impl PlayerId {
    /// Lower case with hyphens.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PlayerId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // The other spellings of a UUID have other lengths.
        let id = Uuid::parse_str(text).ok().filter(|_| text.len() == 36);
        id.map(|id| Self(id.to_string())).ok_or_else(|| format!("{} is not a UUID", quote(text)))
    }
}

impl<const LEAST: i64, const MOST: i64> FromStr for Bounded<LEAST, MOST> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.parse().ok().filter(|number| (LEAST..=MOST).contains(number));
        number.map(Self).ok_or_else(|| {
            let range = match (LEAST, MOST) {
                (i64::MIN, i64::MAX) => String::new(),
                (_, i64::MAX) => format!(" from {LEAST}"),
                _ => format!(" from {LEAST} to {MOST}"),
            };
            format!("{} is not a whole number{range}", quote(text))
        })
    }
}

impl<const DEFAULT: i64, const MOST: i64> FromStr for Limit<DEFAULT, MOST> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
        number
            .map(Self)
            .ok_or_else(|| format!("{} is not a whole number from 1 to {MOST}", quote(text)))
    }
}

impl<const DEFAULT: i64, const MOST: i64> Default for Limit<DEFAULT, MOST> {
    fn default() -> Self {
        Self(DEFAULT)
    }
}

impl FromStr for Fen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(Self).map_err(|error| format!("{error}"))
    }
}

impl FromStr for Dice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Roll::from_letters(text).map(Self).map_err(|error| error.to_string())
    }
}

/// What is said of a word that a vocabulary does not have.
pub(super) fn unknown(text: &str, known: &str) -> String {
    format!("{} is none of {known}", quote(text))
}

fn quote(text: &str) -> String {
    format!("{:?}", text.chars().take(60).collect::<String>())
}
