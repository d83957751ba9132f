//! Worlds: the same from the same seed, and told alike from both sides.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use dicechess_core::catalogue::map_history_entry;
use dicechess_core::ids::GameId;
use dicechess_core::site::{HistoryPage, parse_leaderboard};
use dicechess_core::time::UnixMillis;
use dicechess_sim::{NewGames, PlayerKind, World, WorldSpec};
use serde_json::Value;

fn rows(world: &World) -> BTreeMap<GameId, Vec<Value>> {
    let mut rows: BTreeMap<GameId, Vec<Value>> = BTreeMap::new();
    for player in world.players() {
        for row in world.history_page(player.id, None, 0, usize::MAX).rows {
            let row: Value = serde_json::from_str(&row).unwrap();
            let id = row["gameId"].as_str().unwrap().parse().unwrap();
            rows.entry(id).or_default().push(row);
        }
    }
    rows
}

#[test]
fn equal_seeds_give_equal_bytes() {
    let spec = WorldSpec { games: 90, ..WorldSpec::default() };
    let (one, other) = (World::generate(spec.clone()), World::generate(spec.clone()));
    // Asking in another order must not matter.
    let maps = |world: &World, ids: Vec<GameId>| -> BTreeMap<GameId, String> {
        ids.into_iter().map(|id| (id, world.state_map(id).unwrap())).collect()
    };
    let ids: Vec<GameId> = one.games().map(|game| game.id).collect();
    let reversed = ids.iter().rev().copied().collect();
    assert_eq!(maps(&one, ids), maps(&other, reversed));
    assert_eq!(rows(&one), rows(&other));
    assert_eq!(one.leaderboard(), other.leaderboard());
    let next = World::generate(WorldSpec { seed: 2, ..spec });
    assert_ne!(rows(&one).keys().next(), rows(&next).keys().next());
}

#[test]
fn both_players_are_told_the_same_game() {
    let world = World::generate(WorldSpec::default());
    for (id, pair) in rows(&world) {
        let game = world.game(id).unwrap();
        let [one, other] = pair.try_into().unwrap();
        assert_ne!(one["color"], other["color"], "{id:?}");
        let result = |row: &Value| row["result"].as_i64();
        assert_eq!(result(&one), result(&other).map(|result| -result));
        let white = if one["color"] == "WHITE" { &one } else { &other };
        assert_eq!(result(white), game.result().map(i64::from));
        for row in [&one, &other] {
            let at = UnixMillis::parse_iso(row["startTime"].as_str().unwrap());
            assert_eq!(at, Some(game.started_at), "{}", row["startTime"]);
        }
        for field in ["timeLimit", "timeBonus", "allowDoubling", "isCancelled", "startRatingWhite"]
        {
            assert_eq!(one[field], other[field]);
        }
        if let (Some(one), Some(other)) = (one["moneyDelta"].as_f64(), other["moneyDelta"].as_f64())
        {
            assert!(one + other < 0.0 || (one == 0.0 && other == 0.0), "the site keeps a rake");
        }
    }
}

#[test]
fn the_core_reads_every_row_and_leaderboard() {
    let world = World::generate(WorldSpec::default());
    for player in world.players() {
        let body = world.history_page(player.id, None, 0, usize::MAX).to_json();
        for row in HistoryPage::parse(&body).unwrap().rows {
            let (row, opponent) = map_history_entry(&row.entry.unwrap(), player.id, 0);
            let game = world.game(row.game_id).unwrap();
            assert_eq!((row.white_user_id, row.black_user_id), (game.white, game.black));
            assert_eq!(row.started_at, Some(game.started_at));
            assert_eq!((row.result, row.is_cancelled), (game.result(), game.is_cancelled));
            assert_eq!(row.allow_doubling, game.allow_doubling);
            assert_eq!(opponent.username, world.player(opponent.user_id).unwrap().name);
        }
    }
    for body in [world.leaderboard(), world.x2_leaderboard()] {
        assert_eq!(parse_leaderboard(&body).unwrap().len(), world.spec().players.div_ceil(2));
    }
}

#[test]
fn players_of_all_kinds_with_odd_names() {
    let world = World::generate(WorldSpec::default());
    for kind in [PlayerKind::Human, PlayerKind::Guest, PlayerKind::Bot] {
        assert!(world.players().any(|player| player.kind == kind));
    }
    for player in world.players() {
        assert_eq!(player.kind == PlayerKind::Bot, player.id.is_bot());
        let is_guest = player.name.as_deref().is_some_and(|name| name.starts_with("Guest"));
        assert_eq!(player.kind == PlayerKind::Guest, is_guest && !player.id.is_bot());
    }
    let names: BTreeSet<_> = world.players().map(|player| player.name.clone()).collect();
    assert!(names.contains(&None));
    assert!(names.iter().flatten().any(|name| name.chars().count() > 400));
    assert!(world.players().any(|player| player.id.0 > i64::from(i32::MAX)));
}

#[test]
fn start_times_are_unique_unless_asked_otherwise() {
    let distinct = |spec: WorldSpec| {
        let world = World::generate(spec);
        let now = world.spec().now;
        assert!(world.games().all(|game| game.started_at < now));
        world.games().map(|game| game.started_at).collect::<BTreeSet<_>>().len()
    };
    let spec = WorldSpec { running_games: 5, whale_games: 1000, ..WorldSpec::default() };
    assert_eq!(distinct(spec.clone()), 1405);
    assert!(distinct(WorldSpec { equal_start_times: true, ..spec }) < 500);
}

#[test]
fn a_whale_costs_nothing_until_it_is_asked_for() {
    let begun = Instant::now();
    let spec = WorldSpec { whale_games: 20_000, ..WorldSpec::default() };
    let world = World::generate(spec);
    let whale = world.seed_ids()[1];
    assert!(world.games_of(whale).count() >= 20_000);
    let page = world.history_page(whale, None, 10_000, 500);
    assert_eq!(page.rows.len(), 500);
    assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
}

#[test]
fn what_cannot_be_reached_is_not_counted() {
    let world = World::generate(WorldSpec { unreachable_games: 9, ..WorldSpec::default() });
    let seeds = world.seed_ids();
    assert_eq!(world.games().count(), 409);
    assert_eq!(world.reachable_games(&seeds).len(), 400);
    assert_eq!(world.reachable_humans(&seeds).len(), world.spec().players);
    let least = world.least_requests(&seeds, 10);
    let pages: usize = world
        .reachable_humans(&seeds)
        .iter()
        .map(|id| world.games_of(*id).count().div_ceil(10))
        .sum();
    assert_eq!(least.history, pages);
    let cancelled = world.games().filter(|game| game.is_cancelled).count();
    assert!(least.move_history >= 400 - cancelled && least.move_history < 400);
}

#[test]
fn the_smallest_worlds() {
    for (games, players) in [(0, 0), (1, 1), (5, 2), (80, 2)] {
        let spec = WorldSpec {
            games,
            players,
            guests: 0,
            bots: 0,
            whale_games: 3,
            unreachable_games: 2,
            ..WorldSpec::default()
        };
        let world = World::generate(spec);
        assert_eq!(world.games().count(), games + 3);
        assert!(world.games().all(|game| game.white != game.black));
        assert!(world.games().all(|game| world.truth(game.id).is_some()));
    }
}

#[test]
fn a_world_grows_and_shrinks() {
    let mut world = World::generate(WorldSpec { games: 60, ..WorldSpec::default() });
    let newcomer = dicechess_core::ids::UserId(999_999);
    let players = vec![world.seed_ids()[0], newcomer];
    let new = NewGames { count: 2, players: players.clone(), ..NewGames::default() };
    let added = world.add_games(&new);
    assert_eq!(world.games_of(newcomer).map(|game| game.id).last(), Some(added[0]));
    assert_eq!(world.games_of(players[0]).next().map(|game| game.id), Some(added[1]));
    assert!(world.truth(added[0]).is_some());
    world.remove_games(&added);
    assert_eq!(world.games().count(), 60);
    assert!(world.game(added[0]).is_none());
    // Ids are not used twice.
    assert!(!world.add_games(&new).contains(&added[0]));
}
