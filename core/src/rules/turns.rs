//! The maximum rule: which sequences of micro-moves are turns.
//!
//! A sequence is complete when it captures the king or when the dice left allow no further
//! micro-move. A complete sequence that captures the king is a legal turn at any length. Of the
//! complete sequences that do not, only those that use the greatest number of dice are legal
//! turns (dice, not moves: castling uses two).

use std::ops::ControlFlow;

use shakmaty::Role;

use super::generate::pool_after;
use super::micro_move::MicroMove;
use super::position::Position;
use crate::dice::{Pool, ROLES, Roll};

impl Position {
    /// All legal turns, each as its micro-moves in order. No turn at all is a pass.
    ///
    /// There can be over a thousand; to judge one played turn use [`Position::judge`].
    pub fn legal_turns(&self, roll: Roll) -> Vec<Vec<MicroMove>> {
        let mut found = Enumeration { turns: Vec::new(), path: Vec::new(), greatest: 0 };
        found.descend(self, roll.pool(), 0);
        let greatest = found.greatest;
        let is_turn = |found: &Complete| found.captures_king || found.dice == greatest;
        found.turns.into_iter().filter(is_turn).map(|complete| complete.moves).collect()
    }
}

/// A complete sequence.
struct Complete {
    moves: Vec<MicroMove>,
    dice: u8,
    captures_king: bool,
}

struct Enumeration {
    turns: Vec<Complete>,
    path: Vec<MicroMove>,
    /// The greatest number of dice that a sequence without a king capture uses.
    greatest: u8,
}

impl Enumeration {
    fn descend(&mut self, position: &Position, pool: Pool, used: u8) {
        let mut stuck = true;
        let _ = position.for_each_micro_move(pool, |micro_move| {
            stuck = false;
            self.path.push(micro_move);
            let used = used + micro_move.dice();
            if position.captures_king(micro_move) {
                self.keep(used, true);
            } else {
                let mut next = position.clone();
                next.play(micro_move);
                self.descend(&next, pool_after(pool, micro_move), used);
            }
            self.path.pop();
            ControlFlow::Continue(())
        });
        if stuck && used > 0 {
            self.greatest = self.greatest.max(used);
            self.keep(used, false);
        }
    }

    fn keep(&mut self, dice: u8, captures_king: bool) {
        self.turns.push(Complete { moves: self.path.clone(), dice, captures_king });
    }
}

/// Whether some complete sequence that leaves the king alone uses more than `floor` dice, `used`
/// of which are already played. Stops at the first one.
pub(super) fn can_use_more_than(floor: u8, position: &Position, pool: Pool, used: u8) -> bool {
    if used + playable_dice(position, pool) <= floor {
        return false;
    }
    let mut stuck = true;
    let found = position.for_each_micro_move(pool, |micro_move| {
        stuck = false;
        if position.captures_king(micro_move) {
            return ControlFlow::Continue(());
        }
        let left = pool_after(pool, micro_move);
        let used = used + micro_move.dice();
        if left.is_empty() {
            // All dice are used, so nothing can use more and the sequence is complete.
            return ControlFlow::Break(());
        }
        let mut next = position.clone();
        next.play(micro_move);
        if can_use_more_than(floor, &next, left, used) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    found.is_break() || (stuck && used > floor)
}

/// The greatest number of dice that a complete sequence without a king capture uses, counting the
/// `used` ones, from a position in which a micro-move exists; `None` when every sequence captures
/// the king.
pub(super) fn greatest_dice(position: &Position, pool: Pool, used: u8) -> Option<u8> {
    (used..used + pool.len())
        .rev()
        .find_map(|floor| can_use_more_than(floor, position, pool, used).then_some(floor + 1))
}

/// Whether the dice left can capture the king.
pub(super) fn can_capture_king(position: &Position, pool: Pool) -> bool {
    position
        .for_each_micro_move(pool, |micro_move| {
            let captures = position.captures_king(micro_move) || {
                let mut next = position.clone();
                next.play(micro_move);
                can_capture_king(&next, pool_after(pool, micro_move))
            };
            if captures { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .is_break()
}

/// An upper bound on the dice that can still be used: a die whose piece type the side does not
/// have, and cannot get by promotion in this turn, is dead.
fn playable_dice(position: &Position, pool: Pool) -> u8 {
    let own = |role| position.own(position.turn, role).any();
    let may_promote = pool.contains(Role::Pawn) && own(Role::Pawn);
    ROLES
        .into_iter()
        .filter(|role| own(*role) || (may_promote && !matches!(role, Role::King | Role::Pawn)))
        .map(|role| pool.count(role))
        .sum()
}
