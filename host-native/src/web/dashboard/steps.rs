//! A game step by step: what the board, the dice and the clocks show after each roll and micro-move.
//!
//! Decides the steps: the start, then for each turn its roll and each of its micro-moves. The rules
//! are the core's; where they refuse a turn, the steps end and the rest is a list only.

use dicechess_core::dice::{ROLES, Roll};
use dicechess_core::ids::UserId;
use dicechess_core::ingest::{EventType, IngestEvent, IngestGame, IngestTurn};
use dicechess_core::replay::replay;
use dicechess_core::rules::{Position, TurnKind, UciMove};
use dicechess_core::site::parse_move_history;
use serde::Serialize;
use shakmaty::{Color, Role};

use super::notation::Played;
use super::parts::role_class;

/// What is shown at a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Step {
    /// The board as the first field of a FEN.
    board: String,
    /// The squares of the micro-move that led here.
    last: Option<[String; 2]>,
    /// Whose turn it is: `white` or `black`; none at the start.
    side: Option<&'static str>,
    dice: Vec<Die>,
    /// White's and Black's clock in milliseconds.
    clocks: [Option<i64>; 2],
    stake: Option<i64>,
    /// The number of the turn; 0 at the start.
    turn: u32,
}

/// A die of the turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Die {
    piece: &'static str,
    is_used: bool,
}

/// A turn as the list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListedTurn {
    pub(super) number: u32,
    pub(super) color: Color,
    pub(super) dice: Vec<Role>,
    /// The step of its roll, if the game could be followed so far.
    pub(super) roll_step: Option<usize>,
    pub(super) moves: Vec<ListedMove>,
    pub(super) thinking_ms: Option<i64>,
}

/// A micro-move as the list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListedMove {
    pub(super) text: String,
    pub(super) step: Option<usize>,
}

/// A game cut into steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SteppedGame {
    pub(super) steps: Vec<Step>,
    pub(super) turns: Vec<ListedTurn>,
    /// Why the replay refuses the game.
    pub(super) refusal: Option<String>,
}

/// Cuts a game into steps. `moves` is the raw answer, where the clocks are; `players` are the ids of
/// White and Black.
pub(super) fn steps(game: &IngestGame, moves: &str, players: [UserId; 2]) -> SteppedGame {
    let mut walk = Walk {
        clocks: Clocks::read(moves, players),
        stake: game.initial_stake_amount,
        steps: Vec::new(),
        turns: Vec::new(),
    };
    let mut position = game.initial_fen.parse::<Position>().ok();
    if let Some(position) = &position {
        walk.push(position, None, &[], None, 0);
    }
    for turn in &game.turns {
        for event in game.events.iter().filter(|event| event.turn_number == turn.turn_number) {
            walk.note(event);
        }
        position = position.and_then(|position| walk.turn(&position, turn));
        if position.is_none() {
            walk.list_only(turn);
        }
    }
    let refusal = replay(game).err().map(|error| error.to_string());
    SteppedGame { steps: walk.steps, turns: walk.turns, refusal }
}

struct Walk {
    clocks: Clocks,
    stake: Option<i64>,
    steps: Vec<Step>,
    turns: Vec<ListedTurn>,
}

impl Walk {
    /// An accepted double changes the stake from its turn on.
    fn note(&mut self, event: &IngestEvent) {
        if event.event_type == EventType::DoubleAccept {
            let bank = event.payload.as_ref().and_then(|payload| payload["bank"].as_i64());
            self.stake = bank.or(self.stake);
        }
    }

    /// Follows a turn; `None` if the rules refuse it, and then nothing of it was taken.
    fn turn(&mut self, before: &Position, turn: &IngestTurn) -> Option<Position> {
        let color = Color::from(turn.active_color);
        if before.turn() != color {
            return None;
        }
        let roll = Roll::from_codes(&turn.dice).ok()?;
        let moves: Vec<UciMove> =
            turn.moves.iter().map(|text| text.parse().ok()).collect::<Option<_>>()?;
        let whole = before.judge(roll, &moves).ok()?;
        let mut dice: Vec<Die> = roll.codes().map(|code| unused(role_of(code))).collect();
        let roll_step = self.steps.len();
        self.push(before, None, &dice, Some(color), turn.turn_number);
        let mut at = before.clone();
        let mut listed = Vec::with_capacity(moves.len());
        for (place, uci) in moves.iter().enumerate() {
            // A beginning of a legal turn is always one that can be judged.
            let next = before.judge(roll, &moves[..=place]).ok()?.after;
            let played = Played::of(&at, &next, *uci);
            for role in played.dice() {
                use_die(&mut dice, role);
            }
            self.clocks.advance();
            listed.push(ListedMove { text: played.text(), step: Some(self.steps.len()) });
            let squares = [uci.from.to_string(), uci.to.to_string()];
            self.push(&next, Some(squares), &dice, Some(color), turn.turn_number);
            at = next;
        }
        self.list(turn, Some(roll_step), listed);
        let mut after = whole.after;
        if whole.kind == TurnKind::Complete {
            after.end_turn();
        }
        Some(after)
    }

    /// A turn that cannot be followed.
    fn list_only(&mut self, turn: &IngestTurn) {
        let unstepped = |text: &String| ListedMove { text: text.clone(), step: None };
        self.list(turn, None, turn.moves.iter().map(unstepped).collect());
    }

    fn list(&mut self, turn: &IngestTurn, roll_step: Option<usize>, moves: Vec<ListedMove>) {
        self.turns.push(ListedTurn {
            number: turn.turn_number,
            color: turn.active_color.into(),
            dice: turn
                .dice
                .iter()
                .filter(|code| (1..=6).contains(*code))
                .map(|code| role_of(*code))
                .collect(),
            roll_step,
            moves,
            thinking_ms: turn.thinking_time_ms,
        });
    }

    fn push(
        &mut self,
        position: &Position,
        last: Option<[String; 2]>,
        dice: &[Die],
        color: Option<Color>,
        turn: u32,
    ) {
        self.steps.push(Step {
            board: position.board().board_fen().to_string(),
            last,
            side: color.map(|color| color.fold_wb("white", "black")),
            dice: dice.to_vec(),
            clocks: self.clocks.now(),
            stake: self.stake,
            turn,
        });
    }
}

fn role_of(code: u8) -> Role {
    ROLES[usize::from(code) - 1]
}

fn unused(role: Role) -> Die {
    Die { piece: role_class(role), is_used: false }
}

fn use_die(dice: &mut [Die], role: Role) {
    let die = dice.iter_mut().find(|die| !die.is_used && die.piece == role_class(role));
    if let Some(die) = die {
        die.is_used = true;
    }
}

/// The clocks after each micro-move, as recorded.
struct Clocks {
    recorded: Vec<[Option<i64>; 2]>,
    at: usize,
}

impl Clocks {
    /// The first entry is the start. A clock that a state does not tell stays as it was.
    fn read(moves: &str, [white, black]: [UserId; 2]) -> Self {
        let map = parse_move_history(moves).unwrap_or_default();
        let mut clocks = [None; 2];
        let mut recorded = Vec::new();
        for (place, state) in map.states.iter().map(|(_, state)| state).enumerate() {
            let sides = [(white, Color::White), (black, Color::Black)];
            for (clock, (user, color)) in clocks.iter_mut().zip(sides) {
                *clock = state.clocks.of(user, color).map(|millis| millis as i64).or(*clock);
            }
            if place == 0 || state.played.is_some() {
                recorded.push(clocks);
            }
        }
        Self { recorded, at: 0 }
    }

    fn advance(&mut self) {
        self.at += 1;
    }

    fn now(&self) -> [Option<i64>; 2] {
        self.recorded.get(self.at).or(self.recorded.last()).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAYERS: [UserId; 2] = [UserId(1), UserId(2)];

    fn game(fen: &str, turns: &str) -> IngestGame {
        let json = format!(
            r#"{{"id": "0b5f1c3e-9a77-4c11-8e55-00000000abcd", "source": "s", "mode": "x2",
                "initial_stake_amount": 100, "initial_fen": "{fen}", "turns": [{turns}],
                "events": [{{"sequence_number": 1, "turn_number": 2, "event_type": "DOUBLE_ACCEPT",
                    "actor_color": "w", "payload": {{"bank": 200}}}}]}}"#
        );
        serde_json::from_str(&json).unwrap()
    }

    fn turn(number: u32, color: &str, dice: &str, moves: &str) -> String {
        format!(
            r#"{{"turn_number": {number}, "active_color": "{color}", "dice": [{dice}],
                "moves": [{moves}]}}"#
        )
    }

    fn used(step: &Step) -> Vec<&'static str> {
        step.dice.iter().filter(|die| die.is_used).map(|die| die.piece).collect()
    }

    #[test]
    fn rolls_and_micro_moves_are_steps() {
        let turns = [turn(1, "w", "4, 6", r#""e1g1""#), turn(2, "b", "1", r#""b2a1q""#)];
        let fen = "4k3/8/8/8/8/8/1p6/R3K2R w KQ - 0 1";
        let moves = r#"{"gameMoveHistoryStateMap": {
            "0": {"fen": "", "leftTime": {"1": 60000, "2": 60000}},
            "1": {"fen": "", "gameMoveHistoryMove": {"from": "E1", "to": "G1"},
                "leftTime": {"1": 55000}},
            "2": {"fen": "", "leftTime": {"1": 55000, "2": 59000}},
            "3": {"fen": "", "gameMoveHistoryMove": {"from": "B2", "to": "A1"},
                "leftTime": {"2": 58000}}}}"#;
        let stepped = steps(&game(fen, &turns.join(",")), moves, PLAYERS);
        assert_eq!(stepped.refusal, None);
        let shown: Vec<_> = stepped
            .steps
            .iter()
            .map(|step| (step.turn, step.side, used(step), step.clocks, step.stake))
            .collect();
        let (full, after) = ([Some(60_000), Some(60_000)], [Some(55_000), Some(60_000)]);
        assert_eq!(
            shown,
            [
                (0, None, vec![], full, Some(100)),
                (1, Some("white"), vec![], full, Some(100)),
                (1, Some("white"), vec!["rook", "king"], after, Some(100)),
                (2, Some("black"), vec![], after, Some(200)),
                (2, Some("black"), vec!["pawn"], [Some(55_000), Some(58_000)], Some(200)),
            ]
        );
        assert_eq!(stepped.steps[4].board, "4k3/8/8/8/8/8/8/q4RK1");
        assert_eq!(stepped.steps[4].last, Some(["b2".to_owned(), "a1".to_owned()]));
        let listed: Vec<_> = stepped.turns.iter().flat_map(|turn| &turn.moves).collect();
        let texts = ["O-O", "♟\u{fe0e}b2×a1=♛\u{fe0e}"];
        assert_eq!(listed.iter().map(|listed| listed.text.as_str()).collect::<Vec<_>>(), texts);
        assert_eq!(listed.iter().map(|listed| listed.step).collect::<Vec<_>>(), [Some(2), Some(4)]);
    }

    #[test]
    fn what_the_rules_refuse_is_listed_only() {
        let turns = [turn(1, "w", "1", r#""a2a3""#), turn(2, "b", "1", r#""a7a3""#)].join(",");
        let fen = "4k3/p7/8/8/8/8/P7/4K3 w - - 0 1";
        let stepped = steps(&game(fen, &turns), "{}", PLAYERS);
        assert_eq!(stepped.steps.len(), 3);
        assert_eq!(stepped.steps[2].clocks, [None, None]);
        let refused = &stepped.turns[1];
        assert_eq!((refused.roll_step, refused.moves[0].step), (None, None));
        assert_eq!(refused.moves[0].text, "a7a3");
        assert_eq!(stepped.refusal.unwrap(), "Turn 2: illegal move sequence [a7a3]");
    }
}
