//! A whole game is replayed: is every turn legal?
//!
//! Decides what the analytics receiver accepts (contract, section 6): a turn's moves must be exactly
//! one legal path; only the last turn of a game that ended by time, agreement or resignation may be
//! a non-empty proper beginning of one. Judging one turn is [`crate::rules`]' matter.

use shakmaty::Color;
use thiserror::Error;

use crate::dice::{InvalidRoll, Roll};
use crate::ingest::{IngestGame, IngestTurn, Side, Termination};
use crate::rules::{InvalidFen, InvalidUciMove, Position, TurnKind, UciMove};

/// A replayed game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayedGame {
    /// The initial position.
    pub initial: Position,
    /// The turns in order.
    pub turns: Vec<ReplayedTurn>,
}

/// A replayed turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayedTurn {
    /// The roll.
    pub roll: Roll,
    /// The position before the roll.
    pub before: Position,
    /// The position after the turn. The side to move has flipped, except after a partial turn.
    pub after: Position,
    /// Whether the turn was played to its end.
    pub kind: TurnKind,
    /// The side whose king was captured.
    pub captured_king: Option<Color>,
}

/// Why the replay refuses a game.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReplayError {
    /// The initial position cannot be read.
    #[error("initial_fen: {0}")]
    InitialFen(#[from] InvalidFen),
    /// A turn is refused.
    #[error("Turn {turn}: {fault}")]
    Turn {
        /// Its number as sent.
        turn: u32,
        /// What is wrong with it.
        fault: TurnFault,
    },
    /// Event numbers do not count from 1 without a gap.
    #[error("events: sequence_number {found} where {expected} is due")]
    EventNumber {
        /// The number that is due.
        expected: u32,
        /// The number sent.
        found: u32,
    },
}

/// What is wrong with a turn.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TurnFault {
    /// Turn numbers do not count from 1 without a gap.
    #[error("turn_number where {0} is due")]
    Number(u32),
    /// The other side is to move.
    #[error("active_color {0} is not the side to move")]
    Color(char),
    /// The dice are no roll.
    #[error("{0}")]
    Dice(#[from] InvalidRoll),
    /// A text that spells no move.
    #[error("{0}")]
    Move(#[from] InvalidUciMove),
    /// The moves are not a legal turn.
    #[error("illegal move sequence [{0}]")]
    Illegal(String),
    /// The moves stop before the turn is over.
    #[error("incomplete move sequence [{0}]")]
    Incomplete(String),
    /// The game was over.
    #[error("played after a king was captured")]
    AfterKingCapture,
}

/// Replays a game from its initial position.
///
/// # Errors
/// See [`ReplayError`].
pub fn replay(game: &IngestGame) -> Result<ReplayedGame, ReplayError> {
    let initial: Position = game.initial_fen.parse()?;
    check_event_numbers(game)?;
    let may_stop_early = matches!(
        game.termination,
        Some(Termination::Timeout | Termination::DrawAgreement | Termination::Resign)
    );
    let mut turns: Vec<ReplayedTurn> = Vec::with_capacity(game.turns.len());
    for (index, turn) in game.turns.iter().enumerate() {
        let previous = turns.last();
        let before = previous.map_or(&initial, |turn| &turn.after);
        let is_last = index + 1 == game.turns.len();
        let number = index as u32 + 1;
        let replayed = if turn.turn_number != number {
            Err(TurnFault::Number(number))
        } else if previous.is_some_and(|turn| turn.captured_king.is_some()) {
            Err(TurnFault::AfterKingCapture)
        } else {
            replay_turn(before, turn, is_last && may_stop_early)
        };
        turns.push(replayed.map_err(|fault| ReplayError::Turn { turn: turn.turn_number, fault })?);
    }
    Ok(ReplayedGame { initial, turns })
}

fn check_event_numbers(game: &IngestGame) -> Result<(), ReplayError> {
    for (expected, event) in (1..).zip(&game.events) {
        let found = event.sequence_number;
        if found != expected {
            return Err(ReplayError::EventNumber { expected, found });
        }
    }
    Ok(())
}

fn replay_turn(
    before: &Position,
    turn: &IngestTurn,
    may_be_partial: bool,
) -> Result<ReplayedTurn, TurnFault> {
    if before.turn() != Color::from(turn.active_color) {
        let sent = if turn.active_color == Side::White { 'w' } else { 'b' };
        return Err(TurnFault::Color(sent));
    }
    let roll = Roll::from_codes(&turn.dice)?;
    let moves = turn.moves.iter().map(|text| text.parse()).collect::<Result<Vec<UciMove>, _>>()?;
    let spelled = || turn.moves.join(", ");
    let judged = before.judge(roll, &moves).map_err(|_| TurnFault::Illegal(spelled()))?;
    let mut after = judged.after;
    match judged.kind {
        TurnKind::Complete => after.end_turn(),
        TurnKind::Partial if may_be_partial => {}
        TurnKind::Partial => return Err(TurnFault::Incomplete(spelled())),
    }
    Ok(ReplayedTurn {
        roll,
        before: before.clone(),
        after,
        kind: judged.kind,
        captured_king: judged.captured_king,
    })
}

/// After how many turns the recorded board is not the replayed one. Recorded positions are never
/// trusted for legality; a difference is worth knowing all the same.
pub fn recorded_differences(game: &IngestGame, replayed: &ReplayedGame) -> usize {
    let differs = |(sent, turn): &(&IngestTurn, &ReplayedTurn)| {
        let recorded = sent.fen_after.as_deref().and_then(|fen| fen.split(' ').next());
        recorded.is_some_and(|board| board != turn.after.board().board_fen().to_string())
    };
    game.turns.iter().zip(&replayed.turns).filter(differs).count()
}
