//! Both transports over real connections.
//!
//! | file | tests |
//! |---|---|
//! | `conformance` | that both bring the same answers and the same classes of errors |
//! | `curl_process` | what can be seen of curl from outside, and that none is left behind |
//! | `server` | the other end |
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod conformance;
#[cfg(target_os = "linux")]
mod curl_process;
mod server;
