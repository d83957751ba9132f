//! FEN and DFEN: reading and printing positions.
//!
//! DFEN is six FEN fields and an optional seventh, the dice left in the pool (`PNB` for White,
//! `pnb` for Black, `-` for none). The site's records carry four to six fields; missing counters
//! are 0 and 1. The fourth field may hold several en-passant squares (`a3c3e3`).
//!
//! A **normalised FEN** is the first four fields with only those en-passant squares on which a
//! pawn of the side to move stands ready to capture, whatever the dice.

use std::fmt;
use std::str::FromStr;

use shakmaty::{Bitboard, Board, Color, File, Square, attacks};
use thiserror::Error;
use xxhash_rust::xxh64::xxh64;

use super::castling::CastlingRights;
use super::position::Position;
use crate::dice::{InvalidRoll, Pool, Roll};

/// Why a text is no FEN.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InvalidFen {
    /// Fewer than four fields, or more than there can be.
    #[error("a FEN has 4 to 6 fields, not {0}")]
    FieldCount(usize),
    /// The first field describes no board.
    #[error("unreadable board {0:?}")]
    Board(String),
    /// The second field is neither `w` nor `b`.
    #[error("unknown side to move {0:?}")]
    Turn(String),
    /// The third field has a character that means nothing there.
    #[error("unreadable castling rights {0:?}")]
    Castling(String),
    /// The fourth field is no list of squares.
    #[error("unreadable en-passant squares {0:?}")]
    EnPassant(String),
    /// A counter is no number.
    #[error("unreadable move counter {0:?}")]
    Counter(String),
    /// The seventh field of a DFEN is no pool of dice.
    #[error("unreadable dice: {0}")]
    Dice(#[from] InvalidRoll),
}

/// A position and the dice left in the turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dfen {
    /// The position.
    pub position: Position,
    /// The dice left; empty between turns.
    pub pool: Pool,
}

impl FromStr for Position {
    type Err = InvalidFen;

    /// Reads a FEN of 4 to 6 fields.
    fn from_str(fen: &str) -> Result<Self, InvalidFen> {
        let (fields, count) = split_fields(fen);
        if !(4..=6).contains(&count) {
            return Err(InvalidFen::FieldCount(count));
        }
        parse_fields(&fields[..count])
    }
}

impl FromStr for Dfen {
    type Err = InvalidFen;

    /// Reads a FEN of 4 to 6 fields or a DFEN of 7. Letters of either case are taken as dice of
    /// the side to move.
    fn from_str(dfen: &str) -> Result<Self, InvalidFen> {
        let (fields, count) = split_fields(dfen);
        if !(4..=7).contains(&count) {
            return Err(InvalidFen::FieldCount(count));
        }
        let position = parse_fields(&fields[..count.min(6)])?;
        let pool = match fields[6] {
            "" | "-" => Pool::default(),
            letters => Roll::from_letters(letters)?.pool(),
        };
        Ok(Self { position, pool })
    }
}

/// Prints six fields.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = self.four_fields(self.en_passant);
        write!(f, "{fields} {} {}", self.halfmoves, self.fullmoves)
    }
}

/// Prints seven fields.
impl fmt::Display for Dfen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.position, self.pool.letters(self.position.turn))
    }
}

impl Position {
    /// The first four fields with only the en-passant squares that the side to move can capture
    /// on, in alphabetical order.
    pub fn normalized_fen(&self) -> String {
        self.four_fields(self.ready_targets())
    }

    /// The signed XXH64 (seed 0) of the normalised FEN's UTF-8 bytes.
    pub fn fen_hash(&self) -> i64 {
        xxh64(self.normalized_fen().as_bytes(), 0).cast_signed()
    }

    /// The targets on which one of the side to move's pawns stands ready.
    fn ready_targets(&self) -> Bitboard {
        let pawns = self.own(self.turn, shakmaty::Role::Pawn);
        let is_ready = |target: &Square| {
            // A pawn attacks a square from where an opposing pawn on it would attack.
            (attacks::pawn_attacks(self.turn.other(), *target) & pawns).any()
        };
        self.capturable_targets().into_iter().filter(is_ready).collect()
    }

    fn four_fields(&self, targets: Bitboard) -> String {
        let mut out = format!("{} {} ", self.board.board_fen(), self.turn.char());
        self.castling.print(&self.board, &mut out);
        out.push(' ');
        if targets.is_empty() {
            out.push('-');
        }
        for file in File::ALL {
            for square in targets & Bitboard::from_file(file) {
                out.push(square.file().char());
                out.push(square.rank().char());
            }
        }
        out
    }
}

/// The fields (at most seven, the rest empty) and how many there are.
fn split_fields(text: &str) -> ([&str; 7], usize) {
    let mut fields = [""; 7];
    let mut count = 0;
    for field in text.split_ascii_whitespace() {
        if let Some(place) = fields.get_mut(count) {
            *place = field;
        }
        count += 1;
    }
    (fields, count)
}

fn parse_fields(fields: &[&str]) -> Result<Position, InvalidFen> {
    let quote = |field: &str| field.chars().take(90).collect::<String>();
    let board = Board::from_ascii_board_fen(fields[0].as_bytes())
        .map_err(|_| InvalidFen::Board(quote(fields[0])))?;
    let turn = match fields[1] {
        "w" => Color::White,
        "b" => Color::Black,
        other => return Err(InvalidFen::Turn(quote(other))),
    };
    let castling = CastlingRights::parse(fields[2], &board)
        .ok_or_else(|| InvalidFen::Castling(quote(fields[2])))?;
    let en_passant =
        parse_targets(fields[3]).ok_or_else(|| InvalidFen::EnPassant(quote(fields[3])))?;
    let counter = |place: usize, default: u32| match fields.get(place) {
        Some(text) => text.parse().map_err(|_| InvalidFen::Counter(quote(text))),
        None => Ok(default),
    };
    let (halfmoves, fullmoves) = (counter(4, 0)?, counter(5, 1)?);
    let mut position = Position { board, turn, castling, en_passant, halfmoves, fullmoves };
    position.drop_void_targets();
    Ok(position)
}

fn parse_targets(field: &str) -> Option<Bitboard> {
    if field == "-" {
        return Some(Bitboard::EMPTY);
    }
    let (squares, rest) = field.as_bytes().as_chunks::<2>();
    if !rest.is_empty() || squares.is_empty() {
        return None;
    }
    squares.iter().map(|square| Square::from_ascii(square).ok()).collect()
}
