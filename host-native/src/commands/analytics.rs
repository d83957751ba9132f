//! `analytics`: the embedded analytics served alone.

use std::sync::Arc;

use dicechess_analytics::{ApiOptions, Receiver, router_with};

use super::CommandError;
use crate::config::{AnalyticsConfig, CrawlSettings};
use crate::exit_code::Exit;
use crate::progress::Progress;
use crate::shutdown::Shutdown;

/// Serves the analytics API until it is stopped.
///
/// # Errors
/// The configuration is wrong, the store cannot be opened, or the address cannot be listened on.
pub fn run(settings: &CrawlSettings) -> Result<Exit, CommandError> {
    let config = AnalyticsConfig::resolve(settings)?;
    crate::logging::start(config.log_format, &Progress::on_stderr(false));
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(serve(config))
}

async fn serve(config: AnalyticsConfig) -> Result<Exit, CommandError> {
    let shutdown = Shutdown::on_signals()?;
    super::create_parent(&config.db)?;
    let receiver = Arc::new(Receiver::open(&config.db)?);
    let listener = super::listen(config.listen).await?;
    let address = listener.local_addr()?;
    if config.token.is_none() {
        tracing::warn!("INGEST_TOKEN is not set: games can be read and nobody can post");
    }
    tracing::info!("analytics at http://{address}/, its description at http://{address}/docs");
    let options =
        ApiOptions { token: config.token, allowed_origins: config.allowed_origins, greeting: true };
    axum::serve(listener, router_with(receiver, options))
        .with_graceful_shutdown(async move { shutdown.requested().await })
        .await?;
    Ok(Exit::Done)
}
