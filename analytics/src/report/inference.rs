//! Statistics as pure functions of counts.
//!
//! Decides how sure a count lets one be: Wilson intervals, Pearson's chi-square test and Holm's
//! correction. What is counted is each report's matter; the distributions are `statrs`'.

use serde::Serialize;
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// The two-sided 95 % point of the normal distribution.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// The smallest count that every cell must be expected to have for the chi-square distribution to
/// describe the statistic (Cochran 1954).
const LEAST_EXPECTED: f64 = 5.0;

/// An interval of a share, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The result of a chi-square test.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ChiSquareTest {
    /// Pearson's statistic: the sum of `(observed − expected)² / expected`.
    pub chi_square: f64,
    /// Cells less one.
    pub degrees_of_freedom: u32,
    /// How often fair dice give a statistic at least this large.
    pub p_value: f64,
    /// The p-value corrected for every question that the report asks (Holm 1979).
    pub p_holm: f64,
}

impl Interval {
    /// The Wilson score interval at 95 % of `successes` in `trials`; none without trials.
    ///
    /// Draws may count as half a success: the interval is then a little too wide, never too
    /// narrow. (Wilson, "Probable inference, the law of succession, and statistical inference",
    /// 1927.)
    ///
    /// ```
    /// use dicechess_analytics::report::Interval;
    /// let ten_of_twenty = Interval::wilson(10.0, 20).unwrap();
    /// assert!((ten_of_twenty.low - 0.2993).abs() < 1e-4);
    /// assert!((ten_of_twenty.high - 0.7007).abs() < 1e-4);
    /// ```
    pub fn wilson(successes: f64, trials: u64) -> Option<Self> {
        if trials == 0 {
            return None;
        }
        let n = trials as f64;
        let share = successes / n;
        let z2 = Z_95 * Z_95;
        let centre = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let reach = share * (1.0 - share) / n + z2 / (4.0 * n * n);
        let half = Z_95 * reach.max(0.0).sqrt() / (1.0 + z2 / n);
        Some(Self { low: (centre - half).max(0.0), high: (centre + half).min(1.0) })
    }

    /// Whether a share lies in it.
    pub fn contains(self, share: f64) -> bool {
        (self.low..=self.high).contains(&share)
    }

    /// The distance of its ends.
    pub fn width(self) -> f64 {
        self.high - self.low
    }
}

impl ChiSquareTest {
    /// Tests counts against the shares that they should have; none when a cell is expected fewer
    /// than five times, because the test would not mean anything then. `p_holm` is still the plain
    /// p-value: see [`holm`].
    pub fn of(cells: &[(u64, f64)]) -> Option<Self> {
        let total: u64 = cells.iter().map(|(observed, _)| observed).sum();
        let expected = |share: f64| share * total as f64;
        if cells.len() < 2 || cells.iter().any(|(_, share)| expected(*share) < LEAST_EXPECTED) {
            return None;
        }
        let term = |(observed, share): &(u64, f64)| {
            (*observed as f64 - expected(*share)).powi(2) / expected(*share)
        };
        let chi_square: f64 = cells.iter().map(term).sum();
        let degrees_of_freedom = cells.len() as u32 - 1;
        let p_value = chi_square_survival(chi_square, degrees_of_freedom)?;
        Some(Self { chi_square, degrees_of_freedom, p_value, p_holm: p_value })
    }
}

/// How often a chi-square variable is larger than `value`.
fn chi_square_survival(value: f64, degrees_of_freedom: u32) -> Option<f64> {
    let distribution = ChiSquared::new(f64::from(degrees_of_freedom)).ok()?;
    Some(distribution.sf(value).clamp(0.0, 1.0))
}

/// Corrects p-values for having asked as many questions as there are values.
///
/// Holm's step-down procedure: the chance that even one of the fair ones is called unfair stays
/// below the level, whatever the dependence between them. (The groups of a report overlap.)
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut corrected = vec![0.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, index) in order.into_iter().enumerate() {
        let questions_left = (p_values.len() - rank) as f64;
        largest = largest.max((p_values[index] * questions_left).min(1.0));
        corrected[index] = largest;
    }
    corrected
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, relative: f64) {
        assert!((found - expected).abs() <= relative * expected.abs(), "{found} {expected}");
    }

    /// NIST/SEMATECH e-Handbook, 1.3.6.7.4, upper critical values; and the closed form for two
    /// degrees of freedom, exp(−x/2), far out in the tail.
    #[test]
    fn chi_square_survival_matches_the_tables() {
        for (value, degrees_of_freedom, p) in [
            (3.841, 1, 0.05),
            (5.991, 2, 0.05),
            (9.210, 2, 0.01),
            (10.828, 1, 0.001),
            (73.311, 55, 0.05),
            (93.168, 55, 0.001),
        ] {
            close(chi_square_survival(value, degrees_of_freedom).unwrap(), p, 2e-3);
        }
        close(chi_square_survival(100.0, 2).unwrap(), (-50.0_f64).exp(), 1e-9);
        assert_eq!(chi_square_survival(0.0, 55), Some(1.0));
    }

    /// Newcombe 1998, table I, method 3: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
    #[test]
    fn wilson_intervals_match_newcombe() {
        for (successes, trials, low, high) in [
            (81.0, 263, 0.2553, 0.3662),
            (15.0, 148, 0.0624, 0.1605),
            (0.0, 20, 0.0, 0.1611),
            (1.0, 29, 0.0061, 0.1718),
        ] {
            let interval = Interval::wilson(successes, trials).unwrap();
            assert!((interval.low - low).abs() < 5e-5, "{interval:?}");
            assert!((interval.high - high).abs() < 5e-5, "{interval:?}");
        }
        assert_eq!(Interval::wilson(0.0, 0), None);
        assert_eq!(Interval::wilson(7.0, 7).unwrap().high, 1.0);
    }

    /// Mendel's peas against 9:3:3:1: chi-square 0.470 with three degrees of freedom, p 0.925.
    #[test]
    fn mendels_peas() {
        let shares = [9.0, 3.0, 3.0, 1.0].map(|share| share / 16.0);
        let cells: Vec<_> = [315, 101, 108, 32].into_iter().zip(shares).collect();
        let test = ChiSquareTest::of(&cells).unwrap();
        close(test.chi_square, 0.470, 1e-3);
        close(test.p_value, 0.925, 1e-3);
        assert_eq!(test.degrees_of_freedom, 3);
    }

    #[test]
    fn a_test_needs_five_in_every_cell() {
        assert_eq!(ChiSquareTest::of(&[(5, 0.5), (4, 0.5)]), None);
        assert!(ChiSquareTest::of(&[(5, 0.5), (5, 0.5)]).is_some());
        assert_eq!(ChiSquareTest::of(&[(50, 1.0)]), None);
    }

    /// 46.1 % doubles and triples over 50,149 rolls is out of the question for fair dice; over a
    /// hundred rolls it is what fair dice do.
    #[test]
    fn the_publicly_measured_share_depends_on_the_sample() {
        let fair = 96.0 / 216.0;
        let test = |many: u64, all: u64| {
            ChiSquareTest::of(&[(many, fair), (all - many, 1.0 - fair)]).unwrap()
        };
        let large = test(23_119, 50_149);
        close(large.chi_square, 55.722, 1e-3);
        assert!(large.p_value < 1e-12 && large.p_value > 0.0, "{large:?}");
        assert!(!Interval::wilson(23_119.0, 50_149).unwrap().contains(fair));
        assert!(test(46, 100).p_value > 0.7);
        assert!(Interval::wilson(46.0, 100).unwrap().contains(fair));
    }

    /// Holm 1979's rule by hand: 4 × 0.005, 3 × 0.01, 2 × 0.03, and 0.04 raised to the one before.
    #[test]
    fn holm_by_hand() {
        let corrected = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (found, expected) in corrected.into_iter().zip([0.03, 0.06, 0.06, 0.02]) {
            close(found, expected, 1e-12);
        }
        assert_eq!(holm(&[0.7, 0.6]), [1.0, 1.0]);
        assert_eq!(holm(&[]), [0.0; 0]);
    }
}
