//! The openings report as a picture: win rates with their intervals, one row a continuation.

use super::super::text::{grouped, percent, shorten};
use super::{Continuation, OpeningsReport};
use crate::plot::{Anchor, Canvas, Scale, Text, colour};

const WIDTH: f64 = 960.0;
const TOP: f64 = 128.0;
const ROW: f64 = 26.0;
const LEFT: f64 = 280.0;
const RIGHT: f64 = 780.0;

/// The whole picture.
pub(super) fn svg(report: &OpeningsReport) -> String {
    let side = if report.side_to_move == 'b' { "Black" } else { "White" };
    let roll = report.dice.as_ref().map(|dice| format!(" with {dice}")).unwrap_or_default();
    let title = format!("What {side} played{roll}, and how it went");
    let bottom = TOP + report.items.len().max(1) as f64 * ROW;
    let mut canvas = Canvas::new(WIDTH, bottom + 64.0, &title, &format!("from {}", report.fen));
    let head = Text::LABEL.anchored(Anchor::End);
    canvas.text((LEFT - 12.0, TOP - 12.0), "roll, moves", head);
    canvas.text((RIGHT + 70.0, TOP - 12.0), "win rate", head);
    canvas.text((936.0, TOP - 12.0), "games", head);
    let scale = axis(&mut canvas, report, bottom);
    for (row, item) in report.items.iter().enumerate() {
        continuation(&mut canvas, item, TOP + (row as f64 + 0.5) * ROW, scale);
    }
    if report.items.is_empty() {
        let words = Text::LABEL.anchored(Anchor::Middle);
        canvas.text(((LEFT + RIGHT) / 2.0, TOP + 17.0), "no game reached it", words);
    }
    let words = format!("win rate of {side}, draws count half; bars are 95% intervals");
    let at = ((LEFT + RIGHT) / 2.0, bottom + 42.0);
    canvas.text(at, &words, Text::LABEL.anchored(Anchor::Middle));
    canvas.finish()
}

/// The axis, with the average of all games as a dashed line.
fn axis(canvas: &mut Canvas, report: &OpeningsReport, bottom: f64) -> Scale {
    let scale = Scale::new((0.0, 1.0), (LEFT, RIGHT));
    for tick in scale.ticks(5) {
        let x = scale.at(tick);
        canvas.line((x, TOP), (x, bottom), colour::GRID, 1.0);
        let label = percent(tick, 0);
        canvas.text((x, bottom + 18.0), &label, Text::LABEL.anchored(Anchor::Middle));
    }
    if report.total.interval.is_some() {
        let x = scale.at(report.total.win_rate);
        canvas.dashed((x, TOP - 4.0), (x, bottom), colour::GREEN);
        let words = format!(
            "all {} games {}",
            grouped(report.total.tally.games),
            percent(report.total.win_rate, 1)
        );
        let style = Text::LABEL.coloured(colour::GREEN).anchored(Anchor::Middle);
        canvas.text((x, TOP - 12.0), &words, style);
    }
    scale
}

fn continuation(canvas: &mut Canvas, item: &Continuation, y: f64, scale: Scale) {
    let label = format!("{}  {}", item.dice, shorten(&item.spelled(), 26));
    canvas.text((LEFT - 12.0, y + 4.0), &label, Text::VALUE.anchored(Anchor::End));
    let games = grouped(item.record.tally.games);
    canvas.text((936.0, y + 4.0), &games, Text::VALUE.anchored(Anchor::End));
    let Some(interval) = item.record.interval else { return };
    canvas.line((scale.at(interval.low), y), (scale.at(interval.high), y), colour::BLUE, 3.0);
    let words = format!("{}: {}", item.spelled(), item.fen);
    canvas.point((scale.at(item.record.win_rate), y), 5.0, colour::BLUE, &words);
    let rate = percent(item.record.win_rate, 1);
    canvas.text((RIGHT + 70.0, y + 4.0), &rate, Text::VALUE.anchored(Anchor::End));
}
