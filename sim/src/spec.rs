//! How a world is asked for.

use dicechess_core::time::UnixMillis;

/// What a world shall contain. Equal specs give equal worlds, to the byte.
///
/// ```
/// use dicechess_sim::{World, WorldSpec};
/// let spec = WorldSpec { seed: 7, games: 60, ..WorldSpec::default() };
/// let (world, again) = (World::generate(spec.clone()), World::generate(spec));
/// assert!(world.games().map(|game| game.id).eq(again.games().map(|game| game.id)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorldSpec {
    /// Everything random follows from it.
    pub seed: u64,
    /// The world's present: all games started before it.
    pub now: UnixMillis,
    /// Over how many days before `now` the games are spread.
    pub days: u32,
    /// Human players, at least two.
    pub players: usize,
    /// Guests: known as opponents, never asked for their history.
    pub guests: usize,
    /// Site bots, with negative ids. The last one's games have no state map.
    pub bots: usize,
    /// Finished games. The crafted ones come first, then those that connect every human with the
    /// first: below about forty games more than there are humans, not all of that is there.
    pub games: usize,
    /// Further games of one player, the whale.
    pub whale_games: usize,
    /// Games without a result that started minutes before `now`.
    pub running_games: usize,
    /// Games that no crawl can find: guests against bots. None without guests or bots.
    pub unreachable_games: usize,
    /// Whether some games share the millisecond of their start.
    pub equal_start_times: bool,
}

impl Default for WorldSpec {
    /// A few dozen players and a few hundred games, enough for every kind of game to occur.
    fn default() -> Self {
        Self {
            seed: 1,
            // 2026-04-01T12:00:00Z
            now: UnixMillis(1_775_044_800_000),
            days: 28,
            players: 36,
            guests: 6,
            bots: 4,
            games: 400,
            whale_games: 0,
            running_games: 0,
            unreachable_games: 0,
            equal_start_times: false,
        }
    }
}
