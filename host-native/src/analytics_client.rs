//! Posts games to an analytics service over HTTP (contract, section 6), and passes on what others
//! ask of it.
//!
//! Decides what an answer amounts to, by its status alone. What follows from it for the game is the
//! state machine's decision ([`dicechess_core::lifecycle`]).

use std::fmt;
use std::time::Duration;

use axum::body::Bytes;
use dicechess_core::ids::GameId;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, USER_AGENT};
use reqwest::{Client, Method, Response, Url};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use thiserror::Error;

use crate::http_client::{
    SERVICE_USER_AGENT, below, build_client, error_chain, has_userinfo, one_line, parse_base_url,
    read_text, scrub,
};

/// An analytics service.
#[derive(Clone)]
pub struct AnalyticsClient {
    client: Client,
    base_url: Url,
    token: SecretString,
    authorization: HeaderValue,
}

/// What an analytics service answered, or that it did not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PostAnswer {
    /// 201: the game is stored.
    Created {
        /// The answer's body.
        body: String,
    },
    /// 200: the game was there; a `PUT` has replaced it.
    Exists {
        /// The answer's body.
        body: String,
    },
    /// The game is not acceptable as it is; sending it again changes nothing.
    Refused {
        /// 400, 413 or 422.
        status: u16,
        /// The answer's body.
        reason: String,
    },
    /// The token is not accepted.
    Unauthorized,
    /// No answer came in time: to be tried again later.
    TimedOut,
    /// Anything else: to be tried again later.
    Failed {
        /// What happened.
        message: String,
    },
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

/// What is said of an answer that did not come.
pub const NO_ANSWER: &str = "no answer from analytics in time";

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

impl PostAnswer {
    /// Reads an answer: its status, and its body.
    pub fn of_reply(status: u16, body: String) -> Self {
        match status {
            201 => Self::Created { body },
            200 => Self::Exists { body },
            400 | 413 | 422 => Self::Refused { status, reason: body },
            401 | 403 => Self::Unauthorized,
            _ => {
                let detail = one_line(&body, 200);
                let separator = if detail.is_empty() { "" } else { ": " };
                Self::Failed { message: format!("HTTP {status}{separator}{detail}") }
            }
        }
    }
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
                match not_analytics(status, &body, game) {
                    Some(message) => PostAnswer::Failed { message },
                    None => PostAnswer::of_reply(status, body),
                }
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

/// Why a success is not one of the service's: a login page, a page of another service behind a wrong
/// URL, or an answer about another game. An empty or cut answer is taken by its status.
fn not_analytics(status: u16, body: &str, game: GameId) -> Option<String> {
    #[derive(Deserialize)]
    struct Success {
        id: Option<GameId>,
    }
    if !matches!(status, 200 | 201) {
        return None;
    }
    let text = body.trim_start();
    if text.starts_with('<') {
        return Some(
            "a web page answered instead of analytics: is ANALYTICS_BASE_URL right?".into(),
        );
    }
    let id = serde_json::from_str::<Success>(text).ok().and_then(|success| success.id);
    let is_other = id.is_some_and(|id| id != game);
    is_other.then(|| format!("analytics answered about another game: {}", one_line(body, 200)))
}

/// How much of an answer is read, in bytes.
const BODY_LIMIT: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_taken_by_its_status() {
        let of = |status| PostAnswer::of_reply(status, "why".to_owned());
        let body = || "why".to_owned();
        assert_eq!(of(201), PostAnswer::Created { body: body() });
        assert_eq!(of(200), PostAnswer::Exists { body: body() });
        for status in [400, 413, 422] {
            assert_eq!(of(status), PostAnswer::Refused { status, reason: "why".to_owned() });
        }
        for status in [401, 403] {
            assert_eq!(of(status), PostAnswer::Unauthorized);
        }
        for status in [202, 301, 404, 409, 429, 500, 503] {
            assert_eq!(of(status), PostAnswer::Failed { message: format!("HTTP {status}: why") });
        }
        let silent = PostAnswer::of_reply(502, String::new());
        assert_eq!(silent, PostAnswer::Failed { message: "HTTP 502".to_owned() });
    }

    #[test]
    fn a_success_must_be_about_the_game() {
        let game: GameId = "0b5f1c3e-9a77-4c11-8e55-00000000abcd".parse().unwrap();
        let of = |body: &str| not_analytics(201, body, game);
        for body in ["", "{}", "{\"id\":\"0B5F1C3E-9A77-4C11-8E55-00000000ABCD\"", "ok"] {
            assert_eq!(of(body), None, "{body}");
        }
        assert_eq!(of(r#"{"id":"0b5f1c3e-9a77-4c11-8e55-00000000abcd","created":true}"#), None);
        assert!(of("<!doctype html>").is_some());
        assert!(of(r#"{"id":"1b5f1c3e-9a77-4c11-8e55-00000000abcd"}"#).is_some());
        assert_eq!(not_analytics(500, "<html>", game), None);
    }

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
