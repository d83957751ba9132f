//! The core for the browser extension.
//!
//! JSON text or bytes in, JSON text out. Decides nothing: each function reads its arguments, calls
//! the core and prints what it said. The shapes are written down for TypeScript in
//! `extension/core.d.ts`. Times are milliseconds since 1970.
//!
//! A function that cannot do what it is asked throws an `Error` whose `name` is `DicechessError`,
//! with `kind` (a stable name, as in the errors of `dicechess-sync normalize`) and `state` (the key
//! of the state at fault, or null).
//!
//! | file | wraps |
//! |---|---|
//! | `observed` | what a page got, and what it says of a game |
//! | `states` | the state machine of a game |
//! | `documents` | what is sent: bundle and ingest document |
//! | `sending` | what a receiver answered, what goes next, what is let go |
//! | `asking` | when the site may be asked once |
//! | `shapes`, `json`, `failure` | what they share: shapes, reading and printing, errors |

mod asking;
mod documents;
mod failure;
mod json;
mod observed;
mod sending;
mod shapes;
mod states;

use json::Object;
use wasm_bindgen::prelude::wasm_bindgen;

pub use asking::ask_plan;
pub use documents::{bundle, ingest, normalize};
pub use failure::Failure;
pub use observed::{moves_are_final, observe, page, told_again};
pub use sending::{answer, next_sending, receiver_after, to_drop};
pub use states::{apply, discovered, next_step, without_timer};

#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// `{"api":1,"core":"0.1.0"}`: `api` grows when a function here changes its meaning.
#[wasm_bindgen]
pub fn versions() -> String {
    Object::new().whole("api", Some(API)).text("core", Some(env!("CARGO_PKG_VERSION"))).print()
}

const API: i64 = 1;

#[cfg(test)]
mod tests;
