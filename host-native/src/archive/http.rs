//! An archive service: `PUT {url}/raw/{source}/{externalId}`.
//!
//! Decides that only 201 and 200 confirm a bundle.

use std::fmt;
use std::time::Duration;

use dicechess_core::ids::GameId;
use dicechess_core::ingest::SOURCE;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, USER_AGENT};
use reqwest::{Client, Request, Url};
use url::form_urlencoded;

use super::url::without_userinfo;
use super::{ArchiveError, Stored};
use crate::http_client::{
    SERVICE_USER_AGENT, below, build_client, error_chain, one_line, read_text, scrub,
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
            .body(bundle_json.to_owned())
            .build()
            .map_err(|error| unreachable_at(&url, error))?;
        let secrets = secrets(&url, &request);
        let response = self.client.execute(request).await;
        let mut response = response.map_err(|error| unreachable_at(&url, error))?;
        let status = response.status().as_u16();
        let text = read_text(&mut response, REASON_LIMIT).await;
        // A login page or another service behind a wrong URL confirms nothing.
        let is_page = text.trim_start().starts_with('<');
        match status {
            201 if !is_page => Ok(Stored::Created),
            200 if !is_page => Ok(Stored::Existed),
            status => Err(ArchiveError::Refused {
                url: without_userinfo(&url),
                status,
                reason: one_line(&scrub(&text, secrets.iter().map(String::as_str)), 200),
            }),
        }
    }
}

impl fmt::Debug for HttpArchive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HttpArchive({})", without_userinfo(&self.url))
    }
}

/// What a careless service must not make us print: the password as it stands in the URL, decoded,
/// and as the request carries it.
fn secrets(url: &Url, request: &Request) -> Vec<String> {
    let Some(password) = url.password() else { return Vec::new() };
    let form = format!("x={}", password.replace('+', "%2B"));
    let decoded = form_urlencoded::parse(form.as_bytes()).map(|(_, value)| value.into_owned());
    let header = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let carried = header.and_then(|value| value.strip_prefix("Basic ")).map(str::to_owned);
    decoded.chain([password.to_owned()]).chain(carried).collect()
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
