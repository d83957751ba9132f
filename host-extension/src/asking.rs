//! When the site may be asked once.

use dicechess_core::observation::{Ask, AskPlan, KnownGame, Visit};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::failure::Failure;
use crate::json::{Fields, Object, read, time};

/// Whether, when and what the site is asked. Takes `AskFacts`, gives an `AskPlan`.
///
/// # Errors
/// The facts cannot be read.
#[wasm_bindgen]
pub fn ask_plan(facts_json: &str, now_ms: f64) -> Result<String, Failure> {
    let plan = read("facts", facts_json, plan)?;
    Ok(match dicechess_core::observation::plan_ask(&plan, time(now_ms)) {
        Ask::Now(question) => Object::of_kind("ask")
            .text("what", Some(question.endpoint.name()))
            .game_id(question.game_id)
            .text("method", Some(question.method))
            .text("url", Some(&question.url))
            .text("body", question.body.as_deref())
            .print(),
        Ask::At(until) => Object::of_kind("wait").time("until_ms", Some(until)).print(),
        Ask::Nothing => Object::of_kind("none").print(),
    })
}

fn plan(fields: &Fields<'_>) -> AskPlan {
    let has_own = fields.has("own_user_id");
    AskPlan {
        is_on: fields.flag("enabled"),
        own: has_own.then(|| fields.user_id("own_user_id")),
        last_ask: fields.optional_time("last_ask_at_ms"),
        visits: fields.list("visits", visit),
    }
}

fn visit(fields: &Fields<'_>) -> Visit {
    let has_entry = fields.has("entry");
    Visit {
        game_id: fields.game_id(),
        left_at: fields.optional_time("left_at_ms"),
        known: has_entry.then(|| fields.object("entry", known_game)),
        players: fields.user_ids("players"),
        has_moves: fields.flag("has_final_moves"),
        history_asked: fields.optional_time("history_asked_at_ms"),
        moves_asked: fields.optional_time("moves_asked_at_ms"),
    }
}

fn known_game(fields: &Fields<'_>) -> KnownGame {
    KnownGame {
        players: [fields.user_id("white_user_id"), fields.user_id("black_user_id")],
        end_known_at: fields.optional_time("end_known_at_ms"),
        is_cancelled: fields.flag("is_cancelled"),
    }
}
