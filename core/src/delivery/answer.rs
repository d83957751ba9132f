//! What a receiver's answer to a game amounts to.
//!
//! Decides by the status; the body gives the reason, and unmasks a success that is not the
//! receiver's own.

use serde_json::Value;

use crate::ids::GameId;
use crate::lifecycle::{GameEvent, PostResult};

/// Who takes games.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// An analytics service: `POST /api/games` (contract, section 6).
    Analytics,
    /// A daemon with which the browser is paired: `POST /ingest/raw`.
    Daemon,
}

/// What a receiver answered, or that it did not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PostAnswer {
    /// 201: the game is stored.
    Created {
        /// The answer's body.
        body: String,
    },
    /// 200: the game was there; a `PUT` has replaced it.
    Exists {
        /// The answer's body.
        body: String,
    },
    /// The game is not acceptable as it is; sending it again changes nothing.
    Refused {
        /// 400, 413 or 422; of a daemon also 409.
        status: u16,
        /// The answer's body.
        reason: String,
    },
    /// The token or the pairing is not accepted.
    Unauthorized,
    /// No answer came in time: to be tried again later.
    TimedOut,
    /// Anything else: to be tried again later.
    Failed {
        /// What happened.
        message: String,
    },
}

/// What is said of an answer that did not come.
pub const NO_ANSWER: &str = "no answer from analytics in time";

impl PostAnswer {
    /// Reads an answer of analytics: its status, and its body.
    pub fn of_reply(status: u16, body: String) -> Self {
        match status {
            201 => Self::Created { body },
            200 => Self::Exists { body },
            400 | 413 | 422 => Self::Refused { status, reason: body },
            401 | 403 => Self::Unauthorized,
            _ => {
                let detail = one_line(&body, 200);
                let separator = if detail.is_empty() { "" } else { ": " };
                Self::Failed { message: format!("HTTP {status}{separator}{detail}") }
            }
        }
    }

    /// Reads what came over HTTP in answer to `game`: a success must be the receiver's, not a login
    /// page or another service's behind a wrong URL, and not about another game. An empty or cut
    /// body is taken by its status. Status 0: no answer came, and the body says why, if that is known.
    pub fn of_response(target: Target, status: u16, body: String, game: GameId) -> Self {
        if status == 0 {
            return match one_line(&body, 200) {
                why if why.is_empty() => Self::TimedOut,
                message => Self::Failed { message },
            };
        }
        if matches!(status, 200 | 201)
            && let Some(message) = not_the_receivers(target, &body, game)
        {
            return Self::Failed { message };
        }
        match (target, status) {
            // The daemon knows the game from the site, which says otherwise.
            (Target::Daemon, 409) => Self::Refused { status, reason: body },
            (Target::Analytics | Target::Daemon, _) => Self::of_reply(status, body),
        }
    }

    /// The answer in words, for a log.
    pub fn text(&self) -> String {
        match self {
            Self::Created { .. } => "stored".to_owned(),
            Self::Exists { .. } => "there already".to_owned(),
            Self::Refused { status, reason } => format!("HTTP {status}: {}", one_line(reason, 200)),
            Self::Unauthorized => "the token is not accepted".to_owned(),
            Self::TimedOut => NO_ANSWER.to_owned(),
            Self::Failed { message } => message.clone(),
        }
    }

    /// What the answer makes of the game. `None`: nothing is wrong with the game, it keeps its place.
    pub fn into_event(self) -> Option<GameEvent> {
        match self {
            Self::Created { .. } => Some(GameEvent::PostAccepted(PostResult::Created)),
            Self::Exists { .. } => Some(GameEvent::PostAccepted(PostResult::Exists)),
            Self::Refused { reason, .. } => Some(GameEvent::PostRefused { reason }),
            Self::TimedOut => Some(GameEvent::PostFailed { message: NO_ANSWER.to_owned() }),
            Self::Failed { message } => Some(GameEvent::PostFailed { message }),
            Self::Unauthorized => None,
        }
    }
}

fn not_the_receivers(target: Target, body: &str, game: GameId) -> Option<String> {
    let name = match target {
        Target::Analytics => "analytics",
        Target::Daemon => "the daemon",
    };
    let text = body.trim_start();
    if text.starts_with('<') {
        return Some(format!("a web page answered instead of {name}: is its URL right?"));
    }
    let success: Option<Value> = serde_json::from_str(text).ok();
    let id = success.and_then(|success| success.get("id")?.as_str()?.parse::<GameId>().ok());
    let is_other = id.is_some_and(|id| id != game);
    is_other.then(|| format!("{name} answered about another game: {}", one_line(body, 200)))
}

/// A text for a message: one line of at most `limit` characters.
///
/// ```
/// use dicechess_core::delivery::one_line;
/// assert_eq!(one_line(" a\r\nb\u{1b}c ", 100), "a  b c");
/// assert_eq!(one_line("ééé", 2), "éé…");
/// ```
pub fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::new();
    for (place, letter) in text.trim().chars().enumerate() {
        if place == limit {
            line.push('…');
            break;
        }
        line.push(if letter.is_control() { ' ' } else { letter });
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAME: &str = "0b5f1c3e-9a77-4c11-8e55-00000000abcd";

    fn why() -> String {
        "why".to_owned()
    }

    #[test]
    fn an_answer_is_taken_by_its_status() {
        let of = |status| PostAnswer::of_reply(status, why());
        assert_eq!(of(201), PostAnswer::Created { body: why() });
        assert_eq!(of(200), PostAnswer::Exists { body: why() });
        for status in [400, 413, 422] {
            assert_eq!(of(status), PostAnswer::Refused { status, reason: why() });
        }
        for status in [401, 403] {
            assert_eq!(of(status), PostAnswer::Unauthorized);
        }
        for status in [202, 301, 404, 409, 429, 500, 503] {
            assert_eq!(of(status), PostAnswer::Failed { message: format!("HTTP {status}: why") });
        }
        let silent = PostAnswer::of_reply(502, String::new());
        assert_eq!(silent, PostAnswer::Failed { message: "HTTP 502".to_owned() });
    }

    #[test]
    fn what_the_site_contradicts_is_refused_by_a_daemon_alone() {
        let game = GAME.parse().unwrap();
        let of = |target| PostAnswer::of_response(target, 409, why(), game);
        assert_eq!(of(Target::Daemon), PostAnswer::Refused { status: 409, reason: why() });
        assert_eq!(of(Target::Analytics), PostAnswer::of_reply(409, why()));
    }

    #[test]
    fn no_answer_at_all() {
        let of = |why: &str| {
            let game = GAME.parse().unwrap();
            PostAnswer::of_response(Target::Daemon, 0, why.to_owned(), game)
        };
        assert_eq!(of(""), PostAnswer::TimedOut);
        assert_eq!(of("refused\n"), PostAnswer::Failed { message: "refused".to_owned() });
    }

    #[test]
    fn a_success_must_be_about_the_game() {
        let game = GAME.parse().unwrap();
        let of = |status, body: &str| {
            PostAnswer::of_response(Target::Analytics, status, body.to_owned(), game)
        };
        for body in ["", "{}", "{\"id\":\"0B5F1C3E-9A77-4C11-8E55-00000000ABCD\"", "ok"] {
            assert_eq!(of(201, body), PostAnswer::Created { body: body.to_owned() }, "{body}");
        }
        let same = r#"{"id":"0b5f1c3e-9a77-4c11-8e55-00000000abcd","created":true}"#;
        assert_eq!(of(200, same), PostAnswer::Exists { body: same.to_owned() });
        for body in ["<!doctype html>", r#"{"id":"1b5f1c3e-9a77-4c11-8e55-00000000abcd"}"#] {
            assert!(matches!(of(201, body), PostAnswer::Failed { .. }), "{body}");
        }
        assert_eq!(of(500, "<html>"), PostAnswer::of_reply(500, "<html>".to_owned()));
    }

    #[test]
    fn what_an_answer_makes_of_a_game() {
        let event = |status| PostAnswer::of_reply(status, why()).into_event();
        assert_eq!(event(201), Some(GameEvent::PostAccepted(PostResult::Created)));
        assert_eq!(event(200), Some(GameEvent::PostAccepted(PostResult::Exists)));
        assert_eq!(event(422), Some(GameEvent::PostRefused { reason: why() }));
        assert_eq!(event(503), Some(GameEvent::PostFailed { message: "HTTP 503: why".to_owned() }));
        assert_eq!(event(401), None);
        let failed = GameEvent::PostFailed { message: NO_ANSWER.to_owned() };
        assert_eq!(PostAnswer::TimedOut.into_event(), Some(failed));
    }
}
