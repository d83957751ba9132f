//! The leaderboards, whose shape the site does not document.
//!
//! Decides what counts as one: an array of objects, or an object with one array inside; in each row
//! the first present of several names for id, name and rating.

use serde_json::{Map, Value};
use thiserror::Error;

use crate::ids::UserId;

/// One ranked player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaderboardRow {
    /// The player.
    pub user_id: UserId,
    /// His name.
    pub username: Option<String>,
    /// His rating.
    pub rating: Option<i64>,
}

/// A body in which no ranked player can be recognised.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("nothing in the leaderboard looks like ranked players: {0}")]
pub struct NoLeaderboard(pub &'static str);

/// Reads a leaderboard. Rows without a recognisable user id are left out.
///
/// # Errors
/// The body is not JSON, holds no list, or no row has a user id.
pub fn parse_leaderboard(body: &str) -> Result<Vec<LeaderboardRow>, NoLeaderboard> {
    let value: Value = serde_json::from_str(body).map_err(|_| NoLeaderboard("not JSON"))?;
    let list = match &value {
        Value::Array(list) => list,
        Value::Object(fields) => only_list(fields)?,
        _ => return Err(NoLeaderboard("neither a list nor an object")),
    };
    let rows: Vec<_> = list.iter().filter_map(Value::as_object).filter_map(row).collect();
    if rows.is_empty() && !list.is_empty() {
        return Err(NoLeaderboard("no row has a user id"));
    }
    Ok(rows)
}

fn only_list(fields: &Map<String, Value>) -> Result<&Vec<Value>, NoLeaderboard> {
    let mut lists = fields.values().filter_map(Value::as_array);
    match (lists.next(), lists.next()) {
        (Some(list), None) => Ok(list),
        (None, _) => Err(NoLeaderboard("an object without a list")),
        (Some(_), Some(_)) => Err(NoLeaderboard("an object with several lists")),
    }
}

fn row(fields: &Map<String, Value>) -> Option<LeaderboardRow> {
    let first = |names: [&str; 3]| {
        names.into_iter().find_map(|name| fields.get(name).filter(|value| !value.is_null()))
    };
    let user_id = first(["userId", "id", "playerId"])?;
    Some(LeaderboardRow {
        user_id: serde_json::from_value(user_id.clone()).ok()?,
        username: first(["userName", "username", "name"])
            .and_then(Value::as_str)
            .map(str::to_owned),
        rating: first(["rating", "points", "rating"])
            .and_then(Value::as_f64)
            .map(|rating| rating.round() as i64),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shapes_that_are_recognised() {
        let expected =
            LeaderboardRow { user_id: UserId(7), username: Some("Ann".into()), rating: Some(2100) };
        for body in [
            r#"[{"userId":7,"userName":"Ann","rating":2100}]"#,
            r#"[{"id":"7","username":"Ann","points":2100.4},{"x":1},3]"#,
            r#"{"page":1,"rows":[{"playerId":7,"name":"Ann","rating":2100,"points":5}]}"#,
            r#"[{"userId":null,"id":7,"userName":null,"name":"Ann","rating":2100}]"#,
        ] {
            assert_eq!(parse_leaderboard(body).unwrap(), std::slice::from_ref(&expected), "{body}");
        }
        assert_eq!(parse_leaderboard("[]").unwrap(), []);
    }

    #[test]
    fn what_is_not_recognised() {
        for body in ["", "7", "{}", r#"{"a":[],"b":[]}"#, r#"[{"rank":1}]"#, "[1,2]"] {
            assert!(parse_leaderboard(body).is_err(), "{body}");
        }
    }
}
