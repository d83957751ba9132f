//! How games are played.
//!
//! Decides the moves of a game from its plan and its own random stream, and notes the map's states
//! and the truth while doing so.
//!
//! | file | decides |
//! |---|---|
//! | `plan` | how a game is going to go |
//! | `scenarios` | the crafted games that every world contains |
//! | `picker` | which legal turn is played |
//! | `record`, `states` | what is noted |

mod picker;
mod plan;
mod record;
mod scenarios;
mod states;

use dicechess_core::dice::Roll;
use dicechess_core::rules::Position;
use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use shakmaty::Color;

use crate::details::Game;
use crate::rng::{Purpose, stream};
use crate::truth::{Feature, GameTruth, Termination};
use picker::{Aim, Choice, codes_after, find, pick_turn};
pub(crate) use plan::{Doubles, EndPoint, Ending, Plan, Start};
use record::{Record, features};
pub(crate) use scenarios::{SCENARIOS, Scenario};
pub(crate) use states::{Dice, State, StateKind};

/// A played game.
pub(crate) struct Played {
    pub(crate) states: Vec<State>,
    /// The truth, but for the spelling of the initial FEN.
    pub(crate) truth: GameTruth,
}

/// A game that has not ended by then is given up.
const MOST_TURNS: usize = 140;

/// Plays a game.
pub(crate) fn play(seed: u64, game: &Game) -> Played {
    let mut rng = stream(seed, Purpose::Play, game.index);
    let mut plan = game.plan;
    if game.is_running || game.is_cancelled {
        plan.ending = Ending::Open(EndPoint::BetweenTurns);
    }
    let fen = match plan.start {
        Start::Standard => STANDARD.to_owned(),
        Start::Chess960 => shuffled_start(&mut rng),
        Start::Crafted(fen) | Start::Crafted960(fen) => fen.to_owned(),
    };
    let position: Position = fen.parse().expect("start positions are well formed");
    let is_shuffled = matches!(plan.start, Start::Chess960 | Start::Crafted960(_));
    let winner = match game.planned_result {
        Some(1) => Some(Color::White),
        Some(-1) => Some(Color::Black),
        _ => None,
    };
    let record = Record::new(game);
    Table { rng, plan, winner, is_shuffled, record, position, doubled: 0 }.play()
}

const STANDARD: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

struct Table {
    rng: ChaCha8Rng,
    plan: Plan,
    winner: Option<Color>,
    is_shuffled: bool,
    record: Record,
    position: Position,
    doubled: usize,
}

/// Whether the game goes on.
#[derive(PartialEq, Eq)]
enum Next {
    GoOn,
    Over,
}

impl Table {
    fn play(mut self) -> Played {
        if self.is_shuffled {
            self.record.note(Feature::Chess960);
        }
        // The first roll may stand in state 0; a double before it needs a state to grow from.
        if self.rng.random_bool(0.7) {
            self.record.start(&self.position);
        }
        for (letters, moves) in self.plan.script {
            if self.scripted_turn(letters, moves) == Next::Over {
                return self.record.finish();
            }
        }
        while self.next_turn() == Next::GoOn {}
        self.record.finish()
    }

    /// Ends the game if its time has come, else plays a turn.
    fn next_turn(&mut self) -> Next {
        let turns = self.record.turns();
        if turns > MOST_TURNS {
            return self.give_up();
        }
        if turns >= self.plan.turns && self.try_to_end() == Next::Over {
            return Next::Over;
        }
        self.maybe_double();
        let wants_king = self.plan.ending == Ending::KingCaptured
            && turns >= self.plan.turns
            && self.winner == Some(self.position.turn());
        let aim = if wants_king { Aim::TakeKing } else { Aim::SpareKing };
        let (codes, turn) = self.throw(aim);
        self.roll(&codes);
        self.play_turn(&turn)
    }

    /// A roll and a turn for it that serves the aim. Dice that would force a king capture on a
    /// player who must not win are thrown again.
    fn throw(&mut self, aim: Aim) -> (Vec<u8>, Vec<Choice>) {
        loop {
            let codes: Vec<u8> = (0..3).map(|_| self.rng.random_range(1..=6)).collect();
            let roll = Roll::from_codes(&codes).expect("three dice are a roll");
            if let Some(turn) = pick_turn(&mut self.rng, &self.position, roll, aim) {
                return (codes, turn);
            }
        }
    }

    /// A roll that can be played, if there is one within reach.
    fn throw_playable(&mut self) -> (Vec<u8>, Vec<Choice>) {
        for _ in 0..40 {
            let thrown = self.throw(Aim::SpareKing);
            if !thrown.1.is_empty() {
                return thrown;
            }
        }
        self.throw(Aim::SpareKing)
    }

    fn roll(&mut self, codes: &[u8]) {
        self.record.roll(&mut self.rng, &self.position, codes);
    }

    fn play_turn(&mut self, turn: &[Choice]) -> Next {
        if turn.is_empty() {
            self.record.pass(&self.position);
            self.position.end_turn();
            return Next::GoOn;
        }
        if self.rng.random_bool(0.06) {
            self.record.repeat_roll(&self.position);
        }
        self.play_moves(turn, turn.len());
        self.record.keep_turn(self.position.turn(), turn, false);
        let over = self.position.missing_king().is_some();
        self.position.end_turn();
        if over {
            self.record.end(Termination::KingCaptured);
            return Next::Over;
        }
        Next::GoOn
    }

    /// Plays the first `count` micro-moves of a turn.
    fn play_moves(&mut self, turn: &[Choice], count: usize) {
        for (place, choice) in turn[..count].iter().enumerate() {
            let earlier = &turn[..place];
            for feature in features(&self.position, earlier, choice.micro_move, self.is_shuffled) {
                self.record.note(feature);
            }
            let is_last = place + 1 == turn.len();
            self.record.micro_move(&mut self.rng, &mut self.position, *choice, is_last);
        }
    }

    fn scripted_turn(&mut self, letters: &str, moves: &[&str]) -> Next {
        self.maybe_double();
        let roll = Roll::from_letters(letters).expect("scripts roll dice that exist");
        let mut codes: Vec<u8> = roll.codes().collect();
        let mut left = codes.clone();
        let mut position = self.position.clone();
        let mut turn = Vec::new();
        for uci in moves {
            let uci = uci.parse().expect("scripts spell moves");
            let choice = find(&position, &left, uci).expect("scripted moves are allowed");
            left = codes_after(&left, choice.micro_move);
            position.play(choice.micro_move);
            turn.push(choice);
        }
        codes.shuffle(&mut self.rng);
        self.roll(&codes);
        self.play_turn(&turn)
    }

    fn maybe_double(&mut self) {
        let turns = self.record.turns();
        let is_due = match self.plan.doubles {
            Doubles::Never => false,
            Doubles::Sometimes => self.doubled < 3 && self.rng.random_bool(0.06),
            Doubles::Before(list) => list.contains(&turns),
        };
        if is_due && self.record.has_states() {
            self.doubled += 1;
            self.record.double(&mut self.rng, &self.position);
        }
    }

    /// Ends the game as planned, if the moment is right for it.
    fn try_to_end(&mut self) -> Next {
        let to_move = self.position.turn();
        let loser = self.winner.map(Color::other);
        match self.plan.ending {
            Ending::KingCaptured => Next::GoOn,
            Ending::Timeout(_) if loser != Some(to_move) => Next::GoOn,
            Ending::Timeout(at) => self.stop_at(at, |table| {
                table.record.timeout(&mut table.rng, &table.position, to_move);
            }),
            Ending::Resign(at) => self.stop_at(at, |table| table.record.end(Termination::Resign)),
            Ending::Open(at) => self.stop_at(at, |_| ()),
            Ending::Draw { at, seen } => self.stop_at(at, |table| {
                table.record.draw(&mut table.rng, &table.position, seen);
            }),
            Ending::DoubleDeclined { rolled } => self.try_to_decline(rolled),
        }
    }

    /// The winner offers a double at his turn.
    fn try_to_decline(&mut self, rolled: bool) -> Next {
        if self.winner != Some(self.position.turn()) {
            return Next::GoOn;
        }
        let at = if rolled || self.record.turns() == 0 {
            EndPoint::Unplayed
        } else {
            EndPoint::BetweenTurns
        };
        self.stop_at(at, |table| table.record.decline(&mut table.rng, &table.position))
    }

    /// Brings the game to a point in a turn and ends it there.
    fn stop_at(&mut self, at: EndPoint, end: impl FnOnce(&mut Self)) -> Next {
        match at {
            EndPoint::BetweenTurns => {
                if !self.record.has_states() {
                    self.record.start(&self.position);
                }
            }
            EndPoint::Unplayed => {
                let (codes, turn) = self.throw_playable();
                self.roll(&codes);
                if turn.is_empty() {
                    // Nothing could have been played, so the record reads as a pass.
                    self.record.pass(&self.position);
                } else {
                    self.record.note(Feature::UnplayedRoll);
                }
            }
            EndPoint::MidTurn => {
                let (codes, turn) = self.throw(Aim::SpareKing);
                self.roll(&codes);
                if turn.len() < 2 {
                    return self.play_turn(&turn);
                }
                let count = self.rng.random_range(1..turn.len());
                self.play_moves(&turn, count);
                self.record.keep_turn(self.position.turn(), &turn[..count], true);
            }
        }
        end(self);
        Next::Over
    }

    /// Too long a game ends in the way that fits its result.
    fn give_up(&mut self) -> Next {
        match self.winner {
            Some(_) => self.record.end(Termination::Resign),
            None => self.record.draw(&mut self.rng, &self.position, false),
        }
        Next::Over
    }
}

/// One of the 960 starts: bishops on both colours, the king between the rooks.
fn shuffled_start(rng: &mut ChaCha8Rng) -> String {
    let mut rank = [' '; 8];
    rank[2 * rng.random_range(0..4)] = 'b';
    rank[2 * rng.random_range(0..4) + 1] = 'b';
    let mut others = ['q', 'n', 'n', 'r', 'r', 'r'];
    others.shuffle(rng);
    // Of the three in the same letter the middle one is the king.
    let mut rooks = 0;
    for letter in &mut others {
        if *letter == 'r' {
            rooks += 1;
            *letter = if rooks == 2 { 'k' } else { 'r' };
        }
    }
    let mut others = others.into_iter();
    for place in &mut rank {
        if *place == ' ' {
            *place = others.next().expect("six pieces for six squares");
        }
    }
    let black: String = rank.iter().collect();
    format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{} w KQkq - 0 1", black.to_uppercase())
}
