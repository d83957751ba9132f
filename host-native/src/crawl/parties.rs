//! The other parties a pass deals with: the site, the analytics and the archive.
//!
//! Decides how each is reached as configured, and which settings keep the site from being asked at
//! all. What is asked of them, and when, is the stages' matter.

use std::sync::Arc;
use std::time::Duration;

use dicechess_analytics::{AnalyticsStoreError, Receiver};
use dicechess_core::pacing::WaitReason;
use thiserror::Error;

use super::PassError;
use crate::analytics::Analytics;
use crate::analytics_client::AnalyticsClient;
use crate::archive::Archive;
use crate::clock::now;
use crate::config::{AnalyticsTarget, Config, TransportKind, is_loopback};
use crate::progress::{Progress, duration_text};
use crate::shutdown::Shutdown;
use crate::site::{
    CurlTransport, LimitedSite, LimiterPolicy, ReqwestTransport, SiteAccess, Transport,
};
use crate::store::Store;
use crate::telemetry::Telemetry;

/// Whom a pass deals with.
pub struct Parties {
    /// The site; `None` where it is not to be asked.
    pub site: Option<LimitedSite>,
    /// Where games are posted.
    pub analytics: Analytics,
    /// Where bundles are mirrored, if anywhere.
    pub archive: Option<Archive>,
}

/// How the site is asked, beyond what is configured.
#[derive(Debug, Clone, Copy, Default)]
pub struct SitePolicy {
    /// A spent budget ends the pass instead of being waited for.
    pub no_wait: bool,
    /// A remembered refusal is tried again now.
    pub ignore_block: bool,
}

/// Why a party cannot be dealt with.
#[derive(Debug, Error)]
pub enum PartyError {
    /// A setting is in the way.
    #[error("{0}")]
    Unusable(String),
    /// The embedded analytics store failed.
    #[error(transparent)]
    Analytics(#[from] AnalyticsStoreError),
    /// Its folder cannot be made.
    #[error("the folder of the embedded analytics cannot be made: {0}")]
    Folder(#[from] std::io::Error),
}

impl From<PartyError> for PassError {
    fn from(error: PartyError) -> Self {
        Self::Unusable(error.to_string())
    }
}

impl PartyError {
    fn unusable(error: &dyn std::fmt::Display) -> Self {
        Self::Unusable(error.to_string())
    }
}

/// Checks that the site can be asked with these settings.
///
/// # Errors
/// There is no token for a site that is not on this machine.
pub fn check_site_settings(config: &Config) -> Result<(), PartyError> {
    let site = &config.site;
    if is_loopback(&site.base_url) {
        return Ok(());
    }
    if site.credentials.with_token(|_| Some(())).is_none() {
        return Err(PartyError::Unusable(
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

/// The site behind its limiter.
///
/// # Errors
/// A setting cannot be used.
pub fn open_site(
    config: &Config,
    store: &Arc<Store>,
    policy: SitePolicy,
    telemetry: &Arc<Telemetry>,
    progress: &Progress,
    shutdown: &Shutdown,
) -> Result<LimitedSite, PartyError> {
    let site = &config.site;
    let access = SiteAccess::new(
        site.base_url.as_str(),
        site.credentials.clone(),
        &site.user_agent,
        site.timeout,
    )
    .map_err(|error| PartyError::unusable(&error))?;
    let transport: Box<dyn Transport> = match site.transport {
        TransportKind::Curl => Box::new(CurlTransport::new(&site.curl, access)),
        TransportKind::Reqwest => {
            Box::new(ReqwestTransport::new(access).map_err(|error| PartyError::unusable(&error))?)
        }
    };
    let policy = LimiterPolicy {
        pacing: site.pacing,
        backoff: site.backoff,
        no_wait: policy.no_wait,
        ignore_block: policy.ignore_block,
    };
    let progress = progress.clone();
    let on_wait = Box::new(move |why, until| progress.note(&wait_text(why, until)));
    Ok(LimitedSite::new(
        transport,
        Arc::clone(store),
        policy,
        &site.credentials,
        shutdown.clone(),
        on_wait,
        Arc::clone(telemetry),
    ))
}

fn wait_text(why: WaitReason, until: dicechess_core::time::UnixMillis) -> String {
    let wait = duration_text(now().until(until).as_secs_f64());
    match why {
        WaitReason::HourlyBudget => {
            format!("the hourly budget is spent: waiting {wait}, until {until}")
        }
        WaitReason::Throttled => {
            format!("the site asked for silence: waiting {wait}, until {until}")
        }
        WaitReason::Spacing => format!("waiting {wait} between two requests"),
    }
}

/// The analytics, embedded or a service.
///
/// # Errors
/// The store cannot be opened, or a setting cannot be used.
pub fn open_analytics(config: &Config) -> Result<Analytics, PartyError> {
    Ok(match &config.analytics {
        AnalyticsTarget::Embedded => {
            if let Some(folder) = config.analytics_db.parent() {
                std::fs::create_dir_all(folder)?;
            }
            Analytics::Embedded(Arc::new(Receiver::open(&config.analytics_db)?))
        }
        AnalyticsTarget::Remote(_) => Analytics::remote(open_client(config)?),
    })
}

/// The client of an analytics service, with the present token.
///
/// # Errors
/// A setting cannot be used.
pub fn open_client(config: &Config) -> Result<AnalyticsClient, PartyError> {
    /// How long analytics may take to answer.
    const TIMEOUT: Duration = Duration::from_secs(30);
    let AnalyticsTarget::Remote(url) = &config.analytics else {
        return Err(PartyError::Unusable("the embedded analytics needs no client".to_owned()));
    };
    AnalyticsClient::new(url.as_str(), config.ingest_token.clone(), TIMEOUT)
        .map_err(|error| PartyError::unusable(&error))
}

/// The archive, if there is to be one.
///
/// # Errors
/// The setting cannot be used.
pub fn open_archive(config: &Config) -> Result<Option<Archive>, PartyError> {
    config.archive.open().map_err(|error| PartyError::Unusable(format!("ARCHIVE_URL: {error}")))
}
