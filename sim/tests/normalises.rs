//! The core reads the truth back from what the site writes.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use dicechess_core::normalise::{GameContext, NormalizedGame, normalize_state_map};
use dicechess_core::rules::Position;
use dicechess_core::site::parse_move_history;
use dicechess_sim::{Game, GameTruth, Termination, World, WorldSpec};
use serde_json::{Value, json};
use shakmaty::Color;

fn normalise(game: &Game, body: &str) -> NormalizedGame {
    let map = parse_move_history(body).unwrap();
    let context = GameContext {
        white: game.white,
        black: game.black,
        result: game.result(),
        allow_doubling: game.allow_doubling,
    };
    normalize_state_map(&map, context).unwrap_or_else(|error| panic!("{:?}: {error}", game.id))
}

/// The parts of a normalised game that the truth knows.
fn found(game: &NormalizedGame) -> Value {
    let turns: Vec<Value> =
        game.turns.iter().map(|turn| json!([turn.active_color, turn.dice, turn.moves])).collect();
    let events: Vec<Value> =
        game.events.iter().map(|event| json!([event.event_type, event.actor_color])).collect();
    json!({
        "initial_fen": game.initial_fen,
        "turns": turns,
        "events": events,
        "termination": game.termination,
        "stakes": [game.initial_stake_amount, game.final_stake_amount],
    })
}

fn wanted(truth: &GameTruth) -> Value {
    let turns: Vec<Value> = truth
        .turns
        .iter()
        .map(|turn| json!([turn.color.char().to_string(), turn.dice, turn.moves]))
        .collect();
    let events: Vec<Value> = truth
        .events
        .iter()
        .map(|event| json!([event.kind.as_str(), event.actor.char().to_string()]))
        .collect();
    json!({
        "initial_fen": truth.initial_fen,
        "turns": turns,
        "events": events,
        "termination": truth.termination.as_str(),
        "stakes": [truth.initial_stake, truth.final_stake],
    })
}

#[test]
fn every_map_normalises_to_the_truth() {
    for seed in 1..=6 {
        let world = World::generate(WorldSpec {
            seed,
            games: 300,
            running_games: 5,
            ..WorldSpec::default()
        });
        for game in world.games() {
            let Some(truth) = world.truth(game.id) else { continue };
            let body = world.state_map(game.id).unwrap();
            let normalised = normalise(game, &body);
            assert_eq!(found(&normalised), wanted(truth), "seed {seed}, {:?}: {body}", game.id);
            assert_eq!(clocks_run_out(&body, game), timed_out(truth), "{:?}: {body}", game.id);
        }
    }
}

/// Whose clocks the last state shows as run out, as White and Black.
fn clocks_run_out(body: &str, game: &Game) -> [bool; 2] {
    let map = parse_move_history(body).unwrap();
    let clocks = &map.states.last().unwrap().1.clocks;
    let ran_out = |user, color| clocks.of(user, color).is_some_and(|millis| millis <= 0.0);
    [ran_out(game.white, Color::White), ran_out(game.black, Color::Black)]
}

fn timed_out(truth: &GameTruth) -> [bool; 2] {
    let is_timeout = truth.termination == Termination::Timeout;
    [-1, 1].map(|lost| is_timeout && truth.result == Some(lost))
}

#[test]
fn thinking_times_can_be_told() {
    let world = World::generate(WorldSpec::default());
    let mut known = 0;
    for game in world.games().filter(|game| game.has_map) {
        let body = world.state_map(game.id).unwrap();
        let normalised = normalise(game, &body);
        let limit = (game.time_limit_min * 60_000.0) as i64;
        for turn in &normalised.turns {
            known += usize::from(turn.thinking_time_ms.is_some());
            assert!(turn.thinking_time_ms.is_none_or(|millis| millis < limit));
            let fen = turn.fen_after.as_deref().unwrap();
            assert!(fen.parse::<Position>().is_ok(), "{fen}");
        }
    }
    assert!(known > 1000, "{known} thinking times are known");
}
