//! The daemon: crawls for months, one cycle after the other.
//!
//! Decides which process crawls, that asking the site, posting and archiving never wait for each
//! other, and how it stops: the item in hand is finished, or given up after some seconds, which
//! rolls it back. What a stage does is [`crate::crawl`]'s matter, how long one rests the core's.
//!
//! | file | decides |
//! |---|---|
//! | `site_turns` | when the site is asked: rounds, cycles, looks, rests |
//! | `delivery` | when games are posted and archived |
//! | `heartbeat` | what the log says every ten minutes |
//! | `rest` | how long a stage that stopped early rests |
//! | `reload` | when a changed configuration takes hold |
//! | `view` | what others see of it |

mod delivery;
mod heartbeat;
mod reload;
mod rest;
mod site_turns;
mod view;

use std::sync::Arc;
use std::time::Duration;

use dicechess_core::pacing::LEASE_RENEWAL;
use dicechess_core::time::UnixMillis;
use tokio::sync::watch;

pub use heartbeat::Heartbeat;
pub use reload::Reload;
pub use view::{DaemonHandle, DaemonView, Obstacle, Party, Role, StageView};

use crate::analytics::Analytics;
use crate::clock::now;
use crate::config::Config;
use crate::crawl::Stage;
use crate::progress::Progress;
use crate::shutdown::Shutdown;
use crate::store::{Lease, LeaseHolder, LeaseKeeper, Store, StoreError};
use crate::telemetry::Telemetry;
use view::Bell;

/// What the daemon works with.
pub struct Daemon {
    /// The crawl's own connection to the database.
    pub store: Arc<Store>,
    /// Where games are posted; shared with the web side.
    pub analytics: Analytics,
    /// What the operator configured, as of now.
    pub config: watch::Receiver<Arc<Config>>,
    /// What is counted.
    pub telemetry: Arc<Telemetry>,
    /// What is logged of the progress.
    pub progress: Progress,
    /// What others see of it, and how they wake it.
    pub handle: DaemonHandle,
    /// Asks it to stop.
    pub shutdown: Shutdown,
}

/// How long the item in hand may take once a stop was asked for. A service manager waits for ten
/// seconds at least.
const GRACE: Duration = Duration::from_secs(7);

/// How long a database that cannot be used is left alone.
const PAUSE: Duration = Duration::from_secs(10);

impl Daemon {
    /// Crawls while this process holds the lease, and waits for it while another one does, until a
    /// stop is asked for.
    ///
    /// # Errors
    /// The database file is gone or is another one.
    pub async fn run(&self) -> Result<(), StoreError> {
        let mut told = None;
        while !self.shutdown.is_requested() {
            // Losing the lease ends what depends on it, not the daemon.
            let tenure = self.shutdown.part();
            let outcome = match LeaseKeeper::take(&self.store, tenure.clone()) {
                Ok(Lease::Held { by, until }) => {
                    self.stand_by(by, until, &mut told).await;
                    Ok(())
                }
                Ok(Lease::Taken(lease)) => {
                    told = None;
                    self.hold(lease, &tenure).await
                }
                Err(error) => Err(error),
            };
            match outcome {
                Err(error @ StoreError::Gone { .. }) => return Err(error),
                Err(StoreError::LeaseLost { .. }) | Ok(()) => {}
                Err(error) => self.stand_back(&error).await,
            }
        }
        self.handle.update(|view| view.role = Role::Stopping);
        Ok(())
    }

    /// What tells the log of the progress.
    #[must_use]
    pub fn heartbeat(&self) -> Heartbeat {
        Heartbeat::new(Arc::clone(&self.store), self.handle.clone())
    }

    /// Crawls as long as the lease is held, and gives it back.
    async fn hold(&self, lease: LeaseKeeper, tenure: &Shutdown) -> Result<(), StoreError> {
        tracing::info!("this process crawls {}", self.store.path().display());
        self.handle.update(|view| {
            view.role = Role::Crawling;
            view.database_failure = None;
        });
        let outcome = self.crawl(tenure).await;
        let released = lease.release().await;
        outcome.and(released)
    }

    /// A database that is locked or full now may be usable again in a while.
    async fn stand_back(&self, error: &StoreError) {
        tracing::error!(
            "the database cannot be used, tried again in {} s: {error}",
            PAUSE.as_secs()
        );
        self.handle.update(|view| {
            view.role = Role::Starting;
            view.stages.clear();
            view.database_failure = Some(error.to_string());
        });
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            () = self.shutdown.requested() => {}
        }
    }

    /// Waits for the lease that another process holds; says so once for each holder.
    async fn stand_by(&self, by: LeaseHolder, until: UnixMillis, told: &mut Option<String>) {
        let holder = by.to_string();
        if told.as_ref() != Some(&by.name) {
            tracing::warn!(
                "{holder} crawls this database, its lease ends at {until} unless renewed; this \
                 process serves pages and takes over when it ends"
            );
            *told = Some(by.name);
        }
        self.handle.update(|view| {
            view.role = Role::Standby { holder, until };
            view.database_failure = None;
            view.stages.clear();
        });
        // A holder that died is noticed at once only when asked.
        let pause = now().until(until).clamp(Duration::from_millis(200), LEASE_RENEWAL / 5);
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = self.shutdown.requested() => {}
        }
    }

    /// All stages at the same time, each at its own pace.
    async fn crawl(&self, tenure: &Shutdown) -> Result<(), StoreError> {
        let stages = async {
            tokio::try_join!(
                site_turns::run(self, tenure),
                delivery::run(self, Stage::Post, Bell::Post, tenure),
                delivery::run(self, Stage::Archive, Bell::Archive, tenure),
            )
        };
        let given_up = async {
            tenure.requested().await;
            self.handle.update(|view| view.role = Role::Stopping);
            tokio::time::sleep(GRACE).await;
        };
        tokio::select! {
            outcome = stages => outcome.map(|_| ()),
            () = given_up => {
                tracing::warn!("the item in hand takes too long and is given up; nothing of it is kept");
                Ok(())
            }
        }
    }
}
