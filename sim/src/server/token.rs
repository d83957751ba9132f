//! The site's token.
//!
//! Decides what a request must carry to be let in. Tokens are JWTs only in form: nothing is signed,
//! because all that a client can read of one is its expiry.

use serde_json::{Value, json};

/// What a request's `Authorization: Bearer …` must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TokenCheck {
    /// This very token, not expired.
    Exact(String),
    /// Any JWT that has not expired.
    AnyUnexpired,
    /// Anything, also nothing.
    Off,
}

impl TokenCheck {
    /// Whether a token (without `Bearer`) is let in.
    pub(super) fn admits(&self, token: Option<&str>, now_ms: i64) -> bool {
        let is_current = |token: &str| expiry(token).is_some_and(|exp| exp * 1000 > now_ms);
        match self {
            Self::Exact(wanted) => token.is_some_and(|token| token == wanted && is_current(token)),
            Self::AnyUnexpired => token.is_some_and(is_current),
            Self::Off => true,
        }
    }
}

/// A JWT without a signature (RFC 7519, section 6) that expires at `exp`, in seconds since 1970.
///
/// ```
/// let token = dicechess_sim::unsigned_jwt(4_102_444_800);
/// assert_eq!(token.split('.').count(), 3);
/// ```
pub fn unsigned_jwt(exp: i64) -> String {
    let header = json!({"alg": "none", "typ": "JWT"}).to_string();
    let claims = json!({"exp": exp, "sub": "simulated operator"}).to_string();
    format!("{}.{}.", encode(header.as_bytes()), encode(claims.as_bytes()))
}

/// The `exp` claim.
fn expiry(token: &str) -> Option<i64> {
    let claims = token.split('.').nth(1).and_then(decode)?;
    serde_json::from_slice::<Value>(&claims).ok()?.get("exp")?.as_i64()
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Base64 for URLs, without padding.
fn encode(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte))
            << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            let index = bits >> (18 - 6 * place) & 63;
            out.push(char::from(ALPHABET[index as usize]));
        }
    }
    out
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for byte in text.bytes() {
        let index = ALPHABET.iter().position(|letter| *letter == byte)?;
        bits = (bits << 6 | index as u32) & 0xff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_round_trips() {
        for text in ["", "a", "ab", "abc", "abcd", "{\"exp\":1}"] {
            assert_eq!(decode(&encode(text.as_bytes())).unwrap(), text.as_bytes());
        }
        assert_eq!(encode(b"{\"a\""), "eyJhIg");
        assert_eq!(decode("a*"), None);
    }

    #[test]
    fn expired_and_foreign_tokens_are_refused() {
        let token = unsigned_jwt(1000);
        let exact = TokenCheck::Exact(token.clone());
        assert!(exact.admits(Some(&token), 999_999));
        assert!(!exact.admits(Some(&token), 1_000_000));
        assert!(!exact.admits(Some(&unsigned_jwt(1001)), 0));
        assert!(TokenCheck::AnyUnexpired.admits(Some(&unsigned_jwt(1001)), 0));
        assert!(!TokenCheck::AnyUnexpired.admits(Some("nonsense"), 0));
        assert!(!exact.admits(None, 0));
        assert!(TokenCheck::Off.admits(None, 0));
    }
}
