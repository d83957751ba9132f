//! One-time codes with which a browser extension is paired.
//!
//! Decides how a code is spelled and how it is read when somebody typed it, how long it is good and
//! how many wrong tries all codes survive. Leaves random numbers, hashing and storage to the host.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

/// How long a code is good.
pub const CODE_LIFE: Duration = Duration::from_mins(10);

/// Wrong codes that may be tried, by whomever, before the codes that were good meanwhile are void.
pub const MOST_FAILED_TRIES: u32 = 20;

/// A code of 50 random bits: ten characters that cannot be mistaken for each other.
///
/// ```
/// use dicechess_core::pairing::PairingCode;
/// let code = PairingCode::from_random(0x0123_4567_89ab_cdef);
/// assert_eq!(code.to_string(), "T5CY4-TQKFF");
/// assert_eq!("t5cy4 tqkff".parse(), Ok(code));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PairingCode(u64);

/// A text that is no code. It is not repeated: it may be one with a slip.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("a pairing code has ten letters and digits, as in T5CY4-TQKFF")]
pub struct InvalidPairingCode;

impl PairingCode {
    /// The code made of the lowest 50 bits.
    #[must_use]
    pub const fn from_random(random: u64) -> Self {
        Self(random & ((1 << (LENGTH * BITS)) - 1))
    }
}

/// Two groups of five.
impl fmt::Display for PairingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for place in 0..LENGTH {
            if place == LENGTH / 2 {
                f.write_str("-")?;
            }
            let index = self.0 >> ((LENGTH - 1 - place) * BITS) & 31;
            write!(f, "{}", char::from(ALPHABET[index as usize]))?;
        }
        Ok(())
    }
}

/// A code lets its finder in.
impl fmt::Debug for PairingCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PairingCode(…)")
    }
}

/// Any case, with or without the hyphen; `O` is read as zero, `I` and `L` as one.
impl FromStr for PairingCode {
    type Err = InvalidPairingCode;

    fn from_str(text: &str) -> Result<Self, InvalidPairingCode> {
        let (mut bits, mut length) = (0, 0);
        for c in text.chars().filter(|c| *c != '-' && !c.is_whitespace()) {
            let digit = match c.to_ascii_uppercase() {
                'O' => '0',
                'I' | 'L' => '1',
                other => other,
            };
            let is_digit = |known: &u8| char::from(*known) == digit;
            let index = ALPHABET.iter().position(is_digit).ok_or(InvalidPairingCode)?;
            length += 1;
            if length > LENGTH {
                return Err(InvalidPairingCode);
            }
            bits = bits << BITS | index as u64;
        }
        if length == LENGTH { Ok(Self(bits)) } else { Err(InvalidPairingCode) }
    }
}

/// Characters of a code.
const LENGTH: u32 = 10;
/// Bits of a character.
const BITS: u32 = 5;
/// Crockford's base 32.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_typed_is_read_kindly_and_nothing_else() {
        let code = PairingCode::from_random(1 << 5);
        assert_eq!(code.to_string(), "00000-00010");
        for text in ["00000-00010", " ooooo 000lO ", "0000000010", "00000-000i0"] {
            assert_eq!(text.parse(), Ok(code), "{text}");
        }
        for text in ["", "00000-0001", "00000-000100", "00000-0001U", "00000_00010", "00000-0001ё"]
        {
            assert_eq!(text.parse::<PairingCode>(), Err(InvalidPairingCode), "{text}");
        }
        assert!(!format!("{code:?}").contains('0'));
    }

    proptest! {
        #[test]
        fn codes_round_trip(random: u64) {
            let code = PairingCode::from_random(random);
            prop_assert_eq!(code.to_string().parse(), Ok(code));
            prop_assert_eq!(code.to_string().to_lowercase().parse(), Ok(code));
        }
    }
}
