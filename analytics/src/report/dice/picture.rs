//! The dice report as a picture: the groups' doubles and triples, and the 56 rolls.

use super::super::text::{grouped, percent, shorten};
use super::{DiceGroup, DiceReport, RollKind, RollShare};
use crate::plot::{Anchor, Canvas, Scale, Text, colour};

const WIDTH: f64 = 960.0;
const GROUP_ROW: f64 = 26.0;
const GROUPS_TOP: f64 = 112.0;
const ROLLS_HEIGHT: f64 = 270.0;

/// The whole picture.
pub(super) fn svg(report: &DiceReport) -> String {
    let rolls_top = GROUPS_TOP + report.groups.len() as f64 * GROUP_ROW + 96.0;
    let height = rolls_top + ROLLS_HEIGHT + 70.0;
    let subtitle = format!(
        "{}: {} rolls in {} games. Dot: seen; bar: 95% interval; dashed: fair dice.",
        report.scope(),
        grouped(report.counted.rolls),
        grouped(report.counted.games)
    );
    let mut canvas = Canvas::new(WIDTH, height, "Are the dice fair?", &subtitle);
    groups(&mut canvas, &report.groups);
    rolls(&mut canvas, &report.rolls, rolls_top);
    canvas.finish()
}

fn groups(canvas: &mut Canvas, groups: &[DiceGroup]) {
    let bottom = GROUPS_TOP + groups.len() as f64 * GROUP_ROW;
    let fair = 1.0 - RollKind::Single.expected();
    let reach = groups.iter().filter_map(|group| group.doubles_and_triples.interval);
    let ends = reach.flat_map(|interval| [interval.low, interval.high]);
    let scale = Scale::around(ends.chain([fair - 0.01, fair + 0.01]), (250.0, 800.0));
    canvas.text((24.0, GROUPS_TOP - 18.0), "Share of doubles and triples", Text::HEADING);
    for tick in scale.ticks(6) {
        let x = scale.at(tick);
        canvas.line((x, GROUPS_TOP), (x, bottom), colour::GRID, 1.0);
        let label = percent(tick, 1);
        canvas.text((x, bottom + 18.0), &label, Text::LABEL.anchored(Anchor::Middle));
    }
    canvas.dashed((scale.at(fair), GROUPS_TOP - 4.0), (scale.at(fair), bottom), colour::GREEN);
    let words = Text::LABEL.coloured(colour::GREEN).anchored(Anchor::Middle);
    canvas.text((scale.at(fair), GROUPS_TOP - 8.0), "fair 44.44%", words);
    let p_head = Text::LABEL.anchored(Anchor::End);
    canvas.text((936.0, GROUPS_TOP - 8.0), "p (kinds, corrected)", p_head);
    for (row, group) in groups.iter().enumerate() {
        group_row(canvas, group, GROUPS_TOP + (row as f64 + 0.5) * GROUP_ROW, scale);
    }
    let axis = "share of the group's rolls";
    canvas.text((525.0, bottom + 38.0), axis, Text::LABEL.anchored(Anchor::Middle));
}

fn group_row(canvas: &mut Canvas, group: &DiceGroup, y: f64, scale: Scale) {
    let label = format!("{} ({})", shorten(&group.label, 22), grouped(group.rolls));
    canvas.text((238.0, y + 4.0), &label, Text::VALUE.anchored(Anchor::End));
    let colour = if group.is_remarkable() { colour::RED } else { colour::BLUE };
    let share = &group.doubles_and_triples;
    if let Some(interval) = share.interval {
        canvas.line((scale.at(interval.low), y), (scale.at(interval.high), y), colour, 3.0);
        let words = format!("{}: {}", group.label, percent(share.share, 2));
        canvas.point((scale.at(share.share), y), 5.0, colour, &words);
    }
    let p = group.kinds_test.map(|test| super::super::text::p_value(test.p_holm));
    let p = p.unwrap_or_else(|| "too few rolls".to_owned());
    canvas.text((936.0, y + 4.0), &p, Text::VALUE.anchored(Anchor::End));
}

/// The rolls, each as seen over expected, in blocks of singles, doubles and triples.
fn rolls(canvas: &mut Canvas, rolls: &[RollShare], top: f64) {
    let bottom = top + ROLLS_HEIGHT;
    let ratio = |roll: &RollShare, share: f64| share / roll.share.expected;
    let ends = rolls.iter().filter_map(|roll| {
        let interval = roll.share.interval?;
        Some([ratio(roll, interval.low), ratio(roll, interval.high).min(4.0)])
    });
    let scale = Scale::around(ends.flatten().chain([0.9, 1.1]), (bottom, top));
    canvas.text((24.0, top - 22.0), "The 56 rolls: seen over expected", Text::HEADING);
    for tick in scale.ticks(6) {
        let y = scale.at(tick);
        canvas.line((74.0, y), (936.0, y), colour::GRID, 1.0);
        let label = format!("{tick:.2}");
        canvas.text((66.0, y + 4.0), &label, Text::LABEL.anchored(Anchor::End));
    }
    let axis = Text::LABEL.anchored(Anchor::Middle).turned();
    canvas.text((28.0, (top + bottom) / 2.0), "seen / expected", axis);
    canvas.dashed((74.0, scale.at(1.0)), (936.0, scale.at(1.0)), colour::GREEN);
    let mut x = 88.0;
    for kind in RollKind::ALL {
        let from = x;
        for roll in rolls.iter().filter(|roll| super::roll::kind(&roll.dice) == kind) {
            roll_column(canvas, roll, x, scale, bottom);
            x += 14.6;
        }
        let words = Text::LABEL.anchored(Anchor::Middle);
        canvas.text(((from + x - 14.6) / 2.0, bottom + 52.0), kind.name(), words);
        x += 14.6;
    }
}

fn roll_column(canvas: &mut Canvas, roll: &RollShare, x: f64, scale: Scale, bottom: f64) {
    let fair = roll.share.expected;
    if let Some(interval) = roll.share.interval {
        let is_off = !interval.contains(fair);
        let colour = if is_off { colour::ORANGE } else { colour::BLUE };
        let (low, high) = (scale.at(interval.low / fair), scale.at(interval.high / fair));
        canvas.line((x, low), (x, high), colour, 2.0);
        let share = &roll.share;
        let words = format!("{}: {} ({})", roll.dice, share.count, percent(share.share, 2));
        canvas.point((x, scale.at(share.share / fair)), 3.5, colour, &words);
    }
    let label = Text::VALUE.sized(10.0).anchored(Anchor::End).turned();
    canvas.text((x + 3.5, bottom + 10.0), &roll.dice, label);
}
