//! How values are read: from flags and environment, else from the TOML file, else the default.
//!
//! Decides what a text means as a number, a duration, a URL or a secret, and names the setting when
//! it means nothing. [`super::settings`] lists the settings.

use std::collections::BTreeMap;
use std::io::Read;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use dicechess_core::ids::UserId;
use dicechess_core::pacing::{Backoff, Pacing};
use reqwest::Url;
use secrecy::SecretString;
use xxhash_rust::xxh64::xxh64;

use super::settings::SETTINGS;
use super::{
    AnalyticsTarget, ConfigError, CrawlSettings, Fingerprints, GivenSettings, LogFormat,
    SiteConfig, TransportKind, is_loopback,
};
use crate::archive::ArchiveUrl;
use crate::site::SiteCredentials;

/// The values given, by name; from flags and environment, else from the TOML file.
pub(super) struct Values(BTreeMap<&'static str, String>);

impl Values {
    pub(super) fn of<const CRAWL: bool>(given: &GivenSettings<CRAWL>) -> Result<Self, ConfigError> {
        let (path, is_named) = toml_path(given);
        let mut values = read_toml(path, is_named)?;
        values.extend(given.values.iter().map(|(name, value)| (*name, value.clone())));
        Ok(Self(values))
    }

    pub(super) fn get(&self, name: &'static str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// The value given, or the default.
    pub(super) fn text(&self, name: &'static str) -> &str {
        let default =
            || SETTINGS.iter().find(|setting| setting.name == name).map_or("", |s| s.default);
        self.get(name).unwrap_or_else(default)
    }

    pub(super) fn parse<T: FromStr<Err: std::fmt::Display>>(
        &self,
        name: &'static str,
    ) -> Result<T, ConfigError> {
        let text = self.text(name);
        text.trim()
            .parse()
            .map_err(|error| value_error(name, format!("{text:?} cannot be used: {error}")))
    }

    pub(super) fn number_in(
        &self,
        name: &'static str,
        range: std::ops::RangeInclusive<u32>,
    ) -> Result<u32, ConfigError> {
        let text = self.text(name).trim();
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| {
            let (low, high) = range.into_inner();
            value_error(name, format!("{text:?} is no whole number between {low} and {high}"))
        })
    }

    /// An address and a port.
    pub(super) fn address(&self, name: &'static str) -> Result<SocketAddr, ConfigError> {
        let text = self.text(name).trim();
        text.parse().map_err(|_| {
            let message = format!("{text:?} is no address with a port, such as 127.0.0.1:8787");
            value_error(name, message)
        })
    }

    /// A time of at most a day.
    pub(super) fn millis(&self, name: &'static str) -> Result<Duration, ConfigError> {
        let millis = self.number_in(name, 0..=86_400_000)?;
        Ok(Duration::from_millis(u64::from(millis)))
    }

    pub(super) fn duration(&self, name: &'static str) -> Result<Duration, ConfigError> {
        let text = self.text(name);
        humantime::parse_duration(text.trim()).map_err(|error| {
            value_error(name, format!("{text:?} is no duration such as 30s, 15m or 24h: {error}"))
        })
    }

    pub(super) fn user_ids(&self, name: &'static str) -> Result<Vec<UserId>, ConfigError> {
        self.text(name)
            .split([',', ' '])
            .filter(|text| !text.trim().is_empty())
            .map(|text| text.parse().map_err(|error| value_error(name, error)))
            .collect()
    }

    /// A secret from its own setting or from the file that another one names.
    pub(super) fn secret(
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

    /// A hash of each value given; of a file that holds a secret, with its contents.
    pub(super) fn fingerprints(&self) -> Fingerprints {
        let hash = |(name, value): (&&'static str, &String)| {
            let is_file = name.ends_with("_FILE") && *name != "CONFIG_FILE";
            let held = if is_file { read_secret(Path::new(value)).ok() } else { None };
            let text = format!("{value}\0{}", held.unwrap_or_default());
            (*name, xxh64(text.as_bytes(), 0))
        };
        Fingerprints(self.0.iter().map(hash).collect())
    }

    pub(super) fn site(&self) -> Result<SiteConfig, ConfigError> {
        let base_url = self.http_url("SITE_BASE_URL")?;
        let min_delay = self.millis("REQUEST_MIN_DELAY_MS")?;
        if min_delay < Duration::from_secs(1) && !is_loopback(&base_url) {
            let message = "less than 1000 is refused: the site's rate limit sticks for tens of \
                           minutes (only a site on this machine may be asked faster)";
            return Err(value_error("REQUEST_MIN_DELAY_MS", message));
        }
        let page_size = self.number_in("ENUMERATE_PAGE_SIZE", 1..=100_000)?;
        let page_size_max = self.number_in("ENUMERATE_PAGE_SIZE_MAX", 1..=100_000)?;
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
                hourly_budget: self.number_in("REQUEST_HOURLY_BUDGET", 0..=1_000_000)?,
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

    pub(super) fn transport(&self) -> Result<TransportKind, ConfigError> {
        match self.text("TRANSPORT") {
            "curl" => Ok(TransportKind::Curl),
            "reqwest" => Ok(TransportKind::Reqwest),
            other => {
                Err(value_error("TRANSPORT", format!("{other:?} is neither curl nor reqwest")))
            }
        }
    }

    pub(super) fn analytics(&self) -> Result<AnalyticsTarget, ConfigError> {
        if self.text("ANALYTICS_BASE_URL") == "embedded" {
            return Ok(AnalyticsTarget::Embedded);
        }
        self.http_url("ANALYTICS_BASE_URL").map(AnalyticsTarget::Remote)
    }

    pub(super) fn analytics_db(&self) -> Result<PathBuf, ConfigError> {
        match self.get("ANALYTICS_DB") {
            Some(_) => self.db_path("ANALYTICS_DB"),
            None => Ok(self.db_path("DB_PATH")?.with_file_name("analytics.db")),
        }
    }

    /// The path of a database file. What SQLite would take for a database in memory is refused: a
    /// crawl into it would be lost.
    pub(super) fn db_path(&self, name: &'static str) -> Result<PathBuf, ConfigError> {
        let text = self.text(name);
        if text.trim().is_empty() || text.starts_with(':') || text.starts_with("file:") {
            return Err(value_error(name, format!("{text:?} names no file")));
        }
        Ok(PathBuf::from(text))
    }

    pub(super) fn http_url(&self, name: &'static str) -> Result<Url, ConfigError> {
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

    pub(super) fn archive(&self) -> Result<ArchiveUrl, ConfigError> {
        ArchiveUrl::parse(self.text("ARCHIVE_URL"))
            .map_err(|error| value_error("ARCHIVE_URL", error))
    }

    /// See [`super::secret_files`].
    pub(super) fn secret_files(
        &self,
        given: &CrawlSettings,
    ) -> Result<Vec<(&'static str, PathBuf)>, ConfigError> {
        let secrets = || SETTINGS.iter().filter(|setting| setting.is_secret());
        let named = secrets().filter_map(|secret| {
            let setting =
                SETTINGS.iter().find(|s| s.name.strip_suffix("_FILE") == Some(secret.name))?;
            // A value given directly is stronger, and the file is not read.
            let path = self.get(setting.name).filter(|_| self.get(secret.name).is_none())?;
            Some((setting.name, PathBuf::from(path)))
        });
        let mut files: Vec<_> = named.collect();
        let (path, is_named) = toml_path(given);
        let toml = read_toml(path, is_named)?;
        if secrets().any(|secret| toml.contains_key(secret.name)) {
            files.push(("CONFIG_FILE", path.to_owned()));
        }
        Ok(files)
    }

    pub(super) fn log_format(&self) -> Result<LogFormat, ConfigError> {
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
pub(super) fn bare_secret(text: &str) -> &str {
    let text = text.trim_start_matches('\u{feff}').trim();
    let text = text.trim_matches(['"', '\'']).trim();
    let text = text.strip_prefix("Authorization:").unwrap_or(text).trim();
    text.strip_prefix("Bearer ").unwrap_or(text).trim()
}

/// Where the TOML file is, and whether somebody named it.
fn toml_path<const CRAWL: bool>(given: &GivenSettings<CRAWL>) -> (&Path, bool) {
    let named = given.values.get("CONFIG_FILE");
    (Path::new(named.map_or("./dicechess-sync.toml", String::as_str)), named.is_some())
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

pub(super) fn value_error(name: &'static str, message: impl std::fmt::Display) -> ConfigError {
    ConfigError::Value { name, message: message.to_string() }
}

fn default_user_agent() -> String {
    concat!("dicechess-sync/", env!("CARGO_PKG_VERSION")).to_owned()
}
