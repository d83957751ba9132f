//! Who signed in.
//!
//! Decides how long a session lasts, how many there are and how often a wrong token may be tried.
//! Sessions live in memory: a restart ends them all. Of a session's id only a hash is kept.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dicechess_core::time::UnixMillis;
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

pub(super) const COOKIE_NAME: &str = "dicechess_session";
/// How long a session lasts.
pub(super) const SESSION_LIFE: Duration = Duration::from_hours(12);

/// The sessions under way.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// Hashes of ids and when they end, oldest first.
    sessions: VecDeque<([u8; 32], UnixMillis)>,
    /// When wrong tokens were given lately.
    failures: VecDeque<UnixMillis>,
}

/// Why nobody is signed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignInRefused {
    /// The token is wrong.
    WrongToken,
    /// Too many wrong tokens: none is looked at for a while.
    TooOften,
}

impl Sessions {
    /// Begins a session for whoever knows the token, and tells its id.
    pub(super) fn sign_in(
        &self,
        given: &str,
        token: &SecretString,
        now: UnixMillis,
    ) -> Result<String, SignInRefused> {
        let mut inner = self.lock();
        inner.failures.retain(|at| *at <= now && *at + FAILURE_MEMORY > now);
        if inner.failures.len() >= MOST_FAILURES {
            return Err(SignInRefused::TooOften);
        }
        // Equal lengths, so that the comparison tells nothing of the token's.
        let is_right = hash(given).ct_eq(&hash(token.expose_secret()));
        if !bool::from(is_right) {
            inner.failures.push_back(now);
            return Err(SignInRefused::WrongToken);
        }
        let id = random_id();
        inner.sessions.retain(|(_, end)| *end > now);
        if inner.sessions.len() >= MOST_SESSIONS {
            inner.sessions.pop_front();
        }
        inner.sessions.push_back((hash(&id), now + SESSION_LIFE));
        Ok(id)
    }

    /// Whether a session of this id lasts.
    pub(super) fn is_valid(&self, id: &str, now: UnixMillis) -> bool {
        let wanted = hash(id);
        let inner = self.lock();
        let mut lasting = inner.sessions.iter().filter(|(_, end)| *end > now);
        lasting.any(|(known, _)| bool::from(known.ct_eq(&wanted)))
    }

    /// Ends a session.
    pub(super) fn sign_out(&self, id: &str) {
        let gone = hash(id);
        self.lock().sessions.retain(|(known, _)| !bool::from(known.ct_eq(&gone)));
    }

    /// No change of the queues is left half done by a panic.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text.as_bytes()).into()
}

fn random_id() -> String {
    let bytes: [u8; 32] = rand::random();
    bytes.iter().fold(String::with_capacity(64), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

const MOST_SESSIONS: usize = 32;
const MOST_FAILURES: usize = 5;
const FAILURE_MEMORY: Duration = Duration::from_mins(1);

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis(1_790_000_000_000);

    fn token() -> SecretString {
        "open sesame".into()
    }

    #[test]
    fn a_session_lasts_until_it_ends() {
        let sessions = Sessions::default();
        let id = sessions.sign_in("open sesame", &token(), NOW).unwrap();
        assert!(sessions.is_valid(&id, NOW));
        assert!(!sessions.is_valid("open sesame", NOW));
        assert!(!sessions.is_valid(&id, NOW + SESSION_LIFE));
        sessions.sign_out(&id);
        assert!(!sessions.is_valid(&id, NOW));
    }

    #[test]
    fn guessing_is_slow() {
        let sessions = Sessions::default();
        for guess in ["", "open", "open sesame ", "Open sesame", "0"] {
            let refused = sessions.sign_in(guess, &token(), NOW).unwrap_err();
            assert_eq!(refused, SignInRefused::WrongToken);
        }
        let now = NOW + Duration::from_secs(59);
        let refused = sessions.sign_in("open sesame", &token(), now).unwrap_err();
        assert_eq!(refused, SignInRefused::TooOften);
        assert!(sessions.sign_in("open sesame", &token(), NOW + FAILURE_MEMORY).is_ok());
    }

    #[test]
    fn old_sessions_make_room() {
        let sessions = Sessions::default();
        let first = sessions.sign_in("open sesame", &token(), NOW).unwrap();
        for _ in 0..MOST_SESSIONS {
            sessions.sign_in("open sesame", &token(), NOW).unwrap();
        }
        assert!(!sessions.is_valid(&first, NOW));
    }
}
