//! The lease that lets one process crawl.
//!
//! Decides whether a process may take or renew it. Leaves to the host to read and write the row in
//! one transaction, to find out whether the holder still lives, and to stop when a renewal fails.

use std::time::Duration;

use crate::time::UnixMillis;

/// Who may crawl, and until when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The name of the process that holds it.
    pub holder: String,
    /// When it ends unless renewed.
    pub expires_at: UnixMillis,
}

/// Whether the lease may be taken.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum LeaseDecision {
    /// Yes: write this row.
    Take(Lease),
    /// Another process holds it.
    Held {
        /// Ask again then; at most [`LEASE_LIFE`] from now.
        until: UnixMillis,
    },
}

/// How long a lease lasts after it was taken or renewed.
pub const LEASE_LIFE: Duration = Duration::from_secs(30);
/// How often the holder renews it.
pub const LEASE_RENEWAL: Duration = Duration::from_secs(10);

/// Decides whether `me` may take or renew the lease. `holder_is_dead` is only to be true when the
/// holder was a process of this machine that no longer lives.
///
/// An expiry more than twice a lease's life ahead was written before the clock went back. A living
/// holder corrects it within [`LEASE_RENEWAL`], a dead one never will, so it binds nobody: else
/// nobody could crawl until the clock has caught up.
pub fn take_lease(
    current: Option<&Lease>,
    me: &str,
    holder_is_dead: bool,
    now: UnixMillis,
) -> LeaseDecision {
    let taken = LeaseDecision::Take(Lease { holder: me.to_owned(), expires_at: now + LEASE_LIFE });
    let Some(current) = current.filter(|lease| lease.holder != me && !holder_is_dead) else {
        return taken;
    };
    if current.expires_at <= now || current.expires_at > now + 2 * LEASE_LIFE {
        return taken;
    }
    LeaseDecision::Held { until: current.expires_at.min(now + LEASE_LIFE) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time() {
        let now = UnixMillis(1_774_901_324_793);
        let seconds = Duration::from_secs;
        let lease = |ends_in| Lease { holder: "a".to_owned(), expires_at: now + seconds(ends_in) };
        let taken = |me: &str| {
            LeaseDecision::Take(Lease { holder: me.to_owned(), expires_at: now + LEASE_LIFE })
        };
        let held = |ends_in| LeaseDecision::Held { until: now + seconds(ends_in) };
        for (current, me, dead, decision) in [
            (None, "b", false, taken("b")),
            (Some(lease(20)), "a", false, taken("a")),
            (Some(lease(20)), "b", false, held(20)),
            (Some(lease(20)), "b", true, taken("b")),
            (Some(lease(0)), "b", false, taken("b")),
            (Some(lease(45)), "b", false, held(30)),
            (Some(lease(3600)), "b", false, taken("b")),
        ] {
            assert_eq!(take_lease(current.as_ref(), me, dead, now), decision, "{current:?} {me}");
        }
    }
}
