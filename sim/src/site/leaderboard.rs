//! How the rankings look.
//!
//! Decides the two leaderboards, in the two shapes that the contract accepts: an array of rows, and
//! an object with one array inside. Each has a row that says too little to be used.

use serde_json::{Value, json};

use crate::people::Player;

/// `GET /api/leaderboard`: an array.
pub(crate) fn leaderboard(players: &[&Player]) -> String {
    let mut rows: Vec<Value> = players
        .iter()
        .map(|player| {
            json!({"userId": player.id.0, "userName": player.name, "rating": player.rating_classic,
                   "badges": []})
        })
        .collect();
    rows.push(json!({"separator": true}));
    Value::from(rows).to_string()
}

/// `GET /api/x2Leaderboard`: an object with one array inside, ids as strings.
pub(crate) fn x2_leaderboard(players: &[&Player]) -> String {
    let mut rows: Vec<Value> = players
        .iter()
        .map(|player| {
            json!({"id": player.id.to_string(), "username": player.name,
                   "points": player.rating_x2, "country": null})
        })
        .collect();
    rows.push(json!({"id": null, "username": "nobody", "points": 0}));
    json!({"season": "2026-spring", "players": rows, "total": players.len()}).to_string()
}
