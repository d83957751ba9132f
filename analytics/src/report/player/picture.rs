//! The player report as a picture: rating and profit over time, and win rates by slice.

use std::collections::BTreeMap;

use dicechess_core::time::UnixMillis;

use super::super::text::{grouped, percent, shorten};
use super::{PlayerReport, Slice};
use crate::plot::{Anchor, Canvas, Scale, Text, colour};

const WIDTH: f64 = 960.0;
const LEFT: f64 = 90.0;
const RIGHT: f64 = 850.0;
const PANEL: f64 = 170.0;
const RATING_TOP: f64 = 112.0;
const PROFIT_TOP: f64 = RATING_TOP + PANEL + 84.0;
const SLICES_TOP: f64 = PROFIT_TOP + PANEL + 96.0;
const ROW: f64 = 24.0;

/// A named line of points: days since 1970 and values.
type Series = (String, Vec<(f64, f64)>);

/// The whole picture.
pub(super) fn svg(report: &PlayerReport) -> String {
    let slices = slices(report);
    let height = SLICES_TOP + slices.len() as f64 * ROW + 70.0;
    let total = &report.total;
    let subtitle = format!(
        "{} games, {} won, {} drawn, {} lost, win rate {}",
        grouped(total.tally.games),
        grouped(total.tally.wins),
        grouped(total.tally.draws),
        grouped(total.tally.losses),
        percent(total.win_rate, 1)
    );
    let title = format!("Player {}", shorten(&report.player.label(), 60));
    let mut canvas = Canvas::new(WIDTH, height, &title, &subtitle);
    let rating = series(&report.rating, |point| (point.date.as_str(), point.rating as f64));
    course(&mut canvas, RATING_TOP, "Rating at the end of each active day", "rating", &rating);
    let profit = series(&report.profit, |point| (point.date.as_str(), point.cumulative));
    course(&mut canvas, PROFIT_TOP, "Profit, summed over paid games", "profit", &profit);
    bars(&mut canvas, &slices);
    canvas.finish()
}

fn series<P>(courses: &BTreeMap<String, Vec<P>>, read: impl Fn(&P) -> (&str, f64)) -> Vec<Series> {
    let point = |point: &P| {
        let (date, value) = read(point);
        let start = UnixMillis::parse_iso(&format!("{date}T00:00:00Z"))?;
        Some((start.0 as f64 / 86_400_000.0, value))
    };
    let one = |(name, points): (&String, &Vec<P>)| {
        (name.clone(), points.iter().filter_map(point).collect())
    };
    courses.iter().map(one).collect()
}

/// A panel of lines over time.
fn course(canvas: &mut Canvas, top: f64, heading: &str, axis: &str, series: &[Series]) {
    let bottom = top + PANEL;
    canvas.text((24.0, top - 22.0), heading, Text::HEADING);
    let points = || series.iter().flat_map(|(_, points)| points.iter().copied());
    if points().next().is_none() {
        let words = Text::LABEL.anchored(Anchor::Middle);
        canvas.text(((LEFT + RIGHT) / 2.0, (top + bottom) / 2.0), "no such games", words);
        canvas.line((LEFT, bottom), (RIGHT, bottom), colour::GRID, 1.0);
        return;
    }
    let x = Scale::around(points().map(|point| point.0), (LEFT, RIGHT));
    let y = Scale::around(points().map(|point| point.1), (bottom, top));
    for tick in y.ticks(6) {
        canvas.line((LEFT, y.at(tick)), (RIGHT, y.at(tick)), colour::GRID, 1.0);
        let label = if tick == 0.0 { "0".to_owned() } else { format!("{tick}") };
        canvas.text((LEFT - 8.0, y.at(tick) + 4.0), &label, Text::LABEL.anchored(Anchor::End));
    }
    days(canvas, x, points().map(|point| point.0), bottom);
    let middle = (top + bottom) / 2.0;
    canvas.text((28.0, middle), axis, Text::LABEL.anchored(Anchor::Middle).turned());
    lines(canvas, series, x, y);
}

/// The lines with their points, each named beside its end.
fn lines(canvas: &mut Canvas, series: &[Series], x: Scale, y: Scale) {
    let colours = [colour::BLUE, colour::ORANGE, colour::GREEN, colour::RED];
    let mut labels: Vec<f64> = Vec::new();
    for ((name, points), colour) in series.iter().zip(colours.into_iter().cycle()) {
        let Some(last) = points.last() else { continue };
        let on_sheet: Vec<_> = points.iter().map(|point| (x.at(point.0), y.at(point.1))).collect();
        canvas.path(&on_sheet, colour, 2.0);
        let radius = if on_sheet.len() > 60 { 1.5 } else { 3.0 };
        for (at, point) in on_sheet.iter().zip(points) {
            canvas.point(*at, radius, colour, &format!("{}: {}", day(point.0), point.1));
        }
        let words = format!("{name} {:.0}", last.1);
        let at = free_height(y.at(last.1) + 4.0, &mut labels);
        canvas.text((RIGHT + 8.0, at), words.trim_start(), Text::VALUE.coloured(colour));
    }
}

/// A height for a label that keeps clear of those before.
fn free_height(wanted: f64, taken: &mut Vec<f64>) -> f64 {
    let mut height = wanted;
    while taken.iter().any(|other| (other - height).abs() < 14.0) {
        height += 14.0;
    }
    taken.push(height);
    height
}

/// The first, the middle and the last day.
fn days(canvas: &mut Canvas, x: Scale, days: impl Iterator<Item = f64>, bottom: f64) {
    let (first, last) = days
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), day| (low.min(day), high.max(day)));
    let middle = ((first + last) / 2.0).floor();
    let mut ticks = vec![first, middle, last];
    ticks.dedup();
    for tick in ticks {
        canvas.line((x.at(tick), bottom), (x.at(tick), bottom + 5.0), colour::MUTED, 1.0);
        let style = Text::LABEL.anchored(Anchor::Middle);
        canvas.text((x.at(tick), bottom + 20.0), &day(tick), style);
    }
    canvas.line((LEFT, bottom), (RIGHT, bottom), colour::MUTED, 1.0);
    canvas.text((RIGHT + 8.0, bottom + 20.0), "day (UTC)", Text::LABEL);
}

fn day(days: f64) -> String {
    UnixMillis((days * 86_400_000.0) as i64).to_string().chars().take(10).collect()
}

fn slices(report: &PlayerReport) -> Vec<(String, &Slice)> {
    let time_controls = &report.by_time_control[..report.by_time_control.len().min(6)];
    let parts = [
        ("as ", &report.by_color[..]),
        ("mode ", &report.by_mode[..]),
        ("against ", &report.by_opponent_type[..]),
        ("time ", time_controls),
    ];
    let mut all = Vec::new();
    for (prefix, slices) in parts {
        all.extend(slices.iter().map(|slice| (format!("{prefix}{}", slice.key), slice)));
    }
    all
}

/// Win rates with their intervals, one row a slice.
fn bars(canvas: &mut Canvas, slices: &[(String, &Slice)]) {
    let bottom = SLICES_TOP + slices.len() as f64 * ROW;
    let scale = Scale::new((0.0, 1.0), (230.0, RIGHT));
    let heading = "Win rate by slice, with 95% intervals";
    canvas.text((24.0, SLICES_TOP - 18.0), heading, Text::HEADING);
    for tick in scale.ticks(5) {
        let x = scale.at(tick);
        canvas.line((x, SLICES_TOP), (x, bottom), colour::GRID, 1.0);
        let label = percent(tick, 0);
        canvas.text((x, bottom + 18.0), &label, Text::LABEL.anchored(Anchor::Middle));
    }
    canvas.dashed((scale.at(0.5), SLICES_TOP), (scale.at(0.5), bottom), colour::GREEN);
    for (row, (name, slice)) in slices.iter().enumerate() {
        let y = SLICES_TOP + (row as f64 + 0.5) * ROW;
        let record = &slice.record;
        let label = format!("{name} ({})", grouped(record.tally.games));
        canvas.text((218.0, y + 4.0), &label, Text::VALUE.anchored(Anchor::End));
        let Some(interval) = record.interval else { continue };
        canvas.line((scale.at(interval.low), y), (scale.at(interval.high), y), colour::BLUE, 3.0);
        let words = format!("{name}: {}", percent(record.win_rate, 1));
        canvas.point((scale.at(record.win_rate), y), 5.0, colour::BLUE, &words);
        canvas.text((RIGHT + 12.0, y + 4.0), &percent(record.win_rate, 1), Text::VALUE);
    }
    let words = Text::LABEL.anchored(Anchor::Middle);
    canvas.text(((230.0 + RIGHT) / 2.0, bottom + 38.0), "win rate, draws count half", words);
}
