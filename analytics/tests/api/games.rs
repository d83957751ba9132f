//! Games of a few turns, and questions about them.

use dicechess_core::ids::GameId;
use serde_json::{Value, json};

use crate::client::Server;
use crate::document::START;

/// A game between two players whose values can be set one by one.
#[derive(Debug, Clone)]
pub(crate) struct Game(pub(crate) Value);

/// A classic game from the usual start without turns, stake, time control or result.
pub(crate) fn game(number: u128) -> Game {
    Game(json!({
        "id": id(number),
        "source": "dicechess.com",
        "mode": "classic",
        "result": null,
        "termination": "resign",
        "started_at": "2026-03-30T12:00:00.000Z",
        "white_player": player("1", "human", None),
        "black_player": player("2", "human", None),
        "initial_fen": START,
        "turns": [],
        "events": [],
    }))
}

impl Game {
    /// With one value set.
    pub(crate) fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.0[field] = value.into();
        self
    }

    /// With both players, as external id, type and rating.
    pub(crate) fn between(self, white: Value, black: Value) -> Self {
        self.with("white_player", white).with("black_player", black)
    }

    /// With turns, each as its dice and its moves in one text.
    pub(crate) fn turns(self, turns: &[(&[u8], &str)]) -> Self {
        let white_first = !self.0["initial_fen"].as_str().unwrap().contains(" b ");
        let turn = |(place, (dice, moves)): (usize, &(&[u8], &str))| {
            let white = (place % 2 == 0) == white_first;
            json!({
                "turn_number": place + 1,
                "active_color": if white { "w" } else { "b" },
                "dice": dice,
                "moves": moves.split_whitespace().collect::<Vec<_>>(),
            })
        };
        let turns: Vec<Value> = turns.iter().enumerate().map(turn).collect();
        self.with("turns", turns)
    }

    /// With events, each as its type and actor.
    pub(crate) fn events(self, events: &[(&str, &str)]) -> Self {
        let event = |(place, (event_type, actor)): (usize, &(&str, &str))| {
            json!({
                "sequence_number": place + 1, "turn_number": 1,
                "event_type": event_type, "actor_color": actor,
            })
        };
        let events: Vec<Value> = events.iter().enumerate().map(event).collect();
        self.with("events", events)
    }

    pub(crate) fn post(self, server: &Server) {
        let answer = server.post(self.0.to_string());
        assert_eq!(answer.status, 201, "{answer:?} for {}", self.0);
    }
}

pub(crate) fn id(number: u128) -> String {
    GameId::from_bits(number).to_string()
}

pub(crate) fn player(external_id: &str, player_type: &str, rating: Option<i64>) -> Value {
    json!({
        "external_id": external_id,
        "username": format!("name {external_id}"),
        "player_type": player_type,
        "rating": rating,
    })
}

/// The answer to a question that must have one.
pub(crate) fn ask(server: &Server, path: &str) -> Value {
    let answer = server.get(path);
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()
}

/// The UUID of the player whose name contains a text.
pub(crate) fn uuid(server: &Server, name: &str) -> String {
    let found = ask(server, &format!("/api/players?username={}", name.replace(' ', "%20")));
    found[0]["id"].as_str().unwrap_or_else(|| panic!("no {name}")).to_owned()
}

/// The last digit of each game of a page, in order.
pub(crate) fn numbers(server: &Server, query: &str) -> Vec<u32> {
    let page = ask(server, &format!("/api/games?{query}"));
    let items = page["items"].as_array().unwrap();
    assert!(page["total"].as_u64().unwrap() >= items.len() as u64);
    let digit = |game: &Value| game["id"].as_str().unwrap().chars().next_back().unwrap();
    items.iter().map(|game| digit(game).to_digit(16).unwrap()).collect()
}

/// The names of an object's fields, in alphabetical order.
pub(crate) fn fields(object: &Value) -> Vec<&str> {
    let mut fields: Vec<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    fields.sort_unstable();
    fields
}

/// A FEN in a query.
pub(crate) fn encoded(fen: &str) -> String {
    fen.replace(' ', "%20")
}

/// Games, wins, draws and losses.
pub(crate) fn record(row: &Value) -> [u64; 4] {
    ["games", "wins", "draws", "losses"].map(|field| row[field].as_u64().unwrap())
}
