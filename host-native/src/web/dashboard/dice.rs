//! Are the dice fair? The embedded analytics' answer as pictures.

use dicechess_analytics::report::{ChiSquareTest, DiceGroup, DiceReport, RollShare};
use dicechess_core::dice::Roll;
use maud::{Markup, html};
use shakmaty::Color;

use super::chart::{IntervalMark, interval};
use super::layout::{Extras, Section, layout_with};
use super::parts::die;
use super::reports::{Answer, Question, Report};
use super::visit::Visit;
use super::words::Words;
use crate::analytics::Analytics;
use crate::config::AnalyticsTarget;
use crate::printable::printable;

/// `GET /dice`
pub(super) async fn page(visit: Visit) -> Markup {
    let words = visit.words;
    let (part, is_working) = report(&visit, Question::Dice, |report| match report {
        Report::Dice(report) => dice(words, report),
        Report::Player(_) | Report::NoGames | Report::Failed(_) => html! {},
    })
    .await;
    let main = html! {
        h1 { (words.dice.title) }
        p.lead { (words.dice.lead) }
        (part)
    };
    let extras =
        Extras { pieces: true, refresh_after: is_working.then_some(AGAIN), ..Extras::default() };
    layout_with(&visit, words.dice.title, Section::Dice, extras, &main)
}

/// A report of the embedded analytics, or why there is none; whether it is still computed.
pub(super) async fn report(
    visit: &Visit,
    asked: Question,
    show: impl Fn(&Report) -> Markup,
) -> (Markup, bool) {
    let texts = &visit.words.reports;
    let Analytics::Embedded(receiver) = &visit.context.analytics else {
        let place = match &visit.context.config.analytics {
            AnalyticsTarget::Remote(url) => printable(url.as_str()),
            AnalyticsTarget::Embedded => String::new(),
        };
        return (html! { p.empty { ((texts.elsewhere)(&place)) } }, false);
    };
    let answered = match visit.dashboard.reports.ask(receiver, asked).await {
        Answer::Working => return (html! { p.empty { (texts.working) } }, true),
        Answer::Ready(answered) => answered,
    };
    let part = match &answered.report {
        Report::Failed(error) => {
            html! { div.note.bad { (texts.failed) p.reason { (printable(error)) } } }
        }
        Report::NoGames => html! { p.empty { (texts.no_games) } },
        report => html! {
            (show(report))
            p.muted.small { (texts.computed_at) " " (visit.words.time(answered.at)) "." }
        },
    };
    (part, false)
}

fn dice(words: &Words, report: &DiceReport) -> Markup {
    let texts = &words.dice;
    if report.counted.rolls == 0 {
        return html! { p.empty { (words.reports.no_games) } };
    }
    let remarkable: Vec<_> = report.groups.iter().filter(|group| group.is_remarkable()).collect();
    html! {
        section.card {
            h2 { (texts.verdict) }
            @if report.questions == 0 {
                p { (texts.too_few) }
            } @else if remarkable.is_empty() {
                p.good { "✓ " ((texts.fair)(&words.count(report.questions as u64, &words.nouns.tests))) }
            } @else {
                p.bad { (texts.remarkable) " "
                    @for (place, group) in remarkable.iter().enumerate() {
                        @if place > 0 { ", " } (group_name(words, group))
                    } "." }
            }
            p.muted { ((texts.counted)(
                &words.count(report.counted.rolls, &words.nouns.rolls),
                &words.count(report.counted.games, &words.nouns.games))) }
        }
        section.card {
            h2 { (texts.groups) }
            p.muted { (texts.groups_hint) " (" (words.percent(FAIR_SHARE, 2)) ")." }
            (groups(words, &report.groups))
        }
        section.card {
            h2 { (texts.rolls) }
            p.muted { (texts.rolls_hint) }
            ul.rolls { @for roll in &report.rolls { (roll_tile(words, roll)) } }
        }
        section.card {
            h2 { (texts.notes_title) }
            ul { @for note in texts.notes { li { (note) } } }
        }
    }
}

/// The groups that the report names itself are named in the page's language.
fn group_name(words: &Words, group: &DiceGroup) -> String {
    let texts = &words.dice;
    match group.label.as_str() {
        "all rolls" => texts.all_rolls.to_owned(),
        "White" => words.games.white.to_owned(),
        "Black" => words.games.black.to_owned(),
        "first roll of a game" => texts.first_roll.to_owned(),
        player => printable(player),
    }
}

fn groups(words: &Words, groups: &[DiceGroup]) -> Markup {
    let texts = &words.dice;
    let reach = groups
        .iter()
        .filter_map(|group| group.doubles_and_triples.interval)
        .map(|interval| (FAIR_SHARE - interval.low).abs().max((interval.high - FAIR_SHARE).abs()))
        .fold(0.02, f64::max);
    html! {
        div.scroll {
            table.list.intervals {
                thead { tr {
                    th { (texts.group) } th.number { (texts.rolled) } th.wide { (texts.doubles) }
                    th.number { (texts.share) } th.number { (texts.p_value) }
                } }
                tbody {
                    @for group in groups {
                        tr {
                            td { span.name { bdi { (group_name(words, group)) } } }
                            td.number { (words.number(group.rolls)) }
                            td.wide { (group_mark(group, reach)) }
                            td.number { (words.percent(group.doubles_and_triples.share, 2)) }
                            td.number.p { (p_value(words, group.kinds_test)) }
                        }
                    }
                }
            }
        }
    }
}

fn group_mark(group: &DiceGroup, reach: f64) -> Markup {
    let share = &group.doubles_and_triples;
    let Some(bounds) = share.interval else { return html! {} };
    interval(&IntervalMark {
        low: bounds.low,
        value: share.share,
        high: bounds.high,
        reference: FAIR_SHARE,
        scale: (FAIR_SHARE - reach, FAIR_SHARE + reach),
        is_remarkable: group.is_remarkable(),
    })
}

fn p_value(words: &Words, test: Option<ChiSquareTest>) -> String {
    match test {
        None => "–".to_owned(),
        Some(test) if test.p_holm < 0.0001 => format!("< {}", words.decimal(0.0001, 4)),
        Some(test) => words.decimal(test.p_holm, 4),
    }
}

/// A roll with how often it came, against what fair dice give.
fn roll_tile(words: &Words, roll: &RollShare) -> Markup {
    let share = &roll.share;
    let pieces = Roll::from_letters(&roll.dice).map(|roll| roll.codes().collect::<Vec<u8>>());
    let mark = share.interval.map(|bounds| IntervalMark {
        low: bounds.low,
        value: share.share,
        high: bounds.high,
        reference: share.expected,
        scale: (0.0, share.expected * 2.0),
        is_remarkable: !bounds.contains(share.expected),
    });
    html! {
        li {
            span.row.dicerow {
                @for code in pieces.unwrap_or_default() {
                    (die(words, dicechess_core::dice::ROLES[usize::from(code) - 1], Color::White))
                }
            }
            @if let Some(mark) = &mark { (interval(mark)) }
            span.row.small {
                strong { (words.number(share.count)) }
                span.muted { (words.percent(share.share, 2)) " / " (words.percent(share.expected, 2)) }
            }
        }
    }
}

/// The share of doubles and triples that fair dice give: 90 + 6 of 216.
const FAIR_SHARE: f64 = 96.0 / 216.0;
/// Seconds until a page that waits for a report asks again.
pub(super) const AGAIN: u32 = 2;
