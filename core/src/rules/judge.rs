//! Is what was played a legal turn?
//!
//! Decides it without enumerating all turns: the played moves are followed, and only when they
//! leave dice unused is the greatest number of usable dice searched for, with early exit.

use shakmaty::Color;
use thiserror::Error;

use super::generate::pool_after;
use super::micro_move::UciMove;
use super::position::Position;
use super::turns::{can_capture_king, can_use_more_than, greatest_dice};
use crate::dice::{Pool, Roll};

/// What a played sequence amounts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnKind {
    /// A legal turn; without moves, a pass.
    Complete,
    /// A non-empty proper beginning of a legal turn. The receiver accepts it only as the last turn
    /// of a game that ended by time, agreement or resignation.
    Partial,
}

/// A played sequence that follows the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedTurn {
    /// The position after the last micro-move, with the turn not yet ended.
    pub after: Position,
    /// Whether it is a whole turn.
    pub kind: TurnKind,
    /// The side whose king was captured.
    pub captured_king: Option<Color>,
}

/// The played sequence is no legal turn and no beginning of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("illegal move sequence")]
pub struct IllegalTurn;

impl Position {
    /// Judges the moves played with a roll. Empty moves are legal only as a pass.
    ///
    /// # Errors
    /// The moves are neither a legal turn nor the beginning of one.
    ///
    /// ```
    /// use dicechess_core::{dice::Roll, rules::{Position, TurnKind}};
    /// let start: Position = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".parse().unwrap();
    /// let roll = Roll::from_codes(&[1, 2, 5]).unwrap();
    /// let moves = ["b1c3", "e2e4", "d1f3"].map(|uci| uci.parse().unwrap());
    /// assert_eq!(start.judge(roll, &moves).unwrap().kind, TurnKind::Complete);
    /// assert_eq!(start.judge(roll, &moves[..2]).unwrap().kind, TurnKind::Partial);
    /// assert!(start.judge(roll, &[]).is_err());
    /// ```
    pub fn judge(&self, roll: Roll, moves: &[UciMove]) -> Result<JudgedTurn, IllegalTurn> {
        if moves.is_empty() {
            let kind = TurnKind::Complete;
            let pass = JudgedTurn { after: self.clone(), kind, captured_king: None };
            return if self.has_micro_move(roll.pool()) { Err(IllegalTurn) } else { Ok(pass) };
        }
        let follow = Follow { start: self, roll };
        follow.rest(self.clone(), roll.pool(), 0, moves).ok_or(IllegalTurn)
    }
}

struct Follow<'a> {
    start: &'a Position,
    roll: Roll,
}

impl Follow<'_> {
    /// Follows the rest of the moves in every reading; a complete turn is preferred to a part.
    fn rest(
        &self,
        position: Position,
        pool: Pool,
        used: u8,
        moves: &[UciMove],
    ) -> Option<JudgedTurn> {
        let Some((uci, rest)) = moves.split_first() else {
            return self.end(position, pool, used);
        };
        let mut partial = None;
        for micro_move in position.readings(pool, *uci) {
            let captures_king = position.captures_king(micro_move);
            let mut next = position.clone();
            next.play(micro_move);
            let judged = if captures_king {
                let captured_king = Some(position.turn().other());
                let kind = TurnKind::Complete;
                rest.is_empty().then_some(JudgedTurn { after: next, kind, captured_king })
            } else {
                self.rest(next, pool_after(pool, micro_move), used + micro_move.dice(), rest)
            };
            match judged {
                Some(turn) if turn.kind == TurnKind::Complete => return Some(turn),
                other => partial = partial.or(other),
            }
        }
        partial
    }

    /// The moves are through and no king was captured.
    fn end(&self, after: Position, pool: Pool, used: u8) -> Option<JudgedTurn> {
        let is_stuck = pool.is_empty() || !after.has_micro_move(pool);
        let kind = if is_stuck {
            let is_greatest =
                pool.is_empty() || !can_use_more_than(used, self.start, self.roll.pool(), 0);
            is_greatest.then_some(TurnKind::Complete)
        } else {
            self.can_become_a_turn(&after, pool, used).then_some(TurnKind::Partial)
        };
        kind.map(|kind| JudgedTurn { after, kind, captured_king: None })
    }

    /// Whether further micro-moves can make a legal turn of what was played.
    fn can_become_a_turn(&self, after: &Position, pool: Pool, used: u8) -> bool {
        let reaches_greatest = greatest_dice(after, pool, used)
            .is_some_and(|dice| !can_use_more_than(dice, self.start, self.roll.pool(), 0));
        reaches_greatest || can_capture_king(after, pool)
    }
}
