//! Takes the numbers once for all who look at them.
//!
//! Decides how often: only while somebody looks, at most every second, and never more than a
//! twentieth of the time, so that a great database is not kept busy by an open page.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::rates::History;
use super::snapshot::Snapshot;
use crate::clock::now;
use crate::web::WebContext;

/// What everybody sees.
pub(super) type Latest = Option<Arc<Snapshot>>;

/// The one that takes the numbers.
pub(super) struct Sampler {
    latest: watch::Sender<Latest>,
    state: Mutex<State>,
    history: Mutex<History>,
}

#[derive(Default)]
struct State {
    is_running: bool,
    asked_at: Option<Instant>,
}

impl Default for Sampler {
    fn default() -> Self {
        Self {
            latest: watch::Sender::new(None),
            state: Mutex::default(),
            history: Mutex::default(),
        }
    }
}

impl Sampler {
    /// The numbers as they come.
    pub(super) fn follow(self: &Arc<Self>, context: &WebContext) -> watch::Receiver<Latest> {
        let receiver = self.latest.subscribe();
        self.ensure_running(context);
        receiver
    }

    /// The numbers now. Where they take long, the last ones; `None` where there are none yet.
    pub(super) async fn current(self: &Arc<Self>, context: &WebContext) -> Latest {
        let mut receiver = self.latest.subscribe();
        let was_running = self.ensure_running(context);
        let has_some = receiver.borrow_and_update().is_some();
        if !(was_running && has_some) {
            // Times out where a look takes long, and fails never: the sender is ours.
            let _ = tokio::time::timeout(PATIENCE, receiver.changed()).await;
        }
        receiver.borrow().clone()
    }

    /// Tells whether it ran before.
    fn ensure_running(self: &Arc<Self>, context: &WebContext) -> bool {
        let mut state = lock(&self.state);
        state.asked_at = Some(Instant::now());
        let was_running = std::mem::replace(&mut state.is_running, true);
        if !was_running {
            tokio::spawn(Arc::clone(self).run(context.clone()));
        }
        was_running
    }

    async fn run(self: Arc<Self>, context: WebContext) {
        loop {
            let began = Instant::now();
            if let Some(snapshot) = self.look(&context).await {
                self.latest.send_replace(Some(Arc::new(snapshot)));
            }
            let rest = rest_after(began.elapsed());
            tokio::select! {
                () = tokio::time::sleep(rest) => {}
                () = context.shutdown.requested() => return,
            }
            if self.stops_unwatched(rest) {
                return;
            }
        }
    }

    async fn look(self: &Arc<Self>, context: &WebContext) -> Option<Snapshot> {
        let sampler = Arc::clone(self);
        let (context, daemon) = (context.clone(), context.daemon.clone());
        let taken = tokio::task::spawn_blocking(move || {
            let view = context.daemon.view();
            let mut history = lock(&sampler.history);
            Snapshot::take(&context.store, view, &context.config, &mut history, now())
        });
        match taken.await {
            Ok(Ok(snapshot)) => Some(snapshot),
            Ok(Err(error)) => {
                tracing::warn!("the dashboard's numbers cannot be read: {error}");
                let last = self.latest.borrow().clone()?;
                let mut view = daemon.view();
                view.database_failure.get_or_insert_with(|| error.to_string());
                Some(last.seen_again(view))
            }
            Err(error) => {
                tracing::error!("the dashboard's numbers: {error}");
                None
            }
        }
    }

    fn stops_unwatched(&self, rest: Duration) -> bool {
        let mut state = lock(&self.state);
        let asked_lately = state.asked_at.is_some_and(|at| at.elapsed() < LINGER.max(rest));
        let is_watched = self.latest.receiver_count() > 0;
        state.is_running = is_watched || asked_lately;
        !state.is_running
    }
}

/// How long to rest after a look that took so long.
fn rest_after(took: Duration) -> Duration {
    took.saturating_mul(SHARE).max(SHORTEST_REST)
}

/// What is locked here is sound after a panic as well.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// For each second of work so many of rest.
const SHARE: u32 = 20;
const SHORTEST_REST: Duration = Duration::from_secs(1);
/// How long it goes on after a page was asked for.
const LINGER: Duration = Duration::from_secs(20);
/// How long a page waits for numbers.
const PATIENCE: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_take_at_most_a_twentieth_of_the_time() {
        for (took, rest) in [(0, 1000), (10, 1000), (50, 1000), (51, 1020), (3000, 60_000)] {
            assert_eq!(rest_after(Duration::from_millis(took)), Duration::from_millis(rest));
        }
    }
}
