//! What the daemon serves over HTTP.
//!
//! Decides which paths there are and what they share. The web side has a connection to the database
//! of its own, so that a page never waits for the crawl or the crawl for a page, and its writes need
//! no lease: they are those of an operator, not of the crawl.

mod analytics_api;
mod cors;
mod dashboard;
mod gateway;
mod operations;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use tokio::net::TcpListener;

use crate::analytics::Analytics;
use crate::config::WebConfig;
use crate::daemon::DaemonHandle;
use crate::shutdown::Shutdown;
use crate::store::Store;
use crate::telemetry::Telemetry;

/// What all pages and calls share.
#[derive(Clone)]
pub struct WebContext {
    /// The web side's own connection, without the crawl's guard.
    pub store: Arc<Store>,
    /// Where games are posted.
    pub analytics: Analytics,
    /// What the operator configured.
    pub config: Arc<WebConfig>,
    /// What this process counts.
    pub telemetry: Arc<Telemetry>,
    /// What the daemon does, and how to wake it.
    pub daemon: DaemonHandle,
    /// Streams end when it is requested.
    pub shutdown: Shutdown,
}

/// Serves until a stop is asked for.
///
/// # Errors
/// The listener failed.
pub async fn serve(listener: TcpListener, context: WebContext) -> std::io::Result<()> {
    let shutdown = context.shutdown.clone();
    let app = router(context).into_make_service_with_connect_info::<SocketAddr>();
    axum::serve(listener, app)
        .with_graceful_shutdown(async move { shutdown.requested().await })
        .await
}

fn router(context: WebContext) -> Router {
    let gateway = Arc::new(gateway::Gateway::new(context.clone()));
    Router::new()
        .merge(dashboard::router())
        .merge(operations::router())
        .merge(gateway::router(Arc::clone(&gateway)))
        .merge(analytics_api::router(&context, gateway))
        .layer(cors::layer(&context))
        .layer(from_fn_with_state(context.clone(), operations::count_answers))
        .with_state(context)
}
