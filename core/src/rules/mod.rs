//! The rules of Dice Chess, in the site's dialect.
//!
//! Decides which turns are legal and what they do to a position:
//!
//! - pieces move as in chess; there is no check, and the game is won by capturing the king;
//! - a die lets a piece of its type make one micro-move, each die is used once, the order is free;
//! - the maximum rule (`turns`): a turn uses as many dice as any sequence can, unless it captures
//!   the king;
//! - castling needs a king die and a rook die;
//! - en-passant targets, of which there can be several, stay capturable through the whole of the
//!   opponent's turn;
//! - no micro-move at all is a pass, and the side to move flips after every turn.
//!
//! | file | decides |
//! |---|---|
//! | `position` | what a micro-move and the end of a turn do |
//! | `castling` | castling rights as X-FEN |
//! | `micro_move` | how a micro-move is spelled |
//! | `generate` | which micro-moves dice allow |
//! | `turns` | which sequences are turns |
//! | `judge` | whether one played sequence is a turn |
//! | `dfen` | FEN, DFEN and the normalised FEN |
//!
//! Leaves to others how a recorded game is cut into turns ([`crate::normalise`]) and how a whole
//! game is replayed ([`crate::replay`]).

mod castling;
mod dfen;
mod generate;
mod judge;
mod micro_move;
mod position;
mod turns;

pub use dfen::{Dfen, InvalidFen};
pub use judge::{IllegalTurn, JudgedTurn, TurnKind};
pub use micro_move::{InvalidUciMove, MicroMove, UciMove};
pub use position::Position;
