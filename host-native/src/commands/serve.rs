//! `serve`: the daemon with its dashboard, its gateway and its probes.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::CommandError;
use crate::clock::now;
use crate::config::{Config, CrawlSettings, WebConfig};
use crate::crawl::parties;
use crate::daemon::{Daemon, DaemonHandle, Reload};
use crate::exit_code::Exit;
use crate::progress::Progress;
use crate::shutdown::Shutdown;
use crate::store::Store;
use crate::telemetry::Telemetry;
use crate::web::{self, WebContext};

/// Arguments of `serve`.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Settings.
    #[command(flatten)]
    pub settings: CrawlSettings,
}

/// How long pages that are being read may hold the end up.
const WEB_GRACE: Duration = Duration::from_secs(1);

/// Crawls and serves until it is stopped.
///
/// # Errors
/// The configuration is wrong, the address cannot be listened on, or the database failed.
pub fn run(args: &ServeArgs) -> Result<Exit, CommandError> {
    let config = Config::resolve(&args.settings)?;
    let web = WebConfig::resolve(&args.settings)?;
    crate::logging::start(config.log_format, &Progress::silent());
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let exit = runtime.block_on(serve(args, Arc::new(config), web));
    runtime.shutdown_timeout(WEB_GRACE);
    exit
}

async fn serve(
    args: &ServeArgs,
    config: Arc<Config>,
    web: WebConfig,
) -> Result<Exit, CommandError> {
    let shutdown = Shutdown::on_signals()?;
    parties::check_site_settings(&config)?;
    let store = Arc::new(Store::open(&config.db_path)?);
    let analytics = parties::open_analytics(&config)?;
    let handle = DaemonHandle::starting(now());
    let telemetry = Arc::new(Telemetry::new());
    let context = WebContext {
        store: Arc::new(Store::open_existing(&config.db_path)?),
        analytics: analytics.clone(),
        config: Arc::new(web),
        telemetry: Arc::clone(&telemetry),
        daemon: handle.clone(),
        shutdown: shutdown.clone(),
    };
    let pages = start_web(context).await?;
    let reload = Reload::new(args.settings.clone(), config, analytics.clone(), handle.clone())?;
    let daemon = Daemon {
        store,
        analytics,
        config: reload.config(),
        telemetry,
        progress: Progress::silent(),
        handle,
        shutdown: shutdown.clone(),
    };
    tokio::spawn(reload.run(shutdown.clone()));
    tokio::spawn(daemon.heartbeat().run(shutdown.clone()));
    let outcome = daemon.run().await;
    shutdown.request();
    // A page that somebody reads slowly must not hold the end up.
    let _ = tokio::time::timeout(WEB_GRACE, pages).await;
    outcome?;
    tracing::info!("stopped; everything accepted is kept");
    Ok(Exit::Done)
}

/// Serves the pages beside the crawl.
async fn start_web(context: WebContext) -> Result<tokio::task::JoinHandle<()>, CommandError> {
    let listener = super::listen(context.config.listen).await?;
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        tracing::warn!("LISTEN {address}: whoever reaches this machine can read the pages");
    }
    tracing::info!("dashboard at http://{address}/");
    let shutdown = context.shutdown.clone();
    Ok(tokio::spawn(async move {
        if let Err(error) = web::serve(listener, context).await {
            tracing::error!("pages can no longer be served: {error}");
            shutdown.request();
        }
    }))
}
