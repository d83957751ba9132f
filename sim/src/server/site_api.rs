//! The site's endpoints.
//!
//! Decides what a request asks for and what the site answers: token check, page, map, leaderboard,
//! conditional requests, faults and the log.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Request, header};
use axum::response::Response;
use dicechess_core::ids::{GameId, UserId};
use dicechess_core::time::UnixMillis;
use serde_json::{Value, json};

use super::answer::Answer;
use super::connection::ResetSwitch;
use super::fault::{Endpoint, Fault, Target};
use super::spoil::{break_entry, spoil_map};
use super::{LogEntry, Shared, now};
use crate::world::{NewGames, World};

/// Answers a request to the site.
pub(super) async fn handle(
    State(shared): State<Arc<Shared>>,
    ConnectInfo(reset): ConnectInfo<ResetSwitch>,
    request: Request<Body>,
) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, 1 << 20).await.unwrap_or_default();
    let guard = InFlight::enter(&shared);
    let answer = shared.answer(&parts, &body, guard.count);
    let response = answer.send(&reset, shared.stopped()).await;
    drop(guard);
    response
}

/// Counts the requests being answered, also when a client goes away.
struct InFlight {
    shared: Arc<Shared>,
    count: usize,
}

impl InFlight {
    fn enter(shared: &Arc<Shared>) -> Self {
        let count = shared.in_flight.fetch_add(1, Ordering::Relaxed) + 1;
        Self { shared: Arc::clone(shared), count }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        decrement(&self.shared.in_flight);
    }
}

fn decrement(counter: &AtomicUsize) {
    counter.fetch_sub(1, Ordering::Relaxed);
}

/// What a request asks for.
struct Asked {
    target: Target,
    since: Option<UnixMillis>,
    first: usize,
    page_size: usize,
    params: Value,
}

impl Shared {
    fn answer(&self, parts: &Parts, body: &Bytes, in_flight: usize) -> Answer {
        let asked = read_request(parts, body);
        let fault = asked.as_ref().and_then(|asked| self.faults().strike(asked.target));
        let is_admitted = self.options.token.admits(bearer(&parts.headers), now().0);
        let answer = match &asked {
            None => Answer::not_found(),
            Some(_) if !is_admitted => Answer::unauthorized(),
            Some(asked) => self.right_answer(asked, &parts.headers, fault.as_ref()),
        };
        let answer = match &fault {
            Some(fault) => answer.struck_by(fault, now()),
            None => answer,
        };
        self.log().push(LogEntry {
            at_ms: now().0,
            method: parts.method.to_string(),
            path: parts.uri.path().to_owned(),
            endpoint: asked.as_ref().map(|asked| asked.target.endpoint),
            params: asked.map_or(Value::Null, |asked| asked.params),
            status: answer.status,
            fault,
            in_flight,
            user_agent: text(&parts.headers, header::USER_AGENT.as_str()).map(str::to_owned),
            from_page: parts.headers.contains_key("sec-fetch-site"),
            is_conditional: parts.headers.contains_key(header::IF_NONE_MATCH),
        });
        answer
    }

    /// The answer with faults of contents worked in.
    fn right_answer(&self, asked: &Asked, headers: &HeaderMap, fault: Option<&Fault>) -> Answer {
        match asked.target.endpoint {
            Endpoint::History => self.history(asked, fault),
            Endpoint::MoveHistory => {
                let body = asked.target.game.and_then(|id| self.world().state_map(id));
                let body = body.map(|body| fault.map_or(body.clone(), |f| spoil_map(body, f)));
                body.map_or_else(Answer::not_found, |body| Answer::json(200, body))
            }
            Endpoint::Leaderboard => conditional(headers, self.world().leaderboard()),
            Endpoint::X2Leaderboard => conditional(headers, self.world().x2_leaderboard()),
        }
    }

    fn history(&self, asked: &Asked, fault: Option<&Fault>) -> Answer {
        let Some(player) = asked.target.player else {
            return Answer::json(400, "{\"error\":\"Bad Request\"}");
        };
        let mut page_size = asked.page_size.min(self.options.page_size_cap.unwrap_or(usize::MAX));
        if let Some(Fault::PageCap { rows }) = fault {
            page_size = page_size.min(*rows);
        }
        let mut page = self.world().history_page(player, asked.since, asked.first, page_size);
        match fault {
            Some(Fault::BrokenEntry { entry }) => break_entry(&mut page, *entry),
            Some(Fault::NoList) => {
                let total = page.total_count;
                return Answer::json(
                    200,
                    json!({"totalCount": total, "message": null}).to_string(),
                );
            }
            Some(Fault::VanishAfter { games }) => vanish(&mut self.world_mut(), player, *games),
            Some(Fault::AppearAfter { games }) => {
                let players = vec![player];
                let new = NewGames { count: *games, players, ..NewGames::default() };
                self.world_mut().add_games(&new);
            }
            _ => {}
        }
        Answer::json(200, page.to_json())
    }
}

/// Takes a player's newest games off the site.
fn vanish(world: &mut World, player: UserId, count: usize) {
    let ids: Vec<GameId> = world.games_of(player).take(count).map(|game| game.id).collect();
    world.remove_games(&ids);
}

/// A body with its validator, or 304 when the client has it already.
fn conditional(headers: &HeaderMap, body: String) -> Answer {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    let etag = format!("\"{:016x}\"", hasher.finish());
    let known = text(headers, header::IF_NONE_MATCH.as_str()).unwrap_or_default();
    let is_known = known.split(',').any(|known| known.trim().trim_start_matches("W/") == etag);
    let mut answer = if is_known { Answer::json(304, "") } else { Answer::json(200, body) };
    answer.headers.push(("etag", etag));
    answer
}

/// What a request asks for; `None` for what the site does not have.
fn read_request(parts: &Parts, body: &[u8]) -> Option<Asked> {
    let endpoint = match (&parts.method, parts.uri.path()) {
        (&Method::POST, "/api/player/history") => Endpoint::History,
        (&Method::GET, "/api/game-move-history") => Endpoint::MoveHistory,
        (&Method::GET, "/api/leaderboard") => Endpoint::Leaderboard,
        (&Method::GET, "/api/x2Leaderboard") => Endpoint::X2Leaderboard,
        _ => return None,
    };
    let params = match endpoint {
        Endpoint::History => serde_json::from_slice(body).unwrap_or(Value::Null),
        _ => json!({"query": parts.uri.query()}),
    };
    let game = parts
        .uri
        .query()
        .unwrap_or_default()
        .split('&')
        .find_map(|pair| pair.strip_prefix("gameId=")?.parse::<GameId>().ok());
    let filters = &params["filters"];
    let target = Target { endpoint, player: number(&filters["PLAYER_ID"]).map(UserId), game };
    let natural = |value: &Value| number(value).and_then(|value| usize::try_from(value).ok());
    Some(Asked {
        target,
        since: number(&filters["START_DATE"]).map(UnixMillis),
        first: natural(&params["first"]).unwrap_or(0),
        page_size: natural(&params["pageSize"]).unwrap_or(20),
        params,
    })
}

/// A whole number that may come as a string.
fn number(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    text(headers, header::AUTHORIZATION.as_str())?.strip_prefix("Bearer ")
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}
