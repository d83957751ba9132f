//! When the site may be asked, and who may ask.
//!
//! Decides how long a request waits for the spacing, the hourly budget and a throttling answer
//! ([`Pacing`]), how often and how late a throttled request is repeated ([`Backoff`]), how long a
//! refusal is respected ([`SiteBlock`]), whether a token is still worth sending ([`token`]), which
//! process may crawl ([`take_lease`]) and how often a client may ask us ([`TokenBucket`]). Leaves the
//! waiting, the clock and the dice to the host, which also keeps the site's values across restarts.
//!
//! Clocks jump. A stored time that lies in the future must not stop the crawl for longer than
//! the wait it stands for, so none is taken at its word.

mod backoff;
mod block;
mod bucket;
mod lease;
mod spacing;
pub mod token;

use std::time::Duration;

pub use backoff::{Backoff, LONGEST_RETRY_AFTER, parse_http_date, parse_retry_after};
pub use block::{BLOCK_LENGTH, SiteBlock};
pub use bucket::{Admission, BucketRate, TokenBucket};
pub use lease::{LEASE_LIFE, LEASE_RENEWAL, Lease, LeaseDecision, take_lease};
pub use spacing::{Decision, Pacing, PacingState, WaitReason};

use crate::time::UnixMillis;

/// When a wait of `length` that began at `since` is over, if it is not over yet.
///
/// A beginning in the future means that the clock went back. By no more than `length`, the wait
/// begins now and so may last twice as long; by more, nothing is known about the beginning and the
/// wait is over, as otherwise it would begin anew with each question.
pub(crate) fn wait_end(since: UnixMillis, length: Duration, now: UnixMillis) -> Option<UnixMillis> {
    if since > now + length {
        return None;
    }
    Some(since.min(now) + length).filter(|end| *end > now)
}
