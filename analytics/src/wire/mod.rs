//! The game document as it arrives (contract, section 6).
//!
//! Decides what is well-formed: which fields are required, which may be null or absent, and which
//! types and words they take. Unknown fields are ignored. Absent `events` are none; a null list is
//! a wrong type.
//!
//! It is wider than [`dicechess_core::ingest::IngestGame`] in one point: every number that is counted or rolled may be any
//! whole number here, because a die of 7 is a well-formed document about an impossible game. What
//! does not fit the narrower type is refused by [`narrow()`] in the words of the replay. Whether
//! the game is legal is [`dicechess_core::replay`]'s matter.

mod narrow;
mod scalar;

use dicechess_core::ids::GameId;
use dicechess_core::ingest::{EventType, IngestPlayerType, Mode, Side, Termination};
use serde::Deserialize;
use serde_json::{Number, Value};

use crate::acceptance::Heading;
pub(crate) use narrow::narrow;
use scalar::{ExternalId, Object, Outcome, Timestamp, Whole, Word};

/// A well-formed game document.
pub(crate) type Document = Object<Game>;

#[derive(Deserialize)]
pub(crate) struct Game {
    id: GameId,
    source: String,
    mode: Word<Mode>,
    result: Option<Outcome>,
    termination: Option<Word<Termination>>,
    started_at: Option<Timestamp>,
    time_initial_sec: Option<i64>,
    time_increment_sec: Option<i64>,
    initial_stake_amount: Option<i64>,
    final_stake_amount: Option<i64>,
    stake_currency: Option<String>,
    white_money_delta: Option<Number>,
    black_money_delta: Option<Number>,
    white_player: Option<Object<Player>>,
    black_player: Option<Object<Player>>,
    initial_fen: String,
    turns: Vec<Object<Turn>>,
    #[serde(default)]
    events: Vec<Object<Event>>,
}

impl Game {
    /// What it says of itself.
    pub(crate) fn into_heading(self) -> Heading {
        Heading { id: self.id, source: self.source }
    }
}

#[derive(Deserialize)]
struct Player {
    external_id: ExternalId,
    username: Option<String>,
    player_type: Word<IngestPlayerType>,
    rating: Option<i64>,
}

#[derive(Deserialize)]
struct Turn {
    turn_number: Whole,
    active_color: Word<Side>,
    dice: Vec<Whole>,
    moves: Vec<String>,
    thinking_time_ms: Option<i64>,
    fen_after: Option<String>,
}

#[derive(Deserialize)]
struct Event {
    sequence_number: Whole,
    turn_number: Whole,
    event_type: Word<EventType>,
    actor_color: Word<Side>,
    clock_white_ms: Option<i64>,
    clock_black_ms: Option<i64>,
    payload: Option<Value>,
}

/// Reads a document.
///
/// # Errors
/// What is malformed and where, e.g. `turns[0].dice[1]: invalid type: string "x", expected …`.
pub(crate) fn read(body: &str) -> Result<Game, String> {
    let mut json = serde_json::Deserializer::from_str(body);
    let document: Document = serde_path_to_error::deserialize(&mut json).map_err(locate)?;
    json.end().map_err(|error| not_json(&error))?;
    Ok(document.0)
}

fn locate(error: serde_path_to_error::Error<serde_json::Error>) -> String {
    let path = error.path().to_string();
    let error = error.into_inner();
    match path.as_str() {
        _ if !error.is_data() => not_json(&error),
        "." => error.to_string(),
        _ => format!("{path}: {error}"),
    }
}

fn not_json(error: &serde_json::Error) -> String {
    format!("not JSON: {error}")
}

#[cfg(test)]
mod tests {
    use dicechess_core::ingest::IngestGame;

    use super::*;

    const LEAST: &str = r#"{"id":"0B5F1C3E-9A77-4C11-8E55-00000000ABCD","source":"s",
        "mode":"x2","initial_fen":"f","turns":[]}"#;

    fn fault(json: &str) -> String {
        read(json).err().unwrap_or_default()
    }

    #[test]
    fn the_least_document() {
        let game: IngestGame = narrow(read(LEAST).unwrap()).unwrap();
        assert_eq!(game.id.to_string(), "0b5f1c3e-9a77-4c11-8e55-00000000abcd");
        assert_eq!((game.result, game.white_player, game.events), (None, None, vec![]));
    }

    #[test]
    fn faults_name_the_field() {
        let with = |field: &str| LEAST.replacen('{', &format!("{{{field},"), 1);
        for (field, said) in [
            (r#""result":2"#, "result: invalid value: integer `2`, expected 1, 0, -1 or null"),
            (r#""result":true"#, "result: invalid type: boolean `true`"),
            (r#""termination":"mate""#, "termination: unknown variant `mate`"),
            (r#""started_at":"yesterday""#, "started_at: invalid value: string \"yesterday\""),
            (
                r#""white_player":{"player_type":"bot"}"#,
                "white_player: missing field `external_id`",
            ),
            (r#""white_player":["7",null,"bot",3]"#, "white_player: invalid type: sequence"),
            (r#""events":null"#, "events: invalid type: null"),
            (r#""source":"t""#, "duplicate field `source`"),
        ] {
            let said_now = fault(&with(field));
            assert!(said_now.starts_with(said), "{field}: {said_now}");
        }
        assert!(fault(&LEAST.replace(r#""x2""#, r#"{"x2":null}"#)).starts_with("mode: "));
        assert!(fault(&LEAST.replace(r#""mode":"x2","#, "")).starts_with("missing field `mode`"));
        assert!(fault(&format!("{LEAST} x")).starts_with("not JSON: trailing characters"));
        assert!(fault("{").starts_with("not JSON: "));
    }

    #[test]
    fn any_whole_number_is_a_well_formed_die() {
        let turns = |dice: &str| {
            let turn = r#"{"turn_number":-1,"active_color":"w","dice":D,"moves":[]}"#;
            LEAST.replace("[]", &format!("[{}]", turn.replace('D', dice)))
        };
        for dice in ["[]", "[0]", "[7]", "[-1]", "[300]", "[99999999999999999999999]"] {
            assert_eq!(fault(&turns(dice)), "", "{dice}");
        }
        for dice in ["null", "[\"x\"]", "[1.5]", "[1.0]", "[null]", "{}"] {
            assert!(fault(&turns(dice)).starts_with("turns[0].dice"), "{dice}");
        }
    }
}
