//! How a game's states are written.
//!
//! Decides the JSON of `GET /api/game-move-history`.

use dicechess_core::rules::UciMove;
use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use shakmaty::{ByColor, Color, Role, Square};

use super::style::{ClockKeys, MoveDice, Squares, Style};
use super::{object, quoted};
use crate::details::Game;
use crate::play::{Dice, State, StateKind};
use crate::rng::{Purpose, stream};

/// The body that the site answers with, the same at every request.
pub(crate) fn state_map(seed: u64, game: &Game, states: &[State]) -> String {
    let mut rng = stream(seed, Purpose::Spelling, game.index);
    let style = Style::random(&mut rng);
    let mut writer = Writer { rng, style, game, last: Written::default() };
    let mut key = 0;
    let mut entries = Vec::new();
    for state in states {
        entries.push((key.to_string(), writer.state(state)));
        key += 1;
        if writer.rng.random_bool(style.gaps) {
            key += writer.rng.random_range(1..4);
        }
    }
    if style.shuffles_states {
        entries.shuffle(&mut writer.rng);
    }
    format!("{{\"gameMoveHistoryStateMap\":{}}}", object(&entries))
}

/// The FEN of state 0 as the map spells it.
pub(crate) fn initial_fen(seed: u64, game: &Game, states: &[State]) -> String {
    let style = Style::random(&mut stream(seed, Purpose::Spelling, game.index));
    let first = states.first().expect("every record has a state 0");
    style.cut_fen(&first.position.to_string())
}

impl Style {
    fn cut_fen(&self, fen: &str) -> String {
        fen.split(' ').take(self.fen_fields).collect::<Vec<_>>().join(" ")
    }
}

struct Writer<'a> {
    rng: ChaCha8Rng,
    style: Style,
    game: &'a Game,
    last: Written,
}

/// What the state before said, for states that repeat it.
#[derive(Default)]
struct Written {
    fen: String,
    dice: Option<String>,
}

impl Writer<'_> {
    fn state(&mut self, state: &State) -> String {
        if state.kind != StateKind::Same {
            self.last = Written { fen: self.fen(state), dice: self.dice(state) };
        }
        let mut fields = vec![("fen".to_owned(), quoted(&self.last.fen))];
        fields.extend(self.last.dice.clone().map(|dice| ("dices".to_owned(), dice)));
        let played = state.played.map(|uci| self.played(uci, state));
        let played = played.unwrap_or_else(|| "null".to_owned());
        fields.push(("gameMoveHistoryMove".to_owned(), played));
        fields.push(("bank".to_owned(), state.bank.to_string()));
        if state.needs_clocks || !self.rng.random_bool(self.style.missing_clocks) {
            fields.push(("leftTime".to_owned(), self.clocks(state.clocks)));
        }
        if self.style.extras {
            fields.extend(self.extras(state));
        }
        if self.style.shuffles_fields {
            fields.shuffle(&mut self.rng);
        }
        object(&fields)
    }

    fn fen(&mut self, state: &State) -> String {
        let mut position = state.position.clone();
        match state.kind {
            StateKind::LastMove if self.rng.random_bool(self.style.flips) => position.end_turn(),
            StateKind::Roll { is_first: false } | StateKind::RepeatedRoll | StateKind::Bank
                if self.rng.random_bool(self.style.stale_rolls) =>
            {
                position.set_turn(position.turn().other());
            }
            _ => {}
        }
        self.style.cut_fen(&position.to_string())
    }

    /// The `dices` field; `None` leaves it out.
    fn dice(&mut self, state: &State) -> Option<String> {
        let shown = state.dice.as_ref().map(|dice| self.dice_list(dice, state.kind));
        match state.kind {
            StateKind::Start | StateKind::Bank => match self.style.move_dice {
                MoveDice::Null => Some("null".to_owned()),
                MoveDice::Missing => None,
                _ => Some("[]".to_owned()),
            },
            StateKind::Move | StateKind::LastMove if !state.needs_dice => {
                match self.style.move_dice {
                    MoveDice::Updated | MoveDice::AsRolled => shown,
                    MoveDice::Empty => Some("[]".to_owned()),
                    MoveDice::Null => Some("null".to_owned()),
                    MoveDice::Missing => None,
                }
            }
            _ => shown,
        }
    }

    fn dice_list(&self, dice: &Dice, kind: StateKind) -> String {
        let marks_used = self.style.move_dice == MoveDice::Updated;
        let stuck = dice.is_stuck && self.style.blocks_stuck_dice;
        let die = |(code, is_used): &(u8, bool)| {
            let role = dicechess_core::dice::ROLES[usize::from(*code) - 1];
            let letter = role.of(dice.color).char();
            let used = *is_used && marks_used;
            let allowed = !(used || stuck || kind == StateKind::Blocked);
            format!("{{\"value\":\"{letter}\",\"allowed\":{allowed},\"used\":{used}}}")
        };
        format!("[{}]", dice.dice.iter().map(die).collect::<Vec<_>>().join(","))
    }

    fn played(&mut self, uci: UciMove, state: &State) -> String {
        let mut fields = vec![
            ("from".to_owned(), quoted(&self.square(uci.from))),
            ("to".to_owned(), quoted(&self.square(uci.to))),
        ];
        let promotion = match uci.promotion {
            Some(role) => Some(quoted(&self.promotion(role, state.position.turn()))),
            None => self.style.no_promotion.map(str::to_owned),
        };
        fields.extend(promotion.map(|promotion| ("promotion".to_owned(), promotion)));
        object(&fields)
    }

    fn square(&mut self, square: Square) -> String {
        let is_upper = match self.style.squares {
            Squares::Upper => true,
            Squares::Lower => false,
            Squares::Mixed => self.rng.random_bool(0.5),
        };
        let text = square.to_string();
        if is_upper { text.to_uppercase() } else { text }
    }

    fn promotion(&self, role: Role, color: Color) -> String {
        let name = match role {
            Role::Rook => "ROOK",
            Role::Bishop => "BISHOP",
            Role::Knight => "KNIGHT",
            Role::Pawn | Role::Queen | Role::King => "QUEEN",
        };
        let prefix = color.fold_wb("WHITE_", "BLACK_");
        if self.style.coloured_promotions { format!("{prefix}{name}") } else { name.to_owned() }
    }

    fn clocks(&self, clocks: ByColor<i64>) -> String {
        let white = (self.clock_key(Color::White), self.clock(clocks.white));
        let black = (self.clock_key(Color::Black), self.clock(clocks.black));
        object(&[white, black])
    }

    fn clock_key(&self, color: Color) -> String {
        match self.style.clock_keys {
            ClockKeys::UserIds => color.fold_wb(self.game.white, self.game.black).to_string(),
            ClockKeys::Words => color.fold_wb("white", "black").to_owned(),
            ClockKeys::Letters => color.char().to_string(),
        }
    }

    fn clock(&self, millis: i64) -> String {
        if self.style.fractional_clocks { format!("{millis}.0") } else { millis.to_string() }
    }

    /// Fields that no reader knows, one of them with a known name further in.
    fn extras(&mut self, state: &State) -> Vec<(String, String)> {
        let stamp = self.game.started_at.0 + i64::from(self.rng.random::<u16>());
        let is_check = state.played.is_some() && self.rng.random_bool(0.1);
        vec![
            ("serverTs".to_owned(), stamp.to_string()),
            ("check".to_owned(), is_check.to_string()),
            ("meta".to_owned(), "{\"dices\":[{\"value\":\"X\"}],\"note\":\"ünï\"}".to_owned()),
            ("animation".to_owned(), "{\"kind\":null,\"frames\":[]}".to_owned()),
            ("spectators".to_owned(), "{\"count\":0,\"names\":[],\"chat\":null}".to_owned()),
            ("connection".to_owned(), "{\"white\":\"ONLINE\",\"black\":\"ONLINE\"}".to_owned()),
        ]
    }
}
