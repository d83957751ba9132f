//! Posts games to an analytics service over HTTP (contract, section 6), and passes on what others
//! ask of it.
//!
//! Decides how they are sent. What an answer amounts to is [`dicechess_core::delivery`]'s decision,
//! what follows from it for the game that of [`dicechess_core::lifecycle`].

use std::fmt;
use std::time::Duration;

use axum::body::Bytes;
use dicechess_core::delivery::{PostAnswer, Target};
use dicechess_core::ids::GameId;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, USER_AGENT};
use reqwest::{Client, Method, Response, Url};
use secrecy::{ExposeSecret, SecretString};
use thiserror::Error;

use crate::http_client::{
    SERVICE_USER_AGENT, below, build_client, error_chain, has_userinfo, parse_base_url, read_text,
    scrub,
};

/// An analytics service.
#[derive(Clone)]
pub struct AnalyticsClient {
    client: Client,
    base_url: Url,
    token: SecretString,
    authorization: HeaderValue,
}

/// A setting with which the service cannot be asked. No message repeats a value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InvalidAnalyticsAccess {
    /// The base URL is none.
    #[error("ANALYTICS_BASE_URL: {0}")]
    BaseUrl(String),
    /// The token cannot be sent as a header.
    #[error("INGEST_TOKEN: it holds a character that no HTTP header can carry (it is not shown)")]
    Token,
    /// The HTTP client cannot be set up.
    #[error("the HTTP client cannot be set up: {0}")]
    Client(String),
}

/// Why a request of somebody else was not passed on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RelayFailure {
    /// The path leads out of the service.
    Astray,
    /// No answer came in time.
    TimedOut,
    /// The service cannot be reached.
    Unreachable(String),
}

impl AnalyticsClient {
    /// The service at `base_url`, which may have a path and a trailing slash. `timeout` covers a
    /// whole request. Without a token the requests carry none.
    ///
    /// # Errors
    /// See [`InvalidAnalyticsAccess`].
    pub fn new(
        base_url: &str,
        token: Option<SecretString>,
        timeout: Duration,
    ) -> Result<Self, InvalidAnalyticsAccess> {
        let base_url = parse_base_url(base_url).map_err(InvalidAnalyticsAccess::BaseUrl)?;
        if has_userinfo(&base_url) {
            let message = "a name or password in the URL is not supported: set INGEST_TOKEN";
            return Err(InvalidAnalyticsAccess::BaseUrl(message.to_owned()));
        }
        let token = token.unwrap_or_else(|| "".into());
        let mut authorization = HeaderValue::from_str(&format!("Bearer {}", token.expose_secret()))
            .map_err(|_| InvalidAnalyticsAccess::Token)?;
        authorization.set_sensitive(true);
        let client = build_client(&base_url, timeout)
            .map_err(|error| InvalidAnalyticsAccess::Client(error_chain(error)))?;
        Ok(Self { client, base_url, token, authorization })
    }

    /// Posts a game. The first writer wins.
    pub async fn post(&self, game: GameId, body: &str) -> PostAnswer {
        self.send(Method::POST, below(&self.base_url, "/api/games"), game, body).await
    }

    /// Puts a game in the place of what analytics holds under its id, if anything.
    pub async fn put(&self, game: GameId, body: &str) -> PostAnswer {
        let url = below(&self.base_url, &format!("/api/games/{game}"));
        self.send(Method::PUT, url, game, body).await
    }

    /// Passes on a request of somebody else, with the headers and so the credentials that he sent.
    /// `path_and_query` begins with a slash and is taken below the base URL.
    ///
    /// # Errors
    /// See [`RelayFailure`]. Whatever the service answers is no error.
    pub async fn relay(
        &self,
        method: Method,
        path_and_query: &str,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response, RelayFailure> {
        let (path, query) = match path_and_query.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (path_and_query, None),
        };
        let mut url = below(&self.base_url, path);
        // Dots in a path are followed when it is made a URL's.
        if !url.path().starts_with(self.base_url.path().trim_end_matches('/'))
            || !url.path().ends_with(path)
        {
            return Err(RelayFailure::Astray);
        }
        url.set_query(query);
        let request = self.client.request(method, url).headers(headers).body(body);
        request.send().await.map_err(|error| {
            if error.is_timeout() {
                RelayFailure::TimedOut
            } else {
                RelayFailure::Unreachable(error_chain(error))
            }
        })
    }

    async fn send(&self, method: Method, url: Url, game: GameId, body: &str) -> PostAnswer {
        let mut request = self
            .client
            .request(method, url)
            .header(CONTENT_TYPE, "application/json")
            .header(USER_AGENT, SERVICE_USER_AGENT)
            .body(body.to_owned());
        if !self.token.expose_secret().is_empty() {
            request = request.header(AUTHORIZATION, self.authorization.clone());
        }
        match request.send().await {
            Ok(mut response) => {
                let status = response.status().as_u16();
                let body = read_text(&mut response, BODY_LIMIT).await;
                let body = scrub(&body, [self.token.expose_secret()]);
                PostAnswer::of_response(Target::Analytics, status, body, game)
            }
            Err(error) if error.is_timeout() => PostAnswer::TimedOut,
            Err(error) => {
                let message = format!("analytics cannot be reached: {}", error_chain(error));
                PostAnswer::Failed { message }
            }
        }
    }
}

impl fmt::Debug for AnalyticsClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnalyticsClient({})", self.base_url)
    }
}

/// How much of an answer is read, in bytes.
const BODY_LIMIT: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_cannot_work_are_refused_without_being_shown() {
        let refusal = |url: &str, token: &str| {
            AnalyticsClient::new(url, Some(token.into()), Duration::ZERO).unwrap_err().to_string()
        };
        assert!(refusal("host", "t").starts_with("ANALYTICS_BASE_URL: "));
        assert!(!refusal("http://user:hidden@host", "t").contains("hidden"));
        assert!(!refusal("http://host", "hidden\n").contains("hidden"));
    }
}
