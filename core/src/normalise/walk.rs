//! The walk through the states: which belongs to which turn.
//!
//! A state with a move belongs to the current turn. A state without a move whose dice differ from
//! the current turn's starts a new one. Everything else, repeated rolls too, belongs to the current
//! turn. The colour of a turn is the case of its dice.

use serde_json::{Number, json};
use shakmaty::Color;

use super::error::{NormalizeError, StateFault};
use super::record::{claimed_turn, piece_on, roll, same_dice, uci_move};
use super::{GameContext, clocks, whole, whole_millis};
use crate::dice::Roll;
use crate::ingest::{EventType, IngestEvent, IngestTurn};
use crate::rules::UciMove;
use crate::site::{RecordedMove, State};

/// The turns and the accepted doubles found on the way.
pub(super) struct Walk {
    pub(super) turns: Vec<DraftTurn>,
    pub(super) events: Vec<IngestEvent>,
}

/// A turn as the states tell it; states are named by their place in the walk.
pub(super) struct DraftTurn {
    pub(super) roll: Roll,
    pub(super) color: Color,
    pub(super) moves: Vec<UciMove>,
    /// The first state that shows the roll.
    pub(super) roll_state: usize,
    /// The state of the last micro-move.
    pub(super) last_move_state: Option<usize>,
    /// The last state that belongs to the turn.
    last_state: usize,
}

impl Walk {
    pub(super) fn through(
        states: &[(u64, State<'_>)],
        context: GameContext,
    ) -> Result<Self, NormalizeError> {
        let mut walk = Self { turns: Vec::new(), events: Vec::new() };
        let mut bank: Option<f64> = None;
        for (index, (key, state)) in states.iter().enumerate() {
            let at = |fault: StateFault| fault.at(*key);
            let starts_turn = match &state.played {
                Some(recorded) => {
                    let before = latest_fen(&states[..index]);
                    walk.play(recorded, before, index).map_err(at)?;
                    false
                }
                None => walk.roll(state, states, index).map_err(at)?,
            };
            if let Some(grown) = state.bank().filter(|now| bank.is_some_and(|old| *now > old)) {
                let actor = walk.offerer(starts_turn, states)?;
                walk.accept_double(actor, starts_turn, grown, clocks(state, context));
            }
            bank = state.bank().or(bank);
        }
        Ok(walk)
    }

    /// The number of the turn that the last states belong to, counted from 1.
    pub(super) fn current_number(&self) -> u32 {
        self.turns.len().max(1) as u32
    }

    /// The turn an act of `actor` belongs to or precedes: the current one if it is his.
    pub(super) fn number_for(&self, actor: Color) -> u32 {
        match self.turns.last() {
            Some(turn) if turn.color != actor => self.current_number() + 1,
            _ => self.current_number(),
        }
    }

    fn play(
        &mut self,
        recorded: &RecordedMove<'_>,
        before: Option<&str>,
        index: usize,
    ) -> Result<(), StateFault> {
        let uci = uci_move(recorded)?;
        let turn =
            self.turns.last_mut().ok_or_else(|| StateFault::MoveBeforeRoll(uci.to_string()))?;
        let piece = before.and_then(|fen| piece_on(fen, uci.from));
        if piece.is_some_and(|letter| letter.is_ascii_uppercase() != turn.color.is_white()) {
            return Err(StateFault::WrongSide(uci.to_string()));
        }
        turn.moves.push(uci);
        turn.last_move_state = Some(index);
        turn.last_state = index;
        Ok(())
    }

    /// Takes a state without a move; tells whether it starts a turn.
    fn roll(
        &mut self,
        state: &State<'_>,
        states: &[(u64, State<'_>)],
        index: usize,
    ) -> Result<bool, StateFault> {
        if let Some(turn) = self.turns.last_mut() {
            let current = &states[turn.roll_state].1.dice;
            if state.dice.is_empty() || same_dice(&state.dice, current) {
                turn.last_state = index;
                return Ok(false);
            }
        } else if state.dice.is_empty() {
            return Ok(false);
        }
        let (roll, color) = roll(&state.dice)?;
        self.turns.push(DraftTurn {
            roll,
            color,
            moves: Vec::new(),
            roll_state: index,
            last_move_state: None,
            last_state: index,
        });
        Ok(true)
    }

    /// The side that offered a double which shows as accepted at the present state: the side to
    /// roll there.
    fn offerer(
        &self,
        starts_turn: bool,
        states: &[(u64, State<'_>)],
    ) -> Result<Color, NormalizeError> {
        match self.turns.last() {
            Some(turn) if starts_turn => Ok(turn.color),
            Some(turn) => Ok(turn.color.other()),
            None => {
                let (key, first) = &states[0];
                claimed_turn(first.fen.as_deref()).map_err(|fault| fault.at(*key))
            }
        }
    }

    fn accept_double(
        &mut self,
        actor: Color,
        starts_turn: bool,
        bank: f64,
        clocks: [Option<f64>; 2],
    ) {
        let turn_number = if starts_turn { self.current_number() } else { self.number_for(actor) };
        let event = |event_type, actor: Color, payload| IngestEvent {
            sequence_number: 0,
            turn_number,
            event_type,
            actor_color: actor.into(),
            clock_white_ms: whole_millis(clocks[0]),
            clock_black_ms: whole_millis(clocks[1]),
            payload,
        };
        let payload = json!({ "bank": number(bank) });
        self.events.push(event(EventType::DoubleOffer, actor, None));
        self.events.push(event(EventType::DoubleAccept, actor.other(), Some(payload)));
    }
}

impl DraftTurn {
    /// The turn as it is sent, `index` being its place among the turns kept.
    pub(super) fn finish(
        &self,
        index: usize,
        states: &[(u64, State<'_>)],
        context: GameContext,
    ) -> IngestTurn {
        IngestTurn {
            turn_number: index as u32 + 1,
            active_color: self.color.into(),
            dice: self.roll.codes().collect(),
            moves: self.moves.iter().map(ToString::to_string).collect(),
            thinking_time_ms: self.thinking_time(states, context),
            fen_after: states[self.last_state].1.fen.as_deref().map(str::to_owned),
        }
    }

    /// What the mover's clock lost between the roll and the last micro-move. An increment can make
    /// it grow, which tells nothing.
    fn thinking_time(&self, states: &[(u64, State<'_>)], context: GameContext) -> Option<i64> {
        let user = self.color.fold_wb(context.white, context.black);
        let clock = |index: usize| states[index].1.clocks.of(user, self.color);
        let spent = clock(self.roll_state)? - clock(self.last_move_state?)?;
        (spent >= 0.0).then(|| spent.round() as i64)
    }
}

/// The position before a state: that of the nearest earlier state which has one.
pub(super) fn latest_fen<'a>(earlier: &'a [(u64, State<'_>)]) -> Option<&'a str> {
    earlier.iter().rev().find_map(|(_, state)| state.fen.as_deref())
}

/// A stake as JSON: whole where it is whole.
fn number(value: f64) -> Option<Number> {
    whole(value).map(Number::from).or_else(|| Number::from_f64(value))
}
