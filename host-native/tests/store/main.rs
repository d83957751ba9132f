//! The store seen from outside: what is in the database after each call.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod browser;
mod counts;
mod frontier;
mod games;
mod lease;
mod pages;
mod refresh;
mod schema;
mod support;
