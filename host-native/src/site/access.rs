//! How the site is reached: where, as whom, and for how long we wait.
//!
//! Decides the URL and the headers of every request, so that both transports send the same ones.
//! Leaves to them how the bytes travel.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};
use thiserror::Error;
use xxhash_rust::xxh64::xxh64;

use super::{SiteRequest, TransportError};
use crate::http_client::{below, has_userinfo, is_header_value, one_line, parse_base_url, scrub};

/// The operator's own access to the site.
#[derive(Clone, Default)]
pub struct SiteCredentials {
    token: Option<SecretString>,
    cookie: Option<SecretString>,
}

/// Everything a transport has to know about the site.
#[derive(Debug, Clone)]
pub struct SiteAccess {
    base_url: Url,
    credentials: SiteCredentials,
    user_agent: String,
    timeout: Duration,
}

/// A setting with which the site cannot be asked. No message repeats a value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InvalidSiteAccess {
    /// The base URL is none.
    #[error("SITE_BASE_URL: {0}")]
    BaseUrl(String),
    /// A value cannot be sent as a header.
    #[error(
        "{setting}: character {position} is a line break, a control character or not ASCII, which \
         no HTTP header can carry (the value is not shown)"
    )]
    Header {
        /// The setting's name.
        setting: &'static str,
        /// Where the offending character stands, from 1.
        position: usize,
    },
}

impl SiteCredentials {
    /// Takes the JWT, sent as a bearer token, and the `Cookie` header, for example
    /// `cf_clearance=…`.
    ///
    /// # Errors
    /// A value cannot be sent as a header.
    pub fn new(
        token: Option<SecretString>,
        cookie: Option<SecretString>,
    ) -> Result<Self, InvalidSiteAccess> {
        check_header("DICECHESS_JWT", revealed(&token))?;
        check_header("DICECHESS_COOKIE", revealed(&cookie))?;
        Ok(Self { token, cookie })
    }

    /// Reads something off the token, such as when it expires.
    pub fn with_token<T>(&self, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        self.token.as_ref().and_then(|token| read(token.expose_secret()))
    }

    /// Tells one set of credentials from another without revealing either.
    pub fn fingerprint(&self) -> String {
        // A hash of 64 bits of a token that has hundreds leaves too many tokens to choose from.
        let token = revealed(&self.token);
        let cookie = revealed(&self.cookie);
        format!("{:016x}", xxh64(format!("{}\n{token}\n{cookie}", token.len()).as_bytes(), 0))
    }

    fn secrets(&self) -> impl Iterator<Item = &str> {
        /// Shorter values are no secrets, and replacing them would garble messages.
        const SHORTEST_SECRET: usize = 6;
        let cookie = revealed(&self.cookie);
        let values = cookie.split(';').filter_map(|pair| pair.split_once('='));
        [revealed(&self.token), cookie]
            .into_iter()
            .chain(values.map(|(_, value)| value.trim()))
            .filter(|secret| secret.len() >= SHORTEST_SECRET)
    }
}

impl fmt::Debug for SiteCredentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SiteCredentials([secret])")
    }
}

impl SiteAccess {
    /// Checks the settings. `timeout` covers a whole request, from connecting to the last byte.
    ///
    /// # Errors
    /// The base URL is no `http(s)` URL or carries a password, or the user agent is no header value.
    pub fn new(
        base_url: &str,
        credentials: SiteCredentials,
        user_agent: &str,
        timeout: Duration,
    ) -> Result<Self, InvalidSiteAccess> {
        let base_url = parse_base_url(base_url).map_err(InvalidSiteAccess::BaseUrl)?;
        if has_userinfo(&base_url) {
            let message = "a name or password in the URL is not supported".to_owned();
            return Err(InvalidSiteAccess::BaseUrl(message));
        }
        check_header("USER_AGENT", user_agent)?;
        Ok(Self { base_url, credentials, user_agent: user_agent.to_owned(), timeout })
    }

    /// Where the site is.
    pub fn base_url(&self) -> &Url {
        &self.base_url
    }

    /// As whom it is asked.
    pub fn credentials(&self) -> &SiteCredentials {
        &self.credentials
    }

    /// How long a whole request may take.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The URL of a request.
    pub(super) fn url(&self, request: &SiteRequest) -> Url {
        let mut url = below(&self.base_url, request.endpoint.path());
        url.set_query(request.query.as_deref());
        url
    }

    /// The headers of a request; empty ones are left out.
    pub(super) fn headers<'a>(&'a self, request: &'a SiteRequest) -> Vec<Header<'a>> {
        let token = revealed(&self.credentials.token);
        let mut headers = vec![
            Header::public("Accept", "application/json"),
            Header::public("User-Agent", &self.user_agent),
            Header::secret("Cookie", revealed(&self.credentials.cookie)),
        ];
        if !token.is_empty() {
            let value = format!("Bearer {token}");
            headers.push(Header { name: "Authorization", value: value.into(), is_secret: true });
        }
        if request.body.is_some() {
            headers.push(Header::public("Content-Type", "application/json"));
        }
        // A validator that no header can carry costs one unconditional answer, nothing else.
        let validators = request.validators.iter().filter(|(_, value)| is_header_value(value));
        headers.extend(validators.map(|(name, value)| Header::public(name, value)));
        headers.retain(|header| !header.value.expose_secret().is_empty());
        headers
    }

    /// A text for an error message: one line, without a trace of the credentials.
    pub(super) fn scrub(&self, text: &str) -> String {
        one_line(&scrub(text, self.credentials.secrets()), 300)
    }

    pub(super) fn timed_out(&self) -> TransportError {
        TransportError::Timeout(self.timeout.as_secs_f64())
    }
}

/// A header of a request.
pub(super) struct Header<'a> {
    pub(super) name: &'a str,
    pub(super) value: SecretString,
    pub(super) is_secret: bool,
}

impl<'a> Header<'a> {
    fn public(name: &'a str, value: &str) -> Self {
        Self { name, value: value.into(), is_secret: false }
    }

    fn secret(name: &'a str, value: &str) -> Self {
        Self { is_secret: true, ..Self::public(name, value) }
    }
}

/// Adds a response header; of repeated ones the first stays.
pub(super) fn keep_first(headers: &mut BTreeMap<String, String>, name: &str, value: &str) {
    headers.entry(name.to_ascii_lowercase()).or_insert_with(|| value.trim().to_owned());
}

fn revealed(secret: &Option<SecretString>) -> &str {
    secret.as_ref().map_or("", ExposeSecret::expose_secret)
}

fn check_header(setting: &'static str, value: &str) -> Result<(), InvalidSiteAccess> {
    match value.chars().position(|c| !matches!(c, ' '..='~')) {
        None => Ok(()),
        Some(index) => Err(InvalidSiteAccess::Header { setting, position: index + 1 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credentials(token: &str, cookie: &str) -> SiteCredentials {
        SiteCredentials::new(Some(token.into()), Some(cookie.into())).unwrap()
    }

    #[test]
    fn a_fingerprint_tells_credentials_apart_and_shows_none() {
        let one = credentials("token-a", "x=1").fingerprint();
        assert_eq!(one, credentials("token-a", "x=1").fingerprint());
        assert_eq!(one.len(), 16);
        for (token, cookie) in [("token-b", "x=1"), ("token-a", "x=2"), ("token-ax", "=1")] {
            assert_ne!(one, credentials(token, cookie).fingerprint());
        }
    }

    #[test]
    fn nothing_printed_holds_a_secret() {
        let access = SiteAccess::new(
            "https://host/",
            credentials("token-abc", "cf_clearance=clear-abc; theme=dark-blue"),
            "agent",
            Duration::from_secs(1),
        )
        .unwrap();
        let debug = format!("{access:?}");
        assert!(!debug.contains("abc"), "{debug}");
        let message = access.scrub("bad token-abc and\nclear-abc");
        assert_eq!(message, "bad [secret] and [secret]");
    }

    #[test]
    fn a_value_that_is_no_header_is_refused_without_being_shown() {
        let refusal = |token: &str, cookie: &str| {
            SiteCredentials::new(Some(token.into()), Some(cookie.into())).unwrap_err().to_string()
        };
        let jwt = refusal("tok\nX: y", "");
        assert!(jwt.starts_with("DICECHESS_JWT: character 4 "), "{jwt}");
        let cookie = refusal("", "tok=\u{0}b");
        assert!(cookie.starts_with("DICECHESS_COOKIE: character 5 "), "{cookie}");
        assert!(!jwt.contains("tok") && !cookie.contains("tok"));
    }

    #[test]
    fn a_setting_that_cannot_work_is_refused() {
        let none = SiteCredentials::default;
        let agent = SiteAccess::new("http://host", none(), "agent é", Duration::ZERO).unwrap_err();
        assert!(agent.to_string().starts_with("USER_AGENT: "), "{agent}");
        for url in ["https://user:pass@host", "ftp://pass", "pass", "https://host/?pass"] {
            let error = SiteAccess::new(url, none(), "a", Duration::ZERO).unwrap_err();
            assert!(!error.to_string().contains("pass@") && !error.to_string().contains("?pass"));
        }
    }
}
