//! What a turn adds to position statistics, in which a game counts once.
//!
//! Decides for each turn whether its position, its position and roll, or its position, roll and
//! outcome are new in this game.

use std::collections::{HashMap, HashSet};

use super::GoldPosition;

/// What a game has seen so far.
#[derive(Debug)]
pub(super) struct Novelties {
    /// For each position of the game the first place where it stands.
    first_places: Vec<usize>,
    positions: HashSet<usize>,
    rolls: HashSet<(usize, String)>,
    continuations: HashSet<(usize, String, usize)>,
}

impl Novelties {
    pub(super) fn of(positions: &[GoldPosition]) -> Self {
        let mut first = HashMap::with_capacity(positions.len());
        let fens = positions.iter().map(|position| position.fen.as_str());
        let place = |(place, fen)| *first.entry(fen).or_insert(place);
        Self {
            first_places: fens.enumerate().map(place).collect(),
            positions: HashSet::new(),
            rolls: HashSet::new(),
            continuations: HashSet::new(),
        }
    }

    /// Notes the turn that leads from position `place` to the next one: 3 for a new position,
    /// 2 for a new roll in it, 1 for a new continuation of that, 0 for a repetition or no change.
    pub(super) fn note(&mut self, place: usize, dice: &str) -> u8 {
        let (before, after) = (self.first_places[place], self.first_places[place + 1]);
        if before == after {
            return 0;
        }
        let continues = self.continuations.insert((before, dice.to_owned(), after));
        let rolls = self.rolls.insert((before, dice.to_owned()));
        let reaches = self.positions.insert(before);
        u8::from(continues) + u8::from(rolls) + u8::from(reaches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_in_a_game() {
        let fens = ["a", "b", "a", "c", "a", "b", "a", "b", "b"];
        let positions = fens.map(|fen| GoldPosition { fen: fen.to_owned(), hash: 0 });
        let mut novelties = Novelties::of(&positions);
        let rolls = ["P", "p", "P", "p", "P", "p", "N", "n"];
        let noted: Vec<u8> =
            rolls.iter().enumerate().map(|(place, dice)| novelties.note(place, dice)).collect();
        assert_eq!(noted, [3, 3, 1, 3, 0, 0, 2, 0]);
    }
}
