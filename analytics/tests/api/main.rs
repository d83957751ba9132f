//! The API, from its description: every call, filter and convention, over HTTP.
//!
//! `games` makes games of a few turns, `client` (of the receiver's tests) serves the router on
//! loopback and speaks HTTP to it byte by byte.

// An integration test is all test code; the attribute says so to the lint against `unwrap`.
#[cfg(test)]
mod bad_input;
#[cfg(test)]
#[path = "../receiver/client.rs"]
mod client;
#[cfg(test)]
#[path = "../receiver/document.rs"]
mod document;
#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod game_detail;
#[cfg(test)]
mod game_list;
#[cfg(test)]
mod games;
#[cfg(test)]
mod older_store;
#[cfg(test)]
mod players;
#[cfg(test)]
mod positions;
#[cfg(test)]
mod replacement;
#[cfg(test)]
mod results;
#[cfg(test)]
mod service;
