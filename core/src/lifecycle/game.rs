//! A game's way from the catalogue to analytics.
//!
//! Decides the state after each event. Leaves to the host the raw copy, the posting itself and
//! the choice between `POST` and `PUT`, for which it reads [`GameState::replace`].
//!
//! | from | event | to | also |
//! |---|---|---|---|
//! | – | discovered | `discovered`, `skipped` | [`GameState::discovered`] |
//! | `discovered`, `error/fetch` | `Fetched` | `fetched` | errors cleared, attempts 0 |
//! | `discovered`, `error/fetch` | `FetchFailed` | `error/fetch` | attempts + 1, timer |
//! | `fetched`, `error/post` | `PostAccepted` | `posted` | result kept, errors and `replace` cleared |
//! | `fetched`, `error/post` | `PostRefused` | `rejected` | reason kept, errors cleared |
//! | `fetched`, `error/post` | `PostFailed` | `error/post` | attempts + 1, timer |
//! | `fetched`, `error/post` | `NormalizeFailed` | `error/normalize` | attempts + 1, no timer |
//! | `posted` | `Replay` | `fetched` | attempts 0, `replace` set |
//! | `rejected` | `Replay` | `fetched` | attempts 0, reason cleared |
//! | `error/normalize` | `Replay` | `fetched` | attempts 0, stage cleared |
//! | any with raw but `skipped` | `Refetch` | `discovered` | attempts 0, all cleared but `replace` |
//! | any but `skipped` | `Contradicted` | `discovered` | attempts 0, all cleared, `replace` set |
//!
//! Only a replay of a posted game and a contradiction set `replace`, and only an accepted post clears
//! it, so a replayed game that fails, is rejected or is fetched again on its way still replaces what
//! analytics has.

use super::status::{ErrorStage, GameStatus, PostResult};
use super::{DAY_RUNNING, IllegalTransition, retry_delay};
use crate::time::UnixMillis;

/// Where a game stands, with what a host stores about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameState {
    /// The stage reached.
    pub status: GameStatus,
    /// Failures in a row in the present stage.
    pub attempts: u32,
    /// The message of the last failure, while it matters.
    pub last_error: Option<String>,
    /// Nothing is tried before this time.
    pub next_retry_at: Option<UnixMillis>,
    /// What analytics answered, once posted.
    pub post_result: Option<PostResult>,
    /// Why analytics refused the game, while it is rejected.
    pub reject_reason: Option<String>,
    /// The next post is a `PUT`: analytics has an older reading of this game.
    pub replace: bool,
}

/// What happened to a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GameEvent {
    /// The raw moves were stored.
    Fetched,
    /// The moves could not be had.
    FetchFailed {
        /// What went wrong.
        message: String,
    },
    /// Analytics answered 200 or 201.
    PostAccepted(PostResult),
    /// Analytics answered 400, 413 or 422.
    PostRefused {
        /// The body of the answer; at most 500 characters of it are kept.
        reason: String,
    },
    /// Analytics could not be reached or answered 429 or 5xx.
    PostFailed {
        /// What went wrong.
        message: String,
    },
    /// The raw moves cannot be read by the present code.
    NormalizeFailed {
        /// The error, with the state key.
        message: String,
    },
    /// The operator wants the stored raw moves read and posted once more.
    Replay,
    /// The operator wants the moves fetched once more.
    Refetch {
        /// Whether raw moves are stored; only such a game is re-fetched.
        has_raw: bool,
    },
    /// The site's history contradicts the browser from which game and moves came: the site is asked
    /// for the moves, and what analytics may hold is replaced.
    Contradicted,
}

impl GameState {
    /// The state in which a game enters the catalogue. A cancelled game is skipped. A game without
    /// a result that started less than a day ago may still be running and waits until the day is
    /// over, but never longer than a day from now, even if its start lies in the future.
    #[must_use]
    pub fn discovered(
        is_cancelled: bool,
        has_result: bool,
        started_at: Option<UnixMillis>,
        now: UnixMillis,
    ) -> Self {
        if is_cancelled {
            return Self::at(GameStatus::Skipped);
        }
        let over_at = started_at
            .filter(|_| !has_result)
            .map(|started| started.min(now) + DAY_RUNNING)
            .filter(|over_at| *over_at > now);
        Self { next_retry_at: over_at, ..Self::at(GameStatus::Discovered) }
    }

    /// The state after `event`.
    ///
    /// # Errors
    /// [`IllegalTransition`] for a pair that the table in the module header does not have.
    pub fn apply(&self, event: GameEvent, now: UnixMillis) -> Result<Self, IllegalTransition> {
        use ErrorStage::{Fetch, Normalize, Post};
        use GameEvent as E;
        use GameStatus as S;

        let illegal = illegal(self.status, &event);
        match (self.status, event) {
            (S::Discovered | S::Error(Fetch), E::Fetched) => Ok(self.moved_to(S::Fetched)),
            (S::Discovered | S::Error(Fetch), E::FetchFailed { message }) => {
                Ok(self.failed(Fetch, message, now))
            }
            (S::Fetched | S::Error(Post), E::PostAccepted(result)) => {
                Ok(Self { post_result: Some(result), ..Self::at(S::Posted) })
            }
            (S::Fetched | S::Error(Post), E::PostRefused { reason }) => Ok(Self {
                reject_reason: Some(reason.chars().take(REASON_CHARS).collect()),
                ..self.moved_to(S::Rejected)
            }),
            (S::Fetched | S::Error(Post), E::PostFailed { message }) => {
                Ok(self.failed(Post, message, now))
            }
            (S::Fetched | S::Error(Post), E::NormalizeFailed { message }) => {
                Ok(self.failed(Normalize, message, now))
            }
            (S::Posted, E::Replay) => Ok(Self { replace: true, ..Self::at(S::Fetched) }),
            (S::Rejected | S::Error(Normalize), E::Replay) => Ok(self.moved_to(S::Fetched)),
            (
                S::Discovered | S::Fetched | S::Posted | S::Rejected | S::Error(_),
                E::Refetch { has_raw: true },
            ) => Ok(self.moved_to(S::Discovered)),
            (
                S::Discovered | S::Fetched | S::Posted | S::Rejected | S::Error(_),
                E::Contradicted,
            ) => Ok(Self { replace: true, ..Self::at(S::Discovered) }),

            (
                S::Discovered | S::Error(Fetch),
                E::PostAccepted(_)
                | E::PostRefused { .. }
                | E::PostFailed { .. }
                | E::NormalizeFailed { .. }
                | E::Replay,
            )
            | (S::Fetched | S::Error(Post), E::Fetched | E::FetchFailed { .. } | E::Replay)
            | (
                S::Posted | S::Rejected | S::Error(Normalize),
                E::Fetched
                | E::FetchFailed { .. }
                | E::PostAccepted(_)
                | E::PostRefused { .. }
                | E::PostFailed { .. }
                | E::NormalizeFailed { .. },
            )
            | (
                S::Discovered | S::Fetched | S::Posted | S::Rejected | S::Error(_),
                E::Refetch { has_raw: false },
            )
            | (
                S::Skipped,
                E::Fetched
                | E::FetchFailed { .. }
                | E::PostAccepted(_)
                | E::PostRefused { .. }
                | E::PostFailed { .. }
                | E::NormalizeFailed { .. }
                | E::Replay
                | E::Refetch { .. }
                | E::Contradicted,
            ) => Err(illegal),
        }
    }

    /// The state in which what failed is tried at once, because the user wants it so. A game that
    /// may still be running goes on waiting.
    #[must_use]
    pub fn without_timer(&self) -> Self {
        match self.status {
            GameStatus::Error(_) => Self { next_retry_at: None, ..self.clone() },
            GameStatus::Discovered
            | GameStatus::Fetched
            | GameStatus::Posted
            | GameStatus::Rejected
            | GameStatus::Skipped => self.clone(),
        }
    }

    /// Whether the moves may be asked for now.
    #[must_use]
    pub fn is_fetchable(&self, now: UnixMillis) -> bool {
        match self.status {
            GameStatus::Discovered | GameStatus::Error(ErrorStage::Fetch) => self.is_due(now),
            GameStatus::Fetched
            | GameStatus::Posted
            | GameStatus::Rejected
            | GameStatus::Error(ErrorStage::Post | ErrorStage::Normalize)
            | GameStatus::Skipped => false,
        }
    }

    /// Whether the game may be posted now.
    #[must_use]
    pub fn is_postable(&self, now: UnixMillis) -> bool {
        match self.status {
            GameStatus::Fetched | GameStatus::Error(ErrorStage::Post) => self.is_due(now),
            GameStatus::Discovered
            | GameStatus::Posted
            | GameStatus::Rejected
            | GameStatus::Error(ErrorStage::Fetch | ErrorStage::Normalize)
            | GameStatus::Skipped => false,
        }
    }

    fn is_due(&self, now: UnixMillis) -> bool {
        self.next_retry_at.is_none_or(|due| due <= now)
    }

    /// A state with nothing but its status.
    fn at(status: GameStatus) -> Self {
        Self {
            status,
            attempts: 0,
            last_error: None,
            next_retry_at: None,
            post_result: None,
            reject_reason: None,
            replace: false,
        }
    }

    /// As [`Self::at`], but the next post still replaces if it did.
    fn moved_to(&self, status: GameStatus) -> Self {
        Self { replace: self.replace, ..Self::at(status) }
    }

    fn failed(&self, stage: ErrorStage, message: String, now: UnixMillis) -> Self {
        let attempts = self.attempts.saturating_add(1);
        let next_retry_at = match stage {
            ErrorStage::Fetch | ErrorStage::Post => Some(now + retry_delay(attempts)),
            ErrorStage::Normalize => None,
        };
        Self {
            attempts,
            last_error: Some(message),
            next_retry_at,
            ..self.moved_to(GameStatus::Error(stage))
        }
    }
}

impl GameEvent {
    const fn name(&self) -> &'static str {
        match self {
            Self::Fetched => "fetched",
            Self::FetchFailed { .. } => "fetch failed",
            Self::PostAccepted(_) => "post accepted",
            Self::PostRefused { .. } => "post refused",
            Self::PostFailed { .. } => "post failed",
            Self::NormalizeFailed { .. } => "normalize failed",
            Self::Replay => "replay",
            Self::Refetch { has_raw: true } => "refetch",
            Self::Refetch { has_raw: false } => "refetch without raw moves",
            Self::Contradicted => "contradicted",
        }
    }
}

fn illegal(status: GameStatus, event: &GameEvent) -> IllegalTransition {
    IllegalTransition { subject: "game", state: status.to_string(), event: event.name() }
}

const REASON_CHARS: usize = 500;

#[cfg(test)]
#[path = "game_tests.rs"]
mod tests;
