//! Wins, draws and losses.
//!
//! Decides what a win rate is: `(wins + ½ draws) / decided`, where undecided games count in
//! `games` only. Whose point of view it is told from is the caller's matter.

use serde::Serialize;

use super::inference::Interval;

/// Counts of games by outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Tally {
    /// All games, the undecided ones too.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

/// A tally with its win rate and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Record {
    /// The counts.
    #[serde(flatten)]
    pub tally: Tally,
    /// `(wins + ½ draws) / decided`; 0 when nothing is decided.
    pub win_rate: f64,
    /// The 95 % Wilson interval of the win rate; none when nothing is decided.
    pub interval: Option<Interval>,
}

impl Tally {
    /// Counts a game with this outcome: 1, 0, −1, or none for an undecided game.
    pub fn count(&mut self, outcome: Option<i64>) {
        self.games += 1;
        match outcome {
            Some(1) => self.wins += 1,
            Some(0) => self.draws += 1,
            Some(-1) => self.losses += 1,
            _ => {}
        }
    }

    /// Games with an outcome.
    pub fn decided(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// With its win rate.
    pub fn record(self) -> Record {
        let decided = self.decided();
        let points = self.wins as f64 + self.draws as f64 / 2.0;
        let win_rate = if decided == 0 { 0.0 } else { points / decided as f64 };
        Record { tally: self, win_rate, interval: Interval::wilson(points, decided) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undecided_games_are_in_games_only() {
        let mut tally = Tally::default();
        for outcome in [Some(1), Some(1), Some(0), Some(-1), None] {
            tally.count(outcome);
        }
        let record = tally.record();
        assert_eq!((record.tally.games, record.tally.decided()), (5, 4));
        assert_eq!(record.win_rate, 0.625);
        assert_eq!(Tally { games: 3, ..Tally::default() }.record().win_rate, 0.0);
    }
}
