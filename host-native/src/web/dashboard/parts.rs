//! What recurs on pages: names, states, bars, tables of games.

use dicechess_core::dice::ROLES;
use dicechess_core::ids::UserId;
use dicechess_core::lifecycle::{ErrorStage, GameStatus};
use maud::{Markup, html};
use shakmaty::{Color, Role};

use super::words::Words;
use crate::printable::{printable, reason_text};
use crate::store::GameRow;

/// A bar filled to a share of 0 to 1.
pub(super) fn bar(share: f64, class: &str) -> Markup {
    let width = (share.clamp(0.0, 1.0) * 100.0 * 100.0).round() / 100.0;
    html! {
        svg.bar.(class) viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true" {
            rect.track width="100" height="1" {}
            rect.fill width=(width) height="1" {}
        }
    }
}

/// A player's name, or his id, with a link to his page.
pub(super) fn player_link(words: &Words, id: Option<UserId>, name: Option<&str>) -> Markup {
    let Some(id) = id else { return html! { span.muted { (words.player.unknown) } } };
    let name = player_name(words, id, name);
    html! { a.name href={ "/players/" (id) } title=(name) { bdi { (name) } } }
}

/// A player's name, or his id.
pub(super) fn player_name(words: &Words, id: UserId, name: Option<&str>) -> String {
    match name.filter(|name| !name.trim().is_empty()) {
        Some(name) => printable(name),
        None => (words.player.nameless)(&id.to_string()),
    }
}

/// The state of a game as a badge.
pub(super) fn status_badge(words: &Words, status: &str, stage: Option<&str>) -> Markup {
    let status_words = &words.status;
    let Some(status) = GameStatus::parse(status, stage) else {
        return html! { span.badge.quiet { (printable(status)) } };
    };
    let (class, text) = match status {
        GameStatus::Discovered => ("quiet", status_words.discovered),
        GameStatus::Fetched => ("busy", status_words.fetched),
        GameStatus::Posted => ("good", status_words.posted),
        GameStatus::Rejected => ("bad", status_words.rejected),
        GameStatus::Error(ErrorStage::Fetch) => ("warn", status_words.error_fetch),
        GameStatus::Error(ErrorStage::Post) => ("warn", status_words.error_post),
        GameStatus::Error(ErrorStage::Normalize) => ("bad", status_words.parked),
        GameStatus::Skipped => ("quiet", status_words.skipped),
    };
    html! { span.badge.(class) { (text) } }
}

/// 1–0, ½–½, 0–1, or a dash.
pub(super) fn result(result: Option<i64>) -> &'static str {
    match result {
        Some(1) => "1–0",
        Some(0) => "½–½",
        Some(-1) => "0–1",
        _ => "–",
    }
}

/// 5 min + 3 s
pub(super) fn time_control(words: &Words, initial: Option<i64>, increment: Option<i64>) -> String {
    let Some(initial) = initial.and_then(|seconds| u64::try_from(seconds).ok()) else {
        return "–".to_owned();
    };
    let increment = increment.and_then(|seconds| u64::try_from(seconds).ok()).unwrap_or(0);
    let initial = words.duration(std::time::Duration::from_secs(initial));
    format!("{initial} + {increment}\u{a0}{}", words.spelling.units[3])
}

/// Games as a table, which a phone shows as cards.
pub(super) fn games_table(words: &Words, games: &[GameRow], with_reason: bool) -> Markup {
    let head = &words.games;
    html! {
        div.scroll {
            table.list.games {
                thead {
                    tr {
                        th { (head.started) }
                        th { (head.white) }
                        th.middle { (head.result) }
                        th { (head.black) }
                        th { (head.time_control) }
                        th { (head.status) }
                    }
                }
                tbody {
                    @for game in games {
                        (game_row(words, game, with_reason))
                    }
                }
            }
        }
    }
}

fn game_row(words: &Words, game: &GameRow, with_reason: bool) -> Markup {
    let control = time_control(words, game.time_initial_sec, game.time_increment_sec);
    html! {
        tr {
            td.when {
                a href={ "/games/" (game.game_id) } {
                    @if let Some(at) = game.started_at { (words.time(at)) }
                    @else { (words.games.no_start) }
                }
            }
            td.white { (player_link(words, game.white, game.white_name.as_deref())) }
            td.middle.nowrap.result { (result(game.result)) }
            td.black { (player_link(words, game.black, game.black_name.as_deref())) }
            td.nowrap.control { (control) @if game.allow_doubling { " " span.tag { "x2" } } }
            td.state {
                (status_badge(words, &game.status, game.error_stage.as_deref()))
                @if with_reason {
                    @if let Some(reason) = &game.reason { div.reason { (reason_text(reason)) } }
                    @if let Some(at) = game.next_retry_at {
                        div.muted { (words.games.again_at) " " (words.time(at)) }
                    }
                }
            }
        }
    }
}

/// Links to the page before and after.
pub(super) fn pager(words: &Words, base: &str, page: u32, has_more: bool) -> Markup {
    let join = if base.contains('?') { '&' } else { '?' };
    html! {
        @if page > 0 || has_more {
            nav.pager aria-label=(words.nav.pages) {
                @if page > 0 {
                    a.button rel="prev" href={ (base) (join) "page=" (page - 1) } { "← " (words.nav.previous) }
                }
                span.muted { (words.nav.page) " " (page + 1) }
                @if has_more {
                    a.button rel="next" href={ (base) (join) "page=" (page + 1) } { (words.nav.next) " →" }
                }
            }
        }
    }
}

/// Links between the lists of a page.
pub(super) fn tabs(label: &str, base: &str, entries: &[(&str, &str, bool)]) -> Markup {
    html! {
        nav.tabs aria-label=(label) {
            ul {
                @for (key, name, is_current) in entries {
                    li { a href={ (base) "?show=" (key) } aria-current=[is_current.then_some("page")] { (name) } }
                }
            }
        }
    }
}

/// A die that shows a piece.
pub(super) fn die(words: &Words, role: Role, color: Color) -> Markup {
    let side = color.fold_wb("white", "black");
    html! {
        span.die.cg-wrap.(side) role="img" aria-label=(piece_name(words, role)) {
            piece class={ (side) " " (role_class(role)) } {}
        }
    }
}

/// The name of a piece, from the dice's point of view.
pub(super) fn piece_name(words: &Words, role: Role) -> &'static str {
    let place = ROLES.iter().position(|known| *known == role).unwrap_or(0);
    words.pieces[place]
}

/// As the style sheet of the pieces calls it.
pub(super) const fn role_class(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}
