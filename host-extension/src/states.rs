//! The state machine of a game.

use dicechess_core::lifecycle::GameState;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::failure::Failure;
use crate::json::{Object, read, time};
use crate::shapes::{Row, event, print_state, read_state};

/// The state in which a game is first known; gives a `GameState`.
///
/// # Errors
/// The row or its entry cannot be read.
#[wasm_bindgen]
pub fn discovered(row_json: &str, now_ms: f64) -> Result<String, Failure> {
    let row = Row::read("row", row_json)?.catalogued;
    let has_result = row.result.is_some();
    let state = GameState::discovered(row.is_cancelled, has_result, row.started_at, time(now_ms));
    Ok(print_state(&state))
}

/// The state after an event; gives a `GameState`.
///
/// # Errors
/// Something cannot be read, or `illegal_transition`.
#[wasm_bindgen]
pub fn apply(state_json: &str, event_json: &str, now_ms: f64) -> Result<String, Failure> {
    let event = read("event", event_json, event)?;
    Ok(print_state(&read_state(state_json)?.apply(event, time(now_ms))?))
}

/// The state in which what failed is tried at once, because the user wants it so.
///
/// # Errors
/// The state cannot be read.
#[wasm_bindgen]
pub fn without_timer(state_json: &str) -> Result<String, Failure> {
    Ok(print_state(&read_state(state_json)?.without_timer()))
}

/// What is next for a game; `has_moves`: its final ones are at hand. Gives a `NextStep`.
///
/// # Errors
/// The state cannot be read.
#[wasm_bindgen]
pub fn next_step(state_json: &str, has_moves: bool, now_ms: f64) -> Result<String, Failure> {
    let state = read_state(state_json)?;
    let now = time(now_ms);
    let waits = state.without_timer();
    let step = match (state.is_fetchable(now), state.is_postable(now)) {
        _ if has_moves && waits.is_fetchable(now) => "fetched",
        (true, _) => "fetch",
        (_, true) => "post",
        _ if waits.is_postable(now) || state.next_retry_at.is_some() => "wait",
        _ => "none",
    };
    let at = state.next_retry_at.filter(|_| step == "wait");
    Ok(Object::new().text("step", Some(step)).time("at_ms", at).print())
}
