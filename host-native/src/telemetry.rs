//! What the program measures while it runs, in Prometheus' terms.
//!
//! Decides the names, units and labels of what is counted in this process. Leaves to
//! [`crate::web`] how it is served, and to the store what is known of the whole database.

use std::time::Duration;

use dicechess_core::pacing::WaitReason;
use dicechess_core::site::Endpoint;
use prometheus::{CounterVec, IntCounterVec, Opts, Registry};

use crate::crawl::Stage;

/// Counters of this process; share it as an `Arc`.
#[derive(Debug)]
pub struct Telemetry {
    registry: Registry,
    site_requests: IntCounterVec,
    site_request_seconds: CounterVec,
    wait_seconds: CounterVec,
    stage_seconds: CounterVec,
    stage_items: IntCounterVec,
    breaker_trips: IntCounterVec,
}

impl Telemetry {
    /// Counters that all stand at zero.
    ///
    /// # Panics
    /// Never: the names below are valid and each is registered once.
    #[must_use]
    pub fn new() -> Self {
        let registry = Registry::new();
        let whole = |name: &str, help: &str, labels: &[&str]| {
            let counter = IntCounterVec::new(Opts::new(name, help), labels).expect("a valid name");
            registry.register(Box::new(counter.clone())).expect("registered once");
            counter
        };
        let seconds = |name: &str, help: &str, labels: &[&str]| {
            let counter = CounterVec::new(Opts::new(name, help), labels).expect("a valid name");
            registry.register(Box::new(counter.clone())).expect("registered once");
            counter
        };
        Self {
            site_requests: whole(
                "dicechess_site_requests_total",
                "Requests to the site by endpoint and HTTP status; status none when nothing came back",
                &["endpoint", "status"],
            ),
            site_request_seconds: seconds(
                "dicechess_site_request_seconds_total",
                "Time spent on requests to the site, waits before them excluded",
                &["endpoint"],
            ),
            wait_seconds: seconds(
                "dicechess_site_wait_seconds_total",
                "Time spent waiting before requests to the site, by reason",
                &["reason"],
            ),
            stage_seconds: seconds(
                "dicechess_stage_seconds_total",
                "Time spent in each stage, waits for the site included",
                &["stage"],
            ),
            stage_items: whole(
                "dicechess_stage_items_total",
                "Pages, games or bundles that each stage handled",
                &["stage"],
            ),
            breaker_trips: whole(
                "dicechess_breaker_trips_total",
                "How often the circuit breaker of each stage opened",
                &["stage"],
            ),
            registry,
        }
    }

    /// A request to the site was answered, or was not.
    pub fn site_answered(&self, endpoint: Endpoint, status: Option<u16>, took: Duration) {
        let status = status.map_or_else(|| "none".to_owned(), |status| status.to_string());
        self.site_requests.with_label_values(&[endpoint.name(), &status]).inc();
        self.site_request_seconds.with_label_values(&[endpoint.name()]).inc_by(took.as_secs_f64());
    }

    /// A request waited before it went out.
    pub fn site_waited(&self, why: WaitReason, waited: Duration) {
        let why = match why {
            WaitReason::Spacing => "spacing",
            WaitReason::HourlyBudget => "hourly_budget",
            WaitReason::Throttled => "throttled",
        };
        self.wait_seconds.with_label_values(&[why]).inc_by(waited.as_secs_f64());
    }

    /// A stage had its turn.
    pub fn stage_ran(&self, stage: Stage, took: Duration, handled: u64) {
        self.stage_seconds.with_label_values(&[stage.name()]).inc_by(took.as_secs_f64());
        self.stage_items.with_label_values(&[stage.name()]).inc_by(handled);
    }

    /// A stage stopped after five failures in a row.
    pub fn breaker_tripped(&self, stage: Stage) {
        self.breaker_trips.with_label_values(&[stage.name()]).inc();
    }

    /// What all counters say now.
    #[must_use]
    pub fn gather(&self) -> Vec<prometheus::proto::MetricFamily> {
        self.registry.gather()
    }
}

impl Default for Telemetry {
    fn default() -> Self {
        Self::new()
    }
}
