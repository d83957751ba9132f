//! The site's identifiers as validated newtypes.
//!
//! Decides what a game id and a user id are and how they are spelled. Leaves to others what they
//! identify.
//!
//! ```
//! use dicechess_core::ids::{GameId, UserId};
//! let game: GameId = "0B5F1C3E-9A77-4C11-8E55-00000000ABCD".parse().unwrap();
//! assert_eq!(game.to_string(), "0b5f1c3e-9a77-4c11-8e55-00000000abcd");
//! assert!(UserId(-41).is_bot());
//! ```

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// A game's UUID. Parsed in any case, printed in lower case with hyphens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GameId(u128);

/// A text that is no UUID of the form `8-4-4-4-12`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("game id {0:?} is not a UUID")]
pub struct InvalidGameId(pub String);

impl GameId {
    /// The id whose 128 bits are `bits`, most significant first.
    pub const fn from_bits(bits: u128) -> Self {
        Self(bits)
    }

    /// The 128 bits of the id.
    pub const fn bits(self) -> u128 {
        self.0
    }
}

impl FromStr for GameId {
    type Err = InvalidGameId;

    fn from_str(text: &str) -> Result<Self, InvalidGameId> {
        let invalid = || InvalidGameId(text.chars().take(60).collect());
        let bytes = text.as_bytes();
        if bytes.len() != 36 {
            return Err(invalid());
        }
        let mut bits = 0u128;
        for (index, byte) in bytes.iter().enumerate() {
            if matches!(index, 8 | 13 | 18 | 23) {
                if *byte != b'-' {
                    return Err(invalid());
                }
                continue;
            }
            let digit = char::from(*byte).to_digit(16).ok_or_else(invalid)?;
            bits = bits << 4 | u128::from(digit);
        }
        Ok(Self(bits))
    }
}

impl fmt::Display for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let b = self.0;
        write!(
            f,
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            (b >> 96) as u32,
            (b >> 80) as u16,
            (b >> 64) as u16,
            (b >> 48) as u16,
            b & 0xffff_ffff_ffff
        )
    }
}

impl fmt::Debug for GameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GameId({self})")
    }
}

impl Serialize for GameId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for GameId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

/// A user's integer id on the site. Negative ids are the site's bots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct UserId(pub i64);

/// A text that is no whole number.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("user id {0:?} is not a whole number")]
pub struct InvalidUserId(pub String);

impl UserId {
    /// Whether the site itself plays under this id.
    pub const fn is_bot(self) -> bool {
        self.0 < 0
    }
}

impl fmt::Display for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for UserId {
    type Err = InvalidUserId;

    fn from_str(text: &str) -> Result<Self, InvalidUserId> {
        text.trim().parse().map(Self).map_err(|_| InvalidUserId(text.chars().take(60).collect()))
    }
}

/// Ids come as numbers or as strings of digits (contract, section 2.1).
impl<'de> Deserialize<'de> for UserId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct IdVisitor;

        impl Visitor<'_> for IdVisitor {
            type Value = UserId;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a user id (a whole number or a string of one)")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<UserId, E> {
                Ok(UserId(value))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<UserId, E> {
                i64::try_from(value)
                    .map(UserId)
                    .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(value), &self))
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<UserId, E> {
                const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
                if value.fract() == 0.0 && value.abs() <= LARGEST_EXACT {
                    Ok(UserId(value as i64))
                } else {
                    Err(E::invalid_value(de::Unexpected::Float(value), &self))
                }
            }

            fn visit_str<E: de::Error>(self, value: &str) -> Result<UserId, E> {
                value.parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_any(IdVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn game_ids_are_lower_case_after_parsing() {
        let id: GameId = "0B5F1C3E-9A77-4C11-8E55-00000000ABCD".parse().unwrap();
        assert_eq!(id.to_string(), "0b5f1c3e-9a77-4c11-8e55-00000000abcd");
        assert_eq!(GameId::from_bits(id.bits()), id);
    }

    #[test]
    fn what_is_no_uuid_is_refused() {
        for text in [
            "",
            "0b5f1c3e-9a77-4c11-8e55-00000000abc",
            "0b5f1c3e-9a77-4c11-8e55-00000000abcde",
            "0b5f1c3e9a774c118e5500000000abcd",
            "0b5f1c3e-9a77-4c11-8e55-00000000abcg",
            "0b5f1c3e_9a77_4c11_8e55_00000000abcd",
            "0b5f1c3e-9a77-4c11-8e55-0000000é0ab",
        ] {
            assert!(text.parse::<GameId>().is_err(), "{text}");
        }
    }

    #[test]
    fn user_ids_come_as_numbers_and_as_strings() {
        for (json, id) in [
            ("77", 77),
            ("\"77\"", 77),
            ("-43", -43),
            ("\"-43\"", -43),
            ("77.0", 77),
            ("2147483653", 2_147_483_653),
        ] {
            assert_eq!(serde_json::from_str::<UserId>(json).unwrap(), UserId(id));
        }
        for json in ["null", "true", "1.5", "\"x\"", "1e300", "18446744073709551615"] {
            assert!(serde_json::from_str::<UserId>(json).is_err(), "{json}");
        }
    }
}
