//! The reports over small stores made by hand; every number is worked out on paper.
//!
//! `store` writes the tables that the reports read, one file a report asks for it.

// An integration test is all test code; the attribute says so to the lint against `unwrap`.
#[cfg(test)]
mod dice;
#[cfg(test)]
#[path = "../receiver/document.rs"]
mod document;
#[cfg(test)]
mod gallery;
#[cfg(test)]
mod kept_games;
#[cfg(test)]
mod openings;
#[cfg(test)]
mod player;
#[cfg(test)]
mod position;
#[cfg(test)]
mod store;
