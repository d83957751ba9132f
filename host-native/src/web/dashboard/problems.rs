//! What goes wrong, grouped by cause, each with what to do.

use dicechess_core::time::UnixMillis;
use maud::{Markup, html};

use super::causes::{Cause, cause, cause_of};
use super::snapshot::Snapshot;
use super::words::Words;
use crate::crawl::Stage;
use crate::daemon::{DaemonView, StageView};
use crate::printable::{printable, reason_text};
use crate::store::Reason;

/// A cause and what it holds back.
#[derive(Debug, PartialEq, Eq)]
struct Problem<'a> {
    cause: Cause,
    held: Held<'a>,
    /// Messages, the most frequent first, and of how many games or players each is.
    messages: Vec<(&'a str, Option<u64>)>,
}

/// What is held back.
#[derive(Debug, PartialEq, Eq)]
enum Held<'a> {
    /// Everything: the daemon cannot use its database.
    All,
    /// Stages, until they try again.
    Stages(Vec<Stage>, UnixMillis),
    /// Games or players.
    Items {
        /// `rejected`, or the stage as in `error_fetch`.
        status: &'a str,
        count: u64,
    },
}

/// The part of the first page.
pub(super) fn problems(snapshot: &Snapshot, words: &Words) -> Markup {
    let texts = &words.problems;
    let refusal_cause = snapshot.status.site.block_reason.as_deref().map(|why| cause("site", why));
    let mut found = of_daemon(&snapshot.view);
    // What the refusal says already.
    found.retain(|problem| Some(problem.cause) != refusal_cause);
    found.extend(of_items(snapshot.status.reasons.iter().chain(&snapshot.player_failures)));
    html! {
        (refusal(snapshot, words))
        @if found.is_empty() && refusal_cause.is_none() {
            p.good { "✓ " (texts.none) }
        } @else {
            (list(words, &found))
        }
        @if snapshot.status.broken_entries > 0 {
            p.muted { ((texts.broken_entries)(
                &words.count(snapshot.status.broken_entries, &words.nouns.entries))) }
        }
    }
}

/// The part of the first page while there are no numbers, if the daemon itself is held up.
pub(super) fn problems_of_daemon(view: &DaemonView, words: &Words) -> Option<Markup> {
    let found = of_daemon(view);
    (!found.is_empty()).then(|| list(words, &found))
}

fn list(words: &Words, problems: &[Problem<'_>]) -> Markup {
    html! { ul.problems { @for problem in problems { (one(words, problem)) } } }
}

/// A refusal of the site that is remembered: it holds everything back.
fn refusal(snapshot: &Snapshot, words: &Words) -> Markup {
    let site = &snapshot.status.site;
    let Some(reason) = &site.block_reason else { return html! {} };
    let (title, advice) = (words.causes)(cause("site", reason));
    html! {
        div.note.bad {
            strong { (title) }
            @if let Some(since) = site.blocked_since.as_deref().and_then(UnixMillis::parse_iso) {
                " " span.muted { (words.budget.refused_since) " " (words.time(since)) }
            }
            p { (advice) }
            details { summary { (words.problems.messages) } p.reason { (printable(reason)) } }
        }
    }
}

fn one(words: &Words, problem: &Problem<'_>) -> Markup {
    let (title, advice) = (words.causes)(problem.cause);
    html! {
        li.problem {
            div.row { strong { (title) } (chip(words, problem)) }
            p.muted {
                (advice)
                @if let Held::Stages(_, until) = &problem.held {
                    " " (words.daemon.tries_again) " " (words.time(*until)) "."
                }
            }
            details {
                summary { (words.problems.messages) }
                ul.messages {
                    @for (message, count) in problem.messages.iter().take(MESSAGES) {
                        li {
                            span.reason { (reason_text(message)) }
                            @if let Some(count) = count {
                                " " span.muted { "× " (words.number(*count)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What is held back, and where to see it.
fn chip(words: &Words, problem: &Problem<'_>) -> Markup {
    let rests = words.problems.rests;
    match &problem.held {
        Held::All => html! { span.chip.bad { (rests(words.problems.all)) } },
        Held::Stages(stages, _) => {
            let names: Vec<_> = stages.iter().map(|stage| (words.daemon.stage)(*stage)).collect();
            html! { span.chip.warn { (rests(&names.join(", "))) } }
        }
        Held::Items { status, count } => {
            let (noun, link) = match *status {
                "error_enumerate" => (&words.nouns.players, "/players?show=error"),
                "rejected" | "error_normalize" => (&words.nouns.games, "/parked"),
                _ => (&words.nouns.games, "/games?show=waiting"),
            };
            let class = match (problem.cause, *status) {
                // Nothing can be done about these, and nothing is wrong.
                (Cause::NoStateMap, _) => "quiet",
                (_, "rejected" | "error_normalize") => "bad",
                _ => "warn",
            };
            html! { a.chip.(class) href=(link) { (words.count(*count, noun)) } }
        }
    }
}

/// What holds up the daemon: the database, or whatever its stages rest from; stages of one cause
/// together.
fn of_daemon(view: &DaemonView) -> Vec<Problem<'_>> {
    let mut problems: Vec<Problem<'_>> = Vec::new();
    if let Some(failure) = &view.database_failure {
        let cause = cause("database", failure);
        problems.push(Problem { cause, held: Held::All, messages: vec![(failure, None)] });
    }
    for (stage, state) in &view.stages {
        let StageView::Resting { cause: obstacle, until } = state else { continue };
        let (cause, message) = (cause_of(obstacle), obstacle.message.as_str());
        let known = problems.iter_mut().find_map(|problem| match &mut problem.held {
            Held::Stages(stages, first) if problem.cause == cause => {
                Some((stages, first, &mut problem.messages))
            }
            _ => None,
        });
        match known {
            Some((stages, first, messages)) => {
                stages.push(*stage);
                *first = (*first).min(*until);
                if !messages.contains(&(message, None)) {
                    messages.push((message, None));
                }
            }
            None => {
                let held = Held::Stages(vec![*stage], *until);
                problems.push(Problem { cause, held, messages: vec![(message, None)] });
            }
        }
    }
    problems
}

/// Groups messages by cause and by what they hold back, the greatest group first.
fn of_items<'a>(reasons: impl Iterator<Item = &'a Reason>) -> Vec<Problem<'a>> {
    let mut groups: Vec<(Cause, &str, u64, Vec<_>)> = Vec::new();
    for reason in reasons {
        let (cause, status) = (cause(&reason.status, &reason.reason), reason.status.as_str());
        let message = (reason.reason.as_str(), Some(reason.games));
        match groups.iter_mut().find(|group| group.0 == cause && group.1 == status) {
            Some((_, _, count, messages)) => {
                *count += reason.games;
                messages.push(message);
            }
            None => groups.push((cause, status, reason.games, vec![message])),
        }
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.2));
    let problem = |(cause, status, count, messages)| {
        let held = Held::Items { status, count };
        Problem { cause, held, messages }
    };
    groups.into_iter().map(problem).collect()
}

const MESSAGES: usize = 5;

#[cfg(test)]
mod tests {
    use super::super::words::{ENGLISH, RUSSIAN};
    use super::*;
    use crate::daemon::{DaemonHandle, Obstacle, Party};

    #[test]
    fn messages_of_one_cause_are_one_problem() {
        let reason = |status: &str, reason: &str, games| Reason {
            status: status.to_owned(),
            reason: reason.to_owned(),
            games,
        };
        let reasons = [
            reason("error_normalize", "the game has no state map", 4),
            reason("error_normalize", "state 3: unknown die \"X\"", 3),
            reason("error_normalize", "state 9: unknown die \"Y\"", 2),
            reason("error_fetch", "HTTP 502", 1),
        ];
        let found: Vec<_> = of_items(reasons.iter())
            .into_iter()
            .map(|problem| (problem.cause, problem.held, problem.messages.len()))
            .collect();
        let held = |status, count| Held::Items { status, count };
        assert_eq!(
            found,
            [
                (Cause::UnknownRecord, held("error_normalize", 5), 2),
                (Cause::NoStateMap, held("error_normalize", 4), 1),
                (Cause::SiteFault, held("error_fetch", 1), 1),
            ]
        );
    }

    fn resting(party: Party, message: &str, until: i64) -> StageView {
        let cause = Obstacle { party, message: message.to_owned() };
        StageView::Resting { cause, until: UnixMillis(until) }
    }

    #[test]
    fn whatever_rests_is_a_problem() {
        let mut view = DaemonHandle::starting(UnixMillis(0)).view();
        assert_eq!(of_daemon(&view), []);
        assert!(problems_of_daemon(&view, &ENGLISH).is_none());
        let full = "no space left for the database sync.db: free some";
        view.stages = [
            (Stage::Enumerate, resting(Party::Database, full, 9)),
            (Stage::Fetch, resting(Party::Database, full, 5)),
            (Stage::Post, resting(Party::Analytics, "analytics does not accept INGEST_TOKEN", 7)),
            (Stage::Archive, resting(Party::Archive, "cannot create /f: File exists", 8)),
        ]
        .into();
        let stages = |stages: &[Stage], until| Held::Stages(stages.to_vec(), UnixMillis(until));
        let found: Vec<_> =
            of_daemon(&view).into_iter().map(|problem| (problem.cause, problem.held)).collect();
        assert_eq!(
            found,
            [
                (Cause::DiskFull, stages(&[Stage::Enumerate, Stage::Fetch], 5)),
                (Cause::AnalyticsToken, stages(&[Stage::Post], 7)),
                (Cause::ArchivePath, stages(&[Stage::Archive], 8)),
            ]
        );
        let shown = |words| problems_of_daemon(&view, words).unwrap().into_string();
        for text in ["The disk is full", "Histories, Moves: resting", "Set INGEST_TOKEN"] {
            assert!(shown(&ENGLISH).contains(text), "{text}");
        }
        assert!(shown(&RUSSIAN).contains("Диск полон"));
    }

    #[test]
    fn a_database_that_cannot_be_used_holds_everything_back() {
        let mut view = DaemonHandle::starting(UnixMillis(0)).view();
        view.database_failure =
            Some("the database sync.db is locked by another process".to_owned());
        let found = of_daemon(&view);
        assert_eq!((found[0].cause, &found[0].held), (Cause::Locked, &Held::All));
    }
}
