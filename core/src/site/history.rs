//! A page of a player's history and its entries.
//!
//! Decides which entries are readable. Entries are read one by one, so that a broken one costs
//! itself and not its page; each keeps its own bytes.

use serde::Deserialize;
use serde_json::Number;
use serde_json::value::RawValue;
use shakmaty::Color;
use thiserror::Error;

use super::lenient::{LenientNumber, LenientString};
use crate::ids::{GameId, UserId};
use crate::time::UnixMillis;

/// One page of one player's games, newest first.
#[derive(Debug)]
pub struct HistoryPage<'a> {
    /// The rows in the order of the page.
    pub rows: Vec<HistoryRow<'a>>,
    /// How many games the player has, whatever the filters: the completeness target.
    pub total_count: Option<u64>,
    /// How many games match the filters.
    pub filtered_count: Option<u64>,
}

/// One row: its own bytes, and what they say or why they cannot be read.
#[derive(Debug)]
pub struct HistoryRow<'a> {
    /// The entry's JSON, byte for byte.
    pub json: &'a str,
    /// The entry.
    pub entry: Result<HistoryEntry, BrokenEntry>,
}

/// One game as the queried player's history tells it, from his point of view.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryEntry {
    /// The game.
    pub game_id: GameId,
    /// The queried player's side.
    pub color: Color,
    /// 1 won, 0 drawn, -1 lost, for the queried player.
    pub result: Option<i8>,
    /// When the game started; unreadable counts as unknown.
    pub started_at: Option<UnixMillis>,
    /// Thinking time in minutes.
    pub time_limit_minutes: Option<f64>,
    /// Increment in seconds.
    pub time_bonus_seconds: Option<f64>,
    /// Whether the stake can be doubled (mode `x2`).
    pub allow_doubling: bool,
    /// Whether the site cancelled the game.
    pub is_cancelled: bool,
    /// White's rating at the start.
    pub rating_white: Option<i64>,
    /// Black's rating at the start.
    pub rating_black: Option<i64>,
    /// The other player.
    pub opponent_id: UserId,
    /// The other player's name.
    pub opponent_name: Option<String>,
    /// The queried player's net change. The site takes a rake, so it says nothing of the other's.
    pub money_delta: Option<Number>,
    /// The stake's currency.
    pub currency: Option<String>,
}

/// An entry that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("broken history entry: {0}")]
pub struct BrokenEntry(pub String);

/// A body that is no page of history.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BrokenPage {
    /// Not JSON, or not an object.
    #[error("the page is not readable JSON: {0}")]
    Unreadable(String),
    /// An object without a `gameHistoryList`.
    #[error("the page has no gameHistoryList")]
    NoList,
}

impl<'a> HistoryPage<'a> {
    /// Reads a page.
    ///
    /// # Errors
    /// The body is not JSON or has no `gameHistoryList`; broken entries are no error of the page.
    pub fn parse(body: &'a str) -> Result<Self, BrokenPage> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase", expecting = "an object (a page of history)")]
        struct Wire<'a> {
            #[serde(borrow)]
            game_history_list: Option<&'a RawValue>,
            #[serde(default)]
            total_count: LenientNumber,
            #[serde(default)]
            filtered_count: LenientNumber,
        }
        // An array would be read as an object without its names.
        if !body.trim_start().starts_with('{') {
            return Err(BrokenPage::Unreadable("expected an object".to_owned()));
        }
        let wire: Wire<'a> = serde_json::from_str(body)
            .map_err(|error| BrokenPage::Unreadable(error.to_string()))?;
        let list = wire.game_history_list.ok_or(BrokenPage::NoList)?;
        let rows: Vec<&'a RawValue> =
            serde_json::from_str(list.get()).map_err(|_| BrokenPage::NoList)?;
        let row = |raw: &'a RawValue| HistoryRow {
            json: raw.get(),
            entry: HistoryEntry::parse(raw.get()),
        };
        Ok(Self {
            rows: rows.into_iter().map(row).collect(),
            total_count: count(wire.total_count),
            filtered_count: count(wire.filtered_count),
        })
    }
}

impl HistoryEntry {
    /// Reads one entry.
    ///
    /// # Errors
    /// No UUID `gameId`, no `color` or no opponent id, a field of a wrong type, or text that is not
    /// Unicode (a lone surrogate).
    pub fn parse(json: &str) -> Result<Self, BrokenEntry> {
        if !json.trim_start().starts_with('{') {
            return Err(BrokenEntry("expected an object (a history entry)".to_owned()));
        }
        let wire: Wire =
            serde_json::from_str(json).map_err(|error| BrokenEntry(error.to_string()))?;
        let missing = |field: &str| BrokenEntry(format!("{field} is missing"));
        let broken = |error: &dyn std::fmt::Display| BrokenEntry(error.to_string());
        let game_id = wire.game_id.ok_or_else(|| missing("gameId"))?;
        let color = match wire.color.as_deref() {
            Some("WHITE") => Color::White,
            Some("BLACK") => Color::Black,
            Some(other) => return Err(BrokenEntry(format!("unknown color {other:?}"))),
            None => return Err(missing("color")),
        };
        let opponent = wire.history_opponent.ok_or_else(|| missing("historyOpponent"))?;
        Ok(Self {
            game_id: game_id.parse().map_err(|error| broken(&error))?,
            color,
            result: result_code(wire.result)?,
            started_at: wire.start_time.0.as_deref().and_then(UnixMillis::parse_iso),
            time_limit_minutes: wire.time_limit,
            time_bonus_seconds: wire.time_bonus,
            allow_doubling: wire.allow_doubling.unwrap_or(false),
            is_cancelled: wire.is_cancelled.unwrap_or(false),
            rating_white: wire.start_rating_white.map(whole),
            rating_black: wire.start_rating_black.map(whole),
            opponent_id: opponent.opponent_id.ok_or_else(|| missing("opponentId"))?,
            opponent_name: opponent.opponent_name,
            money_delta: wire.money_delta,
            currency: wire.currency,
        })
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object (a history entry)")]
struct Wire {
    game_id: Option<String>,
    color: Option<String>,
    result: Option<f64>,
    #[serde(default)]
    start_time: LenientString,
    time_limit: Option<f64>,
    time_bonus: Option<f64>,
    allow_doubling: Option<bool>,
    is_cancelled: Option<bool>,
    start_rating_white: Option<f64>,
    start_rating_black: Option<f64>,
    history_opponent: Option<WireOpponent>,
    money_delta: Option<Number>,
    currency: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object (the opponent)")]
struct WireOpponent {
    opponent_id: Option<UserId>,
    opponent_name: Option<String>,
}

fn result_code(result: Option<f64>) -> Result<Option<i8>, BrokenEntry> {
    match result {
        None => Ok(None),
        Some(1.0) => Ok(Some(1)),
        Some(0.0) => Ok(Some(0)),
        Some(-1.0) => Ok(Some(-1)),
        Some(other) => {
            // Printed as JSON prints it: nothing else needs the standard library's decimals.
            let shown = Number::from_f64(other).map(|number| number.to_string());
            Err(BrokenEntry(format!("unknown result {}", shown.unwrap_or_default())))
        }
    }
}

fn whole(number: f64) -> i64 {
    number.round() as i64
}

fn count(number: LenientNumber) -> Option<u64> {
    number.0.filter(|count| *count >= 0.0 && count.fract() == 0.0).map(|count| count as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRY: &str = r#"{"gameId":"0B5F1C3E-9A77-4C11-8E55-00000000ABCD","color":"BLACK","result":-1,
        "startTime":"2026-03-30T20:08:44.793","timeLimit":0.5,"historyOpponent":{"opponentId":"-43"},"new":{}}"#;

    #[test]
    fn an_entry_with_little_in_it() {
        let entry = HistoryEntry::parse(ENTRY).unwrap();
        assert_eq!(entry.game_id.to_string(), "0b5f1c3e-9a77-4c11-8e55-00000000abcd");
        assert_eq!((entry.color, entry.result), (Color::Black, Some(-1)));
        assert_eq!(entry.opponent_id, UserId(-43));
        assert_eq!(entry.opponent_name, None);
        assert!(!entry.allow_doubling && !entry.is_cancelled);
    }

    #[test]
    fn what_breaks_an_entry() {
        for (from, to) in [
            ("0B5F", "0B5"),
            ("BLACK", "GREEN"),
            ("-1", "2"),
            ("\"result\":-1", "\"result\":\"1\""),
            ("\"-43\"", "\"x\""),
            ("\"-43\"", "null"),
            ("\"opponentId\"", "\"opponent\""),
            ("\"new\":{}", "\"currency\":7"),
            ("\"new\":{}", "\"currency\":\"\\ud800\""),
            ("\"timeLimit\":0.5", "\"timeLimit\":\"0.5\""),
        ] {
            let broken = ENTRY.replacen(from, to, 1);
            assert!(HistoryEntry::parse(&broken).is_err(), "{broken}");
        }
        for json in ["42", "null", "[]", "{}", "\"x\""] {
            assert!(HistoryEntry::parse(json).is_err(), "{json}");
        }
    }

    #[test]
    fn a_broken_entry_costs_only_itself() {
        let body = format!(
            r#"{{"gameHistoryList":[{ENTRY},{{"gameId": 7, "name":"\ud800"}},{ENTRY}],"totalCount":3,"filteredCount":"x"}}"#
        );
        let page = HistoryPage::parse(&body).unwrap();
        assert_eq!(page.rows.len(), 3);
        assert_eq!(page.rows[1].json, r#"{"gameId": 7, "name":"\ud800"}"#);
        assert!(page.rows[1].entry.is_err() && page.rows[2].entry.is_ok());
        assert_eq!((page.total_count, page.filtered_count), (Some(3), None));
    }

    #[test]
    fn what_is_no_page() {
        for body in ["", "{", "42", "[]", "[[],0,0]", "[[]]", "{}", r#"{"gameHistoryList":null}"#] {
            assert!(HistoryPage::parse(body).is_err(), "{body}");
        }
        assert_eq!(
            HistoryPage::parse(r#"{"gameHistoryList":{}}"#).unwrap_err(),
            BrokenPage::NoList
        );
    }
}
