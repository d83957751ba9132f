//! What a page knows of who asks for it.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::header::HOST;
use axum::http::request::Parts;

use super::Dashboard;
use super::failure::Failure;
use super::language::{Language, cookie};
use super::sessions::COOKIE_NAME;
use super::words::Words;
use crate::clock::now;
use crate::store::{Store, StoreError};
use crate::web::WebContext;

/// A request for a page.
pub(super) struct Visit {
    pub(super) context: WebContext,
    pub(super) dashboard: Arc<Dashboard>,
    pub(super) language: Language,
    pub(super) words: &'static Words,
    /// Whether the visitor signed in.
    pub(super) is_admin: bool,
    /// The page asked for, with its query.
    pub(super) path: String,
    /// Whether the request can only come from a page of ours.
    pub(super) is_own: bool,
    /// Whether the browser came over TLS, to a proxy before us.
    pub(super) is_secure: bool,
}

impl Visit {
    /// Reads from the store on a thread that may wait.
    ///
    /// # Errors
    /// The database failed.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, Failure> {
        let store = Arc::clone(&self.context.store);
        match tokio::task::spawn_blocking(move || work(&store)).await {
            Ok(outcome) => outcome.map_err(|error| self.failure(&error)),
            Err(error) => Err(self.failure(&error)),
        }
    }

    /// Whether anybody could sign in.
    pub(super) fn has_admin(&self) -> bool {
        self.context.config.admin_token.is_some()
    }

    fn failure(&self, error: &dyn std::fmt::Display) -> Failure {
        Failure::storage(self, error)
    }
}

impl FromRequestParts<WebContext> for Visit {
    type Rejection = Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        context: &WebContext,
    ) -> Result<Self, Infallible> {
        let dashboard = parts.extensions.get::<Arc<Dashboard>>();
        let dashboard = Arc::clone(dashboard.expect("the router adds it"));
        let headers = &parts.headers;
        let language = Language::of(headers);
        let session = cookie(headers, COOKIE_NAME);
        let is_admin = session.is_some_and(|id| dashboard.sessions.is_valid(id, now()));
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        let forwarded = headers.get("x-forwarded-proto").and_then(|value| value.to_str().ok());
        Ok(Self {
            language,
            words: language.words(),
            is_admin,
            path,
            is_own: is_own(headers),
            is_secure: forwarded == Some("https"),
            context: context.clone(),
            dashboard,
        })
    }
}

/// Whether a request that changes something comes from a page of ours. A browser says so in
/// `Sec-Fetch-Site`, an older one in `Origin`; what says neither is not let through.
fn is_own(headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text("sec-fetch-site") {
        return site == "same-origin";
    }
    let origin = text("origin").and_then(|origin| origin.split_once("://"));
    origin.is_some_and(|(_, host)| text(HOST.as_str()) == Some(host))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn only_our_own_pages_change_things() {
        for (headers, expected) in [
            (&[][..], false),
            (&[("sec-fetch-site", "same-origin")], true),
            (&[("sec-fetch-site", "same-site")], false),
            (&[("sec-fetch-site", "none")], false),
            (&[("origin", "http://localhost:8787"), ("host", "localhost:8787")], true),
            (&[("origin", "http://localhost:1"), ("host", "localhost:8787")], false),
            (&[("origin", "null"), ("host", "null")], false),
            (
                &[
                    ("sec-fetch-site", "cross-site"),
                    ("origin", "http://localhost:8787"),
                    ("host", "localhost:8787"),
                ],
                false,
            ),
        ] {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.insert(*name, HeaderValue::from_static(value));
            }
            assert_eq!(is_own(&map), expected, "{headers:?}");
        }
    }
}
