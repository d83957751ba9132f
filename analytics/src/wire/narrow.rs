//! From a well-formed document to the core's game.
//!
//! Decides what is said of numbers that the core's types cannot hold: the same as the replay says
//! of those that they can. Everything else is a plain move of fields.

use dicechess_core::dice::InvalidRoll;
use dicechess_core::ingest::{IngestEvent, IngestGame, IngestPlayer, IngestTurn};
use dicechess_core::replay::{ReplayError, TurnFault};

use super::scalar::{Object, Whole};
use super::{Event, Game, Player, Turn};

/// The core's form of a document.
///
/// # Errors
/// The detail of the refusal when a turn number, event number or die is out of every range.
pub(crate) fn narrow(game: Game) -> Result<IngestGame, String> {
    Ok(IngestGame {
        id: game.id,
        source: game.source,
        mode: game.mode.0,
        result: game.result.map(|result| result.0),
        termination: game.termination.map(|termination| termination.0),
        started_at: game.started_at.map(|time| time.0),
        time_initial_sec: game.time_initial_sec,
        time_increment_sec: game.time_increment_sec,
        initial_stake_amount: game.initial_stake_amount,
        final_stake_amount: game.final_stake_amount,
        stake_currency: game.stake_currency,
        white_money_delta: game.white_money_delta,
        black_money_delta: game.black_money_delta,
        white_player: game.white_player.map(player),
        black_player: game.black_player.map(player),
        initial_fen: game.initial_fen,
        turns: (1..).zip(game.turns).map(turn).collect::<Result<_, _>>()?,
        events: (1..).zip(game.events).map(event).collect::<Result<_, _>>()?,
    })
}

fn player(Object(player): Object<Player>) -> IngestPlayer {
    IngestPlayer {
        external_id: player.external_id.0,
        username: player.username,
        player_type: player.player_type.0,
        rating: player.rating,
    }
}

fn turn((due, Object(turn)): (u32, Object<Turn>)) -> Result<IngestTurn, String> {
    let Whole(number) = turn.turn_number;
    let turn_number =
        u32::try_from(number).map_err(|_| format!("Turn {number}: {}", TurnFault::Number(due)))?;
    let die = |Whole(code): Whole| {
        u8::try_from(code).map_err(|_| {
            let fault = InvalidRoll::UnknownDie(code.to_string()).into();
            ReplayError::Turn { turn: turn_number, fault }.to_string()
        })
    };
    Ok(IngestTurn {
        turn_number,
        active_color: turn.active_color.0,
        dice: turn.dice.into_iter().map(die).collect::<Result<_, _>>()?,
        moves: turn.moves,
        thinking_time_ms: turn.thinking_time_ms,
        fen_after: turn.fen_after,
    })
}

fn event((due, Object(event)): (u32, Object<Event>)) -> Result<IngestEvent, String> {
    let Whole(sequence) = event.sequence_number;
    let Whole(turn) = event.turn_number;
    Ok(IngestEvent {
        sequence_number: u32::try_from(sequence)
            .map_err(|_| format!("events: sequence_number {sequence} where {due} is due"))?,
        turn_number: u32::try_from(turn)
            .map_err(|_| format!("events: turn_number {turn} of event {due} is no turn"))?,
        event_type: event.event_type.0,
        actor_color: event.actor_color.0,
        clock_white_ms: event.clock_white_ms,
        clock_black_ms: event.clock_black_ms,
        payload: event.payload,
    })
}
