//! What the daemon is doing now, for pages, probes and metrics.
//!
//! Decides nothing; the daemon writes it and everybody else reads it.

use std::collections::BTreeMap;
use std::sync::Arc;

use dicechess_core::time::UnixMillis;
use tokio::sync::{Notify, watch};

use crate::crawl::Stage;

/// What the daemon is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DaemonView {
    /// When the process started.
    pub started_at: UnixMillis,
    /// Whether this process crawls.
    pub role: Role,
    /// What each stage does. Empty until the lease is held.
    pub stages: BTreeMap<Stage, StageView>,
    /// Why the daemon as a whole cannot go on with its database, while that lasts.
    pub database_failure: Option<String>,
    /// When the site's token ends, if it tells.
    pub token_expires_at: Option<UnixMillis>,
}

/// Whether this process crawls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// Not decided yet.
    Starting,
    /// It holds the lease.
    Crawling,
    /// Another process holds the lease; this one takes over when it ends.
    Standby {
        /// The other process: its machine and process id.
        holder: String,
        /// When its lease ends unless renewed.
        until: UnixMillis,
    },
    /// Somebody asked it to stop.
    Stopping,
}

/// What a stage does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StageView {
    /// It works.
    Working {
        /// Since when.
        since: UnixMillis,
    },
    /// Nothing waits for it.
    Idle {
        /// When it looks again at the latest.
        until: UnixMillis,
    },
    /// It stopped early and rests.
    Resting {
        /// Why.
        cause: Obstacle,
        /// When it tries again.
        until: UnixMillis,
    },
}

/// What is in the way of a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// Who is in the way.
    pub party: Party,
    /// What is wrong.
    pub message: String,
}

/// Who can be in the way of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Party {
    /// The site.
    Site,
    /// Where games are posted.
    Analytics,
    /// Where raw answers are mirrored.
    Archive,
    /// The database of this process.
    Database,
}

impl Party {
    /// Whom a stage deals with.
    pub(super) const fn of(stage: Stage) -> Self {
        match stage {
            Stage::Enumerate | Stage::Fetch => Self::Site,
            Stage::Post => Self::Analytics,
            Stage::Archive => Self::Archive,
        }
    }
}

impl DaemonView {
    /// Whether the database keeps the daemon or a stage of it from working.
    #[must_use]
    pub fn is_database_failing(&self) -> bool {
        let rests_from_it = |stage: &StageView| matches!(stage, StageView::Resting { cause, .. } if cause.party == Party::Database);
        self.database_failure.is_some() || self.stages.values().any(rests_from_it)
    }
}

/// The daemon's side and everybody else's side of the view, and a bell for each side to ring.
#[derive(Debug, Clone)]
pub struct DaemonHandle {
    view: Arc<watch::Sender<DaemonView>>,
    bells: Arc<BTreeMap<Bell, Notify>>,
}

/// What waits to be woken: asking the site, posting, archiving.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Bell {
    Site,
    Post,
    Archive,
}

impl DaemonHandle {
    /// A daemon that starts now.
    #[must_use]
    pub fn starting(now: UnixMillis) -> Self {
        let view = DaemonView {
            started_at: now,
            role: Role::Starting,
            stages: BTreeMap::new(),
            database_failure: None,
            token_expires_at: None,
        };
        let bells = [Bell::Site, Bell::Post, Bell::Archive].map(|bell| (bell, Notify::new()));
        Self { view: Arc::new(watch::Sender::new(view)), bells: Arc::new(bells.into()) }
    }

    /// What it is doing.
    #[must_use]
    pub fn view(&self) -> DaemonView {
        self.view.borrow().clone()
    }

    /// Tells of each change.
    #[must_use]
    pub fn subscribe(&self) -> watch::Receiver<DaemonView> {
        self.view.subscribe()
    }

    /// Something new waits to be asked of the site: the daemon looks at once.
    pub fn wake_site(&self) {
        self.ring(Bell::Site);
    }

    /// Something new waits to be posted or archived: the daemon looks at once.
    pub fn wake_delivery(&self) {
        self.ring(Bell::Post);
        self.ring(Bell::Archive);
    }

    /// Waits until somebody wakes this part. A bell rung while nobody waits is heard by the next.
    pub(super) async fn woken(&self, bell: Bell) {
        if let Some(bell) = self.bells.get(&bell) {
            bell.notified().await;
        }
    }

    /// Changes the view.
    pub(crate) fn update(&self, change: impl FnOnce(&mut DaemonView)) {
        self.view.send_modify(change);
    }

    /// Says what a stage does.
    pub(super) fn stage(&self, stage: Stage, does: StageView) {
        self.update(|view| {
            view.stages.insert(stage, does);
        });
    }

    fn ring(&self, bell: Bell) {
        if let Some(bell) = self.bells.get(&bell) {
            bell.notify_one();
        }
    }
}
