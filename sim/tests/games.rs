//! Every kind of game occurs, and the truth about each of them follows the rules.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::{BTreeMap, BTreeSet};

use dicechess_core::dice::Roll;
use dicechess_core::rules::{Position, TurnKind};
use dicechess_sim::{
    CastlingWing, EventKind, Feature, Game, GameTruth, Promoted, Termination, World, WorldSpec,
};

fn small(seed: u64) -> World {
    World::generate(WorldSpec { seed, ..WorldSpec::default() })
}

fn truths(world: &World) -> impl Iterator<Item = (&Game, &GameTruth)> {
    world.games().filter_map(|game| world.truth(game.id).map(|truth| (game, truth)))
}

/// Replays a game and returns the final position.
fn replay(game: &Game, truth: &GameTruth) -> Position {
    let mut position: Position = truth.initial_fen.parse().unwrap();
    for (index, turn) in truth.turns.iter().enumerate() {
        assert_eq!(position.turn(), turn.color, "{:?} turn {index}", game.id);
        let roll = Roll::from_codes(&turn.dice).unwrap();
        let moves: Vec<_> = turn.moves.iter().map(|uci| uci.parse().unwrap()).collect();
        let judged = position.judge(roll, &moves).unwrap();
        let kind = if turn.is_partial { TurnKind::Partial } else { TurnKind::Complete };
        assert_eq!(judged.kind, kind, "{:?} turn {index}: {turn:?}", game.id);
        let is_last = index + 1 == truth.turns.len();
        assert!(is_last || (judged.captured_king.is_none() && !turn.is_partial));
        position = judged.after;
        position.end_turn();
    }
    position
}

#[test]
fn every_game_follows_the_rules_and_ends_as_it_says() {
    for seed in [1, 2] {
        let world = small(seed);
        for (game, truth) in truths(&world) {
            let after = replay(game, truth);
            let captured = after.missing_king();
            assert_eq!(captured.is_some(), truth.termination == Termination::KingCaptured);
            if let Some(loser) = captured {
                assert_eq!(truth.result, Some(loser.fold_wb(-1, 1)), "{:?}", game.id);
            }
            let declined = truth.events.last().is_some_and(|e| e.kind == EventKind::DoubleDecline);
            assert_eq!(declined, truth.termination == Termination::DoubleDeclined);
            assert_eq!(truth.result, game.result());
        }
    }
}

#[test]
fn games_are_about_fifteen_turns_and_thirty_kilobytes() {
    let world = small(3);
    let (mut games, mut turns, mut bytes) = (0, 0, 0);
    for (game, truth) in truths(&world).filter(|(game, _)| !game.is_cancelled) {
        games += 1;
        turns += truth.turns.len();
        bytes += world.state_map(game.id).unwrap().len();
    }
    println!("{} turns, {} bytes", turns / games, bytes / games);
    assert!((12..=22).contains(&(turns / games)), "{} turns", turns / games);
    assert!((15_000..40_000).contains(&(bytes / games)), "{} bytes", bytes / games);
}

#[test]
fn every_kind_of_game_occurs() {
    for seed in [1, 4, 5] {
        let world = small(seed);
        let features: BTreeSet<Feature> =
            truths(&world).flat_map(|(_, truth)| truth.features.iter().copied()).collect();
        for feature in all_features() {
            assert!(features.contains(&feature), "{feature:?} with seed {seed}");
        }
        let mut endings: BTreeMap<Termination, usize> = BTreeMap::new();
        for (_, truth) in truths(&world) {
            *endings.entry(truth.termination).or_default() += 1;
        }
        assert_eq!(endings.len(), 6, "{endings:?}");
        assert!(world.games().any(|game| game.is_cancelled));
        assert!(world.games().any(|game| !game.has_map));
        assert!(world.games().any(|game| game.white.is_bot() && game.has_map));
    }
}

fn all_features() -> Vec<Feature> {
    use CastlingWing::{KingSide, QueenSide};
    use Promoted::{Bishop, Knight, Queen, Rook};
    let mut all = vec![
        Feature::Pass,
        Feature::UnplayedRoll,
        Feature::PartialLastTurn,
        Feature::PromotedPieceMoved,
        Feature::PawnTookKingOnLastRank,
        Feature::Chess960,
        Feature::FewDice,
        Feature::DoubleAccepted,
        Feature::DrawSeen,
        Feature::DrawUnseen,
        Feature::NoTurns,
    ];
    all.extend([KingSide, QueenSide].map(Feature::Castling));
    all.extend([KingSide, QueenSide].map(Feature::Chess960Castling));
    all.extend([1, 2, 3].map(Feature::EnPassant));
    all.extend([Queen, Rook, Bishop, Knight].map(Feature::Promotion));
    all
}
