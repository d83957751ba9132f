//! The doubling advice.
//!
//! Money play with a dead cube: a double makes every outcome count twice and nobody doubles again.
//! Let `p` be the win rate of the side to move, draws counting half, so that its equity is
//! `2p − 1`. Doubling gains as soon as `p > 1/2`. The opponent who declines loses one stake, the
//! one who accepts expects to lose `2(2p − 1)`; accepting is right while `2(2p − 1) ≤ 1`, that is
//! while his own win rate is at least 25 % (`p ≤ 3/4`). (E. B. Keeler and J. Spencer, "Optimal
//! doubling in backgammon", Operations Research 23, 1975; R. Janowski, "Take points in money
//! games", 1993.)

use serde::Serialize;

use super::super::inference::Interval;
use super::super::record::Record;

/// Above this win rate doubling gains.
pub const DOUBLE_POINT: f64 = 0.5;

/// Above this win rate the opponent does better to decline; one less his take point of 25 %.
pub const CASH_POINT: f64 = 0.75;

/// An interval wider than this says too little for any advice.
pub const WIDEST_INTERVAL: f64 = 0.2;

/// What the reckoning says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubling {
    /// The win rate is 50 % or less: do not double.
    NoDouble,
    /// Double; the opponent does right to accept.
    DoubleTake,
    /// Double; the opponent does right to decline.
    DoublePass,
}

/// Advice, as far as the games allow one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Advice {
    /// The interval is wider than [`WIDEST_INTERVAL`].
    TooFewGames,
    /// The whole interval gives the same answer.
    Clear {
        /// The answer.
        doubling: Doubling,
    },
    /// The estimate gives the answer, but the interval reaches into others.
    Close {
        /// The answer of the estimate.
        doubling: Doubling,
        /// The answer at the lower end.
        from: Doubling,
        /// The answer at the upper end.
        to: Doubling,
    },
}

impl Doubling {
    fn at(win_rate: f64) -> Self {
        if win_rate > CASH_POINT {
            Self::DoublePass
        } else if win_rate > DOUBLE_POINT {
            Self::DoubleTake
        } else {
            Self::NoDouble
        }
    }

    /// In words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::NoDouble => "no double",
            Self::DoubleTake => "double, take",
            Self::DoublePass => "double, pass",
        }
    }
}

impl Advice {
    /// The advice that a record allows.
    pub fn of(record: &Record) -> Self {
        let usable = |interval: &Interval| interval.width() <= WIDEST_INTERVAL;
        let Some(Interval { low, high }) = record.interval.filter(usable) else {
            return Self::TooFewGames;
        };
        let doubling = Doubling::at(record.win_rate);
        let (from, to) = (Doubling::at(low), Doubling::at(high));
        if from == to { Self::Clear { doubling } } else { Self::Close { doubling, from, to } }
    }

    /// In words.
    pub(super) fn words(self) -> String {
        match self {
            Self::TooFewGames => format!(
                "too few games: the interval is wider than {:.0} points",
                WIDEST_INTERVAL * 100.0
            ),
            Self::Clear { doubling } => doubling.words().to_owned(),
            Self::Close { doubling, from, to } => format!(
                "probably {}, but the interval reaches from \"{}\" to \"{}\"",
                doubling.words(),
                from.words(),
                to.words()
            ),
        }
    }
}

/// What the advice takes for granted.
pub(super) fn assumptions() -> Vec<String> {
    [
        "Win rate = (wins + half the draws) / decided games over all games that reached the \
         position, whoever played them, before the side to move rolls. 95% Wilson interval.",
        "Money play, cubeless (dead cube): every stake is worth the same, nobody doubles again, \
         there is no rake. Then doubling gains above 50%, and the opponent should accept with \
         25% or more.",
        "A live cube shifts both: holding it has value, so near 50% do not hurry to double, and a \
         take can be right with a little less than 25%. A rake makes taking a little worse.",
        "In x2 games a declined double counts as a loss of the side that declined, which moves \
         the win rate away from the position's own; classic games are free of that (--mode).",
    ]
    .map(ToOwned::to_owned)
    .to_vec()
}

#[cfg(test)]
mod tests {
    use super::super::super::record::Tally;
    use super::*;

    fn advice(wins: u64, draws: u64, losses: u64) -> Advice {
        Advice::of(&Tally { games: wins + draws + losses, wins, draws, losses }.record())
    }

    #[test]
    fn the_three_answers_and_their_borders() {
        assert_eq!(advice(300, 0, 700), Advice::Clear { doubling: Doubling::NoDouble });
        assert_eq!(advice(600, 50, 350), Advice::Clear { doubling: Doubling::DoubleTake });
        assert_eq!(advice(900, 0, 100), Advice::Clear { doubling: Doubling::DoublePass });
        let close = Advice::Close {
            doubling: Doubling::DoubleTake,
            from: Doubling::NoDouble,
            to: Doubling::DoubleTake,
        };
        assert_eq!(advice(510, 0, 490), close);
        assert_eq!(Doubling::at(CASH_POINT), Doubling::DoubleTake);
        assert_eq!(Doubling::at(DOUBLE_POINT), Doubling::NoDouble);
    }

    /// At a win rate of one half the interval of 92 games is 20.02 points wide, of 93 games 19.91.
    #[test]
    fn too_few_games() {
        assert_eq!(advice(0, 0, 0), Advice::TooFewGames);
        assert_eq!(advice(46, 0, 46), Advice::TooFewGames);
        assert_ne!(advice(46, 1, 46), Advice::TooFewGames);
    }

    /// The reckoning behind the take point: at p = 3/4 accepting and declining cost the same.
    #[test]
    fn at_the_cash_point_accepting_costs_what_declining_does() {
        let accepting = 2.0 * (2.0 * CASH_POINT - 1.0);
        assert_eq!(accepting, 1.0);
    }
}
