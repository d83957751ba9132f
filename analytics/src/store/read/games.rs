//! Lists of games, and whole games.

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};
use serde_json::Number;
use serde_json::value::RawValue;

use super::Conditions;
use super::players::Summaries;
use crate::model::{Event, GameDetail, GamePage, GameSummary, Turn};
use crate::query::{Color, GameFilter, Order, PageOrder, SideFilter, Sort};

const COLUMNS: &str = "g.id, g.source, g.mode, g.result, g.termination, g.total_turns, \
    g.started_at, g.white_rating, g.black_rating, g.time_initial_sec, g.time_increment_sec, \
    g.initial_stake_amount, g.final_stake_amount, g.white_money_delta, g.black_money_delta, \
    g.stake_currency, g.white_player_id, g.black_player_id";

/// A page of games.
pub(crate) fn page(
    connection: &Connection,
    games: &GameFilter,
    sides: &SideFilter,
    page: &PageOrder,
) -> rusqlite::Result<GamePage> {
    let conditions = conditions(games, sides);
    let limit = page.limit.0;
    let offset = page.offset.as_ref().map_or(0, |offset| offset.0);
    let count = format!("SELECT count(*) FROM games g WHERE {}", conditions.sql());
    let total = connection
        .prepare_cached(&count)?
        .query_row(params_from_iter(conditions.values()), |row| row.get(0))?;
    let select = format!(
        "SELECT {COLUMNS} FROM games g WHERE {} ORDER BY {} LIMIT ? OFFSET ?",
        conditions.sql(),
        order(page)
    );
    let place = [Value::from(limit), Value::from(offset)];
    let values = params_from_iter(conditions.values().iter().chain(&place));
    let mut select = connection.prepare_cached(&select)?;
    let mut rows = select.query(values)?;
    let mut items = Vec::new();
    let mut players = Summaries::default();
    while let Some(row) = rows.next()? {
        items.push(summary(connection, row, &mut players)?);
    }
    Ok(GamePage { items, total, limit, offset })
}

/// A whole game, if it is there.
pub(crate) fn detail(connection: &Connection, id: &str) -> rusqlite::Result<Option<GameDetail>> {
    let select = format!("SELECT {COLUMNS}, g.metadata_json FROM games g WHERE g.id = ?1");
    let mut select = connection.prepare_cached(&select)?;
    let row = select.query_row([id], |row| {
        let summary = summary(connection, row, &mut Summaries::default())?;
        Ok((summary, raw_json(row.get(18)?)))
    });
    let Some((summary, metadata_json)) = row.optional()? else { return Ok(None) };
    let (turns, events) = (turns(connection, id)?, events(connection, id)?);
    Ok(Some(GameDetail { summary, metadata_json, turns, events }))
}

fn conditions(games: &GameFilter, sides: &SideFilter) -> Conditions {
    let mut conditions = Conditions::default();
    if let Some(player) = &games.player_id {
        add_player(&mut conditions, player.as_str(), sides);
    } else {
        add_either_side(&mut conditions, sides);
    }
    conditions.add_game(sides);
    conditions.add_some("g.total_turns >= ?", games.min_turns.map(|turns| turns.0));
    conditions.add_some("g.total_turns <= ?", games.max_turns.map(|turns| turns.0));
    conditions.add_some("g.result = ?", games.result.map(|result| result.0));
    conditions
}

/// Games of a player, with his colour and his opponent as the filter says.
fn add_player(conditions: &mut Conditions, player: &str, filter: &SideFilter) {
    let id = || Value::from(player.to_owned());
    match filter.color {
        Some(Color::White) => conditions.add("g.white_player_id = ?", [id()]),
        Some(Color::Black) => conditions.add("g.black_player_id = ?", [id()]),
        None => conditions.add("(g.white_player_id = ? OR g.black_player_id = ?)", [id(), id()]),
    }
    if let Some(opponent) = &filter.opponent_id {
        let opponent = Value::from(opponent.as_str().to_owned());
        conditions.add(
            "CASE g.white_player_id WHEN ? THEN g.black_player_id ELSE g.white_player_id END = ?",
            [id(), opponent],
        );
    }
    if let Some(player_type) = filter.opponent_type {
        conditions.add(
            "(SELECT o.player_type FROM players o WHERE o.id = CASE g.white_player_id WHEN ? \
             THEN g.black_player_id ELSE g.white_player_id END) = ?",
            [id(), player_type.as_str().to_owned().into()],
        );
    }
}

/// Games of which one side is as the filter says of the opponent.
fn add_either_side(conditions: &mut Conditions, filter: &SideFilter) {
    if let Some(opponent) = &filter.opponent_id {
        let id = || Value::from(opponent.as_str().to_owned());
        conditions.add("(g.white_player_id = ? OR g.black_player_id = ?)", [id(), id()]);
    }
    if let Some(player_type) = filter.opponent_type {
        conditions.add(
            "EXISTS (SELECT 1 FROM players o WHERE o.id IN (g.white_player_id, g.black_player_id) \
             AND o.player_type = ?)",
            [player_type.as_str().to_owned().into()],
        );
    }
}

/// Equal values are told apart by the id, so that pages never overlap.
fn order(page: &PageOrder) -> String {
    let column = match page.sort.unwrap_or(Sort::StartedAt) {
        Sort::StartedAt => "started_at_ms",
        Sort::TotalTurns => "total_turns",
        Sort::FinalStakeAmount => "final_stake_amount",
        Sort::WhiteRating => "white_rating",
        Sort::BlackRating => "black_rating",
    };
    let direction = match page.order.unwrap_or(Order::Desc) {
        Order::Asc => "ASC",
        Order::Desc => "DESC",
    };
    format!("g.{column} {direction} NULLS LAST, g.id {direction}")
}

fn summary(
    connection: &Connection,
    row: &Row<'_>,
    players: &mut Summaries,
) -> rusqlite::Result<GameSummary> {
    Ok(GameSummary {
        id: row.get(0)?,
        source: row.get(1)?,
        mode: row.get(2)?,
        result: row.get(3)?,
        termination: row.get(4)?,
        total_turns: row.get(5)?,
        started_at: row.get(6)?,
        white_rating: row.get(7)?,
        black_rating: row.get(8)?,
        time_initial_sec: row.get(9)?,
        time_increment_sec: row.get(10)?,
        initial_stake_amount: row.get(11)?,
        final_stake_amount: row.get(12)?,
        white_money_delta: number(row.get_ref(13)?),
        black_money_delta: number(row.get_ref(14)?),
        stake_currency: row.get(15)?,
        white_player: players.get(connection, row.get(16)?)?,
        black_player: players.get(connection, row.get(17)?)?,
    })
}

fn turns(connection: &Connection, id: &str) -> rusqlite::Result<Vec<Turn>> {
    const SELECT: &str = "SELECT t.turn_number, t.active_color, t.dice_sorted, t.played_moves, \
        t.thinking_time_ms, before.normalized_fen, after.normalized_fen FROM turns t \
        JOIN positions before ON before.id = t.position_id \
        JOIN positions after ON after.id = t.position_after_id \
        WHERE t.game_id = ?1 ORDER BY t.turn_number";
    let turn = |row: &Row<'_>| {
        Ok(Turn {
            turn_number: row.get(0)?,
            active_color: row.get(1)?,
            dice_sorted: row.get(2)?,
            played_moves: raw_json(row.get(3)?).unwrap_or_default(),
            thinking_time_ms: row.get(4)?,
            position_fen: row.get(5)?,
            position_after_fen: row.get(6)?,
        })
    };
    connection.prepare_cached(SELECT)?.query_map([id], turn)?.collect()
}

fn events(connection: &Connection, id: &str) -> rusqlite::Result<Vec<Event>> {
    const SELECT: &str = "SELECT id, sequence_number, turn_number, event_type, actor_color, \
        clock_white_ms, clock_black_ms, payload FROM game_events \
        WHERE game_id = ?1 ORDER BY sequence_number";
    let event = |row: &Row<'_>| {
        Ok(Event {
            id: row.get(0)?,
            sequence_number: row.get(1)?,
            turn_number: row.get(2)?,
            event_type: row.get(3)?,
            actor_color: row.get(4)?,
            clock_white_ms: row.get(5)?,
            clock_black_ms: row.get(6)?,
            payload: raw_json(row.get(7)?),
        })
    };
    connection.prepare_cached(SELECT)?.query_map([id], event)?.collect()
}

/// JSON that is passed on as it is stored.
fn raw_json(text: Option<String>) -> Option<Box<RawValue>> {
    text.and_then(|text| RawValue::from_string(text).ok())
}

/// A number as it was sent, whole or not.
fn number(value: ValueRef<'_>) -> Option<Number> {
    match value {
        ValueRef::Integer(number) => Some(number.into()),
        ValueRef::Real(number) => Number::from_f64(number),
        _ => None,
    }
}
