//! How a player's games are listed.
//!
//! Decides the rows of `POST /api/player/history`, each told from the queried player's point of
//! view: the result is his, the money is his, and the site keeps a rake of what is won.

use dicechess_core::ids::UserId;
use dicechess_core::time::UnixMillis;
use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::{object, quoted};
use crate::details::Game;
use crate::people::Player;
use crate::rng::{Purpose, stream};

/// One page of a player's history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryPage {
    /// The rows as JSON objects, newest game first.
    pub rows: Vec<String>,
    /// How many games the player has.
    pub total_count: usize,
    /// How many of them the filters let through.
    pub filtered_count: usize,
}

impl HistoryPage {
    /// The body that the site answers with.
    pub fn to_json(&self) -> String {
        format!(
            "{{\"gameHistoryList\":[{}],\"totalCount\":{},\"filteredCount\":{}}}",
            self.rows.join(","),
            self.total_count,
            self.filtered_count
        )
    }
}

/// A game as a row of a player's history, the same at every request.
pub(crate) fn row(seed: u64, game: &Game, queried: UserId, opponent: &Player) -> String {
    let is_white = game.white == queried;
    let mut rng = stream(seed, Purpose::Row, game.index * 2 + u64::from(is_white));
    let result = game.result().map(|result| if is_white { result } else { -result });
    let mut fields = vec![
        field("gameId", quoted(&game_id(&mut rng, game))),
        field("color", quoted(if is_white { "WHITE" } else { "BLACK" })),
        field("result", or_null(result)),
        field("startTime", quoted(&start_time(&mut rng, game.started_at))),
        field("timeLimit", serde_json::Value::from(game.time_limit_min).to_string()),
        field("timeBonus", game.time_bonus_sec.to_string()),
        field("allowDoubling", game.allow_doubling.to_string()),
        field("isCancelled", game.is_cancelled.to_string()),
        field("startRatingWhite", or_null(game.rating_white)),
        field("startRatingBlack", or_null(game.rating_black)),
        field("historyOpponent", opponent_json(&mut rng, opponent)),
        field("moneyDelta", money_delta(game, result)),
        field("currency", game.currency.map_or_else(|| "null".to_owned(), quoted)),
        field("movesCount", rng.random_range(1..40).to_string()),
        field("tournament", "null".to_owned()),
        field("extra", "{\"nested\":[1,{\"π\":null}],\"color\":\"GREEN\"}".to_owned()),
    ];
    if rng.random_bool(0.1) {
        fields.shuffle(&mut rng);
    }
    object(&fields)
}

fn field(key: &str, json: String) -> (String, String) {
    (key.to_owned(), json)
}

fn or_null<T: ToString>(value: Option<T>) -> String {
    value.map_or_else(|| "null".to_owned(), |value| value.to_string())
}

fn game_id(rng: &mut ChaCha8Rng, game: &Game) -> String {
    let id = game.id.to_string();
    if rng.random_bool(0.1) { id.to_uppercase() } else { id }
}

/// Mostly without a zone, with milliseconds or finer; now and then with a zone.
fn start_time(rng: &mut ChaCha8Rng, at: UnixMillis) -> String {
    let utc = at.to_string();
    let local = utc.trim_end_matches('Z');
    match rng.random_range(0..20) {
        0..5 => format!("{local}{:03}", rng.random_range(0..1000)),
        5 => utc,
        6 => {
            let east = UnixMillis(at.0 + 2 * 3_600_000).to_string();
            format!("{}+02:00", east.trim_end_matches('Z'))
        }
        _ => local.trim_end_matches(":00.000").trim_end_matches(".000").to_owned(),
    }
}

fn opponent_json(rng: &mut ChaCha8Rng, opponent: &Player) -> String {
    let id = opponent.id.to_string();
    let id = if rng.random_bool(0.15) { quoted(&id) } else { id };
    let name = opponent.name.as_deref().map_or_else(|| "null".to_owned(), quoted);
    let avatar = field("avatar", "{\"url\":null,\"frames\":[]}".to_owned());
    object(&[field("opponentId", id), field("opponentName", name), avatar])
}

/// The winner gets the stake less five percent.
fn money_delta(game: &Game, result: Option<i8>) -> String {
    match (game.currency, result) {
        (None, _) | (_, None) => "null".to_owned(),
        (_, Some(0)) => "0".to_owned(),
        (_, Some(-1)) => (-game.stake / 2).to_string(),
        (_, Some(_)) => serde_json::Value::from(game.stake as f64 * 0.475).to_string(),
    }
}
