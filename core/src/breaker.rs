//! The circuit breaker of one stage of a pass.
//!
//! Decides when so much has failed in a row that going on only does harm, and how long a daemon lets
//! a stage rest then. Leaves to the host one breaker per stage and what stopping means. An expired
//! token or a challenge stops the site stages at once, without a breaker.

use std::time::Duration;

/// Counts consecutive failures.
///
/// ```
/// use dicechess_core::breaker::{Breaker, Outcome};
/// let mut breaker = Breaker::default();
/// for _ in 0..5 {
///     assert!(!breaker.is_open());
///     breaker.record(Outcome::Failure);
/// }
/// assert!(breaker.is_open());
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Breaker {
    failures: u32,
}

/// How one item of a stage ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It went well.
    Success,
    /// The other side answered and refused this item for what it says: it works, so this counts
    /// as a success.
    Refused,
    /// The other side could not be reached or failed.
    Failure,
    /// Our own code could not read the item, which says nothing about the other side.
    NormalizeError,
}

impl Breaker {
    /// A breaker that has seen so many failures in a row.
    #[must_use]
    pub const fn after_failures(failures: u32) -> Self {
        Self { failures }
    }

    /// Takes note of an outcome.
    pub const fn record(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Success | Outcome::Refused => self.failures = 0,
            Outcome::Failure => self.failures = self.failures.saturating_add(1),
            Outcome::NormalizeError => {}
        }
    }

    /// Whether the stage must stop.
    #[must_use]
    pub const fn is_open(self) -> bool {
        self.failures >= FAILURES_TO_OPEN
    }
}

const FAILURES_TO_OPEN: u32 = 5;

/// How long a stage rests that stopped early so many times in a row: a minute at first, doubled each
/// time, at most `longest`. A stage that got something done counts from the start again.
///
/// ```
/// use std::time::Duration;
/// use dicechess_core::breaker::rest;
/// let longest = Duration::from_mins(15);
/// assert_eq!(rest(1, longest), Duration::from_mins(1));
/// assert_eq!(rest(3, longest), Duration::from_mins(4));
/// assert_eq!(rest(1000, longest), longest);
/// ```
#[must_use]
pub fn rest(stops_in_a_row: u32, longest: Duration) -> Duration {
    let doublings = stops_in_a_row.saturating_sub(1);
    2u32.checked_pow(doublings)
        .and_then(|factor| FIRST_REST.checked_mul(factor))
        .map_or(longest, |rest| rest.min(longest))
}

const FIRST_REST: Duration = Duration::from_mins(1);

#[cfg(test)]
mod tests {
    use super::Outcome::{Failure, NormalizeError, Refused, Success};
    use super::*;

    #[test]
    fn five_failures_in_a_row_open_it() {
        for (outcomes, open) in [
            (vec![Failure; 4], false),
            (vec![Failure; 5], true),
            (vec![Failure, Failure, Failure, Failure, Success, Failure], false),
            (vec![Failure, Failure, Failure, Failure, Refused, Failure], false),
            (vec![Failure, Failure, Failure, Failure, NormalizeError], false),
            (vec![Failure, Failure, Failure, Failure, NormalizeError, Failure], true),
            (vec![NormalizeError; 9], false),
        ] {
            let mut breaker = Breaker::default();
            outcomes.iter().for_each(|outcome| breaker.record(*outcome));
            assert_eq!(breaker.is_open(), open, "{outcomes:?}");
        }
    }
}
