//! What does not go on by itself, and how to send it on.
//!
//! Decides what an operator is offered. Leaves the doing to `actions`.

use axum::extract::Query;
use maud::{Markup, html};
use serde::Deserialize;

use super::actions::Action;
use super::failure::Failure;
use super::layout::{Section, layout};
use super::parts::{games_table, player_link};
use super::visit::Visit;
use super::words::Words;
use crate::printable::reason_text;
use crate::store::{GameList, GameRow, Page};

#[derive(Debug, Default, Deserialize)]
pub(super) struct Asked {
    /// What was done just now.
    done: Option<Action>,
    /// To how many.
    #[serde(default)]
    games: u64,
}

/// `GET /parked`
pub(super) async fn page(visit: Visit, Query(asked): Query<Asked>) -> Result<Markup, Failure> {
    let words = visit.words;
    let texts = &words.parked;
    let [parked, rejected, waiting] = visit
        .read(|store| {
            Ok([
                store.list_games(GameList::ParkedWithMoves, 0, ROWS)?,
                store.list_games(GameList::Rejected, 0, ROWS)?,
                store.list_games(GameList::Waiting, 0, ROWS)?,
            ])
        })
        .await?;
    let main = html! {
        h1 { (texts.title) }
        p.lead { (texts.lead) }
        @if let Some(action) = asked.done {
            div.note.good role="status" { ((texts.done)(action, &words.count(asked.games, &words.nouns.games))) }
        }
        @if !visit.is_admin { (how_to_change(&visit)) }
        (group(&visit, texts.parked, texts.parked_hint, &parked, Action::ReplayNormalize))
        (group(&visit, texts.rejected, texts.rejected_hint, &rejected, Action::ReplayRejected))
        section.card {
            div.row {
                h2 { (texts.waiting) }
                @if visit.is_admin && !waiting.rows.is_empty() {
                    span.actions {
                        @if holds(&waiting, "fetch") { (button(Action::RetryFetch, None, texts.retry_fetch)) }
                        @if holds(&waiting, "post") { (button(Action::RetryPost, None, texts.retry_post)) }
                    }
                }
            }
            p.muted { (texts.waiting_hint) }
            @if waiting.rows.is_empty() {
                p.good { "✓ " (texts.none) }
            } @else {
                (games_table(words, &waiting.rows, true))
                (more(words, &waiting, "/games?show=waiting"))
            }
        }
    };
    Ok(layout(&visit, texts.title, Section::Parked, &main))
}

/// Whether a game waits for this stage, as far as the page shows them.
fn holds(waiting: &Page<GameRow>, stage: &str) -> bool {
    waiting.has_more || waiting.rows.iter().any(|game| game.error_stage.as_deref() == Some(stage))
}

/// Says how the page stops being read-only.
fn how_to_change(visit: &Visit) -> Markup {
    let texts = &visit.words.parked;
    html! {
        div.note {
            @if visit.has_admin() {
                (texts.sign_in_first) " " a href="/sign-in?next=%2Fparked" { (visit.words.nav.sign_in) }
            } @else {
                (texts.no_admin)
            }
        }
    }
}

fn group(visit: &Visit, title: &str, hint: &str, games: &Page<GameRow>, action: Action) -> Markup {
    let words = visit.words;
    let texts = &words.parked;
    let show = if action == Action::ReplayRejected { "rejected" } else { "parked" };
    html! {
        section.card {
            div.row {
                h2 { (title) }
                @if visit.is_admin && !games.rows.is_empty() { (button(action, None, texts.replay_all)) }
            }
            p.muted { (hint) }
            @if games.rows.is_empty() {
                p.good { "✓ " (texts.none) }
            } @else {
                ul.parked { @for game in &games.rows { (parked_game(visit, game, action)) } }
                (more(words, games, &format!("/games?show={show}")))
            }
            @if action == Action::ReplayNormalize {
                p.muted.small { (texts.without_moves) " " a href="/games?show=parked" { (texts.more) } }
            }
        }
    }
}

fn parked_game(visit: &Visit, game: &GameRow, action: Action) -> Markup {
    let words = visit.words;
    html! {
        li {
            div.what {
                div {
                    (player_link(words, game.white, game.white_name.as_deref())) " – "
                    (player_link(words, game.black, game.black_name.as_deref()))
                    " · "
                    a href={ "/games/" (game.game_id) } {
                        @if let Some(at) = game.started_at { (words.time(at)) }
                        @else { (words.games.no_start) }
                    }
                }
                @if let Some(reason) = &game.reason { div.reason { (reason_text(reason)) } }
            }
            @if visit.is_admin { (button(action, Some(&game.game_id), words.parked.replay)) }
        }
    }
}

/// A link to the question whether it is meant; the script shows the question in place.
fn button(action: Action, game: Option<&str>, name: &str) -> Markup {
    let game = game.map(|game| format!("&game={game}")).unwrap_or_default();
    html! {
        a.button data-confirm href={ "/confirm?action=" (action.name()) (game) } { (name) }
    }
}

fn more(words: &Words, games: &Page<GameRow>, link: &str) -> Markup {
    html! { @if games.has_more { p { a href=(link) { (words.parked.more) } } } }
}

/// Games shown of each group.
const ROWS: u32 = 25;
