//! From text to the document that is posted, against reading the text alone.
//!
//! `typical-game.json` is 29 KB of text with 15 turns in 54 states, in the input form of
//! `normalize`: a game of usual size, played and spelled by the simulated site, with the further
//! fields that nobody reads.

use dicechess_core::ingest::IngestGame;
use dicechess_core::normalise::{LineError, normalize_line};
use dicechess_core::site::{HistoryEntry, StateMap, parse_move_history};
use divan::{Bencher, black_box};
use serde::Deserialize;
use serde_json::value::RawValue;

const TYPICAL_GAME: &str = include_str!("typical-game.json");

fn main() {
    divan::main();
}

/// JSON into the site's shapes and nothing more: the yardstick of all the others.
#[divan::bench]
fn parse(bencher: Bencher<'_, '_>) {
    let (entry, states) = parts(TYPICAL_GAME);
    bencher.bench(|| {
        let entry = HistoryEntry::parse(black_box(entry)).expect("the entry is readable");
        let map: StateMap<'_> = parse_move_history(black_box(states)).expect("so are the states");
        (entry, map)
    });
}

/// A whole line of input, read, normalised and assembled.
#[divan::bench]
fn normalise() -> Result<IngestGame, LineError> {
    normalize_line(black_box(TYPICAL_GAME))
}

/// The two texts that the site sent: the history entry and the answer of `game-move-history`.
fn parts(line: &str) -> (&str, &str) {
    #[derive(Deserialize)]
    struct Wire<'a> {
        #[serde(borrow)]
        history_meta: &'a RawValue,
        #[serde(borrow)]
        move_history: &'a RawValue,
    }
    let wire: Wire<'_> = serde_json::from_str(line).expect("the game is in its input form");
    (wire.history_meta.get(), wire.move_history.get())
}
