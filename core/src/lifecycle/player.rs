//! A player's way through the frontier.
//!
//! Decides who is swept at all and the state after each event. Leaves to the host the claim order
//! and to [`crate::sweep`] what a sweep asks for.
//!
//! | from | event | to | also |
//! |---|---|---|---|
//! | `pending` | `Claimed` | `in_progress` | |
//! | `error`, timer due | `Claimed` | `in_progress` | timer cleared, attempts kept |
//! | `in_progress` | `SweepFinished` | `synced` | errors cleared, attempts 0 |
//! | `in_progress` | `SweepFailed` | `error` | attempts + 1, timer |
//! | `in_progress` | `Reset` | `pending` | attempts kept |
//! | `synced` | `Stale` | `pending` | |
//!
//! `skipped` is terminal: bots and guests stay vertices of the graph and are never sources.

use std::fmt;

use super::{IllegalTransition, retry_delay};
use crate::ids::UserId;
use crate::time::UnixMillis;

/// Where a player stands, with what a host stores about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayerState {
    /// The stage reached.
    pub status: PlayerStatus,
    /// Failed sweeps in a row.
    pub attempts: u32,
    /// The message of the last failure, until a sweep succeeds.
    pub last_error: Option<String>,
    /// Not claimed before this time.
    pub next_retry_at: Option<UnixMillis>,
}

/// The column `players.sync_status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlayerStatus {
    /// Waits for a sweep.
    Pending,
    /// A sweep is under way.
    InProgress,
    /// Swept to the end.
    Synced,
    /// The last sweep failed; tried again by the timer.
    Error,
    /// Never swept.
    Skipped,
}

/// What happened to a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayerEvent {
    /// A sweep begins.
    Claimed,
    /// The sweep reached its end.
    SweepFinished,
    /// The sweep could not go on.
    SweepFailed {
        /// What went wrong.
        message: String,
    },
    /// The last sweep is too long ago.
    Stale,
    /// A run starts and finds the sweep of an earlier one unfinished.
    Reset,
}

/// What kind of account a player is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlayerType {
    /// A person with an account.
    Human,
    /// One of the site's bots.
    Bot,
    /// A person without an account.
    Guest,
}

impl PlayerState {
    /// The state in which a player enters the frontier.
    #[must_use]
    pub fn discovered(player_type: PlayerType) -> Self {
        Self::at(player_type.initial_status())
    }

    /// The state after `event`.
    ///
    /// # Errors
    /// [`IllegalTransition`] for a pair that the table in the module header does not have.
    pub fn apply(&self, event: PlayerEvent, now: UnixMillis) -> Result<Self, IllegalTransition> {
        use PlayerEvent as E;
        use PlayerStatus as S;

        let illegal = self.illegal(&event, now);
        match (self.status, event) {
            (S::Pending, E::Claimed) => Ok(self.moved_to(S::InProgress)),
            (S::Error, E::Claimed) if self.is_due(now) => Ok(self.moved_to(S::InProgress)),
            (S::InProgress, E::SweepFinished) => Ok(Self::at(S::Synced)),
            (S::InProgress, E::SweepFailed { message }) => Ok(self.failed(message, now)),
            (S::InProgress, E::Reset) => Ok(self.moved_to(S::Pending)),
            (S::Synced, E::Stale) => Ok(Self::at(S::Pending)),

            (S::Pending, E::SweepFinished | E::SweepFailed { .. } | E::Stale | E::Reset)
            | (S::InProgress, E::Claimed | E::Stale)
            | (S::Synced, E::Claimed | E::SweepFinished | E::SweepFailed { .. } | E::Reset)
            | (
                S::Error | S::Skipped,
                E::Claimed | E::SweepFinished | E::SweepFailed { .. } | E::Stale | E::Reset,
            ) => Err(illegal),
        }
    }

    /// Whether a sweep may begin now.
    #[must_use]
    pub fn is_claimable(&self, now: UnixMillis) -> bool {
        match self.status {
            PlayerStatus::Pending => true,
            PlayerStatus::Error => self.is_due(now),
            PlayerStatus::InProgress | PlayerStatus::Synced | PlayerStatus::Skipped => false,
        }
    }

    fn is_due(&self, now: UnixMillis) -> bool {
        self.next_retry_at.is_none_or(|due| due <= now)
    }

    fn at(status: PlayerStatus) -> Self {
        Self { status, attempts: 0, last_error: None, next_retry_at: None }
    }

    /// The failures so far are kept, so that the next delay is longer; only the timer goes.
    fn moved_to(&self, status: PlayerStatus) -> Self {
        Self { status, next_retry_at: None, ..self.clone() }
    }

    fn failed(&self, message: String, now: UnixMillis) -> Self {
        let attempts = self.attempts.saturating_add(1);
        Self {
            status: PlayerStatus::Error,
            attempts,
            last_error: Some(message),
            next_retry_at: Some(now + retry_delay(attempts)),
        }
    }

    fn illegal(&self, event: &PlayerEvent, now: UnixMillis) -> IllegalTransition {
        let state = match self.next_retry_at {
            Some(due) if due > now => format!("{}, not due before {due}", self.status),
            Some(_) | None => self.status.to_string(),
        };
        IllegalTransition { subject: "player", state, event: event.name() }
    }
}

impl PlayerStatus {
    /// Every status, in the order a report shows them.
    pub const ALL: [Self; 5] =
        [Self::Pending, Self::InProgress, Self::Synced, Self::Error, Self::Skipped];

    /// The column's text.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Synced => "synced",
            Self::Error => "error",
            Self::Skipped => "skipped",
        }
    }

    /// Reads the column.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }
}

impl fmt::Display for PlayerStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl PlayerType {
    /// What an id and a name say: the site's bots have negative ids, guests a name that starts
    /// with `Guest`.
    #[must_use]
    pub fn classify(id: UserId, name: Option<&str>) -> Self {
        if id.is_bot() {
            Self::Bot
        } else if name.is_some_and(|name| name.starts_with("Guest")) {
            Self::Guest
        } else {
            Self::Human
        }
    }

    /// Only humans are swept.
    #[must_use]
    pub const fn initial_status(self) -> PlayerStatus {
        match self {
            Self::Human => PlayerStatus::Pending,
            Self::Bot | Self::Guest => PlayerStatus::Skipped,
        }
    }

    /// The column `players.player_type`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Bot => "bot",
            Self::Guest => "guest",
        }
    }

    /// Reads the column.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Human, Self::Bot, Self::Guest].into_iter().find(|kind| kind.as_str() == text)
    }
}

impl PlayerEvent {
    const fn name(&self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::SweepFinished => "sweep finished",
            Self::SweepFailed { .. } => "sweep failed",
            Self::Stale => "stale",
            Self::Reset => "reset",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const NOW: UnixMillis = UnixMillis(1_774_901_324_793);

    /// What each event makes of each status, in the order of [`events`]; `-` is illegal.
    #[rustfmt::skip]
    const TABLE: [(&str, [&str; 5]); 5] = [
        //              Claimed        SweepFinished SweepFailed Stale      Reset
        ("pending",     ["in_progress", "-",          "-",        "-",       "-"]),
        ("in_progress", ["-",           "synced",     "error",    "-",       "pending"]),
        ("synced",      ["-",           "-",          "-",        "pending", "-"]),
        ("error",       ["in_progress", "-",          "-",        "-",       "-"]),
        ("skipped",     ["-",           "-",          "-",        "-",       "-"]),
    ];

    fn events() -> [PlayerEvent; 5] {
        [
            PlayerEvent::Claimed,
            PlayerEvent::SweepFinished,
            PlayerEvent::SweepFailed { message: "broken page".to_owned() },
            PlayerEvent::Stale,
            PlayerEvent::Reset,
        ]
    }

    #[test]
    fn every_state_against_every_event() {
        assert_eq!(TABLE.map(|(from, _)| from), PlayerStatus::ALL.map(PlayerStatus::as_str));
        for (status, (from, row)) in PlayerStatus::ALL.into_iter().zip(TABLE) {
            for (event, to) in events().into_iter().zip(row) {
                let name = event.name();
                match PlayerState::at(status).apply(event, NOW) {
                    Ok(next) => assert_eq!(next.status.as_str(), to, "{from} + {name}"),
                    Err(error) => {
                        assert_eq!(to, "-", "{from} + {name}");
                        assert_eq!((error.state.as_str(), error.event), (from, name));
                    }
                }
            }
        }
    }

    #[test]
    fn failures_add_up_until_a_sweep_succeeds() {
        let claimed = |state: &PlayerState, now| state.apply(PlayerEvent::Claimed, now);
        let failed = || PlayerEvent::SweepFailed { message: "broken page".to_owned() };
        let pending = PlayerState::discovered(PlayerType::Human);
        let first = claimed(&pending, NOW).unwrap().apply(failed(), NOW).unwrap();
        let due = NOW + Duration::from_mins(5);
        assert_eq!((first.attempts, first.next_retry_at), (1, Some(due)));
        assert!(!first.is_claimable(NOW) && first.is_claimable(due));
        let early = claimed(&first, NOW).unwrap_err();
        assert!(early.state.starts_with("error, not due before"), "{early}");

        let again = claimed(&first, due).unwrap().apply(PlayerEvent::Reset, due).unwrap();
        assert_eq!((again.attempts, again.next_retry_at), (1, None));
        let second = claimed(&again, due).unwrap().apply(failed(), due).unwrap();
        assert_eq!(second.next_retry_at, Some(due + Duration::from_mins(10)));

        let late = due + Duration::from_hours(1);
        let synced = claimed(&second, late).unwrap().apply(PlayerEvent::SweepFinished, late);
        assert_eq!(synced.unwrap(), PlayerState::at(PlayerStatus::Synced));
    }

    #[test]
    fn kinds_of_players() {
        for (id, name, kind, status) in [
            (-41, Some("Guest bot"), PlayerType::Bot, PlayerStatus::Skipped),
            (7, Some("Guest123"), PlayerType::Guest, PlayerStatus::Skipped),
            (7, Some("guest"), PlayerType::Human, PlayerStatus::Pending),
            (7, None, PlayerType::Human, PlayerStatus::Pending),
        ] {
            assert_eq!(PlayerType::classify(UserId(id), name), kind);
            assert_eq!(kind.initial_status(), status);
            assert_eq!(PlayerType::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(PlayerStatus::parse("in_progress"), Some(PlayerStatus::InProgress));
        assert_eq!(PlayerStatus::parse("done"), None);
    }
}
