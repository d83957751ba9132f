//! How a throttled request (429, 503) is repeated.
//!
//! Decides how long to wait and when to give up. Leaves to [`super::PacingState`] to remember the
//! wait and to the state machines what giving up means for the item.

use std::time::Duration;

use crate::time::UnixMillis;

/// The repetition the operator configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// The wait before the first repetition, doubled for each further one.
    pub base: Duration,
    /// Repetitions before giving up.
    pub max_retries: u32,
}

/// The longest wait that a `Retry-After` can ask for.
pub const LONGEST_RETRY_AFTER: Duration = Duration::from_hours(6);

impl Backoff {
    /// The wait before repetition number `attempt`, counted from 1; `None` is giving up. What the
    /// site asked for is kept to the letter, without it the wait is exponential and varied by a
    /// fifth to both sides with `random` in `[0, 1)`, at most an hour.
    #[must_use]
    pub fn after_throttle(
        &self,
        attempt: u32,
        retry_after: Option<Duration>,
        random: f64,
    ) -> Option<Duration> {
        if attempt > self.max_retries {
            return None;
        }
        Some(retry_after.unwrap_or_else(|| self.exponential(attempt, random)))
    }

    fn exponential(&self, attempt: u32, random: f64) -> Duration {
        let factor = 2u32.saturating_pow(attempt.saturating_sub(1));
        let wait = self.base.saturating_mul(factor).min(LONGEST_WAIT);
        let share = if random.is_finite() { random.clamp(0.0, 1.0) } else { 1.0 };
        wait.mul_f64(0.8 + 0.4 * share).min(LONGEST_WAIT)
    }
}

/// Reads a `Retry-After` header: seconds, or an HTTP date as they are written today. At most
/// [`LONGEST_RETRY_AFTER`]; a date that has passed is no wait; anything else is `None`.
///
/// ```
/// use std::time::Duration;
/// use dicechess_core::{pacing::parse_retry_after, time::UnixMillis};
/// let now = UnixMillis::parse_iso("1994-11-06T08:49:00Z").unwrap();
/// assert_eq!(parse_retry_after("120", now), Some(Duration::from_secs(120)));
/// let date = "Sun, 06 Nov 1994 08:49:37 GMT";
/// assert_eq!(parse_retry_after(date, now), Some(Duration::from_secs(37)));
/// ```
pub fn parse_retry_after(text: &str, now: UnixMillis) -> Option<Duration> {
    let text = text.trim();
    let wait = if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        // Digits that overflow are a number too, and a large one.
        Duration::from_secs(text.parse().unwrap_or(u64::MAX))
    } else {
        now.until(parse_http_date(text)?)
    };
    Some(wait.min(LONGEST_RETRY_AFTER))
}

/// Reads a date as HTTP headers carry it: the IMF-fixdate of RFC 9110, section 5.6.7. The day of the
/// week says nothing new and is not checked.
pub fn parse_http_date(text: &str) -> Option<UnixMillis> {
    let (_weekday, date) = text.split_once(", ")?;
    let mut parts = date.split(' ');
    let (day, month) = (parts.next()?, parts.next()?);
    let (year, time) = (parts.next()?, parts.next()?);
    let month = 1 + MONTHS.iter().position(|name| *name == month)?;
    if parts.next() != Some("GMT") || parts.next().is_some() {
        return None;
    }
    UnixMillis::parse_iso(&format!("{year}-{month:02}-{day}T{time}Z"))
}

const LONGEST_WAIT: Duration = Duration::from_hours(1);
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_vary() {
        let backoff = Backoff { base: Duration::from_mins(1), max_retries: 9 };
        let wait = |attempt, random| backoff.after_throttle(attempt, None, random);
        assert_eq!(wait(1, 0.5), Some(Duration::from_mins(1)));
        assert_eq!(wait(3, 0.5), Some(Duration::from_mins(4)));
        assert_eq!(wait(1, 0.0), Some(Duration::from_secs(48)));
        assert!(wait(1, 0.999) < Some(Duration::from_secs(72)));
        assert_eq!(wait(9, 0.999), Some(LONGEST_WAIT));
        assert_eq!(wait(10, 0.5), None);
        let asked = Some(Duration::from_secs(7));
        assert_eq!(backoff.after_throttle(9, asked, 0.9), asked);
        assert_eq!(backoff.after_throttle(10, asked, 0.9), None);
        assert_eq!(Backoff { max_retries: 0, ..backoff }.after_throttle(1, None, 0.5), None);
    }

    #[test]
    fn retry_after_in_all_spellings() {
        let now = UnixMillis::parse_iso("2026-03-30T20:00:00Z").unwrap();
        for (text, seconds) in [
            ("0", Some(0)),
            (" 30 ", Some(30)),
            ("86400", Some(21_600)),
            ("99999999999999999999999", Some(21_600)),
            ("Mon, 30 Mar 2026 20:01:00 GMT", Some(60)),
            ("Mon, 30 Mar 2026 19:00:00 GMT", Some(0)),
            ("Tue, 30 Mar 2027 20:00:00 GMT", Some(21_600)),
            ("-1", None),
            ("1.5", None),
            ("", None),
            ("soon", None),
            ("Mon, 30 Mrz 2026 20:01:00 GMT", None),
            ("Mon, 30 Feb 2026 20:01:00 GMT", None),
            ("Mon, 30 Mar 2026 20:01:00 CET", None),
            ("Mon, 30 Mar 2026 20:01:00", None),
        ] {
            assert_eq!(parse_retry_after(text, now), seconds.map(Duration::from_secs), "{text}");
        }
    }
}
