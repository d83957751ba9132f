//! A history entry becomes a catalogue row and an opponent for the frontier.
//!
//! Decides the change of point of view (the entry is the queried player's, everything of ours is
//! White's), what a player is, and what of a browser's word the site contradicts. What follows for
//! the game is [`crate::lifecycle`]'s matter.

use shakmaty::Color;
use thiserror::Error;

use crate::ids::{GameId, UserId};
pub use crate::lifecycle::PlayerType;
use crate::site::HistoryEntry;
use crate::time::UnixMillis;

/// A game as the catalogue knows it, from White's point of view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueRow {
    /// The game.
    pub game_id: GameId,
    /// White.
    pub white_user_id: UserId,
    /// Black.
    pub black_user_id: UserId,
    /// Whose history told of it.
    pub discovered_from: UserId,
    /// When it started; unknown ones come last in queues.
    pub started_at: Option<UnixMillis>,
    /// Whether the stake can be doubled.
    pub allow_doubling: bool,
    /// 1 White won, 0 drawn, -1 Black won.
    pub result: Option<i8>,
    /// Thinking time in whole seconds.
    pub time_initial_sec: Option<i64>,
    /// Increment in whole seconds.
    pub time_increment_sec: Option<i64>,
    /// Whether the site cancelled it.
    pub is_cancelled: bool,
}

/// The other player of an entry, as a vertex for the frontier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opponent {
    /// The player.
    pub user_id: UserId,
    /// His name, if the entry has one.
    pub username: Option<String>,
    /// What he is.
    pub player_type: PlayerType,
    /// His rating in this game: that of the colour he played.
    pub discovered_rating: Option<i64>,
    /// His distance from a seed.
    pub depth: u32,
}

/// What is told of a game and matters when two tell of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameClaim {
    /// White.
    pub white_user_id: Option<UserId>,
    /// Black.
    pub black_user_id: Option<UserId>,
    /// 1 White won, 0 drawn, -1 Black won.
    pub result: Option<i8>,
    /// Whether the site cancelled it.
    pub is_cancelled: bool,
}

/// What the site says otherwise than a browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Contradiction {
    /// Other people played.
    #[error("the site names other players")]
    Players,
    /// It ended otherwise.
    #[error("the site tells another result")]
    Result,
    /// It was cancelled.
    #[error("the site has cancelled the game")]
    Cancelled,
}

impl GameClaim {
    /// What the site, telling `self`, says otherwise than a browser that told `browser`. Where the
    /// site does not know, it does not contradict.
    pub fn contradiction(self, browser: Self) -> Option<Contradiction> {
        let differs =
            |site: Option<UserId>, browser: Option<UserId>| site.is_some() && site != browser;
        if differs(self.white_user_id, browser.white_user_id)
            || differs(self.black_user_id, browser.black_user_id)
        {
            Some(Contradiction::Players)
        } else if self.is_cancelled && !browser.is_cancelled {
            Some(Contradiction::Cancelled)
        } else if self.result.is_some() && self.result != browser.result {
            Some(Contradiction::Result)
        } else {
            None
        }
    }
}

impl CatalogueRow {
    /// What this row claims.
    pub fn claim(&self) -> GameClaim {
        GameClaim {
            white_user_id: Some(self.white_user_id),
            black_user_id: Some(self.black_user_id),
            result: self.result,
            is_cancelled: self.is_cancelled,
        }
    }
}

/// Maps an entry of `queried`'s history, who is `depth` away from a seed.
pub fn map_history_entry(
    entry: &HistoryEntry,
    queried: UserId,
    depth: u32,
) -> (CatalogueRow, Opponent) {
    let (white_user_id, black_user_id) =
        entry.color.fold_wb((queried, entry.opponent_id), (entry.opponent_id, queried));
    let row = CatalogueRow {
        game_id: entry.game_id,
        white_user_id,
        black_user_id,
        discovered_from: queried,
        started_at: entry.started_at,
        allow_doubling: entry.allow_doubling,
        result: entry.result.map(|result| white_pov(result, entry.color)),
        time_initial_sec: entry.time_initial_sec(),
        time_increment_sec: entry.time_increment_sec(),
        is_cancelled: entry.is_cancelled,
    };
    let opponent = Opponent {
        user_id: entry.opponent_id,
        username: entry.opponent_name.clone(),
        player_type: PlayerType::classify(entry.opponent_id, entry.opponent_name.as_deref()),
        discovered_rating: entry.color.other().fold_wb(entry.rating_white, entry.rating_black),
        depth: depth.saturating_add(1),
    };
    (row, opponent)
}

/// A result of the player of `color` as White's.
pub fn white_pov(result: i8, color: Color) -> i8 {
    color.fold_wb(result, -result)
}

impl HistoryEntry {
    /// Thinking time in whole seconds; the site sends minutes, which may be fractional.
    pub fn time_initial_sec(&self) -> Option<i64> {
        self.time_limit_minutes.and_then(|minutes| whole_seconds(minutes * 60.0))
    }

    /// Increment in whole seconds.
    pub fn time_increment_sec(&self) -> Option<i64> {
        self.time_bonus_seconds.and_then(whole_seconds)
    }
}

/// A negative time, or one of more than thirty years, is none.
fn whole_seconds(seconds: f64) -> Option<i64> {
    (0.0..=1e9).contains(&seconds).then(|| seconds.round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(color: &str, result: &str) -> HistoryEntry {
        let json = format!(
            r#"{{"gameId":"0b5f1c3e-9a77-4c11-8e55-00000000abcd","color":"{color}","result":{result},
            "startTime":"2026-03-30T20:08:44.793","timeLimit":0.7,"timeBonus":2.5,
            "startRatingWhite":1500,"startRatingBlack":1611.4,
            "historyOpponent":{{"opponentId":77,"opponentName":"Guest 9"}}}}"#
        );
        HistoryEntry::parse(&json).unwrap()
    }

    #[test]
    fn what_the_site_says_otherwise() {
        let claim = |white: i64, black: i64, result, is_cancelled| GameClaim {
            white_user_id: Some(UserId(white)),
            black_user_id: Some(UserId(black)),
            result,
            is_cancelled,
        };
        let browser = claim(1, 2, Some(1), false);
        let nobody = GameClaim { white_user_id: None, black_user_id: None, ..browser };
        for (site, expected) in [
            (browser, None),
            (nobody, None),
            (claim(1, 2, None, false), None),
            (claim(1, 2, Some(-1), false), Some(Contradiction::Result)),
            (claim(2, 1, Some(1), false), Some(Contradiction::Players)),
            (claim(1, 3, Some(0), true), Some(Contradiction::Players)),
            (claim(1, 2, None, true), Some(Contradiction::Cancelled)),
        ] {
            assert_eq!(site.contradiction(browser), expected, "{site:?}");
        }
        let without_result = claim(1, 2, None, false);
        assert_eq!(browser.contradiction(without_result), Some(Contradiction::Result));
    }

    #[test]
    fn results_and_ratings_change_their_point_of_view() {
        for (color, result, white_result, white, rating) in [
            ("WHITE", "1", Some(1), 5, 1611),
            ("WHITE", "-1", Some(-1), 5, 1611),
            ("BLACK", "1", Some(-1), 77, 1500),
            ("BLACK", "-1", Some(1), 77, 1500),
            ("BLACK", "0", Some(0), 77, 1500),
            ("BLACK", "null", None, 77, 1500),
        ] {
            let (row, opponent) = map_history_entry(&entry(color, result), UserId(5), 3);
            assert_eq!(row.result, white_result, "{color} {result}");
            assert_eq!(row.white_user_id, UserId(white));
            assert_eq!(opponent.discovered_rating, Some(rating));
            assert_eq!((opponent.depth, opponent.player_type), (4, PlayerType::Guest));
            assert_eq!((row.time_initial_sec, row.time_increment_sec), (Some(42), Some(3)));
        }
    }
}
