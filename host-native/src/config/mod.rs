//! What the operator configured.
//!
//! Decides what each setting means and which values are refused; refuses with a message that names
//! the setting and what to do. `settings` lists names, defaults and where values come from.

pub(crate) mod settings;

use std::collections::BTreeMap;
use std::io::Read;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
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
use settings::SETTINGS;

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
    /// The pause between two passes of the daemon.
    pub crawl_interval: Duration,
    /// Where the daemon listens.
    pub listen: SocketAddr,
    /// How log lines look.
    pub log_format: LogFormat,
}

impl Config {
    /// Reads the settings of a command that moves games.
    ///
    /// # Errors
    /// See [`ConfigError`].
    pub fn resolve(given: &CrawlSettings) -> Result<Self, ConfigError> {
        let values = Values::of(given)?;
        let db_path = values.db_path("DB_PATH")?;
        Ok(Self {
            seed_ids: values.user_ids("SEED_IDS")?,
            site: values.site()?,
            analytics: values.analytics()?,
            analytics_db: values.analytics_db()?,
            ingest_token: values.secret("INGEST_TOKEN", "INGEST_TOKEN_FILE")?,
            archive: ArchiveUrl::parse(values.text("ARCHIVE_URL"))
                .map_err(|error| value_error("ARCHIVE_URL", error))?,
            post_batch: values.number_in("POST_BATCH", 1..=10_000)?,
            archive_batch: values.number_in("ARCHIVE_BATCH", 1..=100_000)?,
            refresh_after: values.duration("REFRESH_AFTER")?,
            crawl_interval: values.duration("CRAWL_INTERVAL")?,
            listen: values.parse("LISTEN")?,
            log_format: values.log_format()?,
            db_path,
        })
    }
}

/// Reads the settings of a command that only opens the database: its path and the log format.
///
/// # Errors
/// See [`ConfigError`].
pub fn resolve_store(given: &StoreSettings) -> Result<(PathBuf, LogFormat), ConfigError> {
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
            listen: values.parse("LISTEN")?,
            token: values.secret("INGEST_TOKEN", "INGEST_TOKEN_FILE")?,
            allowed_origins: values.parse("ALLOWED_ORIGINS")?,
            log_format: values.log_format()?,
        })
    }
}

/// Reads where the embedded analytics store lies.
///
/// # Errors
/// See [`ConfigError`].
pub fn resolve_analytics_db(given: &StoreSettings) -> Result<PathBuf, ConfigError> {
    Values::of(given)?.analytics_db()
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

/// Whether a URL points at this machine itself.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// The values given, by name; from flags and environment, else from the TOML file.
struct Values(BTreeMap<&'static str, String>);

impl Values {
    fn of<const CRAWL: bool>(given: &GivenSettings<CRAWL>) -> Result<Self, ConfigError> {
        let named = given.values.get("CONFIG_FILE");
        let path = named.map_or("./dicechess-sync.toml", String::as_str);
        let mut values = read_toml(Path::new(path), named.is_some())?;
        values.extend(given.values.iter().map(|(name, value)| (*name, value.clone())));
        Ok(Self(values))
    }

    fn get(&self, name: &'static str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The value given, or the default.
    fn text(&self, name: &'static str) -> &str {
        let default =
            || SETTINGS.iter().find(|setting| setting.name == name).map_or("", |s| s.default);
        self.get(name).unwrap_or_else(default)
    }

    fn parse<T: FromStr<Err: std::fmt::Display>>(
        &self,
        name: &'static str,
    ) -> Result<T, ConfigError> {
        let text = self.text(name);
        text.trim()
            .parse()
            .map_err(|error| value_error(name, format!("{text:?} cannot be used: {error}")))
    }

    fn number_in(
        &self,
        name: &'static str,
        range: std::ops::RangeInclusive<u32>,
    ) -> Result<u32, ConfigError> {
        let number: u32 = self.parse(name)?;
        if range.contains(&number) {
            return Ok(number);
        }
        let (low, high) = range.into_inner();
        Err(value_error(name, format!("{number} is not between {low} and {high}")))
    }

    /// A time of at most a day.
    fn millis(&self, name: &'static str) -> Result<Duration, ConfigError> {
        let millis = self.number_in(name, 0..=86_400_000)?;
        Ok(Duration::from_millis(u64::from(millis)))
    }

    fn duration(&self, name: &'static str) -> Result<Duration, ConfigError> {
        let text = self.text(name);
        humantime::parse_duration(text.trim()).map_err(|error| {
            value_error(name, format!("{text:?} is no duration such as 30s, 15m or 24h: {error}"))
        })
    }

    fn user_ids(&self, name: &'static str) -> Result<Vec<UserId>, ConfigError> {
        self.text(name)
            .split([',', ' '])
            .filter(|text| !text.trim().is_empty())
            .map(|text| text.parse().map_err(|error| value_error(name, error)))
            .collect()
    }

    /// A secret from its own setting or from the file that another one names.
    fn secret(
        &self,
        name: &'static str,
        file_name: &'static str,
    ) -> Result<Option<SecretString>, ConfigError> {
        let text = match (self.get(name), self.get(file_name)) {
            (Some(value), _) => value.to_owned(),
            (None, Some(path)) => read_secret(Path::new(path)).map_err(|error| {
                value_error(file_name, format!("{path} cannot be read: {error}"))
            })?,
            (None, None) => return Ok(None),
        };
        let text = bare_secret(&text);
        Ok((!text.is_empty()).then(|| SecretString::from(text)))
    }

    fn site(&self) -> Result<SiteConfig, ConfigError> {
        let base_url = self.http_url("SITE_BASE_URL")?;
        let min_delay = self.millis("REQUEST_MIN_DELAY_MS")?;
        if min_delay < Duration::from_secs(1) && !is_loopback(&base_url) {
            let message = "less than 1000 is refused: the site's rate limit sticks for tens of \
                           minutes (only a site on this machine may be asked faster)";
            return Err(value_error("REQUEST_MIN_DELAY_MS", message));
        }
        let page_size = self.number_in("ENUMERATE_PAGE_SIZE", 1..=100_000)?;
        let page_size_max: u32 = self.number_in("ENUMERATE_PAGE_SIZE_MAX", 1..=100_000)?;
        let token = self.secret("DICECHESS_JWT", "DICECHESS_JWT_FILE")?;
        let cookie = self.secret("DICECHESS_COOKIE", "DICECHESS_COOKIE_FILE")?;
        let own = self.get("USER_AGENT");
        Ok(SiteConfig {
            credentials: SiteCredentials::new(token, cookie)?,
            user_agent: own.map_or_else(default_user_agent, str::to_owned),
            names_contact: own.is_some(),
            transport: self.transport()?,
            curl: self.parse("CURL_BIN")?,
            page_size,
            page_size_max: page_size_max.max(page_size),
            pacing: Pacing {
                min_delay,
                jitter: self.millis("REQUEST_JITTER_MS")?,
                hourly_budget: self.parse("REQUEST_HOURLY_BUDGET")?,
            },
            backoff: Backoff {
                base: self.millis("REQUEST_BACKOFF_BASE_MS")?,
                max_retries: self.number_in("REQUEST_MAX_RETRIES", 0..=100)?,
            },
            timeout: Duration::from_millis(u64::from(
                self.number_in("REQUEST_TIMEOUT_MS", 100..=3_600_000)?,
            )),
            base_url,
        })
    }

    fn transport(&self) -> Result<TransportKind, ConfigError> {
        match self.text("TRANSPORT") {
            "curl" => Ok(TransportKind::Curl),
            "reqwest" => Ok(TransportKind::Reqwest),
            other => {
                Err(value_error("TRANSPORT", format!("{other:?} is neither curl nor reqwest")))
            }
        }
    }

    fn analytics(&self) -> Result<AnalyticsTarget, ConfigError> {
        if self.text("ANALYTICS_BASE_URL") == "embedded" {
            return Ok(AnalyticsTarget::Embedded);
        }
        self.http_url("ANALYTICS_BASE_URL").map(AnalyticsTarget::Remote)
    }

    fn analytics_db(&self) -> Result<PathBuf, ConfigError> {
        match self.get("ANALYTICS_DB") {
            Some(_) => self.db_path("ANALYTICS_DB"),
            None => Ok(self.db_path("DB_PATH")?.with_file_name("analytics.db")),
        }
    }

    /// The path of a database file. What SQLite would take for a database in memory is refused: a
    /// crawl into it would be lost.
    fn db_path(&self, name: &'static str) -> Result<PathBuf, ConfigError> {
        let text = self.text(name);
        if text.trim().is_empty() || text.starts_with(':') || text.starts_with("file:") {
            return Err(value_error(name, format!("{text:?} names no file")));
        }
        Ok(PathBuf::from(text))
    }

    fn http_url(&self, name: &'static str) -> Result<Url, ConfigError> {
        let text = self.text(name);
        let url: Url = text
            .parse()
            .map_err(|error| value_error(name, format!("{text:?} is no URL: {error}")))?;
        if matches!(url.scheme(), "http" | "https") && url.has_host() {
            Ok(url)
        } else {
            Err(value_error(name, format!("{text:?} is no http:// or https:// URL")))
        }
    }

    fn log_format(&self) -> Result<LogFormat, ConfigError> {
        match self.text("LOG_FORMAT") {
            "text" => Ok(LogFormat::Text),
            "json" => Ok(LogFormat::Json),
            other => Err(value_error("LOG_FORMAT", format!("{other:?} is neither text nor json"))),
        }
    }
}

/// A file that holds a secret, read up to a length no secret has.
fn read_secret(path: &Path) -> std::io::Result<String> {
    const LONGEST: u64 = 64 * 1024;
    let mut text = String::new();
    std::fs::File::open(path)?.take(LONGEST).read_to_string(&mut text)?;
    Ok(text)
}

/// The secret alone: without the header's name, the scheme and the quotes that come along when it
/// is copied from a browser's developer tools, and without a byte order mark.
fn bare_secret(text: &str) -> &str {
    let text = text.trim_start_matches('\u{feff}').trim();
    let text = text.trim_matches(['"', '\'']).trim();
    let text = text.strip_prefix("Authorization:").unwrap_or(text).trim();
    text.strip_prefix("Bearer ").unwrap_or(text).trim()
}

/// Reads the TOML file. One that nobody named may be absent.
fn read_toml(path: &Path, must_exist: bool) -> Result<BTreeMap<&'static str, String>, ConfigError> {
    let error = |message: String| ConfigError::File { path: path.to_owned(), message };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound && !must_exist => {
            return Ok(BTreeMap::new());
        }
        Err(cause) => return Err(error(format!("cannot be read: {cause}"))),
    };
    // The parser's own message would quote the line, and a line may hold a secret.
    let table: toml::Table = text.parse().map_err(|cause: toml::de::Error| {
        let line = cause.span().map_or(1, |span| text[..span.start].lines().count().max(1));
        error(format!("line {line} is no TOML: {}", cause.message()))
    })?;
    table
        .into_iter()
        .map(|(key, value)| {
            let name = key.to_ascii_uppercase().replace('-', "_");
            let setting = SETTINGS.iter().find(|setting| setting.name == name);
            let setting = setting.ok_or_else(|| error(format!("unknown setting {key:?}")))?;
            let value = toml_text(&value)
                .ok_or_else(|| error(format!("{key}: a string, a number or a list is due")))?;
            Ok((setting.name, value))
        })
        .collect()
}

fn toml_text(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Array(items) => {
            items.iter().map(toml_text).collect::<Option<Vec<_>>>().map(|texts| texts.join(","))
        }
        _ => None,
    }
}

fn value_error(name: &'static str, message: impl std::fmt::Display) -> ConfigError {
    ConfigError::Value { name, message: message.to_string() }
}

fn default_user_agent() -> String {
    concat!("dicechess-sync/", env!("CARGO_PKG_VERSION")).to_owned()
}

#[cfg(test)]
mod tests {
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
            ("LISTEN", "here"),
        ] {
            let error = resolve(&[(name, value)]).unwrap_err().to_string();
            assert!(error.starts_with(name), "{error}");
        }
    }
}
