//! What is answered about a player.
//!
//! Decides how a player's games become figures. `None` is a player who is not there. Which games
//! count is decided by the filter, what a figure is by [`crate::statistics`].

use std::cmp::Reverse;
use std::collections::BTreeMap;

use dicechess_core::time::UnixMillis;
use rusqlite::Connection;

use crate::model::{
    Breakdown, PlayerBreakdowns, PlayerStats, ProfitHistory, RatingHistory, RatingPoint,
};
use crate::query::{Color, Mode, PlayerId, SideFilter};
use crate::statistics::{Record, profit_by_day, rating_by_day};
use crate::store::read::players::{self, PlayerRow};
use crate::store::read::sides::{self, Side};

/// The figures of `GET /api/players/{id}/stats`.
pub(crate) fn stats(
    store: &Connection,
    id: &PlayerId,
    filter: &SideFilter,
) -> rusqlite::Result<Option<PlayerStats>> {
    let Some(player) = players::player(store, id.as_str())? else { return Ok(None) };
    let sides = sides::sides(store, id, filter)?;
    let record = Record::of(sides.iter().map(|side| side.result));
    let with = |color| sides.iter().filter(|side| side.color == color).count() as u64;
    let started = || sides.iter().filter_map(|side| side.started_at);
    let PlayerRow { id: uuid, username, player_type } = player;
    Ok(Some(PlayerStats {
        id: uuid,
        username,
        player_type,
        games: record.games,
        wins: record.wins,
        draws: record.draws,
        losses: record.losses,
        decided: record.decided(),
        win_rate: record.win_rate(),
        as_white: with(Color::White),
        as_black: with(Color::Black),
        first_game: started().next().map(|time| time.to_string()),
        last_game: started().next_back().map(|time| time.to_string()),
        rating_classic: players::latest_rating(store, id.as_str(), Mode::Classic)?,
        rating_x2: players::latest_rating(store, id.as_str(), Mode::X2)?,
    }))
}

/// The figures of `GET /api/players/{id}/breakdowns`.
pub(crate) fn breakdowns(
    store: &Connection,
    id: &PlayerId,
    filter: &SideFilter,
) -> rusqlite::Result<Option<PlayerBreakdowns>> {
    if players::player(store, id.as_str())?.is_none() {
        return Ok(None);
    }
    let sides = sides::sides(store, id, filter)?;
    let time_control = |side: &Side| {
        let seconds = side.time_initial_sec.zip(side.time_increment_sec);
        seconds.map(|(initial, increment)| format!("{initial}:{increment}"))
    };
    let turns: i64 = sides.iter().map(|side| side.total_turns).sum();
    Ok(Some(PlayerBreakdowns {
        by_color: by_key(&sides, |side| Some(side.color.as_str().to_owned())),
        by_mode: by_key(&sides, |side| Some(side.mode.clone())),
        by_opponent_type: by_key(&sides, |side| side.opponent_type.clone()),
        by_time_control: by_key(&sides, time_control),
        avg_turns: if sides.is_empty() { 0.0 } else { turns as f64 / sides.len() as f64 },
        doubling: sides::doubling(store, id, filter)?.into(),
    }))
}

/// The points of `GET /api/players/{id}/rating-history`.
pub(crate) fn rating_history(
    store: &Connection,
    id: &PlayerId,
    filter: &SideFilter,
) -> rusqlite::Result<Option<RatingHistory>> {
    if players::player(store, id.as_str())?.is_none() {
        return Ok(None);
    }
    let sides = sides::sides(store, id, filter)?;
    let of_mode = |mode: Mode| {
        let rated = sides.iter().filter(|side| side.mode == mode.as_str());
        let points = rating_by_day(rated.filter_map(|side| side.started_at.zip(side.rating)));
        let point = |(day, rating): (crate::statistics::Day, _)| RatingPoint {
            date: day.to_string(),
            rating,
        };
        points.into_iter().map(point).collect()
    };
    Ok(Some(RatingHistory { classic: of_mode(Mode::Classic), x2: of_mode(Mode::X2) }))
}

/// The points of `GET /api/players/{id}/profit-history`.
pub(crate) fn profit_history(
    store: &Connection,
    id: &PlayerId,
    filter: &SideFilter,
) -> rusqlite::Result<Option<ProfitHistory>> {
    if players::player(store, id.as_str())?.is_none() {
        return Ok(None);
    }
    let sides = sides::sides(store, id, filter)?;
    let points = profit_by_day(sides.iter().filter_map(paid_change));
    Ok(Some(ProfitHistory { points: points.into_iter().map(Into::into).collect() }))
}

/// What a game brought, if it was paid and that is known. A stake or a change makes it paid.
fn paid_change(side: &Side) -> Option<(UnixMillis, f64)> {
    let change = side.money_delta?;
    let is_paid = change != 0.0 || side.initial_stake_amount.is_some_and(|stake| stake > 0);
    side.started_at.filter(|_| is_paid).map(|time| (time, change))
}

/// The results of each key, the most games first; games without a key are in no row.
fn by_key(sides: &[Side], key: impl Fn(&Side) -> Option<String>) -> Vec<Breakdown> {
    let mut records: BTreeMap<String, Record> = BTreeMap::new();
    for side in sides {
        if let Some(key) = key(side) {
            records.entry(key).or_default().add(side.result, 1);
        }
    }
    let mut rows: Vec<_> = records.into_iter().collect();
    rows.sort_by_key(|(_, record)| Reverse(record.games));
    rows.into_iter().map(|(key, record)| Breakdown::new(key, record)).collect()
}
