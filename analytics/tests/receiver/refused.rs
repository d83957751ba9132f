//! What is well-formed and yet 422, with the words that are said.

use dicechess_analytics::{Rejection, accept};
use serde_json::{Value, json};

use crate::document::short_game;

fn verdict(game: &Value) -> Result<(), Rejection> {
    accept(game.to_string().as_bytes()).map(drop)
}

fn with(pointer: &str, value: Value) -> Value {
    let mut game = short_game(1);
    *game.pointer_mut(pointer).unwrap() = value;
    game
}

#[test]
fn each_refusal_in_its_words() {
    for (pointer, value, said) in [
        ("/turns/0/moves", json!(["a1a4"]), "Turn 1: illegal move sequence [a1a4]"),
        ("/turns/0/moves", json!(["e2e4", "x"]), "Turn 1: \"x\" is no move"),
        ("/turns/0/moves", json!(["b1c3"]), "Turn 1: incomplete move sequence [b1c3]"),
        ("/turns/0/moves", json!([]), "Turn 1: illegal move sequence []"),
        ("/turns/0/active_color", json!("b"), "Turn 1: active_color b is not the side to move"),
        ("/turns/0/turn_number", json!(0), "Turn 0: turn_number where 1 is due"),
        ("/turns/0/turn_number", json!(-1), "Turn -1: turn_number where 1 is due"),
        ("/turns/1/turn_number", json!(1), "Turn 1: turn_number where 2 is due"),
        ("/turns/1/turn_number", json!(3), "Turn 3: turn_number where 2 is due"),
        (
            "/turns/1/turn_number",
            json!(5_000_000_000_i64),
            "Turn 5000000000: turn_number where 2 is due",
        ),
        ("/turns/1/dice", json!([]), "Turn 2: a roll needs at least one die"),
        ("/turns/1/dice", json!([1, 1, 1, 1]), "Turn 2: a roll has at most three dice, not 4"),
        ("/turns/1/dice", json!([7]), "Turn 2: unknown die 7"),
        ("/turns/1/dice", json!([0]), "Turn 2: unknown die 0"),
        ("/turns/1/dice", json!([300]), "Turn 2: unknown die 300"),
        ("/turns/1/dice", json!([-1]), "Turn 2: unknown die -1"),
        ("/initial_fen", json!("8/8"), "initial_fen: a FEN has 4 to 6 fields, not 1"),
        ("/events/0/sequence_number", json!(2), "events: sequence_number 2 where 1 is due"),
        ("/events/1/sequence_number", json!(1), "events: sequence_number 1 where 2 is due"),
        ("/events/1/sequence_number", json!(-7), "events: sequence_number -7 where 2 is due"),
        ("/events/1/turn_number", json!(-1), "events: turn_number -1 of event 2 is no turn"),
    ] {
        let refused = Err(Rejection::Refused(said.to_owned()));
        assert_eq!(verdict(&with(pointer, value)), refused);
    }
}

#[test]
fn a_part_of_a_turn_ends_only_what_time_agreement_or_resignation_ended() {
    let mut game = with("/turns/0/moves", json!(["b1c3"]));
    game["turns"].as_array_mut().unwrap().truncate(1);
    for termination in ["timeout", "draw_agreement", "resign"] {
        game["termination"] = termination.into();
        assert_eq!(verdict(&game), Ok(()), "{termination}");
    }
    for termination in ["king_captured", "double_declined", "unknown"] {
        game["termination"] = termination.into();
        assert!(matches!(verdict(&game), Err(Rejection::Refused(_))), "{termination}");
    }
    game["termination"] = Value::Null;
    assert!(matches!(verdict(&game), Err(Rejection::Refused(_))));
}

#[test]
fn nothing_is_played_after_a_king_capture() {
    let mut game = short_game(1);
    game["initial_fen"] = "4k3/4Q3/8/8/8/8/8/4K3 w - - 0 1".into();
    let turn = |number: u32, color: &str, dice: &[u8], moves: &[&str]| json!({"turn_number": number, "active_color": color, "dice": dice, "moves": moves});
    game["turns"] = json!([turn(1, "w", &[5], &["e7e8"])]);
    assert_eq!(verdict(&game), Ok(()));
    game["turns"] = json!([turn(1, "w", &[5], &["e7e8"]), turn(2, "b", &[1], &[])]);
    let said = "Turn 2: played after a king was captured".to_owned();
    assert_eq!(verdict(&game), Err(Rejection::Refused(said)));
}
