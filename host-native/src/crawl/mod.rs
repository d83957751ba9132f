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
//! | `watch` | looks after players whose games are wanted at once |
//! | `post` | raw games to analytics |
//! | `archiving` | raw games to the archive |
//! | `parties` | the site, the analytics and the archive a pass deals with |
//! | `report` | what a pass did and why it stopped |

mod archiving;
mod enumerate;
mod fetch;
pub mod parties;
mod post;
mod report;
mod seeding;
mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use dicechess_core::breaker::{Breaker, Outcome};
use dicechess_core::ids::UserId;
use thiserror::Error;

pub use parties::{Parties, PartyError, SitePolicy};
pub use report::{PassReport, Stop};

use crate::clock::now;
use crate::config::Config;
use crate::daemon::DaemonHandle;
use crate::progress::Progress;
use crate::shutdown::Shutdown;
use crate::site::{SiteError, SiteRequest, SiteResponse};
use crate::store::{Store, StoreError};
use crate::telemetry::Telemetry;

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
    pub refresh: Refresh,
    /// Whether watched players are looked after in between.
    pub attends_watches: bool,
    /// Games taken at once for posting.
    pub post_batch: u32,
    /// Games taken at once for the archive.
    pub archive_batch: u32,
}

/// When a synced player's history is asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refresh {
    /// So long after his last sweep.
    After(Duration),
    /// By his own plan ([`dicechess_core::lifecycle::refresh_interval`]).
    Planned,
}

impl PassSettings {
    /// All stages as configured, each player by his own plan.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        Self {
            stages: Stage::ALL.into(),
            max_players: None,
            max_games: None,
            seed_ids: config.seed_ids.clone(),
            page_size: config.site.page_size,
            page_size_max: config.site.page_size_max,
            refresh: Refresh::Planned,
            attends_watches: false,
            post_batch: config.post_batch,
            archive_batch: config.archive_batch,
        }
    }
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

/// What a pass works with.
#[derive(Clone, Copy)]
pub struct PassTools<'a> {
    /// The database, whose lease is held.
    pub store: &'a Store,
    /// Site, analytics and archive.
    pub parties: &'a Parties,
    /// What is counted.
    pub telemetry: &'a Telemetry,
    /// What a person sees.
    pub progress: &'a Progress,
}

/// The circuit breaker of each stage. They outlive a pass where one follows the other: failures in a
/// row count on, and a stage that has rested stops again at its first failure.
#[derive(Debug, Default)]
pub struct Breakers {
    stages: BTreeMap<Stage, Breaker>,
    /// How often in a row each leaderboard could not be had.
    failed_sources: BTreeMap<&'static str, u32>,
}

/// A pass under way.
pub struct Pass<'a> {
    tools: PassTools<'a>,
    store: &'a Store,
    settings: PassSettings,
    shutdown: Shutdown,
    /// Rung when something new waits to be posted or archived.
    delivery: Option<DaemonHandle>,
    breakers: &'a mut Breakers,
    sweep_in_hand: Option<enumerate::ActiveSweep>,
    report: PassReport,
}

/// Pages, and fetches, of one round.
const PAGES_A_ROUND: u64 = 50;
const FETCHES_A_ROUND: u64 = 500;

impl<'a> Pass<'a> {
    /// Prepares a pass. Without a site only posting and archiving can run; without an archive,
    /// nothing is archived.
    pub fn new(
        tools: PassTools<'a>,
        breakers: &'a mut Breakers,
        settings: PassSettings,
        shutdown: Shutdown,
    ) -> Self {
        Self {
            tools,
            store: tools.store,
            settings,
            shutdown,
            delivery: None,
            breakers,
            sweep_in_hand: None,
            report: PassReport::default(),
        }
    }

    /// Tells the daemon of each game that waits to be posted.
    #[must_use]
    pub fn waking(mut self, daemon: DaemonHandle) -> Self {
        self.delivery = Some(daemon);
        self
    }

    /// Runs the pass to its end.
    ///
    /// # Errors
    /// See [`PassError`]; a refusing site or a stage that stops early is no error but in the report.
    pub async fn run(mut self) -> Result<PassReport, PassError> {
        self.prepare().await?;
        while self.round().await? > 0 && !self.shutdown.is_requested() {}
        self.end()
    }

    /// Runs one round of the pass: what [`Self::run`] repeats until nothing is left. A round that
    /// does not ask the site has nothing to prepare.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub async fn run_round(mut self) -> Result<PassReport, PassError> {
        if self.settings.stages.iter().any(|stage| stage.asks_site()) {
            self.prepare().await?;
        }
        self.round().await?;
        self.end()
    }

    /// Looks after the watched players whose time has come, and does nothing else.
    ///
    /// # Errors
    /// As [`Self::run`].
    pub async fn run_watches(mut self) -> Result<PassReport, PassError> {
        watch::attend(&mut self).await?;
        self.end()
    }

    /// What comes before the first question to the site.
    async fn prepare(&mut self) -> Result<(), PassError> {
        self.store.reset_in_progress(now())?;
        self.seed().await?;
        if !self.store.has_players()? {
            tracing::warn!(
                "nobody is in the frontier: set SEED_IDS or run `dicechess-sync seed ID…`"
            );
        }
        match self.settings.refresh {
            Refresh::After(age) => self.store.requeue_stale(now() - age, now())?,
            Refresh::Planned => self.store.requeue_due(now())?,
        };
        Ok(())
    }

    /// At most 50 pages, at most 500 fetches, then all that waits to be posted and archived. How
    /// much was handled.
    async fn round(&mut self) -> Result<u64, PassError> {
        let mut handled = 0;
        for stage in Stage::ALL {
            let began = Instant::now();
            let done = match stage {
                Stage::Enumerate => enumerate::run(self, PAGES_A_ROUND).await?,
                Stage::Fetch => fetch::run(self, FETCHES_A_ROUND).await?,
                Stage::Post => post::run(self).await?,
                Stage::Archive => archiving::run(self).await?,
            };
            self.tools.telemetry.stage_ran(stage, began.elapsed(), done);
            handled += done;
        }
        self.report.handled += handled;
        Ok(handled)
    }

    fn end(mut self) -> Result<PassReport, PassError> {
        if let Some(sweep) = self.sweep_in_hand.take() {
            self.store.release_player(sweep.player_id(), now())?;
        }
        if self.shutdown.is_requested() {
            self.stop(Stop::Requested);
        }
        self.tools.progress.clear();
        Ok(self.report)
    }

    /// Whether a stage is wanted, has not stopped, and nobody asked to stop.
    fn may_go_on(&self, stage: Stage) -> bool {
        self.settings.stages.contains(&stage)
            && !self.shutdown.is_requested()
            && !self.report.stops.iter().any(|stop| stop.concerns(stage))
            && (self.tools.parties.site.is_some() || !stage.asks_site())
    }

    /// Takes note of how an item ended. A stage whose breaker opens stops.
    fn record(&mut self, stage: Stage, outcome: Outcome, failure: Option<&str>) {
        if outcome == Outcome::Success {
            self.tools.telemetry.stage_succeeded(stage);
        }
        let breaker = self.breakers.stages.entry(stage).or_default();
        breaker.record(outcome);
        if breaker.is_open()
            && let Some(cause) = failure
        {
            self.tools.telemetry.breaker_tripped(stage);
            self.stop(Stop::Breaker { stage, cause: cause.to_owned() });
        }
    }

    /// A game waits to be posted and archived.
    fn announce_delivery(&self) {
        if let Some(daemon) = &self.delivery {
            daemon.wake_delivery();
        }
    }

    fn stop(&mut self, stop: Stop) {
        if !self.report.stops.contains(&stop) {
            // A turn is also ended to take up a changed configuration; whoever stops the program
            // is told by the command.
            match stop {
                Stop::Requested => tracing::debug!("{stop}"),
                _ => tracing::warn!("{stop}"),
            }
            self.report.stops.push(stop);
        }
    }

    async fn ask(&self, request: &SiteRequest) -> Result<SiteResponse, SiteError> {
        match &self.tools.parties.site {
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
