//! Castling rights, read and printed as X-FEN.
//!
//! Decides which rights a position has. `K` and `Q` mean the outermost rook on that side of the
//! king, a file letter names an inner rook. Rights that contradict where king and rooks stand are
//! void, not an error: scraped positions with such rights exist.

use shakmaty::{Bitboard, Board, CastlingSide, Color, File, Role, Square};

/// For each side and wing the square of the rook that may still castle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct CastlingRights {
    rooks: [[Option<Square>; 2]; 2],
}

impl CastlingRights {
    /// Reads the third field of a FEN; `None` when a character means nothing there.
    pub(super) fn parse(field: &str, board: &Board) -> Option<Self> {
        let mut rights = Self::default();
        if field == "-" {
            return Some(rights);
        }
        for letter in field.chars() {
            let color = Color::from_white(letter.is_ascii_uppercase());
            let rook = match letter.to_ascii_lowercase() {
                'k' => outermost_rook(board, color, CastlingSide::KingSide),
                'q' => outermost_rook(board, color, CastlingSide::QueenSide),
                file => {
                    let file = File::from_char(file)?;
                    let square = Square::from_coords(file, color.backrank());
                    (board.by_piece(Role::Rook.of(color)).contains(square)).then_some(square)
                }
            };
            if let (Some(rook), Some(king)) = (rook, castling_king(board, color)) {
                let side = CastlingSide::from_king_side(king < rook);
                rights.rooks[color as usize][side as usize] = Some(rook);
            }
        }
        Some(rights)
    }

    /// Prints the third field of a FEN.
    pub(super) fn print(&self, board: &Board, out: &mut String) {
        if self.is_empty() {
            out.push('-');
            return;
        }
        for color in Color::ALL {
            for (side, letter) in [(CastlingSide::KingSide, 'k'), (CastlingSide::QueenSide, 'q')] {
                if let Some(rook) = self.rook(color, side) {
                    let is_outermost = outermost_rook(board, color, side) == Some(rook);
                    let letter = if is_outermost { letter } else { rook.file().char() };
                    let letter = color.fold_wb(letter.to_ascii_uppercase(), letter);
                    out.push(letter);
                }
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rooks == [[None; 2]; 2]
    }

    pub(super) fn rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        self.rooks[color as usize][side as usize]
    }

    pub(super) fn clear_side(&mut self, color: Color) {
        self.rooks[color as usize] = [None; 2];
    }

    pub(super) fn clear_rook(&mut self, square: Square) {
        for rook in self.rooks.as_flattened_mut() {
            if *rook == Some(square) {
                *rook = None;
            }
        }
    }
}

/// The squares that must be empty but for king and rook: all that either crosses or lands on.
pub(super) fn castling_path(
    king: Square,
    rook: Square,
    side: CastlingSide,
    color: Color,
) -> Bitboard {
    let king_to = side.king_to(color);
    let rook_to = side.rook_to(color);
    (between(king, king_to) | between(rook, rook_to))
        .with(king_to)
        .with(rook_to)
        .without(king)
        .without(rook)
}

/// The squares between two squares of one rank. Castling needs no other lines, and a table of all lines
/// takes 32 kB.
fn between(from: Square, to: Square) -> Bitboard {
    let (low, high) = (from.min(to).to_u32(), from.max(to).to_u32());
    let below = |square: u32| (1u64 << square) - 1;
    let one_rank = Bitboard::from_rank(from.rank());
    Bitboard(below(high) & !below(low)).without(from).without(to) & one_rank
}

/// The king that could castle: the side's only one, on its back rank.
fn castling_king(board: &Board, color: Color) -> Option<Square> {
    let king = board.by_piece(Role::King.of(color)).single_square()?;
    (king.rank() == color.backrank()).then_some(king)
}

fn outermost_rook(board: &Board, color: Color, side: CastlingSide) -> Option<Square> {
    let king = castling_king(board, color)?;
    let rooks = board.by_piece(Role::Rook.of(color)) & Bitboard::from_rank(color.backrank());
    match side {
        CastlingSide::KingSide => rooks.last().filter(|rook| king < *rook),
        CastlingSide::QueenSide => rooks.first().filter(|rook| *rook < king),
    }
}
