//! When a browser may ask the site itself.
//!
//! A game of the user's ends, and the page does not load its moves: then the browser asks, in the
//! page and with the page's own session, as the user would by opening the game once more. Decides
//! whether, when and what. Politeness comes first:
//!
//! * only for the user's own games, and only when he has left it switched on;
//! * only when the page has had a while to load them itself;
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
    /// When we asked last for a page of history.
    pub last_history_ask: Option<UnixMillis>,
    /// The games that are over as far as the pages tell.
    pub games: Vec<OverGame>,
}

/// A game that was open in a page and is over, or was left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverGame {
    /// The game.
    pub game_id: GameId,
    /// When the page told that it is over, or left it.
    pub over_at: UnixMillis,
    /// Whether the user plays in it; `None`: not known yet.
    pub is_own: Option<bool>,
    /// Whether its entry is known, with a result.
    pub has_result: bool,
    /// Whether its whole moves are known.
    pub has_moves: bool,
    /// When we asked for its moves.
    pub moves_asked: Option<UnixMillis>,
}

/// What to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// Ask now.
    Now(Asked),
    /// Think again at this time.
    At(UnixMillis),
    /// Nothing is to be asked.
    Nothing,
}

/// A question to the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// What for: a page of history, or moves.
    pub endpoint: Endpoint,
    /// The game whose moves are asked for.
    pub game_id: Option<GameId>,
    /// The method.
    pub method: &'static str,
    /// Path and query, from the site's root.
    pub path: String,
    /// The body, JSON.
    pub body: Option<String>,
}

/// Decides what is asked next.
pub fn plan_ask(plan: &AskPlan, now: UnixMillis) -> Ask {
    let Some(own) = plan.own.filter(|_| plan.is_on) else { return Ask::Nothing };
    let wanted = plan.games.iter().filter_map(|game| wanted(plan, game, now));
    let Some((due, game, endpoint)) = wanted.min() else { return Ask::Nothing };
    let due = plan.last_ask.map_or(due, |asked| due.max(asked + APART));
    if due > now {
        return Ask::At(due);
    }
    Ask::Now(match endpoint {
        Endpoint::MoveHistory => moves(game),
        Endpoint::History | Endpoint::Leaderboard | Endpoint::X2Leaderboard => history(own),
    })
}

/// What is missing of a game, and from when on it may be asked for.
fn wanted(
    plan: &AskPlan,
    game: &OverGame,
    now: UnixMillis,
) -> Option<(UnixMillis, GameId, Endpoint)> {
    let is_too_old = game.over_at + TOO_OLD <= now;
    if is_too_old || game.is_own == Some(false) || (game.has_result && game.has_moves) {
        return None;
    }
    let due = game.over_at + GRACE;
    if !game.has_result {
        let was_asked = plan.last_history_ask.is_some_and(|asked| asked >= due);
        return (!was_asked).then_some((due, game.game_id, Endpoint::History));
    }
    let is_wanted = game.is_own == Some(true) && game.moves_asked.is_none();
    is_wanted.then_some((due, game.game_id, Endpoint::MoveHistory))
}

fn history(own: UserId) -> Asked {
    let request = HistoryRequest { player: own, start_date: None, page_size: ROWS, first: 0 };
    Asked {
        endpoint: Endpoint::History,
        game_id: None,
        method: "POST",
        path: Endpoint::History.path().to_owned(),
        body: Some(request.to_json()),
    }
}

fn moves(game: GameId) -> Asked {
    Asked {
        endpoint: Endpoint::MoveHistory,
        game_id: Some(game),
        method: "GET",
        path: format!("{}?{}", Endpoint::MoveHistory.path(), game_move_history_query(game)),
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

    const OVER: UnixMillis = UnixMillis(1_775_000_000_000);
    const GAME: OverGame = OverGame {
        game_id: GameId::from_bits(7),
        over_at: OVER,
        is_own: None,
        has_result: false,
        has_moves: false,
        moves_asked: None,
    };

    fn plan(game: OverGame) -> AskPlan {
        let games = vec![game];
        AskPlan { is_on: true, own: Some(UserId(5)), last_ask: None, last_history_ask: None, games }
    }

    /// Seconds after the game was over.
    fn at(seconds: u64) -> UnixMillis {
        OVER + Duration::from_secs(seconds)
    }

    #[test]
    fn first_the_entry_then_the_moves() {
        let unknown = plan(GAME);
        assert_eq!(plan_ask(&unknown, at(0)), Ask::At(at(10)));
        assert_eq!(plan_ask(&unknown, at(10)), Ask::Now(history(UserId(5))));

        let known = OverGame { is_own: Some(true), has_result: true, ..GAME };
        let asked =
            AskPlan { last_ask: Some(at(10)), last_history_ask: Some(at(10)), ..plan(known) };
        assert_eq!(plan_ask(&asked, at(11)), Ask::At(at(13)));
        assert_eq!(plan_ask(&asked, at(13)), Ask::Now(moves(GAME.game_id)));
        let done =
            AskPlan { games: vec![OverGame { moves_asked: Some(at(13)), ..known }], ..asked };
        assert_eq!(plan_ask(&done, at(60)), Ask::Nothing, "once and no more");
    }

    #[test]
    fn what_is_not_asked_for() {
        let own = OverGame { is_own: Some(true), ..GAME };
        for (game, why) in [
            (OverGame { is_own: Some(false), ..GAME }, "somebody else's"),
            (OverGame { is_own: Some(false), has_result: true, ..GAME }, "somebody else's moves"),
            (OverGame { has_result: true, ..GAME }, "not known to be the user's"),
            (OverGame { has_result: true, has_moves: true, ..own }, "whole"),
            (OverGame { has_result: true, moves_asked: Some(OVER), ..own }, "asked already"),
        ] {
            assert_eq!(plan_ask(&plan(game), at(60)), Ask::Nothing, "{why}");
        }
        let asked = AskPlan { last_history_ask: Some(at(10)), ..plan(own) };
        assert_eq!(plan_ask(&asked, at(60)), Ask::Nothing, "the page of history did not have it");
        assert_eq!(plan_ask(&AskPlan { is_on: false, ..plan(own) }, at(60)), Ask::Nothing);
        assert_eq!(plan_ask(&AskPlan { own: None, ..plan(own) }, at(60)), Ask::Nothing);
        assert!(matches!(plan_ask(&plan(own), at(3599)), Ask::Now(_)));
        assert_eq!(plan_ask(&plan(own), at(3600)), Ask::Nothing, "too old");
    }

    #[test]
    fn one_page_of_history_serves_every_game_that_was_over() {
        let later = OverGame { game_id: GameId::from_bits(8), over_at: at(5), ..GAME };
        let games = vec![later, GAME];
        let both = AskPlan { games, ..plan(GAME) };
        assert_eq!(plan_ask(&both, at(9)), Ask::At(at(10)));
        let asked = |seconds| AskPlan {
            last_ask: Some(at(seconds)),
            last_history_ask: Some(at(seconds)),
            ..both.clone()
        };
        assert_eq!(plan_ask(&asked(15), at(60)), Ask::Nothing);
        assert_eq!(
            plan_ask(&asked(10), at(11)),
            Ask::At(at(15)),
            "the later one had its while left"
        );
    }

    #[test]
    fn the_questions_are_the_page_s_own() {
        let Asked { method, path, body, .. } = history(UserId(5));
        assert_eq!((method, path.as_str()), ("POST", "/api/player/history"));
        assert!(body.unwrap().contains(r#""PLAYER_ID":"5"}"#));
        let Asked { method, path, body, .. } = moves(GAME.game_id);
        assert_eq!((method, body), ("GET", None));
        assert_eq!(path, "/api/game-move-history?gameId=00000000-0000-0000-0000-000000000007");
    }
}
