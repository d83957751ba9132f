//! `show`: a game as a person reads it.

use std::fmt::Write as _;
use std::io::Write;

use dicechess_core::dice::Roll;
use dicechess_core::ids::GameId;
use dicechess_core::ingest::{
    EventType, IngestEvent, IngestGame, IngestPlayer, IngestPlayerType, IngestTurn, Mode, Side,
    Termination,
};
use dicechess_core::replay::replay;
use dicechess_core::rules::Position;
use shakmaty::{Color, File, Rank, Square};

use super::CommandError;
use crate::config::{StoreSettings, resolve_store};
use crate::document::document;
use crate::exit_code::Exit;
use crate::printable::printable;
use crate::store::{GameDetails, Origin, Store};

/// Shows a game, or the latest one that has moves.
///
/// # Errors
/// The database failed, or the game is not in it.
pub fn run(
    game: Option<GameId>,
    json: bool,
    settings: &StoreSettings,
) -> Result<Exit, CommandError> {
    let (db_path, _) = resolve_store(settings)?;
    let store = Store::open_existing(&db_path)?;
    let game = match game {
        Some(game) => game,
        None => store.latest_raw_game()?.ok_or_else(|| {
            CommandError::BadInput("no game has moves yet: run `dicechess-sync crawl`".to_owned())
        })?,
    };
    let details = store
        .game_details(game)?
        .ok_or_else(|| CommandError::BadInput(format!("game {game} is not in the catalogue")))?;
    let mut out = std::io::stdout().lock();
    match (document(&details), json) {
        (Ok(document), true) => writeln!(out, "{}", document.to_json())?,
        (Ok(document), false) => write!(out, "{}", describe(&details, &document))?,
        (Err(cause), true) => return Err(CommandError::BadInput(format!("game {game}: {cause}"))),
        (Err(cause), false) => {
            writeln!(out, "Game {}\nStatus {}\n\n{cause}", details.game_id, status(&details))?;
        }
    }
    Ok(Exit::Done)
}

/// The game as text. Writing to a string cannot fail, so its results are dropped.
fn describe(details: &GameDetails, game: &IngestGame) -> String {
    let mut text = format!("Game {}\n", game.id);
    let _ = writeln!(text, "White  {}", player(game.white_player.as_ref()));
    let _ = writeln!(text, "Black  {}", player(game.black_player.as_ref()));
    let _ = writeln!(text, "Result {}, {}", result(game), termination(game));
    let _ = writeln!(text, "Played {}", setting(game));
    let _ = writeln!(text, "Status {}\n", status(details));
    let width = game.turns.len().to_string().len();
    let mut events = game.events.iter().peekable();
    for turn in &game.turns {
        while let Some(event) =
            events.next_if(|event| event.turn_number < turn.turn_number || precedes(event, turn))
        {
            let _ = writeln!(text, "{:width$}  {}", "", event_text(event));
        }
        let _ = writeln!(text, "{}", turn_text(turn, width));
    }
    for event in events {
        let _ = writeln!(text, "{:width$}  {}", "", event_text(event));
    }
    text.push('\n');
    match replay(game) {
        Ok(replayed) => {
            let last = replayed.turns.last().map_or(&replayed.initial, |turn| &turn.after);
            text.push_str(&board(last));
        }
        Err(error) => {
            let _ = writeln!(text, "The replay refuses it: {error}");
        }
    }
    text
}

/// Doubles are offered before the roll, draws after it.
fn precedes(event: &IngestEvent, turn: &IngestTurn) -> bool {
    let is_double = matches!(
        event.event_type,
        EventType::DoubleOffer | EventType::DoubleAccept | EventType::DoubleDecline
    );
    is_double && event.turn_number == turn.turn_number
}

fn player(player: Option<&IngestPlayer>) -> String {
    let Some(player) = player else { return "unknown".to_owned() };
    let mut text = match &player.username {
        Some(name) => format!("{} (id {})", printable(name), player.external_id),
        None => format!("id {}", player.external_id),
    };
    if let Some(rating) = player.rating {
        let _ = write!(text, ", rated {rating}");
    }
    if player.player_type == IngestPlayerType::Bot {
        text.push_str(", a bot");
    }
    text
}

fn result(game: &IngestGame) -> &'static str {
    match game.result {
        Some(1) => "1-0",
        Some(0) => "1/2-1/2",
        Some(-1) => "0-1",
        _ => "unknown",
    }
}

fn termination(game: &IngestGame) -> &'static str {
    match game.termination {
        Some(Termination::KingCaptured) => "king captured",
        Some(Termination::Timeout) => "time ran out",
        Some(Termination::Resign) => "resignation",
        Some(Termination::DrawAgreement) => "draw by agreement",
        Some(Termination::DoubleDeclined) => "double declined",
        Some(Termination::Unknown) | None => "ending unknown",
    }
}

fn setting(game: &IngestGame) -> String {
    let mode = if game.mode == Mode::X2 { "x2" } else { "classic" };
    let mut text =
        format!("{} as {mode}", game.started_at.as_deref().unwrap_or("at an unknown time"));
    if let Some(initial) = game.time_initial_sec {
        let increment = game.time_increment_sec.unwrap_or(0);
        let _ = write!(text, ", {initial} s + {increment} s");
    }
    if let (Some(from), Some(to)) = (game.initial_stake_amount, game.final_stake_amount) {
        let currency = printable(game.stake_currency.as_deref().unwrap_or(""));
        let growth = if from == to { format!("{from}") } else { format!("{from} to {to}") };
        let _ = write!(text, ", stake {growth} {currency}");
    }
    text.trim_end().to_owned()
}

fn status(details: &GameDetails) -> String {
    let mut text = details.status.clone();
    let parts =
        [&details.error_stage, &details.post_result, &details.reject_reason, &details.last_error];
    for part in parts.into_iter().flatten() {
        let _ = write!(text, ", {}", printable(part));
    }
    if let Some(when) = &details.archived_at {
        let _ = write!(text, ", archived {when}");
    }
    if let Some(what) = browsers_part(details) {
        let _ = write!(text, "\nSource {what} from a browser");
        if let Some(id) = details.pairing_id {
            let _ = write!(text, " (pairing {id})");
        }
    }
    text
}

/// What of a game is a browser's word.
fn browsers_part(details: &GameDetails) -> Option<&'static str> {
    let is_browsers = |origin| origin == Some(Origin::Browser);
    match (is_browsers(details.meta_origin), is_browsers(details.moves_origin)) {
        (true, true) => Some("entry and moves"),
        (true, false) => Some("entry"),
        (false, true) => Some("moves"),
        (false, false) => None,
    }
}

fn side(side: Side) -> &'static str {
    match side {
        Side::White => "White",
        Side::Black => "Black",
    }
}

fn turn_text(turn: &IngestTurn, width: usize) -> String {
    let color = Color::from(turn.active_color);
    let dice = Roll::from_codes(&turn.dice)
        .map_or_else(|error| error.to_string(), |roll| roll.pool().letters(color));
    let moves = if turn.moves.is_empty() { "passes".to_owned() } else { turn.moves.join(" ") };
    let mut text =
        format!("{:width$}. {} rolls {dice:3}  {moves}", turn.turn_number, side(turn.active_color));
    if let Some(millis) = turn.thinking_time_ms {
        let _ = write!(text, "  ({:.1} s)", millis as f64 / 1000.0);
    }
    text
}

fn event_text(event: &IngestEvent) -> String {
    let act = match event.event_type {
        EventType::DoubleOffer => "offers to double the stake",
        EventType::DoubleAccept => "accepts the double",
        EventType::DoubleDecline => "declines the double and loses",
        EventType::DrawOffer => "offers a draw",
        EventType::DrawAccept => "accepts the draw",
    };
    format!("{} {act}", side(event.actor_color))
}

/// The board from White's side.
fn board(position: &Position) -> String {
    let mut text = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        let _ = write!(text, "  {} ", rank.char());
        for file in File::ALL {
            let piece = position.board().piece_at(Square::from_coords(file, rank));
            let _ = write!(text, " {}", piece.map_or('.', |piece| piece.char()));
        }
        text.push('\n');
    }
    text.push_str("\n     a b c d e f g h\n");
    text
}
