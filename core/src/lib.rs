//! Every decision of dicechess-sync, and nothing that acts on one.
//!
//! The core has no I/O, no clock, no randomness, no threads and no environment: time and random
//! numbers come in as parameters, effects go out as values. It runs natively and as WebAssembly
//! and gives the same bytes on both.
//!
//! | module | decides |
//! |---|---|
//! | [`ids`], [`time`] | what an identifier and a point in time are |
//! | [`lifecycle`], [`breaker`] | what each event makes of a game or a player, when a stage stops |
//! | [`pacing`] | when the site may be asked, and which process may ask |

pub mod breaker;
pub mod dice;
pub mod ids;
pub mod lifecycle;
pub mod pacing;
pub mod rules;
pub mod time;
