//! What the site is asked, byte for byte.

use crate::ids::{GameId, UserId};
use crate::time::UnixMillis;

/// The site's endpoints that we know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Endpoint {
    /// One page of one player's games.
    History,
    /// The states of one game.
    MoveHistory,
    /// The classic leaderboard.
    Leaderboard,
    /// The x2 leaderboard.
    X2Leaderboard,
}

impl Endpoint {
    /// The path below the site's base URL.
    pub const fn path(self) -> &'static str {
        match self {
            Self::History => "/api/player/history",
            Self::MoveHistory => "/api/game-move-history",
            Self::Leaderboard => "/api/leaderboard",
            Self::X2Leaderboard => "/api/x2Leaderboard",
        }
    }

    /// The name under which requests are counted.
    pub const fn name(self) -> &'static str {
        match self {
            Self::History => "history",
            Self::MoveHistory => "move_history",
            Self::Leaderboard | Self::X2Leaderboard => "leaderboard",
        }
    }
}

/// One page of a player's history, newest game first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryRequest {
    /// Whose history.
    pub player: UserId,
    /// Only games that started at or after this moment.
    pub start_date: Option<UnixMillis>,
    /// How many rows at most.
    pub page_size: u32,
    /// How many rows to skip.
    pub first: u64,
}

impl HistoryRequest {
    /// The request body. Ids and dates travel as strings, as the site's own page sends them.
    pub fn to_json(&self) -> String {
        let Self { player, start_date, page_size, first } = self;
        let start_date = start_date.map_or_else(String::new, |date| {
            let millis = date.0;
            format!(r#","START_DATE":"{millis}""#)
        });
        format!(
            concat!(
                r#"{{"filters":{{"PLAYER_ID":"{player}"{start_date}}},"startBets":[],"#,
                r#""allowedTimes":[],"pageSize":{page_size},"first":{first},"#,
                r#""sortColumn":"DATE","isAsc":false}}"#
            ),
            player = player,
            start_date = start_date,
            page_size = page_size,
            first = first
        )
    }
}

/// The query of [`Endpoint::MoveHistory`].
pub fn game_move_history_query(game: GameId) -> String {
    format!("gameId={game}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_the_documented_one() {
        let request = HistoryRequest {
            player: UserId(12345),
            start_date: Some(UnixMillis(1_711_829_324_793)),
            page_size: 500,
            first: 0,
        };
        assert_eq!(
            request.to_json(),
            r#"{"filters":{"PLAYER_ID":"12345","START_DATE":"1711829324793"},"startBets":[],"allowedTimes":[],"pageSize":500,"first":0,"sortColumn":"DATE","isAsc":false}"#
        );
        let full = HistoryRequest { start_date: None, ..request };
        assert!(!full.to_json().contains("START_DATE"));
    }
}
