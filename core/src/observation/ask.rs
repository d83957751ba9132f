//! When a browser may ask the site itself.
//!
//! A game of the user's ends, and the page does not load its moves: then the browser asks, in the
//! page and with the page's own session, as the user would by opening the game once more. Decides
//! whether, when and what. Politeness comes first:
//!
//! * only for the user's own games, and only when he has left it switched on;
//! * only when the game is known to be over or its page was left, and the page has had a while then
//!   to load it itself;
//! * at most one page of history, which serves every game that was over by then, and the moves once;
//! * never two questions sooner than 3 seconds apart;
//! * not for a game that has been over for an hour: another day's page will load it.

use std::time::Duration;

use crate::ids::{GameId, UserId};
use crate::site::{Endpoint, HistoryRequest, game_move_history_query};
use crate::time::UnixMillis;

/// What is known when the question arises.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskPlan {
    /// Whether the user lets us ask.
    pub is_on: bool,
    /// The user's id on the site.
    pub own: Option<UserId>,
    /// When we asked last, for whatever.
    pub last_ask: Option<UnixMillis>,
    /// The games whose pages were open.
    pub visits: Vec<Visit>,
}

/// A game whose page was open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    /// The game.
    pub game_id: GameId,
    /// When its page was left; `None` while it is open.
    pub left_at: Option<UnixMillis>,
    /// What is known of it.
    pub known: Option<KnownGame>,
    /// Who has a clock in moves of it that were seen; empty: not known.
    pub players: Vec<UserId>,
    /// Whether its whole moves are known.
    pub has_moves: bool,
    /// When we asked for a page of history for its sake.
    pub history_asked: Option<UnixMillis>,
    /// When we asked for its moves.
    pub moves_asked: Option<UnixMillis>,
}

/// What an entry tells of a visited game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownGame {
    /// Its players.
    pub players: [UserId; 2],
    /// When an entry with a result was first seen; `None`: it may be running.
    pub end_known_at: Option<UnixMillis>,
    /// Whether the site cancelled it.
    pub is_cancelled: bool,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// Ask now.
    Now(Question),
    /// Think again at this time.
    At(UnixMillis),
    /// Nothing is to be asked.
    Nothing,
}

/// A question to the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What for: a page of history, or moves.
    pub endpoint: Endpoint,
    /// The game for whose sake it is asked.
    pub game_id: GameId,
    /// The method.
    pub method: &'static str,
    /// Path and query, from the site's root.
    pub url: String,
    /// The body, JSON.
    pub body: Option<String>,
}

/// Decides what is asked next.
pub fn plan_ask(plan: &AskPlan, now: UnixMillis) -> Ask {
    let Some(own) = plan.own.filter(|_| plan.is_on) else { return Ask::Nothing };
    let history_asked = plan.visits.iter().filter_map(|visit| visit.history_asked).max();
    let wanted = plan.visits.iter().filter_map(|visit| visit.wanted(own, history_asked, now));
    let Some((due, game, endpoint)) = wanted.min() else { return Ask::Nothing };
    let due = plan.last_ask.map_or(due, |asked| due.max(asked + APART));
    if due > now {
        return Ask::At(due);
    }
    Ask::Now(match endpoint {
        Endpoint::MoveHistory => moves(game),
        Endpoint::History | Endpoint::Leaderboard | Endpoint::X2Leaderboard => history(own, game),
    })
}

impl Visit {
    /// What is missing, and from when on it may be asked for.
    fn wanted(
        &self,
        own: UserId,
        history_asked: Option<UnixMillis>,
        now: UnixMillis,
    ) -> Option<(UnixMillis, GameId, Endpoint)> {
        let end_known_at = self.known.and_then(|known| known.end_known_at);
        let over_at = end_known_at.or(self.left_at)?;
        let is_cancelled = self.known.is_some_and(|known| known.is_cancelled);
        let is_done = is_cancelled || (end_known_at.is_some() && self.has_moves);
        if is_done || over_at + TOO_OLD <= now || self.is_own(own) == Some(false) {
            return None;
        }
        let due = over_at + GRACE;
        if end_known_at.is_none() {
            let was_asked = history_asked.is_some_and(|asked| asked >= due);
            return (!was_asked).then_some((due, self.game_id, Endpoint::History));
        }
        let is_wanted = self.is_own(own) == Some(true) && self.moves_asked.is_none();
        is_wanted.then_some((due, self.game_id, Endpoint::MoveHistory))
    }

    /// Whether the user plays in it; `None`: not known yet.
    fn is_own(&self, own: UserId) -> Option<bool> {
        if let Some(known) = self.known {
            return Some(known.players.contains(&own));
        }
        (!self.players.is_empty()).then(|| self.players.contains(&own))
    }
}

fn history(own: UserId, game_id: GameId) -> Question {
    let request = HistoryRequest { player: own, start_date: None, page_size: ROWS, first: 0 };
    Question {
        endpoint: Endpoint::History,
        game_id,
        method: "POST",
        url: Endpoint::History.path().to_owned(),
        body: Some(request.to_json()),
    }
}

fn moves(game_id: GameId) -> Question {
    Question {
        endpoint: Endpoint::MoveHistory,
        game_id,
        method: "GET",
        url: format!("{}?{}", Endpoint::MoveHistory.path(), game_move_history_query(game_id)),
        body: None,
    }
}

/// How long the page has to load the game itself.
const GRACE: Duration = Duration::from_secs(10);
/// The distance between two questions.
const APART: Duration = Duration::from_secs(3);
/// After this time a game is left alone.
const TOO_OLD: Duration = Duration::from_hours(1);
/// How many of the newest games are asked for.
const ROWS: u32 = 20;

#[cfg(test)]
mod tests {
    use super::*;

    const LEFT: UnixMillis = UnixMillis(1_775_000_000_000);
    const OWN: UserId = UserId(5);

    fn visit(id: u128, left_at: Option<UnixMillis>) -> Visit {
        Visit {
            game_id: GameId::from_bits(id),
            left_at,
            known: None,
            players: vec![],
            has_moves: false,
            history_asked: None,
            moves_asked: None,
        }
    }

    fn known(players: [i64; 2], end_known_at: Option<UnixMillis>) -> Option<KnownGame> {
        Some(KnownGame { players: players.map(UserId), end_known_at, is_cancelled: false })
    }

    fn plan(visit: Visit) -> AskPlan {
        AskPlan { is_on: true, own: Some(OWN), last_ask: None, visits: vec![visit] }
    }

    /// Seconds after the page was left.
    fn at(seconds: u64) -> UnixMillis {
        LEFT + Duration::from_secs(seconds)
    }

    #[test]
    fn first_the_entry_then_the_moves() {
        let left = visit(7, Some(LEFT));
        assert_eq!(plan_ask(&plan(left.clone()), at(0)), Ask::At(at(10)));
        assert_eq!(plan_ask(&plan(left.clone()), at(10)), Ask::Now(history(OWN, left.game_id)));

        let told =
            Visit { known: known([5, 6], Some(at(11))), history_asked: Some(at(10)), ..left };
        let told = AskPlan { last_ask: Some(at(10)), ..plan(told) };
        assert_eq!(plan_ask(&told, at(11)), Ask::At(at(21)), "the page has its while");
        assert_eq!(plan_ask(&told, at(21)), Ask::Now(moves(GameId::from_bits(7))));
        let [visit] = told.visits.try_into().unwrap();
        let asked = Visit { moves_asked: Some(at(21)), ..visit };
        assert_eq!(plan_ask(&plan(asked), at(60)), Ask::Nothing, "once and no more");
    }

    #[test]
    fn an_open_page_is_asked_for_only_when_the_end_is_known() {
        assert_eq!(plan_ask(&plan(visit(7, None)), at(60)), Ask::Nothing);
        let running = Visit { known: known([5, 6], None), ..visit(7, None) };
        assert_eq!(plan_ask(&plan(running), at(60)), Ask::Nothing);
        let ended = Visit { known: known([5, 6], Some(at(60))), ..visit(7, None) };
        assert_eq!(plan_ask(&plan(ended.clone()), at(60)), Ask::At(at(70)));
        assert_eq!(plan_ask(&plan(ended), at(70)), Ask::Now(moves(GameId::from_bits(7))));
    }

    #[test]
    fn questions_are_three_seconds_apart() {
        let visits = vec![visit(7, Some(LEFT))];
        let asked = AskPlan { last_ask: Some(at(9)), visits, ..plan(visit(7, None)) };
        assert_eq!(plan_ask(&asked, at(10)), Ask::At(at(12)));
        assert!(matches!(plan_ask(&asked, at(12)), Ask::Now(_)));
    }

    #[test]
    fn what_is_not_asked_for() {
        let left = || visit(7, Some(LEFT));
        let cancelled =
            KnownGame { players: [OWN, UserId(6)], end_known_at: None, is_cancelled: true };
        for (visit, why) in [
            (Visit { known: known([6, 7], None), ..left() }, "somebody else's"),
            (Visit { players: vec![UserId(6), UserId(7)], ..left() }, "somebody else's clocks"),
            (Visit { known: known([6, 7], Some(LEFT)), ..left() }, "somebody else's moves"),
            (Visit { known: known([5, 6], Some(LEFT)), has_moves: true, ..left() }, "whole"),
            (Visit { known: Some(cancelled), ..left() }, "cancelled"),
            (Visit { history_asked: Some(at(10)), ..left() }, "the page of history had it not"),
        ] {
            assert_eq!(plan_ask(&plan(visit), at(60)), Ask::Nothing, "{why}");
        }
        assert_eq!(plan_ask(&AskPlan { is_on: false, ..plan(left()) }, at(60)), Ask::Nothing);
        assert_eq!(plan_ask(&AskPlan { own: None, ..plan(left()) }, at(60)), Ask::Nothing);
        assert!(matches!(plan_ask(&plan(left()), at(3599)), Ask::Now(_)));
        assert_eq!(plan_ask(&plan(left()), at(3600)), Ask::Nothing, "too old");
        let own = Visit { players: vec![OWN], ..left() };
        assert!(matches!(plan_ask(&plan(own), at(60)), Ask::Now(_)));
    }

    #[test]
    fn one_page_of_history_serves_every_game_that_was_over() {
        let asked = |seconds| AskPlan {
            last_ask: Some(at(seconds)),
            visits: vec![
                visit(8, Some(at(5))),
                Visit { history_asked: Some(at(seconds)), ..visit(7, Some(LEFT)) },
            ],
            ..plan(visit(7, None))
        };
        assert_eq!(plan_ask(&asked(15), at(60)), Ask::Nothing);
        assert_eq!(plan_ask(&asked(10), at(11)), Ask::At(at(15)), "the later one has its while");
    }

    #[test]
    fn the_questions_are_the_pages_own() {
        let Question { method, url, body, .. } = history(OWN, GameId::from_bits(7));
        assert_eq!((method, url.as_str()), ("POST", "/api/player/history"));
        assert!(body.unwrap().contains(r#""PLAYER_ID":"5"}"#));
        let Question { method, url, body, .. } = moves(GameId::from_bits(7));
        assert_eq!((method, body), ("GET", None));
        assert_eq!(url, "/api/game-move-history?gameId=00000000-0000-0000-0000-000000000007");
    }
}
