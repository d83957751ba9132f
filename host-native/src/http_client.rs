//! The HTTP client inside this process, made in one way for the site, analytics and the archive.
//!
//! Decides what holds for all three: rustls with ring, no proxy taken from the environment, no
//! redirect followed, no request repeated behind the caller's back, bodies read up to a limit.
//! Leaves to others what is sent and what an answer means.

use std::error::Error;
use std::io;
use std::time::Duration;

pub(crate) use dicechess_core::delivery::one_line;
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};

/// How we introduce ourselves to services of the operator's own.
pub(crate) const SERVICE_USER_AGENT: &str = concat!("dicechess-sync/", env!("CARGO_PKG_VERSION"));

/// Why a body could not be read.
#[derive(Debug)]
pub(crate) enum BodyError {
    /// It is longer than the limit.
    TooLong,
    /// The connection or the content encoding broke.
    Broken(reqwest::Error),
}

/// Makes a client for requests to `base`; `timeout` covers a whole request.
pub(crate) fn build_client(base: &Url, timeout: Duration) -> Result<Client, reqwest::Error> {
    // A second installation fails, which is as good as the first one's success.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .no_proxy()
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .timeout(timeout);
    if base.scheme() == "http" {
        // Plain HTTP needs no certificate roots, and must work where the machine has none.
        builder = builder.tls_certs_only([]);
    }
    builder.build()
}

/// Reads an `http(s)://` URL below which requests are made. The message never repeats the text,
/// which may hold a password.
pub(crate) fn parse_base_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim()).map_err(|error| format!("not a URL: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("{}:// is not supported here: use http:// or https://", url.scheme()));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err("a base URL has no query and no fragment".to_owned());
    }
    Ok(url)
}

/// `path` (which starts with a slash) below `base`, whether or not `base` ends with a slash.
pub(crate) fn below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    url.set_path(&format!("{}{path}", base.path().trim_end_matches('/')));
    url
}

/// Whether the URL carries a name or a password.
pub(crate) fn has_userinfo(url: &Url) -> bool {
    !url.username().is_empty() || url.password().is_some()
}

/// Reads a body of at most `limit` bytes.
pub(crate) async fn read_body(response: &mut Response, limit: usize) -> Result<Vec<u8>, BodyError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(BodyError::Broken)? {
        if body.len() + chunk.len() > limit {
            return Err(BodyError::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// The beginning of a body as text; what cannot be read is left out, for the status has already
/// told what matters.
pub(crate) async fn read_text(response: &mut Response, limit: usize) -> String {
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        let free = limit - body.len();
        body.extend_from_slice(&chunk[..chunk.len().min(free)]);
        if body.len() == limit {
            break;
        }
    }
    String::from_utf8_lossy(&body).into_owned()
}

/// An error and its causes in one line, without the URL.
pub(crate) fn error_chain(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        if !message.ends_with(&text) {
            message = format!("{message}: {text}");
        }
        cause = inner.source();
    }
    one_line(&message, 300)
}

/// Whether TLS is what failed.
pub(crate) fn is_tls_error(error: &reqwest::Error) -> bool {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if inner.is::<rustls::Error>() || io_holds_tls_error(inner) {
            return true;
        }
        cause = inner.source();
    }
    false
}

/// An I/O error passes over the error it wraps when asked for its source, so it is opened here.
fn io_holds_tls_error(error: &(dyn Error + 'static)) -> bool {
    let mut wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    while let Some(inner) = wrapped {
        if inner.is::<rustls::Error>() {
            return true;
        }
        wrapped = inner.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    }
    false
}

/// Whether a text can be the value of a header: printable ASCII.
pub(crate) fn is_header_value(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Takes secrets out of a text, should one have slipped into it.
pub(crate) fn scrub<'a>(text: &str, secrets: impl IntoIterator<Item = &'a str>) -> String {
    secrets
        .into_iter()
        .filter(|secret| !secret.is_empty())
        .fold(text.to_owned(), |text, secret| text.replace(secret, "[secret]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_url_may_end_with_a_slash_or_a_path() {
        for (base, expected) in [
            ("http://host", "http://host/api/x"),
            ("http://host/", "http://host/api/x"),
            (" https://host:8443/below ", "https://host:8443/below/api/x"),
            ("http://[::1]:80/below/", "http://[::1]/below/api/x"),
        ] {
            assert_eq!(below(&parse_base_url(base).unwrap(), "/api/x").as_str(), expected);
        }
        for text in ["", "host", "ftp://host", "http://", "http://host?x=1", "http://host#x"] {
            assert!(parse_base_url(text).is_err(), "{text}");
        }
    }

    #[test]
    fn messages_are_without_secrets() {
        assert_eq!(scrub("x tok y tok", ["tok", ""]), "x [secret] y [secret]");
    }
}
