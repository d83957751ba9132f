//! The distance between two requests and the hourly budget.
//!
//! Decides whether a request may go out now and, if not, until when it waits and why. Leaves to
//! the host to wait, to ask again, and to record every request that goes out.

use std::time::Duration;

use super::LONGEST_RETRY_AFTER;
use crate::time::UnixMillis;

/// The politeness the operator configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pacing {
    /// The least distance between two requests.
    pub min_delay: Duration,
    /// Up to this much is added to it at random.
    pub jitter: Duration,
    /// Requests in any hour; 0 means no limit.
    pub hourly_budget: u32,
}

/// What is known about the requests so far. The host keeps it across restarts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PacingState {
    /// When the last request went out.
    pub last_request_at: Option<UnixMillis>,
    /// When the requests of the last hour went out, oldest first.
    pub recent: Vec<UnixMillis>,
    /// The site asked for silence until then.
    pub throttled_until: Option<UnixMillis>,
}

/// Whether a request may go out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Decision {
    /// Now.
    Go,
    /// Not now: ask again then.
    Wait {
        /// The end of the wait.
        until: UnixMillis,
        /// What makes it wait longest.
        why: WaitReason,
    },
}

/// What a request waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WaitReason {
    /// The distance to the last request.
    Spacing,
    /// The budget of the last hour is spent.
    HourlyBudget,
    /// The site asked for silence.
    Throttled,
}

impl Pacing {
    /// Decides about one request. `random` in `[0, 1)` is drawn once for each request and passed
    /// again whenever it asks again; a new one each time would let the wait grow while it lasts.
    ///
    /// The state is mended first ([`PacingState::mend`]).
    pub fn decide(&self, state: &mut PacingState, now: UnixMillis, random: f64) -> Decision {
        state.mend(now);
        let spacing = state.last_request_at.map(|last| last + self.distance(random));
        [
            (spacing, WaitReason::Spacing),
            (self.budget_frees_at(&state.recent), WaitReason::HourlyBudget),
            (state.throttled_until, WaitReason::Throttled),
        ]
        .into_iter()
        .filter_map(|(until, why)| until.filter(|until| *until > now).map(|until| (until, why)))
        .max()
        .map_or(Decision::Go, |(until, why)| Decision::Wait { until, why })
    }

    fn distance(&self, random: f64) -> Duration {
        // A number outside the interval is the caller's slip and must not shorten the distance.
        let share = if random.is_finite() { random.clamp(0.0, 1.0) } else { 1.0 };
        self.min_delay + self.jitter.mul_f64(share)
    }

    /// When the oldest request that fills the budget is an hour old.
    fn budget_frees_at(&self, recent: &[UnixMillis]) -> Option<UnixMillis> {
        let budget = usize::try_from(self.hourly_budget).unwrap_or(usize::MAX);
        if budget == 0 {
            return None;
        }
        let filling = recent.len().checked_sub(budget)?;
        recent.get(filling).map(|oldest| *oldest + HOUR)
    }
}

impl PacingState {
    /// Takes note of a request that goes out now.
    pub fn record(&mut self, now: UnixMillis) {
        self.last_request_at = Some(now);
        self.recent.push(now);
        self.mend(now);
    }

    /// Takes note that the site asked for silence of this length.
    pub fn throttle(&mut self, silence: Duration, now: UnixMillis) {
        self.throttled_until = Some(now + silence.min(LONGEST_RETRY_AFTER));
    }

    /// Forgets what no longer matters and moves times that a clock set back has left in the future
    /// to now, so that they delay no more than a request that went out now would.
    pub fn mend(&mut self, now: UnixMillis) {
        self.last_request_at = self.last_request_at.map(|last| last.min(now));
        for time in &mut self.recent {
            *time = (*time).min(now);
        }
        self.recent.sort_unstable();
        self.recent.retain(|time| *time + HOUR > now);
        self.throttled_until = self
            .throttled_until
            .map(|until| until.min(now + LONGEST_RETRY_AFTER))
            .filter(|until| *until > now);
    }
}

const HOUR: Duration = Duration::from_hours(1);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: UnixMillis = UnixMillis(1_774_901_324_793);
    const SECOND: Duration = Duration::from_secs(1);
    const PACING: Pacing =
        Pacing { min_delay: Duration::from_secs(3), jitter: SECOND, hourly_budget: 3 };

    fn wait(until: UnixMillis, why: WaitReason) -> Decision {
        Decision::Wait { until, why }
    }

    #[test]
    fn requests_keep_their_distance() {
        let mut state = PacingState::default();
        assert_eq!(PACING.decide(&mut state, NOW, 0.5), Decision::Go);
        state.record(NOW);
        let due = NOW + Duration::from_millis(3500);
        assert_eq!(PACING.decide(&mut state, NOW, 0.5), wait(due, WaitReason::Spacing));
        let almost = due - Duration::from_millis(1);
        assert_eq!(PACING.decide(&mut state, almost, 0.5), wait(due, WaitReason::Spacing));
        assert_eq!(PACING.decide(&mut state, due, 0.5), Decision::Go);
        let longest = NOW + 4 * SECOND;
        assert_eq!(PACING.decide(&mut state, NOW, f64::NAN), wait(longest, WaitReason::Spacing));
    }

    #[test]
    fn the_budget_slides() {
        let mut state = PacingState::default();
        for minute in [0, 10, 20] {
            state.record(NOW + Duration::from_mins(minute));
        }
        let now = NOW + Duration::from_mins(30);
        assert_eq!(PACING.decide(&mut state, now, 0.0), wait(NOW + HOUR, WaitReason::HourlyBudget));
        assert_eq!(PACING.decide(&mut state, NOW + HOUR, 0.0), Decision::Go);
        let unlimited = Pacing { hourly_budget: 0, ..PACING };
        state.record(NOW + HOUR);
        assert_eq!(unlimited.decide(&mut state, NOW + HOUR + 3 * SECOND, 0.0), Decision::Go);
    }

    #[test]
    fn a_throttle_outlasts_the_spacing() {
        let mut state = PacingState::default();
        state.record(NOW);
        state.throttle(60 * SECOND, NOW);
        let until = NOW + 60 * SECOND;
        assert_eq!(PACING.decide(&mut state, NOW, 0.0), wait(until, WaitReason::Throttled));
        assert_eq!(PACING.decide(&mut state, until, 0.0), Decision::Go);
    }

    #[test]
    fn times_in_the_future_delay_no_longer_than_fresh_ones() {
        let far = NOW + 1000 * HOUR;
        let mut state = PacingState {
            last_request_at: Some(far),
            recent: vec![far; 3],
            throttled_until: Some(far),
        };
        let longest = NOW + LONGEST_RETRY_AFTER;
        assert_eq!(PACING.decide(&mut state, NOW, 0.0), wait(longest, WaitReason::Throttled));
        assert_eq!(state.recent, [NOW; 3]);
        assert_eq!(PACING.decide(&mut state, longest, 0.0), Decision::Go);
    }

    proptest! {
        /// A host that obeys never exceeds the budget, keeps the distance and always gets through.
        #[test]
        fn obeying_is_polite(randoms in prop::collection::vec(0.0..1.0, 1..40), budget in 1u32..8) {
            let pacing = Pacing { min_delay: Duration::from_mins(2), jitter: 300 * SECOND, hourly_budget: budget };
            let (mut state, mut now, mut sent) = (PacingState::default(), NOW, Vec::new());
            for random in randoms {
                while let Decision::Wait { until, .. } = pacing.decide(&mut state, now, random) {
                    prop_assert!(until > now && until <= now + HOUR);
                    now = until;
                }
                state.record(now);
                sent.push(now);
            }
            for pair in sent.windows(2) {
                prop_assert!(pair[1] >= pair[0] + pacing.min_delay);
            }
            for span in sent.windows(budget as usize + 1) {
                prop_assert!(span[budget as usize] >= span[0] + HOUR);
            }
        }
    }
}
