//! How numbers and times are spelled in a language.
//!
//! Decides separators, units and plural forms. Times are written in UTC; the script puts them into
//! the viewer's zone.

use std::time::Duration;

use dicechess_core::time::UnixMillis;
use maud::{Markup, html};

use super::words::Words;

/// How a language counts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Counting {
    /// 1 game, 5 games.
    English,
    /// 1 партия, 3 партии, 5 партий.
    Russian,
}

/// A noun as it stands behind a number: with one, a few, many. English needs the first and the last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Noun(pub(super) [&'static str; 3]);

/// How a language spells numbers and times.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spelling {
    pub(super) counting: Counting,
    pub(super) thousands: char,
    pub(super) decimal: char,
    /// Between a number and the percent sign.
    pub(super) percent_gap: &'static str,
    /// Days, hours, minutes, seconds.
    pub(super) units: [&'static str; 4],
    pub(super) months: [&'static str; 12],
}

impl Counting {
    /// Which of the three forms stands behind the number.
    const fn form(self, number: u64) -> usize {
        match self {
            Self::English if number == 1 => 0,
            Self::English => 2,
            Self::Russian => match (number % 10, number % 100) {
                (_, 11..=14) => 2,
                (1, _) => 0,
                (2..=4, _) => 1,
                _ => 2,
            },
        }
    }
}

impl Words {
    /// 12,345
    pub(super) fn number(&self, number: u64) -> String {
        let digits = number.to_string();
        let mut text = String::with_capacity(digits.len() + digits.len() / 3);
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place).is_multiple_of(3) {
                text.push(self.spelling.thousands);
            }
            text.push(digit);
        }
        text
    }

    /// 5 games
    pub(super) fn count(&self, number: u64, noun: &Noun) -> String {
        let form = noun.0[self.spelling.counting.form(number)];
        format!("{}\u{a0}{form}", self.number(number))
    }

    /// 3.5
    pub(super) fn decimal(&self, number: f64, digits: usize) -> String {
        let text = format!("{number:.digits$}");
        let text = if text.trim_start_matches(['-', '0', '.']).is_empty() {
            text.trim_start_matches('-').to_owned()
        } else {
            text
        };
        text.replace('.', self.spelling.decimal.encode_utf8(&mut [0; 4])).replace('-', "\u{2212}")
    }

    /// 99.9%; never rounded up to a whole that is not there.
    pub(super) fn percent(&self, share: f64, digits: usize) -> String {
        let scale = 10_f64.powi(i32::try_from(digits).unwrap_or(0));
        let percent = share * 100.0;
        let is_almost = share < 1.0 && (percent * scale).round() / scale >= 100.0;
        let shown = if is_almost { (percent * scale).floor() / scale } else { percent };
        format!("{}{}%", self.decimal(shown, digits), self.spelling.percent_gap)
    }

    /// 3 d 4 h: the two greatest units.
    pub(super) fn duration(&self, duration: Duration) -> String {
        let seconds = duration.as_secs();
        let parts = [seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60];
        let first = parts.iter().position(|part| *part > 0).unwrap_or(3);
        let shown = (first..parts.len().min(first + 2)).filter(|place| {
            // Hours are noise beside a hundred days, and so is what is zero.
            *place == first || (parts[*place] > 0 && parts[first] < 100)
        });
        let spelled: Vec<String> = shown
            .map(|place| {
                format!("{}\u{a0}{}", self.number(parts[place]), self.spelling.units[place])
            })
            .collect();
        spelled.join(" ")
    }

    /// 30 Mar 2026, 20:08 UTC; the script makes it the viewer's time.
    pub(super) fn time(&self, time: UnixMillis) -> Markup {
        let iso = time.to_string();
        html! { time datetime=(iso) { (self.time_text(&iso)) } }
    }

    fn time_text(&self, iso: &str) -> String {
        let part = |range| iso.get(range).unwrap_or_default();
        let month: usize = part(5..7).parse().unwrap_or(1);
        let day = part(8..10).trim_start_matches('0');
        let name = self.spelling.months[month.clamp(1, 12) - 1];
        format!("{day}\u{a0}{name}\u{a0}{}, {}\u{a0}UTC", part(0..4), part(11..16))
    }
}

#[cfg(test)]
mod tests {
    use super::super::words::{ENGLISH, RUSSIAN};
    use super::*;

    #[test]
    fn russian_has_three_forms() {
        let noun = Noun(["партия", "партии", "партий"]);
        for (number, expected) in [
            (0, "партий"),
            (1, "партия"),
            (2, "партии"),
            (4, "партии"),
            (5, "партий"),
            (11, "партий"),
            (12, "партий"),
            (14, "партий"),
            (21, "партия"),
            (22, "партии"),
            (25, "партий"),
            (111, "партий"),
            (101, "партия"),
        ] {
            assert_eq!(RUSSIAN.count(number, &noun), format!("{number}\u{a0}{expected}"));
        }
        let noun = Noun(["game", "games", "games"]);
        assert_eq!(ENGLISH.count(1, &noun), "1\u{a0}game");
        assert_eq!(ENGLISH.count(0, &noun), "0\u{a0}games");
        assert_eq!(ENGLISH.count(21, &noun), "21\u{a0}games");
    }

    #[test]
    fn numbers() {
        assert_eq!(ENGLISH.number(0), "0");
        assert_eq!(ENGLISH.number(1_234_567), "1,234,567");
        assert_eq!(RUSSIAN.number(1_234_567), "1\u{a0}234\u{a0}567");
        assert_eq!(RUSSIAN.decimal(-3.25, 1), "\u{2212}3,2");
        assert_eq!(ENGLISH.decimal(-0.04, 1), "0.0");
        assert_eq!(ENGLISH.percent(0.5, 1), "50.0%");
        assert_eq!(ENGLISH.percent(0.99999, 1), "99.9%");
        assert_eq!(ENGLISH.percent(1.0, 0), "100%");
        assert_eq!(RUSSIAN.percent(0.4444, 1), "44,4\u{a0}%");
    }

    #[test]
    fn durations() {
        for (seconds, expected) in [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min"),
            (3660, "1 h 1 min"),
            (3601, "1 h"),
            (90_000, "1 d 1 h"),
            (86_400 * 120 + 3600, "120 d"),
        ] {
            let spelled = ENGLISH.duration(Duration::from_secs(seconds));
            assert_eq!(spelled.replace('\u{a0}', " "), expected);
        }
    }

    #[test]
    fn times_are_utc_until_the_script_comes() {
        let time = UnixMillis::parse_iso("2026-03-09T20:08:44.793Z").unwrap();
        let written = |words: &Words| words.time(time).into_string().replace('\u{a0}', " ");
        assert_eq!(
            written(&ENGLISH),
            "<time datetime=\"2026-03-09T20:08:44.793Z\">9 Mar 2026, 20:08 UTC</time>"
        );
        assert!(written(&RUSSIAN).contains("9 мар. 2026, 20:08 UTC"));
    }
}
