//! Where games are posted: a service over HTTP, or the embedded receiver in this process.
//!
//! Both answer alike; whoever posts cannot tell them apart.

use std::sync::{Arc, PoisonError, RwLock};

use dicechess_analytics::{Receiver, Reply};
use dicechess_core::delivery::PostAnswer;
use dicechess_core::ids::GameId;

use crate::analytics_client::AnalyticsClient;

/// The receiver of games.
#[derive(Clone)]
pub enum Analytics {
    /// A service.
    Remote(RemoteAnalytics),
    /// In this process.
    Embedded(Arc<Receiver>),
}

/// A service, whose token may be renewed while games are posted. Clones share it.
#[derive(Clone)]
pub struct RemoteAnalytics(Arc<RwLock<Arc<AnalyticsClient>>>);

impl RemoteAnalytics {
    /// The client with the present token.
    #[must_use]
    pub fn client(&self) -> Arc<AnalyticsClient> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// From now on games are posted with this client.
    pub fn renew(&self, client: AnalyticsClient) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(client);
    }
}

impl Analytics {
    /// A service.
    #[must_use]
    pub fn remote(client: AnalyticsClient) -> Self {
        Self::Remote(RemoteAnalytics(Arc::new(RwLock::new(Arc::new(client)))))
    }

    /// Posts a game; with `replace`, one that analytics may hold already is replaced.
    pub async fn send(&self, game: GameId, body: String, replace: bool) -> PostAnswer {
        match self {
            Self::Remote(service) if replace => service.client().put(game, &body).await,
            Self::Remote(service) => service.client().post(game, &body).await,
            Self::Embedded(receiver) => {
                let receiver = Arc::clone(receiver);
                // The receiver waits for its disk; the runtime must not.
                let reply = tokio::task::spawn_blocking(move || {
                    if replace {
                        receiver.replace(&game.to_string(), body.as_bytes())
                    } else {
                        receiver.post(body.as_bytes())
                    }
                });
                match reply.await {
                    // Its answer names no file of this machine, but the operator needs to know.
                    Ok(Reply::Storage(error)) => PostAnswer::Failed { message: error.to_string() },
                    Ok(reply) => PostAnswer::of_reply(reply.status(), reply.body()),
                    Err(error) => PostAnswer::Failed { message: error.to_string() },
                }
            }
        }
    }
}
