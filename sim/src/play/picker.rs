//! Which legal turn is played.
//!
//! Decides it by a random walk: micro-moves are tried one after another and each beginning is put
//! before the core's judge, until the judge calls it a turn. That is much faster than choosing from
//! all legal turns, of which there can be over a thousand.

use dicechess_core::dice::Roll;
use dicechess_core::rules::{MicroMove, Position, TurnKind, UciMove};
use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// A micro-move and how the record spells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) micro_move: MicroMove,
    pub(super) uci: UciMove,
}

/// What a player wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Aim {
    /// Not to take the king yet.
    SpareKing,
    /// To take the king.
    TakeKing,
}

/// A legal turn that serves the aim: empty for a pass, `None` when the dice leave only turns that
/// take a king to be spared.
pub(super) fn pick_turn(
    rng: &mut ChaCha8Rng,
    start: &Position,
    roll: Roll,
    aim: Aim,
) -> Option<Vec<Choice>> {
    if !start.has_micro_move(roll.pool()) {
        return Some(Vec::new());
    }
    let mut found = None;
    for _ in 0..aim.tries() {
        let walk = Walk { start, roll, aim, position: start.clone(), path: Vec::new() };
        let Some((turn, takes_king)) = walk.finish(rng) else { continue };
        found = Some(turn);
        if takes_king || aim == Aim::SpareKing {
            break;
        }
    }
    found
}

/// The micro-move that a spelling means in a position, for scripted turns.
pub(super) fn find(position: &Position, codes: &[u8], uci: UciMove) -> Option<Choice> {
    micro_moves(position, codes)
        .into_iter()
        .find(|micro_move| spellings(*micro_move).contains(&uci))
        .map(|micro_move| Choice { micro_move, uci })
}

/// The dice left after a micro-move.
pub(super) fn codes_after(codes: &[u8], micro_move: MicroMove) -> Vec<u8> {
    let used = match micro_move {
        MicroMove::Step { role, .. } => vec![u8::from(role)],
        MicroMove::Castle { .. } => vec![4, 6],
    };
    let mut left = codes.to_vec();
    for code in used {
        if let Some(place) = left.iter().position(|other| *other == code) {
            left.remove(place);
        }
    }
    left
}

impl Aim {
    const fn tries(self) -> usize {
        match self {
            Self::SpareKing => 4,
            Self::TakeKing => 6,
        }
    }
}

struct Walk<'a> {
    start: &'a Position,
    roll: Roll,
    aim: Aim,
    position: Position,
    path: Vec<Choice>,
}

impl Walk<'_> {
    /// Walks on until the path is a turn; tells whether it takes the king.
    fn finish(mut self, rng: &mut ChaCha8Rng) -> Option<(Vec<Choice>, bool)> {
        let mut codes: Vec<u8> = self.roll.codes().collect();
        loop {
            let (choice, kind) = self.next_step(rng, &codes)?;
            let takes_king = self.position.captures_king(choice.micro_move);
            self.position.play(choice.micro_move);
            self.path.push(choice);
            if kind == TurnKind::Complete {
                return Some((self.path, takes_king));
            }
            codes = codes_after(&codes, choice.micro_move);
        }
    }

    fn next_step(&self, rng: &mut ChaCha8Rng, codes: &[u8]) -> Option<(Choice, TurnKind)> {
        let mut candidates = micro_moves(&self.position, codes);
        candidates.shuffle(rng);
        let takes_king = |micro_move: &MicroMove| self.position.captures_king(*micro_move);
        match self.aim {
            Aim::SpareKing => candidates.retain(|candidate| !takes_king(candidate)),
            Aim::TakeKing => candidates.sort_by_key(|candidate| !takes_king(candidate)),
        }
        candidates.into_iter().find_map(|micro_move| {
            let choice = Choice { micro_move, uci: random_spelling(rng, micro_move) };
            self.judge(choice).map(|kind| (choice, kind))
        })
    }

    /// What the path with one more micro-move is, if anything. A king's step can be spelled as
    /// castling is: then the judge may have read the other one, which is not what would be played.
    fn judge(&self, choice: Choice) -> Option<TurnKind> {
        let moves: Vec<UciMove> = self.path.iter().chain([&choice]).map(|c| c.uci).collect();
        let turn = self.start.judge(self.roll, &moves).ok()?;
        let mut meant = self.position.clone();
        meant.play(choice.micro_move);
        (turn.after == meant).then_some(turn.kind)
    }
}

/// All micro-moves that dice allow: with a single die each legal turn is one micro-move.
fn micro_moves(position: &Position, codes: &[u8]) -> Vec<MicroMove> {
    let mut found = Vec::new();
    for (index, code) in codes.iter().enumerate() {
        if !codes[..index].contains(code) {
            found.extend(turns(position, &[*code]).into_iter().flatten());
        }
    }
    if codes.contains(&4) && codes.contains(&6) {
        let firsts = turns(position, &[4, 6]).into_iter().filter_map(|turn| turn.first().copied());
        found.extend(firsts.filter(|first| matches!(first, MicroMove::Castle { .. })));
    }
    found
}

fn turns(position: &Position, codes: &[u8]) -> Vec<Vec<MicroMove>> {
    let roll = Roll::from_codes(codes).expect("the codes are part of a roll");
    position.legal_turns(roll)
}

/// Castling can be written as the king's move and as king takes rook.
fn spellings(micro_move: MicroMove) -> Vec<UciMove> {
    let mut spellings = vec![micro_move.to_uci()];
    if let MicroMove::Castle { king, rook, .. } = micro_move {
        spellings.push(UciMove { from: king, to: rook, promotion: None });
    }
    spellings
}

fn random_spelling(rng: &mut ChaCha8Rng, micro_move: MicroMove) -> UciMove {
    let spellings = spellings(micro_move);
    let is_odd = spellings.len() > 1 && rng.random_bool(0.2);
    spellings[usize::from(is_odd)]
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn a_step_that_only_castling_makes_legal_is_not_played() {
        // The king's step to c1 uses two dice, castling with the same spelling three.
        let fen = "b1rkqbrn/pppppppp/1n6/8/1P6/5P2/PNPPP1PP/BR1KQBRN w KQk - 0 1";
        let start: Position = fen.parse().unwrap();
        let roll = Roll::from_codes(&[4, 1, 6]).unwrap();
        for seed in 0..200 {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let turn = pick_turn(&mut rng, &start, roll, Aim::SpareKing).unwrap();
            let played: Vec<MicroMove> = turn.iter().map(|choice| choice.micro_move).collect();
            let mut dice: Vec<u8> = roll.codes().collect();
            for micro_move in &played {
                dice = codes_after(&dice, *micro_move);
            }
            assert!(dice.is_empty(), "{played:?} leaves {dice:?}");
        }
    }
}
