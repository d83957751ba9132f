//! What the log says every ten minutes.
//!
//! Decides that one line tells what was done since the last one and what waits, and that nothing is
//! said while nothing happens.

use std::sync::Arc;
use std::time::Duration;

use super::{DaemonHandle, Role};
use crate::clock::now;
use crate::shutdown::Shutdown;
use crate::store::{Store, StoreError};

const EVERY: Duration = Duration::from_mins(10);

/// Tells the log of the progress.
pub struct Heartbeat {
    store: Arc<Store>,
    daemon: DaemonHandle,
    last: Option<Numbers>,
}

/// What is told, as of one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Numbers {
    requests: u64,
    raw_games: u64,
    players: u64,
    to_fetch: u64,
    to_post: u64,
    to_archive: u64,
}

impl Heartbeat {
    pub(super) fn new(store: Arc<Store>, daemon: DaemonHandle) -> Self {
        Self { store, daemon, last: None }
    }

    /// Tells until a stop is asked for.
    pub async fn run(mut self, shutdown: Shutdown) {
        loop {
            if let Err(error) = self.beat() {
                tracing::warn!("the progress cannot be read: {error}");
            }
            tokio::select! {
                () = tokio::time::sleep(EVERY) => {}
                () = shutdown.requested() => return,
            }
        }
    }

    fn beat(&mut self) -> Result<(), StoreError> {
        let numbers = self.numbers()?;
        let last = self.last.replace(numbers);
        if self.daemon.view().role != Role::Crawling || last == Some(numbers) {
            return Ok(());
        }
        if let Some(last) = last {
            tracing::info!(
                requests = numbers.requests.saturating_sub(last.requests),
                new_raw_games = numbers.raw_games.saturating_sub(last.raw_games),
                players_waiting = numbers.players,
                to_fetch = numbers.to_fetch,
                to_post = numbers.to_post,
                to_archive = numbers.to_archive,
                "ten minutes of work"
            );
        }
        Ok(())
    }

    fn numbers(&self) -> Result<Numbers, StoreError> {
        let now = now();
        Ok(Numbers {
            requests: self.store.site_requests()?.values().sum(),
            raw_games: self.store.raw_count()?,
            players: self.store.players_left(now)?,
            to_fetch: self.store.fetch_left(now)?,
            to_post: self.store.post_left(now)?,
            to_archive: self.store.archive_pending()?,
        })
    }
}
