//! An archive service: `PUT {url}/raw/{source}/{externalId}`.
//!
//! Decides that only 201 and 200 confirm a bundle.

use std::fmt;
use std::time::Duration;

use dicechess_core::ids::GameId;
use dicechess_core::ingest::SOURCE;
use reqwest::header::{CONTENT_TYPE, USER_AGENT};
use reqwest::{Client, Url};

use super::url::without_userinfo;
use super::{ArchiveError, Stored};
use crate::http_client::{
    SERVICE_USER_AGENT, below, build_client, error_chain, one_line, read_text,
};

/// An archive behind HTTP.
#[derive(Clone)]
pub struct HttpArchive {
    client: Client,
    url: Url,
}

impl HttpArchive {
    /// The service at `url`. A name and password in it are sent as basic authentication.
    ///
    /// # Errors
    /// The HTTP client cannot be set up.
    pub fn new(url: Url) -> Result<Self, ArchiveError> {
        let client = build_client(&url, TIMEOUT).map_err(|error| unreachable_at(&url, error))?;
        Ok(Self { client, url })
    }

    /// Stores a bundle unless there is one.
    ///
    /// # Errors
    /// The service cannot be reached, or answers anything but 201 or 200.
    pub async fn put(&self, game: GameId, bundle_json: &str) -> Result<Stored, ArchiveError> {
        let url = below(&self.url, &format!("/raw/{SOURCE}/{game}"));
        let request = self
            .client
            .put(url.clone())
            .header(CONTENT_TYPE, "application/json")
            .header(USER_AGENT, SERVICE_USER_AGENT)
            .body(bundle_json.to_owned());
        let mut response = request.send().await.map_err(|error| unreachable_at(&url, error))?;
        match response.status().as_u16() {
            201 => Ok(Stored::Created),
            200 => Ok(Stored::Existed),
            status => Err(ArchiveError::Refused {
                url: without_userinfo(&url),
                status,
                reason: one_line(&read_text(&mut response, REASON_LIMIT).await, 200),
            }),
        }
    }
}

impl fmt::Debug for HttpArchive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HttpArchive({})", without_userinfo(&self.url))
    }
}

fn unreachable_at(url: &Url, error: reqwest::Error) -> ArchiveError {
    let cause = match error.is_timeout() {
        true => format!("no answer within {} s", TIMEOUT.as_secs()),
        false => error_chain(error),
    };
    ArchiveError::Unreachable { url: without_userinfo(url), cause }
}

const TIMEOUT: Duration = Duration::from_secs(60);

/// How much of a refusal is read, in bytes.
const REASON_LIMIT: usize = 4096;
