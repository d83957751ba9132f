//! What is known of a game before it is played.
//!
//! Decides a game's players, time control, stake, result and plan.

use std::sync::OnceLock;

use dicechess_core::ids::{GameId, UserId};
use dicechess_core::time::UnixMillis;
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use crate::people::Player;
use crate::play::{Doubles, EndPoint, Ending, Plan, SCENARIOS, Scenario, Start};
use crate::rng::{Purpose, stream};
use crate::truth::GameTruth;

/// A game as the site's lists know it.
#[derive(Debug, Clone)]
pub struct Game {
    /// The site's id.
    pub id: GameId,
    /// Who plays White.
    pub white: UserId,
    /// Who plays Black.
    pub black: UserId,
    /// When it started.
    pub started_at: UnixMillis,
    /// Thinking time in minutes.
    pub time_limit_min: f64,
    /// Seconds added per turn.
    pub time_bonus_sec: i64,
    /// Whether doubles may be offered.
    pub allow_doubling: bool,
    /// Whether the site cancelled it.
    pub is_cancelled: bool,
    /// Whether the site keeps a state map of it.
    pub has_map: bool,
    /// Whether it has not ended yet.
    pub is_running: bool,
    /// White's rating at the start.
    pub rating_white: Option<i64>,
    /// Black's rating at the start.
    pub rating_black: Option<i64>,
    /// What is played for.
    pub currency: Option<&'static str>,
    /// The pot at the start.
    pub stake: i64,
    /// The index of the game's random streams.
    pub(crate) index: u64,
    pub(crate) planned_result: Option<i8>,
    pub(crate) plan: Plan,
    pub(crate) truth: OnceLock<GameTruth>,
}

/// Who meets when.
pub(crate) struct Pairing<'a> {
    pub(crate) white: &'a Player,
    pub(crate) black: &'a Player,
    pub(crate) started_at: UnixMillis,
    pub(crate) is_running: bool,
    /// Which crafted game it is, if it is one.
    pub(crate) scenario: Option<usize>,
}

impl Game {
    /// The result from White's point of view, as far as the site tells it.
    pub fn result(&self) -> Option<i8> {
        if self.is_running || self.is_cancelled { None } else { self.planned_result }
    }

    pub(crate) fn thinking_time_ms(&self) -> i64 {
        (self.time_limit_min * 60_000.0).round() as i64
    }

    /// Settles a game's details from its own stream.
    pub(crate) fn settle(seed: u64, index: u64, has_map: bool, pairing: &Pairing<'_>) -> Self {
        let mut rng = stream(seed, Purpose::Details, index);
        let scenario = pairing.scenario.and_then(|index| SCENARIOS.get(index));
        let id = GameId::from_bits(random_uuid(&mut rng));
        let mut settled = scenario.copied().unwrap_or_else(|| random_scenario(&mut rng));
        let is_cancelled = scenario.is_none() && !pairing.is_running && rng.random_bool(0.03);
        if is_cancelled {
            settled.plan = Plan { turns: 1, ..settled.plan };
        }
        let x2 = settled.allow_doubling;
        let mut rating = |player: &Player| {
            let now = if x2 { player.rating_x2 } else { player.rating_classic };
            (!rng.random_bool(0.04)).then(|| now + rng.random_range(-60..60))
        };
        let (rating_white, rating_black) = (rating(pairing.white), rating(pairing.black));
        Self {
            id,
            white: pairing.white.id,
            black: pairing.black.id,
            started_at: pairing.started_at,
            time_limit_min: pick(&mut rng, &[0.5, 1.0, 1.1, 2.5, 3.0, 5.0, 10.0]),
            time_bonus_sec: pick(&mut rng, &[0, 1, 3, 5, 10]),
            allow_doubling: x2,
            is_cancelled,
            has_map,
            is_running: pairing.is_running,
            rating_white,
            rating_black,
            currency: pick(&mut rng, &[Some("GOLD"), Some("GOLD"), Some("COIN"), None]),
            stake: pick(&mut rng, &[100, 500, 1000, 2500]),
            index,
            planned_result: settled.result,
            plan: settled.plan,
            truth: OnceLock::new(),
        }
    }
}

fn pick<T: Copy>(rng: &mut ChaCha8Rng, choices: &[T]) -> T {
    *choices.choose(rng).expect("the choices are written out")
}

/// A version 4 UUID.
fn random_uuid(rng: &mut ChaCha8Rng) -> u128 {
    let bits: u128 = rng.random();
    (bits & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62)
}

/// A game left to chance, in proportions that look like the site's.
fn random_scenario(rng: &mut ChaCha8Rng) -> Scenario {
    let allow_doubling = rng.random_bool(0.4);
    let winner = if rng.random_bool(0.5) { 1 } else { -1 };
    let (ending, result) = match rng.random_range(0..100) {
        0..58 => (Ending::KingCaptured, Some(winner)),
        58..74 => (Ending::Resign(EndPoint::random(rng)), Some(winner)),
        74..86 => (Ending::Timeout(EndPoint::random(rng)), Some(winner)),
        86..92 => {
            let seen = rng.random_bool(0.6);
            (Ending::Draw { at: EndPoint::random(rng), seen }, Some(0))
        }
        92..98 if allow_doubling => {
            (Ending::DoubleDeclined { rolled: rng.random_bool(0.5) }, Some(winner))
        }
        98.. => (Ending::Open(EndPoint::BetweenTurns), None),
        _ => (Ending::KingCaptured, Some(winner)),
    };
    let start = if rng.random_bool(0.08) { Start::Chess960 } else { Start::Standard };
    let doubles = if allow_doubling { Doubles::Sometimes } else { Doubles::Never };
    let plan = Plan { ending, turns: rng.random_range(3..17), start, script: &[], doubles };
    Scenario { plan, allow_doubling, result }
}
