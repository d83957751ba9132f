//! One pass over a player's games, oldest first.
//!
//! Decides what a game adds to each slice and course.

use std::collections::BTreeMap;

use rusqlite::{Connection, Row};

use super::super::ReportError;
use super::super::filter::Player;
use super::super::record::Tally;
use super::{Month, PlayerReport, ProfitPoint, RatingPoint, Slice};

/// Undated games last, so that the last rating of a day is the day's.
const GAMES: &str = "
    SELECT g.white_player_id = ?1, g.mode, g.result,
           CASE WHEN g.white_player_id = ?1 THEN g.white_rating ELSE g.black_rating END,
           CASE WHEN g.white_player_id = ?1 THEN g.white_money_delta
                ELSE g.black_money_delta END,
           g.initial_stake_amount, g.stake_currency, g.time_initial_sec, g.time_increment_sec,
           substr(g.started_at, 1, 10), o.player_type
    FROM games g LEFT JOIN players o ON o.id =
         CASE WHEN g.white_player_id = ?1 THEN g.black_player_id ELSE g.white_player_id END
    WHERE g.white_player_id = ?1 OR g.black_player_id = ?1
    ORDER BY g.started_at_ms IS NULL, g.started_at_ms, g.id";

/// A game from the player's side.
struct Game {
    is_white: bool,
    mode: String,
    outcome: Option<i64>,
    rating: Option<i64>,
    delta: Option<f64>,
    is_paid: bool,
    currency: String,
    time_control: Option<String>,
    day: Option<String>,
    opponent_type: Option<String>,
}

/// What the pass gathers.
#[derive(Default)]
pub(super) struct Collected {
    total: Tally,
    by_color: BTreeMap<String, Tally>,
    by_mode: BTreeMap<String, Tally>,
    by_opponent_type: BTreeMap<String, Tally>,
    by_time_control: BTreeMap<String, Tally>,
    rating: BTreeMap<String, Vec<RatingPoint>>,
    profit: BTreeMap<String, Vec<ProfitPoint>>,
    months: BTreeMap<String, Tally>,
    paid_games_without_delta: u64,
    undated_games: u64,
}

pub(super) fn collect(connection: &Connection, player: &Player) -> Result<Collected, ReportError> {
    let mut collected = Collected::default();
    let mut statement = connection.prepare(GAMES)?;
    let mut rows = statement.query([&player.id])?;
    while let Some(row) = rows.next()? {
        collected.add(&read(row)?);
    }
    Ok(collected)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Game> {
    // He may be both players of a game, which then is White's.
    let is_white = row.get::<_, Option<bool>>(0)?.unwrap_or(false);
    let result: Option<i64> = row.get(2)?;
    let (initial, increment): (Option<i64>, Option<i64>) = (row.get(7)?, row.get(8)?);
    let time = initial.map(|initial| format!("{initial}:{}", increment.unwrap_or(0)));
    Ok(Game {
        is_white,
        mode: row.get(1)?,
        outcome: if is_white { result } else { result.map(|result| -result) },
        rating: row.get(3)?,
        delta: row.get(4)?,
        is_paid: row.get::<_, Option<i64>>(5)?.unwrap_or(0) > 0,
        currency: row.get::<_, Option<String>>(6)?.unwrap_or_default(),
        time_control: time,
        day: row.get(9)?,
        opponent_type: row.get(10)?,
    })
}

impl Collected {
    fn add(&mut self, game: &Game) {
        let outcome = game.outcome;
        let tally = |slices: &mut BTreeMap<String, Tally>, key: Option<&str>| {
            if let Some(key) = key {
                slices.entry(key.to_owned()).or_default().count(outcome);
            }
        };
        self.total.count(outcome);
        tally(&mut self.by_color, Some(if game.is_white { "white" } else { "black" }));
        tally(&mut self.by_mode, Some(&game.mode));
        tally(&mut self.by_opponent_type, game.opponent_type.as_deref());
        tally(&mut self.by_time_control, game.time_control.as_deref());
        if game.is_paid && game.delta.is_none() {
            self.paid_games_without_delta += 1;
        }
        match &game.day {
            Some(day) => {
                tally(&mut self.months, day.get(..7));
                self.add_dated(game, day);
            }
            None => self.undated_games += 1,
        }
    }

    fn add_dated(&mut self, game: &Game, day: &str) {
        if let Some(rating) = game.rating {
            let points = self.rating.entry(game.mode.clone()).or_default();
            match points.last_mut().filter(|last| last.date == day) {
                Some(last) => last.rating = rating,
                None => points.push(RatingPoint { date: day.to_owned(), rating }),
            }
        }
        if let (true, Some(delta)) = (game.is_paid, game.delta) {
            let points = self.profit.entry(game.currency.clone()).or_default();
            let cumulative = points.last().map_or(0.0, |last| last.cumulative) + delta;
            match points.last_mut().filter(|last| last.date == day) {
                Some(last) => {
                    last.delta += delta;
                    last.cumulative = cumulative;
                }
                None => points.push(ProfitPoint { date: day.to_owned(), delta, cumulative }),
            }
        }
    }

    pub(super) fn report(self, player: Player) -> PlayerReport {
        let mut by_color = slices(self.by_color);
        by_color.reverse();
        let mut by_opponent_type = slices(self.by_opponent_type);
        by_opponent_type.reverse();
        let mut by_time_control = slices(self.by_time_control);
        by_time_control.sort_by_key(|slice| std::cmp::Reverse(slice.record.tally.games));
        let month = |(month, tally): (&String, &Tally)| Month {
            month: month.clone(),
            record: tally.record(),
            rating: last_ratings(&self.rating, month),
            profit: sums(&self.profit, month),
        };
        PlayerReport {
            player,
            total: self.total.record(),
            by_color,
            by_mode: slices(self.by_mode),
            by_opponent_type,
            by_time_control,
            months: self.months.iter().map(month).collect(),
            rating: self.rating,
            profit: self.profit,
            paid_games_without_delta: self.paid_games_without_delta,
            undated_games: self.undated_games,
        }
    }
}

fn slices(tallies: BTreeMap<String, Tally>) -> Vec<Slice> {
    tallies.into_iter().map(|(key, tally)| Slice { key, record: tally.record() }).collect()
}

fn last_ratings(
    courses: &BTreeMap<String, Vec<RatingPoint>>,
    month: &str,
) -> BTreeMap<String, i64> {
    let last = |points: &Vec<RatingPoint>| {
        points.iter().rfind(|point| point.date.starts_with(month)).map(|point| point.rating)
    };
    courses.iter().filter_map(|(mode, points)| Some((mode.clone(), last(points)?))).collect()
}

fn sums(courses: &BTreeMap<String, Vec<ProfitPoint>>, month: &str) -> BTreeMap<String, f64> {
    let sum = |points: &Vec<ProfitPoint>| {
        let of_month = points.iter().filter(|point| point.date.starts_with(month));
        of_month.map(|point| point.delta).reduce(|a, b| a + b)
    };
    courses.iter().filter_map(|(name, points)| Some((name.clone(), sum(points)?))).collect()
}
