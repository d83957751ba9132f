//! How often a client may ask.
//!
//! Decides who counts as one client and that the memory for it is bounded: of so many clients, those
//! that asked longest ago are forgotten, which at worst lets them ask again. The rate itself is
//! [`TokenBucket`]'s matter.

use std::fmt;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

use axum::extract::{ConnectInfo, Request};
use dicechess_core::pacing::{Admission, BucketRate, TokenBucket};
use lru::LruCache;

use super::Refusal;
use crate::clock::now;

/// A client: an IPv4 address, or the /64 network of an IPv6 one, all of which one machine has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Client(IpAddr);

impl Client {
    /// Who sent a request.
    pub(super) fn of(request: &Request) -> Self {
        let address = request.extensions().get::<ConnectInfo<SocketAddr>>();
        Self::at(address.expect("the server tells each connection's address").0.ip())
    }

    fn at(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = address.to_bits() & !u128::from(u64::MAX);
                IpAddr::V6(Ipv6Addr::from_bits(network))
            }
            v4 @ IpAddr::V4(_) => v4,
        })
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A bucket for each of many.
pub(super) struct Limiter<K> {
    rate: BucketRate,
    buckets: Mutex<LruCache<K, TokenBucket>>,
}

impl<K: Hash + Eq> Limiter<K> {
    pub(super) fn new(rate: BucketRate) -> Self {
        Self { rate, buckets: Mutex::new(LruCache::new(MOST_BUCKETS)) }
    }

    /// Lets a request in or says when one will be.
    pub(super) fn admit(&self, key: K) -> Result<(), Refusal> {
        let now = now();
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = buckets.get_or_insert_mut(key, || TokenBucket::full(now));
        match bucket.take(self.rate, now) {
            Admission::Admitted => Ok(()),
            Admission::Refused { until } => Err(Refusal::TooOften { wait: now.until(until) }),
        }
    }
}

/// Some 500 kB when all are in use.
const MOST_BUCKETS: NonZeroUsize = NonZeroUsize::new(4096).expect("not zero");

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_ipv6_network_is_one_client() {
        let client = |text: &str| Client::at(text.parse().unwrap());
        assert_eq!(client("2001:db8::1"), client("2001:db8::ffff:1"));
        assert_ne!(client("2001:db8::1"), client("2001:db8:0:1::1"));
        assert_eq!(client("::ffff:127.0.0.1"), client("127.0.0.1"));
        assert_ne!(client("127.0.0.1"), client("127.0.0.2"));
    }

    #[test]
    fn each_has_a_bucket_and_the_oldest_are_forgotten() {
        let rate = BucketRate { burst: 1, refill: Duration::from_hours(1) };
        let limiter = Limiter::new(rate);
        assert!(limiter.admit(0).is_ok());
        let Err(Refusal::TooOften { wait }) = limiter.admit(0) else { panic!("one an hour") };
        assert!(wait > Duration::from_mins(59) && wait <= Duration::from_hours(1));
        for other in 1..=MOST_BUCKETS.get() {
            assert!(limiter.admit(other).is_ok());
        }
        assert!(limiter.admit(0).is_ok());
        assert_eq!(limiter.buckets.lock().unwrap().len(), MOST_BUCKETS.get());
    }
}
