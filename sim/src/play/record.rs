//! The record of a game while it is played: the map's states and the truth, side by side.

use dicechess_core::rules::{MicroMove, Position};
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use shakmaty::{ByColor, Color, Role};

use super::Played;
use super::picker::{Choice, codes_after};
use super::states::{Dice, State, StateKind};
use crate::details::Game;
use crate::truth::{EventKind, Feature, GameTruth, Promoted, Termination, TruthEvent, TruthTurn};

/// What has been noted so far.
pub(super) struct Record {
    states: Vec<State>,
    truth: GameTruth,
    clocks: ByColor<i64>,
    bonus_ms: i64,
    bank: i64,
    dice: Option<Dice>,
}

impl Record {
    pub(super) fn new(game: &Game) -> Self {
        let truth = GameTruth {
            initial_fen: String::new(),
            turns: Vec::new(),
            events: Vec::new(),
            termination: Termination::Unknown,
            result: game.result(),
            initial_stake: game.stake,
            final_stake: game.stake,
            features: Default::default(),
        };
        Self {
            states: Vec::new(),
            truth,
            clocks: ByColor::new_with(|_| game.thinking_time_ms()),
            bonus_ms: game.time_bonus_sec * 1000,
            bank: game.stake,
            dice: None,
        }
    }

    pub(super) fn turns(&self) -> usize {
        self.truth.turns.len()
    }

    pub(super) fn has_states(&self) -> bool {
        !self.states.is_empty()
    }

    pub(super) fn note(&mut self, feature: Feature) {
        self.truth.features.insert(feature);
    }

    pub(super) fn start(&mut self, position: &Position) {
        self.push(StateKind::Start, position);
    }

    /// A roll is thrown.
    pub(super) fn roll(&mut self, rng: &mut ChaCha8Rng, position: &Position, codes: &[u8]) {
        let is_stuck = false;
        let dice = codes.iter().map(|code| (*code, false)).collect();
        self.dice = Some(Dice { color: position.turn(), dice, is_stuck });
        if codes.len() < 3 {
            self.note(Feature::FewDice);
        }
        let is_first = self.states.is_empty();
        if !is_first && rng.random_bool(0.5) {
            self.think(rng, position.turn());
        }
        self.push(StateKind::Roll { is_first }, position);
    }

    /// The roll just thrown allows nothing.
    pub(super) fn pass(&mut self, position: &Position) {
        if let Some(state) = self.states.last_mut()
            && let Some(dice) = &mut state.dice
        {
            dice.is_stuck = true;
            self.dice = state.dice.clone();
        }
        self.keep_turn(position.turn(), &[], false);
        self.note(Feature::Pass);
    }

    pub(super) fn repeat_roll(&mut self, position: &Position) {
        self.push(StateKind::RepeatedRoll, position);
    }

    /// A micro-move is played from `position`, which it changes.
    pub(super) fn micro_move(
        &mut self,
        rng: &mut ChaCha8Rng,
        position: &mut Position,
        choice: Choice,
        is_last: bool,
    ) {
        let mover = position.turn();
        self.think(rng, mover);
        let takes_king = position.captures_king(choice.micro_move);
        position.play(choice.micro_move);
        if let Some(dice) = &mut self.dice {
            let unused: Vec<u8> =
                dice.dice.iter().filter(|(_, used)| !used).map(|(code, _)| *code).collect();
            dice.use_up(&codes_after(&unused, choice.micro_move));
        }
        if is_last {
            *self.clocks.get_mut(mover) += self.bonus_ms;
        }
        let ends_turn = is_last && !takes_king;
        self.push(if ends_turn { StateKind::LastMove } else { StateKind::Move }, position);
        if let Some(state) = self.states.last_mut() {
            state.played = Some(choice.uci);
        }
    }

    /// The turn just played goes into the truth.
    pub(super) fn keep_turn(&mut self, color: Color, played: &[Choice], is_partial: bool) {
        let mut dice: Vec<u8> =
            self.dice.iter().flat_map(|dice| dice.dice.iter().map(|(code, _)| *code)).collect();
        dice.sort_unstable();
        let moves = played.iter().map(|choice| choice.uci.to_string()).collect();
        self.truth.turns.push(TruthTurn { color, dice, moves, is_partial });
        if is_partial {
            self.note(Feature::PartialLastTurn);
        }
    }

    /// The side to roll offers a double, which is accepted. The new pot shows in a state of its own
    /// or with the roll.
    pub(super) fn double(&mut self, rng: &mut ChaCha8Rng, position: &Position) {
        let offerer = position.turn();
        self.bank *= 2;
        self.event(EventKind::DoubleOffer, offerer);
        self.event(EventKind::DoubleAccept, offerer.other());
        self.note(Feature::DoubleAccepted);
        if rng.random_bool(0.5) {
            self.push(StateKind::Bank, position);
        }
    }

    /// The side to move offers a double, which is declined.
    pub(super) fn decline(&mut self, rng: &mut ChaCha8Rng, position: &Position) {
        let offerer = position.turn();
        self.event(EventKind::DoubleOffer, offerer);
        self.event(EventKind::DoubleDecline, offerer.other());
        self.last_needs_dice();
        for _ in 0..rng.random_range(2..4) {
            self.push(StateKind::Blocked, position);
        }
        self.truth.termination = Termination::DoubleDeclined;
    }

    /// A draw is agreed; `seen` if the accepter's clock tells so.
    pub(super) fn draw(&mut self, rng: &mut ChaCha8Rng, position: &Position, seen: bool) {
        self.truth.termination = Termination::DrawAgreement;
        self.note(if seen { Feature::DrawSeen } else { Feature::DrawUnseen });
        let repeats = rng.random_range(usize::from(seen)..3);
        let accepter = if rng.random_bool(0.5) { Color::White } else { Color::Black };
        if seen {
            self.event(EventKind::DrawOffer, accepter.other());
            self.event(EventKind::DrawAccept, accepter);
        }
        self.last_needs_clocks();
        for _ in 0..repeats {
            if seen {
                self.think(rng, accepter);
            }
            self.push(StateKind::Same, position);
            self.last_needs_clocks();
        }
    }

    /// A clock runs out.
    pub(super) fn timeout(&mut self, rng: &mut ChaCha8Rng, position: &Position, loser: Color) {
        self.truth.termination = Termination::Timeout;
        *self.clocks.get_mut(loser) = if rng.random_bool(0.2) { -5 } else { 0 };
        self.push(StateKind::Same, position);
        self.last_needs_clocks();
    }

    pub(super) fn end(&mut self, termination: Termination) {
        self.truth.termination = termination;
    }

    pub(super) fn finish(mut self) -> Played {
        self.truth.final_stake = self.bank;
        if self.truth.turns.is_empty() {
            self.note(Feature::NoTurns);
        }
        Played { states: self.states, truth: self.truth }
    }

    fn event(&mut self, kind: EventKind, actor: Color) {
        self.truth.events.push(TruthEvent { kind, actor });
    }

    /// The clock of a thinking player falls, never to zero.
    fn think(&mut self, rng: &mut ChaCha8Rng, player: Color) {
        let clock = self.clocks.get_mut(player);
        *clock -= rng.random_range(1..=(*clock / 25).max(2)).min(*clock - 1);
    }

    fn push(&mut self, kind: StateKind, position: &Position) {
        self.states.push(State {
            kind,
            position: position.clone(),
            dice: self.dice.clone(),
            played: None,
            bank: self.bank,
            clocks: self.clocks,
            needs_clocks: false,
            needs_dice: false,
        });
    }

    fn last_needs_dice(&mut self) {
        if let Some(state) = self.states.last_mut() {
            state.needs_dice = true;
        }
    }

    fn last_needs_clocks(&mut self) {
        if let Some(state) = self.states.last_mut() {
            state.needs_clocks = true;
        }
    }
}

/// What is special about a micro-move that is about to be played as the `place`-th of its turn.
pub(super) fn features(
    position: &Position,
    earlier: &[Choice],
    micro_move: MicroMove,
    is_chess960: bool,
) -> Vec<Feature> {
    let (role, from, to, promotion) = match micro_move {
        MicroMove::Castle { side, .. } if is_chess960 => {
            return vec![Feature::Chess960Castling(side.into())];
        }
        MicroMove::Castle { side, .. } => return vec![Feature::Castling(side.into())],
        MicroMove::Step { role, from, to, promotion } => (role, from, to, promotion),
    };
    let mut found: Vec<Feature> =
        promotion.map(|role| Feature::Promotion(Promoted::from_role(role))).into_iter().collect();
    let is_pawn = role == Role::Pawn;
    if is_pawn && from.file() != to.file() && position.board().role_at(to).is_none() {
        found.push(Feature::EnPassant(earlier.len() as u8 + 1));
    }
    let last_rank = position.turn().relative_rank(shakmaty::Rank::Eighth);
    if is_pawn && position.captures_king(micro_move) && to.rank() == last_rank {
        found.push(Feature::PawnTookKingOnLastRank);
    }
    if earlier.iter().any(|choice| choice.uci.promotion.is_some() && choice.uci.to == from) {
        found.push(Feature::PromotedPieceMoved);
    }
    found
}
