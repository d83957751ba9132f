//! The state machines of games and players.
//!
//! Decides what each event makes of a game or a player, and which pairs of state and event are
//! impossible. Leaves to the host to load the state, to save the new one in the same transaction
//! as what the event brought, and to order the queues.
//!
//! Events are facts of the past: something was fetched, a post was refused. A fact that arrives
//! before a timer is due is still a fact; whether to act at all is asked beforehand
//! ([`GameState::is_fetchable`], [`GameState::is_postable`]).

mod game;
mod player;
mod refresh;
mod retry;
mod status;

use thiserror::Error;

pub use game::{GameEvent, GameState};
pub use player::{PlayerEvent, PlayerState, PlayerStatus, PlayerType};
pub use refresh::{
    Activity, LATEST_REFRESH, OBSERVED, SOONEST_REFRESH, refresh_interval, refresh_on_news,
};
pub use retry::{DAY_RUNNING, retry_delay};
pub use status::{ErrorStage, GameStatus, PostResult};

/// An event that cannot happen in the given state. The state stays as it was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{subject} in state {state} cannot take the event {event}")]
pub struct IllegalTransition {
    /// `game` or `player`.
    pub subject: &'static str,
    /// The state, as in `error/fetch`.
    pub state: String,
    /// The event's name.
    pub event: &'static str,
}
