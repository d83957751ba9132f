//! What a browser lets go when the room for what it keeps is full.
//!
//! Decides the order: what nobody may ever want first (moves without an entry, entries without
//! moves), then what a receiver has, then what it refused, then what is left of both; in each the
//! oldest first. What no
//! receiver has answered yet is never let go: when that alone fills the room, nothing more is taken.

use crate::ids::GameId;
use crate::lifecycle::{ErrorStage, GameStatus};
use crate::order::in_order;
use crate::time::UnixMillis;

/// Why something is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kept {
    /// Moves without an entry, or an entry without moves: not a whole game.
    Part,
    /// A receiver has it; kept so that it can be read again by newer code.
    Posted,
    /// A receiver refused it.
    Rejected,
    /// The entry of a game that a receiver has or refused, whose moves are gone already.
    Remnant,
    /// It waits for a receiver, or for code that can read it.
    Waiting,
}

impl Kept {
    /// Why something of a game with this status is kept.
    #[must_use]
    pub const fn of(status: GameStatus, has_moves: bool) -> Self {
        match status {
            GameStatus::Discovered | GameStatus::Error(ErrorStage::Fetch) | GameStatus::Skipped => {
                Self::Part
            }
            GameStatus::Posted if has_moves => Self::Posted,
            GameStatus::Rejected if has_moves => Self::Rejected,
            GameStatus::Posted | GameStatus::Rejected => Self::Remnant,
            GameStatus::Fetched | GameStatus::Error(ErrorStage::Post | ErrorStage::Normalize) => {
                Self::Waiting
            }
        }
    }
}

/// What is kept of one game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptRaw {
    /// The game.
    pub game_id: GameId,
    /// Why it is kept.
    pub kept: Kept,
    /// Since when it is kept for that reason: seen, posted, refused.
    pub since: UnixMillis,
    /// How much it is.
    pub bytes: u64,
}

impl KeptRaw {
    /// Its place in the order in which things are let go: the reason, then the time.
    fn rank(&self) -> u64 {
        const TIMES: u64 = 1 << 60;
        let since = u64::try_from(self.since.0).unwrap_or(0).min(TIMES - 1);
        self.kept as u64 * TIMES + since
    }
}

/// What is done about the room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    /// What is let go, in this order.
    pub dropped: Vec<KeptRaw>,
    /// How much is kept then, with what comes in.
    pub bytes: u64,
    /// Whether what comes in may be kept.
    pub is_free: bool,
}

/// Makes room for `incoming` bytes within `most` bytes. Parts of games never take more than a quarter
/// of the room, so that a page that sends ever new ones cannot drive out whole games.
pub fn make_room(kept: &[KeptRaw], incoming: u64, most: u64) -> Room {
    let droppable = kept.iter().filter(|raw| raw.kept != Kept::Waiting);
    let order = in_order(droppable.map(|raw| (raw.rank(), *raw)).collect());
    let mut bytes = kept.iter().fold(incoming, |sum, raw| sum.saturating_add(raw.bytes));
    let parts = kept.iter().filter(|raw| raw.kept == Kept::Part);
    let mut parts = parts.fold(0u64, |sum, raw| sum.saturating_add(raw.bytes));
    let mut dropped = Vec::new();
    for (_, raw) in order {
        let is_part = raw.kept == Kept::Part;
        if bytes <= most && !(is_part && parts > most / 4) {
            break;
        }
        dropped.push(raw);
        bytes = bytes.saturating_sub(raw.bytes);
        if is_part {
            parts = parts.saturating_sub(raw.bytes);
        }
    }
    Room { dropped, bytes, is_free: bytes <= most }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(id: u128, kept: Kept, since: i64, bytes: u64) -> KeptRaw {
        KeptRaw { game_id: GameId::from_bits(id), kept, since: UnixMillis(since), bytes }
    }

    fn dropped(kept: &[KeptRaw], incoming: u64) -> (Vec<u128>, bool) {
        let room = make_room(kept, incoming, 100);
        (room.dropped.iter().map(|raw| raw.game_id.bits()).collect(), room.is_free)
    }

    #[test]
    fn nothing_goes_while_there_is_room() {
        let kept = [raw(1, Kept::Part, 0, 25), raw(2, Kept::Posted, 0, 40)];
        assert_eq!(dropped(&kept, 35), (vec![], true));
        assert_eq!(make_room(&kept, 35, 100).bytes, 100);
    }

    #[test]
    fn parts_go_first_then_the_oldest_posted_then_the_refused() {
        let kept = [
            raw(1, Kept::Rejected, 0, 20),
            raw(2, Kept::Posted, 9, 20),
            raw(3, Kept::Posted, 5, 20),
            raw(4, Kept::Waiting, 0, 20),
            raw(5, Kept::Part, 99, 20),
        ];
        assert_eq!(dropped(&kept, 1), (vec![5], true));
        assert_eq!(dropped(&kept, 30), (vec![5, 3], true));
        assert_eq!(dropped(&kept, 60), (vec![5, 3, 2], true));
        assert_eq!(dropped(&kept, 80), (vec![5, 3, 2, 1], true));
    }

    #[test]
    fn why_a_game_is_kept() {
        for (status, has_moves, kept) in [
            ("discovered", true, Kept::Part),
            ("skipped", false, Kept::Part),
            ("fetched", true, Kept::Waiting),
            ("posted", true, Kept::Posted),
            ("posted", false, Kept::Remnant),
            ("rejected", true, Kept::Rejected),
            ("rejected", false, Kept::Remnant),
        ] {
            let status = GameStatus::parse(status, None).unwrap();
            assert_eq!(Kept::of(status, has_moves), kept, "{status} {has_moves}");
        }
        for (stage, kept) in [
            (ErrorStage::Fetch, Kept::Part),
            (ErrorStage::Post, Kept::Waiting),
            (ErrorStage::Normalize, Kept::Waiting),
        ] {
            assert_eq!(Kept::of(GameStatus::Error(stage), true), kept);
        }
    }

    #[test]
    fn parts_have_a_quarter() {
        let kept = [
            raw(1, Kept::Part, 3, 10),
            raw(2, Kept::Part, 1, 10),
            raw(3, Kept::Part, 2, 10),
            raw(4, Kept::Posted, 0, 10),
        ];
        assert_eq!(dropped(&kept, 0), (vec![2], true));
    }

    #[test]
    fn what_waits_is_never_let_go() {
        let kept = [raw(1, Kept::Waiting, 0, 90), raw(2, Kept::Waiting, 1, 20)];
        assert_eq!(dropped(&kept, 0), (vec![], false));
        assert_eq!(dropped(&kept[..1], 11), (vec![], false));
        assert_eq!(dropped(&kept[..1], 10), (vec![], true));
        assert_eq!(dropped(&[], 101), (vec![], false));
    }
}
