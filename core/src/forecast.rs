//! How long a backfill still takes.
//!
//! Decides what the rest costs in requests and, at the present politeness, in time. The frontier
//! grows while it is walked, so two answers are given: what is known to be left, and what the whole
//! comes to if the players left are like those swept so far. Players whom nobody has met yet are in
//! neither. Throttling and refusals are not foreseen.

use std::time::Duration;

use crate::pacing::Pacing;

/// How far a backfill is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BackfillProgress {
    /// Known games whose moves are wanted.
    pub games_to_fetch: u64,
    /// Known players whose history is wanted.
    pub players_to_sweep: u64,
    /// Players whose history was read to its end.
    pub players_swept: u64,
    /// Games known so far.
    pub games_known: u64,
    /// Requests for pages of history so far.
    pub history_requests: u64,
}

/// A number of requests and the time they take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Estimate {
    /// Requests to the site.
    pub requests: u64,
    /// How long they take; `None` where nothing limits them.
    pub time: Option<Duration>,
}

/// What is left of a backfill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Forecast {
    /// For the games and players known now.
    pub known: Estimate,
    /// With the games that the players left will bring; `None` before the first finished sweep,
    /// when nothing is known of them.
    pub whole: Option<Estimate>,
}

impl Pacing {
    /// How many requests an hour brings at most: what the budget allows, or what the mean distance
    /// between two requests leaves room for. `None` where neither limits them.
    #[must_use]
    pub fn requests_per_hour(&self) -> Option<f64> {
        let distance = self.min_delay.as_secs_f64() + self.jitter.as_secs_f64() / 2.0;
        let spaced = (distance > 0.0).then(|| HOUR / distance);
        let budget = (self.hourly_budget > 0).then(|| f64::from(self.hourly_budget));
        match (spaced, budget) {
            (Some(spaced), Some(budget)) => Some(spaced.min(budget)),
            (spaced, budget) => spaced.or(budget),
        }
    }
}

/// Foretells the rest of a backfill.
///
/// ```
/// use dicechess_core::forecast::{BackfillProgress, forecast};
/// use dicechess_core::pacing::Pacing;
/// use std::time::Duration;
/// let pacing = Pacing {
///     min_delay: Duration::from_secs(3),
///     jitter: Duration::from_secs(1),
///     hourly_budget: 600,
/// };
/// let progress = BackfillProgress {
///     games_to_fetch: 1180,
///     players_to_sweep: 10,
///     players_swept: 20,
///     games_known: 4000,
///     history_requests: 40,
/// };
/// let left = forecast(&progress, &pacing);
/// assert_eq!(left.known.requests, 1200);
/// assert_eq!(left.known.time, Some(Duration::from_hours(2)));
/// assert_eq!(left.whole.unwrap().requests, 3200);
/// ```
#[must_use]
pub fn forecast(progress: &BackfillProgress, pacing: &Pacing) -> Forecast {
    let left = progress.players_to_sweep as f64;
    let each = |sum: u64| sum as f64 / progress.players_swept.max(1) as f64;
    // No history is read with less than one request.
    let pages = left * each(progress.history_requests).max(1.0);
    let known = progress.games_to_fetch as f64 + pages;
    let whole = known + left * each(progress.games_known);
    let estimate = |requests: f64| Estimate {
        requests: requests.ceil() as u64,
        time: pacing.requests_per_hour().map(|rate| seconds(requests / rate * HOUR)),
    };
    Forecast {
        known: estimate(known),
        whole: (progress.players_swept > 0).then(|| estimate(whole)),
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.ceil()).unwrap_or(Duration::MAX)
}

const HOUR: f64 = 3600.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn pacing(min_delay_ms: u64, jitter_ms: u64, hourly_budget: u32) -> Pacing {
        let (min_delay, jitter) =
            (Duration::from_millis(min_delay_ms), Duration::from_millis(jitter_ms));
        Pacing { min_delay, jitter, hourly_budget }
    }

    #[test]
    fn the_tighter_limit_counts() {
        for (pacing, rate) in [
            (pacing(3000, 1000, 600), Some(600.0)),
            (pacing(3000, 1000, 2000), Some(3600.0 / 3.5)),
            (pacing(9000, 2000, 600), Some(360.0)),
            (pacing(3000, 0, 0), Some(1200.0)),
            (pacing(0, 0, 50), Some(50.0)),
            (pacing(0, 0, 0), None),
        ] {
            assert_eq!(pacing.requests_per_hour(), rate, "{pacing:?}");
        }
    }

    #[test]
    fn nothing_is_claimed_of_players_before_the_first_sweep() {
        let progress = BackfillProgress { players_to_sweep: 5, ..BackfillProgress::default() };
        let left = forecast(&progress, &pacing(0, 0, 5));
        assert_eq!(left.known.requests, 5);
        assert_eq!(left.known.time, Some(Duration::from_hours(1)));
        assert_eq!(left.whole, None);
    }

    #[test]
    fn a_finished_backfill_takes_no_time() {
        let progress = BackfillProgress {
            players_swept: 40,
            games_known: 400,
            history_requests: 50,
            ..BackfillProgress::default()
        };
        let nothing = Estimate { requests: 0, time: Some(Duration::ZERO) };
        let left = forecast(&progress, &pacing(3000, 1000, 600));
        assert_eq!(left, Forecast { known: nothing, whole: Some(nothing) });
    }

    #[test]
    fn without_a_limit_there_is_no_time() {
        let progress = BackfillProgress { games_to_fetch: 7, ..BackfillProgress::default() };
        let left = forecast(&progress, &pacing(0, 0, 0));
        assert_eq!(left.known, Estimate { requests: 7, time: None });
    }
}
