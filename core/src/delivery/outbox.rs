//! Which game a browser sends next.
//!
//! Decides the order (the game seen first goes first, as games arrive one by one and are to appear
//! in that order) and how long a receiver that fails is left alone. When a game by itself may be sent
//! again is [`crate::lifecycle`]'s matter.
//!
//! | the receiver | then |
//! |---|---|
//! | took or refused a game | works; the next one follows at once |
//! | cannot be reached, is overloaded | is left alone until that game's timer is due, so the order stays |
//! | fails otherwise, 5 times in a row | the same; before that the other games have their turn |
//! | does not accept the token | is left alone until the user has acted |

use crate::breaker::{Breaker, Outcome};
use crate::ids::GameId;
use crate::lifecycle::GameState;
use crate::time::UnixMillis;

use super::PostAnswer;

/// How a receiver stands after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It answered: it took the game or refused it for what it says.
    Works,
    /// It failed over this game.
    Fails,
    /// It cannot be reached, or says that it can take nothing now.
    Away,
    /// It does not accept us.
    Unauthorized,
}

/// What is remembered of a receiver.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Receiver {
    /// Failures in a row.
    pub failures: u32,
    /// Nothing is sent before this time.
    pub paused_until: Option<UnixMillis>,
    /// Nothing is sent until the user has acted.
    pub is_unauthorized: bool,
}

/// A game that waits to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// The game.
    pub game_id: GameId,
    /// When the browser saw it first.
    pub seen_at: UnixMillis,
    /// Where it stands.
    pub state: GameState,
}

/// What is sent next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sending {
    /// This game, now.
    Now(GameId),
    /// Nothing before this time.
    At(UnixMillis),
    /// Nothing until the user has acted.
    Unauthorized,
    /// Nothing waits.
    Nothing,
}

impl Standing {
    /// Reads it off an answer. Status 0: there was none.
    pub fn of(status: u16, answer: &PostAnswer) -> Self {
        match answer {
            PostAnswer::Created { .. } | PostAnswer::Exists { .. } | PostAnswer::Refused { .. } => {
                Self::Works
            }
            PostAnswer::Unauthorized => Self::Unauthorized,
            PostAnswer::TimedOut => Self::Away,
            PostAnswer::Failed { .. } if matches!(status, 0 | 429 | 502..=504) => Self::Away,
            PostAnswer::Failed { .. } => Self::Fails,
        }
    }
}

impl Receiver {
    /// The receiver after an answer; `next_retry_at` is the timer of the game that was sent.
    #[must_use]
    pub fn after(self, standing: Standing, next_retry_at: Option<UnixMillis>) -> Self {
        let mut breaker = Breaker::after_failures(self.failures);
        match standing {
            Standing::Works => Self::default(),
            Standing::Unauthorized => Self { is_unauthorized: true, ..Self::default() },
            Standing::Fails | Standing::Away => {
                breaker.record(Outcome::Failure);
                let is_paused = standing == Standing::Away || breaker.is_open();
                Self {
                    failures: self.failures.saturating_add(1),
                    paused_until: next_retry_at.filter(|_| is_paused),
                    is_unauthorized: false,
                }
            }
        }
    }
}

/// Decides what is sent next. Games that are not to be posted are passed over.
pub fn next_sending(waiting: &[Waiting], receiver: Receiver, now: UnixMillis) -> Sending {
    let whenever = UnixMillis(i64::MAX);
    let to_send = || waiting.iter().filter(|game| game.state.is_postable(whenever));
    if to_send().next().is_none() {
        return Sending::Nothing;
    }
    if receiver.is_unauthorized {
        return Sending::Unauthorized;
    }
    if let Some(until) = receiver.paused_until.filter(|until| *until > now) {
        return Sending::At(until);
    }
    let due = to_send().filter(|game| game.state.is_postable(now));
    if let Some(first) = due.min_by_key(|game| (game.seen_at, game.game_id)) {
        return Sending::Now(first.game_id);
    }
    let timers = to_send().filter_map(|game| game.state.next_retry_at);
    timers.min().map_or(Sending::Nothing, Sending::At)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::lifecycle::GameEvent;

    const NOW: UnixMillis = UnixMillis(1_775_000_000_000);

    fn fetched() -> GameState {
        let state = GameState::discovered(false, true, None, NOW);
        state.apply(GameEvent::Fetched, NOW).unwrap()
    }

    fn failed(at: UnixMillis) -> GameState {
        fetched().apply(GameEvent::PostFailed { message: "down".to_owned() }, at).unwrap()
    }

    fn waiting(id: u128, seen: u64, state: GameState) -> Waiting {
        let seen_at = NOW + Duration::from_secs(seen);
        Waiting { game_id: GameId::from_bits(id), seen_at, state }
    }

    #[test]
    fn the_game_seen_first_goes_first() {
        let now = |id| Sending::Now(GameId::from_bits(id));
        let idle = Receiver::default();
        let games = [waiting(1, 9, fetched()), waiting(3, 2, fetched()), waiting(2, 2, fetched())];
        assert_eq!(next_sending(&games, idle, NOW), now(2));
        let skipped = GameState::discovered(true, true, None, NOW);
        let discovered = GameState::discovered(false, true, None, NOW);
        let others = [waiting(1, 0, skipped), waiting(2, 0, discovered)];
        assert_eq!(next_sending(&others, idle, NOW), Sending::Nothing);
        assert_eq!(next_sending(&[], idle, NOW), Sending::Nothing);
    }

    #[test]
    fn a_game_with_a_timer_lets_others_pass() {
        let five_minutes = NOW + Duration::from_mins(5);
        let games = [waiting(1, 1, failed(NOW)), waiting(2, 2, fetched())];
        let idle = Receiver::default();
        assert_eq!(next_sending(&games, idle, NOW), Sending::Now(GameId::from_bits(2)));
        assert_eq!(next_sending(&games[..1], idle, NOW), Sending::At(five_minutes));
        let due = next_sending(&games, idle, five_minutes);
        assert_eq!(due, Sending::Now(GameId::from_bits(1)));
    }

    #[test]
    fn a_receiver_that_is_away_holds_everything_and_the_order_stays() {
        let first = failed(NOW);
        let away = Receiver::default().after(Standing::Away, first.next_retry_at);
        let games = [waiting(1, 1, first), waiting(2, 2, fetched())];
        let five_minutes = NOW + Duration::from_mins(5);
        assert_eq!(next_sending(&games, away, NOW), Sending::At(five_minutes));
        assert_eq!(next_sending(&games, away, five_minutes), Sending::Now(GameId::from_bits(1)));
    }

    #[test]
    fn what_each_answer_makes_of_a_receiver() {
        let until = Some(NOW);
        let mut receiver = Receiver::default();
        for failures in 1..=4 {
            receiver = receiver.after(Standing::Fails, until);
            assert_eq!((receiver.failures, receiver.paused_until), (failures, None));
        }
        assert_eq!(receiver.after(Standing::Fails, until).paused_until, until);
        assert_eq!(receiver.after(Standing::Away, until).paused_until, until);
        assert_eq!(receiver.after(Standing::Works, None), Receiver::default());
        let locked = receiver.after(Standing::Unauthorized, None);
        let games = [waiting(1, 1, fetched())];
        assert_eq!(next_sending(&games, locked, NOW), Sending::Unauthorized);
        assert_eq!(next_sending(&[], locked, NOW), Sending::Nothing);
    }

    #[test]
    fn statuses() {
        for (status, standing) in [
            (201, Standing::Works),
            (200, Standing::Works),
            (422, Standing::Works),
            (401, Standing::Unauthorized),
            (0, Standing::Away),
            (429, Standing::Away),
            (503, Standing::Away),
            (500, Standing::Fails),
            (404, Standing::Fails),
        ] {
            let answer = PostAnswer::of_reply(status, String::new());
            assert_eq!(Standing::of(status, &answer), standing, "{status}");
        }
        assert_eq!(Standing::of(0, &PostAnswer::TimedOut), Standing::Away);
    }
}
