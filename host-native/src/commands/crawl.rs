//! `crawl`: one pass over everything that can be done now.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use dicechess_analytics::Receiver;
use dicechess_core::pacing::WaitReason;

use super::CommandError;
use crate::analytics::Analytics;
use crate::analytics_client::AnalyticsClient;
use crate::clock::now;
use crate::config::{AnalyticsTarget, Config, CrawlSettings, TransportKind, is_loopback};
use crate::crawl::{Pass, PassReport, PassSettings, Stage};
use crate::exit_code::Exit;
use crate::progress::{Progress, duration_text};
use crate::shutdown::Shutdown;
use crate::site::{
    CurlTransport, LimitedSite, LimiterPolicy, ReqwestTransport, SiteAccess, Transport,
};
use crate::store::{LeaseKeeper, Store};

/// How long analytics may take to answer.
const ANALYTICS_TIMEOUT: Duration = Duration::from_secs(30);

/// Arguments of `crawl`.
#[derive(Debug, Args)]
pub struct CrawlArgs {
    /// The stages to run, separated by commas.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Stage::ALL)]
    pub stages: Vec<Stage>,
    /// Sweep at most so many players.
    #[arg(long, value_name = "N")]
    pub max_players: Option<u64>,
    /// Fetch at most so many games.
    #[arg(long, value_name = "N")]
    pub max_games: Option<u64>,
    /// End the pass when the hourly budget is spent, instead of waiting. A silence that the site
    /// asked for (429) is waited for all the same.
    #[arg(long)]
    pub no_wait: bool,
    /// Ask the site although it refused these credentials a short while ago.
    #[arg(long)]
    pub ignore_block: bool,
    /// Settings.
    #[command(flatten)]
    pub settings: CrawlSettings,
}

impl CrawlArgs {
    fn asks_site(&self) -> bool {
        self.stages.iter().any(|stage| stage.asks_site())
    }
}

/// Runs one pass.
///
/// # Errors
/// The configuration is wrong, or the database failed.
pub fn run(args: &CrawlArgs) -> Result<Exit, CommandError> {
    let config = Config::resolve(&args.settings)?;
    let progress = Progress::on_stderr(true);
    crate::logging::start(config.log_format, &progress);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let exit = runtime.block_on(async {
        let shutdown = Shutdown::on_signals()?;
        crawl(args, &config, &progress, shutdown).await
    });
    // A worker that still waits for a disk must not hold the program up.
    runtime.shutdown_timeout(Duration::from_secs(5));
    exit
}

async fn crawl(
    args: &CrawlArgs,
    config: &Config,
    progress: &Progress,
    shutdown: Shutdown,
) -> Result<Exit, CommandError> {
    if args.asks_site() {
        check_site_settings(config)?;
    }
    let store = Arc::new(Store::open(&config.db_path)?);
    let asked_before = store.status(now())?.site_requests;
    let Some(lease) = LeaseKeeper::take(&store, shutdown.clone())? else {
        return Ok(Exit::LeaseHeld);
    };
    let report = run_pass(args, config, &store, progress, shutdown).await;
    let still_held = lease.release().await;
    let report = report?;
    still_held?;
    super::status::print_summary(&store, &report, config, &asked_before)?;
    Ok(report.exit())
}

/// Runs a pass as configured on an open store whose lease is held.
pub(super) async fn run_pass(
    args: &CrawlArgs,
    config: &Config,
    store: &Arc<Store>,
    progress: &Progress,
    shutdown: Shutdown,
) -> Result<PassReport, CommandError> {
    let stages: BTreeSet<Stage> = args.stages.iter().copied().collect();
    let site = if args.asks_site() {
        Some(limited_site(args, config, store, progress, &shutdown)?)
    } else {
        None
    };
    let analytics = open_analytics(config)?;
    let archive = config
        .archive
        .open()
        .map_err(|error| CommandError::Unusable(format!("ARCHIVE_URL: {error}")))?;
    let settings = PassSettings {
        stages,
        max_players: args.max_players,
        max_games: args.max_games,
        seed_ids: config.seed_ids.clone(),
        page_size: config.site.page_size,
        page_size_max: config.site.page_size_max,
        refresh_after: config.refresh_after,
        post_batch: config.post_batch,
        archive_batch: config.archive_batch,
    };
    let (site, archive) = (site.as_ref(), archive.as_ref());
    Ok(Pass::new(store, site, &analytics, archive, settings, shutdown, progress).run().await?)
}

fn limited_site(
    args: &CrawlArgs,
    config: &Config,
    store: &Arc<Store>,
    progress: &Progress,
    shutdown: &Shutdown,
) -> Result<LimitedSite, CommandError> {
    let site = &config.site;
    let unusable = |error: &dyn std::fmt::Display| CommandError::Unusable(error.to_string());
    let access = SiteAccess::new(
        site.base_url.as_str(),
        site.credentials.clone(),
        &site.user_agent,
        site.timeout,
    )
    .map_err(|error| unusable(&error))?;
    let transport: Box<dyn Transport> = match site.transport {
        TransportKind::Curl => Box::new(CurlTransport::new(&site.curl, access)),
        TransportKind::Reqwest => {
            Box::new(ReqwestTransport::new(access).map_err(|error| unusable(&error))?)
        }
    };
    let policy = LimiterPolicy {
        pacing: site.pacing,
        backoff: site.backoff,
        no_wait: args.no_wait,
        ignore_block: args.ignore_block,
    };
    let progress = progress.clone();
    let on_wait = Box::new(move |why, until| {
        let wait = duration_text(now().until(until).as_secs_f64());
        progress.note(&match why {
            WaitReason::HourlyBudget => {
                format!("the hourly budget is spent: waiting {wait}, until {until}")
            }
            WaitReason::Throttled => {
                format!("the site asked for silence: waiting {wait}, until {until}")
            }
            WaitReason::Spacing => format!("waiting {wait} between two requests"),
        });
    });
    let store = Arc::clone(store);
    let shutdown = shutdown.clone();
    Ok(LimitedSite::new(transport, store, policy, &site.credentials, shutdown, on_wait))
}

fn check_site_settings(config: &Config) -> Result<(), CommandError> {
    let site = &config.site;
    if is_loopback(&site.base_url) {
        return Ok(());
    }
    if site.credentials.with_token(|_| Some(())).is_none() {
        return Err(CommandError::Unusable(
            "DICECHESS_JWT is not set: the site answers nobody without a token (README: \"Where to \
             find your token\"). `dicechess-sync demo` needs none"
                .to_owned(),
        ));
    }
    if !site.names_contact {
        tracing::warn!(
            "USER_AGENT names no contact: set it, so that the site's owners can reach you"
        );
    }
    Ok(())
}

fn open_analytics(config: &Config) -> Result<Analytics, CommandError> {
    Ok(match &config.analytics {
        AnalyticsTarget::Embedded => {
            super::create_parent(&config.analytics_db)?;
            Analytics::Embedded(Arc::new(Receiver::open(&config.analytics_db)?))
        }
        AnalyticsTarget::Remote(url) => {
            let client =
                AnalyticsClient::new(url.as_str(), config.ingest_token.clone(), ANALYTICS_TIMEOUT)
                    .map_err(|error| CommandError::Unusable(error.to_string()))?;
            Analytics::Remote(Arc::new(client))
        }
    })
}
