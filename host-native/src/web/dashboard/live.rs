//! The numbers on their way to open pages: server-sent events.
//!
//! Decides what is sent, only the parts that changed, and to how many. An event `parts` holds a JSON
//! object: the id of an element and what it shall show.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::http::header::RETRY_AFTER;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::language::Language;
use super::sampler::Latest;
use super::visit::Visit;
use crate::shutdown::Shutdown;

/// Who listens: so many may, no more.
pub(super) struct Listeners(Arc<Semaphore>);

impl Default for Listeners {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MOST_LISTENERS)))
    }
}

struct Listener {
    numbers: watch::Receiver<Latest>,
    language: Language,
    /// What was sent, by the id of its element.
    sent: BTreeMap<&'static str, String>,
    shutdown: Shutdown,
    _permit: OwnedSemaphorePermit,
}

/// `GET /events`
pub(super) async fn events(visit: Visit) -> Response {
    let Ok(permit) = Arc::clone(&visit.dashboard.listeners.0).try_acquire_owned() else {
        return (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "30")]).into_response();
    };
    let mut numbers = visit.dashboard.sampler.follow(&visit.context);
    numbers.mark_changed();
    let listener = Listener {
        numbers,
        language: visit.language,
        sent: BTreeMap::new(),
        shutdown: visit.context.shutdown.clone(),
        _permit: permit,
    };
    let stream = futures_util::stream::unfold(listener, |mut listener| async {
        let event = listener.next().await?;
        Some((Ok::<_, Infallible>(event), listener))
    });
    Sse::new(stream).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response()
}

impl Listener {
    /// Waits for something new; `None` when the daemon stops.
    async fn next(&mut self) -> Option<Event> {
        loop {
            let shutdown = self.shutdown.clone();
            tokio::select! {
                changed = self.numbers.changed() => changed.ok()?,
                () = shutdown.requested() => return None,
            }
            let latest = self.numbers.borrow_and_update().clone();
            let Some(snapshot) = latest else { continue };
            let parts = snapshot.fragments(self.language);
            let fresh: BTreeMap<&str, &str> = parts
                .iter()
                .filter(|(id, part)| self.sent.get(id) != Some(part))
                .map(|(id, part)| (*id, part.as_str()))
                .collect();
            if fresh.is_empty() {
                continue;
            }
            let event = Event::default().event("parts").retry(RETRY).json_data(&fresh);
            for (id, part) in parts.iter() {
                self.sent.insert(id, part.clone());
            }
            return event.ok();
        }
    }
}

const MOST_LISTENERS: usize = 24;
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How soon a browser comes back after the stream broke.
const RETRY: Duration = Duration::from_secs(3);
