//! Days of the calendar, in UTC.

use std::fmt;
use std::str::FromStr;

use dicechess_core::time::UnixMillis;
use thiserror::Error;

const MILLIS: i64 = 86_400_000;

/// A day in UTC. Printed and read as `2026-03-30`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(i64);

/// A text that names no day.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0:?} is no day such as 2026-03-30")]
pub struct InvalidDay(String);

impl Day {
    /// The day of a point in time.
    pub const fn of(time: UnixMillis) -> Self {
        Self(time.0.div_euclid(MILLIS))
    }

    /// The day's first millisecond.
    pub const fn start(self) -> UnixMillis {
        UnixMillis(self.0 * MILLIS)
    }

    /// The first millisecond of the day after.
    pub const fn end(self) -> UnixMillis {
        UnixMillis((self.0 + 1) * MILLIS)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let start = self.start().to_string();
        f.write_str(start.split('T').next().unwrap_or_default())
    }
}

impl FromStr for Day {
    type Err = InvalidDay;

    fn from_str(text: &str) -> Result<Self, InvalidDay> {
        let is_day = text.len() == 10 && !text.starts_with(char::is_whitespace);
        let start = is_day.then(|| UnixMillis::parse_iso(&format!("{text}T00:00:00Z"))).flatten();
        start.map(Self::of).ok_or_else(|| InvalidDay(text.chars().take(40).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_round_trips() {
        for text in ["2026-03-30", "2024-02-29", "0000-01-01", "9999-12-31", "1969-12-31"] {
            let day: Day = text.parse().unwrap();
            assert_eq!(day.to_string(), text);
            assert_eq!(Day::of(day.start()), day);
            assert_eq!(Day::of(UnixMillis(day.end().0 - 1)), day);
        }
    }

    #[test]
    fn what_names_no_day() {
        for text in
            ["", "2026-02-29", "2026-3-30", " 2026-03-3", "2026-03-30T", "20260330", "é26-03-30"]
        {
            assert!(text.parse::<Day>().is_err(), "{text}");
        }
    }
}
