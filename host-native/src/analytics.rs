//! Where games are posted: a service over HTTP, or the embedded receiver in this process.
//!
//! Both answer alike; whoever posts cannot tell them apart.

use std::sync::Arc;

use dicechess_analytics::{Receiver, Reply};
use dicechess_core::ids::GameId;

use crate::analytics_client::{AnalyticsClient, PostAnswer};

/// The receiver of games.
#[derive(Clone)]
pub enum Analytics {
    /// A service.
    Remote(Arc<AnalyticsClient>),
    /// In this process.
    Embedded(Arc<Receiver>),
}

impl Analytics {
    /// Posts a game; with `replace`, one that analytics may hold already is replaced.
    pub async fn send(&self, game: GameId, body: String, replace: bool) -> PostAnswer {
        match self {
            Self::Remote(client) if replace => client.put(game, &body).await,
            Self::Remote(client) => client.post(game, &body).await,
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
