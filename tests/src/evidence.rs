//! What a simulated site and the services saw, and what should have come of it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{SystemTime, UNIX_EPOCH};

use dicechess_core::ids::{GameId, UserId};
use dicechess_core::time::UnixMillis;
use dicechess_sim::{Endpoint, LogEntry, SimOptions, SimServer, World, WorldSpec};
use serde_json::{Value, json};
use shakmaty::Color;

/// Serves a world on a free port.
pub async fn serve(spec: WorldSpec) -> SimServer {
    SimServer::start(World::generate(spec), SimOptions::default()).await.unwrap()
}

/// The present.
pub fn now() -> UnixMillis {
    UnixMillis(0) + SystemTime::now().duration_since(UNIX_EPOCH).unwrap()
}

/// How many requests went to an endpoint.
pub fn requests_to(log: &[LogEntry], endpoint: Endpoint) -> usize {
    log.iter().filter(|entry| entry.endpoint == Some(endpoint)).count()
}

/// The games whose moves were asked for, in order, as often as they were asked for.
pub fn fetched_games(log: &[LogEntry]) -> Vec<GameId> {
    let moves = log.iter().filter(|entry| entry.endpoint == Some(Endpoint::MoveHistory));
    moves
        .map(|entry| {
            let query = entry.params["query"].as_str().unwrap();
            query.strip_prefix("gameId=").unwrap().parse().unwrap()
        })
        .collect()
}

/// The history requests: whose, from which row, since when.
pub fn history_requests(log: &[LogEntry]) -> Vec<(UserId, u64, Option<i64>)> {
    let pages = log.iter().filter(|entry| entry.endpoint == Some(Endpoint::History));
    pages
        .map(|entry| {
            let filters = &entry.params["filters"];
            let player = filters["PLAYER_ID"].as_str().unwrap().parse().unwrap();
            let since = filters["START_DATE"].as_str().map(|text| text.parse().unwrap());
            (player, entry.params["first"].as_u64().unwrap(), since)
        })
        .collect()
}

/// The pages of a first sweep over so many games when each page but the first begins one row
/// before the rows not seen yet.
pub fn overlapping_pages(games: usize, page_size: usize) -> usize {
    1 + games.saturating_sub(page_size).div_ceil(page_size - 1)
}

/// The reachable games that are to be fetched.
pub fn fetchable(world: &World, seeds: &[UserId]) -> BTreeSet<GameId> {
    let games = world.reachable_games(seeds).into_iter();
    let is_fetchable = |id: &GameId| {
        let game = world.game(*id).unwrap();
        !game.is_cancelled && !game.is_running
    };
    games.filter(is_fetchable).collect()
}

/// Of these, the games that can be posted.
pub fn postable(world: &World, seeds: &[UserId]) -> BTreeSet<GameId> {
    let mut games = fetchable(world, seeds);
    games.retain(|id| world.game(*id).unwrap().has_map);
    games
}

/// A posted body without the players' names, which may be learned later.
pub fn without_names(mut body: Value) -> Value {
    for side in ["white_player", "black_player"] {
        body[side]["username"] = Value::Null;
    }
    body
}

/// A posted body without what depends on whose history told of the game.
pub fn without_perspective(body: Value) -> Value {
    let mut body = without_names(body);
    for delta in ["white_money_delta", "black_money_delta"] {
        body[delta] = Value::Null;
    }
    body
}

/// What a posted body must say, by the truth of the simulated site.
pub fn truth(world: &World, game: GameId) -> Value {
    let truth = world.truth(game).unwrap();
    let letter = |color: Color| color.fold_wb("w", "b");
    let turns = truth.turns.iter().enumerate().map(|(index, turn)| {
        json!({"turn_number": index + 1, "active_color": letter(turn.color), "dice": turn.dice,
               "moves": turn.moves})
    });
    let events = truth.events.iter().enumerate().map(|(index, event)| {
        json!({"sequence_number": index + 1, "event_type": event.kind.as_str(),
               "actor_color": letter(event.actor)})
    });
    json!({
        "initial_fen": truth.initial_fen,
        "turns": turns.collect::<Vec<_>>(),
        "events": events.collect::<Vec<_>>(),
        "termination": truth.termination.as_str(),
        "result": truth.result,
        "initial_stake_amount": truth.initial_stake,
        "final_stake_amount": truth.final_stake,
    })
}

/// The part of a posted body that [`truth`] knows.
pub fn told(body: &Value) -> Value {
    let pick = |value: &Value, names: &[&str]| -> Value {
        names.iter().map(|name| ((*name).to_owned(), value[name].clone())).collect()
    };
    let list = |name: &str, names: &[&str]| -> Value {
        body[name].as_array().unwrap().iter().map(|value| pick(value, names)).collect()
    };
    let names =
        ["initial_fen", "termination", "result", "initial_stake_amount", "final_stake_amount"];
    let mut told = pick(body, &names);
    told["turns"] = list("turns", &["turn_number", "active_color", "dice", "moves"]);
    told["events"] = list("events", &["sequence_number", "event_type", "actor_color"]);
    told
}

/// Bodies by game; fails if one game has two.
pub fn by_game(bodies: impl IntoIterator<Item = Value>) -> BTreeMap<GameId, Value> {
    let mut games = BTreeMap::new();
    for body in bodies {
        let id: GameId = body["id"].as_str().unwrap().parse().unwrap();
        assert!(games.insert(id, body).is_none(), "{id} twice");
    }
    games
}
