//! Points in time as plain integers.
//!
//! Decides how the site's timestamps are read and how ours are written. Never asks a clock: "now"
//! is always a parameter that the host passes in.
//!
//! The calendar arithmetic is the proleptic Gregorian one in 400-year eras that start on 1 March
//! (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").

use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01T00:00:00 UTC.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct UnixMillis(pub i64);

impl UnixMillis {
    /// Reads an ISO-8601 timestamp. Without a zone it is UTC, a zone is honoured, seconds may be
    /// left out (as Java's `LocalDateTime` prints them when they are zero), and digits below a
    /// millisecond are cut off. Anything else is `None`.
    ///
    /// ```
    /// use dicechess_core::time::UnixMillis;
    /// let utc = UnixMillis::parse_iso("2026-03-30T20:08:44.793999").unwrap();
    /// assert_eq!(utc.to_string(), "2026-03-30T20:08:44.793Z");
    /// assert_eq!(UnixMillis::parse_iso("2026-03-30T22:08:44.793+02:00"), Some(utc));
    /// assert_eq!(UnixMillis::parse_iso("yesterday"), None);
    /// ```
    pub fn parse_iso(text: &str) -> Option<Self> {
        let mut scan = Scan(text.trim().as_bytes());
        let year = scan.number(4)?;
        scan.literal(b"-")?;
        let month = scan.number(2)?;
        scan.literal(b"-")?;
        let day = scan.number(2)?;
        scan.literal(b"Tt ")?;
        let hour = scan.number(2)?;
        scan.literal(b":")?;
        let minute = scan.number(2)?;
        let second = if scan.literal(b":").is_some() { scan.number(2)? } else { 0 };
        let millis = if scan.literal(b".").is_some() { scan.fraction()? } else { 0 };
        let offset_minutes = scan.zone()?;
        let in_range = (1..=12).contains(&month)
            && (1..=days_in_month(year, month)).contains(&day)
            && hour < 24
            && minute < 60
            && second < 60;
        if !in_range {
            return None;
        }
        let minutes = (days_from_civil(year, month, day) * 24 + hour) * 60 + minute;
        Some(Self(((minutes - offset_minutes) * 60 + second) * 1000 + millis))
    }

    /// The time left until `later`, zero when it has passed.
    pub fn until(self, later: Self) -> Duration {
        Duration::from_millis(u64::try_from(later.0.saturating_sub(self.0)).unwrap_or(0))
    }
}

/// ISO-8601 in UTC with milliseconds and `Z`, the form in which all times are stored and sent.
impl fmt::Display for UnixMillis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DAY: i64 = 86_400_000;
        let (year, month, day) = civil_from_days(self.0.div_euclid(DAY));
        let in_day = self.0.rem_euclid(DAY);
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}.{:03}Z",
            in_day / 3_600_000,
            in_day / 60_000 % 60,
            in_day / 1000 % 60,
            in_day % 1000
        )
    }
}

impl Add<Duration> for UnixMillis {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(millis))
    }
}

impl Sub<Duration> for UnixMillis {
    type Output = Self;

    fn sub(self, duration: Duration) -> Self {
        let millis = i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_sub(millis))
    }
}

/// What is left to read of a timestamp.
struct Scan<'a>(&'a [u8]);

impl Scan<'_> {
    fn number(&mut self, digits: usize) -> Option<i64> {
        let (head, rest) = self.0.split_at_checked(digits)?;
        let mut value = 0;
        for byte in head {
            value = value * 10 + i64::from(char::from(*byte).to_digit(10)?);
        }
        self.0 = rest;
        Some(value)
    }

    fn literal(&mut self, any_of: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        any_of.contains(first).then(|| {
            self.0 = rest;
            *first
        })
    }

    /// At least one digit; the first three are milliseconds.
    fn fraction(&mut self) -> Option<i64> {
        let digits = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return None;
        }
        let (fraction, rest) = self.0.split_at(digits);
        self.0 = rest;
        let digit = |place: usize| fraction.get(place).map_or(0, |byte| i64::from(byte - b'0'));
        Some(digit(0) * 100 + digit(1) * 10 + digit(2))
    }

    /// Nothing, `Z`, `+hh`, `+hhmm` or `+hh:mm`, and then the end; minutes east of UTC.
    fn zone(&mut self) -> Option<i64> {
        if self.0.is_empty() || (self.literal(b"Zz").is_some() && self.0.is_empty()) {
            return Some(0);
        }
        let sign = if self.literal(b"+-")? == b'+' { 1 } else { -1 };
        let hours = self.number(2)?;
        let colon = self.literal(b":").is_some();
        let minutes = if self.0.is_empty() && !colon { 0 } else { self.number(2)? };
        (self.0.is_empty() && hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
    }
}

fn days_in_month(year: i64, month: i64) -> i64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_points() {
        for (text, millis) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-03-30T20:08:44.793", 1_774_901_324_793),
            ("2026-03-30T20:08:44.793Z", 1_774_901_324_793),
            ("2026-03-30T22:08:44.793+02:00", 1_774_901_324_793),
            ("2026-03-30T15:38:44.793-0430", 1_774_901_324_793),
            ("2026-03-30 20:08:44.7939", 1_774_901_324_793),
            ("2024-02-29T23:59:59.9", 1_709_251_199_900),
            ("2026-03-30T20:08", 1_774_901_280_000),
            ("1969-12-31T23:59:59.999", -1),
        ] {
            assert_eq!(UnixMillis::parse_iso(text), Some(UnixMillis(millis)), "{text}");
        }
    }

    #[test]
    fn unreadable_is_none() {
        for text in [
            "",
            "2026-02-29T00:00:00",
            "2026-13-01T00:00:00",
            "2026-01-01",
            "2026-01-01T24:00:00",
            "2026-01-01T00:00:60",
            "2026-01-01T00:00:00.",
            "2026-01-01T00:00:00+2",
            "2026-01-01T00:00:00+02:",
            "2026-01-01T00:00:00Zx",
            "1774901324793",
            "26-01-01T00:00:00",
        ] {
            assert_eq!(UnixMillis::parse_iso(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn printing_and_reading_agree(millis in -62_167_219_200_000i64..253_402_300_800_000) {
            let time = UnixMillis(millis);
            prop_assert_eq!(UnixMillis::parse_iso(&time.to_string()), Some(time));
        }
    }
}
