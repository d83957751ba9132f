//! What the program measures while it runs, in Prometheus' terms.
//!
//! Decides the names, units and labels of what is counted in this process; `docs/metrics.md` is the
//! reference of all of them. Leaves to [`crate::web`] how it is served, and to the store what is
//! known of the whole database. Series whose labels are known in advance begin at zero, so that a
//! rate over them sees the first event.

use std::time::Duration;

use dicechess_core::pacing::WaitReason;
use dicechess_core::site::Endpoint;
use dicechess_core::time::UnixMillis;
use prometheus::core::Collector;
use prometheus::process_collector::ProcessCollector;
use prometheus::{
    CounterVec, GaugeVec, HistogramOpts, HistogramVec, IntCounterVec, Opts, Registry,
};

use crate::crawl::Stage;

/// Counters of this process; share it as an `Arc`.
#[derive(Debug)]
pub struct Telemetry {
    registry: Registry,
    site_requests: IntCounterVec,
    site_request_seconds: HistogramVec,
    wait_seconds: CounterVec,
    stage_seconds: HistogramVec,
    stage_items: IntCounterVec,
    stage_last_success: GaugeVec,
    breaker_trips: IntCounterVec,
    posts: IntCounterVec,
    http_requests: IntCounterVec,
}

/// What came of handing one game to analytics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// Analytics did not have it.
    Created,
    /// Analytics had it already, or replaced it.
    Exists,
    /// Analytics refused it for what it says.
    Refused,
    /// Analytics could not take it now.
    Failed,
    /// The raw answer cannot be read; nothing was sent.
    Parked,
}

impl Delivery {
    const ALL: [Self; 5] = [Self::Created, Self::Exists, Self::Refused, Self::Failed, Self::Parked];

    const fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Exists => "exists",
            Self::Refused => "refused",
            Self::Failed => "failed",
            Self::Parked => "parked",
        }
    }
}

impl Telemetry {
    /// Counters that all stand at zero.
    #[must_use]
    pub fn new() -> Self {
        let registry = Registry::new();
        let telemetry = Self {
            site_requests: counter(
                &registry,
                "dicechess_sync_site_requests_total",
                "Requests to the site by endpoint and HTTP status; status none when nothing came back",
                &["endpoint", "status"],
            ),
            site_request_seconds: histogram(
                &registry,
                "dicechess_sync_site_request_duration_seconds",
                "How long requests to the site took, waits before them excluded",
                "endpoint",
                &[0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0],
            ),
            wait_seconds: register(
                &registry,
                CounterVec::new(
                    Opts::new(
                        "dicechess_sync_site_wait_seconds_total",
                        "Time spent waiting before requests to the site, by reason",
                    ),
                    &["reason"],
                ),
            ),
            stage_seconds: histogram(
                &registry,
                "dicechess_sync_stage_duration_seconds",
                "How long each turn of a stage took in which it had something to do, waits for the site included",
                "stage",
                &[0.1, 1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0],
            ),
            stage_items: counter(
                &registry,
                "dicechess_sync_stage_items_total",
                "Pages, games or bundles that each stage handled, failed ones included",
                &["stage"],
            ),
            stage_last_success: register(
                &registry,
                GaugeVec::new(
                    Opts::new(
                        "dicechess_sync_stage_last_success_timestamp_seconds",
                        "When each stage last handled something without a failure; 0 before the first time",
                    ),
                    &["stage"],
                ),
            ),
            breaker_trips: counter(
                &registry,
                "dicechess_sync_breaker_trips_total",
                "How often the circuit breaker of each stage opened",
                &["stage"],
            ),
            posts: counter(
                &registry,
                "dicechess_sync_posts_total",
                "Games handed to analytics, by what came of it",
                &["result"],
            ),
            http_requests: counter(
                &registry,
                "dicechess_sync_http_requests_total",
                "Requests that this process answered, by route, method and HTTP status",
                &["route", "method", "status"],
            ),
            registry,
        };
        telemetry.begin_at_zero();
        telemetry.observe_process();
        telemetry
    }

    fn begin_at_zero(&self) {
        for reason in [WaitReason::Spacing, WaitReason::HourlyBudget, WaitReason::Throttled] {
            self.wait_seconds.with_label_values(&[reason_name(reason)]);
        }
        for endpoint in [Endpoint::History, Endpoint::MoveHistory, Endpoint::Leaderboard] {
            self.site_request_seconds.with_label_values(&[endpoint.name()]);
        }
        for stage in Stage::ALL {
            self.stage_seconds.with_label_values(&[stage.name()]);
            self.stage_items.with_label_values(&[stage.name()]);
            self.stage_last_success.with_label_values(&[stage.name()]);
            self.breaker_trips.with_label_values(&[stage.name()]);
        }
        for delivery in Delivery::ALL {
            self.posts.with_label_values(&[delivery.name()]);
        }
    }

    /// Memory, processor time and files of this process, under the names that all exporters use.
    fn observe_process(&self) {
        let process = ProcessCollector::for_self();
        self.registry.register(Box::new(process)).expect("registered once");
    }

    /// A request to the site was answered, or was not.
    pub fn site_answered(&self, endpoint: Endpoint, status: Option<u16>, took: Duration) {
        let status = status.map_or_else(|| "none".to_owned(), |status| status.to_string());
        self.site_requests.with_label_values(&[endpoint.name(), &status]).inc();
        self.site_request_seconds.with_label_values(&[endpoint.name()]).observe(took.as_secs_f64());
    }

    /// A request waited before it went out.
    pub fn site_waited(&self, why: WaitReason, waited: Duration) {
        self.wait_seconds.with_label_values(&[reason_name(why)]).inc_by(waited.as_secs_f64());
    }

    /// A stage had its turn and handled so many items, failed ones included. A turn in which
    /// nothing waited for it tells nothing.
    pub fn stage_ran(&self, stage: Stage, took: Duration, handled: u64) {
        if handled > 0 {
            self.stage_seconds.with_label_values(&[stage.name()]).observe(took.as_secs_f64());
            self.stage_items.with_label_values(&[stage.name()]).inc_by(handled);
        }
    }

    /// A stage handled an item without a failure.
    pub fn stage_succeeded(&self, stage: Stage) {
        let now = seconds(crate::clock::now());
        self.stage_last_success.with_label_values(&[stage.name()]).set(now);
    }

    /// A stage stopped after five failures in a row.
    pub fn breaker_tripped(&self, stage: Stage) {
        self.breaker_trips.with_label_values(&[stage.name()]).inc();
    }

    /// A game was handed to analytics, or could not be.
    pub fn delivered(&self, delivery: Delivery) {
        self.posts.with_label_values(&[delivery.name()]).inc();
    }

    /// This process answered a request. The route is its pattern, never the path asked for, which
    /// strangers choose.
    pub fn http_answered(&self, route: &str, method: &str, status: u16) {
        self.http_requests.with_label_values(&[route, method, &status.to_string()]).inc();
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

/// Seconds since 1970, as Prometheus tells times.
pub(crate) fn seconds(time: UnixMillis) -> f64 {
    time.0 as f64 / 1000.0
}

const fn reason_name(why: WaitReason) -> &'static str {
    match why {
        WaitReason::Spacing => "spacing",
        WaitReason::HourlyBudget => "hourly_budget",
        WaitReason::Throttled => "throttled",
    }
}

fn counter(registry: &Registry, name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
    register(registry, IntCounterVec::new(Opts::new(name, help), labels))
}

fn histogram(
    registry: &Registry,
    name: &str,
    help: &str,
    label: &str,
    buckets: &[f64],
) -> HistogramVec {
    let options = HistogramOpts::new(name, help).buckets(buckets.to_vec());
    register(registry, HistogramVec::new(options, &[label]))
}

fn register<C: Collector + Clone + 'static>(
    registry: &Registry,
    collector: prometheus::Result<C>,
) -> C {
    let collector = collector.expect("the names and buckets above are valid");
    registry.register(Box::new(collector.clone())).expect("each name is registered once");
    collector
}
