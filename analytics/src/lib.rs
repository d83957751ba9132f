//! The embedded analytics.
//!
//! Speaks the interface of the analytics service that operators already run: takes a game,
//! replays it with the core's rules, answers as the contract's section 6 says, keeps what it
//! accepted in a SQLite file of its own and answers questions about it. The first writer wins; only
//! a replacement changes a game. It runs in process ([`Receiver`]) and over HTTP ([`router`]), with
//! the same answers.
//!
//! | module | decides |
//! |---|---|
//! | `wire` | which JSON is a well-formed game document |
//! | `acceptance` | whether a body is accepted, and what is said when it is not |
//! | `gold` | what of an accepted game goes into the tables that answer questions |
//! | `store` | how games are kept and what is selected for an answer |
//! | `receiver` | the order: judge first, then store in one transaction |
//! | `reply` | status and body of each outcome of a write |
//! | `query` | which parameters a question has |
//! | [`statistics`], `player_answers` | figures out of counts and rows |
//! | `model` | the JSON of the answers |
//! | `http` | routes, token, body limit, origins, the description of the API |
//! | [`report`] | what the kept games say: dice, players, openings, positions |
//! | [`export`] | the store as files for other programs |
//! | `plot` | how pictures look |
//!
//! Leaves to the core what a legal game is ([`dicechess_core::replay`]).

mod acceptance;
pub mod export;
mod gold;
mod http;
mod model;
mod player_answers;
mod plot;
mod query;
mod receiver;
mod reply;
pub mod report;
pub mod statistics;
mod store;
mod wire;

pub use acceptance::{AcceptedGame, Heading, MAX_BODY_BYTES, Rejection, accept, read_heading};
pub use http::{
    AllowedOrigins, ApiOptions, BodyFault, InvalidOrigin, discard_body, is_extension_origin,
    read_body, router, router_with,
};
pub use receiver::Receiver;
pub use reply::Reply;
pub use store::{APPLICATION_ID, AnalyticsStoreError, SCHEMA_VERSION};
