//! The frame of a page: head, navigation, foot.

use maud::{DOCTYPE, Markup, html};

use super::assets::Asset;
use super::language::Language;
use super::visit::Visit;
use super::words::Words;
use crate::daemon::Role;

/// Which entry of the navigation a page belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    Overview,
    Players,
    Games,
    Parked,
    Dice,
    None,
}

/// What a page needs besides what all pages need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Extras {
    /// The pieces: dice show them.
    pub(super) pieces: bool,
    /// The board and its script.
    pub(super) viewer: bool,
    /// It is asked for again after this many seconds.
    pub(super) refresh_after: Option<u32>,
}

/// A page.
pub(super) fn layout(visit: &Visit, title: &str, section: Section, main: &Markup) -> Markup {
    layout_with(visit, title, section, Extras::default(), main)
}

/// A page with more than all pages have.
pub(super) fn layout_with(
    visit: &Visit,
    title: &str,
    section: Section,
    extras: Extras,
    main: &Markup,
) -> Markup {
    let words = visit.words;
    html! {
        (DOCTYPE)
        html lang=(visit.language.tag()) {
            (head(title, extras))
            body {
                a.skip href="#main" { (words.nav.skip) }
                header.top {
                    div.wrap {
                        a.brand href="/" { (logo()) span { "dicechess-sync" } }
                        nav aria-label=(words.nav.label) { ul { (entries(words, section)) } }
                        span #role { (role_badge(words, &visit.context.daemon.view().role)) }
                    }
                }
                main #main .wrap tabindex="-1" { (main) }
                (foot(visit))
            }
        }
    }
}

fn head(title: &str, extras: Extras) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { (title) " · dicechess-sync" }
            @if let Some(seconds) = extras.refresh_after {
                meta http-equiv="refresh" content=(seconds);
            }
            link rel="icon" type="image/svg+xml" href=(Asset::Icon.url());
            @if extras.viewer {
                link rel="stylesheet" href=(Asset::BoardStyle.url());
                link rel="stylesheet" href=(Asset::BoardColours.url());
            }
            @if extras.pieces || extras.viewer {
                link rel="stylesheet" href=(Asset::Pieces.url());
            }
            link rel="stylesheet" href=(Asset::Style.url());
            script type="module" src=(Asset::Script.url()) {}
            @if extras.viewer {
                link rel="modulepreload" href=(Asset::Board.url());
                script type="module" src=(Asset::Viewer.url()) {}
            }
        }
    }
}

fn logo() -> Markup {
    html! { img src=(Asset::Icon.url()) width="26" height="26" alt=""; }
}

fn entries(words: &Words, current: Section) -> Markup {
    let nav = &words.nav;
    let entries = [
        (Section::Overview, "/", nav.overview),
        (Section::Players, "/players", nav.players),
        (Section::Games, "/games", nav.games),
        (Section::Parked, "/parked", nav.parked),
        (Section::Dice, "/dice", nav.dice),
    ];
    html! {
        @for (section, path, name) in entries {
            li { a href=(path) aria-current=[(section == current).then_some("page")] { (name) } }
        }
    }
}

/// Whether this process crawls, in a word.
pub(super) fn role_badge(words: &Words, role: &Role) -> Markup {
    let words = &words.daemon;
    let (class, text) = match role {
        Role::Starting => ("quiet", words.starting),
        Role::Crawling => ("good", words.crawling),
        Role::Standby { .. } => ("warn", words.standby),
        Role::Stopping => ("quiet", words.stopping),
    };
    html! { span.badge.(class) { (text) } }
}

fn foot(visit: &Visit) -> Markup {
    let words = &visit.words.nav;
    html! {
        footer.foot {
            div.wrap {
                form.languages method="post" action="/language" aria-label=(words.language) {
                    input type="hidden" name="back" value=(visit.path);
                    @for language in Language::ALL {
                        button.link name="to" value=(language.tag()) lang=(language.tag())
                            aria-pressed=(language == visit.language) {
                            (language.words().nav.own_name)
                        }
                    }
                }
                @if visit.is_admin {
                    form method="post" action="/sign-out" {
                        button.link { (words.sign_out) }
                    }
                } @else if visit.has_admin() {
                    a href="/sign-in" { (words.sign_in) }
                } @else {
                    span.muted { (words.read_only) }
                }
                span.muted.version { "dicechess-sync " (env!("CARGO_PKG_VERSION")) " · GPL-3.0-or-later" }
            }
        }
    }
}
