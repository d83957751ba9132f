//! Players: who was found, how complete they are, of whom games are missing.

use axum::extract::Query;
use dicechess_core::lifecycle::PlayerStatus;
use maud::{Markup, html};
use serde::Deserialize;

use super::failure::Failure;
use super::layout::{Section, layout};
use super::parts::{bar, pager, player_link, tabs};
use super::visit::Visit;
use super::words::Words;
use crate::printable::printable;
use crate::store::{PlayerList, PlayerRow};

#[derive(Debug, Default, Deserialize)]
pub(super) struct Asked {
    #[serde(default, alias = "status")]
    show: String,
    #[serde(default)]
    q: String,
    #[serde(default)]
    page: u32,
}

/// A list that has a name in the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Gaps,
    Status(PlayerStatus),
    Watched,
}

/// The lists by their names in the address.
const LISTS: [(&str, Named); 7] = [
    ("gaps", Named::Gaps),
    ("synced", Named::Status(PlayerStatus::Synced)),
    ("pending", Named::Status(PlayerStatus::Pending)),
    ("in-progress", Named::Status(PlayerStatus::InProgress)),
    ("error", Named::Status(PlayerStatus::Error)),
    ("skipped", Named::Status(PlayerStatus::Skipped)),
    ("watched", Named::Watched),
];

/// `GET /players`
pub(super) async fn page(visit: Visit, Query(asked): Query<Asked>) -> Result<Markup, Failure> {
    let words = visit.words;
    let search = asked.q.trim().to_owned();
    let page = asked.page.min(LAST_PAGE);
    let known = LISTS.iter().find(|(name, _)| *name == asked.show);
    let is_unknown = known.is_none() && !asked.show.is_empty();
    let (show, named) = match known {
        Some(known) => *known,
        None => first_list(&visit).await?,
    };
    let list = match (search.is_empty(), named) {
        (false, _) => PlayerList::Search(search.clone()),
        (true, Named::Status(status)) => PlayerList::Status(status),
        (true, Named::Gaps) => PlayerList::Gaps,
        (true, Named::Watched) => PlayerList::Watched,
    };
    let found = visit.read(move |store| store.list_players(&list, page, ROWS)).await?;
    let base = if search.is_empty() {
        format!("/players?show={show}")
    } else {
        let query =
            url::form_urlencoded::Serializer::new(String::new()).append_pair("q", &search).finish();
        format!("/players?{query}")
    };
    let texts = &words.players;
    let main = html! {
        h1 { (texts.title) }
        form.search method="get" action="/players" role="search" {
            label for="q" { (texts.search) }
            input #q type="search" name="q" value=(search) maxlength="100" autocomplete="off";
            button { (texts.find) }
        }
        @if search.is_empty() {
            (tabs(texts.title, "/players", &tab_entries(words, show)))
            @if is_unknown {
                p.note role="status" { ((texts.unknown_list)(&printable(&asked.show))) }
            }
            @match named {
                Named::Gaps => p.muted { (texts.gaps_hint) },
                Named::Watched => p.muted { (texts.watched_hint) },
                Named::Status(_) => {}
            }
        }
        @if found.rows.is_empty() {
            p.empty { @if named == Named::Gaps && search.is_empty() { "✓ " (texts.no_gaps) } @else { (texts.none) } }
        } @else {
            (table(words, &found.rows))
        }
        (pager(words, &base, page, found.has_more))
    };
    Ok(layout(&visit, texts.title, Section::Players, &main))
}

/// Gaps first where there are any, else those that are done.
async fn first_list(visit: &Visit) -> Result<(&'static str, Named), Failure> {
    let gaps = visit.read(|store| store.list_players(&PlayerList::Gaps, 0, 1)).await?;
    Ok(if gaps.rows.is_empty() { LISTS[1] } else { LISTS[0] })
}

fn tab_entries(words: &Words, show: &str) -> Vec<(&'static str, &'static str, bool)> {
    LISTS
        .iter()
        .map(|(name, list)| {
            let label = match list {
                Named::Gaps => words.players.gaps,
                Named::Watched => words.players.watched,
                Named::Status(status) => (words.player_status)(*status),
            };
            (*name, label, *name == show)
        })
        .collect()
}

fn table(words: &Words, rows: &[PlayerRow]) -> Markup {
    let texts = &words.players;
    html! {
        div.scroll {
            table.list.people {
                thead {
                    tr {
                        th { (texts.player) }
                        th { (texts.state) }
                        th.number { (texts.rating) }
                        th.number { (texts.known) }
                        th { (texts.completeness) }
                        th.number { (texts.missing) }
                    }
                }
                tbody { @for row in rows { (line(words, row)) } }
            }
        }
    }
}

fn line(words: &Words, row: &PlayerRow) -> Markup {
    html! {
        tr {
            td.who {
                (player_link(words, Some(row.user_id), row.username.as_deref()))
                span.muted.id { " " (row.user_id) }
            }
            td.state { (sync_badge(words, &row.sync_status)) }
            td.number.rating { (ratings(row)) }
            td.number.known {
                (words.number(row.known_games))
                @if let Some(total) = row.total_count { span.muted { " / " (words.number(total)) } }
            }
            td.share { (share(words, row)) }
            td.number.gap {
                @if row.gap > 0 { (words.number(row.gap)) } @else { span.muted.none { "–" } }
                @if row.gap_accepted { " " span.tag title=(words.players.accepted_hint) { (words.players.accepted) } }
            }
        }
    }
}

/// The share of a player's games that is known, as a bar and in words.
pub(super) fn share(words: &Words, row: &PlayerRow) -> Markup {
    match row.share() {
        Some(share) => html! {
            div.sharebar {
                (bar(share, if share >= 1.0 { "good" } else { "" }))
                span { (words.percent(share.min(1.0), 1)) }
            }
        },
        None => html! { span.muted { (words.players.not_counted) } },
    }
}

/// Both ratings, as far as they are known.
pub(super) fn ratings(row: &PlayerRow) -> Markup {
    match (row.rating_classic, row.rating_x2) {
        (None, None) => html! { span.muted.none { "–" } },
        (Some(classic), None) => html! { (classic) },
        (None, Some(x2)) => html! { (x2) " " span.tag { "x2" } },
        (Some(classic), Some(x2)) => html! { (classic) " · " (x2) " " span.tag { "x2" } },
    }
}

/// The state of a sweep as a badge.
pub(super) fn sync_badge(words: &Words, status: &str) -> Markup {
    let Some(status) = PlayerStatus::parse(status) else {
        return html! { span.badge.quiet { (status) } };
    };
    let class = match status {
        PlayerStatus::Pending | PlayerStatus::Skipped => "quiet",
        PlayerStatus::InProgress => "busy",
        PlayerStatus::Synced => "good",
        PlayerStatus::Error => "warn",
    };
    html! { span.badge.(class) { ((words.player_state)(status)) } }
}

/// Rows of a page.
const ROWS: u32 = 50;
/// Later pages would walk far along the index; a search finds who is looked for.
pub(super) const LAST_PAGE: u32 = 2000;
