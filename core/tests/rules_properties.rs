//! What holds for every position that play can reach: printing, parsing, the normalised FEN.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use dicechess_core::dice::{Pool, Roll};
use dicechess_core::rules::{Dfen, MicroMove, Position};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use shakmaty::Role;
use xxhash_rust::xxh64::xxh64;

const STARTS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "r1r1k1rr/p7/8/8/8/8/7P/R1R1K1RR w CGkq - 0 1",
    "4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 w - - 0 1",
    "rnbqkbnr/pppppppp/8/8/P1P1P3/8/1P1P1PPP/RNBQKBNR b KQkq a3c3e3 0 1",
    "n1n1k3/1P1P4/8/8/8/8/1p1p4/N1N1K3 w - - 7 30",
];

/// One turn of a random game: the roll, and which of the legal turns is played.
type Step = (Vec<u8>, prop::sample::Index);

/// A position between turns or inside one, and some dice.
#[derive(Debug, Clone)]
struct Reached {
    position: Position,
    pool: Pool,
}

fn reached() -> impl Strategy<Value = Reached> {
    // Pawns move most, or targets would be rare.
    let die = prop_oneof![2 => Just(1_u8), 1 => 1..=6_u8];
    let step = (prop::collection::vec(die, 1..=2), any::<prop::sample::Index>());
    let steps = prop::collection::vec(step, 0..12);
    let dice_left = prop::collection::vec(1..=6_u8, 0..=3);
    (prop::sample::select(STARTS), steps, any::<bool>(), dice_left).prop_map(
        |(start, steps, cut, dice_left)| Reached {
            position: reach(start, &steps, cut),
            pool: Roll::from_codes(&dice_left).map_or(Pool::default(), Roll::pool),
        },
    )
}

/// Plays the steps; `cut` leaves the last turn not ended.
fn reach(start: &str, steps: &[Step], cut: bool) -> Position {
    let mut position: Position = start.parse().unwrap();
    for (index, (dice, choice)) in steps.iter().enumerate() {
        let turns = position.legal_turns(Roll::from_codes(dice).unwrap());
        if !turns.is_empty() {
            for micro_move in choice.get(&turns) {
                position.play(*micro_move);
            }
        }
        let is_last = index + 1 == steps.len();
        if !(is_last && cut) {
            position.end_turn();
        }
    }
    position
}

/// The position's FEN with other en-passant squares.
fn with_targets(position: &Position, targets: &[String]) -> Position {
    let printed = position.to_string();
    let mut fields: Vec<&str> = printed.split(' ').collect();
    let joined = targets.concat();
    fields[3] = if joined.is_empty() { "-" } else { &joined };
    fields.join(" ").parse().unwrap()
}

fn targets_of(fen: &str) -> Vec<String> {
    let field: Vec<char> = fen.split(' ').nth(3).unwrap().chars().collect();
    field.chunks_exact(2).map(|pair| pair.iter().collect()).collect()
}

/// Whether a pawn die allows an en-passant capture on the square.
fn can_capture_on(position: &Position, target: &str) -> bool {
    let turns = position.legal_turns(Roll::from_codes(&[1]).unwrap());
    turns.iter().flatten().any(|micro_move| match micro_move {
        MicroMove::Step { role: Role::Pawn, from, to, .. } => {
            to.to_string() == target
                && from.file() != to.file()
                && position.board().piece_at(*to).is_none()
        }
        _ => false,
    })
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 128,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_printed_fen_reads_back(reached in reached()) {
        let position = reached.position;
        prop_assert_eq!(&position.to_string().parse::<Position>().unwrap(), &position);
    }

    #[test]
    fn a_printed_dfen_reads_back(reached in reached()) {
        let dfen = Dfen { position: reached.position, pool: reached.pool };
        let printed = dfen.to_string();
        prop_assert_eq!(printed.split(' ').count(), 7);
        prop_assert_eq!(&printed.parse::<Dfen>().unwrap(), &dfen);
    }

    #[test]
    fn normalising_twice_changes_nothing(reached in reached()) {
        let normalized = reached.position.normalized_fen();
        let again: Position = normalized.parse().unwrap();
        prop_assert_eq!(again.normalized_fen(), normalized);
        prop_assert_eq!(again.fen_hash(), reached.position.fen_hash());
    }

    #[test]
    fn the_hash_is_that_of_the_normalised_fen(reached in reached()) {
        let normalized = reached.position.normalized_fen();
        prop_assert_eq!(reached.position.fen_hash(), xxh64(normalized.as_bytes(), 0).cast_signed());
    }

    #[test]
    fn only_targets_that_can_be_captured_on_split_a_position(reached in reached()) {
        let bare = with_targets(&reached.position, &[]);
        for file in 'a'..='h' {
            for rank in [3, 6] {
                let target = format!("{file}{rank}");
                let marked = with_targets(&bare, std::slice::from_ref(&target));
                let usable = can_capture_on(&marked, &target);
                let kept = targets_of(&marked.normalized_fen());
                prop_assert_eq!(kept, if usable { vec![target] } else { vec![] });
                prop_assert_eq!(marked.fen_hash() != bare.fen_hash(), usable);
            }
        }
    }

    #[test]
    fn targets_are_printed_in_order_and_read_in_any(reached in reached()) {
        let mut targets = targets_of(&reached.position.to_string());
        prop_assert!(targets.is_sorted());
        targets.reverse();
        prop_assert_eq!(&with_targets(&reached.position, &targets), &reached.position);
    }
}
