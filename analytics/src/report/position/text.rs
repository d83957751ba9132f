//! The position report in words.

use super::super::text::{counted, finish, grouped, notes, percent, range, wrap};
use super::PositionReport;

/// The whole report as text.
pub(super) fn table(report: &PositionReport) -> String {
    let side = if report.side_to_move == 'b' { "Black" } else { "White" };
    let tally = report.record.tally;
    let equity = report.equity.map_or_else(|| "–".to_owned(), |equity| format!("{equity:+.3}"));
    let is_decided = report.equity.is_some();
    let win_rate = if is_decided { percent(report.record.win_rate, 1) } else { "–".to_owned() };
    let mut lines = vec![
        format!("What the position is worth to {side}, before the roll"),
        report.fen.clone(),
        String::new(),
        format!(
            "played      {}: {} won, {} drawn, {} lost, {} undecided",
            counted(tally.games, "game", "games"),
            grouped(tally.wins),
            grouped(tally.draws),
            grouped(tally.losses),
            grouped(tally.games - tally.decided())
        ),
        format!("win rate    {win_rate} (95% interval {})", range(report.record.interval, 1)),
        format!("equity      {equity} of the stake"),
    ];
    lines.extend(wrap(&format!("doubling    {}", report.advice.words()), "            "));
    lines.push(String::new());
    lines.extend(notes(&report.assumptions));
    finish(&lines)
}
