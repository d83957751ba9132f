//! Is a game legal, is a turn legal, and which turns are there?

use dicechess_core::dice::Roll;
use dicechess_core::normalise::normalize_line;
use dicechess_core::replay::replay;
use dicechess_core::rules::{MicroMove, Position, TurnKind, UciMove};
use divan::{Bencher, black_box};

/// What it is, `normalise.rs` tells.
const TYPICAL_GAME: &str = include_str!("typical-game.json");
const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const MIDDLEGAME: &str = "r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2N1PN2/PP2BPPP/R1BQ1RK1 w - - 0 9";
/// The queen is free; every pawn stands behind a piece for which there is no die.
const BLOCKED_PAWNS: &str = "6k1/8/8/8/3Q4/N1N1B1BR/P1P1P1PP/6KR w - - 0 1";
/// The same with as many queens as there can be.
const NINE_QUEENS: &str = "6k1/8/8/Q6Q/1Q1Q1Q1Q/N7/P7/QQ4KQ w - - 0 1";

fn main() {
    divan::main();
}

/// The whole typical game.
#[divan::bench(name = "replay")]
fn whole_game(bencher: Bencher<'_, '_>) {
    let game = normalize_line(TYPICAL_GAME).expect("the typical game can be normalised");
    bencher.bench(|| replay(black_box(&game)).expect("the typical game is legal"));
}

/// All three dice are played: the moves are followed and nothing is searched.
#[divan::bench]
fn judge_full_turn(bencher: Bencher<'_, '_>) {
    judge(bencher, MIDDLEGAME, "PNB", &["a2a3", "f3e5", "c1d2"]);
}

/// A die is left over: the search must show that no sequence uses all three.
#[divan::bench]
fn judge_unused_die(bencher: Bencher<'_, '_>) {
    judge(bencher, BLOCKED_PAWNS, "QQP", &["d4d5", "d5d4"]);
}

/// The same where the search is longest.
#[divan::bench]
fn judge_unused_die_worst_case(bencher: Bencher<'_, '_>) {
    judge(bencher, NINE_QUEENS, "QQP", &["d4d5", "d5d4"]);
}

/// All turns of the initial position.
#[divan::bench(args = ["PNB", "PPP", "NNN", "QKB"])]
fn legal_turns_at_the_start(bencher: Bencher<'_, '_>, dice: &str) {
    let position = position(START);
    let roll = roll(dice);
    bencher.bench(|| -> Vec<Vec<MicroMove>> { black_box(&position).legal_turns(black_box(roll)) });
}

fn judge(bencher: Bencher<'_, '_>, fen: &str, dice: &str, moves: &[&str]) {
    let position = position(fen);
    let roll = roll(dice);
    let moves: Vec<UciMove> =
        moves.iter().map(|uci| uci.parse().expect("the moves are spelled")).collect();
    bencher.bench(|| {
        let judged = black_box(&position).judge(black_box(roll), black_box(&moves));
        let judged = judged.expect("the turn is legal");
        assert_eq!(judged.kind, TurnKind::Complete);
        judged
    });
}

fn position(fen: &str) -> Position {
    fen.parse().expect("the position is spelled")
}

fn roll(letters: &str) -> Roll {
    Roll::from_letters(letters).expect("the roll is spelled")
}
