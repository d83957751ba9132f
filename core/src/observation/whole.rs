//! Whether moves that a browser saw tell a game to its end.
//!
//! A page may load the moves of a game that is still being played; a game posted from those would
//! lack its end for ever, because the first writer wins. So moves are taken only when they are
//! certainly the last word:
//!
//! | what is known | moves are whole |
//! |---|---|
//! | no entry, or one without a result that is younger than a day | not yet |
//! | they were seen a day after the start or later | yes |
//! | they were seen when the entry already told the result | yes |
//! | seen before; they end with a captured king, an empty clock, a declined double, an agreed draw | yes |
//! | seen before; they could have gone on (a resignation looks so too) | no: they are wanted again |

use crate::ids::UserId;
use crate::ingest::{EventType, Termination};
use crate::lifecycle::DAY_RUNNING;
use crate::normalise::NormalizedGame;
use crate::site::HistoryEntry;
use crate::time::UnixMillis;

/// Moves as they were seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenMoves<'a> {
    /// The answer of `game-move-history`.
    pub move_history: &'a str,
    /// When it was seen.
    pub seen_at: UnixMillis,
}

/// What is missing before a game is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// The game may still be running; looked at again then, or when its history tells the result.
    Result {
        /// When the day is over in which it may be running; never earlier than now.
        until: UnixMillis,
    },
    /// The moves must be seen once more: those at hand may be older than the end.
    Moves,
}

/// Whether `moves` are those of the whole game of `entry`, which is of `queried`'s history and was
/// first seen with what it says at `entry_seen_at`.
///
/// # Errors
/// What is [`Missing`].
pub fn judge_moves(
    entry: &HistoryEntry,
    queried: UserId,
    entry_seen_at: UnixMillis,
    moves: SeenMoves<'_>,
    now: UnixMillis,
) -> Result<(), Missing> {
    let over_at = entry.started_at.map_or(now, |started| started.min(now)) + DAY_RUNNING;
    if entry.result.is_none() && now < over_at {
        return Err(Missing::Result { until: over_at });
    }
    if moves.seen_at >= over_at {
        return Ok(());
    }
    if entry.result.is_none() {
        return Err(Missing::Moves);
    }
    if moves.seen_at >= entry_seen_at {
        return Ok(());
    }
    match entry.normalize(queried, moves.move_history) {
        Ok(game) if !is_ended(&game) => Err(Missing::Moves),
        // What cannot be read is parked by the outbox, with its error.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Whether the moves themselves show how the game ended.
fn is_ended(game: &NormalizedGame) -> bool {
    match game.termination {
        Termination::KingCaptured | Termination::Timeout | Termination::DoubleDeclined => true,
        Termination::DrawAgreement => {
            game.events.last().is_some_and(|event| event.event_type == EventType::DrawAccept)
        }
        Termination::Resign | Termination::Unknown => false,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const START: &str = "2026-03-30T20:08:44.793";

    /// White may take the king with the first die.
    const CAPTURE: &str = r#"{"gameMoveHistoryStateMap": {
      "0": {"fen": "4k3/8/8/8/8/8/4R3/KNB5 w - - 0 1", "dices": [{"value": "R"}]},
      "1": {"fen": "4R3/8/8/8/8/8/8/KNB5 w - - 0 1", "dices": [], "gameMoveHistoryMove": {"from": "E2", "to": "E8"}}}}"#;

    fn started() -> UnixMillis {
        UnixMillis::parse_iso(START).unwrap()
    }

    /// Minutes after the start.
    fn at(minutes: u64) -> UnixMillis {
        started() + Duration::from_mins(minutes)
    }

    fn entry(result: &str, start: &str) -> HistoryEntry {
        let json = format!(
            r#"{{"gameId":"0b5f1c3e-9a77-4c11-8e55-00000000abcd","color":"WHITE","result":{result},
            "startTime":"{start}","historyOpponent":{{"opponentId":77}}}}"#
        );
        HistoryEntry::parse(&json).unwrap()
    }

    fn judge(
        entry: &HistoryEntry,
        entry_seen: u64,
        moves: &str,
        seen: u64,
        now: u64,
    ) -> Result<(), Missing> {
        let moves = SeenMoves { move_history: moves, seen_at: at(seen) };
        judge_moves(entry, UserId(5), at(entry_seen), moves, at(now))
    }

    #[test]
    fn without_a_result_a_day_must_pass() {
        let running = entry("null", START);
        let wait = Err(Missing::Result { until: at(DAY) });
        assert_eq!(judge(&running, 1, CAPTURE, 2, 3), wait);
        assert_eq!(judge(&running, 1, CAPTURE, 2, DAY), Err(Missing::Moves));
        assert_eq!(judge(&running, 1, CAPTURE, DAY, DAY + 1), Ok(()));
        let unknown_start = entry("null", "");
        let wait = Err(Missing::Result { until: at(3 + DAY) });
        assert_eq!(judge(&unknown_start, 1, CAPTURE, 2, 3), wait);
    }

    #[test]
    fn moves_seen_after_the_result_are_whole() {
        let won = entry("1", START);
        let unfinished = CAPTURE.replace("\"E8\"", "\"E7\"").replace("4R3/8", "4k3/4R3");
        assert_eq!(judge(&won, 5, &unfinished, 5, 9), Ok(()));
        assert_eq!(judge(&won, 5, &unfinished, 4, 9), Err(Missing::Moves));
        assert_eq!(
            judge(&won, 2 * DAY, &unfinished, DAY, 2 * DAY),
            Ok(()),
            "a day after the start"
        );
    }

    #[test]
    fn moves_seen_before_are_whole_when_they_show_the_end() {
        let won = entry("1", START);
        assert_eq!(judge(&won, 5, CAPTURE, 4, 9), Ok(()));
        let no_king_taken = CAPTURE.replace("4k3/8", "3k4/8").replace("\"4R3/8", "\"3kR3/8");
        assert_eq!(judge(&won, 5, &no_king_taken, 4, 9), Err(Missing::Moves));
        let clock_at_zero = no_king_taken.replace("\"dices\": [],", "\"leftTime\": {\"77\": 0},");
        assert_eq!(judge(&won, 5, &clock_at_zero, 4, 9), Ok(()));
        let drawn = entry("0", START);
        assert_eq!(judge(&drawn, 5, &no_king_taken, 4, 9), Err(Missing::Moves));
        assert_eq!(judge(&won, 5, "{}", 4, 9), Ok(()), "what cannot be read is parked elsewhere");
    }

    const DAY: u64 = 24 * 60;
}
