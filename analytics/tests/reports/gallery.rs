//! Tables and pictures of a larger store, to be looked at.
//!
//! `cargo test -p dicechess-analytics --test reports -- --ignored` writes them to `gallery/` in the
//! folder for temporary files of the target folder.

use std::path::Path;

use dicechess_analytics::report::{
    DiceQuery, OpeningsQuery, PositionQuery, START_FEN, dice, openings, player, position,
};
use dicechess_core::dice::Roll;
use dicechess_core::rules::Position;

use crate::store::{Game, Store, Turn, assert_fits, assert_picture};

/// A small deterministic source of numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound
    }
}

#[test]
#[ignore = "writes files to be looked at"]
fn write_the_gallery() {
    let store = store(400);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gallery");
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, table: String, svg: String| {
        assert_fits(&table);
        assert_picture(&svg);
        std::fs::write(folder.join(format!("{name}.txt")), table).unwrap();
        std::fs::write(folder.join(format!("{name}.svg")), svg).unwrap();
    };
    let report = dice(&store.connection, &DiceQuery::default()).unwrap();
    write("dice", report.table(), report.svg());
    let report = player(&store.connection, "7").unwrap();
    write("player", report.table(), report.svg());
    let query = OpeningsQuery { min_games: 2, ..OpeningsQuery::default() };
    let report = openings(&store.connection, &query).unwrap();
    write("openings", report.table(), report.svg());
    let query = PositionQuery { fen: START_FEN.to_owned(), mode: None };
    let report = position(&store.connection, &query).unwrap();
    write("position", report.table(), report.svg());
}

/// Games of random moves with fair dice.
fn store(games: usize) -> Store {
    let mut random = Random(20_260_330);
    let mut store = Store::new();
    let mut rating = 1500;
    for number in 0..games {
        let day = format!("2026-{:02}-{:02}", number / 60 + 1, number % 60 / 3 + 1);
        let started_at = format!("{day}T{:02}:00:00.000Z", number % 3 * 6);
        let (turns, result) = play(&mut random);
        let is_white = number % 2 == 0;
        let others = ["8", "-3"];
        let other = others[random.below(2)];
        let own_result = if is_white { result } else { -result };
        rating += own_result * 8;
        let delta = Some(if own_result == 1 { 9.5 } else { -10.0 });
        store.add(&Game {
            white: Some(if is_white { "7" } else { other }),
            black: Some(if is_white { other } else { "7" }),
            ratings: (Some(rating), Some(rating + 20)),
            mode: if number % 5 == 0 { "x2" } else { "classic" },
            result: Some(result),
            time: Some(if number % 3 == 0 { (60, 1) } else { (300, 0) }),
            stake: Some(if number % 4 == 0 { 0 } else { 10 }),
            currency: Some("GOLD"),
            deltas: (delta, delta),
            started_at: Some(started_at.leak()),
            turns,
        });
    }
    store
}

fn play(random: &mut Random) -> (Vec<Turn>, i64) {
    let mut position: Position = START_FEN.parse().unwrap();
    let mut turns = Vec::new();
    for number in 0..40 {
        let is_white = number % 2 == 0;
        let codes = [0; 3].map(|_| random.below(6) as u8 + 1);
        let roll = Roll::from_codes(&codes).unwrap();
        let choices = position.legal_turns(roll);
        let moves =
            if choices.is_empty() { &[][..] } else { &choices[random.below(choices.len())] };
        let before = position.normalized_fen();
        let spelled: Vec<&'static str> =
            moves.iter().map(|micro_move| &*micro_move.to_string().leak()).collect();
        for micro_move in moves {
            position.play(*micro_move);
        }
        let is_over = position.missing_king().is_some();
        position.end_turn();
        let mut letters: Vec<char> =
            codes.map(|code| b"pnbrqk"[usize::from(code) - 1] as char).to_vec();
        letters.sort_unstable();
        let letters: String = letters.into_iter().collect();
        let dice = if is_white { letters.to_ascii_uppercase() } else { letters };
        turns.push(Turn {
            color: if is_white { "w" } else { "b" },
            dice: dice.leak(),
            moves: spelled.leak(),
            before: before.leak(),
            after: position.normalized_fen().leak(),
            is_partial: false,
        });
        if is_over {
            return (turns, if is_white { 1 } else { -1 });
        }
    }
    (turns, 0)
}
