//! The columns of the exported tables.
//!
//! Decides names, types and order; `docs/export.md` says the same to readers, which a test checks.

use super::ExportTable;

/// A column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: Kind,
    /// Whether it is never null.
    pub is_required: bool,
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// UTF-8 text.
    Text,
    /// A signed 64-bit number.
    Integer,
    /// A double.
    Real,
    /// True or false.
    Flag,
    /// UTC with milliseconds: ISO-8601 text, in Parquet a timestamp.
    Timestamp,
    /// A list of texts: a JSON array, in CSV joined by spaces.
    Texts,
    /// A JSON value: embedded in JSON Lines, else its text.
    Json,
}

const fn key(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, is_required: true }
}

const fn column(name: &'static str, kind: Kind) -> Column {
    Column { name, kind, is_required: false }
}

const GAMES: &[Column] = &[
    key("id", Kind::Text),
    column("source", Kind::Text),
    column("mode", Kind::Text),
    column("result", Kind::Integer),
    column("termination", Kind::Text),
    column("started_at", Kind::Timestamp),
    column("total_turns", Kind::Integer),
    column("white_player_id", Kind::Text),
    column("white_external_id", Kind::Text),
    column("white_username", Kind::Text),
    column("white_player_type", Kind::Text),
    column("white_rating", Kind::Integer),
    column("black_player_id", Kind::Text),
    column("black_external_id", Kind::Text),
    column("black_username", Kind::Text),
    column("black_player_type", Kind::Text),
    column("black_rating", Kind::Integer),
    column("time_initial_sec", Kind::Integer),
    column("time_increment_sec", Kind::Integer),
    column("initial_stake_amount", Kind::Integer),
    column("final_stake_amount", Kind::Integer),
    column("stake_currency", Kind::Text),
    column("white_money_delta", Kind::Real),
    column("black_money_delta", Kind::Real),
    column("initial_position_id", Kind::Integer),
    column("final_position_id", Kind::Integer),
    column("metadata_json", Kind::Json),
];

const TURNS: &[Column] = &[
    key("game_id", Kind::Text),
    key("turn_number", Kind::Integer),
    column("active_color", Kind::Text),
    column("dice_sorted", Kind::Text),
    column("played_moves", Kind::Texts),
    column("position_id", Kind::Integer),
    column("position_after_id", Kind::Integer),
    column("thinking_time_ms", Kind::Integer),
    column("is_partial", Kind::Flag),
];

const POSITIONS: &[Column] = &[
    key("id", Kind::Integer),
    column("normalized_fen", Kind::Text),
    column("fen_hash", Kind::Integer),
    column("piece_placement", Kind::Text),
    column("active_color", Kind::Text),
    column("castling", Kind::Text),
    column("en_passant", Kind::Text),
    column("first_seen", Kind::Timestamp),
];

const RAW: &[Column] = &[
    key("id", Kind::Text),
    column("started_at", Kind::Timestamp),
    column("received_at", Kind::Timestamp),
    column("replaced_at", Kind::Timestamp),
    key("body", Kind::Json),
];

impl ExportTable {
    /// All tables.
    pub const ALL: [Self; 4] = [Self::Games, Self::Turns, Self::Positions, Self::Raw];

    /// Its name on the command line and in file names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Games => "games",
            Self::Turns => "turns",
            Self::Positions => "positions",
            Self::Raw => "raw",
        }
    }

    /// Its columns in order.
    pub fn columns(self) -> &'static [Column] {
        match self {
            Self::Games => GAMES,
            Self::Turns => TURNS,
            Self::Positions => POSITIONS,
            Self::Raw => RAW,
        }
    }
}
