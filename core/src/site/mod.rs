//! The shapes of dicechess.com: what is asked and what is answered.
//!
//! Decides how the site's JSON is read and nothing about what it means. Every parser is tolerant:
//! unknown fields are ignored (the raw copy keeps them), missing optional fields become `None`, and
//! only what is needed and wrong is an error.
//!
//! | file | shape |
//! |---|---|
//! | `request` | what is asked for, and under which path |
//! | `history` | one page of one player's games |
//! | `state_map` | the states of one game |
//! | `leaderboard` | the two leaderboards |
//! | `response` | what a status, headers and a body amount to |
//! | `lenient` | fields whose wrong type means "unknown" |

mod history;
mod leaderboard;
mod lenient;
mod request;
mod response;
mod state_map;

pub use history::{BrokenEntry, BrokenPage, HistoryEntry, HistoryPage, HistoryRow};
pub use leaderboard::{LeaderboardRow, NoLeaderboard, parse_leaderboard};
pub use request::{Endpoint, HistoryRequest, game_move_history_query};
pub use response::{Answer, ResponseHead, classify_response};
pub(crate) use state_map::MoveHistory;
pub use state_map::{
    Clocks, Die, RecordedMove, State, StateMap, UnreadableStateMap, parse_move_history,
};
