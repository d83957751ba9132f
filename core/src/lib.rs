//! Every decision of dicechess-sync, and nothing that acts on one.
//!
//! The core has no I/O, no clock, no randomness, no threads and no environment: time and random
//! numbers come in as parameters, effects go out as values. It runs natively and as WebAssembly
//! and gives the same bytes on both.
//!
//! | module | decides |
//! |---|---|
//! | [`ids`], [`time`] | what an identifier and a point in time are |
//! | [`dice`], [`rules`] | which rolls and turns exist and what they do to a position |
//! | [`site`] | what the site is asked and how its answers are read |
//! | [`catalogue`] | what a history entry says of a game and of its players |
//! | [`normalise`] | how a recorded game is cut into turns and events |
//! | [`replay`] | whether a whole game is legal |
//! | [`ingest`], [`bundle`] | the exact bytes that are posted and archived, and what of a browser is believed |
//! | [`lifecycle`], [`breaker`] | what each event makes of a game or a player, when a stage stops |
//! | [`observation`] | what a browser sees of the site, and when it may ask once itself |
//! | [`delivery`] | what a receiver's answer amounts to, what a browser sends next and what it lets go |
//! | [`pacing`] | when the site may be asked, which process may ask, how often we may be asked |
//! | [`pairing`] | how the one-time code looks with which a browser is paired |
//! | [`sweep`] | which history page is asked next, what is kept of it, when a player is complete |
//! | [`forecast`] | how long a backfill still takes |

pub mod breaker;
pub mod bundle;
pub mod catalogue;
pub mod delivery;
pub mod dice;
pub mod forecast;
pub mod ids;
pub mod ingest;
pub mod lifecycle;
pub mod normalise;
pub mod observation;
mod order;
pub mod pacing;
pub mod pairing;
pub mod replay;
pub mod rules;
pub mod site;
pub mod sweep;
pub mod time;
