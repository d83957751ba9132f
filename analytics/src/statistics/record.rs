//! Wins, draws and losses.

/// How many games were played and how they ended, from one side's point of view.
///
/// ```
/// use dicechess_analytics::statistics::Record;
/// let record = Record::of([Some(1), Some(0), Some(-1), Some(1), None]);
/// assert_eq!((record.games, record.decided()), (5, 4));
/// assert_eq!(record.win_rate(), 0.625);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Record {
    /// All games, also those without a result.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Record {
    /// The record of games with these results: 1 won, 0 drawn, -1 lost, none undecided.
    pub fn of(results: impl IntoIterator<Item = Option<i64>>) -> Self {
        let mut record = Self::default();
        results.into_iter().for_each(|result| record.add(result, 1));
        record
    }

    /// Adds games that ended alike.
    pub fn add(&mut self, result: Option<i64>, games: u64) {
        self.games += games;
        match result {
            Some(1) => self.wins += games,
            Some(0) => self.draws += games,
            Some(-1) => self.losses += games,
            _ => {}
        }
    }

    /// The same games from the other side's point of view.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self { wins: self.losses, losses: self.wins, ..self }
    }

    /// Games with a result.
    pub const fn decided(self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// `(wins + draws / 2) / decided`, 0 when nothing is decided.
    pub fn win_rate(self) -> f64 {
        match self.decided() {
            0 => 0.0,
            decided => (self.wins as f64 + 0.5 * self.draws as f64) / decided as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_decided_is_a_rate_of_zero() {
        assert_eq!(Record::default().win_rate(), 0.0);
        let undecided = Record::of([None, None]);
        assert_eq!((undecided.games, undecided.decided(), undecided.win_rate()), (2, 0, 0.0));
    }

    #[test]
    fn the_other_side() {
        let record = Record { games: 7, wins: 3, draws: 1, losses: 2 };
        assert_eq!(record.reversed(), Record { games: 7, wins: 2, draws: 1, losses: 3 });
        assert_eq!(record.win_rate() + record.reversed().win_rate(), 1.0);
    }
}
