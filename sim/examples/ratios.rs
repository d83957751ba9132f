//! How long parsing, normalising and replaying take over many simulated games.
//!
//! Prints the sum over all games of each game's median time, and the ratios that
//! `docs/benchmarks.md` sets bounds for, of the sums and of the worst game. One typical game is
//! measured by the core's own benchmarks. An example, so that it may use the normaliser, which the
//! simulated site itself must not.
#![allow(clippy::print_stdout, reason = "this program's data is what it prints")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use dicechess_core::ingest::IngestGame;
use dicechess_core::normalise::normalize_line;
use dicechess_core::replay::replay;
use dicechess_core::site::{HistoryEntry, parse_move_history};
use dicechess_sim::{Game, World, WorldSpec};

const ROUNDS: usize = 25;

/// A game as text, whole and in its two parts, and as it is replayed.
struct Recorded {
    entry: String,
    states: String,
    line: String,
    game: IngestGame,
}

/// Median times of one game, or their sums.
#[derive(Clone, Copy, Default)]
struct Times {
    parse: Duration,
    normalize: Duration,
    replay: Duration,
}

fn main() {
    let world = World::generate(WorldSpec::default());
    let recorded: Vec<Recorded> =
        world.games().filter(|game| game.has_map).map(|game| record(&world, game)).collect();
    let bytes: usize = recorded.iter().map(|game| game.line.len()).sum();
    let turns: usize = recorded.iter().map(|recorded| recorded.game.turns.len()).sum();
    println!("{} games, {bytes} bytes, {turns} turns", recorded.len());

    let times: Vec<Times> = recorded.iter().map(measure).collect();
    let parse = times.iter().map(|times| times.parse).sum();
    println!("parse     {parse:>10.1?}");
    report("normalise", parse, &times, |times| times.normalize);
    report("replay", parse, &times, |times| times.replay);
}

fn report(name: &str, parse: Duration, times: &[Times], of: fn(&Times) -> Duration) {
    let total: Duration = times.iter().map(of).sum();
    let ratio = total.as_secs_f64() / parse.as_secs_f64();
    let ratio_of = |times: &Times| of(times).as_secs_f64() / times.parse.as_secs_f64();
    let worst = times.iter().map(ratio_of).fold(0.0, f64::max);
    println!("{name:<9} {total:>10.1?}  {ratio:.2} x parse, in the worst game {worst:.2} x");
}

fn measure(recorded: &Recorded) -> Times {
    let mut rounds = [Times::default(); ROUNDS];
    for round in &mut rounds {
        round.parse = time(|| {
            drop(black_box(HistoryEntry::parse(black_box(&recorded.entry))));
            drop(black_box(parse_move_history(black_box(&recorded.states))));
        });
        round.normalize = time(|| drop(black_box(normalized(black_box(&recorded.line)))));
        round.replay = time(|| drop(black_box(replay(black_box(&recorded.game)))));
    }
    let median = |of: fn(&Times) -> Duration| {
        let mut times = rounds.map(|round| of(&round));
        times.sort_unstable();
        times[ROUNDS / 2]
    };
    Times {
        parse: median(|times| times.parse),
        normalize: median(|times| times.normalize),
        replay: median(|times| times.replay),
    }
}

fn record(world: &World, game: &Game) -> Recorded {
    let page = world.history_page(game.white, None, 0, usize::MAX);
    let place = world.games_of(game.white).position(|other| other.id == game.id);
    let entry = page.rows[place.expect("a game is among its player's games")].clone();
    let states = world.state_map(game.id).expect("the game is of this world");
    let line = format!(
        "{{\"history_meta\":{entry},\"queried_user_id\":{},\"move_history\":{states}}}",
        game.white
    );
    let game = normalized(&line);
    Recorded { entry, states, line, game }
}

fn normalized(line: &str) -> IngestGame {
    normalize_line(line).unwrap_or_else(|error| panic!("{error:?}: {line}"))
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
