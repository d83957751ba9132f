//! What the end-to-end tests share: they run the real binary against the simulated site.
//!
//! | module | does |
//! |---|---|
//! | `program` | builds the binary and runs it with a deadline, without the caller's settings |
//! | `workspace` | a directory with database, analytics store and archive of one test |
//! | `analytics_service` | an analytics receiver over HTTP that records what it is sent |
//! | `browser` | sends requests as pages and extensions do |
//! | `archive_service` | an archive service that records what it is sent |
//! | `evidence` | what the site saw, and what should have come of it |
//! | `database` | questions to the database, read only, and dumps that can be compared |
//! | `tools` | programs of Debian's packages |
//! | `faults` | a small site to let fail, and changes to the database between two runs |
//!
//! Tests use `#[tokio::test(flavor = "multi_thread")]`: running the binary blocks the test's own
//! thread, and the servers answer from the others.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod analytics_service;
mod archive_service;
mod browser;
mod database;
pub mod evidence;
pub mod faults;
mod program;
pub mod tools;
mod workspace;

pub use analytics_service::{AnalyticsService, RecordedPost};
pub use archive_service::{ArchiveService, RecordedBundle};
pub use browser::{Answered, Browser};
pub use database::Database;
pub use program::{Finished, Invocation, Running, binary};
pub use workspace::Workspace;

use std::time::Duration;

/// An answer that a service gives instead of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scripted {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: String,
    /// How long the answer takes.
    pub delay: Duration,
}

impl Scripted {
    /// An answer with a status and a body.
    pub fn new(status: u16, body: &str) -> Self {
        Self { status, body: body.to_owned(), delay: Duration::ZERO }
    }

    /// The same answer, later.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }
}
