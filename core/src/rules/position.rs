//! A position inside or between turns, and what one micro-move or the end of a turn does to it.
//!
//! Decides the bookkeeping: captures, castling rights, en-passant targets, clocks. Whether a
//! micro-move is allowed is [`super::generate`]'s and [`super::judge`]'s matter.

use shakmaty::{Bitboard, Board, CastlingSide, Color, Piece, Rank, Role, Square};

use super::castling::CastlingRights;
use super::micro_move::MicroMove;

/// Board, side to move, castling rights, en-passant targets and move counters.
///
/// Several en-passant targets can exist at once. Those on the side to move's far side (rank 6 for
/// White, rank 3 for Black) can be captured now; the others are its own new ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Position {
    pub(super) board: Board,
    pub(super) turn: Color,
    pub(super) castling: CastlingRights,
    pub(super) en_passant: Bitboard,
    pub(super) halfmoves: u32,
    pub(super) fullmoves: u32,
}

impl Position {
    /// The pieces on the board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Makes the other side the one to move without ending a turn: for records whose active colour
    /// is stale, where the colour of the dice is known.
    pub fn set_turn(&mut self, turn: Color) {
        self.turn = turn;
    }

    /// The en-passant targets of both sides.
    pub fn en_passant(&self) -> Bitboard {
        self.en_passant
    }

    /// The side whose king is gone, if one is.
    pub fn missing_king(&self) -> Option<Color> {
        Color::ALL.into_iter().find(|color| self.own(*color, Role::King).is_empty())
    }

    /// Plays one micro-move of the side to move and returns the type of the captured piece.
    /// The micro-move must come from this position; the side to move stays the same.
    pub fn play(&mut self, micro_move: MicroMove) -> Option<Role> {
        match micro_move {
            MicroMove::Castle { king, rook, side } => {
                self.castle(king, rook, side);
                None
            }
            MicroMove::Step { role, from, to, promotion } => self.step(role, from, to, promotion),
        }
    }

    /// Ends the turn: the side to move flips, also after a king capture, and the en-passant
    /// targets that could have been captured in this turn are gone.
    pub fn end_turn(&mut self) {
        self.en_passant = self.en_passant.without(capturable_rank(self.turn));
        if self.turn.is_black() {
            self.fullmoves = self.fullmoves.saturating_add(1);
        }
        self.turn = self.turn.other();
    }

    /// The en-passant targets that a pawn of the side to move may capture on, whether or not a
    /// pawn stands ready.
    pub(super) fn capturable_targets(&self) -> Bitboard {
        self.en_passant & capturable_rank(self.turn)
    }

    pub(super) fn own(&self, color: Color, role: Role) -> Bitboard {
        self.board.by_color(color) & self.board.by_role(role)
    }

    /// Drops the targets that stand for nothing: occupied ones and those without their pawn.
    pub(super) fn drop_void_targets(&mut self) {
        if self.en_passant.is_empty() {
            return;
        }
        let white_pawns = self.own(Color::White, Role::Pawn) & Bitboard::from_rank(Rank::Fourth);
        let black_pawns = self.own(Color::Black, Role::Pawn) & Bitboard::from_rank(Rank::Fifth);
        let backed = white_pawns.shift(-8) | black_pawns.shift(8);
        self.en_passant &= backed & !self.board.occupied();
    }

    fn castle(&mut self, king: Square, rook: Square, side: CastlingSide) {
        self.board.discard_piece_at(king);
        self.board.discard_piece_at(rook);
        self.board.set_piece_at(side.king_to(self.turn), Role::King.of(self.turn));
        self.board.set_piece_at(side.rook_to(self.turn), Role::Rook.of(self.turn));
        self.castling.clear_side(self.turn);
        self.halfmoves = self.halfmoves.saturating_add(1);
    }

    fn step(
        &mut self,
        role: Role,
        from: Square,
        to: Square,
        promotion: Option<Role>,
    ) -> Option<Role> {
        let captured = self.take(role, from, to);
        self.board.discard_piece_at(from);
        self.board.set_piece_at(to, Piece { color: self.turn, role: promotion.unwrap_or(role) });
        self.update_castling(role, from, to, captured);
        self.drop_void_targets();
        if role == Role::Pawn && from.distance(to) == 2 {
            let middle = Square::from_coords(from.file(), self.turn.relative_rank(Rank::Third));
            self.en_passant.add(middle);
        }
        self.halfmoves = if role == Role::Pawn || captured.is_some() {
            0
        } else {
            self.halfmoves.saturating_add(1)
        };
        captured
    }

    /// Removes what the step captures: on its square or, en passant, beside it.
    fn take(&mut self, role: Role, from: Square, to: Square) -> Option<Role> {
        let en_passant = role == Role::Pawn
            && from.file() != to.file()
            && self.capturable_targets().contains(to);
        let square = if en_passant { Square::from_coords(to.file(), from.rank()) } else { to };
        self.board.remove_piece_at(square).map(|piece| piece.role)
    }

    fn update_castling(&mut self, role: Role, from: Square, to: Square, captured: Option<Role>) {
        if self.castling.is_empty() {
            return;
        }
        if role == Role::King {
            self.castling.clear_side(self.turn);
        }
        if captured == Some(Role::King) {
            self.castling.clear_side(self.turn.other());
        }
        self.castling.clear_rook(from);
        self.castling.clear_rook(to);
    }
}

/// The rank onto which `color` captures en passant.
fn capturable_rank(color: Color) -> Bitboard {
    Bitboard::from_rank(color.relative_rank(Rank::Sixth))
}
