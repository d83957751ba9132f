//! The memory of a refusal: a challenge or a 401.
//!
//! Decides whether the site may be asked again after it refused. Leaves to the host how
//! credentials are fingerprinted; the fingerprint must not reveal them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::wait_end;
use crate::time::UnixMillis;

/// A refusal and the credentials it was given to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteBlock {
    /// When the site refused.
    pub since: UnixMillis,
    /// The fingerprint of the credentials that were refused.
    pub fingerprint: String,
    /// What to tell the operator.
    pub reason: String,
}

/// How long the same credentials are not tried again.
pub const BLOCK_LENGTH: Duration = Duration::from_mins(15);

impl SiteBlock {
    /// Until when the site is not to be asked; `None` is to try now: with changed credentials, when
    /// the time is over, and when the operator says to `ignore` the block.
    #[must_use]
    pub fn blocked_until(
        &self,
        fingerprint: &str,
        now: UnixMillis,
        ignore: bool,
    ) -> Option<UnixMillis> {
        if ignore || fingerprint != self.fingerprint {
            return None;
        }
        wait_end(self.since, BLOCK_LENGTH, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_credentials_wait_fifteen_minutes() {
        let since = UnixMillis(1_774_901_324_793);
        let over = since + BLOCK_LENGTH;
        let block = SiteBlock { since, fingerprint: "a".to_owned(), reason: "401".to_owned() };
        let minute = Duration::from_mins(1);
        assert_eq!(block.blocked_until("a", since, false), Some(over));
        assert_eq!(block.blocked_until("a", over - minute, false), Some(over));
        assert_eq!(block.blocked_until("a", over, false), None);
        assert_eq!(block.blocked_until("b", since, false), None);
        assert_eq!(block.blocked_until("a", since, true), None);
        // The clock went back by a minute, then by a day.
        assert_eq!(block.blocked_until("a", since - minute, false), Some(over - minute));
        assert_eq!(block.blocked_until("a", since - 1440 * minute, false), None);
    }
}
