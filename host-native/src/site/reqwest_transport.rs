//! The transport inside this process.
//!
//! Decides how reqwest's errors fall into our classes. The client's own settings are made in one
//! place for all services (`http_client`), the headers in `access`.

use std::collections::BTreeMap;

use futures_util::future::BoxFuture;
use reqwest::header::HeaderValue;
use reqwest::{Client, RequestBuilder, Response};
use secrecy::ExposeSecret;

use super::access::keep_first;
use super::{BODY_LIMIT, SiteAccess, SiteRequest, SiteResponse, Transport, TransportError};
use crate::http_client::{self, BodyError};

/// Asks the site without another program.
#[derive(Debug, Clone)]
pub struct ReqwestTransport {
    client: Client,
    access: SiteAccess,
}

impl ReqwestTransport {
    /// Prepares a client; nothing is sent yet.
    ///
    /// # Errors
    /// [`TransportError::Unusable`]: TLS cannot be set up, for example because this machine has no
    /// certificate roots.
    pub fn new(access: SiteAccess) -> Result<Self, TransportError> {
        let client =
            http_client::build_client(access.base_url(), access.timeout()).map_err(|error| {
                let cause = http_client::error_chain(error);
                TransportError::Unusable(format!("TRANSPORT=reqwest cannot be set up: {cause}"))
            })?;
        Ok(Self { client, access })
    }

    async fn run(&self, request: &SiteRequest) -> Result<SiteResponse, TransportError> {
        let mut response = self.prepare(request)?.send().await.map_err(|e| self.not_sent(e))?;
        let status = response.status().as_u16();
        let headers = headers(&response);
        let body = http_client::read_body(&mut response, BODY_LIMIT).await;
        let body = body.map_err(|error| match error {
            BodyError::TooLong => TransportError::TooLarge,
            BodyError::Broken(error) if error.is_timeout() => self.access.timed_out(),
            BodyError::Broken(error) => TransportError::Truncated(self.text(error)),
        })?;
        Ok(SiteResponse { status, headers, body })
    }

    fn prepare(&self, request: &SiteRequest) -> Result<RequestBuilder, TransportError> {
        let url = self.access.url(request);
        let mut builder = match &request.body {
            Some(body) => self.client.post(url).body(body.clone()),
            None => self.client.get(url),
        };
        for header in self.access.headers(request) {
            let mut value = HeaderValue::from_str(header.value.expose_secret())
                .map_err(|_| TransportError::Unusable(format!("bad header {}", header.name)))?;
            value.set_sensitive(header.is_secret);
            builder = builder.header(header.name, value);
        }
        Ok(builder)
    }

    fn not_sent(&self, error: reqwest::Error) -> TransportError {
        if error.is_timeout() {
            self.access.timed_out()
        } else if http_client::is_tls_error(&error) {
            TransportError::Tls(self.text(error))
        } else {
            TransportError::Connection(self.text(error))
        }
    }

    fn text(&self, error: reqwest::Error) -> String {
        self.access.scrub(&http_client::error_chain(error))
    }
}

impl Transport for ReqwestTransport {
    fn send<'a>(
        &'a self,
        request: &'a SiteRequest,
    ) -> BoxFuture<'a, Result<SiteResponse, TransportError>> {
        Box::pin(self.run(request))
    }
}

fn headers(response: &Response) -> BTreeMap<String, String> {
    let mut headers = BTreeMap::new();
    for (name, value) in response.headers() {
        keep_first(&mut headers, name.as_str(), &String::from_utf8_lossy(value.as_bytes()));
    }
    headers
}
