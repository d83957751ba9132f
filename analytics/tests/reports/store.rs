//! A store in memory, filled by hand.

use std::collections::HashMap;

use dicechess_core::rules::Position;
use rusqlite::Connection;

const SCHEMA: &str = "
    CREATE TABLE players (id TEXT PRIMARY KEY, external_id TEXT UNIQUE, username TEXT,
        player_type TEXT, metadata_json TEXT, created_at TEXT, updated_at TEXT);
    CREATE TABLE positions (id INTEGER PRIMARY KEY, normalized_fen TEXT UNIQUE, fen_hash INTEGER,
        piece_placement TEXT, active_color TEXT, castling TEXT, en_passant TEXT);
    CREATE TABLE games (id TEXT PRIMARY KEY, source TEXT, white_player_id TEXT,
        black_player_id TEXT, white_rating INTEGER, black_rating INTEGER, mode TEXT,
        result INTEGER, termination TEXT, initial_position_id INTEGER, final_position_id INTEGER,
        total_turns INTEGER, time_initial_sec INTEGER, time_increment_sec INTEGER,
        initial_stake_amount INTEGER, final_stake_amount INTEGER, white_money_delta,
        black_money_delta, stake_currency TEXT, started_at TEXT, started_at_ms INTEGER,
        metadata_json TEXT, created_at TEXT);
    CREATE TABLE turns (id INTEGER PRIMARY KEY, game_id TEXT, turn_number INTEGER,
        active_color TEXT, position_id INTEGER, dice_sorted TEXT, played_moves TEXT,
        position_after_id INTEGER, thinking_time_ms INTEGER, is_partial INTEGER NOT NULL,
        UNIQUE (game_id, turn_number));
    CREATE INDEX turns_by_position ON turns (position_id, dice_sorted);
    CREATE TABLE game_events (id INTEGER PRIMARY KEY, game_id TEXT, sequence_number INTEGER,
        turn_number INTEGER, event_type TEXT, actor_color TEXT, clock_white_ms INTEGER,
        clock_black_ms INTEGER, payload TEXT);
    CREATE TABLE accepted_games (id TEXT PRIMARY KEY, body TEXT NOT NULL,
        received_at TEXT NOT NULL, replaced_at TEXT);";

pub(crate) const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

pub(crate) struct Store {
    pub(crate) connection: Connection,
    positions: HashMap<String, i64>,
    games: u32,
}

/// A game; what a test does not care for has a value.
#[derive(Debug, Clone)]
pub(crate) struct Game {
    pub(crate) white: Option<&'static str>,
    pub(crate) black: Option<&'static str>,
    pub(crate) ratings: (Option<i64>, Option<i64>),
    pub(crate) mode: &'static str,
    pub(crate) result: Option<i64>,
    pub(crate) time: Option<(i64, i64)>,
    pub(crate) stake: Option<i64>,
    pub(crate) currency: Option<&'static str>,
    pub(crate) deltas: (Option<f64>, Option<f64>),
    pub(crate) started_at: Option<&'static str>,
    pub(crate) turns: Vec<Turn>,
}

/// A turn: colour, dice as stored, moves, position before and after.
#[derive(Debug, Clone)]
pub(crate) struct Turn {
    pub(crate) color: &'static str,
    pub(crate) dice: &'static str,
    pub(crate) moves: &'static [&'static str],
    pub(crate) before: &'static str,
    pub(crate) after: &'static str,
    pub(crate) is_partial: bool,
}

impl Default for Game {
    fn default() -> Self {
        Self {
            white: Some("7"),
            black: Some("8"),
            ratings: (None, None),
            mode: "classic",
            result: Some(1),
            time: Some((60, 1)),
            stake: None,
            currency: None,
            deltas: (None, None),
            started_at: Some("2026-03-30T20:08:44.793Z"),
            turns: Vec::new(),
        }
    }
}

/// A whole turn with a move that does not matter.
pub(crate) fn roll(color: &'static str, dice: &'static str) -> Turn {
    let after = "4k3/8/8/8/8/8/8/4K3 b - -";
    Turn { color, dice, moves: &["e2e4"], before: START, after, is_partial: false }
}

impl Store {
    /// A store with anna (7), berta (8), both human, and the bot hal (-3).
    pub(crate) fn new() -> Self {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(SCHEMA).unwrap();
        let players = [("7", "anna", "human"), ("8", "berta", "human"), ("-3", "hal", "bot")];
        for (external_id, name, player_type) in players {
            let values = (player_id(external_id), external_id, name, player_type);
            let insert = "INSERT INTO players (id, external_id, username, player_type) \
                          VALUES (?1, ?2, ?3, ?4)";
            connection.execute(insert, values).unwrap();
        }
        Self { connection, positions: HashMap::new(), games: 0 }
    }

    pub(crate) fn add(&mut self, game: &Game) {
        self.games += 1;
        let id = format!("0b5f1c3e-9a77-4c11-8e55-{:012x}", self.games);
        let millis = game
            .started_at
            .map(|text| dicechess_core::time::UnixMillis::parse_iso(text).unwrap().0);
        let start = self.position(START);
        let insert = "INSERT INTO games (id, source, white_player_id, black_player_id, \
            white_rating, black_rating, mode, result, total_turns, initial_position_id, \
            time_initial_sec, time_increment_sec, initial_stake_amount, stake_currency, \
            white_money_delta, black_money_delta, started_at, started_at_ms) \
            VALUES (?1, 'dicechess.com', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, \
            ?15, ?16, ?17)";
        let values = rusqlite::params![
            id,
            game.white.map(player_id),
            game.black.map(player_id),
            game.ratings.0,
            game.ratings.1,
            game.mode,
            game.result,
            game.turns.len() as i64,
            start,
            game.time.map(|time| time.0),
            game.time.map(|time| time.1),
            game.stake,
            game.currency,
            game.deltas.0,
            game.deltas.1,
            game.started_at,
            millis,
        ];
        self.connection.execute(insert, values).unwrap();
        for (number, turn) in (1..).zip(&game.turns) {
            self.add_turn(&id, number, turn);
        }
    }

    fn add_turn(&mut self, game: &str, number: i64, turn: &Turn) {
        let (before, after) = (self.position(turn.before), self.position(turn.after));
        let moves = serde_json::to_string(turn.moves).unwrap();
        let insert = "INSERT INTO turns (game_id, turn_number, active_color, position_id, \
            dice_sorted, played_moves, position_after_id, is_partial) \
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let values = rusqlite::params![
            game,
            number,
            turn.color,
            before,
            turn.dice,
            moves,
            after,
            turn.is_partial
        ];
        self.connection.execute(insert, values).unwrap();
    }

    fn position(&mut self, fen: &str) -> i64 {
        if let Some(id) = self.positions.get(fen) {
            return *id;
        }
        let position: Position = fen.parse().unwrap();
        assert_eq!(position.normalized_fen(), fen);
        let fields: Vec<&str> = fen.split(' ').collect();
        let insert = "INSERT INTO positions (normalized_fen, fen_hash, piece_placement, \
            active_color, castling, en_passant) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let values = (fen, position.fen_hash(), fields[0], fields[1], fields[2], fields[3]);
        self.connection.execute(insert, values).unwrap();
        let id = self.connection.last_insert_rowid();
        self.positions.insert(fen.to_owned(), id);
        id
    }
}

/// Our id of a player of the site.
pub(crate) fn player_id(external_id: &str) -> String {
    format!("c0ffee00-0000-4000-8000-{:0>12}", external_id.trim_start_matches('-'))
}

/// No line of a table is longer than 80 characters.
pub(crate) fn assert_fits(table: &str) {
    for line in table.lines() {
        assert!(line.chars().count() <= 80, "{} characters: {line}", line.chars().count());
        assert_eq!(line, line.trim_end());
    }
}

/// A picture is well-formed as far as a look at its elements tells.
pub(crate) fn assert_picture(svg: &str) {
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    assert!(svg.ends_with("</svg>\n"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
}
