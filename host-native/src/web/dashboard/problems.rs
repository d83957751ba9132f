//! What goes wrong, grouped by cause, each with what to do.

use dicechess_core::time::UnixMillis;
use maud::{Markup, html};

use super::causes::{Cause, cause};
use super::snapshot::Snapshot;
use super::words::Words;
use crate::printable::printable;
use crate::store::Reason;

/// A cause and what it holds back.
#[derive(Debug, PartialEq, Eq)]
struct Problem<'a> {
    cause: Cause,
    /// What is held back: `rejected`, or the stage as in `error_fetch`.
    held: &'a str,
    count: u64,
    /// Messages, the most frequent first.
    messages: Vec<&'a Reason>,
}

/// The part of the first page.
pub(super) fn problems(snapshot: &Snapshot, words: &Words) -> Markup {
    let texts = &words.problems;
    let reasons = snapshot.status.reasons.iter().chain(&snapshot.player_failures);
    let found = group(reasons);
    let is_refused = snapshot.status.site.block_reason.is_some();
    html! {
        (refusal(snapshot, words))
        @if found.is_empty() && !is_refused {
            p.good { "✓ " (texts.none) }
        } @else {
            ul.problems { @for problem in &found { (one(words, problem)) } }
        }
        @if snapshot.status.broken_entries > 0 {
            p.muted { ((texts.broken_entries)(
                &words.count(snapshot.status.broken_entries, &words.nouns.entries))) }
        }
    }
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
    let is_of_players = problem.held == "error_enumerate";
    let noun = if is_of_players { &words.nouns.players } else { &words.nouns.games };
    let link = match problem.held {
        "error_enumerate" => "/players?show=error",
        "rejected" | "error_normalize" => "/parked",
        _ => "/games?show=waiting",
    };
    html! {
        li.problem {
            div.row {
                strong { (title) }
                a.chip.(class(problem)) href=(link) { (words.count(problem.count, noun)) }
            }
            p.muted { (advice) }
            details {
                summary { (words.problems.messages) }
                ul.messages {
                    @for reason in problem.messages.iter().take(MESSAGES) {
                        li { span.reason { (printable(&reason.reason)) } " " span.muted { "× " (words.number(reason.games)) } }
                    }
                }
            }
        }
    }
}

fn class(problem: &Problem<'_>) -> &'static str {
    match (problem.cause, problem.held) {
        // Nothing can be done about these, and nothing is wrong.
        (Cause::NoStateMap, _) => "quiet",
        (_, "rejected" | "error_normalize") => "bad",
        _ => "warn",
    }
}

/// Groups messages by cause and by what they hold back, the greatest group first.
fn group<'a>(reasons: impl Iterator<Item = &'a Reason>) -> Vec<Problem<'a>> {
    let mut problems: Vec<Problem<'a>> = Vec::new();
    for reason in reasons {
        let (cause, held) = (cause(&reason.status, &reason.reason), reason.status.as_str());
        let known =
            problems.iter_mut().find(|problem| problem.cause == cause && problem.held == held);
        match known {
            Some(problem) => {
                problem.count += reason.games;
                problem.messages.push(reason);
            }
            None => {
                problems.push(Problem { cause, held, count: reason.games, messages: vec![reason] });
            }
        }
    }
    problems.sort_by_key(|problem| std::cmp::Reverse(problem.count));
    problems
}

const MESSAGES: usize = 5;

#[cfg(test)]
mod tests {
    use super::*;

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
        let found: Vec<_> = group(reasons.iter())
            .iter()
            .map(|problem| (problem.cause, problem.held, problem.count, problem.messages.len()))
            .map(|(cause, held, count, messages)| (cause, held.to_owned(), count, messages))
            .collect();
        assert_eq!(
            found,
            [
                (Cause::UnknownRecord, "error_normalize".to_owned(), 5, 2),
                (Cause::NoStateMap, "error_normalize".to_owned(), 4, 1),
                (Cause::SiteFault, "error_fetch".to_owned(), 1, 1),
            ]
        );
    }
}
