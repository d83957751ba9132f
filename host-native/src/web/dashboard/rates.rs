//! How fast the pipeline moves.
//!
//! Decides over which span a rate is told: about the last hour, or since the numbers were first
//! looked at when that is less. Between two looks nothing is counted, so a rate is a mean.

use std::collections::VecDeque;
use std::time::Duration;

use dicechess_core::time::UnixMillis;

/// The numbers at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Progress {
    pub(super) players_swept: u64,
    pub(super) found: u64,
    pub(super) fetched: u64,
    pub(super) posted: u64,
    pub(super) archived: u64,
}

/// What was gained, and in which time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gain {
    pub(super) span: Duration,
    pub(super) progress: Progress,
}

/// The numbers of about the last hour.
#[derive(Debug, Default)]
pub(super) struct History(VecDeque<(UnixMillis, Progress)>);

impl History {
    /// Takes note of the numbers now, and tells what was gained since the oldest kept ones.
    pub(super) fn record(&mut self, now: UnixMillis, progress: Progress) -> Option<Gain> {
        // A clock set back leaves nothing to compare with.
        self.0.retain(|(at, _)| *at <= now);
        // One older than the window is kept: it is where the window begins.
        while self.0.get(1).is_some_and(|(at, _)| *at + WINDOW <= now) {
            self.0.pop_front();
        }
        let first = self.0.front().copied();
        if self.0.back().is_none_or(|(at, _)| *at + STEP <= now) {
            self.0.push_back((now, progress));
        }
        let (at, then) = first?;
        let span = at.until(now);
        (span >= SHORTEST).then(|| Gain { span, progress: progress.since(then) })
    }
}

impl Progress {
    /// Replayed games leave the posted ones, so a number can fall: that is no gain.
    fn since(self, then: Self) -> Self {
        Self {
            players_swept: self.players_swept.saturating_sub(then.players_swept),
            found: self.found.saturating_sub(then.found),
            fetched: self.fetched.saturating_sub(then.fetched),
            posted: self.posted.saturating_sub(then.posted),
            archived: self.archived.saturating_sub(then.archived),
        }
    }
}

impl Gain {
    /// A gained number as one an hour.
    pub(super) fn per_hour(&self, gained: u64) -> f64 {
        gained as f64 * 3600.0 / self.span.as_secs_f64()
    }
}

const WINDOW: Duration = Duration::from_hours(1);
const STEP: Duration = Duration::from_secs(20);
/// Below this a rate is chance.
const SHORTEST: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    const START: UnixMillis = UnixMillis(1_790_000_000_000);

    fn posted(posted: u64) -> Progress {
        Progress { posted, ..Progress::default() }
    }

    #[test]
    fn a_rate_is_that_of_the_last_hour() {
        let mut history = History::default();
        assert_eq!(history.record(START, posted(10)), None);
        let mut gain = None;
        for minute in 1..=180 {
            gain = history.record(START + Duration::from_mins(minute), posted(10 + minute * 2));
        }
        let gain = gain.unwrap();
        assert_eq!(gain.per_hour(gain.progress.posted), 120.0);
        assert!(gain.span <= WINDOW + Duration::from_mins(1), "{:?}", gain.span);
    }

    #[test]
    fn a_fall_is_no_gain() {
        let mut history = History::default();
        history.record(START, posted(10));
        let gain = history.record(START + Duration::from_mins(1), posted(4)).unwrap();
        assert_eq!(gain.progress.posted, 0);
    }

    #[test]
    fn a_clock_set_back_starts_anew() {
        let mut history = History::default();
        history.record(START + WINDOW, posted(10));
        assert_eq!(history.record(START, posted(12)), None);
    }
}
