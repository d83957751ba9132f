//! What another page of history says of a game that is known.
//!
//! Decides when the newer entry takes the place of the one at hand: only when it tells the end of a
//! game that was still running, and is of the same players. Everything else changes nothing, as the
//! first perspective wins.

use crate::catalogue::{CatalogueRow, Contradiction};
use crate::lifecycle::{ErrorStage, GameState, GameStatus};
use crate::time::UnixMillis;

/// The state of a known game when `again` takes the place of `known`; `None` when nothing changes.
pub fn told_again(
    known: &CatalogueRow,
    state: &GameState,
    again: &CatalogueRow,
    now: UnixMillis,
) -> Option<GameState> {
    let is_waiting =
        matches!(state.status, GameStatus::Discovered | GameStatus::Error(ErrorStage::Fetch));
    let has_ended = known.result.is_none() && again.result.is_some();
    let is_other = known.game_id != again.game_id
        || again.claim().contradiction(known.claim()) == Some(Contradiction::Players);
    if !is_waiting || is_other || !(has_ended || again.is_cancelled) {
        return None;
    }
    // A failed fetch keeps its timer; only the wait for the end is over.
    if again.is_cancelled || state.status == GameStatus::Discovered {
        let has_result = again.result.is_some();
        return Some(GameState::discovered(again.is_cancelled, has_result, again.started_at, now));
    }
    Some(state.clone())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::ids::{GameId, UserId};
    use crate::lifecycle::GameEvent;

    const NOW: UnixMillis = UnixMillis(1_775_000_000_000);

    fn row(result: Option<i8>) -> CatalogueRow {
        CatalogueRow {
            game_id: GameId::from_bits(7),
            white_user_id: UserId(1),
            black_user_id: UserId(2),
            discovered_from: UserId(1),
            started_at: Some(NOW),
            allow_doubling: false,
            result,
            time_initial_sec: None,
            time_increment_sec: None,
            is_cancelled: false,
        }
    }

    fn running() -> GameState {
        GameState::discovered(false, false, Some(NOW), NOW)
    }

    #[test]
    fn the_end_of_a_running_game_is_taken() {
        let later = NOW + Duration::from_mins(9);
        let settled = told_again(&row(None), &running(), &row(Some(-1)), later).unwrap();
        assert!(settled.is_fetchable(later));
        let of_the_other = CatalogueRow { discovered_from: UserId(2), ..row(Some(0)) };
        assert!(told_again(&row(None), &running(), &of_the_other, later).is_some());
        let cancelled = CatalogueRow { is_cancelled: true, ..row(None) };
        let skipped = told_again(&row(None), &running(), &cancelled, later).unwrap();
        assert_eq!(skipped.status, GameStatus::Skipped);

        let message = || "x".to_owned();
        let failed = running().apply(GameEvent::FetchFailed { message: message() }, NOW).unwrap();
        assert_eq!(told_again(&row(None), &failed, &row(Some(1)), later), Some(failed.clone()));
    }

    #[test]
    fn nothing_else_changes_anything() {
        let ended = GameState::discovered(false, true, Some(NOW), NOW);
        let fetched = ended.apply(GameEvent::Fetched, NOW).unwrap();
        let other_players = CatalogueRow { black_user_id: UserId(3), ..row(Some(1)) };
        let other_game = CatalogueRow { game_id: GameId::from_bits(8), ..row(Some(1)) };
        for (known, state, again) in [
            (row(None), running(), row(None)),
            (row(Some(1)), ended.clone(), row(Some(-1))),
            (row(Some(1)), ended, row(None)),
            (row(None), fetched, row(Some(1))),
            (row(None), running(), other_players),
            (row(None), running(), other_game),
        ] {
            assert_eq!(told_again(&known, &state, &again, NOW), None, "{again:?}");
        }
    }
}
