//! When a changed configuration takes hold.
//!
//! Decides that files are looked at every few seconds, and at once on SIGHUP, and that a file that
//! cannot be used changes nothing. What is behind a path that the database or the web side has open
//! already stays as it is until a restart.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use dicechess_core::pacing::token;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use super::DaemonHandle;
use crate::analytics::Analytics;
use crate::config::{AnalyticsTarget, Config, CrawlSettings};
use crate::crawl::parties;
use crate::shutdown::Shutdown;

/// How often the files are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// What is open already, or what the pages were started with.
const HELD_UNTIL_RESTART: [&str; 10] = [
    "ADMIN_TOKEN",
    "ADMIN_TOKEN_FILE",
    "ALLOWED_ORIGINS",
    "ANALYTICS_BASE_URL",
    "ANALYTICS_DB",
    "DB_PATH",
    "GATEWAY_BURST",
    "GATEWAY_RATE_PER_MINUTE",
    "LISTEN",
    "LOG_FORMAT",
];

/// Reads the configuration again and again.
pub struct Reload {
    given: CrawlSettings,
    current: watch::Sender<Arc<Config>>,
    analytics: Analytics,
    /// Where games are posted until a restart.
    target: AnalyticsTarget,
    daemon: DaemonHandle,
    hangup: Signal,
    complaint: Option<String>,
}

impl Reload {
    /// Begins with a configuration that was read from `given`.
    ///
    /// # Errors
    /// The system refuses to tell of signals.
    pub fn new(
        given: CrawlSettings,
        config: Arc<Config>,
        analytics: Analytics,
        daemon: DaemonHandle,
    ) -> std::io::Result<Self> {
        let target = config.analytics.clone();
        let current = watch::Sender::new(config);
        let hangup = signal(SignalKind::hangup())?;
        let reload = Self { given, current, analytics, target, daemon, hangup, complaint: None };
        reload.show_token();
        Ok(reload)
    }

    /// The configuration as of now, and each later one.
    #[must_use]
    pub fn config(&self) -> watch::Receiver<Arc<Config>> {
        self.current.subscribe()
    }

    /// Looks until a stop is asked for.
    pub async fn run(mut self, shutdown: Shutdown) {
        loop {
            tokio::select! {
                () = tokio::time::sleep(LOOK_EVERY) => {}
                _ = self.hangup.recv() => tracing::info!("SIGHUP: reading the configuration again"),
                () = shutdown.requested() => return,
            }
            self.look();
        }
    }

    fn look(&mut self) {
        match Config::resolve(&self.given) {
            Ok(config) => {
                let changed = self.current.borrow().fingerprints.differing(&config.fingerprints);
                if changed.is_empty() {
                    self.complaint = None;
                } else {
                    self.adopt(config, &changed);
                }
            }
            Err(error) => self.complain(error.to_string()),
        }
    }

    fn adopt(&mut self, config: Config, changed: &BTreeSet<&'static str>) {
        if let Analytics::Remote(service) = &self.analytics
            && config.analytics == self.target
        {
            match parties::open_client(&config) {
                Ok(client) => service.renew(client),
                Err(error) => return self.complain(error.to_string()),
            }
        }
        self.complaint = None;
        tell(changed);
        self.current.send_replace(Arc::new(config));
        self.show_token();
    }

    fn complain(&mut self, complaint: String) {
        if self.complaint.as_ref() != Some(&complaint) {
            tracing::warn!(
                "the changed configuration cannot be used, the old one stays: {complaint}"
            );
            self.complaint = Some(complaint);
        }
    }

    fn show_token(&self) {
        let expiry = self.current.borrow().site.credentials.with_token(token::expiry);
        self.daemon.update(|view| view.token_expires_at = expiry);
    }
}

/// Says which settings changed, and which of them wait for a restart.
fn tell(changed: &BTreeSet<&'static str>) {
    let (waiting, taken) = split(changed);
    if !taken.is_empty() {
        tracing::info!(
            "the configuration changed and holds from the next request on: {}",
            taken.join(", ")
        );
    }
    if !waiting.is_empty() {
        tracing::warn!(
            "the configuration changed, but this holds only after a restart: {}",
            waiting.join(", ")
        );
    }
}

/// What waits for a restart, and what does not.
fn split(changed: &BTreeSet<&'static str>) -> (Vec<&'static str>, Vec<&'static str>) {
    changed.iter().copied().partition(|name| HELD_UNTIL_RESTART.contains(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_for_a_restart_is_told_apart() {
        let changed = ["DICECHESS_JWT_FILE", "LISTEN", "SEED_IDS", "ADMIN_TOKEN"].into();
        let expected = (vec!["ADMIN_TOKEN", "LISTEN"], vec!["DICECHESS_JWT_FILE", "SEED_IDS"]);
        assert_eq!(split(&changed), expected);
    }
}
