//! What a pass did and why it stopped.

use std::fmt;

use dicechess_core::time::UnixMillis;

use super::Stage;
use crate::exit_code::Exit;

/// The counts of a pass.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PassReport {
    /// Pages, games and bundles handled, whatever came of them.
    pub handled: u64,
    /// Looks at watched players.
    pub looks: u64,
    /// History pages received.
    pub pages: u64,
    /// Pages that began with a row already seen, so that a shift of the list shows.
    pub overlapping_pages: u64,
    /// Pages that were asked again because rows had vanished.
    pub stepped_back: u64,
    /// Players whose sweep ended.
    pub players_swept: u64,
    /// Players whose sweep failed.
    pub players_failed: u64,
    /// Games that were new to the catalogue.
    pub new_games: u64,
    /// Entries that could not be read.
    pub broken_entries: u64,
    /// Games whose moves were received.
    pub fetched: u64,
    /// Games whose moves could not be had.
    pub fetch_failed: u64,
    /// Games that analytics stored.
    pub posted_created: u64,
    /// Games that analytics had.
    pub posted_exists: u64,
    /// Games that analytics refused.
    pub rejected: u64,
    /// Posts that failed.
    pub post_failed: u64,
    /// Games that could not be normalised.
    pub normalize_failed: u64,
    /// Bundles archived.
    pub archived: u64,
    /// Why stages stopped before their queue was empty.
    pub stops: Vec<Stop>,
}

/// Why a stage stopped before its queue was empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The site refuses access.
    SiteRefused(String),
    /// Five failures in a row.
    Breaker {
        /// The stage.
        stage: Stage,
        /// The last failure.
        cause: String,
    },
    /// Analytics does not accept the token.
    AnalyticsRefusedToken,
    /// The archive failed.
    ArchiveDown(String),
    /// The hourly budget is spent and was not to be waited for.
    BudgetSpent(UnixMillis),
    /// Somebody asked to stop.
    Requested,
}

impl Stop {
    /// Whether trying again at once would end alike.
    pub(crate) const fn is_lasting(&self) -> bool {
        match self {
            Self::SiteRefused(_)
            | Self::Breaker { .. }
            | Self::AnalyticsRefusedToken
            | Self::ArchiveDown(_) => true,
            Self::BudgetSpent(_) | Self::Requested => false,
        }
    }

    /// Whether it stops this stage.
    pub(crate) fn concerns(&self, stage: Stage) -> bool {
        match self {
            Self::SiteRefused(_) | Self::BudgetSpent(_) => stage.asks_site(),
            Self::Breaker { stage: stopped, .. } => *stopped == stage,
            Self::AnalyticsRefusedToken => stage == Stage::Post,
            Self::ArchiveDown(_) => stage == Stage::Archive,
            Self::Requested => true,
        }
    }

    /// What is in the way, without advice.
    pub(crate) fn cause(&self) -> String {
        match self {
            Self::SiteRefused(cause) | Self::ArchiveDown(cause) => cause.clone(),
            Self::Breaker { cause, .. } => format!("five failures in a row, the last: {cause}"),
            Self::AnalyticsRefusedToken => "analytics does not accept INGEST_TOKEN".to_owned(),
            Self::BudgetSpent(_) | Self::Requested => self.to_string(),
        }
    }

    const fn exit(&self) -> Exit {
        match self {
            Self::SiteRefused(_) => Exit::SiteRefused,
            Self::Breaker { .. } | Self::AnalyticsRefusedToken | Self::ArchiveDown(_) => {
                Exit::StoppedEarly
            }
            Self::BudgetSpent(_) | Self::Requested => Exit::Done,
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SiteRefused(reason) => write!(f, "the site stages stopped: {reason}"),
            Self::Breaker { stage, cause } => write!(
                f,
                "the stage {} stopped after five failures in a row, the last: {cause}. What is \
                 waiting stays queued; run crawl again when the cause is gone",
                stage.name()
            ),
            Self::AnalyticsRefusedToken => f.write_str(
                "posting stopped: analytics does not accept INGEST_TOKEN. Games stay queued; set \
                 the right token and run crawl again",
            ),
            Self::ArchiveDown(cause) => write!(
                f,
                "archiving stopped: {cause}. Bundles stay pending; run crawl again when the \
                 archive is back"
            ),
            Self::BudgetSpent(until) => {
                write!(f, "the hourly budget is spent until {until}; the next pass goes on")
            }
            Self::Requested => f.write_str("stopped on request; the next pass goes on"),
        }
    }
}

impl PassReport {
    /// How the program ends after this pass. A refusing site wins over a stage that stopped early.
    pub fn exit(&self) -> Exit {
        self.stops.iter().map(Stop::exit).max().unwrap_or(Exit::Done)
    }
}
