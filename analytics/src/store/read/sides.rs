//! A player's games, seen from his side.

use dicechess_core::time::UnixMillis;
use rusqlite::{Connection, Row, params_from_iter};

use super::Conditions;
use crate::query::{Color, PlayerId, SideFilter};
use crate::statistics::{DoubleEvent, Doubling};

/// One game of a player, from his point of view.
#[derive(Debug)]
pub(crate) struct Side {
    pub(crate) color: Color,
    /// 1 won, 0 drawn, -1 lost.
    pub(crate) result: Option<i64>,
    /// As stored.
    pub(crate) mode: String,
    pub(crate) rating: Option<i64>,
    pub(crate) opponent_type: Option<String>,
    pub(crate) started_at: Option<UnixMillis>,
    pub(crate) total_turns: i64,
    pub(crate) time_initial_sec: Option<i64>,
    pub(crate) time_increment_sec: Option<i64>,
    pub(crate) initial_stake_amount: Option<i64>,
    /// His own net change.
    pub(crate) money_delta: Option<f64>,
}

/// The games of a player that a filter lets through, oldest first, those without a start before
/// all others.
pub(crate) fn sides(
    connection: &Connection,
    player: &PlayerId,
    filter: &SideFilter,
) -> rusqlite::Result<Vec<Side>> {
    let mut found = Vec::new();
    for (color, names) in colors(filter) {
        let conditions = conditions(player, filter, names);
        let select = format!(
            "SELECT g.result, g.mode, g.{}, o.player_type, g.started_at_ms, g.total_turns, \
             g.time_initial_sec, g.time_increment_sec, g.initial_stake_amount, g.{}, g.id \
             FROM games g LEFT JOIN players o ON o.id = g.{} WHERE {}",
            names.rating,
            names.money_delta,
            names.opponent_id,
            conditions.sql()
        );
        let mut select = connection.prepare_cached(&select)?;
        let mut rows = select.query(params_from_iter(conditions.values()))?;
        while let Some(row) = rows.next()? {
            found.push((side(color, row)?, row.get::<_, String>(10)?));
        }
    }
    found.sort_by(|(one, one_id), (other, other_id)| {
        (one.started_at, one_id).cmp(&(other.started_at, other_id))
    });
    Ok(found.into_iter().map(|(side, _)| side).collect())
}

/// How doubles were answered in the games that a filter lets through.
pub(crate) fn doubling(
    connection: &Connection,
    player: &PlayerId,
    filter: &SideFilter,
) -> rusqlite::Result<Doubling> {
    let mut doubling = Doubling::default();
    for (color, names) in colors(filter) {
        let conditions = conditions(player, filter, names);
        let select = format!(
            "SELECT e.game_id, e.event_type, e.actor_color FROM games g \
             LEFT JOIN players o ON o.id = g.{} JOIN game_events e ON e.game_id = g.id \
             WHERE e.event_type LIKE 'DOUBLE%' AND {} ORDER BY e.game_id, e.sequence_number",
            names.opponent_id,
            conditions.sql()
        );
        let mut select = connection.prepare_cached(&select)?;
        let mut rows = select.query(params_from_iter(conditions.values()))?;
        let mut events = Vec::new();
        let mut game = String::new();
        while let Some(row) = rows.next()? {
            let of_game: String = row.get(0)?;
            if of_game != game {
                doubling.add_game(events.drain(..));
                game = of_game;
            }
            events.extend(double_event(row, color)?);
        }
        doubling.add_game(events);
    }
    Ok(doubling)
}

/// The columns of one side.
#[derive(Debug, Clone, Copy)]
struct Names {
    is_player: &'static str,
    is_opponent: &'static str,
    opponent_id: &'static str,
    rating: &'static str,
    money_delta: &'static str,
}

const WHITE: Names = Names {
    is_player: "g.white_player_id = ?",
    is_opponent: "g.black_player_id = ?",
    opponent_id: "black_player_id",
    rating: "white_rating",
    money_delta: "white_money_delta",
};

const BLACK: Names = Names {
    is_player: "g.black_player_id = ?",
    is_opponent: "g.white_player_id = ?",
    opponent_id: "white_player_id",
    rating: "black_rating",
    money_delta: "black_money_delta",
};

fn colors(filter: &SideFilter) -> impl Iterator<Item = (Color, Names)> {
    let wanted = filter.color;
    [(Color::White, WHITE), (Color::Black, BLACK)]
        .into_iter()
        .filter(move |(color, _)| wanted.is_none_or(|wanted| wanted == *color))
}

fn conditions(player: &PlayerId, filter: &SideFilter, names: Names) -> Conditions {
    let mut conditions = Conditions::default();
    conditions.add(names.is_player, [player.as_str().to_owned().into()]);
    let opponent = filter.opponent_id.as_ref().map(|id| id.as_str().to_owned());
    conditions.add_some(names.is_opponent, opponent);
    let opponent_type = filter.opponent_type.map(|of| of.as_str().to_owned());
    conditions.add_some("o.player_type = ?", opponent_type);
    conditions.add_game(filter);
    conditions
}

fn side(color: Color, row: &Row<'_>) -> rusqlite::Result<Side> {
    let result: Option<i64> = row.get(0)?;
    Ok(Side {
        color,
        result: if color == Color::White { result } else { result.map(|result| -result) },
        mode: row.get(1)?,
        rating: row.get(2)?,
        opponent_type: row.get(3)?,
        started_at: row.get::<_, Option<i64>>(4)?.map(UnixMillis),
        total_turns: row.get(5)?,
        time_initial_sec: row.get(6)?,
        time_increment_sec: row.get(7)?,
        initial_stake_amount: row.get(8)?,
        money_delta: row.get(9)?,
    })
}

fn double_event(row: &Row<'_>, color: Color) -> rusqlite::Result<Option<(DoubleEvent, bool)>> {
    let event = match row.get_ref(1)?.as_str()? {
        "DOUBLE_OFFER" => DoubleEvent::Offer,
        "DOUBLE_ACCEPT" => DoubleEvent::Accept,
        "DOUBLE_DECLINE" => DoubleEvent::Decline,
        _ => return Ok(None),
    };
    Ok(Some((event, row.get_ref(2)?.as_str()? == color.as_str())))
}
