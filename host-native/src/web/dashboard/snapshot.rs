//! The numbers of the whole at an instant.
//!
//! Decides what the first page needs to know. Taking them costs a few questions to the store, so
//! [`super::sampler`] takes them once for all who look.

use std::sync::{Arc, OnceLock};

use dicechess_core::forecast::{BackfillProgress, Forecast, forecast};
use dicechess_core::pacing::{Decision, Pacing};
use dicechess_core::time::UnixMillis;

use super::language::Language;
use super::overview;
use super::rates::{Gain, History, Progress};
use crate::config::WebConfig;
use crate::daemon::DaemonView;
use crate::store::{GameList, GameRow, Reason, SiteRequestSeen, StatusReport, Store, StoreError};

/// The numbers.
#[derive(Clone)]
pub(super) struct Snapshot {
    pub(super) at: UnixMillis,
    pub(super) view: DaemonView,
    pub(super) status: StatusReport,
    pub(super) counts: Counts,
    pub(super) gain: Option<Gain>,
    pub(super) forecast: Forecast,
    pub(super) pacing: Pacing,
    /// Whether the site may be asked now, and if not, when and why not.
    pub(super) next_request: Decision,
    pub(super) requests: Vec<SiteRequestSeen>,
    pub(super) player_failures: Vec<Reason>,
    pub(super) recent: Vec<GameRow>,
    pub(super) has_archive: bool,
    fragments: [OnceLock<Arc<Fragments>>; 2],
}

/// Parts of the first page by the id of the element they fill.
pub(super) type Fragments = Vec<(&'static str, String)>;

/// Games and players as a funnel: each number holds those that got at least so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Counts {
    pub(super) players: u64,
    pub(super) players_swept: u64,
    pub(super) players_left: u64,
    pub(super) players_failed: u64,
    pub(super) players_skipped: u64,
    pub(super) found: u64,
    pub(super) fetched: u64,
    pub(super) posted: u64,
    pub(super) archived: u64,
    pub(super) skipped: u64,
    pub(super) rejected: u64,
    pub(super) parked: u64,
    pub(super) fetch_failed: u64,
    pub(super) post_failed: u64,
    pub(super) to_fetch: u64,
    pub(super) to_post: u64,
}

impl Counts {
    pub(super) fn of(status: &StatusReport) -> Self {
        let game = |name: &str| status.games.get(name).copied().unwrap_or(0);
        let player = |name: &str| status.players.get(name).copied().unwrap_or(0);
        let fetched = game("fetched")
            + game("posted")
            + game("rejected")
            + game("error_post")
            + game("error_normalize");
        Self {
            players: status.players.values().sum(),
            players_swept: player("synced"),
            players_left: player("pending") + player("in_progress") + player("error"),
            players_failed: player("error"),
            players_skipped: player("skipped"),
            found: status.games.values().sum(),
            fetched,
            posted: game("posted"),
            archived: fetched.saturating_sub(status.archive_pending),
            skipped: game("skipped"),
            rejected: game("rejected"),
            parked: game("error_normalize"),
            fetch_failed: game("error_fetch"),
            post_failed: game("error_post"),
            to_fetch: game("discovered") + game("error_fetch"),
            to_post: game("fetched") + game("error_post"),
        }
    }

    const fn progress(&self) -> Progress {
        Progress {
            players_swept: self.players_swept,
            found: self.found,
            fetched: self.fetched,
            posted: self.posted,
            archived: self.archived,
        }
    }
}

impl Snapshot {
    /// Takes the numbers. Blocks.
    pub(super) fn take(
        store: &Store,
        view: DaemonView,
        config: &WebConfig,
        history: &mut History,
        now: UnixMillis,
    ) -> Result<Self, StoreError> {
        let status = store.status(now)?;
        let counts = Counts::of(&status);
        let progress = BackfillProgress {
            games_to_fetch: counts.to_fetch,
            players_to_sweep: counts.players_left,
            players_swept: status.completeness.players,
            games_known: counts.found,
            history_requests: status.site_requests.get("history").copied().unwrap_or(0),
        };
        Ok(Self {
            at: now,
            view,
            counts,
            gain: history.record(now, counts.progress()),
            forecast: forecast(&progress, &config.pacing),
            pacing: config.pacing,
            // The jitter is not drawn yet; its mean is the best guess.
            next_request: config.pacing.decide(&mut store.pacing_state(now)?, now, 0.5),
            requests: store.site_requests_seen()?,
            player_failures: store.player_failures()?,
            recent: store.list_games(GameList::All, 0, RECENT)?.rows,
            has_archive: config.archive_url != "none",
            fragments: Default::default(),
            status,
        })
    }

    /// The same numbers with what the daemon does now, where newer ones cannot be had.
    pub(super) fn seen_again(&self, view: DaemonView) -> Self {
        Self { view, fragments: Default::default(), ..self.clone() }
    }

    /// The parts of the first page in a language; rendered once for all who look.
    pub(super) fn fragments(&self, language: Language) -> Arc<Fragments> {
        let slot = &self.fragments[language as usize];
        Arc::clone(slot.get_or_init(|| {
            let parts = overview::parts(self, language.words());
            Arc::new(parts.into_iter().map(|(id, part)| (id, part.into_string())).collect())
        }))
    }
}

const RECENT: u32 = 10;
