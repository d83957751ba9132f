//! The simulated site's contents.
//!
//! Decides who played whom and when, and answers what the site can be asked. A game's moves are
//! played when they are asked for, so that a world with a whale of many thousand games is there at
//! once.

use std::collections::BTreeMap;

use dicechess_core::ids::{GameId, UserId};
use dicechess_core::time::UnixMillis;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;

use crate::details::{Game, Pairing};
use crate::meetings::Meetings;
use crate::people::{self, Player, PlayerKind};
use crate::play::play;
use crate::rng::{Purpose, stream};
use crate::site::{self, HistoryPage};
use crate::spec::WorldSpec;
use crate::truth::GameTruth;

/// The players and games of a simulated site.
#[derive(Debug, Clone)]
pub struct World {
    spec: WorldSpec,
    players: BTreeMap<UserId, Player>,
    /// In the order in which they were made.
    games: Vec<Game>,
    by_id: BTreeMap<GameId, usize>,
    /// Places in `games`, newest game first.
    by_player: BTreeMap<UserId, Vec<usize>>,
    next_index: u64,
}

/// Games to be added to a running site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewGames {
    /// How many.
    pub count: usize,
    /// Who plays: two ids meet each other, one id meets any humans, none means any two humans. An
    /// unknown id is a newcomer.
    pub players: Vec<UserId>,
    /// Whether the games are still running.
    pub running: bool,
    /// When the first one started; by default a second after the newest game.
    pub started_at: Option<UnixMillis>,
}

impl World {
    /// Makes a world. Equal specs give equal worlds.
    pub fn generate(mut spec: WorldSpec) -> Self {
        spec.players = spec.players.max(2);
        let players = people::players(&spec);
        let meetings = Meetings::draw(&spec, &players);
        let mut world = Self {
            players: players.iter().map(|player| (player.id, player.clone())).collect(),
            games: Vec::new(),
            by_id: BTreeMap::new(),
            by_player: BTreeMap::new(),
            next_index: 0,
            spec,
        };
        for meeting in meetings {
            let pairing = Pairing {
                white: &players[meeting.white],
                black: &players[meeting.black],
                started_at: meeting.started_at,
                is_running: meeting.is_running,
                scenario: meeting.scenario,
            };
            world.push(&pairing);
        }
        world.sort_lists();
        world
    }

    /// What the world was made from.
    pub fn spec(&self) -> &WorldSpec {
        &self.spec
    }

    /// All players, by id.
    pub fn players(&self) -> impl Iterator<Item = &Player> {
        self.players.values()
    }

    /// One player.
    pub fn player(&self, id: UserId) -> Option<&Player> {
        self.players.get(&id)
    }

    /// All games, in the order in which they were made.
    pub fn games(&self) -> impl Iterator<Item = &Game> {
        self.games.iter()
    }

    /// One game.
    pub fn game(&self, id: GameId) -> Option<&Game> {
        self.by_id.get(&id).map(|place| &self.games[*place])
    }

    /// A player's games, newest first.
    pub fn games_of(&self, player: UserId) -> impl Iterator<Item = &Game> {
        self.by_player.get(&player).into_iter().flatten().map(|place| &self.games[*place])
    }

    /// The truth about a game, played at the first call; `None` for an unknown game and for one
    /// without a state map.
    pub fn truth(&self, id: GameId) -> Option<&GameTruth> {
        let game = self.game(id).filter(|game| game.has_map)?;
        Some(game.truth.get_or_init(|| {
            let played = play(self.spec.seed, game);
            let initial_fen = site::initial_fen(self.spec.seed, game, &played.states);
            GameTruth { initial_fen, ..played.truth }
        }))
    }

    /// The body of `GET /api/game-move-history`; `None` for an unknown game.
    pub fn state_map(&self, id: GameId) -> Option<String> {
        let game = self.game(id)?;
        if !game.has_map {
            let without =
                ["{\"gameMoveHistoryStateMap\":null}", "{\"gameMoveHistoryStateMap\":{}}"];
            return Some(without[game.index as usize % 2].to_owned());
        }
        let played = play(self.spec.seed, game);
        Some(site::state_map(self.spec.seed, game, &played.states))
    }

    /// A page of a player's history: the games that started at `since` or later, newest first.
    pub fn history_page(
        &self,
        player: UserId,
        since: Option<UnixMillis>,
        first: usize,
        page_size: usize,
    ) -> HistoryPage {
        let started = |game: &&Game| since.is_none_or(|since| game.started_at >= since);
        let rows = self.games_of(player).filter(started).skip(first).take(page_size);
        HistoryPage {
            rows: rows.map(|game| self.history_row(game, player)).collect(),
            total_count: self.games_of(player).count(),
            filtered_count: self.games_of(player).filter(started).count(),
        }
    }

    /// The body of `GET /api/leaderboard`.
    pub fn leaderboard(&self) -> String {
        site::leaderboard(&self.ranking(|player| player.rating_classic))
    }

    /// The body of `GET /api/x2Leaderboard`.
    pub fn x2_leaderboard(&self) -> String {
        site::x2_leaderboard(&self.ranking(|player| player.rating_x2))
    }

    /// Players from whom everything reachable is reached: the first of the site.
    pub fn seed_ids(&self) -> Vec<UserId> {
        let humans = self.players.values().filter(|player| player.kind == PlayerKind::Human);
        humans.take(2).map(|player| player.id).collect()
    }

    /// Adds games, by default newer than all others, and returns their ids.
    pub fn add_games(&mut self, new: &NewGames) -> Vec<GameId> {
        for id in &new.players {
            self.players.entry(*id).or_insert_with(|| people::newcomer(*id));
        }
        let newest = self.games.iter().map(|game| game.started_at.0).max();
        let mut at = new.started_at.map_or(newest.unwrap_or(self.spec.now.0) + 1000, |at| at.0);
        let mut rng = stream(self.spec.seed, Purpose::Pairing, 1 + self.next_index);
        let mut added = Vec::new();
        for _ in 0..new.count {
            let [white, black] = self.draw_pair(&mut rng, &new.players);
            let started_at = UnixMillis(at);
            let is_running = new.running;
            let pairing =
                Pairing { white: &white, black: &black, started_at, is_running, scenario: None };
            added.push(self.push(&pairing));
            at += 1000;
        }
        self.sort_lists();
        added
    }

    /// Takes games off the site, as if they had never been.
    pub fn remove_games(&mut self, ids: &[GameId]) {
        self.games.retain(|game| !ids.contains(&game.id));
        self.index_again();
    }

    /// Ends all running games: their results are told from now on, and their maps go on.
    pub fn finish_running_games(&mut self) {
        for game in self.games.iter_mut().filter(|game| game.is_running) {
            game.is_running = false;
            game.truth = Default::default();
        }
    }

    fn history_row(&self, game: &Game, queried: UserId) -> String {
        let opponent = if game.white == queried { game.black } else { game.white };
        site::row(self.spec.seed, game, queried, &self.players[&opponent])
    }

    /// The best half of the humans.
    fn ranking(&self, rating: impl Fn(&Player) -> i64) -> Vec<&Player> {
        let mut humans: Vec<&Player> =
            self.players.values().filter(|player| player.kind == PlayerKind::Human).collect();
        humans.sort_by_key(|player| (-rating(player), player.id));
        humans.truncate(humans.len().div_ceil(2));
        humans
    }

    fn draw_pair(&self, rng: &mut ChaCha8Rng, wanted: &[UserId]) -> [Player; 2] {
        let humans: Vec<&Player> = self
            .players
            .values()
            .filter(|player| player.kind == PlayerKind::Human && !wanted.contains(&player.id))
            .collect();
        let mut pair: Vec<Player> = wanted.iter().map(|id| self.players[id].clone()).collect();
        pair.truncate(2);
        let others = humans.choose_multiple(rng, 2 - pair.len());
        pair.extend(others.map(|player| (*player).clone()));
        pair.shuffle(rng);
        pair.try_into().expect("a site has at least two humans")
    }

    fn push(&mut self, pairing: &Pairing<'_>) -> GameId {
        let has_map =
            !self.is_mapless_bot(pairing.white.id) && !self.is_mapless_bot(pairing.black.id);
        let game = Game::settle(self.spec.seed, self.next_index, has_map, pairing);
        self.next_index += 1;
        let id = game.id;
        self.games.push(game);
        self.enter(self.games.len() - 1);
        id
    }

    /// The last bot's games are kept without a map.
    fn is_mapless_bot(&self, id: UserId) -> bool {
        self.spec.bots > 1 && id.is_bot() && self.players.keys().next() == Some(&id)
    }

    fn enter(&mut self, place: usize) {
        let game = &self.games[place];
        self.by_id.insert(game.id, place);
        for player in [game.white, game.black] {
            self.by_player.entry(player).or_default().push(place);
        }
    }

    fn index_again(&mut self) {
        self.by_id.clear();
        self.by_player.clear();
        for place in 0..self.games.len() {
            self.enter(place);
        }
        self.sort_lists();
    }

    fn sort_lists(&mut self) {
        let games = &self.games;
        for list in self.by_player.values_mut() {
            list.sort_by_key(|place| (std::cmp::Reverse(games[*place].started_at), *place));
        }
    }
}
