//! Points over time, one a day.

use dicechess_core::time::UnixMillis;

use super::Day;

/// One day's profit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProfitPoint {
    /// The day.
    pub day: Day,
    /// What was won or lost on it.
    pub delta: f64,
    /// What was won or lost from the first point on.
    pub cumulative: f64,
}

/// The last rating of each day, from ratings in order of time.
pub fn rating_by_day(ratings: impl IntoIterator<Item = (UnixMillis, i64)>) -> Vec<(Day, i64)> {
    let mut points: Vec<(Day, i64)> = Vec::new();
    for (time, rating) in ratings {
        let day = Day::of(time);
        match points.last_mut() {
            Some(last) if last.0 == day => last.1 = rating,
            _ => points.push((day, rating)),
        }
    }
    points
}

/// The profit of each day, from changes in order of time.
pub fn profit_by_day(changes: impl IntoIterator<Item = (UnixMillis, f64)>) -> Vec<ProfitPoint> {
    let mut points: Vec<ProfitPoint> = Vec::new();
    let mut cumulative = 0.0;
    for (time, change) in changes {
        let day = Day::of(time);
        cumulative = tidy(cumulative + change);
        match points.last_mut() {
            Some(last) if last.day == day => {
                last.delta = tidy(last.delta + change);
                last.cumulative = cumulative;
            }
            _ => points.push(ProfitPoint { day, delta: tidy(change), cumulative }),
        }
    }
    points
}

/// Without the dust that binary fractions leave: no currency has more than six decimals here.
fn tidy(amount: f64) -> f64 {
    const SCALE: f64 = 1e6;
    let scaled = (amount * SCALE).round() / SCALE;
    if scaled.is_finite() { scaled } else { amount }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;

    #[test]
    fn the_last_rating_of_a_day_counts() {
        let ratings = [(0, 1500), (DAY - 1, 1510), (DAY, 1490), (5 * DAY + 1, 1520)];
        let points = rating_by_day(ratings.map(|(time, rating)| (UnixMillis(time), rating)));
        let points: Vec<_> =
            points.iter().map(|(day, rating)| (day.to_string(), *rating)).collect();
        let expected = [("1970-01-01", 1510), ("1970-01-02", 1490), ("1970-01-06", 1520)];
        assert_eq!(points, expected.map(|(day, rating)| (day.to_owned(), rating)));
    }

    #[test]
    fn profits_add_up_without_dust() {
        let changes = [(0, 0.1), (1, 0.2), (DAY, -1.0), (DAY * 3, 0.0)];
        let points = profit_by_day(changes.map(|(time, change)| (UnixMillis(time), change)));
        let figures: Vec<_> = points.iter().map(|point| (point.delta, point.cumulative)).collect();
        assert_eq!(figures, [(0.3, 0.3), (-1.0, -0.7), (0.0, -0.7)]);
    }
}
