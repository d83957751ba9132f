//! Stopping cleanly: Ctrl-C and SIGTERM finish the item in hand.

use std::sync::Arc;

use tokio::sync::watch;

/// A request to stop, shared by everything that waits or loops.
#[derive(Debug, Clone)]
pub struct Shutdown {
    sender: Arc<watch::Sender<bool>>,
    /// A stop of the whole stops its parts.
    whole: Option<Arc<Self>>,
}

impl Default for Shutdown {
    fn default() -> Self {
        Self { sender: Arc::new(watch::Sender::new(false)), whole: None }
    }
}

impl Shutdown {
    /// A request that Ctrl-C and SIGTERM make. A second signal ends the program at once.
    ///
    /// # Errors
    /// The system refuses to tell of signals.
    pub fn on_signals() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let shutdown = Self::default();
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let asked = shutdown.clone();
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    _ = interrupt.recv() => {}
                    _ = terminate.recv() => {}
                }
                if asked.is_requested() {
                    // Nothing is lost: every accepted item is already committed.
                    std::process::exit(130);
                }
                tracing::warn!("stopping after the item in hand; once more stops at once");
                asked.request();
            }
        });
        Ok(shutdown)
    }

    /// A stop of a part: it can be requested alone, and is requested with the whole.
    #[must_use]
    pub fn part(&self) -> Self {
        Self { whole: Some(Arc::new(self.clone())), ..Self::default() }
    }

    /// Asks everything to stop.
    pub fn request(&self) {
        self.sender.send_replace(true);
    }

    /// Whether a stop was asked for.
    pub fn is_requested(&self) -> bool {
        *self.sender.borrow() || self.whole.as_ref().is_some_and(|whole| whole.is_requested())
    }

    /// Waits until a stop is asked for.
    pub async fn requested(&self) {
        let mut receiver = self.sender.subscribe();
        // The sender lives as long as `self`, so waiting cannot fail.
        let own = receiver.wait_for(|requested| *requested);
        match &self.whole {
            None => {
                let _ = own.await;
            }
            Some(whole) => {
                tokio::select! {
                    _ = own => {}
                    () = Box::pin(whole.requested()) => {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_part_stops_alone_and_with_the_whole() {
        let whole = Shutdown::default();
        let (one, other) = (whole.part(), whole.part());
        one.request();
        one.requested().await;
        assert!(one.is_requested() && !other.is_requested() && !whole.is_requested());
        whole.request();
        other.requested().await;
        assert!(other.is_requested());
    }
}
