//! Asking the site.
//!
//! | file | does |
//! |---|---|
//! | `transport` | the trait both transports implement, and what travels through it |
//! | `limiter` | the one way to the site: pacing, budget, backoff, refusals |
//! | `access` | where the site is and as whom it is asked: the same headers on both transports |
//! | `curl` | the transport that runs the system's curl |
//! | `reqwest_transport` | the transport inside this process |

mod access;
mod curl;
mod limiter;
mod reqwest_transport;
mod transport;

pub use access::{InvalidSiteAccess, SiteAccess, SiteCredentials};
pub use curl::CurlTransport;
pub use limiter::{LimitedSite, LimiterPolicy, SiteError, WaitListener};
pub use reqwest_transport::ReqwestTransport;
pub use transport::{BODY_LIMIT, SiteRequest, SiteResponse, Transport, TransportError};
