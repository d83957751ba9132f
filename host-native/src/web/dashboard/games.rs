//! Games by status.

use axum::extract::Query;
use maud::{Markup, html};
use serde::Deserialize;

use super::failure::Failure;
use super::layout::{Section, layout};
use super::parts::{games_table, pager, tabs};
use super::players::LAST_PAGE;
use super::visit::Visit;
use super::words::Words;
use crate::printable::printable;
use crate::store::GameList;

#[derive(Debug, Default, Deserialize)]
pub(super) struct Asked {
    #[serde(default, alias = "status")]
    show: String,
    #[serde(default)]
    page: u32,
}

/// The lists by their names in the address.
const LISTS: [(&str, GameList); 8] = [
    ("all", GameList::All),
    ("posted", GameList::Posted),
    ("to-fetch", GameList::ToFetch),
    ("to-post", GameList::ToPost),
    ("waiting", GameList::Waiting),
    ("rejected", GameList::Rejected),
    ("parked", GameList::Parked),
    ("skipped", GameList::Skipped),
];

/// `GET /games`
pub(super) async fn page(visit: Visit, Query(asked): Query<Asked>) -> Result<Markup, Failure> {
    let words = visit.words;
    let page = asked.page.min(LAST_PAGE);
    let known = LISTS.iter().find(|(name, _)| *name == asked.show);
    let (show, list) = *known.unwrap_or(&LISTS[0]);
    let found = visit.read(move |store| store.list_games(list, page, ROWS)).await?;
    let texts = &words.games;
    let entries: Vec<_> =
        LISTS.iter().map(|(name, list)| (*name, label(words, *list), *name == show)).collect();
    let main = html! {
        h1 { (texts.title) }
        (tabs(texts.title, "/games", &entries))
        @if known.is_none() && !asked.show.is_empty() {
            p.note role="status" { ((texts.unknown_list)(&printable(&asked.show))) }
        }
        p.muted { (order(words, list)) }
        @if found.rows.is_empty() {
            p.empty { (texts.none) }
        } @else {
            (games_table(words, &found.rows, list != GameList::Posted))
        }
        (pager(words, &format!("/games?show={show}"), page, found.has_more))
    };
    Ok(layout(&visit, texts.title, Section::Games, &main))
}

const fn label(words: &Words, list: GameList) -> &'static str {
    let texts = &words.games;
    match list {
        GameList::All => texts.all,
        GameList::ToFetch => texts.to_fetch,
        GameList::ToPost => texts.to_post,
        GameList::Posted => texts.posted,
        GameList::Waiting => texts.waiting,
        GameList::Rejected => texts.rejected,
        GameList::Parked | GameList::ParkedWithMoves => texts.parked,
        GameList::Skipped => texts.skipped,
    }
}

const fn order(words: &Words, list: GameList) -> &'static str {
    let texts = &words.games;
    match list {
        GameList::ToFetch | GameList::ToPost => texts.by_start,
        GameList::Waiting => texts.by_timer,
        GameList::All
        | GameList::Posted
        | GameList::Rejected
        | GameList::Parked
        | GameList::ParkedWithMoves
        | GameList::Skipped => texts.by_discovery,
    }
}

/// Rows of a page.
const ROWS: u32 = 50;
