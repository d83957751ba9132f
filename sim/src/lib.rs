//! A simulated dicechess.com.
//!
//! Decides what the site shows: it plays whole games by the rules, deterministically from a seed,
//! and serves them over HTTP on loopback with the site's spellings, and with faults on demand.
//! Leaves to others how the site is read.
//!
//! | module | decides |
//! |---|---|
//! | [`spec`](WorldSpec), `people`, `meetings`, `details`, `world` | who played whom, when and to what end |
//! | `graph` | what a crawl can find, and what it costs at least |
//! | `play` | the moves of a game, and the truth about it |
//! | `site` | how the site tells it: history rows, state maps, leaderboards |
//! | `server` | HTTP, the token check, faults, the request log, the control API |

mod details;
mod graph;
mod meetings;
mod people;
mod play;
mod rng;
mod server;
mod site;
mod spec;
mod truth;
mod world;

pub use details::Game;
pub use graph::LeastRequests;
pub use people::{Player, PlayerKind};
pub use server::{
    BrokenEntry, Endpoint, Fault, FaultRule, LogEntry, MissingMap, RetryAfter, SimOptions,
    SimServer, TokenCheck, When, unsigned_jwt,
};
pub use site::HistoryPage;
pub use spec::WorldSpec;
pub use truth::{
    CastlingWing, EventKind, Feature, GameTruth, Promoted, Termination, TruthEvent, TruthTurn,
};
pub use world::{NewGames, World};
