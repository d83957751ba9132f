//! Who meets whom, and when.
//!
//! Decides the pairs of a world's games so that every human is reached from the first, and their
//! start times.

use dicechess_core::time::UnixMillis;
use rand::Rng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::people::Player;
use crate::play::SCENARIOS;
use crate::rng::{Purpose, stream};
use crate::spec::WorldSpec;

/// A game to be: places in the list of players.
pub(crate) struct Meeting {
    pub(crate) white: usize,
    pub(crate) black: usize,
    pub(crate) started_at: UnixMillis,
    pub(crate) is_running: bool,
    pub(crate) scenario: Option<usize>,
}

/// Draws who meets whom.
pub(crate) struct Meetings<'a> {
    spec: &'a WorldSpec,
    players: &'a [Player],
    rng: ChaCha8Rng,
}

impl<'a> Meetings<'a> {
    /// All meetings of a world, in the order in which its games are numbered.
    pub(crate) fn draw(spec: &'a WorldSpec, players: &'a [Player]) -> Vec<Meeting> {
        Self { spec, players, rng: stream(spec.seed, Purpose::Pairing, 0) }.all()
    }

    fn all(mut self) -> Vec<Meeting> {
        let mut pairs: Vec<[usize; 2]> = (0..self.spec.games).map(|i| self.ordinary(i)).collect();
        pairs.extend((0..self.spec.whale_games).map(|_| self.of_whale()));
        if self.spec.guests > 0 && self.spec.bots > 0 {
            pairs.extend((0..self.spec.unreachable_games).map(|_| self.guest_and_bot()));
        }
        let mut times = self.start_times(pairs.len());
        times.shuffle(&mut self.rng);
        let mut meetings: Vec<Meeting> = pairs
            .into_iter()
            .zip(times)
            .enumerate()
            .map(|(index, (pair, started_at))| {
                let is_crafted = index < SCENARIOS.len().min(self.spec.games);
                self.meeting(pair, started_at, is_crafted.then_some(index))
            })
            .collect();
        for index in 0..self.spec.running_games {
            let pair = self.ordinary(usize::MAX);
            let started_at = UnixMillis(self.spec.now.0 - 60_000 * (1 + index as i64));
            let meeting = self.meeting(pair, started_at, None);
            meetings.push(Meeting { is_running: true, ..meeting });
        }
        meetings
    }

    fn meeting(
        &mut self,
        pair: [usize; 2],
        started_at: UnixMillis,
        scenario: Option<usize>,
    ) -> Meeting {
        let swaps = self.rng.random_bool(0.5);
        let [white, black] = if swaps { [pair[1], pair[0]] } else { pair };
        Meeting { white, black, started_at, is_running: false, scenario }
    }

    /// The crafted games are played by humans. The next ones connect every human with an earlier
    /// one, so that all are reached from the first; the rest is left to chance.
    fn ordinary(&mut self, index: usize) -> [usize; 2] {
        let humans = self.spec.players;
        let crafted = SCENARIOS.len();
        if index < crafted {
            return self.two_of(humans.min(8));
        }
        let connected = index - crafted + 1;
        if connected < humans {
            let earlier = self.rng.random_range(connected.saturating_sub(6)..connected);
            return [earlier, connected];
        }
        let [human, other] = self.two_of(humans);
        match self.rng.random_range(0..20) {
            0..3 if self.spec.bots > 0 => [human, self.bot()],
            3..5 if self.spec.guests > 0 => [human, self.guest()],
            _ => [human, other],
        }
    }

    /// The whale is the second player.
    fn of_whale(&mut self) -> [usize; 2] {
        loop {
            let opponent = self.rng.random_range(0..self.players.len());
            if opponent != 1 {
                return [1, opponent];
            }
        }
    }

    fn guest_and_bot(&mut self) -> [usize; 2] {
        [self.guest(), self.bot()]
    }

    fn guest(&mut self) -> usize {
        self.spec.players + self.rng.random_range(0..self.spec.guests)
    }

    fn bot(&mut self) -> usize {
        self.spec.players + self.spec.guests + self.rng.random_range(0..self.spec.bots)
    }

    fn two_of(&mut self, count: usize) -> [usize; 2] {
        let one = self.rng.random_range(0..count);
        let step = self.rng.random_range(1..count);
        [one, (one + step) % count]
    }

    /// One time in each of as many equal parts of the days before the present, so that no two are
    /// equal; with equal times wanted, three games share each.
    fn start_times(&mut self, count: usize) -> Vec<UnixMillis> {
        const HOUR: i64 = 3_600_000;
        let shared = if self.spec.equal_start_times { 3 } else { 1 };
        let end = self.spec.now.0 - HOUR;
        let part = i64::from(self.spec.days) * 24 * HOUR / count.max(1) as i64;
        let mut offset = 0;
        (0..count as i64)
            .map(|index| {
                if index % shared == 0 {
                    offset = self.rng.random_range(0..part.max(1));
                }
                UnixMillis(end - (index / shared + 1) * part + offset)
            })
            .collect()
    }
}
