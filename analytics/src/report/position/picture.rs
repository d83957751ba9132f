//! The position report as a picture: the board, and the win rate among the answers.

use super::super::text::{grouped, percent};
use super::{CASH_POINT, DOUBLE_POINT, PositionReport};
use crate::plot::{Anchor, Canvas, Scale, Text, colour};

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 440.0;
const BOARD: (f64, f64) = (44.0, 86.0);
const SQUARE: f64 = 38.0;
const LIGHT: &str = "#f3ead9";
const DARK: &str = "#c9ad8b";

/// The whole picture.
pub(super) fn svg(report: &PositionReport) -> String {
    let side = if report.side_to_move == 'b' { "Black" } else { "White" };
    let title = format!("What the position is worth to {side}, before the roll");
    let mut canvas = Canvas::new(WIDTH, HEIGHT, &title, &report.fen);
    board(&mut canvas, report.fen.split(' ').next().unwrap_or_default());
    figures(&mut canvas, report);
    answers(&mut canvas, report);
    canvas.finish()
}

fn board(canvas: &mut Canvas, placement: &str) {
    for (row, rank) in placement.split('/').take(8).enumerate() {
        let y = BOARD.1 + row as f64 * SQUARE;
        for file in 0..8 {
            let fill = if (row + file) % 2 == 0 { LIGHT } else { DARK };
            canvas.rect((BOARD.0 + file as f64 * SQUARE, y), (SQUARE, SQUARE), fill, 0.0);
        }
        let label = (8 - row).to_string();
        let style = Text::LABEL.anchored(Anchor::End);
        canvas.text((BOARD.0 - 8.0, y + SQUARE / 2.0 + 4.0), &label, style);
        pieces(canvas, rank, y);
    }
    for (file, letter) in "abcdefgh".chars().enumerate() {
        let at = (BOARD.0 + (file as f64 + 0.5) * SQUARE, BOARD.1 + 8.0 * SQUARE + 18.0);
        canvas.text(at, &letter.to_string(), Text::LABEL.anchored(Anchor::Middle));
    }
}

fn pieces(canvas: &mut Canvas, rank: &str, y: f64) {
    let mut file = 0;
    for letter in rank.chars() {
        if let Some(empty) = letter.to_digit(10) {
            file += empty;
            continue;
        }
        let at = (BOARD.0 + (f64::from(file) + 0.5) * SQUARE, y + SQUARE * 0.78);
        let style = Text::VALUE.sized(30.0).anchored(Anchor::Middle);
        if letter.is_ascii_uppercase() {
            // White's figures are outlines; the same figure filled with white lies under them.
            let filled = glyph(letter.to_ascii_lowercase());
            canvas.text(at, filled, style.coloured("#ffffff"));
        }
        canvas.text(at, glyph(letter), style);
        file += 1;
    }
}

/// The figure of a piece, outlined for White and filled for Black. The variation selector keeps
/// browsers from drawing the pawn as an emoji.
fn glyph(letter: char) -> &'static str {
    match letter {
        'K' => "♔",
        'Q' => "♕",
        'R' => "♖",
        'B' => "♗",
        'N' => "♘",
        'P' => "♙",
        'k' => "♚",
        'q' => "♛",
        'r' => "♜",
        'b' => "♝",
        'n' => "♞",
        'p' => "♟\u{fe0e}",
        _ => "",
    }
}

fn figures(canvas: &mut Canvas, report: &PositionReport) {
    let tally = report.record.tally;
    let rate = report.equity.map_or_else(|| "–".to_owned(), |_| percent(report.record.win_rate, 1));
    canvas.text((420.0, 120.0), "win rate", Text::LABEL);
    canvas.text((420.0, 152.0), &rate, Text::HEADING.sized(28.0));
    canvas.text((560.0, 120.0), "equity", Text::LABEL);
    let equity = report.equity.map_or_else(|| "–".to_owned(), |equity| format!("{equity:+.3}"));
    canvas.text((560.0, 152.0), &equity, Text::HEADING.sized(28.0));
    canvas.text((700.0, 120.0), "games", Text::LABEL);
    canvas.text((700.0, 152.0), &grouped(tally.games), Text::HEADING.sized(28.0));
    let record = format!(
        "{} won, {} drawn, {} lost",
        grouped(tally.wins),
        grouped(tally.draws),
        grouped(tally.losses)
    );
    canvas.text((420.0, 182.0), &record, Text::VALUE);
}

/// The three answers as zones, the estimate and its interval over them.
fn answers(canvas: &mut Canvas, report: &PositionReport) {
    const TOP: f64 = 250.0;
    const BAR: f64 = 56.0;
    let scale = Scale::new((0.0, 1.0), (420.0, 930.0));
    canvas.text((420.0, TOP - 16.0), "Doubling, cubeless money play", Text::HEADING);
    let zones = [
        (0.0, DOUBLE_POINT, "no double", "#e8edf3"),
        (DOUBLE_POINT, CASH_POINT, "double, take", "#d3e9dc"),
        (CASH_POINT, 1.0, "double, pass", "#f6dfc8"),
    ];
    for (from, to, words, fill) in zones {
        let (x, width) = (scale.at(from), scale.at(to) - scale.at(from));
        canvas.rect((x, TOP), (width, BAR), fill, 0.0);
        let style = Text::LABEL.anchored(Anchor::Middle);
        canvas.text((x + width / 2.0, TOP + 16.0), words, style);
    }
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let style = Text::LABEL.anchored(Anchor::Middle);
        canvas.text((scale.at(tick), TOP + BAR + 18.0), &percent(tick, 0), style);
    }
    if let Some(interval) = report.record.interval {
        let y = TOP + 38.0;
        canvas.line((scale.at(interval.low), y), (scale.at(interval.high), y), colour::BLUE, 4.0);
        let words = percent(report.record.win_rate, 1);
        canvas.point((scale.at(report.record.win_rate), y), 7.0, colour::BLUE, &words);
    }
    let axis = "win rate of the side to move; bar: 95% interval";
    canvas.text((675.0, TOP + BAR + 38.0), axis, Text::LABEL.anchored(Anchor::Middle));
    let advice = report.advice.words();
    for (line, words) in lines(&advice, 62).iter().enumerate() {
        canvas.text((420.0, TOP + BAR + 76.0 + 20.0 * line as f64), words, Text::HEADING);
    }
}

/// Words broken into lines of at most `width` characters.
fn lines(words: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words.split(' ') {
        let last = lines.len() - 1;
        if lines[last].is_empty() {
            lines[last].push_str(word);
        } else if lines[last].chars().count() + 1 + word.chars().count() <= width {
            lines[last].push(' ');
            lines[last].push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}
