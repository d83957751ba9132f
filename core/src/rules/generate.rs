//! The micro-moves that dice allow in a position.
//!
//! Decides which single piece moves exist: pieces move as in chess, there is no check, and a king
//! may be captured. Which sequences of them make a turn is [`super::turns`]' matter.

use std::ops::ControlFlow;

use shakmaty::{Bitboard, CastlingSide, Rank, Role, Square, attacks};

use super::castling::castling_path;
use super::micro_move::{MicroMove, UciMove};
use super::position::Position;
use crate::dice::{Pool, ROLES};

const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

impl Position {
    /// Whether the dice allow any micro-move; if not, the turn is a pass.
    pub fn has_micro_move(&self, pool: Pool) -> bool {
        self.for_each_micro_move(pool, |_| ControlFlow::Break(())).is_break()
    }

    /// Whether a micro-move takes the opponent's king.
    pub fn captures_king(&self, micro_move: MicroMove) -> bool {
        match micro_move {
            MicroMove::Step { to, .. } => self.enemy_king().contains(to),
            MicroMove::Castle { .. } => false,
        }
    }

    /// Calls `visit` with every micro-move that the dice allow until it breaks.
    pub(super) fn for_each_micro_move(
        &self,
        pool: Pool,
        mut visit: impl FnMut(MicroMove) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for role in ROLES.into_iter().filter(|role| pool.contains(*role)) {
            for from in self.own(self.turn, role) {
                for to in self.step_targets(role, from) {
                    self.for_each_promotion(role, from, to, &mut visit)?;
                }
            }
        }
        for side in CastlingSide::ALL {
            if let Some(castle) = self.castling_move(pool, side) {
                visit(castle)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// What a written move can mean here with these dice: nothing, one thing, or, in Chess960, a
    /// king step and a castling.
    pub(super) fn readings(&self, pool: Pool, uci: UciMove) -> impl Iterator<Item = MicroMove> {
        let step = self.step_reading(pool, uci);
        let is_king = self.own(self.turn, Role::King).contains(uci.from);
        let castles = CastlingSide::ALL.map(|side| {
            let castle = self.castling_move(pool, side)?;
            let MicroMove::Castle { king, rook, .. } = castle else { return None };
            let named = king == uci.from && (uci.to == rook || uci.to == side.king_to(self.turn));
            (is_king && named && uci.promotion.is_none()).then_some(castle)
        });
        std::iter::once(step).chain(castles).flatten()
    }

    fn step_reading(&self, pool: Pool, uci: UciMove) -> Option<MicroMove> {
        if !self.board.by_color(self.turn).contains(uci.from) {
            return None;
        }
        let role = self.board.role_at(uci.from)?;
        let promotes = self.promotes(role, uci.to);
        (pool.contains(role)
            && promotes == uci.promotion.is_some()
            && self.step_targets(role, uci.from).contains(uci.to))
        .then_some(MicroMove::Step { role, from: uci.from, to: uci.to, promotion: uci.promotion })
    }

    /// Where a piece of the side to move can go in one step.
    fn step_targets(&self, role: Role, from: Square) -> Bitboard {
        let occupied = self.board.occupied();
        let reach = match role {
            Role::Pawn => return self.pawn_targets(from),
            Role::Knight => attacks::knight_attacks(from),
            Role::Bishop => attacks::bishop_attacks(from, occupied),
            Role::Rook => attacks::rook_attacks(from, occupied),
            Role::Queen => attacks::queen_attacks(from, occupied),
            Role::King => attacks::king_attacks(from),
        };
        reach & !self.board.by_color(self.turn)
    }

    fn pawn_targets(&self, from: Square) -> Bitboard {
        let forward = self.turn.fold_wb(8, -8);
        let empty = !self.board.occupied();
        let one = Bitboard::from_square(from).shift(forward) & empty;
        let on_home_rank = from.rank() == self.turn.relative_rank(Rank::Second);
        let two = if on_home_rank { one.shift(forward) & empty } else { Bitboard::EMPTY };
        let takes = self.board.by_color(self.turn.other()) | self.capturable_targets();
        one | two | (attacks::pawn_attacks(self.turn, from) & takes)
    }

    /// A pawn promotes on the last rank, unless it takes the king there.
    fn promotes(&self, role: Role, to: Square) -> bool {
        role == Role::Pawn
            && to.rank() == self.turn.relative_rank(Rank::Eighth)
            && !self.enemy_king().contains(to)
    }

    fn for_each_promotion(
        &self,
        role: Role,
        from: Square,
        to: Square,
        visit: &mut impl FnMut(MicroMove) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if !self.promotes(role, to) {
            return visit(MicroMove::Step { role, from, to, promotion: None });
        }
        for promotion in PROMOTIONS {
            visit(MicroMove::Step { role, from, to, promotion: Some(promotion) })?;
        }
        ControlFlow::Continue(())
    }

    /// Castling towards a wing, if dice, rights and the squares in between allow it.
    fn castling_move(&self, pool: Pool, side: CastlingSide) -> Option<MicroMove> {
        if !pool.contains(Role::King) || !pool.contains(Role::Rook) {
            return None;
        }
        let rook = self.castling.rook(self.turn, side)?;
        let king = self.own(self.turn, Role::King).single_square()?;
        let path = castling_path(king, rook, side, self.turn);
        let others = self.board.occupied().without(king).without(rook);
        path.is_disjoint(others).then_some(MicroMove::Castle { king, rook, side })
    }

    fn enemy_king(&self) -> Bitboard {
        self.own(self.turn.other(), Role::King)
    }
}

/// The dice left after a micro-move, all of whose dice must be in the pool.
pub(super) fn pool_after(pool: Pool, micro_move: MicroMove) -> Pool {
    match micro_move {
        MicroMove::Step { role, .. } => pool.without(role),
        MicroMove::Castle { .. } => pool.without(Role::King).without(Role::Rook),
    }
}
