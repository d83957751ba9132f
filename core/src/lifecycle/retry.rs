//! When a failed item is tried again.
//!
//! Decides the delays. Leaves to the state machines when they start.

use std::time::Duration;

/// How long a game without a result may still be running after its start.
pub const DAY_RUNNING: Duration = Duration::from_hours(24);

/// The delay after the given number of failures in a row: 5 minutes after the first, doubled with
/// each further one, at most 6 hours. No failure counts as one.
///
/// ```
/// use std::time::Duration;
/// use dicechess_core::lifecycle::retry_delay;
/// assert_eq!(retry_delay(1), Duration::from_mins(5));
/// assert_eq!(retry_delay(3), Duration::from_mins(20));
/// assert_eq!(retry_delay(1000), Duration::from_hours(6));
/// ```
#[must_use]
pub fn retry_delay(attempts: u32) -> Duration {
    let doublings = attempts.saturating_sub(1);
    2u32.checked_pow(doublings)
        .and_then(|factor| FIRST_DELAY.checked_mul(factor))
        .map_or(LONGEST_DELAY, |delay| delay.min(LONGEST_DELAY))
}

const FIRST_DELAY: Duration = Duration::from_mins(5);
const LONGEST_DELAY: Duration = Duration::from_hours(6);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_six_hours() {
        let minutes: Vec<u64> = (0..=9).map(|n| retry_delay(n).as_secs() / 60).collect();
        assert_eq!(minutes, [5, 5, 10, 20, 40, 80, 160, 320, 360, 360]);
        assert_eq!(retry_delay(u32::MAX), LONGEST_DELAY);
    }
}
