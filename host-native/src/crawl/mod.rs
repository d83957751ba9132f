//! A pass: reset, seed, enumerate, fetch, post, archive.
//!
//! Decides the order of the work; what each step makes of a game or a player is the core's
//! decision. A pass works in rounds, so that a long enumeration does not hold games back: at most
//! 50 history pages, then at most 500 fetches, then posting and archiving of all that waits, until
//! nothing is left. Every step is committed by itself, so a pass can be killed at any instant.
//!
//! | file | does |
//! |---|---|
//! | `seeding` | seeds and leaderboards into the frontier |
//! | `enumerate` | histories into the catalogue |
//! | `fetch` | moves into the raw store |
//! | `post` | raw games to analytics |
//! | `archiving` | raw games to the archive |
//! | `report` | what a pass did and why it stopped |

mod archiving;
mod enumerate;
mod fetch;
mod post;
mod report;
mod seeding;

use std::collections::BTreeSet;
use std::time::Duration;

use dicechess_core::ids::UserId;
use thiserror::Error;

pub use report::{PassReport, Stop};

use crate::analytics::Analytics;
use crate::archive::Archive;
use crate::clock::now;
use crate::progress::Progress;
use crate::shutdown::Shutdown;
use crate::site::{LimitedSite, SiteError, SiteRequest, SiteResponse};
use crate::store::{Store, StoreError};

/// The stages of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Stage {
    /// Walk the players' histories.
    Enumerate,
    /// Get the moves of the games found.
    Fetch,
    /// Send games to analytics.
    Post,
    /// Mirror raw games into the archive.
    Archive,
}

impl Stage {
    /// All stages in their order.
    pub const ALL: [Self; 4] = [Self::Enumerate, Self::Fetch, Self::Post, Self::Archive];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Enumerate => "enumerate",
            Self::Fetch => "fetch",
            Self::Post => "post",
            Self::Archive => "archive",
        }
    }

    /// Whether it asks the site.
    pub const fn asks_site(self) -> bool {
        matches!(self, Self::Enumerate | Self::Fetch)
    }
}

/// What a pass is to do.
#[derive(Debug, Clone)]
pub struct PassSettings {
    /// The stages to run.
    pub stages: BTreeSet<Stage>,
    /// At most so many players are swept.
    pub max_players: Option<u64>,
    /// At most so many games are fetched.
    pub max_games: Option<u64>,
    /// Where to start.
    pub seed_ids: Vec<UserId>,
    /// The usual page size.
    pub page_size: u32,
    /// The page size for players with many games.
    pub page_size_max: u32,
    /// When a player's history is asked again.
    pub refresh_after: Duration,
    /// Games taken at once for posting.
    pub post_batch: u32,
    /// Games taken at once for the archive.
    pub archive_batch: u32,
}

/// Why a pass broke off. Whatever was accepted before is committed.
#[derive(Debug, Error)]
pub enum PassError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The transport cannot work at all.
    #[error("{0}")]
    Unusable(String),
}

/// A pass under way.
pub struct Pass<'a> {
    store: &'a Store,
    site: Option<&'a LimitedSite>,
    analytics: &'a Analytics,
    archive: Option<&'a Archive>,
    settings: PassSettings,
    shutdown: Shutdown,
    progress: &'a Progress,
    report: PassReport,
}

/// Pages, and fetches, of one round.
const PAGES_A_ROUND: u64 = 50;
const FETCHES_A_ROUND: u64 = 500;

impl<'a> Pass<'a> {
    /// Prepares a pass. Without a site only posting and archiving can run; without an archive,
    /// nothing is archived.
    pub fn new(
        store: &'a Store,
        site: Option<&'a LimitedSite>,
        analytics: &'a Analytics,
        archive: Option<&'a Archive>,
        settings: PassSettings,
        shutdown: Shutdown,
        progress: &'a Progress,
    ) -> Self {
        let report = PassReport::default();
        Self { store, site, analytics, archive, settings, shutdown, progress, report }
    }

    /// Runs the pass to its end.
    ///
    /// # Errors
    /// See [`PassError`]; a refusing site or a stage that stops early is no error but in the report.
    pub async fn run(mut self) -> Result<PassReport, PassError> {
        self.store.reset_in_progress(now())?;
        self.seed().await?;
        if !self.store.has_players()? {
            tracing::warn!(
                "nobody is in the frontier: set SEED_IDS or run `dicechess-sync seed ID…`"
            );
        }
        self.store.requeue_stale(now() - self.settings.refresh_after, now())?;
        let mut enumeration = enumerate::Enumeration::default();
        let mut fetching = fetch::Fetching::default();
        let mut posting = post::Posting::default();
        loop {
            let mut handled = enumeration.run(&mut self, PAGES_A_ROUND).await?;
            handled += fetching.run(&mut self, FETCHES_A_ROUND).await?;
            handled += posting.run(&mut self).await?;
            handled += archiving::run(&mut self).await?;
            if handled == 0 || self.shutdown.is_requested() {
                break;
            }
        }
        if self.shutdown.is_requested() {
            self.stop(Stop::Requested);
        }
        self.progress.clear();
        Ok(self.report)
    }

    /// Whether a stage is wanted, has not stopped, and nobody asked to stop.
    fn may_go_on(&self, stage: Stage) -> bool {
        self.settings.stages.contains(&stage)
            && !self.shutdown.is_requested()
            && !self.report.stops.iter().any(|stop| stop.concerns(stage))
            && (self.site.is_some() || !stage.asks_site())
    }

    fn stop(&mut self, stop: Stop) {
        if !self.report.stops.contains(&stop) {
            tracing::warn!("{stop}");
            self.report.stops.push(stop);
        }
    }

    async fn ask(&self, request: &SiteRequest) -> Result<SiteResponse, SiteError> {
        match self.site {
            Some(site) => site.request(request).await,
            None => Err(SiteError::Unusable("no site is configured".to_owned())),
        }
    }

    /// Takes an answer of the limiter that ends the site stages and leaves the item in hand as it
    /// is.
    fn site_stopped(&mut self, error: SiteError) -> Result<(), PassError> {
        match error {
            SiteError::Store(error) => return Err(error.into()),
            SiteError::Unusable(message) => return Err(PassError::Unusable(message)),
            SiteError::BudgetSpent(until) => self.stop(Stop::BudgetSpent(until)),
            SiteError::Stopped => self.stop(Stop::Requested),
            SiteError::AccessRefused(reason) => self.stop(Stop::SiteRefused(reason)),
            error @ (SiteError::Throttled(_) | SiteError::NotFound | SiteError::Failed(_)) => {
                tracing::warn!("{error}");
            }
        }
        Ok(())
    }
}
