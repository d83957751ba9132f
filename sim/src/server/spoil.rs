//! What faults do to the contents of an answer.
//!
//! Decides how a page or a state map is spoiled so that it is still an answer but a wrong one.

use serde_json::{Value, json};

use super::fault::{BrokenEntry, Fault, MissingMap};
use crate::site::HistoryPage;

/// Breaks the second entry of a page, or its only one.
pub(super) fn break_entry(page: &mut HistoryPage, how: BrokenEntry) {
    let place = 1.min(page.rows.len().saturating_sub(1));
    let Some(row) = page.rows.get_mut(place) else { return };
    let Ok(mut entry) = serde_json::from_str::<Value>(row) else { return };
    match how {
        BrokenEntry::WrongType => entry["gameId"] = json!(42),
        BrokenEntry::NotAnObject => entry = json!("a game"),
        BrokenEntry::NoOpponent => entry["historyOpponent"] = Value::Null,
        BrokenEntry::LoneSurrogate => entry["historyOpponent"]["opponentName"] = json!("@half@"),
    }
    *row = entry.to_string().replace("@half@", "half \\ud800 pair");
}

/// Spoils a state map; other faults leave it as it is.
pub(super) fn spoil_map(body: String, fault: &Fault) -> String {
    match fault {
        Fault::UnknownDie => edit(&body, |map| {
            let rolled = |state: &&mut Value| state["dices"].get(0).is_some();
            if let Some(state) = map.into_iter().find(rolled) {
                state["dices"][0]["value"] = json!("X");
            }
        }),
        Fault::UnknownPromotion => {
            edit_move(&body, |played| played["promotion"] = json!("WHITE_JOKER"))
        }
        Fault::UnknownSquare => edit_move(&body, |played| played["to"] = json!("J9")),
        Fault::IllegalMove => edit_move(&body, |played| {
            played["from"] = json!("A1");
            played["to"] = json!("H7");
        }),
        Fault::NoMap { how } => match how {
            MissingMap::EmptyAnswer => "{}".to_owned(),
            MissingMap::Null => "{\"gameMoveHistoryStateMap\":null}".to_owned(),
            MissingMap::EmptyMap => "{\"gameMoveHistoryStateMap\":{}}".to_owned(),
        },
        _ => body,
    }
}

fn edit_move(body: &str, change: impl FnOnce(&mut Value)) -> String {
    edit(body, |map| {
        let moved = |state: &&mut Value| state["gameMoveHistoryMove"].is_object();
        if let Some(state) = map.into_iter().find(moved) {
            change(&mut state["gameMoveHistoryMove"]);
        }
    })
}

/// Gives the states in the order of their keys to `change`.
fn edit(body: &str, change: impl FnOnce(Vec<&mut Value>)) -> String {
    let Ok(mut answer) = serde_json::from_str::<Value>(body) else { return body.to_owned() };
    if let Some(map) = answer["gameMoveHistoryStateMap"].as_object_mut() {
        let mut states: Vec<(u64, &mut Value)> =
            map.iter_mut().map(|(key, state)| (key.parse().unwrap_or(0), state)).collect();
        states.sort_by_key(|(key, _)| *key);
        change(states.into_iter().map(|(_, state)| state).collect());
    }
    answer.to_string()
}
