//! From values to pixels.
//!
//! Decides where ticks lie: on multiples of 1, 2 or 5 times a power of ten.

/// A linear scale.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// Values `low` to `high` on pixels `from` to `to`. An empty range is widened.
    pub(crate) fn new((low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        let wider = if high > low { 0.0 } else { low.abs().max(1.0) * 0.05 };
        Self { low: low - wider, high: high + wider, from, to }
    }

    /// The scale over all values with a margin at both ends.
    pub(crate) fn around(values: impl Iterator<Item = f64>, pixels: (f64, f64)) -> Self {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let (low, high) = if low > high { (0.0, 1.0) } else { (low, high) };
        let margin = (high - low) * 0.06;
        Self::new((low - margin, high + margin), pixels)
    }

    /// The pixel of a value; values outside lie on the edge.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let share = (value.clamp(self.low, self.high) - self.low) / (self.high - self.low);
        self.from + share * (self.to - self.from)
    }

    /// About `count` round values within the scale.
    pub(crate) fn ticks(&self, count: usize) -> Vec<f64> {
        let step = round_step((self.high - self.low) / count.max(1) as f64);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step).floor() as i64;
        (first..=last).map(|tick| tick as f64 * step).collect()
    }
}

/// The next larger of 1, 2 or 5 times a power of ten.
fn round_step(rough: f64) -> f64 {
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().find(|step| step * power >= rough * 0.999);
    step.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        let scale = Scale::new((0.0, 1.0), (0.0, 100.0));
        assert_eq!(scale.ticks(5), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(scale.at(0.25), 25.0);
        assert_eq!(scale.at(7.0), 100.0);
        assert_eq!(Scale::new((1480.0, 1530.0), (0.0, 1.0)).ticks(5).len(), 6);
    }

    #[test]
    fn an_empty_range_is_widened() {
        let scale = Scale::around([1500.0].into_iter(), (100.0, 0.0));
        assert_eq!(scale.at(1500.0), 50.0);
        assert!(Scale::around(std::iter::empty(), (0.0, 1.0)).at(0.5).is_finite());
    }
}
