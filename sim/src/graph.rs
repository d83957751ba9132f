//! What a crawl can find, and what it costs at least.
//!
//! Decides reachability by a breadth-first search of its own: histories are asked of humans only,
//! guests and bots are known as opponents but lead nowhere.

use std::collections::{BTreeSet, VecDeque};

use dicechess_core::ids::{GameId, UserId};

use serde_json::{Value, json};

use crate::details::Game;
use crate::people::PlayerKind;
use crate::world::World;

/// The fewest requests with which a crawl from nothing finds and fetches all that is reachable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LeastRequests {
    /// Pages of history: each reachable human's games, at least one page each.
    pub history: usize,
    /// State maps: each reachable game that is neither cancelled nor still running.
    pub move_history: usize,
    /// The two leaderboards.
    pub leaderboard: usize,
}

impl LeastRequests {
    /// All of them.
    pub const fn total(self) -> usize {
        self.history + self.move_history + self.leaderboard
    }
}

impl World {
    /// The humans whose history a crawl from these players asks for.
    pub fn reachable_humans(&self, seeds: &[UserId]) -> BTreeSet<UserId> {
        let mut seen = BTreeSet::new();
        let mut queue: VecDeque<UserId> = seeds.iter().copied().collect();
        while let Some(id) = queue.pop_front() {
            // A seed that the site does not know is asked for, too.
            let is_source = self.player(id).is_none_or(|p| p.kind == PlayerKind::Human);
            if is_source && !id.is_bot() && seen.insert(id) {
                queue.extend(self.games_of(id).flat_map(|game| [game.white, game.black]));
            }
        }
        seen
    }

    /// The games that a crawl from these players finds.
    pub fn reachable_games(&self, seeds: &[UserId]) -> BTreeSet<GameId> {
        let humans = self.reachable_humans(seeds);
        humans.iter().flat_map(|id| self.games_of(*id)).map(|game| game.id).collect()
    }

    /// The fewest requests that find and fetch all that is reachable from these players.
    pub fn least_requests(&self, seeds: &[UserId], page_size: usize) -> LeastRequests {
        let pages = |id: &UserId| self.games_of(*id).count().div_ceil(page_size.max(1)).max(1);
        let fetchable = |id: &&GameId| {
            self.game(**id).is_some_and(|game| !game.is_cancelled && !game.is_running)
        };
        LeastRequests {
            history: self.reachable_humans(seeds).iter().map(pages).sum(),
            move_history: self.reachable_games(seeds).iter().filter(fetchable).count(),
            leaderboard: 2,
        }
    }

    /// Counts of what there is, for `GET /sim/world`.
    pub(crate) fn summary(&self, page_size: usize) -> Value {
        let seeds = self.seed_ids();
        let kind = |kind| self.players().filter(|player| player.kind == kind).count();
        let games = |is: fn(&Game) -> bool| self.games().filter(|game| is(game)).count();
        let least = self.least_requests(&seeds, page_size);
        json!({
            "seed_ids": seeds,
            "players": self.players().count(),
            "humans": kind(PlayerKind::Human),
            "guests": kind(PlayerKind::Guest),
            "bots": kind(PlayerKind::Bot),
            "games": self.games().count(),
            "reachable_humans": self.reachable_humans(&seeds).len(),
            "reachable_games": self.reachable_games(&seeds).len(),
            "games_without_map": games(|game| !game.has_map),
            "cancelled": games(|game| game.is_cancelled),
            "running": games(|game| game.is_running),
            "page_size": page_size,
            "least_requests": {
                "history": least.history,
                "move_history": least.move_history,
                "leaderboard": least.leaderboard,
                "total": least.total(),
            },
        })
    }
}
