//! What an answer is that a page of the site got.
//!
//! Decides by address, method and body. Everything but a page of history and the moves of a game is
//! passed over, with a reason. A page script can forge any of it: what is read here is a claim.

use std::fmt;

use serde_json::Value;

use crate::ids::{GameId, UserId};
use crate::site::{
    Answer, Endpoint, HistoryPage, ResponseHead, classify_response, parse_move_history,
};

/// A request of a page and its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange<'a> {
    /// The origin of the page, as the browser tells it: `https://dicechess.com`.
    pub page_origin: &'a str,
    /// The request's URL, absolute or from the page's root.
    pub url: &'a str,
    /// The request's method.
    pub method: &'a str,
    /// The request's body.
    pub request_body: Option<&'a [u8]>,
    /// The answer's status and headers.
    pub head: ResponseHead<'a>,
    /// The answer's body.
    pub response_body: &'a [u8],
}

/// What was observed.
#[derive(Debug)]
pub enum Observation<'a> {
    /// A page of a player's history.
    History {
        /// Whose history.
        queried: UserId,
        /// What it says.
        page: HistoryPage<'a>,
    },
    /// The moves of a game.
    Moves {
        /// The game.
        game_id: GameId,
        /// Who has a clock in it.
        players: Vec<UserId>,
    },
    /// Nothing for us.
    Ignored(Ignored),
}

/// Why an answer is passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ignored {
    /// It did not come from the page's own site.
    OtherOrigin,
    /// It is none of the two answers that tell of games.
    OtherAddress,
    /// It is larger than any answer of the site.
    TooLarge,
    /// A challenge, or a web page where JSON is due.
    Challenge,
    /// The site did not let the page in.
    Unauthorized,
    /// The site asks to come later.
    Throttled,
    /// Any other answer that is no data, with its cause.
    Failed(String),
    /// The request does not say whose history or which game it is about.
    NoSubject,
    /// It is no page of history, or no moves.
    Unreadable(String),
}

impl Ignored {
    /// A stable name of the reason.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::OtherOrigin => "other_origin",
            Self::OtherAddress => "other_address",
            Self::TooLarge => "too_large",
            Self::Challenge => "challenge",
            Self::Unauthorized => "unauthorized",
            Self::Throttled => "throttled",
            Self::Failed(_) => "failed",
            Self::NoSubject => "no_subject",
            Self::Unreadable(_) => "unreadable",
        }
    }
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::OtherOrigin => "the answer did not come from the page's own site",
            Self::OtherAddress => "the address tells of no games",
            Self::TooLarge => "the answer is too large",
            Self::Challenge => "a challenge or a web page answered where JSON is due",
            Self::Unauthorized => "the site did not let the page in",
            Self::Throttled => "the site asks to come later",
            Self::NoSubject => "the request does not say whose history or which game it is about",
            Self::Failed(cause) | Self::Unreadable(cause) => cause,
        })
    }
}

/// Reads an exchange.
pub fn observe<'a>(exchange: &Exchange<'a>) -> Observation<'a> {
    read(exchange).unwrap_or_else(Observation::Ignored)
}

fn read<'a>(exchange: &Exchange<'a>) -> Result<Observation<'a>, Ignored> {
    let from_root = from_root(exchange).ok_or(Ignored::OtherOrigin)?;
    let address = from_root.split_once('#').map_or(from_root, |(address, _)| address);
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let is = |endpoint: Endpoint, method: &str| {
        path == endpoint.path() && exchange.method.eq_ignore_ascii_case(method)
    };
    let (is_history, is_moves) = (is(Endpoint::History, "POST"), is(Endpoint::MoveHistory, "GET"));
    if !is_history && !is_moves {
        return Err(Ignored::OtherAddress);
    }
    if exchange.response_body.len() > MOST_BYTES {
        return Err(Ignored::TooLarge);
    }
    let body = text(exchange)?;
    if is_history {
        let queried = exchange.request_body.and_then(queried).ok_or(Ignored::NoSubject)?;
        let page = HistoryPage::parse(body).map_err(|error| unreadable(&error))?;
        return Ok(Observation::History { queried, page });
    }
    let game_id = game(query).ok_or(Ignored::NoSubject)?;
    let map = parse_move_history(body).map_err(|error| unreadable(&error))?;
    Ok(Observation::Moves { game_id, players: map.players() })
}

/// The part of the URL behind the page's own origin.
fn from_root<'a>(exchange: &Exchange<'a>) -> Option<&'a str> {
    let url = exchange.url;
    let rest = if url.starts_with('/') { url } else { url.strip_prefix(exchange.page_origin)? };
    // `//host` is another host; `https://dicechess.com.example` only begins alike.
    (rest.starts_with('/') && !rest.starts_with("//")).then_some(rest)
}

fn text<'a>(exchange: &Exchange<'a>) -> Result<&'a str, Ignored> {
    match classify_response(exchange.head, exchange.response_body) {
        Answer::Json => {
            std::str::from_utf8(exchange.response_body).map_err(|error| unreadable(&error))
        }
        Answer::Challenge => Err(Ignored::Challenge),
        Answer::Unauthorized => Err(Ignored::Unauthorized),
        Answer::Throttled => Err(Ignored::Throttled),
        Answer::NotModified => Err(Ignored::Failed("HTTP 304".to_owned())),
        Answer::NotFound => Err(Ignored::Failed("HTTP 404".to_owned())),
        Answer::Failed(cause) => Err(Ignored::Failed(cause)),
    }
}

/// Whose history a request body asks for.
fn queried(body: &[u8]) -> Option<UserId> {
    let request: Value = serde_json::from_str(std::str::from_utf8(body).ok()?).ok()?;
    match request.get("filters")?.get("PLAYER_ID")? {
        Value::String(id) => id.parse().ok(),
        id => id.as_i64().map(UserId),
    }
}

fn game(query: &str) -> Option<GameId> {
    query.split('&').find_map(|pair| pair.strip_prefix("gameId=")?.parse().ok())
}

fn unreadable(error: &dyn fmt::Display) -> Ignored {
    Ignored::Unreadable(error.to_string())
}

/// The site's largest answers are below this (contract, section 12).
const MOST_BYTES: usize = 32 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    const HISTORY: &str = "https://dicechess.com/api/player/history";
    const MOVES: &str =
        "https://dicechess.com/api/game-move-history?gameId=0B5F1C3E-9A77-4C11-8E55-00000000ABCD";
    const ASKED: &[u8] = br#"{"filters":{"PLAYER_ID":"12345"},"pageSize":20}"#;
    const ROW: &str = r#"{"gameId":"0b5f1c3e-9a77-4c11-8e55-00000000abcd","color":"WHITE","result":1,"historyOpponent":{"opponentId":7}}"#;
    const MAP: &[u8] =
        br#"{"gameMoveHistoryStateMap":{"0":{"fen":"x","leftTime":{"12345":1,"-4":2}}}}"#;

    fn exchange<'a>(method: &'a str, url: &'a str, body: &'a [u8]) -> Exchange<'a> {
        Exchange {
            page_origin: "https://dicechess.com",
            url,
            method,
            request_body: Some(ASKED),
            head: ResponseHead { status: 200, ..ResponseHead::default() },
            response_body: body,
        }
    }

    fn ignored(exchange: Exchange<'_>) -> &'static str {
        match observe(&exchange) {
            Observation::Ignored(reason) => reason.kind(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_page_of_history() {
        let body = format!(r#"{{"gameHistoryList":[{ROW},7],"totalCount":2}}"#);
        for url in [HISTORY, "/api/player/history", "/api/player/history?x=1#y"] {
            let seen = observe(&exchange("post", url, body.as_bytes()));
            let Observation::History { queried, page } = seen else { panic!("{url}") };
            assert_eq!((queried, page.rows.len(), page.rows[0].json), (UserId(12345), 2, ROW));
        }
    }

    #[test]
    fn the_moves_of_a_game() {
        for url in [MOVES, "/api/game-move-history?x=1&gameId=0b5f1c3e-9a77-4c11-8e55-00000000abcd"]
        {
            let seen = observe(&exchange("GET", url, MAP));
            let Observation::Moves { game_id, players } = seen else { panic!("{url}") };
            assert_eq!(game_id.to_string(), "0b5f1c3e-9a77-4c11-8e55-00000000abcd");
            assert_eq!(players, [UserId(12345), UserId(-4)]);
        }
    }

    #[test]
    fn other_addresses() {
        for (method, url, kind) in [
            ("GET", HISTORY, "other_address"),
            ("POST", MOVES, "other_address"),
            ("GET", "https://dicechess.com/api/leaderboard", "other_address"),
            ("POST", "https://dicechess.com/api/player/history/", "other_address"),
            ("POST", "https://dicechess.com.example/api/player/history", "other_origin"),
            ("POST", "https://example.com/api/player/history", "other_origin"),
            ("POST", "//example.com/api/player/history", "other_origin"),
            ("POST", "https://dicechess.com//example.com/api/player/history", "other_origin"),
            ("POST", "api/player/history", "other_origin"),
            ("POST", "", "other_origin"),
        ] {
            assert_eq!(ignored(exchange(method, url, b"{}")), kind, "{method} {url}");
        }
    }

    #[test]
    fn answers_that_are_no_data() {
        let head = |status| ResponseHead { status, ..ResponseHead::default() };
        for (status, body, kind) in [
            (401, &b"{}"[..], "unauthorized"),
            (429, b"{}", "throttled"),
            (404, b"{}", "failed"),
            (500, b"{}", "failed"),
            (304, b"", "failed"),
            (200, b"<html>", "challenge"),
            (403, b"<html>", "challenge"),
            (200, b"{\"a\":", "failed"),
            (200, b"\"\xff\"", "failed"),
            (200, b"{}", "unreadable"),
            (200, b"[]", "unreadable"),
        ] {
            let history = Exchange { head: head(status), ..exchange("POST", HISTORY, body) };
            assert_eq!(ignored(history), kind, "{status} {body:?}");
            let moves = Exchange { head: head(status), ..exchange("GET", MOVES, body) };
            assert_eq!(ignored(moves), kind, "{status} {body:?}");
        }
        let large = vec![b' '; MOST_BYTES + 1];
        assert_eq!(ignored(exchange("POST", HISTORY, &large)), "too_large");
    }

    #[test]
    fn a_request_must_say_what_it_is_about() {
        let body = br#"{"gameHistoryList":[]}"#;
        for asked in [
            None,
            Some(&b""[..]),
            Some(b"[]"),
            Some(b"{}"),
            Some(br#"{"filters":{}}"#),
            Some(br#"{"filters":{"PLAYER_ID":"me"}}"#),
            Some(b"\xff"),
        ] {
            let silent = Exchange { request_body: asked, ..exchange("POST", HISTORY, body) };
            assert_eq!(ignored(silent), "no_subject", "{asked:?}");
        }
        for url in ["/api/game-move-history", "/api/game-move-history?gameId=7"] {
            assert_eq!(ignored(exchange("GET", url, MAP)), "no_subject", "{url}");
        }
    }
}
