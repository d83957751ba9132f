//! Game documents: one short game by hand and legal games of any length by dice.

use dicechess_core::dice::Roll;
use dicechess_core::ids::GameId;
use dicechess_core::rules::Position;
use serde_json::{Value, json};
use shakmaty::Color;

pub(crate) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// A whole document with two turns and an event.
pub(crate) fn short_game(number: u128) -> Value {
    json!({
        "id": GameId::from_bits(number).to_string(),
        "source": "dicechess.com",
        "mode": "x2",
        "result": 1,
        "termination": "resign",
        "started_at": "2026-03-30T20:08:44.793Z",
        "time_initial_sec": 60,
        "time_increment_sec": 1,
        "initial_stake_amount": 10,
        "final_stake_amount": 20,
        "stake_currency": "GOLD",
        "white_money_delta": 9.5,
        "black_money_delta": null,
        "white_player": {"external_id": "7", "username": "anna", "player_type": "human", "rating": 1500},
        "black_player": {"external_id": "-3", "username": null, "player_type": "bot", "rating": null},
        "initial_fen": START,
        "turns": [
            {"turn_number": 1, "active_color": "w", "dice": [1, 2, 5], "moves": ["b1c3", "e2e4", "d1f3"],
             "thinking_time_ms": 1200, "fen_after": "rnbqkbnr/pppppppp/8/8/4P3/2N2Q2/PPPP1PPP/R1B1KBNR b KQkq e3"},
            {"turn_number": 2, "active_color": "b", "dice": [5, 5, 6], "moves": [],
             "thinking_time_ms": null, "fen_after": null},
        ],
        "events": [
            {"sequence_number": 1, "turn_number": 2, "event_type": "DOUBLE_OFFER", "actor_color": "b",
             "clock_white_ms": 59800, "clock_black_ms": 60000, "payload": null},
            {"sequence_number": 2, "turn_number": 2, "event_type": "DOUBLE_ACCEPT", "actor_color": "w",
             "clock_white_ms": 59800, "clock_black_ms": 60000, "payload": {"bank": 20}},
        ],
    })
}

/// A legal game of `turns` turns, fewer when a king falls first; the same number gives the same game.
pub(crate) fn played_game(number: u128, turns: u32) -> Value {
    let mut dice = Dice(number as u64 | 1);
    let mut position: Position = START.parse().expect("the start is a position");
    let mut played = Vec::new();
    for turn_number in 1..=turns {
        if position.missing_king().is_some() {
            break;
        }
        let codes = [0; 3].map(|_| dice.below(6) as u8 + 1);
        let roll = Roll::from_codes(&codes).expect("three dice are a roll");
        let choices = position.legal_turns(roll);
        let chosen = match choices.len() {
            0 => &[][..],
            count => &choices[dice.below(count as u64) as usize],
        };
        let moves: Vec<_> = chosen.iter().map(ToString::to_string).collect();
        played.push(json!({
            "turn_number": turn_number,
            "active_color": if position.turn() == Color::White { "w" } else { "b" },
            "dice": roll.codes().collect::<Vec<_>>(),
            "moves": moves,
        }));
        chosen.iter().for_each(|micro_move| {
            position.play(*micro_move);
        });
        position.end_turn();
    }
    let mut game = short_game(number);
    game["turns"] = played.into();
    game
}

/// A small deterministic source of dice (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % bound
    }
}
