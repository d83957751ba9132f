//! The receiver in process and over the wire.
//!
//! `document` makes game documents, `client` serves the router on loopback and speaks HTTP to it
//! byte by byte, so that requests which no library would send can be sent.

// An integration test is all test code; the attribute says so to the lint against `unwrap`.
#[cfg(test)]
mod client;
#[cfg(test)]
mod document;
#[cfg(test)]
mod in_process;
#[cfg(test)]
mod malformed;
#[cfg(test)]
mod over_http;
#[cfg(test)]
mod refused;
