//! The first page: how far the backfill is, what it costs, what goes wrong.
//!
//! Decides which parts there are. Each fills one element, which is what is replaced while the page
//! is open.

use maud::{Markup, html};

use super::layout::{Section, layout, role_badge};
use super::parts::{bar, games_table, player_link};
use super::snapshot::Snapshot;
use super::visit::Visit;
use super::words::Words;
use super::{budget, causes, pipeline, problems};
use crate::crawl::Stage;
use crate::daemon::{Role, StageView};
use crate::printable::printable;
use crate::store::machine_name;

/// `GET /`
pub(super) async fn page(visit: Visit) -> Markup {
    let latest = visit.dashboard.sampler.current(&visit.context).await;
    let parts = latest.map(|snapshot| snapshot.fragments(visit.language));
    let words = visit.words;
    let held_up = problems::problems_of_daemon(&visit.context.daemon.view(), words);
    let part = |wanted: &str| {
        let part = parts.iter().flat_map(|parts| parts.iter()).find(|(id, _)| *id == wanted);
        match part {
            Some((_, part)) => maud::PreEscaped(part.clone()),
            None => match held_up.as_ref().filter(|_| wanted == "problems") {
                Some(problems) => problems.clone(),
                None => html! { p.muted { (words.overview.counting) } },
            },
        }
    };
    let card = |id: &str, title: &str, class: &str| {
        let heading = format!("{id}-title");
        html! {
            section.card.(class) aria-labelledby=(heading) {
                h2 id=(heading) { (title) }
                div id=(id) { (part(id)) }
            }
        }
    };
    let titles = &words.overview;
    let main = html! {
        div.headline {
            h1 { (titles.title) }
            p.muted { span.pulse #live aria-hidden="true" {} span #asof { (part("asof")) } }
        }
        div.cards data-live="/events" {
            (card("daemon", titles.daemon, "wide"))
            (card("funnel", titles.funnel, "wide"))
            div.column {
                (card("forecast", titles.forecast, ""))
                (card("problems", titles.problems, ""))
            }
            div.column {
                (card("budget", titles.budget, ""))
                (card("completeness", titles.completeness, ""))
            }
            (card("recent", titles.recent, "wide"))
        }
    };
    layout(&visit, titles.title, Section::Overview, &main)
}

/// All parts by the id of the element they fill.
pub(super) fn parts(snapshot: &Snapshot, words: &Words) -> Vec<(&'static str, Markup)> {
    vec![
        ("asof", html! { (words.overview.as_of) " " (words.time(snapshot.at)) }),
        ("role", role_badge(words, &snapshot.view.role)),
        ("daemon", daemon(snapshot, words)),
        ("funnel", pipeline::funnel(snapshot, words)),
        ("forecast", pipeline::outlook(snapshot, words)),
        ("budget", budget::budget(snapshot, words)),
        ("problems", problems::problems(snapshot, words)),
        ("completeness", completeness(snapshot, words)),
        ("recent", recent(snapshot, words)),
    ]
}

/// Who crawls, and what each stage does.
fn daemon(snapshot: &Snapshot, words: &Words) -> Markup {
    let daemon = &words.daemon;
    let view = &snapshot.view;
    html! {
        p aria-live="polite" {
            @match &view.role {
                Role::Starting if view.database_failure.is_some() => (daemon.database_hint),
                Role::Starting => (daemon.starting_hint),
                Role::Crawling => (daemon.crawling_hint),
                Role::Stopping => (daemon.stopping_hint),
                Role::Standby { holder, until } => {
                    ((daemon.standby_hint)(&holder_name(snapshot, holder))) " "
                    (daemon.lease_until) " " (words.time(*until)) "."
                }
            }
            " " span.muted { (daemon.running_since) " " (words.time(view.started_at)) "." }
        }
        @if !view.stages.is_empty() {
            ul.stages {
                @for stage in Stage::ALL {
                    @if let Some(state) = view.stages.get(&stage) { (stage_tile(words, stage, state)) }
                }
            }
        }
    }
}

/// The process that crawls; its machine without the numbers that only tell machines apart.
fn holder_name(snapshot: &Snapshot, holder: &str) -> String {
    match &snapshot.status.lease {
        Some(lease) => {
            format!("{} ({})", printable(machine_name(&lease.host)), lease.pid)
        }
        None => printable(holder),
    }
}

fn stage_tile(words: &Words, stage: Stage, state: &StageView) -> Markup {
    let daemon = &words.daemon;
    let name = (daemon.stage)(stage);
    let (class, text) = match state {
        StageView::Working { .. } => ("busy", daemon.working),
        StageView::Idle { .. } => ("quiet", daemon.idle),
        StageView::Resting { .. } => ("warn", daemon.resting),
    };
    html! {
        li.stage.(class) {
            div.row { strong { (name) } span.badge.(class) { (text) } }
            @match state {
                StageView::Working { since } => {
                    p.muted { (daemon.since) " " (words.time(*since)) }
                }
                StageView::Idle { until } => {
                    p.muted { (daemon.looks_again) " " (words.time(*until)) }
                }
                StageView::Resting { cause, until } => {
                    p { ((words.causes)(causes::cause_of(cause)).0) }
                    details { summary { (words.problems.messages) } p.reason { (printable(&cause.message)) } }
                    p.muted { (daemon.tries_again) " " (words.time(*until)) }
                }
            }
        }
    }
}

/// How much of what the site counts is known, and of whom games are missing.
fn completeness(snapshot: &Snapshot, words: &Words) -> Markup {
    let numbers = &snapshot.status.completeness;
    let texts = &words.overview;
    html! {
        @if let Some(share) = numbers.share {
            div.figure {
                strong.big { (words.percent(share, 2)) }
                span.muted { ((texts.known_of_counted)(
                    &words.number(numbers.known_games), &words.number(numbers.total_count))) }
            }
            (bar(share, "good"))
            p.muted {
                ((texts.complete_players)(
                    &words.number(numbers.complete_players), &words.number(numbers.players)))
            }
        } @else {
            p.muted { (texts.no_sweep_yet) }
        }
        @if snapshot.status.gaps.is_empty() {
            @if numbers.share.is_some() { p.good { "✓ " (texts.no_gaps) } }
        } @else {
            table.list.compact {
                thead { tr { th { (texts.gap_player) } th.number { (texts.gap_known) } th.number { (texts.gap_missing) } } }
                tbody {
                    @for gap in snapshot.status.gaps.iter().take(5) {
                        tr {
                            td {
                                (player_link(words, Some(dicechess_core::ids::UserId(gap.user_id)), gap.username.as_deref()))
                                @if gap.accepted { " " span.tag title=(words.players.accepted_hint) { (words.players.accepted) } }
                            }
                            td.number { (words.number(gap.known_games)) " / " (words.number(gap.total_count)) }
                            td.number { (words.number(gap.gap)) }
                        }
                    }
                }
            }
            p { a href="/players?show=gaps" { (texts.all_gaps) } }
        }
    }
}

fn recent(snapshot: &Snapshot, words: &Words) -> Markup {
    html! {
        @if snapshot.recent.is_empty() {
            p.muted { (words.games.none) }
        } @else {
            (games_table(words, &snapshot.recent, false))
            p { a href="/games" { (words.overview.all_games) } }
        }
    }
}
