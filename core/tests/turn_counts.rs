//! Numbers of distinct legal turns that were established elsewhere.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use dicechess_core::dice::Roll;
use dicechess_core::rules::Position;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
const KIWIPETE_BLACK: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1";
const EN_PASSANT_LAST: &str = "r2q2r1/ppp1nk1p/2B2p2/3p3b/1P1Pp2P/4P2N/PP3P2/RNB4K b - d3 0 7";
const EN_PASSANT_SECOND: &str = "1rNk2nr/1ppp1ppp/4q3/2b5/1n1Pp3/5N2/PPPQPPPP/1RBK1B1R b - d3 2 4";

fn distinct_turns(fen: &str, codes: &[u8]) -> usize {
    let position: Position = fen.parse().unwrap();
    let turns = position.legal_turns(Roll::from_codes(codes).unwrap());
    let spelled: BTreeSet<Vec<String>> =
        turns.iter().map(|turn| turn.iter().map(ToString::to_string).collect()).collect();
    assert_eq!(spelled.len(), turns.len(), "each turn has a spelling of its own");
    turns.len()
}

#[test]
fn known_numbers_of_turns() {
    let table: &[(&str, &[u8], usize)] = &[
        (START, &[1, 2, 5], 185),
        (START, &[1, 1, 1], 3376),
        (START, &[1, 2, 4], 234),
        (START, &[3, 4, 5], 0),
        (START, &[2, 2, 2], 174),
        (START, &[1], 16),
        (START, &[2], 4),
        (START, &[3], 0),
        (START, &[4], 0),
        (START, &[5], 0),
        (START, &[6], 0),
        (START, &[2, 2], 24),
        (KIWIPETE, &[1, 4, 6], 482),
        (KIWIPETE, &[2, 3, 5], 7630),
        (KIWIPETE_BLACK, &[4, 4, 6], 424),
        (KIWIPETE, &[1], 8),
        (KIWIPETE, &[2], 11),
        (KIWIPETE, &[3], 11),
        (KIWIPETE, &[4], 5),
        (KIWIPETE, &[5], 9),
        (KIWIPETE, &[6], 2),
        (KIWIPETE, &[1, 1], 56),
        (KIWIPETE, &[4, 6], 20),
        (EN_PASSANT_LAST, &[1, 5, 5], 1066),
        (EN_PASSANT_SECOND, &[1, 2, 4], 1943),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", &[4, 6, 6], 1127),
        ("8/4P3/8/8/8/8/k7/7K w - - 0 1", &[1, 2, 5], 25),
        ("rnbqkbnr/pppppppp/8/8/P1P1P3/8/1P1P1PPP/RNBQKBNR b KQkq a3c3e3 0 1", &[1, 1, 1], 3469),
    ];
    for (fen, dice, expected) in table {
        assert_eq!(distinct_turns(fen, dice), *expected, "{fen} {dice:?}");
    }
}
