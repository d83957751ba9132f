//! A recorded state map becomes turns, events and a termination (contract, section 4).
//!
//! Decides how a game is cut into turns and what happened between them. Nothing is guessed: what
//! is needed and wrong is an error that names the state key and the value. Recorded positions are
//! not trusted for legality; whether the turns are legal is [`crate::replay`]'s matter.
//!
//! | file | decides |
//! |---|---|
//! | `walk` | which state belongs to which turn; doubles that were accepted on the way |
//! | `ending` | what the last states say: declined double, agreed draw, termination |
//! | `record` | how squares, promotions, dice and recorded positions are read |
//! | `line` | the input and output of the command `normalize` |

mod ending;
mod error;
mod line;
mod record;
mod walk;

pub use error::{NormalizeError, StateFault};
pub use line::{LineError, normalize_line, normalize_line_by_parts};

use shakmaty::Color;

use crate::ids::UserId;
use crate::ingest::{IngestEvent, IngestTurn, Termination};
use crate::rules::Position;
use crate::site::{State, StateMap, UnreadableStateMap};
use ending::Ending;
use walk::{DraftTurn, Walk};

/// What the normaliser needs to know of a game besides its states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameContext {
    /// White, whose clock may be keyed by his id.
    pub white: UserId,
    /// Black.
    pub black: UserId,
    /// 1 White won, 0 drawn, -1 Black won. The history entry is its authority.
    pub result: Option<i8>,
    /// Whether the stake can be doubled.
    pub allow_doubling: bool,
}

/// A game as the state map tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct NormalizedGame {
    /// The first state's position, as recorded.
    pub initial_fen: String,
    /// The last state's position, as recorded.
    pub final_fen: Option<String>,
    /// The turns, without a last roll that was never played.
    pub turns: Vec<IngestTurn>,
    /// Doubles and draws.
    pub events: Vec<IngestEvent>,
    /// How the game ended.
    pub termination: Termination,
    /// The stake at the start.
    pub initial_stake_amount: Option<i64>,
    /// The stake at the end.
    pub final_stake_amount: Option<i64>,
}

/// Normalises a state map.
///
/// # Errors
/// See [`NormalizeError`].
pub fn normalize_state_map(
    map: &StateMap<'_>,
    context: GameContext,
) -> Result<NormalizedGame, NormalizeError> {
    let states = &map.states;
    let [(first_key, first), ..] = states.as_slice() else {
        return Err(UnreadableStateMap::NoStateMap.into());
    };
    let initial_fen = first.fen.as_deref().ok_or(StateFault::NoFen.at(*first_key))?;
    let walk = Walk::through(states, context)?;
    let ending = Ending::read(states, &walk, context)?;
    let mut events = walk.events;
    events.extend(ending.events);
    for (index, event) in events.iter_mut().enumerate() {
        event.sequence_number = index as u32 + 1;
    }
    let mut drafts = walk.turns;
    if let Some(last) = drafts.last()
        && is_unplayed(last, states)?
    {
        drafts.pop();
    }
    let last = states.last().map(|(_, state)| state);
    let turn = |(index, draft): (usize, &DraftTurn)| draft.finish(index, states, context);
    Ok(NormalizedGame {
        initial_fen: initial_fen.to_owned(),
        final_fen: last.and_then(|state| state.fen.as_deref()).map(str::to_owned),
        turns: drafts.iter().enumerate().map(turn).collect(),
        events,
        termination: ending.termination,
        initial_stake_amount: stake(first),
        final_stake_amount: last.and_then(stake),
    })
}

/// Whether a last roll was never played although a legal move existed: the game ended first.
fn is_unplayed(turn: &DraftTurn, states: &[(u64, State<'_>)]) -> Result<bool, NormalizeError> {
    if !turn.moves.is_empty() {
        return Ok(false);
    }
    let (key, state) = &states[turn.roll_state];
    let fen = state.fen.as_deref().ok_or(StateFault::NoFen.at(*key))?;
    let mut position: Position =
        fen.parse().map_err(|error| StateFault::UnreadableFen(fen.to_owned(), error).at(*key))?;
    position.set_turn(turn.color);
    Ok(position.has_micro_move(turn.roll.pool()))
}

/// Both clocks at a state, White's first, in milliseconds as recorded.
fn clocks(state: &State<'_>, context: GameContext) -> [Option<f64>; 2] {
    [(context.white, Color::White), (context.black, Color::Black)]
        .map(|(user, color)| state.clocks.of(user, color))
}

/// A clock as it is sent, in whole milliseconds.
fn whole_millis(clock: Option<f64>) -> Option<i64> {
    clock.map(|millis| millis.round() as i64)
}

/// The stake at a state, if it is a whole number that can be sent.
fn stake(state: &State<'_>) -> Option<i64> {
    state.bank().and_then(whole)
}

/// A number as a whole one, if it is one and every such number near it can be told from it.
fn whole(number: f64) -> Option<i64> {
    const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && number.abs() <= LARGEST_EXACT).then_some(number as i64)
}
