//! `crawl`: one pass over everything that can be done now.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::CommandError;
use crate::config::{Config, CrawlSettings};
use crate::crawl::{
    Breakers, Parties, Pass, PassReport, PassSettings, PassTools, Refresh, SitePolicy, Stage,
    parties,
};
use crate::exit_code::Exit;
use crate::progress::Progress;
use crate::shutdown::Shutdown;
use crate::store::{LeaseKeeper, Store};
use crate::telemetry::Telemetry;

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
        parties::check_site_settings(config)?;
    }
    let store = Arc::new(Store::open(&config.db_path)?);
    let asked_before = store.site_requests()?;
    let lease = LeaseKeeper::take(&store, shutdown.clone())?;
    let Some(lease) = lease.or_say_who_holds_it(&store) else { return Ok(Exit::LeaseHeld) };
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
    let telemetry = Arc::new(Telemetry::new());
    let policy = SitePolicy { no_wait: args.no_wait, ignore_block: args.ignore_block };
    let site = if args.asks_site() {
        Some(parties::open_site(config, store, policy, &telemetry, progress, &shutdown)?)
    } else {
        None
    };
    let parties = Parties {
        site,
        analytics: parties::open_analytics(config)?,
        archive: parties::open_archive(config)?,
    };
    let settings = PassSettings {
        stages: args.stages.iter().copied().collect(),
        max_players: args.max_players,
        max_games: args.max_games,
        refresh: Refresh::After(config.refresh_after),
        ..PassSettings::of(config)
    };
    let tools = PassTools { store, parties: &parties, telemetry: &telemetry, progress };
    Ok(Pass::new(tools, &mut Breakers::default(), settings, shutdown).run().await?)
}
