//! What the last states say: a declined double, an agreed draw, and how the game ended.

use shakmaty::{Board, Color};

use super::error::NormalizeError;
use super::record::{claimed_turn, piece_on, same_dice};
use super::walk::{Walk, latest_fen};
use super::{GameContext, clocks, whole_millis};
use crate::ingest::{EventType, IngestEvent, Termination};
use crate::site::State;

/// The end of a game.
pub(super) struct Ending {
    pub(super) events: Vec<IngestEvent>,
    pub(super) termination: Termination,
}

impl Ending {
    pub(super) fn read(
        states: &[(u64, State<'_>)],
        walk: &Walk,
        context: GameContext,
    ) -> Result<Self, NormalizeError> {
        let tail = Tail { states, walk, context };
        let declined = tail.declined_double()?;
        let drawn = tail.agreed_draw();
        let termination = if king_is_gone(states, walk) {
            Termination::KingCaptured
        } else if declined.is_some() {
            Termination::DoubleDeclined
        } else if tail.a_clock_ran_out() {
            Termination::Timeout
        } else {
            match context.result {
                Some(0) => Termination::DrawAgreement,
                Some(_) => Termination::Resign,
                None => Termination::Unknown,
            }
        };
        Ok(Self { events: declined.into_iter().chain(drawn).flatten().collect(), termination })
    }
}

struct Tail<'a> {
    states: &'a [(u64, State<'a>)],
    walk: &'a Walk,
    context: GameContext,
}

impl Tail<'_> {
    /// A declined double shows as two or more last states without a move that repeat the dice
    /// before them, all blocked. A decline loses the game, so a drawn one has none.
    fn declined_double(&self) -> Result<Option<[IngestEvent; 2]>, NormalizeError> {
        if !self.context.allow_doubling || self.context.result == Some(0) {
            return Ok(None);
        }
        let start = self.start_of(|before, state| {
            let is_blocked = state.dice.iter().all(|die| die.allowed == Some(false));
            !state.dice.is_empty() && is_blocked && same_dice(&state.dice, &before.dice)
        });
        if self.states.len() - start < 2 {
            return Ok(None);
        }
        let (key, first) = &self.states[start];
        let offerer = claimed_turn(first.fen.as_deref()).map_err(|fault| fault.at(*key))?;
        let number = self.walk.number_for(offerer);
        Ok(Some([
            self.event(start, number, EventType::DoubleOffer, offerer),
            self.event(start, number, EventType::DoubleDecline, offerer.other()),
        ]))
    }

    /// An agreed draw shows as last states that repeat position and dice while the accepter's
    /// clock falls. When both clocks fell, or none, nobody can be named.
    fn agreed_draw(&self) -> Option<[IngestEvent; 2]> {
        if self.context.result != Some(0) || self.a_clock_ran_out() {
            return None;
        }
        let start = self.start_of(|before, state| {
            state.fen == before.fen && same_dice(&state.dice, &before.dice)
        });
        if start == self.states.len() {
            return None;
        }
        let accepter = match self.clocks_fell(&self.states[start - 1..]) {
            [true, false] => Color::White,
            [false, true] => Color::Black,
            [true, true] | [false, false] => return None,
        };
        let number = self.walk.current_number();
        Some([
            self.event(start, number, EventType::DrawOffer, accepter.other()),
            self.event(start, number, EventType::DrawAccept, accepter),
        ])
    }

    /// Where the longest tail of states without a move begins in which each state and the one
    /// before it are alike; the number of states when there is none.
    fn start_of(&self, is_alike: impl Fn(&State<'_>, &State<'_>) -> bool) -> usize {
        let mut start = self.states.len();
        while start > 1 {
            let (before, state) = (&self.states[start - 2].1, &self.states[start - 1].1);
            if state.played.is_some() || !is_alike(before, state) {
                break;
            }
            start -= 1;
        }
        start
    }

    /// For White and Black, whether the last known clock is below the first known one.
    fn clocks_fell(&self, states: &[(u64, State<'_>)]) -> [bool; 2] {
        [0, 1].map(|side| {
            let mut known =
                states.iter().filter_map(|(_, state)| clocks(state, self.context)[side]);
            known.next().is_some_and(|first| known.next_back().is_some_and(|last| last < first))
        })
    }

    fn a_clock_ran_out(&self) -> bool {
        let last = self.states.last();
        last.is_some_and(|(_, state)| {
            clocks(state, self.context).into_iter().flatten().any(|millis| millis <= 0.0)
        })
    }

    fn event(
        &self,
        start: usize,
        turn_number: u32,
        event_type: EventType,
        actor: Color,
    ) -> IngestEvent {
        let [clock_white_ms, clock_black_ms] =
            clocks(&self.states[start].1, self.context).map(whole_millis);
        IngestEvent {
            sequence_number: 0,
            turn_number,
            event_type,
            actor_color: actor.into(),
            clock_white_ms,
            clock_black_ms,
            payload: None,
        }
    }
}

/// A king is missing on the final board, or the last micro-move captured it (the recorded board
/// may still show it).
fn king_is_gone(states: &[(u64, State<'_>)], walk: &Walk) -> bool {
    let final_board = latest_fen(states)
        .and_then(|fen| fen.split_ascii_whitespace().next())
        .and_then(|field| Board::from_ascii_board_fen(field.as_bytes()).ok());
    let is_missing = final_board
        .is_some_and(|board| Color::ALL.iter().any(|c| board.by_piece(c.king()).is_empty()));
    is_missing || last_move_took_king(states, walk).unwrap_or(false)
}

fn last_move_took_king(states: &[(u64, State<'_>)], walk: &Walk) -> Option<bool> {
    let turn = walk.turns.iter().rev().find(|turn| !turn.moves.is_empty())?;
    let before = latest_fen(&states[..turn.last_move_state?])?;
    let target = piece_on(before, turn.moves.last()?.to)?;
    Some(target == turn.color.other().king().char())
}
