//! The expiry of a bearer token.
//!
//! Decides whether a token is known to be expired before it is sent. Checks no signature: that is
//! the site's work. What is no JWT has no expiry and is sent as it is. Nothing of the token appears
//! in any result.

use serde::Deserialize;

use crate::time::UnixMillis;

/// When the token expires, as its `exp` says; `None` when it does not say.
///
/// ```
/// use dicechess_core::{pacing::token, time::UnixMillis};
/// // {"exp":1774901324}
/// let expiry = token::expiry("e30.eyJleHAiOjE3NzQ5MDEzMjR9.c2ln");
/// assert_eq!(expiry, Some(UnixMillis(1_774_901_324_000)));
/// assert_eq!(token::expiry("opaque"), None);
/// ```
#[must_use]
pub fn expiry(jwt: &str) -> Option<UnixMillis> {
    #[derive(Deserialize)]
    struct Claims {
        exp: f64,
    }

    let mut parts = jwt.trim().split('.');
    let (_header, payload, _signature) = (parts.next()?, parts.next()?, parts.next()?);
    let claims: Claims = serde_json::from_slice(&base64url(payload)?).ok()?;
    // Seconds with a possible fraction. The cast saturates, which is what a huge number means.
    let millis = (claims.exp * 1000.0) as i64;
    Some(UnixMillis(millis))
}

/// Whether the text has the form of a JWT: three parts, the second a JSON object.
///
/// ```
/// use dicechess_core::pacing::token::is_jwt;
/// assert!(is_jwt("e30.eyJleHAiOjE3NzQ5MDEzMjR9.c2ln"));
/// assert!(!is_jwt("opaque") && !is_jwt("e30.eyJleHAiOjE3Nz.c2ln") && !is_jwt("a.b.c.d"));
/// ```
#[must_use]
pub fn is_jwt(text: &str) -> bool {
    let parts: Vec<&str> = text.trim().split('.').collect();
    let [_header, payload, _signature] = parts[..] else { return false };
    base64url(payload).is_some_and(|json| serde_json::from_slice::<Claimed>(&json).is_ok())
}

/// Any claims at all.
type Claimed = std::collections::BTreeMap<String, serde::de::IgnoredAny>;

/// Whether the token is known to be expired.
#[must_use]
pub fn is_expired(jwt: &str, now: UnixMillis) -> bool {
    expiry(jwt).is_some_and(|expiry| expiry <= now)
}

/// RFC 4648 section 5, with or without padding; lone bits at the end are dropped.
fn base64url(text: &str) -> Option<Vec<u8>> {
    let (mut bytes, mut buffer, mut bits) = (Vec::new(), 0u32, 0u32);
    for symbol in text.trim_end_matches('=').bytes() {
        let value = match symbol {
            b'A'..=b'Z' => symbol - b'A',
            b'a'..=b'z' => symbol - b'a' + 26,
            b'0'..=b'9' => symbol - b'0' + 52,
            b'-' => 62,
            b'_' => 63,
            _ => return None,
        };
        buffer = (buffer << 6 | u32::from(value)) & 0xffff;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((buffer >> bits & 0xff) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64url_of_the_rfc() {
        for (text, bytes) in [
            ("", b"".as_slice()),
            ("Zg", b"f"),
            ("Zg==", b"f"),
            ("Zm8", b"fo"),
            ("Zm9v", b"foo"),
            ("Zm9vYmFy", b"foobar"),
            ("-_8", b"\xfb\xff"),
        ] {
            assert_eq!(base64url(text).as_deref(), Some(bytes), "{text}");
        }
        assert_eq!(base64url("+/8"), None);
    }

    #[test]
    fn expiries() {
        // {"sub":"é","exp":1774901324.5}
        let jwt = "e30.eyJzdWIiOiLDqSIsImV4cCI6MTc3NDkwMTMyNC41fQ.s";
        assert_eq!(expiry(jwt), Some(UnixMillis(1_774_901_324_500)));
        assert!(is_expired(jwt, UnixMillis(1_774_901_324_500)));
        assert!(!is_expired(jwt, UnixMillis(1_774_901_324_499)));
        // No token, no payload, no JSON, no expiry, an expiry that is no number.
        for jwt in ["", "a.b", "e30.*.s", "e30.Zm9v.s", "e30.e30.s", "e30.eyJleHAiOiJ4In0.s"] {
            assert_eq!(expiry(jwt), None, "{jwt}");
            assert!(!is_expired(jwt, UnixMillis(i64::MAX)));
        }
    }
}
