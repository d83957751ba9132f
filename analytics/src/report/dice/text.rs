//! The dice report in words: the table and the notes.

use super::super::text::{
    Table, counted as number, finish, grouped, notes, p_value, percent, range, shorten,
};
use super::{ChiSquareTest, Counted, DiceGroup, DiceReport, KindShare, RollShare, Share};

/// The whole report as text.
pub(super) fn table(report: &DiceReport) -> String {
    let mut lines = vec![
        format!("Are the dice fair? {}", report.scope()),
        format!(
            "{} in {}",
            number(report.counted.rolls, "roll", "rolls"),
            number(report.counted.games, "game", "games")
        ),
        String::new(),
    ];
    if let Some(all) = report.groups.first() {
        lines.extend(kinds(all));
        lines.push(String::new());
    }
    lines.extend(groups(&report.groups));
    lines.push(String::new());
    lines.extend(rolls(&report.rolls));
    lines.push(String::new());
    lines.extend(notes(&report.notes));
    finish(&lines)
}

fn kinds(all: &DiceGroup) -> Vec<String> {
    let mut table = Table::new(&["all rolls", "seen", "share", "fair", "95% interval"]);
    for KindShare { kind, share } in &all.kinds {
        table.row(share_cells(kind.name(), share));
    }
    table.row(share_cells("doubles and triples", &all.doubles_and_triples));
    table.lines()
}

fn share_cells(name: &str, share: &Share) -> [String; 5] {
    [
        name.to_owned(),
        grouped(share.count),
        percent(share.share, 2),
        percent(share.expected, 2),
        range(share.interval, 2),
    ]
}

/// One line a group: its doubles and triples, and both tests.
fn groups(groups: &[DiceGroup]) -> Vec<String> {
    let heads = ["group", "rolls", "dbl+tpl", "95% interval", "p kinds", "p rolls", ""];
    let mut table = Table::new(&heads);
    for group in groups {
        let share = &group.doubles_and_triples;
        table.row([
            group.label.clone(),
            grouped(group.rolls),
            percent(share.share, 2),
            range(share.interval, 1),
            corrected(group.kinds_test),
            corrected(group.rolls_test),
            if group.is_remarkable() { "!" } else { "" }.to_owned(),
        ]);
    }
    table.lines()
}

fn corrected(test: Option<ChiSquareTest>) -> String {
    test.map_or_else(|| "too few".to_owned(), |test| p_value(test.p_holm))
}

/// The 56 rolls in two columns, each beside what fair dice give.
fn rolls(rolls: &[RollShare]) -> Vec<String> {
    let half = rolls.len().div_ceil(2);
    let cells = |roll: &RollShare| {
        let fair = roll.share.expected;
        let is_off = roll.share.interval.is_some_and(|interval| !interval.contains(fair));
        let mark = if is_off { "*" } else { " " };
        [
            roll.dice.clone(),
            grouped(roll.share.count),
            percent(roll.share.share, 2),
            percent(fair, 2) + mark,
        ]
    };
    let mut table =
        Table::new(&["roll", "seen", "share", "fair ", "", "roll", "seen", "share", "fair "]);
    for (left, right) in rolls[..half].iter().zip(&rolls[half..]) {
        table.row(cells(left).into_iter().chain([String::new()]).chain(cells(right)));
    }
    table.lines()
}

/// What a reader has to know to trust the figures.
pub(super) fn explain(counted: &Counted, groups: &[DiceGroup], questions: usize) -> Vec<String> {
    let mut notes = vec![verdict(groups, questions), what_is_counted(counted)];
    notes.push(
        "A roll that nobody played (the game ended before its first move) is not in the records. \
         Whether a roll is played can depend on the roll, so a small deviation can come from \
         there and not from the dice. \"First roll of a game\" is nearly free of this: look \
         there first."
            .to_owned(),
    );
    notes.push(
        "p is the chance that fair dice deviate at least as far (chi-square test; \"kinds\": \
         singles, doubles, triples; \"rolls\": the 56 distinct rolls). It is corrected for all \
         questions of this report (Holm), so one p below 0.05 (marked !) is already remarkable. \
         \"Too few\": a cell would be expected fewer than 5 times."
            .to_owned(),
    );
    notes.push(
        "Intervals are 95% Wilson intervals and not corrected: of 56 rolls with fair dice about \
         three lie outside theirs (marked *)."
            .to_owned(),
    );
    notes.push(sample_size(groups));
    notes
}

fn verdict(groups: &[DiceGroup], questions: usize) -> String {
    let remarkable: Vec<_> = groups.iter().filter(|group| group.is_remarkable()).collect();
    if questions == 0 {
        return "Too few rolls to test anything: at least 180 are needed.".to_owned();
    }
    let asked = number(questions as u64, "test", "tests");
    if remarkable.is_empty() {
        return format!("{asked}, none remarkable: the rolls look like those of fair dice.");
    }
    let names: Vec<_> = remarkable.iter().map(|group| shorten(&group.label, 40)).collect();
    format!(
        "{asked}; fair dice would hardly roll like this in: {}. Before blaming the dice, see \
         below what is not in the records.",
        names.join(", ")
    )
}

fn what_is_counted(counted: &Counted) -> String {
    format!(
        "Counted: every roll of three dice that a recorded turn shows. That includes {} (rolls \
         that allowed no move), {} and {}. Left out: {} with rolls of one or two dice and {}.",
        number(counted.passes, "pass", "passes"),
        number(counted.partly_played, "last roll played in part", "last rolls played in part"),
        number(counted.unplayed, "last roll never played", "last rolls never played"),
        number(counted.games_with_fewer_dice, "game", "games"),
        number(counted.games_without_turns, "game without a turn", "games without a turn"),
    )
}

/// How far chance alone carries the share of doubles and triples.
fn sample_size(groups: &[DiceGroup]) -> String {
    let rolls = groups.first().map_or(0, |group| group.rolls);
    let reach = groups.first().and_then(|group| group.doubles_and_triples.interval);
    let here = reach.map_or_else(String::new, |interval| {
        format!(
            " The {} here leave ±{:.2} points.",
            number(rolls, "roll", "rolls"),
            interval.width() * 50.0
        )
    });
    format!(
        "Size matters: players once measured 46.1% doubles and triples, not 44.44%. Over 100 \
         rolls that is nothing (chance alone carries ±9.7 points); over 50,149 rolls fair dice \
         would do it once in ten trillion tries (±0.4 points), and then what was counted is the \
         first question.{here}"
    )
}
