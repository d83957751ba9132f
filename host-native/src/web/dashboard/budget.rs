//! What the site is asked, and when it may be asked again.

use std::time::Duration;

use dicechess_core::pacing::{Decision, WaitReason};
use dicechess_core::time::UnixMillis;
use maud::{Markup, html};

use super::chart::minute_bars;
use super::parts::bar;
use super::snapshot::Snapshot;
use super::words::Words;

/// The part of the first page.
pub(super) fn budget(snapshot: &Snapshot, words: &Words) -> Markup {
    let texts = &words.budget;
    let used = snapshot.requests.len() as u64;
    let limit = u64::from(snapshot.pacing.hourly_budget);
    html! {
        div.figure {
            strong.big {
                (words.number(used)) @if limit > 0 { span.muted { " / " (words.number(limit)) } }
            }
            span.muted { @if limit > 0 { (texts.used) } @else { (texts.used_without_limit) } }
        }
        @if limit > 0 { (bar(used as f64 / limit as f64, budget_class(used, limit))) }
        (minute_bars(&snapshot.requests, snapshot.at, texts.chart))
        div.axis.muted.small { span { (texts.hour_ago) } span { (texts.now) } }
        (legend(snapshot, words))
        dl.facts {
            dt { (texts.next) }
            dd { (next(snapshot, words)) }
            @if let Some(until) = snapshot.status.site.throttled_until.as_deref().and_then(UnixMillis::parse_iso) {
                dt { (texts.throttled) }
                dd.warn { (words.time(until)) }
            }
            dt { (texts.token) }
            dd { (token(snapshot, words)) }
        }
    }
}

const fn budget_class(used: u64, limit: u64) -> &'static str {
    if used >= limit { "warn" } else { "" }
}

/// Requests of the last hour, and ever, by endpoint.
fn legend(snapshot: &Snapshot, words: &Words) -> Markup {
    let texts = &words.budget;
    let endpoints = [
        ("history", texts.history),
        ("move_history", texts.move_history),
        ("leaderboard", texts.leaderboard),
    ];
    html! {
        table.list.compact {
            thead { tr { th { (texts.endpoint) } th.number { (texts.last_hour) } th.number { (texts.ever) } } }
            tbody {
                @for (key, name) in endpoints {
                    @let lately = snapshot.requests.iter().filter(|request| request.endpoint == key).count();
                    tr {
                        td { span.swatch.(key) aria-hidden="true" {} (name) }
                        td.number { (words.number(lately as u64)) }
                        td.number { (words.number(snapshot.status.site_requests.get(key).copied().unwrap_or(0))) }
                    }
                }
            }
        }
    }
}

/// When the next request may go out.
fn next(snapshot: &Snapshot, words: &Words) -> Markup {
    let texts = &words.budget;
    if snapshot.status.site.block_reason.is_some() {
        return html! { span.bad { (texts.refused) } };
    }
    let Decision::Wait { until, why } = snapshot.next_request else {
        return html! { (texts.at_once) };
    };
    let wait = snapshot.at.until(until);
    let why = match why {
        WaitReason::Spacing => texts.spacing,
        WaitReason::HourlyBudget => texts.budget_spent,
        WaitReason::Throttled => texts.silence,
    };
    // Shorter waits pass while they are read.
    let wait = Duration::from_secs(wait.as_millis().div_ceil(1000) as u64);
    html! { ((texts.within)(&words.duration(wait))) " " span.muted { "(" (why) ")" } }
}

fn token(snapshot: &Snapshot, words: &Words) -> Markup {
    let texts = &words.budget;
    match snapshot.view.token_expires_at {
        None => html! { span.muted { (texts.token_silent) } },
        Some(end) if end <= snapshot.at => {
            html! { span.bad { (texts.token_ended) " " (words.time(end)) } }
        }
        Some(end) => {
            let left = snapshot.at.until(end);
            let class = if left < SOON { "warn" } else { "" };
            html! { span.(class) { ((texts.token_lasts)(&words.duration(left))) } " " span.muted { "(" (words.time(end)) ")" } }
        }
    }
}

/// A token that ends within this is worth a warning.
const SOON: Duration = Duration::from_hours(72);
