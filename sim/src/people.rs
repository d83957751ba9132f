//! Who plays.
//!
//! Decides the players of a world: humans, guests and bots, with the names and ids that real sites
//! have and programs trip over.

use dicechess_core::ids::UserId;
use rand::Rng;

use crate::rng::{Purpose, stream};
use crate::spec::WorldSpec;

/// A player of the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Player {
    /// The site's id.
    pub id: UserId,
    /// The name the site shows, if it shows one.
    pub name: Option<String>,
    /// Human, guest or bot.
    pub kind: PlayerKind,
    /// The rating in classic games.
    pub rating_classic: i64,
    /// The rating in games with doubling.
    pub rating_x2: i64,
}

/// What kind of player it is, as the contract classifies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlayerKind {
    /// A registered player: the only kind whose history a crawl asks for.
    Human,
    /// A player whose name starts with `Guest`.
    Guest,
    /// A player with a negative id.
    Bot,
}

/// The players of a world: humans first, then guests, then bots.
pub(crate) fn players(spec: &WorldSpec) -> Vec<Player> {
    let humans = (0..spec.players).map(|i| (human_id(i), human_name(i), PlayerKind::Human));
    let guests = (0..spec.guests).map(|i| (guest_id(i), guest_name(i), PlayerKind::Guest));
    let bots = (0..spec.bots).map(|i| (bot_id(i), bot_name(i), PlayerKind::Bot));
    let mut rng = stream(spec.seed, Purpose::Players, 0);
    humans
        .chain(guests)
        .chain(bots)
        .map(|(id, name, kind)| Player {
            id,
            name,
            kind,
            rating_classic: rng.random_range(900..2500),
            rating_x2: rng.random_range(900..2500),
        })
        .collect()
}

/// A human who joins while the site runs.
pub(crate) fn newcomer(id: UserId) -> Player {
    let name = Some(format!("newcomer_{id}"));
    Player { id, name, kind: PlayerKind::Human, rating_classic: 1200, rating_x2: 1200 }
}

fn human_id(index: usize) -> UserId {
    // One id that does not fit into 32 bits.
    if index == 5 { UserId(2_147_483_653) } else { UserId(1000 + 37 * index as i64) }
}

fn guest_id(index: usize) -> UserId {
    UserId(700_001 + 13 * index as i64)
}

fn bot_id(index: usize) -> UserId {
    UserId(-41 - index as i64)
}

fn human_name(index: usize) -> Option<String> {
    // The first players keep plain names, so that a short demo reads well.
    let odd = index.checked_sub(3).and_then(|odd| ODD_NAMES.get(odd));
    match odd {
        Some(OddName::Null) => None,
        Some(OddName::Long) => Some("Łongest ".repeat(64).trim_end().to_owned()),
        Some(OddName::Text(text)) => Some((*text).to_owned()),
        None => Some(format!("player_{index}")),
    }
}

fn guest_name(index: usize) -> Option<String> {
    Some(match index {
        0 => "Guest".to_owned(),
        1 => "Guest\u{a0}👻".to_owned(),
        _ => format!("Guest {}", 40_000 + 977 * index),
    })
}

fn bot_name(index: usize) -> Option<String> {
    match index {
        0 => Some("Bot 🤖".to_owned()),
        1 => None,
        2 => Some("Guest of honour".to_owned()),
        _ => Some(format!("bot_{index}")),
    }
}

enum OddName {
    Text(&'static str),
    Null,
    Long,
}

const ODD_NAMES: [OddName; 16] = [
    OddName::Text("🎲♟️dice"),
    OddName::Null,
    OddName::Text("O'Brien \"the rook\" \\"),
    OddName::Text("שחמט قوبيا"),
    OddName::Long,
    OddName::Text("<script>alert(1)</script>"),
    OddName::Text("Robert'); DROP TABLE players;--"),
    OddName::Text("\u{202e}desrever"),
    OddName::Text("tab\tnew\nline"),
    OddName::Text(" padded "),
    OddName::Text(""),
    OddName::Text("guest in lower case"),
    OddName::Text("王様👨‍👩‍👧‍👦"),
    OddName::Text("e\u{301}clair"),
    OddName::Text("=1+1"),
    OddName::Text("null"),
];
