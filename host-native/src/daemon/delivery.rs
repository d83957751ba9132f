//! When games are posted and archived.
//!
//! Decides that each of the two has turns of its own, which begin as soon as something waits and
//! never wait for the site. A turn handles all that waits.

use std::time::Duration;

use super::rest::{Rest, may_recover};
use super::view::Bell;
use super::{Daemon, StageView};
use crate::clock::now;
use crate::config::Config;
use crate::crawl::{
    Breakers, Parties, Pass, PassError, PassReport, PassSettings, PassTools, Stage, parties,
};
use crate::shutdown::Shutdown;
use crate::store::StoreError;

/// Timers end and other processes replay games without ringing the bell.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Turns of one stage until a stop is asked for.
pub(super) async fn run(
    daemon: &Daemon,
    stage: Stage,
    bell: Bell,
    stop: &Shutdown,
) -> Result<(), StoreError> {
    let mut config = daemon.config.clone();
    let mut rest = Rest::default();
    let mut breakers = Breakers::default();
    while !stop.is_requested() {
        let current = config.borrow_and_update().clone();
        daemon.handle.stage(stage, StageView::Working { since: now() });
        let longest = current.crawl_interval;
        match turn(daemon, &current, stage, &mut breakers, stop).await {
            Ok(report) => rest.take(stage, &report.stops, longest, now()),
            Err(PassError::Store(error)) if may_recover(&error) => {
                tracing::error!("the stage {} rests: {error}", stage.name());
                rest.fail(&error, longest, now());
            }
            Err(PassError::Store(error)) => return Err(error),
            Err(PassError::Unusable(message)) => {
                tracing::error!("the stage {} rests: {message}", stage.name());
                rest.unusable(stage, message, longest, now());
            }
        }
        let (view, is_resting) = match rest.at(now()) {
            Some((cause, until)) => (StageView::Resting { cause: cause.clone(), until }, true),
            None => (StageView::Idle { until: now() + LOOK_EVERY }, false),
        };
        let (StageView::Resting { until, .. } | StageView::Idle { until }) = view.clone() else {
            continue;
        };
        daemon.handle.stage(stage, view);
        tokio::select! {
            () = tokio::time::sleep(now().until(until)) => {}
            () = daemon.handle.woken(bell), if !is_resting => {}
            _ = config.changed() => rest.wake(),
            () = stop.requested() => {}
        }
    }
    Ok(())
}

async fn turn(
    daemon: &Daemon,
    config: &Config,
    stage: Stage,
    breakers: &mut Breakers,
    stop: &Shutdown,
) -> Result<PassReport, PassError> {
    let archive = match stage {
        Stage::Archive => parties::open_archive(config)?,
        _ => None,
    };
    let parties = Parties { site: None, analytics: daemon.analytics.clone(), archive };
    let settings = PassSettings { stages: [stage].into(), ..PassSettings::of(config) };
    let tools = PassTools {
        store: &daemon.store,
        parties: &parties,
        telemetry: &daemon.telemetry,
        progress: &daemon.progress,
    };
    Pass::new(tools, breakers, settings, stop.clone()).run_round().await
}
