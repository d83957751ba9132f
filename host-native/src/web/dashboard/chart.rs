//! Pictures: requests by the minute, intervals, courses over time.
//!
//! Decides how values become shapes. Colours are the style sheet's matter, words stand beside the
//! pictures, so that both follow the theme and the width of the page.

use std::fmt::Write as _;

use dicechess_core::time::UnixMillis;
use maud::{Markup, html};

use crate::store::SiteRequestSeen;

/// The requests of the last hour, a column a minute, the latest on the right.
pub(super) fn minute_bars(requests: &[SiteRequestSeen], now: UnixMillis, label: &str) -> Markup {
    let mut minutes = [[0_u32; ENDPOINTS.len()]; 60];
    for request in requests {
        let age = request.at.until(now).as_secs() / 60;
        let Some(minute) = usize::try_from(age).ok().and_then(|age| 59_usize.checked_sub(age))
        else {
            continue;
        };
        if let Some(endpoint) = ENDPOINTS.iter().position(|name| *name == request.endpoint) {
            minutes[minute][endpoint] += 1;
        }
    }
    let most = minutes.iter().map(|minute| minute.iter().sum::<u32>()).max().unwrap_or(0).max(10);
    html! {
        svg.minutes viewBox="0 0 60 20" preserveAspectRatio="none" role="img" aria-label=(label) {
            @for (place, minute) in minutes.iter().enumerate() {
                (column(place, minute, most))
            }
        }
    }
}

fn column(place: usize, minute: &[u32; ENDPOINTS.len()], most: u32) -> Markup {
    let mut below = 0.0;
    let mut boxes = Vec::with_capacity(minute.len());
    for (endpoint, count) in ENDPOINTS.iter().zip(minute) {
        let height = f64::from(*count) * 20.0 / f64::from(most);
        below += height;
        if *count > 0 {
            boxes.push((*endpoint, round(20.0 - below), round(height)));
        }
    }
    html! {
        @for (class, y, height) in boxes {
            rect class=(class) x=(round(place as f64 + 0.1)) y=(y) width="0.8" height=(height) {}
        }
    }
}

/// The endpoints from the foot of a column to its head.
const ENDPOINTS: [&str; 3] = ["move_history", "history", "leaderboard"];

/// A value with its interval on a scale, and the value it is compared with.
#[derive(Debug, Clone, Copy)]
pub(super) struct IntervalMark {
    pub(super) low: f64,
    pub(super) value: f64,
    pub(super) high: f64,
    pub(super) reference: f64,
    /// The ends of the scale.
    pub(super) scale: (f64, f64),
    /// Whether it is worth a look.
    pub(super) is_remarkable: bool,
}

/// Draws an interval: a bar from end to end, a dot at the value, a line at the reference.
pub(super) fn interval(mark: &IntervalMark) -> Markup {
    let (from, to) = mark.scale;
    let at = |value: f64| round(((value - from) / (to - from)).clamp(0.0, 1.0) * 200.0);
    let class = if mark.is_remarkable { "remarkable" } else { "" };
    html! {
        svg.interval.(class) viewBox="0 0 200 16" preserveAspectRatio="none" aria-hidden="true" {
            line.base x1="0" x2="200" y1="8" y2="8" {}
            line.reference x1=(at(mark.reference)) x2=(at(mark.reference)) y1="0" y2="16" {}
            line.reach x1=(at(mark.low)) x2=(at(mark.high)) y1="8" y2="8" {}
            line.dot x1=(at(mark.value)) x2=(at(mark.value)) y1="8" y2="8" {}
        }
    }
}

/// A named course of values over days since 1970.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Course {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
}

/// Courses over time, and the ends of both scales.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CoursesChart {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) first_day: f64,
    pub(super) last_day: f64,
    /// The lines as `points` of polylines, in the order of the courses.
    lines: Vec<String>,
    /// Where zero lies, if on the scale.
    zero: Option<f64>,
}

impl CoursesChart {
    /// Lays courses out; `None` without a point.
    pub(super) fn of(courses: &[Course]) -> Option<Self> {
        let points = || courses.iter().flat_map(|course| course.points.iter().copied());
        let ends = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            })
        };
        let (first_day, last_day) = ends(&mut points().map(|point| point.0));
        let (low, high) = ends(&mut points().map(|point| point.1));
        if low > high {
            return None;
        }
        let x = |day: f64| {
            if last_day > first_day { (day - first_day) / (last_day - first_day) } else { 0.5 }
        };
        let y = |value: f64| if high > low { (high - value) / (high - low) } else { 0.5 };
        let line = |course: &Course| {
            course.points.iter().fold(String::new(), |mut line, (day, value)| {
                let _ =
                    write!(line, "{},{} ", round(x(*day) * 600.0), round(y(*value) * 180.0 + 10.0));
                line
            })
        };
        let lines = courses.iter().map(line).collect();
        let zero = (low < 0.0 && high > 0.0).then(|| round(y(0.0) * 180.0 + 10.0));
        Some(Self { low, high, first_day, last_day, lines, zero })
    }

    /// The picture, without words.
    pub(super) fn svg(&self, label: &str) -> Markup {
        html! {
            svg.courses viewBox="0 0 600 200" preserveAspectRatio="none" role="img" aria-label=(label) {
                @for y in [10, 55, 100, 145, 190] { line.grid x1="0" x2="600" y1=(y) y2=(y) {} }
                @if let Some(y) = self.zero { line.zero x1="0" x2="600" y1=(y) y2=(y) {} }
                @for (place, line) in self.lines.iter().enumerate() {
                    polyline class={ "course course-" (place % 4) } points=(line.trim_end()) {}
                }
            }
        }
    }
}

/// Two digits are finer than a pixel.
fn round(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_as_high_as_its_requests() {
        let now = UnixMillis(3_600_000);
        let request = |at, endpoint: &str| SiteRequestSeen {
            at: UnixMillis(at),
            endpoint: endpoint.to_owned(),
        };
        let mut requests = vec![request(3_599_000, "history"); 4];
        requests.extend(vec![request(3_599_000, "move_history"); 16]);
        requests.push(request(1000, "leaderboard"));
        let svg = minute_bars(&requests, now, "").into_string();
        assert_eq!(svg.matches("<rect").count(), 3, "{svg}");
        assert!(
            svg.contains(
                "<rect class=\"move_history\" x=\"59.1\" y=\"4\" width=\"0.8\" height=\"16\""
            ),
            "{svg}"
        );
        assert!(
            svg.contains("<rect class=\"history\" x=\"59.1\" y=\"0\" width=\"0.8\" height=\"4\""),
            "{svg}"
        );
        assert!(svg.contains("<rect class=\"leaderboard\" x=\"0.1\" y=\"19\""), "{svg}");
    }

    #[test]
    fn courses_fill_their_picture() {
        let course =
            |points: &[(f64, f64)]| Course { name: String::new(), points: points.to_vec() };
        let chart = CoursesChart::of(&[course(&[(10.0, -5.0), (12.0, 15.0)])]).unwrap();
        assert_eq!(chart.lines, ["0,190 600,10 "]);
        assert_eq!((chart.low, chart.high, chart.zero), (-5.0, 15.0, Some(145.0)));
        let single = CoursesChart::of(&[course(&[(10.0, 3.0)])]).unwrap();
        assert_eq!(single.lines, ["300,100 "]);
        assert_eq!(CoursesChart::of(&[course(&[])]), None);
    }
}
