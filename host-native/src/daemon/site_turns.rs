//! When the site is asked.
//!
//! Decides that rounds follow each other while there is work, that a new cycle begins every
//! `CRAWL_INTERVAL` at the latest, that looks at watched players come in between, and that a stage
//! that stopped early rests while the other one goes on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use dicechess_core::time::UnixMillis;
use tokio::sync::watch;

use super::rest::{Rest, may_recover};
use super::view::Bell;
use super::{Daemon, StageView};
use crate::clock::now;
use crate::config::Config;
use crate::crawl::{
    Breakers, Parties, Pass, PassError, PassReport, PassSettings, PassTools, SitePolicy, Stage,
    parties,
};
use crate::shutdown::Shutdown;
use crate::store::StoreError;

/// The stages that ask the site.
const STAGES: [Stage; 2] = [Stage::Enumerate, Stage::Fetch];

/// Timers end, looks fall due and other processes seed players without ringing the bell.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// What a turn is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// Pages, then games.
    Round,
    /// Watched players only.
    Watches,
}

/// Turns of the site stages until a stop is asked for.
pub(super) async fn run(daemon: &Daemon, stop: &Shutdown) -> Result<(), StoreError> {
    let mut turns = SiteTurns {
        daemon,
        config: daemon.config.clone(),
        rests: STAGES.map(|stage| (stage, Rest::default())).into(),
        breakers: Breakers::default(),
        next_cycle: now(),
    };
    let mut next = Turn::Round;
    while !stop.is_requested() {
        let config = turns.config.borrow_and_update().clone();
        let awake = turns.awake();
        if !awake.is_empty() {
            let outcome = turns.take(&config, &awake, next, stop).await;
            turns.note(outcome, &awake, &config)?;
        }
        next = turns.wait(stop).await?;
    }
    Ok(())
}

struct SiteTurns<'a> {
    daemon: &'a Daemon,
    config: watch::Receiver<Arc<Config>>,
    rests: BTreeMap<Stage, Rest>,
    breakers: Breakers,
    next_cycle: UnixMillis,
}

impl SiteTurns<'_> {
    /// The stages that do not rest.
    fn awake(&self) -> BTreeSet<Stage> {
        let is_awake = |(stage, rest): (&Stage, &Rest)| rest.at(now()).is_none().then_some(*stage);
        self.rests.iter().filter_map(is_awake).collect()
    }

    /// One turn. A changed configuration ends it after the item in hand.
    async fn take(
        &mut self,
        config: &Config,
        stages: &BTreeSet<Stage>,
        kind: Turn,
        stop: &Shutdown,
    ) -> Result<PassReport, PassError> {
        let daemon = self.daemon;
        for stage in stages {
            daemon.handle.stage(*stage, StageView::Working { since: now() });
        }
        let turn = stop.part();
        let (telemetry, progress) = (&daemon.telemetry, &daemon.progress);
        let policy = SitePolicy::default();
        let site = parties::open_site(config, &daemon.store, policy, telemetry, progress, &turn)?;
        let parties =
            Parties { site: Some(site), analytics: daemon.analytics.clone(), archive: None };
        let settings = PassSettings {
            stages: stages.clone(),
            attends_watches: true,
            ..PassSettings::of(config)
        };
        let tools = PassTools { store: &daemon.store, parties: &parties, telemetry, progress };
        let pass = Pass::new(tools, &mut self.breakers, settings, turn.clone())
            .waking(daemon.handle.clone());
        if kind == Turn::Round && now() >= self.next_cycle {
            self.next_cycle = now() + config.crawl_interval;
        }
        let work = async {
            match kind {
                Turn::Round => pass.run_round().await,
                Turn::Watches => pass.run_watches().await,
            }
        };
        tokio::pin!(work);
        loop {
            tokio::select! {
                report = &mut work => return report,
                Ok(()) = self.config.changed(), if !turn.is_requested() => turn.request(),
            }
        }
    }

    /// What follows from a turn for each stage.
    fn note(
        &mut self,
        outcome: Result<PassReport, PassError>,
        stages: &BTreeSet<Stage>,
        config: &Config,
    ) -> Result<(), StoreError> {
        let longest = config.crawl_interval;
        for stage in stages {
            let rest = self.rests.entry(*stage).or_default();
            match &outcome {
                Ok(report) => rest.take(*stage, &report.stops, longest, now()),
                Err(PassError::Store(error)) => rest.fail(error, longest, now()),
                Err(PassError::Unusable(message)) => {
                    rest.unusable(*stage, message.clone(), longest, now());
                }
            }
        }
        match outcome {
            Err(PassError::Store(error)) if may_recover(&error) => {
                tracing::error!("the site stages rest: {error}");
                Ok(())
            }
            Err(PassError::Store(error)) => Err(error),
            Err(error @ PassError::Unusable(_)) => {
                tracing::error!("the site stages rest: {error}");
                Ok(())
            }
            Ok(_) => Ok(()),
        }
    }

    /// Waits until there is something to ask, and tells what.
    async fn wait(&mut self, stop: &Shutdown) -> Result<Turn, StoreError> {
        loop {
            if stop.is_requested() {
                return Ok(Turn::Round);
            }
            if let Some(turn) = self.due()? {
                return Ok(turn);
            }
            self.show();
            tokio::select! {
                () = tokio::time::sleep(LOOK_EVERY) => {}
                () = self.daemon.handle.woken(Bell::Site) => self.wake(),
                changed = self.config.changed() => {
                    if changed.is_ok() {
                        // Marked as seen by `changed`; the next turn reads the value itself.
                        self.wake();
                    }
                    return Ok(Turn::Round);
                }
                () = stop.requested() => {}
            }
        }
    }

    fn due(&self) -> Result<Option<Turn>, StoreError> {
        let store = &self.daemon.store;
        let awake = self.awake();
        let has_work = (awake.contains(&Stage::Enumerate) && store.players_left(now())? > 0)
            || (awake.contains(&Stage::Fetch) && store.fetch_left(now())? > 0);
        if has_work || (awake.contains(&Stage::Enumerate) && now() >= self.next_cycle) {
            return Ok(Some(Turn::Round));
        }
        let is_look_due = store.next_look_at()?.is_some_and(|due| due <= now());
        Ok((awake.contains(&Stage::Enumerate) && is_look_due).then_some(Turn::Watches))
    }

    /// Ends all rests: what caused them may have changed.
    fn wake(&mut self) {
        self.rests.values_mut().for_each(Rest::wake);
    }

    fn show(&self) {
        for (stage, rest) in &self.rests {
            let view = match rest.at(now()) {
                Some((cause, until)) => StageView::Resting { cause: cause.clone(), until },
                None => StageView::Idle { until: self.next_cycle },
            };
            self.daemon.handle.stage(*stage, view);
        }
    }
}
