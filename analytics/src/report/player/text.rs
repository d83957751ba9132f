//! The player report in words.

use super::super::record::Record;
use super::super::text::{Table, counted, finish, grouped, notes, percent, range, shorten};
use super::{Month, PlayerReport, Slice};

/// The most months and time controls that the table shows; `--json` has all.
const MOST_MONTHS: usize = 24;
const MOST_TIME_CONTROLS: usize = 8;

/// The whole report as text.
pub(super) fn table(report: &PlayerReport) -> String {
    let player = &report.player;
    let id = player.external_id.as_deref().unwrap_or(&player.id);
    let kind = player.player_type.as_deref().unwrap_or("player");
    let mut lines =
        vec![format!("Player {} ({kind} {id})", shorten(&player.label(), 40)), String::new()];
    lines.extend(slices(report));
    lines.push(String::new());
    if !report.months.is_empty() {
        lines.extend(months(&report.months));
        lines.push(String::new());
    }
    lines.extend(notes(&explain(report)));
    finish(&lines)
}

fn slices(report: &PlayerReport) -> Vec<String> {
    let heads = ["slice", "games", "wins", "draws", "losses", "win rate", "95% interval"];
    let mut table = Table::new(&heads);
    table.row(cells("all games", &report.total));
    let time_controls = report.by_time_control.iter().take(MOST_TIME_CONTROLS);
    let parts: [(&str, Vec<&Slice>); 4] = [
        ("as ", report.by_color.iter().collect()),
        ("mode ", report.by_mode.iter().collect()),
        ("against ", report.by_opponent_type.iter().collect()),
        ("time ", time_controls.collect()),
    ];
    for (prefix, slices) in parts {
        for slice in slices {
            table.row(cells(&format!("{prefix}{}", slice.key), &slice.record));
        }
    }
    table.lines()
}

fn cells(name: &str, record: &Record) -> [String; 7] {
    let tally = record.tally;
    let is_decided = tally.decided() > 0;
    [
        name.to_owned(),
        grouped(tally.games),
        grouped(tally.wins),
        grouped(tally.draws),
        grouped(tally.losses),
        if is_decided { percent(record.win_rate, 1) } else { "–".to_owned() },
        range(record.interval, 1),
    ]
}

fn months(months: &[Month]) -> Vec<String> {
    let heads = ["month", "games", "win rate", "classic", "x2", "profit"];
    let mut table = Table::new(&heads);
    let rating = |month: &Month, mode| {
        month.rating.get(mode).map_or_else(|| "–".to_owned(), ToString::to_string)
    };
    for month in &months[months.len().saturating_sub(MOST_MONTHS)..] {
        table.row([
            month.month.clone(),
            grouped(month.record.tally.games),
            percent(month.record.win_rate, 1),
            rating(month, "classic"),
            rating(month, "x2"),
            profit(month),
        ]);
    }
    table.lines()
}

fn profit(month: &Month) -> String {
    if month.profit.is_empty() {
        return "–".to_owned();
    }
    let one = |(currency, sum): (&String, &f64)| format!("{sum:+.2} {}", shorten(currency, 8));
    month
        .profit
        .iter()
        .map(one)
        .map(|text| text.trim_end().to_owned())
        .collect::<Vec<_>>()
        .join(", ")
}

fn explain(report: &PlayerReport) -> Vec<String> {
    let mut notes = vec![
        "Win rate = (wins + half the draws) / decided games, from the player's side; 95% Wilson \
         interval."
            .to_owned(),
    ];
    for (currency, points) in &report.profit {
        if let Some(last) = points.last() {
            let days = counted(points.len() as u64, "day", "days");
            let sum = format!("{:+.2} {}", last.cumulative, shorten(currency, 40));
            notes.push(format!("Profit over all paid games: {} on {days}.", sum.trim_end()));
        }
    }
    let left_out = |number, why: &str| match number {
        0 => None,
        _ => Some(format!("{} {why}.", counted(number, "game", "games"))),
    };
    notes.extend(left_out(
        report.paid_games_without_delta,
        "with a stake where his change of money is not recorded, left out of the profit",
    ));
    notes.extend(left_out(report.undated_games, "without a start, in no month"));
    if report.months.len() > MOST_MONTHS {
        notes.push(format!("The last {MOST_MONTHS} months are shown; the JSON has all."));
    }
    if report.by_time_control.len() > MOST_TIME_CONTROLS {
        let most = format!("The {MOST_TIME_CONTROLS} most frequent time controls are shown");
        notes.push(format!("{most} (seconds at the start : seconds a turn)."));
    }
    notes
}
