//! A token bucket: how often one client may ask.
//!
//! Decides whether a request is let in now and, if not, from when on one will be. A client may ask
//! [`BucketRate::burst`] times at once; each token taken comes back after [`BucketRate::refill`].
//! Leaves to the host to keep a bucket for each client and to forget those that are full.
//!
//! The bucket remembers how long it takes to be full again, as of the last question. A clock that
//! was set back only means that no time has passed.

use std::time::Duration;

use crate::time::UnixMillis;

/// How often a client may ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BucketRate {
    /// Tokens of a full bucket: requests that may come at once.
    pub burst: u32,
    /// The time in which one token comes back.
    pub refill: Duration,
}

/// One client's bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenBucket {
    /// The time until it is full.
    missing: Duration,
    /// As of then.
    at: UnixMillis,
}

/// Whether a request is let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Admission {
    /// It is.
    Admitted,
    /// It is not, and none is before then.
    Refused {
        /// When the next token is there.
        until: UnixMillis,
    },
}

impl BucketRate {
    /// So many requests a minute in the long run, and `burst` at once. Zeros count as ones.
    ///
    /// ```
    /// use std::time::Duration;
    /// use dicechess_core::pacing::BucketRate;
    /// assert_eq!(BucketRate::per_minute(120, 10).refill, Duration::from_millis(500));
    /// ```
    #[must_use]
    pub fn per_minute(requests: u32, burst: u32) -> Self {
        Self { burst: burst.max(1), refill: Duration::from_mins(1) / requests.max(1) }
    }

    /// The time in which an empty bucket becomes full.
    fn capacity(self) -> Duration {
        self.refill.saturating_mul(self.burst)
    }
}

impl TokenBucket {
    /// A bucket from which nothing was taken yet.
    #[must_use]
    pub const fn full(now: UnixMillis) -> Self {
        Self { missing: Duration::ZERO, at: now }
    }

    /// Takes a token for a request that comes now. A refused one costs nothing.
    pub fn take(&mut self, rate: BucketRate, now: UnixMillis) -> Admission {
        self.missing = self.missing.saturating_sub(self.at.until(now));
        self.at = now;
        let after = self.missing + rate.refill;
        match after.checked_sub(rate.capacity()) {
            None | Some(Duration::ZERO) => {
                self.missing = after;
                Admission::Admitted
            }
            // A wait is rounded up: whoever asks at its end is let in.
            Some(short) => Admission::Refused { until: now + (short + JUST_UNDER_A_MILLISECOND) },
        }
    }

    /// Whether it holds no more than a new bucket would, so that it may be forgotten.
    #[must_use]
    pub fn is_full(&self, now: UnixMillis) -> bool {
        self.missing <= self.at.until(now)
    }
}

/// Times are whole milliseconds, the rest of a duration is cut off when it is added.
const JUST_UNDER_A_MILLISECOND: Duration = Duration::from_nanos(999_999);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOW: UnixMillis = UnixMillis(1_774_901_324_793);
    const RATE: BucketRate = BucketRate { burst: 3, refill: Duration::from_secs(10) };

    fn after(seconds: u64) -> UnixMillis {
        NOW + Duration::from_secs(seconds)
    }

    #[test]
    fn a_burst_and_then_one_by_one() {
        let mut bucket = TokenBucket::full(NOW);
        for (seconds, expected) in [
            (0, Admission::Admitted),
            (0, Admission::Admitted),
            (0, Admission::Admitted),
            (0, Admission::Refused { until: after(10) }),
            (4, Admission::Refused { until: after(10) }),
            (10, Admission::Admitted),
            (10, Admission::Refused { until: after(20) }),
            (45, Admission::Admitted),
            (45, Admission::Admitted),
            (45, Admission::Admitted),
            (45, Admission::Refused { until: after(55) }),
        ] {
            assert_eq!(bucket.take(RATE, after(seconds)), expected, "at {seconds} s");
        }
        assert!(!bucket.is_full(after(69)));
        assert!(bucket.is_full(after(75)));
    }

    #[test]
    fn a_clock_set_back_neither_fills_nor_locks() {
        let mut bucket = TokenBucket::full(NOW);
        for _ in 0..3 {
            assert_eq!(bucket.take(RATE, NOW), Admission::Admitted);
        }
        let back = NOW - Duration::from_hours(1000);
        let due = back + RATE.refill;
        assert_eq!(bucket.take(RATE, back), Admission::Refused { until: due });
        assert_eq!(bucket.take(RATE, due), Admission::Admitted);
    }

    proptest! {
        /// However a client asks, no stretch of time sees more than the burst and what came back.
        #[test]
        fn nobody_gets_more_than_the_rate(
            pauses in prop::collection::vec(0u64..5000, 1..200), burst in 1u32..9, per_minute in 1u32..5000,
        ) {
            let rate = BucketRate::per_minute(per_minute, burst);
            let (mut bucket, mut now) = (TokenBucket::full(NOW), NOW);
            let mut admitted = Vec::new();
            for pause in pauses {
                now = now + Duration::from_millis(pause);
                if bucket.take(rate, now) == Admission::Admitted {
                    admitted.push(now);
                }
            }
            for (first, since) in admitted.iter().enumerate() {
                for (last, at) in admitted.iter().enumerate().skip(first) {
                    let most = f64::from(burst) + since.until(*at).as_secs_f64() / rate.refill.as_secs_f64();
                    prop_assert!(((last - first + 1) as f64) <= most + 1e-6);
                }
            }
        }

        /// Whoever waits as told is let in, and the wait is never longer than one refill.
        #[test]
        fn obeying_gets_through(
            pauses in prop::collection::vec(0u64..300, 1..60), burst in 1u32..9, per_minute in 1u32..100_000,
        ) {
            let rate = BucketRate::per_minute(per_minute, burst);
            let (mut bucket, mut now) = (TokenBucket::full(NOW), NOW);
            for pause in pauses {
                now = now + Duration::from_millis(pause);
                if let Admission::Refused { until } = bucket.take(rate, now) {
                    prop_assert!(until > now);
                    prop_assert!(now.until(until) <= rate.refill + Duration::from_millis(1));
                    now = until;
                    prop_assert_eq!(bucket.take(rate, now), Admission::Admitted);
                }
            }
        }

        /// A clock that jumps never makes anybody wait longer than one refill.
        #[test]
        fn jumps_never_lock(times in prop::collection::vec(-1_000_000i64..1_000_000, 1..60)) {
            let mut bucket = TokenBucket::full(NOW);
            for time in times {
                let now = UnixMillis(NOW.0 + time);
                if let Admission::Refused { until } = bucket.take(RATE, now) {
                    prop_assert!(now.until(until) <= RATE.refill);
                }
            }
        }
    }
}
