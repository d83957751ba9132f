//! The crate's rules against a second, independent implementation of them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod reference;

use std::collections::BTreeSet;

use dicechess_core::dice::Roll;
use dicechess_core::rules::{MicroMove, Position, TurnKind, UciMove};
use reference::{Board, Line, Turns, Verdict};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const KIWIPETE_BLACK: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1";

const CHESS960: &[&str] = &[
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9",
    "rkr5/pppppppp/8/8/8/8/PPPPPPPP/RKR5 w KQkq - 0 1",
    "1rk1r3/pp1ppppp/8/8/8/8/PPP1PP1P/1RK1R3 w KQkq - 0 1",
    // The king's destination is one step away, or none, or where the rook stands.
    "5k1r/8/8/8/8/8/8/5K1R w Kk - 0 1",
    "5kr1/8/8/8/8/8/8/5KR1 w Kk - 0 1",
    "6kr/8/8/8/8/8/8/6KR w Kk - 0 1",
    "rk6/8/8/8/8/8/8/RK6 w Qq - 0 1",
    "r1k5/8/8/8/8/8/8/R1K5 w Qq - 0 1",
    "1r1k4/8/8/8/8/8/8/1R1K4 w Qq - 0 1",
    // The king goes the other way than its rook's side suggests.
    "rkr5/8/8/8/8/8/8/RKR5 w KQkq - 0 1",
    "5rkr/8/8/8/8/8/8/5RKR w KQkq - 0 1",
    // A king or a rook would have to cross a piece that stands beside the castling pair.
    "qr1k3r/8/8/8/8/8/8/NR1K3R w KQkq - 0 1",
    "r1b1k1r1/8/8/8/8/8/8/1RN1K1R1 w KQkq - 0 1",
    // The king would have to cross a piece behind its rook.
    "1krn4/8/8/8/8/8/8/1KRN4 w Kk - 0 1",
    "4nrk1/8/8/8/8/8/8/4NRK1 w Qq - 0 1",
    // Rights on inner rooks.
    "1r1rk1rr/8/8/8/8/8/8/RR2K1RR w GBgd - 0 1",
    "r1r1k1rr/p7/8/8/8/8/7P/R1R1K1RR w CGkq - 0 1",
    // A file letter that means an outermost rook.
    "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1",
];

const EN_PASSANT: &[&str] = &[
    "r2q2r1/ppp1nk1p/2B2p2/3p3b/1P1Pp2P/4P2N/PP3P2/RNB4K b - d3 0 7",
    "1rNk2nr/1ppp1ppp/4q3/2b5/1n1Pp3/5N2/PPPQPPPP/1RBK1B1R b - d3 2 4",
    "rnbqkbnr/pppppppp/8/8/P1P1P3/8/1P1P1PPP/RNBQKBNR b KQkq a3c3e3 0 1",
    "4k3/8/8/1pPpPpP1/8/8/8/4K3 w - b6d6f6 0 1",
    "4k3/8/8/8/pPpPpPp1/8/8/4K3 b - b3d3f3 0 1",
    // Targets of both sides, as in the middle of a turn.
    "4k3/8/8/3pP3/1pP5/8/8/4K3 w - c3d6 0 1",
    // Pieces that can land on a target or take its pawn first.
    "4k3/8/5n2/2pPp3/1N6/5B2/8/3QK3 w - c6e6 0 1",
    "3qk3/8/5b2/1n6/2PpP3/5N2/8/4K3 b - c3e3 0 1",
    // The capture opens the way to the king, or lets the pawn promote.
    "8/2k5/8/1Pp5/8/8/2R5/2K5 w - c6 0 1",
    "1b1k4/8/8/1pPp4/8/8/8/4K3 w - b6d6 0 1",
    // Nobody stands ready; a knight's pawn and a rook's pawn are no neighbours.
    "4k3/8/8/p6P/8/8/8/4K3 w - a6 0 1",
    "4k3/8/8/8/p6P/8/8/4K3 b - h3 0 1",
];

const PROMOTION: &[&str] = &[
    "8/4P3/8/8/8/8/k7/7K w - - 0 1",
    "n1n1k3/1P1P4/8/8/8/8/1p1p4/N1N1K3 w - - 0 1",
    "r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R w KQkq - 0 1",
    "8/PP6/8/2k5/5K2/8/6pp/8 w - - 0 1",
];

const KING_CAPTURE: &[&str] = &[
    "3k4/2P1P3/8/8/8/8/2p1p3/3K4 w - - 0 1",
    "4k3/3P1P2/4P3/8/8/4p3/3p1p2/4K3 w - - 0 1",
    "4k3/4Q3/8/8/8/8/4q3/4K3 w - - 0 1",
    "r3k2r/8/8/8/4R3/4r3/8/R3K2R w KQkq - 0 1",
    // With two pawn dice every quiet turn uses one die, and taking the king uses both.
    "8/3kNB2/5p2/4P3/8/8/8/4K3 w - - 0 1",
    "4k3/8/8/8/4p3/5P2/3Knb2/8 b - - 0 1",
    "7k/7p/8/8/7P/6PR/6P1/7K w - - 0 1",
    "8/8/8/8/1p6/kp6/pp6/KBN5 w - - 0 1",
    "8/8/8/3k4/3K4/8/8/8 w - - 0 1",
];

const KING_MISSING: &[&str] = &[
    "8/8/3q4/8/8/3Q4/PP6/4K3 w - - 0 1",
    "4k3/pp6/8/8/8/8/PP6/R6R w - - 0 1",
    "r6r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "2P5/8/8/8/8/8/1p6/8 w - - 0 1",
];

const VOID_RIGHTS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/4K3/PPPPPPPP/RNBQ1BNR w KQkq - 0 1",
    "4k3/8/8/8/8/8/8/4K2N w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R4K1R w KQkq - 0 1",
    "1n2k1n1/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K3 w KQDdh - 0 1",
    "r2k4/7r/8/8/8/8/7R/R2K4 w KQkq - 0 1",
];

const EMPTY: char = '.';

/// A small generator of pseudo-random numbers, the same on every machine.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    fn roll(&mut self) -> Vec<u8> {
        (0..3).map(|_| u8::try_from(1 + self.below(6)).unwrap()).collect()
    }
}

/// One position known to both implementations.
#[derive(Clone)]
struct Pair {
    crate_position: Position,
    board: Board,
}

impl Pair {
    fn new(fen: &str) -> Self {
        let pair = Self { crate_position: fen.parse().unwrap(), board: Board::from_fen(fen) };
        pair.assert_same(fen);
        pair
    }

    /// The same FEN with the other side to move.
    fn with_other_side(fen: &str) -> Self {
        let swapped =
            if fen.contains(" w ") { fen.replace(" w ", " b ") } else { fen.replace(" b ", " w ") };
        Self::new(&swapped)
    }

    fn assert_same(&self, context: &str) {
        assert_same_position(&self.crate_position, &self.board, context);
    }

    /// Compares everything about one roll; `None` when it has too many sequences to list.
    fn compare(&self, dice: &[u8], limit: usize, random: &mut SplitMix) -> Option<Turns> {
        let roll = Roll::from_codes(dice).unwrap();
        let context = format!("{} {dice:?}", self.crate_position);
        assert_eq!(
            self.crate_position.has_micro_move(roll.pool()),
            self.board.has_micro_move(dice),
            "whether there is a micro-move: {context}"
        );
        let turns = self.board.turns(dice, limit)?;
        self.compare_turns(roll, &turns, &context);

        assert_eq!(self.verdict(roll, &[]), turns.verdict(&[]), "no moves: {context}");
        if turns.is_pass() {
            return Some(turns);
        }
        for _ in 0..6 {
            let sequence = self.board.sequence(dice, |count| random.below(count));
            for length in 1..=sequence.len() {
                let played = &sequence[..length];
                let expected = turns.verdict(played);
                assert_eq!(self.verdict(roll, played), expected, "{played:?} in {context}");
            }
        }
        for _ in 0..2 {
            self.compare_line(roll, &turns, random.pick(&turns.lines), random, &context);
        }
        // King captures are rare among many turns and of most interest.
        if let Some(line) = turns.lines.iter().find(|line| line.takes_king()) {
            self.compare_line(roll, &turns, line, random, &context);
        }
        if let Some(line) = turns.lines.iter().find(|line| line.spelled_otherwise().is_some()) {
            self.compare_line(roll, &turns, line, random, &context);
        }
        Some(turns)
    }

    fn compare_turns(&self, roll: Roll, turns: &Turns, context: &str) {
        let crate_turns = self.crate_position.legal_turns(roll);
        let crate_spelled: BTreeSet<Vec<String>> =
            crate_turns.iter().map(|turn| spelled(turn)).collect();
        assert_eq!(crate_spelled.len(), crate_turns.len(), "no turn twice: {context}");
        let spelled = turns.spelled();
        let missing: Vec<_> = spelled.difference(&crate_spelled).take(5).collect();
        let surplus: Vec<_> = crate_spelled.difference(&spelled).take(5).collect();
        assert!(
            missing.is_empty() && surplus.is_empty(),
            "{context}: the crate misses {missing:?} and has in surplus {surplus:?}"
        );
    }

    /// One legal turn, its prefixes, and what becomes of it when it is spoiled.
    fn compare_line(
        &self,
        roll: Roll,
        turns: &Turns,
        line: &Line,
        random: &mut SplitMix,
        context: &str,
    ) {
        let moves = line.spelled();
        let context = format!("{context} {moves:?}");
        for written in std::iter::once(moves.clone()).chain(line.spelled_otherwise()) {
            let judged = self.crate_position.judge(roll, &parsed(&written)).expect(&context);
            assert_eq!(judged.kind, TurnKind::Complete, "{context}");
            assert_eq!(judged.captured_king.is_some(), line.takes_king(), "{context}");
            assert_same_position(&judged.after, &line.after, &context);
            let next = Self { crate_position: judged.after, board: line.after.clone() };
            next.with_turn_ended().assert_same(&context);
        }
        for length in 1..moves.len() {
            self.compare_prefix(roll, turns, &moves[..length], &context);
        }
        for spoiled in spoil(&moves, random) {
            let expected = turns.verdict(&spoiled);
            assert_eq!(self.verdict(roll, &spoiled), expected, "{spoiled:?} for {context}");
        }
        if line.takes_king() {
            let mut beyond = moves;
            beyond.push(random.pick(&turns.lines).spelled()[0].clone());
            assert_eq!(self.verdict(roll, &beyond), Verdict::Illegal, "{beyond:?} for {context}");
        }
    }

    /// A prefix is no legal turn, unless a king step in it can be read as castling.
    fn compare_prefix(&self, roll: Roll, turns: &Turns, prefix: &[String], context: &str) {
        let context = format!("{prefix:?} of {context}");
        let expected = turns.verdict(prefix);
        assert_eq!(self.verdict(roll, prefix), expected, "{context}");
        let positions = turns.positions_after(&self.board, prefix);
        if expected == Verdict::Partial || positions.len() == 1 {
            assert_eq!(expected, Verdict::Partial, "{context}");
            let judged = self.crate_position.judge(roll, &parsed(prefix)).unwrap();
            assert!(positions.contains(&four_fields(&judged.after)), "{context}");
            assert_eq!(judged.captured_king, None, "{context}");
        }
    }

    fn verdict(&self, roll: Roll, moves: &[String]) -> Verdict {
        match self.crate_position.judge(roll, &parsed(moves)).map(|judged| judged.kind) {
            Ok(TurnKind::Complete) => Verdict::Legal,
            Ok(TurnKind::Partial) => Verdict::Partial,
            Err(_) => Verdict::Illegal,
        }
    }

    fn with_turn_ended(mut self) -> Self {
        self.crate_position.end_turn();
        self.board.end_turn();
        self
    }

    /// Plays a legal turn, the crate's position move by move through `play`.
    fn after(&self, line: &Line, dice: &[u8]) -> Self {
        let mut crate_position = self.crate_position.clone();
        let turns = crate_position.legal_turns(Roll::from_codes(dice).unwrap());
        let moves = turns.iter().find(|turn| spelled(turn) == line.spelled()).unwrap();
        for (index, micro_move) in moves.iter().enumerate() {
            let is_last_of_king_capture = line.takes_king() && index + 1 == moves.len();
            assert_eq!(crate_position.captures_king(*micro_move), is_last_of_king_capture);
            crate_position.play(*micro_move);
        }
        let after = Self { crate_position, board: line.after.clone() };
        let context = format!("{} after {:?}", after.crate_position, line.spelled());
        after.assert_same(&context);
        let next = after.with_turn_ended();
        next.assert_same(&context);
        next
    }
}

fn assert_same_position(position: &Position, board: &Board, context: &str) {
    assert_eq!(four_fields(position), board.four_fields(), "{context}");
    assert_eq!(position.normalized_fen(), board.normalized_fen(), "{context}");
    let missing = position.missing_king().is_some();
    assert_eq!(missing, !board.has_king(true) || !board.has_king(false), "{context}");
}

fn four_fields(position: &Position) -> String {
    position.to_string().split(' ').take(4).collect::<Vec<_>>().join(" ")
}

fn spelled(moves: &[MicroMove]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}

fn parsed(moves: &[String]) -> Vec<UciMove> {
    moves.iter().map(|text| text.parse().unwrap()).collect()
}

/// Sequences near a legal turn; most of them are illegal.
fn spoil(moves: &[String], random: &mut SplitMix) -> Vec<Vec<String>> {
    let at = random.below(moves.len());
    let changed = |text: String| {
        let mut changed = moves.to_vec();
        changed[at] = text;
        changed
    };
    let one = &moves[at];
    let square = random_square(random);
    let mut spoiled = vec![
        changed(format!("{}{square}", &one[..2])),
        changed(format!("{square}{}", &one[2..])),
        changed(one[..4].to_owned()),
        changed(format!("{}q", &one[..4])),
        changed(format!("{}{}", &one[2..4], &one[..2])),
        changed(format!("{}{}", &one[..2], &one[..2])),
        moves[1..].to_vec(),
        moves.iter().chain([one]).cloned().collect(),
        moves.iter().cloned().chain([format!("{}{square}", &one[2..4])]).collect(),
        moves.iter().rev().cloned().collect(),
    ];
    let mut rotated = moves.to_vec();
    rotated.rotate_left(1);
    spoiled.push(rotated);
    if moves.len() > 1 {
        let mut swapped = moves.to_vec();
        swapped.swap(0, 1);
        spoiled.push(swapped);
        let mut short = moves.to_vec();
        short.remove(at);
        spoiled.push(short);
    }
    spoiled
}

fn random_square(random: &mut SplitMix) -> String {
    let file = random.pick(&['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    format!("{file}{}", 1 + random.below(8))
}

/// All 56 rolls of three dice, and the smaller ones.
fn rolls() -> Vec<Vec<u8>> {
    let mut rolls = Vec::new();
    for first in 1..=6 {
        rolls.push(vec![first]);
        for second in first..=6 {
            rolls.push(vec![first, second]);
            for third in second..=6 {
                rolls.push(vec![first, second, third]);
            }
        }
    }
    rolls
}

/// Compares all rolls in each position with either side to move, and says how many were compared.
fn compare_all(fens: &[&str], limit: usize) -> usize {
    let mut random = SplitMix(1);
    let mut compared = 0;
    for fen in fens {
        for pair in [Pair::new(fen), Pair::with_other_side(fen)] {
            for roll in rolls() {
                compared += usize::from(pair.compare(&roll, limit, &mut random).is_some());
            }
        }
    }
    compared
}

/// Plays at random from each position and compares a roll at every step.
fn compare_random_play(fens: &[&str], seed: u64, games: usize, limit: usize) -> usize {
    let mut random = SplitMix(seed);
    let mut compared = 0;
    for fen in fens {
        for _ in 0..games {
            let mut pair = Pair::new(fen);
            for _ in 0..14 {
                let is_over = pair.crate_position.missing_king().is_some();
                let roll = random.roll();
                let Some(turns) = pair.compare(&roll, limit, &mut random) else { continue };
                compared += 1;
                if is_over {
                    break;
                }
                pair = if turns.is_pass() {
                    pair.with_turn_ended()
                } else {
                    pair.after(random.pick(&turns.lines), &roll)
                };
            }
        }
    }
    compared
}

#[test]
fn all_rolls_at_the_start() {
    let compared = compare_all(&[START], 10_000);
    assert!(compared >= 160, "only {compared} compared");
}

#[test]
fn all_rolls_in_kiwipete() {
    let compared = compare_all(&[KIWIPETE], 2_000);
    assert!(compared >= 120, "only {compared} compared");
}

#[test]
fn the_busiest_rolls_of_the_table() {
    let table: &[(&str, &[u8])] = &[
        (START, &[1, 1, 1]),
        (KIWIPETE, &[1, 4, 6]),
        (KIWIPETE, &[2, 3, 5]),
        (KIWIPETE_BLACK, &[4, 4, 6]),
        (EN_PASSANT[0], &[1, 5, 5]),
        (EN_PASSANT[1], &[1, 2, 4]),
        (EN_PASSANT[2], &[1, 1, 1]),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", &[4, 6, 6]),
    ];
    let mut random = SplitMix(2);
    for (fen, dice) in table {
        assert!(Pair::new(fen).compare(dice, 10_000, &mut random).is_some(), "{fen}");
    }
}

#[test]
fn all_rolls_with_chess960_castling() {
    let compared = compare_all(CHESS960, 600);
    assert!(compared >= 2_500, "only {compared} compared");
}

#[test]
fn all_rolls_with_en_passant_targets() {
    let compared = compare_all(EN_PASSANT, 600);
    assert!(compared >= 1_700, "only {compared} compared");
}

#[test]
fn all_rolls_with_promotions() {
    let compared = compare_all(PROMOTION, 1_500);
    assert!(compared >= 600, "only {compared} compared");
}

#[test]
fn all_rolls_with_king_captures() {
    let compared = compare_all(KING_CAPTURE, 1_000);
    assert!(compared >= 1_000, "only {compared} compared");
}

#[test]
fn all_rolls_with_a_king_missing() {
    let compared = compare_all(KING_MISSING, 1_000);
    assert!(compared >= 600, "only {compared} compared");
}

#[test]
fn all_rolls_with_void_rights() {
    let compared = compare_all(VOID_RIGHTS, 1_000);
    assert!(compared >= 900, "only {compared} compared");
}

/// A FEN with pieces anywhere, rooks and kings mostly at home, and rights and en-passant targets
/// many of which are void.
fn random_fen(random: &mut SplitMix) -> String {
    let mut squares = [EMPTY; 64];
    for _ in 0..3 + random.below(8) {
        let piece = *random.pick(&['P', 'p', 'P', 'p', 'P', 'p', 'N', 'n', 'B', 'b', 'Q', 'q']);
        // Pawns stand mostly where they pass one another or promote.
        let rank = if "Pp".contains(piece) { 1 + random.below(6) } else { random.below(8) };
        squares[rank * 8 + random.below(8)] = piece;
    }
    for (home, king, rook) in [(0, 'K', 'R'), (56, 'k', 'r')] {
        for _ in 0..random.below(4) {
            squares[home + random.below(8)] = rook;
        }
        match random.below(12) {
            0 => {}
            1 => squares[random.below(64)] = king,
            _ => squares[home + random.below(8)] = king,
        }
    }
    let rows: Vec<String> = squares.chunks(8).rev().map(|row| row.iter().collect()).collect();
    let board = rows.join("/").replace(EMPTY, "1");
    let rights = ["KQkq", "KQkq", "K", "q", "Bb", "Gg", "Hk", "Qa", "Cd", "Fe", "-"];
    let targets: Vec<String> = ["a", "b", "c", "d", "e", "f", "g", "h"]
        .iter()
        .flat_map(|file| [format!("{file}3"), format!("{file}6")])
        .filter(|_| random.below(2) == 0)
        .collect();
    let targets = if targets.is_empty() { "-".to_owned() } else { targets.concat() };
    let turn = random.pick(&['w', 'b']);
    format!("{board} {turn} {} {targets}", random.pick(&rights))
}

#[test]
fn quiet_turns_are_measured_against_quiet_turns_only() {
    let pair = Pair::new("8/3kNB2/5p2/4P3/8/8/8/4K3 w - - 0 1");
    let turns = pair.compare(&[1, 1], 100, &mut SplitMix(6)).unwrap();
    let expected = [vec!["e5e6", "e6d7"], vec!["e5f6"]];
    let expected = expected.map(|moves| moves.into_iter().map(ToOwned::to_owned).collect());
    assert_eq!(turns.spelled(), BTreeSet::from(expected));
}

#[test]
fn random_positions() {
    let mut random = SplitMix(5);
    let mut compared = 0;
    for _ in 0..1_000 {
        let pair = Pair::new(&random_fen(&mut random));
        let roll = random.roll();
        compared += usize::from(pair.compare(&roll, 800, &mut random).is_some());
    }
    assert!(compared >= 800, "only {compared} compared");
}

#[test]
fn random_play() {
    let mut compared = compare_random_play(&[START, KIWIPETE], 3, 8, 1_000);
    for fens in [CHESS960, EN_PASSANT, PROMOTION, KING_CAPTURE] {
        compared += compare_random_play(fens, 4, 2, 600);
    }
    assert!(compared >= 1_000, "only {compared} compared");
}
