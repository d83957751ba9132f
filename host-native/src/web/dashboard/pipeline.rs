//! The pipeline as a funnel, and how long it still takes.

use dicechess_core::forecast::Estimate;
use maud::{Markup, html};

use super::parts::bar;
use super::snapshot::{Counts, Snapshot};
use super::words::Words;

/// A step of the funnel.
struct Step {
    name: &'static str,
    link: &'static str,
    count: u64,
    /// Of how many.
    of: u64,
    /// Gained in an hour.
    rate: Option<f64>,
}

/// A way out of the funnel.
struct Branch {
    name: &'static str,
    link: &'static str,
    count: u64,
    class: &'static str,
}

/// Players and games, each step with those that got at least so far.
pub(super) fn funnel(snapshot: &Snapshot, words: &Words) -> Markup {
    let texts = &words.pipeline;
    html! {
        div.lane {
            h3 { (texts.players) }
            ol.steps { @for step in player_steps(snapshot, words) { (step_tile(words, &step)) } }
            (branches(words, &player_branches(&snapshot.counts, words)))
        }
        div.lane {
            h3 { (texts.games) }
            ol.steps { @for step in game_steps(snapshot, words) { (step_tile(words, &step)) } }
            (branches(words, &game_branches(&snapshot.counts, words)))
        }
        p.muted.small {
            @match &snapshot.gain {
                Some(gain) => ((texts.rates_over)(&words.duration(gain.span))),
                None => (texts.rates_soon),
            }
        }
    }
}

fn player_steps(snapshot: &Snapshot, words: &Words) -> Vec<Step> {
    let (texts, counts) = (&words.pipeline, &snapshot.counts);
    let askable = counts.players - counts.players_skipped;
    vec![
        Step {
            name: texts.players_found,
            link: "/players?show=pending",
            count: askable,
            of: askable,
            rate: None,
        },
        Step {
            name: texts.players_swept,
            link: "/players?show=synced",
            count: counts.players_swept,
            of: askable,
            rate: snapshot.gain.map(|gain| gain.per_hour(gain.progress.players_swept)),
        },
    ]
}

fn game_steps(snapshot: &Snapshot, words: &Words) -> Vec<Step> {
    let (texts, counts) = (&words.pipeline, &snapshot.counts);
    let wanted = counts.found - counts.skipped;
    let rate = |read: fn(&super::rates::Progress) -> u64| {
        snapshot.gain.map(|gain| gain.per_hour(read(&gain.progress)))
    };
    let mut steps = vec![
        Step {
            name: texts.found,
            link: "/games",
            count: wanted,
            of: wanted,
            rate: rate(|gained| gained.found),
        },
        Step {
            name: texts.fetched,
            link: "/games?show=to-fetch",
            count: counts.fetched,
            of: wanted,
            rate: rate(|gained| gained.fetched),
        },
        Step {
            name: texts.posted,
            link: "/games?show=posted",
            count: counts.posted,
            of: wanted,
            rate: rate(|gained| gained.posted),
        },
    ];
    if snapshot.has_archive {
        steps.push(Step {
            name: texts.archived,
            link: "/games?show=posted",
            count: counts.archived,
            of: wanted,
            rate: rate(|gained| gained.archived),
        });
    }
    steps
}

fn player_branches(counts: &Counts, words: &Words) -> Vec<Branch> {
    let texts = &words.pipeline;
    vec![
        Branch {
            name: texts.not_asked,
            link: "/players?show=skipped",
            count: counts.players_skipped,
            class: "quiet",
        },
        Branch {
            name: texts.failed,
            link: "/players?show=error",
            count: counts.players_failed,
            class: "warn",
        },
    ]
}

fn game_branches(counts: &Counts, words: &Words) -> Vec<Branch> {
    let texts = &words.pipeline;
    vec![
        Branch {
            name: texts.cancelled,
            link: "/games?show=skipped",
            count: counts.skipped,
            class: "quiet",
        },
        Branch {
            name: texts.fetch_failed,
            link: "/games?show=waiting",
            count: counts.fetch_failed,
            class: "warn",
        },
        Branch {
            name: texts.post_failed,
            link: "/games?show=waiting",
            count: counts.post_failed,
            class: "warn",
        },
        Branch { name: texts.parked, link: "/parked", count: counts.parked, class: "bad" },
        Branch { name: texts.rejected, link: "/parked", count: counts.rejected, class: "bad" },
    ]
}

fn step_tile(words: &Words, step: &Step) -> Markup {
    let share = if step.of == 0 { 0.0 } else { step.count as f64 / step.of as f64 };
    html! {
        li {
            a.step href=(step.link) {
                span.muted { (step.name) }
                strong.big { (words.number(step.count)) }
                (bar(share, ""))
                span.muted.small {
                    (words.percent(share, 1))
                    @if let Some(rate) = step.rate.filter(|rate| *rate >= 0.5) {
                        " · +" (words.number(rate.round() as u64)) "/" (words.spelling.units[1])
                    }
                }
            }
        }
    }
}

fn branches(words: &Words, branches: &[Branch]) -> Markup {
    html! {
        @if branches.iter().any(|branch| branch.count > 0) {
            ul.branches aria-label=(words.pipeline.aside) {
                @for branch in branches.iter().filter(|branch| branch.count > 0) {
                    li { a.chip.(branch.class) href=(branch.link) {
                        (branch.name) " " strong { (words.number(branch.count)) }
                    } }
                }
            }
        }
    }
}

/// How long the backfill still takes at the present budget.
pub(super) fn outlook(snapshot: &Snapshot, words: &Words) -> Markup {
    let (texts, counts) = (&words.pipeline, &snapshot.counts);
    let forecast = &snapshot.forecast;
    if counts.players == 0 {
        return html! { p.muted { (texts.nothing_known) } };
    }
    if forecast.known.requests == 0 {
        return html! { p.good { "✓ " (texts.complete) } p.muted { (texts.complete_hint) } };
    }
    let requests = |estimate: Estimate| words.count(estimate.requests, &words.nouns.requests);
    let time = |estimate: Estimate| {
        estimate.time.map_or_else(|| requests(estimate), |time| words.duration(time))
    };
    html! {
        div.figure {
            strong.big #eta { "≈ " (time(forecast.whole.unwrap_or(forecast.known))) }
            span.muted {
                @if forecast.whole.is_some() { (texts.whole) } @else { (texts.at_least) }
            }
        }
        dl.facts {
            dt { (texts.known_rest) }
            dd {
                (time(forecast.known))
                @if forecast.known.time.is_some() { span.muted { " · " (requests(forecast.known)) } }
            }
            dt { (texts.left) }
            dd {
                (words.count(counts.to_fetch, &words.nouns.games)) ", "
                (words.count(counts.players_left, &words.nouns.players))
            }
            @if let Some(whole) = forecast.whole.filter(|whole| *whole != forecast.known) {
                dt { (texts.expected) }
                dd { (requests(whole)) }
            }
            @if let Some(rate) = snapshot.pacing.requests_per_hour() {
                dt { (texts.pace) }
                dd { ((texts.an_hour)(&words.count(rate.round() as u64, &words.nouns.requests))) }
            }
        }
        p.muted.small { (texts.frontier_grows) }
    }
}
