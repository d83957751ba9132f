//! How long a stage that stopped early rests.
//!
//! Decides what each reason to stop means for a daemon. Leaves the times to the core
//! ([`dicechess_core::breaker::rest`], [`BLOCK_LENGTH`]).

use std::time::Duration;

use dicechess_core::breaker;
use dicechess_core::pacing::BLOCK_LENGTH;
use dicechess_core::time::UnixMillis;

use super::view::{Obstacle, Party};
use crate::crawl::{Stage, Stop};
use crate::store::StoreError;

/// Where one stage stands between two turns.
#[derive(Debug, Default)]
pub(super) struct Rest {
    stops_in_a_row: u32,
    /// Why it rests and until when.
    now: Option<(Obstacle, UnixMillis)>,
}

impl Rest {
    /// Takes the reason why a turn of the stage ended early, if it did. `longest` is the longest
    /// rest after failures.
    pub(super) fn take(
        &mut self,
        stage: Stage,
        stops: &[Stop],
        longest: Duration,
        now: UnixMillis,
    ) {
        let stop = stops.iter().find(|stop| stop.is_lasting() && stop.concerns(stage));
        let Some(stop) = stop else {
            *self = Self::default();
            return;
        };
        self.stops_in_a_row = self.stops_in_a_row.saturating_add(1);
        let pause = match stop {
            Stop::SiteRefused(_) => BLOCK_LENGTH,
            _ => breaker::rest(self.stops_in_a_row, longest),
        };
        let cause = Obstacle { party: Party::of(stage), message: stop.cause() };
        self.now = Some((cause, now + pause));
    }

    /// The database failed: the stage rests as after any failure.
    pub(super) fn fail(&mut self, error: &StoreError, longest: Duration, now: UnixMillis) {
        let cause = Obstacle { party: Party::Database, message: error.to_string() };
        self.after_failure(cause, longest, now);
    }

    /// A party cannot be dealt with as configured: the stage rests until that may have changed.
    pub(super) fn unusable(
        &mut self,
        stage: Stage,
        message: String,
        longest: Duration,
        now: UnixMillis,
    ) {
        self.after_failure(Obstacle { party: Party::of(stage), message }, longest, now);
    }

    fn after_failure(&mut self, cause: Obstacle, longest: Duration, now: UnixMillis) {
        self.stops_in_a_row = self.stops_in_a_row.saturating_add(1);
        self.now = Some((cause, now + breaker::rest(self.stops_in_a_row, longest)));
    }

    /// Forgets the rest: what caused it may have changed.
    pub(super) fn wake(&mut self) {
        self.now = None;
    }

    /// Why it rests now and until when.
    pub(super) fn at(&self, now: UnixMillis) -> Option<(&Obstacle, UnixMillis)> {
        self.now.as_ref().filter(|(_, until)| *until > now).map(|(why, until)| (why, *until))
    }
}

/// Whether a failed database may be usable again later: not when it is another one, or when another
/// process writes in our place.
pub(super) fn may_recover(error: &StoreError) -> bool {
    !matches!(error, StoreError::LeaseLost { .. } | StoreError::Gone { .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis(1_780_000_000_000);
    const LONGEST: Duration = Duration::from_mins(15);

    #[test]
    fn a_stage_rests_longer_each_time_and_forgets_when_it_works() {
        let mut rest = Rest::default();
        let down = [Stop::Breaker { stage: Stage::Post, cause: "down".to_owned() }];
        let mut minutes = Vec::new();
        for _ in 0..6 {
            rest.take(Stage::Post, &down, LONGEST, NOW);
            minutes.push(NOW.until(rest.at(NOW).unwrap().1).as_secs() / 60);
        }
        assert_eq!(minutes, [1, 2, 4, 8, 15, 15]);
        rest.take(Stage::Post, &[], LONGEST, NOW);
        assert_eq!(rest.at(NOW), None);
        rest.take(Stage::Post, &down, LONGEST, NOW);
        assert_eq!(rest.at(NOW + Duration::from_mins(1)), None, "over by itself");
    }

    #[test]
    fn what_concerns_another_stage_or_was_asked_for_is_no_reason_to_rest() {
        let mut rest = Rest::default();
        let stops = [Stop::Requested, Stop::ArchiveDown("full".to_owned())];
        rest.take(Stage::Post, &stops, LONGEST, NOW);
        assert_eq!(rest.at(NOW), None);
        rest.take(Stage::Archive, &stops, LONGEST, NOW);
        let full = Obstacle { party: Party::Archive, message: "full".to_owned() };
        assert_eq!(rest.at(NOW).unwrap().0, &full);
    }

    #[test]
    fn a_refusal_is_remembered_as_long_as_the_site_is_not_asked_anyway() {
        let mut rest = Rest::default();
        rest.take(Stage::Fetch, &[Stop::SiteRefused("401".to_owned())], LONGEST, NOW);
        assert_eq!(rest.at(NOW).unwrap().1, NOW + BLOCK_LENGTH);
    }
}
