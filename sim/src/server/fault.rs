//! What can go wrong, and when.
//!
//! Decides which faults there are and which request each of them strikes. What a fault does to an
//! answer is [`super::answer`]'s and [`super::spoil`]'s matter.

use dicechess_core::ids::{GameId, UserId};
use serde::{Deserialize, Serialize};

/// Something that goes wrong with an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Fault {
    /// 401.
    Unauthorized,
    /// A Cloudflare challenge: this status, `cf-mitigated: challenge` and HTML.
    Challenge {
        /// 403 or 503.
        status: u16,
    },
    /// HTML with status 200 where JSON is due.
    Html,
    /// 429.
    TooManyRequests {
        /// What the answer says about trying again.
        #[serde(default)]
        retry_after: RetryAfter,
    },
    /// 503 without a challenge.
    Unavailable {
        /// What the answer says about trying again.
        #[serde(default)]
        retry_after: RetryAfter,
    },
    /// 404.
    NotFound,
    /// Another status, such as 500 or 502.
    Status {
        /// The status.
        status: u16,
    },
    /// The connection is reset before any answer.
    Reset,
    /// The connection ends in the middle of the body that `content-length` announces.
    CutBody,
    /// The first half of the JSON, correctly framed.
    TruncatedJson,
    /// Text that is no JSON, announced as JSON.
    NotJson,
    /// The right answer behind so much white space that the body is longer than 32 MiB.
    Oversized,
    /// The answer comes this late.
    Stall {
        /// Milliseconds.
        millis: u64,
    },
    /// The headers and half of the body come at once, the rest this late.
    StallBody {
        /// Milliseconds.
        millis: u64,
    },
    /// A page without `gameHistoryList`.
    NoList,
    /// A page with one broken entry.
    BrokenEntry {
        /// What is wrong with it.
        entry: BrokenEntry,
    },
    /// A page has at most this many rows, whatever was asked for.
    PageCap {
        /// The rows.
        rows: usize,
    },
    /// After the page was answered, the player's newest games vanish from the site.
    VanishAfter {
        /// How many.
        games: usize,
    },
    /// After the page was answered, the player has new games.
    AppearAfter {
        /// How many.
        games: usize,
    },
    /// A die that names no piece.
    UnknownDie,
    /// A promotion that names no piece.
    UnknownPromotion,
    /// A square that is not on the board.
    UnknownSquare,
    /// A micro-move that no rule allows: the record is well-formed but no game.
    IllegalMove,
    /// No state map.
    NoMap {
        /// How the answer says so.
        #[serde(default)]
        how: MissingMap,
    },
}

/// What a 429 or 503 says in `Retry-After`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RetryAfter {
    /// Nothing.
    #[default]
    Absent,
    /// A number of seconds.
    Seconds(u64),
    /// The date so many seconds from now.
    DateIn(u64),
}

/// What is wrong with an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BrokenEntry {
    /// `gameId` is a number.
    WrongType,
    /// The opponent's name has half of a surrogate pair.
    LoneSurrogate,
    /// The entry is no object.
    NotAnObject,
    /// No opponent.
    NoOpponent,
}

/// How an answer without a state map looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MissingMap {
    /// `{}`.
    #[default]
    EmptyAnswer,
    /// `{"gameMoveHistoryStateMap":null}`.
    Null,
    /// `{"gameMoveHistoryStateMap":{}}`.
    EmptyMap,
}

/// The site's endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Endpoint {
    /// `POST /api/player/history`.
    History,
    /// `GET /api/game-move-history`.
    MoveHistory,
    /// `GET /api/leaderboard`.
    Leaderboard,
    /// `GET /api/x2Leaderboard`.
    X2Leaderboard,
}

/// A fault and the requests that it strikes.
///
/// ```
/// use dicechess_sim::{Endpoint, Fault, FaultRule};
/// let rule = FaultRule::new(Fault::NotFound).on(Endpoint::MoveHistory).next(2);
/// assert_eq!(rule.endpoint, Some(Endpoint::MoveHistory));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultRule {
    /// What goes wrong.
    pub fault: Fault,
    /// At which endpoint; at any one that the fault makes sense for if not given.
    #[serde(default)]
    pub endpoint: Option<Endpoint>,
    /// For which games; for any if none is named.
    #[serde(default)]
    pub games: Vec<GameId>,
    /// For which queried players; for any if none is named.
    #[serde(default)]
    pub players: Vec<UserId>,
    /// Which of these requests.
    #[serde(default)]
    pub when: When,
}

/// Which of the requests that a rule is about are struck.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// All.
    #[default]
    Always,
    /// The next so many.
    Next(u64),
    /// Each so many-th.
    EveryNth(u64),
    /// After letting some pass, so many.
    After {
        /// How many pass.
        skip: u64,
        /// How many are struck.
        count: u64,
    },
}

impl FaultRule {
    /// A fault that strikes every request.
    pub const fn new(fault: Fault) -> Self {
        Self { fault, endpoint: None, games: Vec::new(), players: Vec::new(), when: When::Always }
    }

    /// Only at this endpoint.
    #[must_use]
    pub const fn on(mut self, endpoint: Endpoint) -> Self {
        self.endpoint = Some(endpoint);
        self
    }

    /// For this game (and others already named).
    #[must_use]
    pub fn game(mut self, game: GameId) -> Self {
        self.games.push(game);
        self
    }

    /// For this player's history (and that of others already named).
    #[must_use]
    pub fn player(mut self, player: UserId) -> Self {
        self.players.push(player);
        self
    }

    /// Only the next so many requests.
    #[must_use]
    pub const fn next(mut self, count: u64) -> Self {
        self.when = When::Next(count);
        self
    }

    /// Only some of the requests.
    #[must_use]
    pub const fn when(mut self, when: When) -> Self {
        self.when = when;
        self
    }
}

impl Fault {
    fn is_for(&self, endpoint: Endpoint) -> bool {
        match self {
            Self::NoList
            | Self::BrokenEntry { .. }
            | Self::PageCap { .. }
            | Self::VanishAfter { .. }
            | Self::AppearAfter { .. } => endpoint == Endpoint::History,
            Self::UnknownDie
            | Self::UnknownPromotion
            | Self::UnknownSquare
            | Self::IllegalMove
            | Self::NoMap { .. } => endpoint == Endpoint::MoveHistory,
            _ => true,
        }
    }
}

/// What a rule needs to know of a request.
#[derive(Debug, Clone, Copy)]
pub(super) struct Target {
    pub(super) endpoint: Endpoint,
    pub(super) player: Option<UserId>,
    pub(super) game: Option<GameId>,
}

/// The rules in force, each with how many requests it was about.
#[derive(Debug, Default)]
pub(super) struct FaultRules(Vec<(FaultRule, u64)>);

impl FaultRules {
    pub(super) fn add(&mut self, rule: FaultRule) {
        self.0.push((rule, 0));
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn rules(&self) -> Vec<FaultRule> {
        self.0.iter().map(|(rule, _)| rule.clone()).collect()
    }

    /// The fault that strikes a request: of the first rule whose turn it is. All rules about the
    /// request count it.
    pub(super) fn strike(&mut self, target: Target) -> Option<Fault> {
        let mut struck = None;
        for (rule, seen) in &mut self.0 {
            if rule.is_about(target) {
                *seen += 1;
                if struck.is_none() && rule.when.is_due(*seen) {
                    struck = Some(rule.fault.clone());
                }
            }
        }
        struck
    }
}

impl FaultRule {
    fn is_about(&self, target: Target) -> bool {
        let names = |list_is_empty: bool, named: bool| list_is_empty || named;
        self.fault.is_for(target.endpoint)
            && self.endpoint.is_none_or(|endpoint| endpoint == target.endpoint)
            && names(self.games.is_empty(), target.game.is_some_and(|g| self.games.contains(&g)))
            && names(
                self.players.is_empty(),
                target.player.is_some_and(|p| self.players.contains(&p)),
            )
    }
}

impl When {
    /// Whether the `nth` request (counted from 1) is struck.
    const fn is_due(self, nth: u64) -> bool {
        match self {
            Self::Always => true,
            Self::Next(count) => nth <= count,
            Self::EveryNth(n) => n > 0 && nth.is_multiple_of(n),
            Self::After { skip, count } => nth > skip && nth <= skip + count,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strikes(rule: FaultRule, endpoint: Endpoint, count: usize) -> Vec<bool> {
        let mut rules = FaultRules::default();
        rules.add(rule);
        let target = Target { endpoint, player: Some(UserId(7)), game: None };
        (0..count).map(|_| rules.strike(target).is_some()).collect()
    }

    #[test]
    fn scopes() {
        let rule = || FaultRule::new(Fault::Html);
        assert_eq!(strikes(rule().next(1), Endpoint::History, 2), [true, false]);
        let third = rule().when(When::EveryNth(3));
        assert_eq!(strikes(third, Endpoint::History, 4), [false, false, true, false]);
        let second = rule().when(When::After { skip: 1, count: 1 });
        assert_eq!(strikes(second, Endpoint::History, 3), [false, true, false]);
        assert_eq!(strikes(rule().on(Endpoint::Leaderboard), Endpoint::History, 1), [false]);
        assert_eq!(strikes(rule().player(UserId(8)), Endpoint::History, 1), [false]);
        assert_eq!(strikes(rule().player(UserId(7)), Endpoint::History, 1), [true]);
        assert_eq!(strikes(FaultRule::new(Fault::UnknownDie), Endpoint::History, 1), [false]);
    }

    #[test]
    fn rules_are_written_as_json() {
        let json = r#"{"fault":{"kind":"too_many_requests","retry_after":{"seconds":2}},
            "endpoint":"history","players":["7"],"when":{"next":1}}"#;
        let rule: FaultRule = serde_json::from_str(json).unwrap();
        let retry_after = RetryAfter::Seconds(2);
        let expected = FaultRule::new(Fault::TooManyRequests { retry_after })
            .on(Endpoint::History)
            .player(UserId(7))
            .next(1);
        assert_eq!(rule, expected);
        let plain: FaultRule = serde_json::from_str(r#"{"fault":{"kind":"no_map"}}"#).unwrap();
        assert_eq!(plain, FaultRule::new(Fault::NoMap { how: MissingMap::EmptyAnswer }));
    }
}
