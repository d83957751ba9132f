//! A lease that is held as long as it is needed.
//!
//! Decides when it is renewed and that losing it asks the crawl to stop. A thread of its own renews
//! it, so that no busy runtime can let it end.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};

use dicechess_core::pacing::LEASE_RENEWAL;
use dicechess_core::time::UnixMillis;

use super::{LeaseHolder, LeaseOutcome, Store, StoreError};
use crate::clock::now;
use crate::shutdown::Shutdown;

/// Whether the lease could be taken.
#[derive(Debug)]
pub enum Lease {
    /// This process holds it.
    Taken(LeaseKeeper),
    /// Another process holds it.
    Held {
        /// Who.
        by: LeaseHolder,
        /// When it ends unless renewed.
        until: UnixMillis,
    },
}

impl Lease {
    /// The lease, or nothing and a message that says who holds it.
    #[must_use]
    pub fn or_say_who_holds_it(self, store: &Store) -> Option<LeaseKeeper> {
        match self {
            Self::Taken(keeper) => Some(keeper),
            Self::Held { by, until } => {
                tracing::error!(
                    "another process crawls with {}: {by}; its lease ends at {until} unless renewed",
                    store.path().display()
                );
                None
            }
        }
    }
}

/// The lease, held by this process, and the guard it puts on the store's writes.
#[derive(Debug)]
pub struct LeaseKeeper {
    store: Arc<Store>,
    holder: LeaseHolder,
    end: Sender<()>,
    renewal: JoinHandle<Result<(), StoreError>>,
}

impl LeaseKeeper {
    /// Takes the lease and begins to renew it, or tells who holds it. When it is lost later,
    /// `shutdown` is requested.
    ///
    /// # Errors
    /// [`StoreError`]
    pub fn take(store: &Arc<Store>, shutdown: Shutdown) -> Result<Lease, StoreError> {
        let holder = LeaseHolder::this_process();
        if let LeaseOutcome::Held { by, until } = store.try_take_lease(&holder, now())? {
            return Ok(Lease::Held { by, until });
        }
        store.set_lease_guard(Some(&holder));
        let (end, ended) = channel();
        let (kept, me) = (Arc::clone(store), holder.clone());
        let renewal = thread::spawn(move || renew(&kept, &me, &ended, &shutdown));
        Ok(Lease::Taken(Self { store: Arc::clone(store), holder, end, renewal }))
    }

    /// Gives the lease back.
    ///
    /// # Errors
    /// [`StoreError::LeaseLost`] if it was lost meanwhile.
    pub async fn release(self) -> Result<(), StoreError> {
        let Self { store, holder, end, renewal } = self;
        drop(end);
        let joined = tokio::task::spawn_blocking(move || {
            let outcome = renewal.join().unwrap_or(Ok(()));
            store.set_lease_guard(None);
            outcome.and_then(|()| store.release_lease(&holder))
        });
        joined.await.unwrap_or(Ok(()))
    }
}

/// Renews until the other end is gone.
fn renew(
    store: &Store,
    me: &LeaseHolder,
    ended: &Receiver<()>,
    shutdown: &Shutdown,
) -> Result<(), StoreError> {
    while ended.recv_timeout(LEASE_RENEWAL) == Err(RecvTimeoutError::Timeout) {
        match store.renew_lease(me, now()) {
            Ok(_) => {}
            Err(error @ StoreError::LeaseLost { .. }) => {
                tracing::error!("{error}");
                shutdown.request();
                return Err(error);
            }
            // The next attempt may succeed before the lease ends; if not, every write is refused.
            Err(error) => tracing::warn!("the lease could not be renewed: {error}"),
        }
    }
    Ok(())
}
