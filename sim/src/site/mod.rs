//! How the site tells what it knows.
//!
//! Decides spellings only: nothing here changes what happened.
//!
//! | file | decides |
//! |---|---|
//! | `style` | which of the site's habits a game's map shows |
//! | `state_map` | how a game's states are written |
//! | `history` | how a player's games are listed |
//! | `leaderboard` | how the rankings look |

mod history;
mod leaderboard;
mod state_map;
mod style;

pub use history::HistoryPage;
pub(crate) use history::row;
pub(crate) use leaderboard::{leaderboard, x2_leaderboard};
pub(crate) use state_map::{initial_fen, state_map};

/// A text as JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// An object from keys and values that are already JSON, in the given order.
fn object(fields: &[(String, String)]) -> String {
    let fields: Vec<String> =
        fields.iter().map(|(key, value)| format!("{}:{value}", quoted(key))).collect();
    format!("{{{}}}", fields.join(","))
}
