//! What the operator configured.
//!
//! Decides what each setting means and which values are refused; refuses with a message that names
//! the setting and what to do. `settings` lists names, defaults and where values come from.

pub(crate) mod settings;
mod values;

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use dicechess_analytics::AllowedOrigins;
use dicechess_core::ids::UserId;
use dicechess_core::pacing::{Backoff, Pacing};
use reqwest::Url;
use secrecy::SecretString;
use thiserror::Error;

pub use settings::{CrawlSettings, GivenSettings, SECRETS_HELP, StoreSettings};

use crate::archive::ArchiveUrl;
use crate::site::{InvalidSiteAccess, SiteCredentials};
use values::Values;

/// A setting that cannot be used.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// A value that means nothing.
    #[error("{name}: {message}")]
    Value {
        /// The setting.
        name: &'static str,
        /// What is wrong and what would be right. Never a secret.
        message: String,
    },
    /// A secret, or who asks, cannot be sent as a header.
    #[error(transparent)]
    Access(#[from] InvalidSiteAccess),
    /// The TOML file cannot be used.
    #[error("{}: {message}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
}

/// Which program carries requests to the site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransportKind {
    /// The system's curl.
    Curl,
    /// In process.
    Reqwest,
}

/// Where games are posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnalyticsTarget {
    /// In this process.
    Embedded,
    /// A service.
    Remote(Url),
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// How the site is asked.
#[derive(Debug)]
pub struct SiteConfig {
    /// The site.
    pub base_url: Url,
    /// Token and cookies.
    pub credentials: SiteCredentials,
    /// Who asks.
    pub user_agent: String,
    /// Whether `user_agent` is the operator's own.
    pub names_contact: bool,
    /// What carries requests.
    pub transport: TransportKind,
    /// The curl program.
    pub curl: PathBuf,
    /// The usual page size.
    pub page_size: u32,
    /// The page size for players with many games.
    pub page_size_max: u32,
    /// Distances and budget.
    pub pacing: Pacing,
    /// Repeats of throttled requests.
    pub backoff: Backoff,
    /// How long an answer may take.
    pub timeout: Duration,
}

/// Which value each setting has, without the values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprints(BTreeMap<&'static str, u64>);

impl Fingerprints {
    /// The settings that differ, by name.
    #[must_use]
    pub fn differing(&self, other: &Self) -> BTreeSet<&'static str> {
        let names = self.0.keys().chain(other.0.keys());
        names.filter(|name| self.0.get(*name) != other.0.get(*name)).copied().collect()
    }
}

/// Everything a pass needs to know.
#[derive(Debug)]
pub struct Config {
    /// The database.
    pub db_path: PathBuf,
    /// Where to start.
    pub seed_ids: Vec<UserId>,
    /// How the site is asked.
    pub site: SiteConfig,
    /// Where games are posted.
    pub analytics: AnalyticsTarget,
    /// The embedded store.
    pub analytics_db: PathBuf,
    /// The analytics service's token.
    pub ingest_token: Option<SecretString>,
    /// Where raw bundles go.
    pub archive: ArchiveUrl,
    /// Games taken at once for posting.
    pub post_batch: u32,
    /// Games taken at once for the archive.
    pub archive_batch: u32,
    /// When a player's history is asked again.
    pub refresh_after: Duration,
    /// The pause between two cycles of the daemon.
    pub crawl_interval: Duration,
    /// How log lines look.
    pub log_format: LogFormat,
    /// Tells one configuration from another.
    pub fingerprints: Fingerprints,
}

impl Config {
    /// Reads the settings of a command that moves games.
    ///
    /// # Errors
    /// See [`ConfigError`].
    pub fn resolve(given: &CrawlSettings) -> Result<Self, ConfigError> {
        let values = Values::of(given)?;
        // A mistake in a setting is told by every command that knows it.
        WebConfig::of(&values)?;
        let db_path = values.db_path("DB_PATH")?;
        Ok(Self {
            seed_ids: values.user_ids("SEED_IDS")?,
            site: values.site()?,
            analytics: values.analytics()?,
            analytics_db: values.analytics_db()?,
            ingest_token: values.secret("INGEST_TOKEN", "INGEST_TOKEN_FILE")?,
            archive: values.archive()?,
            post_batch: values.number_in("POST_BATCH", 1..=10_000)?,
            archive_batch: values.number_in("ARCHIVE_BATCH", 1..=100_000)?,
            refresh_after: values.duration("REFRESH_AFTER")?,
            crawl_interval: values.duration("CRAWL_INTERVAL")?,
            log_format: values.log_format()?,
            fingerprints: values.fingerprints(),
            db_path,
        })
    }
}

/// Reads the settings of a command that only opens the database: its path and the log format.
///
/// # Errors
/// See [`ConfigError`].
pub fn resolve_store<const CRAWL: bool>(
    given: &GivenSettings<CRAWL>,
) -> Result<(PathBuf, LogFormat), ConfigError> {
    let values = Values::of(given)?;
    Ok((values.db_path("DB_PATH")?, values.log_format()?))
}

/// What `analytics` needs to know.
#[derive(Debug)]
pub struct AnalyticsConfig {
    /// The embedded store.
    pub db: PathBuf,
    /// Where it listens.
    pub listen: SocketAddr,
    /// The token of writers.
    pub token: Option<SecretString>,
    /// Web sites whose pages may read.
    pub allowed_origins: AllowedOrigins,
    /// How log lines look.
    pub log_format: LogFormat,
}

impl AnalyticsConfig {
    /// Reads the settings of the embedded analytics served alone.
    ///
    /// # Errors
    /// See [`ConfigError`].
    pub fn resolve(given: &CrawlSettings) -> Result<Self, ConfigError> {
        let values = Values::of(given)?;
        Ok(Self {
            db: values.analytics_db()?,
            listen: values.address("LISTEN")?,
            token: values.secret("INGEST_TOKEN", "INGEST_TOKEN_FILE")?,
            allowed_origins: values.parse("ALLOWED_ORIGINS")?,
            log_format: values.log_format()?,
        })
    }
}

/// What the daemon's web side needs to know.
#[derive(Debug)]
pub struct WebConfig {
    /// Where it listens.
    pub listen: SocketAddr,
    /// Web sites and extensions that may read and post.
    pub allowed_origins: AllowedOrigins,
    /// The token of whoever may change things; none and nobody may.
    pub admin_token: Option<SecretString>,
    /// The analytics service's token; the analytics API asks it of writers.
    pub ingest_token: Option<SecretString>,
    /// Where games are posted.
    pub analytics: AnalyticsTarget,
    /// Posts that one client may make in a minute, and at once.
    pub gateway_rate: GatewayRate,
    /// How the site is asked: budget and distances, for what pages foretell.
    pub pacing: Pacing,
    /// The archive, as it was named.
    pub archive_url: String,
}

/// How often one client may post.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatewayRate {
    /// In the long run.
    pub per_minute: u32,
    /// At once.
    pub burst: u32,
}

impl WebConfig {
    /// Reads the settings of the daemon's web side.
    ///
    /// # Errors
    /// See [`ConfigError`].
    pub fn resolve(given: &CrawlSettings) -> Result<Self, ConfigError> {
        Self::of(&Values::of(given)?)
    }

    fn of(values: &Values) -> Result<Self, ConfigError> {
        Ok(Self {
            listen: values.address("LISTEN")?,
            allowed_origins: values.parse("ALLOWED_ORIGINS")?,
            admin_token: values.secret("ADMIN_TOKEN", "ADMIN_TOKEN_FILE")?,
            ingest_token: values.secret("INGEST_TOKEN", "INGEST_TOKEN_FILE")?,
            analytics: values.analytics()?,
            gateway_rate: GatewayRate {
                per_minute: values.number_in("GATEWAY_RATE_PER_MINUTE", 1..=1_000_000)?,
                burst: values.number_in("GATEWAY_BURST", 1..=1_000_000)?,
            },
            pacing: values.site()?.pacing,
            archive_url: values.text("ARCHIVE_URL").to_owned(),
        })
    }
}

/// Reads where the embedded analytics store lies.
///
/// # Errors
/// See [`ConfigError`].
pub fn resolve_analytics_db<const CRAWL: bool>(
    given: &GivenSettings<CRAWL>,
) -> Result<PathBuf, ConfigError> {
    Values::of(given)?.analytics_db()
}

/// Reads what `import` needs of the settings: the database, the archive and the log format.
///
/// # Errors
/// See [`ConfigError`].
pub fn resolve_archive(
    given: &CrawlSettings,
) -> Result<(PathBuf, ArchiveUrl, LogFormat), ConfigError> {
    let values = Values::of(given)?;
    Ok((values.db_path("DB_PATH")?, values.archive()?, values.log_format()?))
}

/// Reads what `status` needs of the settings: the database and the token, whose end it tells. The
/// others may be wrong; a look at the numbers does not need them.
///
/// # Errors
/// See [`ConfigError`].
pub fn resolve_status(given: &CrawlSettings) -> Result<(PathBuf, SiteCredentials), ConfigError> {
    let values = Values::of(given)?;
    let token = values.secret("DICECHESS_JWT", "DICECHESS_JWT_FILE")?;
    Ok((values.db_path("DB_PATH")?, SiteCredentials::new(token, None)?))
}

/// The files that hold secrets, each with the setting that names it: token files, and the TOML file
/// if a secret is in it.
///
/// # Errors
/// The TOML file cannot be used.
pub fn secret_files(given: &CrawlSettings) -> Result<Vec<(&'static str, PathBuf)>, ConfigError> {
    Values::of(given)?.secret_files(given)
}

/// Whether a URL points at this machine itself.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::values::bare_secret;
    use super::*;

    fn resolve(values: &[(&'static str, &str)]) -> Result<Config, ConfigError> {
        let values = values.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Config::resolve(&CrawlSettings { values })
    }

    #[test]
    fn a_token_is_taken_as_it_is_copied() {
        for text in ["eyJ.a.b", " eyJ.a.b\n", "Bearer eyJ.a.b", "\"eyJ.a.b\"", "\u{feff}eyJ.a.b"] {
            assert_eq!(bare_secret(text), "eyJ.a.b", "{text:?}");
        }
        assert_eq!(bare_secret("Authorization: Bearer eyJ.a.b"), "eyJ.a.b");
    }

    #[test]
    fn what_sqlite_would_keep_in_memory_is_no_database() {
        for path in ["  ", ":memory:", "file:x.db?mode=memory"] {
            for name in ["DB_PATH", "ANALYTICS_DB"] {
                let error = resolve(&[(name, path)]).unwrap_err().to_string();
                assert!(error.starts_with(name), "{error}");
            }
        }
    }

    #[test]
    fn values_without_sense_are_refused_by_name() {
        for (name, value) in [
            ("REQUEST_JITTER_MS", "18446744073709551615"),
            ("REQUEST_TIMEOUT_MS", "0"),
            ("REQUEST_MAX_RETRIES", "-1"),
            ("REQUEST_MIN_DELAY_MS", "999"),
            ("ENUMERATE_PAGE_SIZE", "0"),
            ("REFRESH_AFTER", "soon"),
            ("TRANSPORT", "wget"),
            ("ANALYTICS_BASE_URL", "ftp://host"),
            ("SEED_IDS", "1,x"),
        ] {
            let error = resolve(&[(name, value)]).unwrap_err().to_string();
            assert!(error.starts_with(name), "{error}");
        }
    }
}
