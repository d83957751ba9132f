//! What travels to the site and back, whichever transport carries it.
//!
//! Decides nothing: a transport moves bytes. What an answer means is the core's decision
//! ([`dicechess_core::site::classify_response`]), when a request may go out is the limiter's.

use std::collections::BTreeMap;

use dicechess_core::site::{Endpoint, ResponseHead};
use futures_util::future::BoxFuture;
use thiserror::Error;

/// The longest body that is read, in bytes (contract, section 12).
pub const BODY_LIMIT: usize = 32 * 1024 * 1024;

/// One request to the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteRequest {
    /// What is asked.
    pub endpoint: Endpoint,
    /// The query, without the question mark.
    pub query: Option<String>,
    /// The JSON body of a POST; a request without one is a GET.
    pub body: Option<String>,
    /// Validators of a conditional request: header name and value.
    pub validators: Vec<(&'static str, String)>,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteResponse {
    /// The HTTP status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The body, whole and decoded, at most [`BODY_LIMIT`] bytes.
    pub body: Vec<u8>,
}

/// Why nothing came back. No message ever carries a secret.
#[derive(Debug, Error)]
pub enum TransportError {
    /// No answer in time.
    #[error("no answer within {0} s")]
    Timeout(f64),
    /// The body is longer than [`BODY_LIMIT`].
    #[error("the body is longer than 32 MiB")]
    TooLarge,
    /// The connection ended before the body did.
    #[error("the body is cut off: {0}")]
    Truncated(String),
    /// The connection could not be made or broke.
    #[error("connection failed: {0}")]
    Connection(String),
    /// TLS could not be established.
    #[error("TLS error: {0}")]
    Tls(String),
    /// The transport itself cannot work, for example because there is no curl.
    #[error("{0}")]
    Unusable(String),
}

/// Something that carries requests to the site.
pub trait Transport: Send + Sync {
    /// Sends one request and reads its whole answer.
    ///
    /// # Errors
    /// See [`TransportError`].
    fn send<'a>(
        &'a self,
        request: &'a SiteRequest,
    ) -> BoxFuture<'a, Result<SiteResponse, TransportError>>;
}

impl SiteResponse {
    /// A header, by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// What the core needs to classify the answer.
    pub fn head(&self) -> ResponseHead<'_> {
        ResponseHead {
            status: self.status,
            cf_mitigated: self.header("cf-mitigated"),
            content_type: self.header("content-type"),
            retry_after: self.header("retry-after"),
        }
    }
}
