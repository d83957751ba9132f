//! Asking the site.
//!
//! | file | does |
//! |---|---|
//! | `transport` | the trait both transports implement, and what travels through it |

mod transport;

pub use transport::{BODY_LIMIT, SiteRequest, SiteResponse, Transport, TransportError};
