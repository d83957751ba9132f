//! The gauges of `/metrics`: what holds at this moment.
//!
//! Decides names, units, labels and how a value that is not known is told: times are 0 when there
//! is none, and a gauge whose value cannot be had is left out.

use dicechess_core::time::UnixMillis;
use prometheus::proto::MetricFamily;
use prometheus::{Gauge, GaugeVec, Opts, Registry};

use super::Reading;
use crate::config::WebConfig;
use crate::crawl::Stage;
use crate::daemon::{DaemonView, Role, StageView};
use crate::store::StoreGauges;
use crate::telemetry::seconds;

/// All gauges.
pub(super) fn of(
    reading: &Reading,
    view: &DaemonView,
    config: &WebConfig,
    now: UnixMillis,
) -> Vec<MetricFamily> {
    let gauges = Gauges(Registry::new());
    gauges.labelled(
        "dicechess_sync_build_info",
        "Always 1; the label tells the version",
        "version",
        [(env!("CARGO_PKG_VERSION"), 1.0)],
    );
    daemon(&gauges, view);
    files(&gauges, reading);
    if let Some(store) = &reading.gauges {
        contents(&gauges, store, config, now);
        site(&gauges, store, config.pacing.hourly_budget);
    }
    gauges.0.gather()
}

fn daemon(gauges: &Gauges, view: &DaemonView) {
    gauges.single(
        "dicechess_sync_lease_held",
        "Whether this process holds the lease, and so crawls: 1 or 0",
        flag(view.role == Role::Crawling),
    );
    if let Some(expiry) = view.token_expires_at {
        gauges.single(
            "dicechess_sync_token_expiry_timestamp_seconds",
            "When the site's token ends; left out when the token does not tell",
            seconds(expiry),
        );
    }
    let resting = Stage::ALL.map(|stage| {
        let view = view.stages.get(&stage);
        (stage.name(), flag(matches!(view, Some(StageView::Resting { .. }))))
    });
    gauges.labelled(
        "dicechess_sync_stage_resting",
        "Whether a stage stopped early and waits before it tries again: 1 or 0",
        "stage",
        resting,
    );
}

fn files(gauges: &Gauges, reading: &Reading) {
    gauges.single(
        "dicechess_sync_database_readable",
        "Whether the database could be read for this scrape: 1 or 0",
        flag(reading.gauges.is_some()),
    );
    gauges.labelled(
        "dicechess_sync_database_size_bytes",
        "Size of the database by file: the database itself and its write-ahead log",
        "file",
        [("database", reading.size.database as f64), ("wal", reading.size.wal as f64)],
    );
    if let Some(free) = reading.free_bytes {
        gauges.single(
            "dicechess_sync_disk_free_bytes",
            "What can still be written to the database's disk; left out when the system does not tell",
            free as f64,
        );
    }
}

fn contents(gauges: &Gauges, store: &StoreGauges, config: &WebConfig, now: UnixMillis) {
    // Without an archive nothing waits for one, however much is not archived.
    let has_archive = !config.archive_url.trim().eq_ignore_ascii_case("none");
    let queues: Vec<_> =
        store.queues.iter().filter(|queue| has_archive || queue.stage != "archive").collect();
    gauges.labelled(
        "dicechess_sync_games",
        "Games in the catalogue by status",
        "status",
        store.games.iter().map(|(status, count)| (status.as_str(), *count as f64)),
    );
    gauges.labelled(
        "dicechess_sync_players",
        "Players in the frontier by status",
        "status",
        store.players.iter().map(|(status, count)| (*status, *count as f64)),
    );
    gauges.labelled(
        "dicechess_sync_queue_length",
        "Items that a stage can take now, failed ones excluded: players, games, games, bundles",
        "stage",
        queues.iter().map(|queue| (queue.stage, queue.length as f64)),
    );
    gauges.labelled(
        "dicechess_sync_queue_oldest_age_seconds",
        "How long the oldest item of each queue has waited; 0 when none waits",
        "stage",
        queues.iter().map(|queue| {
            (queue.stage, queue.oldest.map_or(0.0, |since| since.until(now).as_secs_f64()))
        }),
    );
    gauges.single(
        "dicechess_sync_lease_expiry_timestamp_seconds",
        "When the lease ends unless renewed, whoever holds it; 0 when nobody does",
        store.lease_until.map_or(0.0, seconds),
    );
}

fn site(gauges: &Gauges, store: &StoreGauges, budget: u32) {
    let used = store.requests_last_hour as f64;
    let (limit, left) = match budget {
        0 => (f64::INFINITY, f64::INFINITY),
        budget => (f64::from(budget), (f64::from(budget) - used).max(0.0)),
    };
    gauges.single(
        "dicechess_sync_site_budget_limit_requests",
        "Requests to the site allowed in any hour; +Inf for no limit",
        limit,
    );
    gauges.single(
        "dicechess_sync_site_budget_used_requests",
        "Requests to the site in the last hour",
        used,
    );
    gauges.single(
        "dicechess_sync_site_budget_left_requests",
        "Requests to the site that the budget still allows now; +Inf for no limit",
        left,
    );
    gauges.single(
        "dicechess_sync_site_throttled_until_timestamp_seconds",
        "Until when the site asked for silence; 0 when it does not",
        store.throttled_until.map_or(0.0, seconds),
    );
    gauges.single(
        "dicechess_sync_site_blocked_since_timestamp_seconds",
        "When the site refused the credentials or sent a challenge; 0 when it lets us in",
        store.blocked_since.map_or(0.0, seconds),
    );
}

fn flag(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// Gauges made anew for each scrape, so that none outlives what it tells.
struct Gauges(Registry);

impl Gauges {
    fn single(&self, name: &str, help: &str, value: f64) {
        let gauge = Gauge::new(name, help).expect("the name is valid");
        gauge.set(value);
        self.0.register(Box::new(gauge)).expect("each name is registered once");
    }

    fn labelled<'a>(
        &self,
        name: &str,
        help: &str,
        label: &str,
        values: impl IntoIterator<Item = (&'a str, f64)>,
    ) {
        let gauges = GaugeVec::new(Opts::new(name, help), &[label]).expect("the name is valid");
        for (of, value) in values {
            gauges.with_label_values(&[of]).set(value);
        }
        self.0.register(Box::new(gauges)).expect("each name is registered once");
    }
}
