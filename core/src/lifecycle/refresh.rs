//! When a swept player's history is asked for again.
//!
//! Decides the time from what was observed of the player: one who plays often is asked again
//! sooner, one who does not is asked later. Leaves to the host to count his games and to make him
//! pending when the time has come.

use std::time::Duration;

use crate::time::UnixMillis;

/// What was observed of a player when his sweep ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activity {
    /// His games that started within [`OBSERVED`] before now.
    pub recent_games: u64,
    /// When the last game known of him started.
    pub last_game_at: Option<UnixMillis>,
}

/// How far back games count as recent.
pub const OBSERVED: Duration = Duration::from_hours(30 * 24);

/// No player is asked again sooner than this, however often he plays.
pub const SOONEST_REFRESH: Duration = Duration::from_hours(1);

/// Every player is asked again after this time at the latest.
pub const LATEST_REFRESH: Duration = Duration::from_hours(30 * 24);

/// So many new games are expected when a player is asked again. A page of history brings hundreds
/// in one request, so the page adds a twentieth to the one request that each game costs anyway.
const GAMES_A_VISIT: f64 = 20.0;

/// The time from the end of a sweep to the next one.
///
/// The interval in which his rate of the last 30 days brings 20 games, but at least half the time
/// since his last game (whoever has been away for long rarely comes back today), and always between
/// [`SOONEST_REFRESH`] and [`LATEST_REFRESH`].
///
/// ```
/// use dicechess_core::lifecycle::{Activity, refresh_interval};
/// use dicechess_core::time::UnixMillis;
/// let now = UnixMillis(1_780_000_000_000);
/// let busy = Activity { recent_games: 600, last_game_at: Some(now) };
/// assert_eq!(refresh_interval(busy, now).as_secs(), 24 * 3600);
/// ```
#[must_use]
pub fn refresh_interval(activity: Activity, now: UnixMillis) -> Duration {
    let expected = match activity.recent_games {
        0 => LATEST_REFRESH,
        games => OBSERVED.mul_f64(GAMES_A_VISIT / games as f64),
    };
    let idle = activity.last_game_at.map_or(LATEST_REFRESH, |last| last.until(now));
    expected.max(idle / 2).clamp(SOONEST_REFRESH, LATEST_REFRESH)
}

/// When a player is asked for again whose opponent's history told of games that his own sweep has
/// not seen: at once, but [`SOONEST_REFRESH`] after his last sweep at the earliest, so that a busy
/// evening does not ask for him with every game.
#[must_use]
pub fn refresh_on_news(last_synced_at: Option<UnixMillis>, now: UnixMillis) -> UnixMillis {
    last_synced_at.map_or(now, |last| (last + SOONEST_REFRESH).max(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: UnixMillis = UnixMillis(1_780_000_000_000);

    fn hours(recent_games: u64, hours_since_last: Option<u64>) -> u64 {
        let last_game_at = hours_since_last.map(|hours| NOW - Duration::from_hours(hours));
        refresh_interval(Activity { recent_games, last_game_at }, NOW).as_secs() / 3600
    }

    #[test]
    fn who_plays_often_is_asked_sooner() {
        for (recent_games, since_last, expected) in [
            (1_000_000, Some(0), 1), // never sooner than an hour
            (14_400, Some(0), 1),    // twenty games an hour
            (1_440, Some(0), 10),    // two games an hour
            (600, Some(1), 24),      // twenty a day
            (600, Some(96), 48),     // ... but not these four days
            (20, Some(0), 720),      // twenty a month
            (1, Some(0), 720),       // never later than thirty days
            (0, Some(40 * 24), 720), // none in thirty days
            (0, None, 720),          // never seen to play
        ] {
            let got = hours(recent_games, since_last);
            assert_eq!(got, expected, "{recent_games} games, last {since_last:?} h ago");
        }
    }

    #[test]
    fn a_game_in_the_future_delays_nothing() {
        let activity = Activity { recent_games: 600, last_game_at: Some(NOW + OBSERVED) };
        assert_eq!(refresh_interval(activity, NOW), Duration::from_hours(24));
    }

    #[test]
    fn news_are_followed_at_once_but_not_within_an_hour() {
        let minutes = Duration::from_mins;
        assert_eq!(refresh_on_news(None, NOW), NOW);
        assert_eq!(refresh_on_news(Some(NOW - minutes(61)), NOW), NOW);
        assert_eq!(refresh_on_news(Some(NOW - minutes(20)), NOW), NOW + minutes(40));
    }
}
