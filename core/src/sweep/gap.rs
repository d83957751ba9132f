//! Whether a finished sweep found all games the site counts.
//!
//! Decides when a player with a gap is swept again and when the gap is accepted. Leaves to the host
//! to count the known games and to begin the sweep from the start, without the cursor.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::pacing::wait_end;
use crate::time::UnixMillis;

/// What is known about a player's gap. The host saves it with the player.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GapHistory {
    /// Games counted by the site and not known, after the last sweep.
    pub gap: u64,
    /// Sweeps from the start, one after the other, that did not change it.
    pub unchanged: u32,
    /// The sweep under way was begun because of the gap: it has no cursor, also when resumed.
    pub is_resweeping: bool,
    /// When the last such sweep began.
    pub last_resweep_at: Option<UnixMillis>,
}

/// What follows from a finished sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum GapDecision {
    /// No game is missing.
    Complete,
    /// Sweep again from the start, in this pass.
    Resweep,
    /// Games are missing, and the last sweep from the start is not a day old: report it.
    Report,
    /// Two sweeps from the start did not change the gap: the site counts what it does not list.
    Accepted,
}

/// The least time between two sweeps from the start.
pub const RESWEEP_INTERVAL: Duration = Duration::from_hours(24);

/// Known games as a share of those the site counts, at most 1; `None` while the count is unknown.
pub fn completeness(known_games: u64, total_count: Option<u64>) -> Option<f64> {
    total_count.map(
        |total| {
            if known_games >= total { 1.0 } else { known_games as f64 / total as f64 }
        },
    )
}

impl GapHistory {
    /// Takes the outcome of any finished sweep and gives the history to save with it. The count is
    /// [`super::SweepResult::least_total_count`].
    pub fn after_sweep(
        self,
        known_games: u64,
        total_count: Option<u64>,
        now: UnixMillis,
    ) -> (GapDecision, Self) {
        let gap = total_count.map_or(0, |total| total.saturating_sub(known_games));
        let unchanged =
            if gap == self.gap { self.unchanged + u32::from(self.is_resweeping) } else { 0 };
        let history = Self { gap, unchanged, is_resweeping: false, ..self };
        if gap == 0 {
            (GapDecision::Complete, Self { unchanged: 0, ..history })
        } else if unchanged >= SWEEPS_TO_ACCEPT {
            (GapDecision::Accepted, history)
        } else if self.is_recent(now) {
            (GapDecision::Report, history)
        } else {
            let begun = Self { is_resweeping: true, last_resweep_at: Some(now), ..history };
            (GapDecision::Resweep, begun)
        }
    }

    fn is_recent(self, now: UnixMillis) -> bool {
        self.last_resweep_at.is_some_and(|last| wait_end(last, RESWEEP_INTERVAL, now).is_some())
    }
}

const SWEEPS_TO_ACCEPT: u32 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis(1_774_901_324_793);

    #[test]
    fn shares() {
        for (known, total, share) in [
            (0, Some(0), Some(1.0)),
            (1, Some(4), Some(0.25)),
            (5, Some(4), Some(1.0)),
            (5, None, None),
        ] {
            assert_eq!(completeness(known, total), share);
        }
    }

    #[test]
    fn a_gap_is_swept_again_once_a_day_and_accepted_after_two_vain_sweeps() {
        let sweep =
            |history: GapHistory, known, total, now| history.after_sweep(known, Some(total), now);
        let (first, history) = sweep(GapHistory::default(), 7, 10, NOW);
        assert_eq!((first, history.is_resweeping), (GapDecision::Resweep, true));
        let (second, history) = sweep(history, 8, 10, NOW);
        assert_eq!((second, history.gap, history.unchanged), (GapDecision::Report, 2, 0));

        let day = NOW + RESWEEP_INTERVAL;
        let (_, history) = sweep(history, 9, 11, day - Duration::from_hours(1));
        assert!(!history.is_resweeping);
        let (third, history) = sweep(history, 9, 11, day);
        assert_eq!(third, GapDecision::Resweep);
        let (fourth, history) = sweep(history, 9, 11, day);
        assert_eq!((fourth, history.unchanged), (GapDecision::Report, 1));

        let next_day = day + RESWEEP_INTERVAL;
        let (fifth, history) = sweep(history, 9, 11, next_day);
        assert_eq!(fifth, GapDecision::Resweep);
        let (sixth, history) = sweep(history, 12, 14, next_day);
        assert_eq!((sixth, history.unchanged), (GapDecision::Accepted, 2));

        let later = next_day + RESWEEP_INTERVAL;
        assert_eq!(sweep(history, 12, 14, later).0, GapDecision::Accepted);
        assert_eq!(sweep(history, 12, 15, later).0, GapDecision::Resweep);
        let (found, history) = sweep(history, 14, 14, later);
        assert_eq!((found, history.unchanged), (GapDecision::Complete, 0));
    }

    #[test]
    fn an_unknown_count_is_no_gap() {
        let (decision, _) = GapHistory::default().after_sweep(3, None, NOW);
        assert_eq!(decision, GapDecision::Complete);
    }
}
