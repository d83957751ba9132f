//! Which web sites' pages may read.
//!
//! Decides what `ALLOWED_ORIGINS` means: a list of origins, separated by commas or spaces, each
//! either exact (`https://board.example.org`, or a browser extension's such as
//! `chrome-extension://…`) or for all sub-domains (`https://*.example.org`, or `*.example.org` for
//! both schemes). Writes to this API are never open to browsers.

use std::str::FromStr;

use axum::Router;
use axum::http::{HeaderValue, Method, header, request};
use thiserror::Error;
use tower_http::cors::{AllowOrigin, CorsLayer};

/// The origins that may read.
///
/// ```
/// use dicechess_analytics::AllowedOrigins;
/// let origins: AllowedOrigins = "https://board.example.org, https://*.example.com".parse()?;
/// assert!(origins.contains("https://board.example.org"));
/// assert!(origins.contains("https://a.b.example.com"));
/// assert!(!origins.contains("https://example.com"));
/// # Ok::<(), dicechess_analytics::InvalidOrigin>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AllowedOrigins(Vec<Pattern>);

/// An entry of the list that names no origin.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{0:?} is no origin: write https://board.example.org, https://*.example.org, *.example.org or \
     the origin of a browser extension, such as chrome-extension://ID"
)]
pub struct InvalidOrigin(String);

/// An origin, cut at its `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Pattern {
    Exact(String),
    /// A scheme with `://`, or nothing for any, and what must follow a sub-domain.
    SubDomains {
        scheme: String,
        suffix: String,
    },
}

/// Whether an origin is a browser extension's.
pub fn is_extension_origin(origin: &str) -> bool {
    EXTENSION_SCHEMES
        .iter()
        .filter_map(|scheme| origin.strip_prefix(scheme)?.strip_prefix("://"))
        .any(|id| !id.is_empty() && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
}

/// Of Chromium, Firefox and Safari.
const EXTENSION_SCHEMES: [&str; 3] = ["chrome-extension", "moz-extension", "safari-web-extension"];

impl AllowedOrigins {
    /// Whether a page of this origin may read.
    pub fn contains(&self, origin: &str) -> bool {
        self.0.iter().any(|pattern| pattern.matches(origin))
    }

    /// Lets the origins read what the routes answer.
    pub(super) fn allow(self, router: Router) -> Router {
        if self.0.is_empty() {
            return router;
        }
        let is_allowed = move |origin: &HeaderValue, _: &request::Parts| {
            origin.to_str().is_ok_and(|origin| self.contains(origin))
        };
        let reads = CorsLayer::new()
            .allow_origin(AllowOrigin::predicate(is_allowed))
            .allow_methods([Method::GET, Method::HEAD])
            .allow_headers([header::ACCEPT, header::CONTENT_TYPE]);
        router.layer(reads)
    }
}

impl FromStr for AllowedOrigins {
    type Err = InvalidOrigin;

    fn from_str(list: &str) -> Result<Self, InvalidOrigin> {
        let entries = list.split(|c: char| c == ',' || c.is_whitespace());
        entries
            .filter(|entry| !entry.is_empty())
            .map(Pattern::parse)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl Pattern {
    fn parse(entry: &str) -> Result<Self, InvalidOrigin> {
        let invalid = || InvalidOrigin(entry.to_owned());
        let entry = entry.trim_end_matches('/').to_ascii_lowercase();
        if is_extension_origin(&entry) {
            return Ok(Self::Exact(entry));
        }
        let (scheme, host) = match entry.split_once("://") {
            Some((scheme @ ("http" | "https"), host)) => (format!("{scheme}://"), host),
            Some(_) => return Err(invalid()),
            None => (String::new(), entry.as_str()),
        };
        let is_host = |text: &str| {
            !text.is_empty()
                && text.chars().all(|c| c.is_ascii_alphanumeric() || ".-:[]".contains(c))
        };
        match host.strip_prefix("*.") {
            Some(domain) if is_host(domain) => {
                Ok(Self::SubDomains { scheme, suffix: format!(".{domain}") })
            }
            None if is_host(host) && !scheme.is_empty() => Ok(Self::Exact(entry)),
            _ => Err(invalid()),
        }
    }

    fn matches(&self, origin: &str) -> bool {
        match self {
            // Safari spells the id of an extension in upper case.
            Self::Exact(exact) => exact.eq_ignore_ascii_case(origin),
            Self::SubDomains { scheme, suffix } => {
                let host = if scheme.is_empty() {
                    origin.strip_prefix("https://").or_else(|| origin.strip_prefix("http://"))
                } else {
                    origin.strip_prefix(scheme.as_str())
                };
                let is_label = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
                let label = host.and_then(|host| host.strip_suffix(suffix.as_str()));
                label.is_some_and(|label| !label.is_empty() && label.chars().all(is_label))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_and_sub_domains() {
        let origins: AllowedOrigins =
            "https://a.org http://localhost:3000,https://*.b.org:8443 *.c.org".parse().unwrap();
        for allowed in [
            "https://a.org",
            "http://localhost:3000",
            "https://x.b.org:8443",
            "https://x.y.c.org",
            "http://x.c.org",
        ] {
            assert!(origins.contains(allowed), "{allowed}");
        }
        for refused in [
            "http://a.org",
            "https://a.org:444",
            "https://x.a.org",
            "https://x.b.org",
            "https://b.org:8443",
            "https://evilc.org",
            "https://evil.example/.c.org",
            "https://.c.org",
            "null",
            "",
        ] {
            assert!(!origins.contains(refused), "{refused}");
        }
    }

    #[test]
    fn extensions() {
        let origins: AllowedOrigins = "chrome-extension://abcdefghijklmnopabcdefghijklmnop/ \
            moz-extension://0b5f1c3e-9a77-4c11-8e55-00000000abcd \
            safari-web-extension://0B5F1C3E-9A77-4C11-8E55-00000000ABCD"
            .parse()
            .unwrap();
        for allowed in [
            "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
            "moz-extension://0b5f1c3e-9a77-4c11-8e55-00000000abcd",
            "safari-web-extension://0B5F1C3E-9A77-4C11-8E55-00000000ABCD",
        ] {
            assert!(origins.contains(allowed) && is_extension_origin(allowed), "{allowed}");
        }
        assert!(!origins.contains("chrome-extension://ponmlkjihgfedcbaponmlkjihgfedcba"));
        for other in ["https://a.org", "chrome-extension://", "moz-extension://a/b", "null", ""] {
            assert!(!is_extension_origin(other), "{other}");
        }
        assert!("moz-extension://*".parse::<AllowedOrigins>().is_err());
    }

    #[test]
    fn what_names_no_origin() {
        for entry in
            ["*", "a.org", "ftp://a.org", "https://a.org/path", "https://", "https://a.*.org"]
        {
            assert!(entry.parse::<AllowedOrigins>().is_err(), "{entry}");
        }
        assert_eq!("".parse(), Ok(AllowedOrigins::default()));
    }
}
