//! What a page got, and what it says of a game.

use dicechess_core::ids::UserId;
use dicechess_core::observation::{self, Exchange, Observation, SeenMoves, judge_moves};
use dicechess_core::site::{HistoryPage, ResponseHead};
use dicechess_core::time::UnixMillis;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::failure::Failure;
use crate::json::{List, Object, read, time, utf8};
use crate::shapes::{Row, print_row, print_state, read_state};

/// What an answer is that a page got. `head_json`: `ObservedHead`; gives an `Observation`.
///
/// # Errors
/// The head cannot be read.
#[wasm_bindgen]
#[expect(clippy::needless_pass_by_value, reason = "optional bytes cross the boundary only so")]
pub fn observe(
    head_json: &str,
    request_body: Option<Vec<u8>>,
    response_body: &[u8],
) -> Result<String, Failure> {
    read("head", head_json, |head| {
        print(&observation::observe(&Exchange {
            page_origin: head.text("page_origin"),
            url: head.text("url"),
            method: head.text("method"),
            request_body: request_body.as_deref(),
            head: ResponseHead {
                status: head.count("status") as u16,
                content_type: head.optional_text("content_type"),
                ..ResponseHead::default()
            },
            response_body,
        }))
    })
}

fn print(observation: &Observation<'_>) -> String {
    match observation {
        Observation::History { queried, page } => history(*queried, page),
        Observation::Moves { game_id, players } => {
            Object::of_kind("moves").game_id(*game_id).user_ids("players", players).print()
        }
        Observation::Ignored(reason) => Object::of_kind("ignored")
            .text("reason", Some(reason.kind()))
            .text("message", Some(&reason.to_string()))
            .print(),
    }
}

fn history(queried: UserId, page: &HistoryPage<'_>) -> String {
    let mut rows = List::new();
    let mut broken = 0;
    for row in &page.rows {
        match &row.entry {
            Ok(entry) => rows.push(&print_row(row.json, entry, queried)),
            Err(_) => broken += 1,
        }
    }
    Object::of_kind("history")
        .whole("queried_user_id", Some(queried.0))
        .json("rows", &rows.print())
        .whole("broken", Some(broken))
        .print()
}

/// What a page of the site shows; gives a `Page`.
#[wasm_bindgen]
#[must_use]
pub fn page(url: &str) -> String {
    match observation::shown_game(url) {
        Some(game_id) => Object::of_kind("game").game_id(game_id).print(),
        None => Object::of_kind("other").print(),
    }
}

/// A page of history tells once more of a game; gives a `ToldAgain`.
///
/// # Errors
/// A row or the state cannot be read.
#[wasm_bindgen]
pub fn told_again(
    row_json: &str,
    stored_row_json: &str,
    state_json: &str,
    now_ms: f64,
) -> Result<String, Failure> {
    let again = Row::read("row", row_json)?;
    let known = Row::read("stored row", stored_row_json)?;
    let state = read_state(state_json)?;
    let now = time(now_ms);
    Ok(match observation::told_again(&known.catalogued, &state, &again.catalogued, now) {
        Some(state) => Object::of_kind("changed")
            .json("row", &again.print())
            .json("state", &print_state(&state))
            .print(),
        None => Object::of_kind("same").print(),
    })
}

/// Whether moves that were seen tell the game to its end. `end_known_at_ms`: when the row was first
/// seen with a result; undefined when it has none.
///
/// # Errors
/// The row or its entry cannot be read, or the moves are not UTF-8.
#[wasm_bindgen]
pub fn moves_are_final(
    row_json: &str,
    moves: &[u8],
    moves_at_ms: f64,
    end_known_at_ms: Option<f64>,
    now_ms: f64,
) -> Result<bool, Failure> {
    let row = Row::read("row", row_json)?;
    let moves = SeenMoves { move_history: utf8("moves", moves)?, seen_at: time(moves_at_ms) };
    let end_known_at = end_known_at_ms.map_or(UnixMillis(i64::MAX), time);
    Ok(judge_moves(&row.entry, row.queried, end_known_at, moves, time(now_ms)).is_ok())
}
