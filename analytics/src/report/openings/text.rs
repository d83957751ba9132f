//! The openings report in words.

use super::super::text::{Table, counted, finish, grouped, notes, percent, range};
use super::OpeningsReport;

/// The whole report as text.
pub(super) fn table(report: &OpeningsReport) -> String {
    let roll = report.dice.as_ref().map(|dice| format!(" with {dice}")).unwrap_or_default();
    let side = if report.side_to_move == 'b' { "Black" } else { "White" };
    let mut lines = vec![
        format!("What {side} played{roll} from"),
        report.fen.clone(),
        format!(
            "{}, win rate of {side} {} ({})",
            counted(report.total.tally.games, "game", "games"),
            percent(report.total.win_rate, 1),
            range(report.total.interval, 1)
        ),
        String::new(),
    ];
    if !report.items.is_empty() {
        lines.extend(items(report));
        lines.push(String::new());
    }
    lines.extend(notes(&explain(report)));
    finish(&lines)
}

fn items(report: &OpeningsReport) -> Vec<String> {
    let heads = ["moves", "roll", "games", "wins", "draws", "losses", "win rate", "95% interval"];
    let mut table = Table::new(&heads).left(2);
    for item in &report.items {
        let tally = item.record.tally;
        table.row([
            item.spelled(),
            item.dice.clone(),
            grouped(tally.games),
            grouped(tally.wins),
            grouped(tally.draws),
            grouped(tally.losses),
            percent(item.record.win_rate, 1),
            range(item.record.interval, 1),
        ]);
    }
    table.lines()
}

fn explain(report: &OpeningsReport) -> Vec<String> {
    let listed = format!(
        "{} of {} listed; {} with fewer than {}.",
        grouped(report.items.len() as u64),
        counted(report.continuations, "continuation", "continuations"),
        grouped(report.below_min_games),
        counted(report.min_games, "game", "games")
    );
    vec![
        listed,
        "Turns that lead to the same position with the same roll are one continuation, shown in \
         its most frequent spelling. Passes count; rolls never played and turns played in part do \
         not."
            .to_owned(),
        "Win rate = (wins + half the draws) / decided games for the side to move, whoever played; \
         strong players' choices look better than they are. Where intervals (95%, Wilson) \
         overlap, the order may be chance."
            .to_owned(),
    ]
}
