//! Crafted games.
//!
//! Decides which kinds of games every world contains, however rare they are by chance. A scenario
//! fixes the start and the first turns where it must; the rest of the game is played by chance.

use super::plan::{Doubles, EndPoint, Ending, Plan, ScriptedTurn, Start};

/// A kind of game that every world of sufficient size contains.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scenario {
    pub(crate) plan: Plan,
    pub(crate) allow_doubling: bool,
    /// White's point of view.
    pub(crate) result: Option<i8>,
}

use EndPoint::{BetweenTurns, MidTurn, Unplayed};
use Ending::{DoubleDeclined, Draw, KingCaptured, Open, Resign, Timeout};

const CASTLING: &str = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";
const CASTLING_960: &str = "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w KQkq - 0 1";
const EN_PASSANT: &str = "rnbqkbnr/ppp1pppp/8/8/3p4/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const PROMOTION: &str = "8/PPPP4/8/7k/7K/8/pppp4/8 w - - 0 1";
const LAST_RANK_KING: &str = "3k4/4P3/8/8/8/8/4p3/K7 w - - 0 1";

const THREE_MOVES: ScriptedTurn = ("PNN", &["e2e4", "g1f3", "b1c3"]);

/// All of them.
pub(crate) const SCENARIOS: &[Scenario] = &[
    ended(KingCaptured, 1),
    ended(KingCaptured, -1),
    ended(Resign(BetweenTurns), 1),
    ended(Resign(Unplayed), -1),
    ended(Resign(MidTurn), 1),
    ended(Timeout(BetweenTurns), -1),
    ended(Timeout(Unplayed), 1),
    ended(Timeout(MidTurn), -1),
    ended(Draw { at: BetweenTurns, seen: true }, 0),
    ended(Draw { at: Unplayed, seen: true }, 0),
    ended(Draw { at: MidTurn, seen: true }, 0),
    ended(Draw { at: MidTurn, seen: false }, 0),
    doubling(DoubleDeclined { rolled: false }, 1, &[]),
    doubling(DoubleDeclined { rolled: true }, -1, &[]),
    doubling(DoubleDeclined { rolled: false }, -1, &[2]),
    doubling(KingCaptured, 1, &[1, 3, 6]),
    doubling(Timeout(MidTurn), 1, &[4]),
    doubling(Draw { at: BetweenTurns, seen: true }, 0, &[3]),
    Scenario { result: None, ..ended(Open(BetweenTurns), 0) },
    Scenario { result: None, ..ended(Open(Unplayed), 0) },
    // Both sides castle, one to each wing, then the same with shuffled back ranks.
    scripted(CASTLING, &[("KRP", &["e1g1", "e2e4"]), ("KRP", &["e8c8", "e7e5"])]),
    scripted(CASTLING, &[("KRP", &["a2a4", "e1c1"]), ("KRP", &["h7h5", "e8g8"])]),
    scripted_960(CASTLING_960, &[("KRP", &["e1g1", "e2e4"]), ("KRP", &["e8b8", "e7e5"])]),
    scripted_960(CASTLING_960, &[("KRP", &["e1c1", "e2e4"]), ("KRP", &["e8g8", "e7e5"])]),
    scripted(EN_PASSANT, &[THREE_MOVES, ("PNN", &["d4e3", "g8f6", "b8c6"])]),
    scripted(EN_PASSANT, &[THREE_MOVES, ("PNN", &["g8f6", "d4e3", "b8c6"])]),
    scripted(EN_PASSANT, &[THREE_MOVES, ("PNN", &["g8f6", "b8c6", "d4e3"])]),
    // Two targets at once, both of them taken in one turn.
    scripted(
        "rnbqkbnr/ppp3pp/8/8/1p3p2/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        &[("PPP", &["c2c4", "e2e4", "h2h3"]), ("PPQ", &["b4c3", "f4e3", "d8d4"])],
    ),
    scripted(
        PROMOTION,
        &[
            ("PPP", &["a7a8q", "b7b8r", "c7c8b"]),
            ("PPP", &["a2a1n", "b2b1q", "c2c1r"]),
            ("P", &["d7d8n"]),
            ("P", &["d2d1b"]),
        ],
    ),
    // The new queen and the new knight move with the dice left.
    scripted(PROMOTION, &[("PQQ", &["a7a8q", "a8a3", "a3h3"]), ("PN", &["a2a1n", "a1b3"])]),
    Scenario {
        result: Some(1),
        plan: Plan {
            ending: KingCaptured,
            turns: 1,
            start: Start::Crafted(LAST_RANK_KING),
            script: &[("PKQ", &["e7d8"])],
            doubles: Doubles::Never,
        },
        allow_doubling: false,
    },
    // A pass right away, and another one by the other side.
    standard(&[("RQB", &[]), ("RBQ", &[]), THREE_MOVES]),
    standard(&[("N", &["g1f3"]), ("PN", &["g8f6", "e7e5"])]),
    shuffled(Resign(MidTurn), -1),
    shuffled(KingCaptured, 1),
    Scenario { plan: Plan { turns: 0, ..PLAN }, ..ended(Timeout(Unplayed), -1) }.at_once(),
    Scenario { plan: Plan { turns: 70, ..PLAN }, ..ended(Resign(BetweenTurns), 1) },
];

const PLAN: Plan = Plan {
    ending: Resign(BetweenTurns),
    turns: 6,
    start: Start::Standard,
    script: &[],
    doubles: Doubles::Never,
};

const fn ended(ending: Ending, result: i8) -> Scenario {
    Scenario { plan: Plan { ending, ..PLAN }, allow_doubling: false, result: Some(result) }
}

const fn doubling(ending: Ending, result: i8, before: &'static [usize]) -> Scenario {
    let plan = Plan { ending, doubles: Doubles::Before(before), ..PLAN };
    Scenario { plan, allow_doubling: true, result: Some(result) }
}

const fn shuffled(ending: Ending, result: i8) -> Scenario {
    let plan = Plan { ending, start: Start::Chess960, ..PLAN };
    Scenario { plan, allow_doubling: false, result: Some(result) }
}

const fn standard(script: &'static [ScriptedTurn]) -> Scenario {
    Scenario { plan: Plan { script, ..PLAN }, allow_doubling: false, result: Some(-1) }
}

const fn scripted(fen: &'static str, script: &'static [ScriptedTurn]) -> Scenario {
    let plan = Plan { start: Start::Crafted(fen), script, ..PLAN };
    Scenario { plan, allow_doubling: false, result: Some(1) }
}

const fn scripted_960(fen: &'static str, script: &'static [ScriptedTurn]) -> Scenario {
    let plan = Plan { start: Start::Crafted960(fen), script, ..PLAN };
    Scenario { plan, allow_doubling: false, result: Some(1) }
}

impl Scenario {
    /// White loses on time with the first roll unplayed.
    const fn at_once(mut self) -> Self {
        self.plan.ending = Timeout(Unplayed);
        self
    }
}
