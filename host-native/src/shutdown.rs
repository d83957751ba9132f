//! Stopping cleanly: Ctrl-C and SIGTERM finish the item in hand.

use std::sync::Arc;

use tokio::sync::watch;

/// A request to stop, shared by everything that waits or loops.
#[derive(Debug, Clone)]
pub struct Shutdown {
    sender: Arc<watch::Sender<bool>>,
}

impl Default for Shutdown {
    fn default() -> Self {
        Self { sender: Arc::new(watch::Sender::new(false)) }
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

    /// Asks everything to stop.
    pub fn request(&self) {
        self.sender.send_replace(true);
    }

    /// Whether a stop was asked for.
    pub fn is_requested(&self) -> bool {
        *self.sender.borrow()
    }

    /// Waits until a stop is asked for.
    pub async fn requested(&self) {
        let mut receiver = self.sender.subscribe();
        // The sender lives as long as `self`, so waiting cannot fail.
        let _ = receiver.wait_for(|requested| *requested).await;
    }
}
