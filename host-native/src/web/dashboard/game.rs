//! A game: board, dice, clocks, events and moves.
//!
//! Decides what is shown. The list of moves is there without the script, which adds the board and
//! the stepping; it finds the steps as JSON in the page.

use axum::extract::Path;
use dicechess_core::ids::{GameId, UserId};
use dicechess_core::ingest::{EventType, IngestEvent, IngestGame, Mode, Side, Termination};
use dicechess_core::time::UnixMillis;
use maud::{Markup, PreEscaped, html};
use shakmaty::Color;

use super::assets::Asset;
use super::failure::Failure;
use super::layout::{Extras, Section, layout_with};
use super::parts::{die, player_link, player_name, result, status_badge, time_control};
use super::steps::{ListedMove, ListedTurn, SteppedGame, steps};
use super::visit::Visit;
use super::words::Words;
use crate::document::document;
use crate::printable::{printable, reason_text};
use crate::store::{GameDetails, Origin};

/// `GET /games/{id}`
pub(super) async fn page(visit: Visit, Path(id): Path<String>) -> Result<Markup, Failure> {
    let words = visit.words;
    let game = id.parse::<GameId>().map_err(|_| Failure::not_found(&visit))?;
    let details = visit.read(move |store| store.game_details(game)).await?;
    let details = details.ok_or_else(|| Failure::not_found(&visit))?;
    let shown = document(&details);
    let names = [
        (details.white_user_id, details.white_username.as_deref()),
        (details.black_user_id, details.black_username.as_deref()),
    ];
    let [white, black] = names.map(|(id, name)| {
        id.map_or_else(
            || words.player.unknown.to_owned(),
            |id| player_name(words, UserId(id), name),
        )
    });
    let title = format!("{white} – {black}");
    let main = html! {
        div.headline {
            h1 {
                (player_link(words, details.white_user_id.map(UserId), details.white_username.as_deref()))
                span.muted { " – " }
                (player_link(words, details.black_user_id.map(UserId), details.black_username.as_deref()))
            }
            p { strong { (result(details.result)) } " "
                (status_badge(words, &details.status, details.error_stage.as_deref())) }
        }
        @match &shown {
            Ok(game) => (viewer(words, &details, game, [&white, &black])),
            Err(cause) => div.note.bad {
                strong { (words.game.unreadable) } p.reason { (printable(cause)) }
            },
        }
        section.card { h2 { (words.game.facts) } (facts(words, &details, shown.as_ref().ok())) }
        @if shown.is_err() { (raw(words, &details)) }
    };
    let extras = Extras { pieces: true, viewer: shown.is_ok(), ..Extras::default() };
    Ok(layout_with(&visit, &title, Section::Games, extras, &main))
}

fn viewer(words: &Words, details: &GameDetails, game: &IngestGame, names: [&String; 2]) -> Markup {
    let ids = [details.white_user_id, details.black_user_id].map(|id| UserId(id.unwrap_or(0)));
    let moves = details.move_history_json.as_deref().unwrap_or_default();
    let stepped = steps(game, moves, ids);
    let json = serde_json::to_string(&stepped.steps).expect("steps have only string keys");
    // Inside a script element nothing else ends it.
    let json = json.replace('<', "\\u003c");
    html! {
        @if let Some(refusal) = &stepped.refusal {
            div.note.bad { strong { (words.game.refused) } p.reason { (reason_text(refusal)) } }
        }
        div.viewer #viewer data-board=(Asset::Board.url()) data-start=(words.game.at_start)
            data-turn=(words.game.turn) data-white=(words.games.white) data-black=(words.games.black) {
            (board(words, names))
            (move_list(words, game, &stepped))
        }
        script type="application/json" #steps { (PreEscaped(json)) }
    }
}

/// Board, dice, clocks and buttons; shown by the script.
fn board(words: &Words, [white, black]: [&String; 2]) -> Markup {
    let texts = &words.game;
    let player = |id: &str, class: &str, name: &str| {
        html! {
            div.side.(class) id=(id) {
                span.name { (name) } span.clock data-clock=(class) { "–:––" }
            }
        }
    };
    let button = |action: &str, label: &str, shapes: &[&str]| {
        html! {
            button type="button" data-step=(action) aria-label=(label) title=(label) {
                @for shape in shapes {
                    svg viewBox="0 0 24 24" aria-hidden="true" { path d=(shape) {} }
                }
            }
        }
    };
    html! {
        div.stage-area #stage hidden {
            (player("upper", "black", black))
            div #board .cg-wrap tabindex="0" role="img" aria-label=(texts.board) aria-describedby="now" {}
            (player("lower", "white", white))
            div.dicebar {
                span.dice #dice aria-label=(texts.dice) {}
                span.stake { span.muted { (texts.stake) } " " strong #stake {} }
            }
            p.now #now aria-live="polite" {}
            div.controls role="toolbar" aria-label=(texts.controls) {
                (button("first", texts.first, &[icon::FIRST]))
                (button("turn-back", texts.turn_back, &[icon::TURN_BACK]))
                (button("back", texts.back, &[icon::BACK]))
                (button("play", texts.play, &[icon::PLAY, icon::PAUSE]))
                (button("forward", texts.forward, &[icon::FORWARD]))
                (button("turn-forward", texts.turn_forward, &[icon::TURN_FORWARD]))
                (button("last", texts.last, &[icon::LAST]))
                (button("flip", texts.flip, &[icon::FLIP]))
            }
            details.keys { summary { (texts.keys) } ul { @for key in texts.key_list { li { kbd { (key.0) } " " (key.1) } } } }
        }
    }
}

fn move_list(words: &Words, game: &IngestGame, stepped: &SteppedGame) -> Markup {
    let texts = &words.game;
    html! {
        section.moves aria-label=(texts.moves) {
            ol.turns #turns {
                @for turn in &stepped.turns {
                    @for event in game.events.iter().filter(|event| event.turn_number == turn.number && is_before(event)) {
                        (event_line(words, event))
                    }
                    (turn_line(words, turn))
                    @for event in game.events.iter().filter(|event| event.turn_number == turn.number && !is_before(event)) {
                        (event_line(words, event))
                    }
                }
                @let last = stepped.turns.last().map_or(0, |turn| turn.number);
                @for event in game.events.iter().filter(|event| event.turn_number > last) {
                    (event_line(words, event))
                }
                li.event.ending { strong { (result(game.result.map(i64::from))) } " " (ending(words, game)) }
            }
        }
    }
}

/// Doubles are offered before the roll, draws after it.
const fn is_before(event: &IngestEvent) -> bool {
    match event.event_type {
        EventType::DoubleOffer | EventType::DoubleAccept | EventType::DoubleDecline => true,
        EventType::DrawOffer | EventType::DrawAccept => false,
    }
}

fn turn_line(words: &Words, turn: &ListedTurn) -> Markup {
    let side = turn.color.fold_wb("white", "black");
    html! {
        li.turn.(side) data-turn=(turn.number) {
            span.number { (turn.number) "." }
            span.sidemark.(side) title=(turn.color.fold_wb(words.games.white, words.games.black)) {}
            (step_button(turn.roll_step, "roll", &html! {
                @for role in &turn.dice { (die(words, *role, turn.color)) }
            }))
            span.ply {
                @if turn.moves.is_empty() { span.muted { (words.game.pass) } }
                @for ListedMove { text, step } in &turn.moves {
                    (step_button(*step, "move", &html! { (text) })) " "
                }
            }
            @if let Some(millis) = turn.thinking_ms {
                span.thought.muted { (words.decimal(millis as f64 / 1000.0, 1)) "\u{a0}" (words.spelling.units[3]) }
            }
        }
    }
}

/// A link to a step, which works without the script as an anchor; plain where there is no step.
fn step_button(step: Option<usize>, class: &str, content: &Markup) -> Markup {
    match step {
        Some(step) => html! { a.(class) href={ "#" (step) } data-go=(step) { (content) } },
        None => html! { span.(class) { (content) } },
    }
}

fn event_line(words: &Words, event: &IngestEvent) -> Markup {
    let color = match event.actor_color {
        Side::White => Color::White,
        Side::Black => Color::Black,
    };
    let bank = event.payload.as_ref().and_then(|payload| payload["bank"].as_u64());
    html! {
        li.event {
            ((words.game.event)(event.event_type, color))
            @if let Some(bank) = bank { " " span.muted { "(" (words.game.stake) " " (words.number(bank)) ")" } }
        }
    }
}

fn ending(words: &Words, game: &IngestGame) -> &'static str {
    (words.game.ending)(game.termination.unwrap_or(Termination::Unknown))
}

/// What is known of the game besides its moves.
fn facts(words: &Words, details: &GameDetails, game: Option<&IngestGame>) -> Markup {
    let texts = &words.game;
    let time = |text: &Option<String>| text.as_deref().and_then(UnixMillis::parse_iso);
    html! {
        dl.facts {
            dt { (words.games.started) }
            dd {
                @if let Some(at) = details.started_at_ms { (words.time(UnixMillis(at))) }
                @else { (words.games.no_start) }
            }
            dt { (words.games.time_control) }
            dd { (time_control(words, details.time_initial_sec, details.time_increment_sec)) }
            @if let Some(game) = game { (document_facts(words, game)) }
            dt { (words.games.status) }
            dd {
                (status_badge(words, &details.status, details.error_stage.as_deref()))
                @let reason = details.reject_reason.as_ref().or(details.last_error.as_ref());
                @if let Some(reason) = reason { div.reason { (reason_text(reason)) } }
            }
            @if let Some(at) = time(&details.next_retry_at) { dt { (words.games.again_at) } dd { (words.time(at)) } }
            @if let Some(at) = time(&details.move_history_fetched_at) {
                dt { (texts.fetched) }
                dd {
                    (words.time(at))
                    @if let Some(size) = details.byte_size {
                        span.muted { " · " (words.count(size.unsigned_abs(), &words.nouns.bytes)) }
                    }
                    @if details.moves_origin == Some(Origin::Browser) { " · " (texts.from_browser) }
                }
            }
            @if let Some(at) = time(&details.archived_at) { dt { (texts.archived) } dd { (words.time(at)) } }
            @if details.revisions.len() > 1 {
                dt { (texts.revisions) } dd { (words.number(details.revisions.len() as u64)) }
            }
            dt { (texts.id) } dd.id { (details.game_id) }
        }
    }
}

fn document_facts(words: &Words, game: &IngestGame) -> Markup {
    let texts = &words.game;
    let currency = printable(game.stake_currency.as_deref().unwrap_or_default());
    let rating = |player: &Option<dicechess_core::ingest::IngestPlayer>| {
        let rating = player.as_ref().and_then(|player| player.rating);
        rating.map_or_else(|| "–".to_owned(), |rating| rating.to_string())
    };
    html! {
        dt { (texts.mode) }
        dd { @if game.mode == Mode::X2 { (words.player.x2) } @else { (words.player.classic) } }
        dt { (texts.ratings) }
        dd { (rating(&game.white_player)) " – " (rating(&game.black_player)) }
        @if let (Some(from), Some(to)) = (game.initial_stake_amount, game.final_stake_amount) {
            dt { (texts.stake) }
            dd {
                (words.number(from.unsigned_abs()))
                @if from != to { " → " (words.number(to.unsigned_abs())) }
                " " (currency)
            }
        }
        dt { (texts.termination) }
        dd { (ending(words, game)) }
    }
}

/// The raw copies of a game that cannot be read.
fn raw(words: &Words, details: &GameDetails) -> Markup {
    let copies = [&details.history_meta_json, &details.move_history_json];
    html! {
        section.card {
            h2 { (words.game.raw) }
            @for copy in copies.into_iter().flatten() {
                details { summary { (words.count(copy.len() as u64, &words.nouns.bytes)) }
                    pre.raw { (printable(&copy.chars().take(RAW_SHOWN).collect::<String>())) } }
            }
        }
    }
}

/// Characters of a raw copy that a page shows.
const RAW_SHOWN: usize = 20_000;

/// The signs on the buttons, as paths on a field of 24 by 24.
mod icon {
    pub(super) const FIRST: &str = "M5 5h3v14H5zM20 5v14L9 12z";
    pub(super) const TURN_BACK: &str = "M12 5v14L2 12zM22 5v14L12 12z";
    pub(super) const BACK: &str = "M17 5v14L7 12z";
    pub(super) const PLAY: &str = "M7 4v16l13-8z";
    pub(super) const PAUSE: &str = "M6 5h4v14H6zM14 5h4v14h-4z";
    pub(super) const FORWARD: &str = "M7 5v14l10-7z";
    pub(super) const TURN_FORWARD: &str = "M2 5v14l10-7zM12 5v14l10-7z";
    pub(super) const LAST: &str = "M16 5h3v14h-3zM4 5v14l11-7z";
    pub(super) const FLIP: &str = "M8 3l5 5h-4v9H7V8H3zM16 21l-5-5h4V7h2v9h4z";
}
