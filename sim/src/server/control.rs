//! The control API under `/sim`, for tests in other languages and for the curious.
//!
//! Decides nothing of its own: each route calls the same functions as the Rust API.
//!
//! | route | does |
//! |---|---|
//! | `GET /sim/log`, `DELETE /sim/log` | shows or empties the request log |
//! | `GET /sim/faults`, `POST /sim/faults`, `DELETE /sim/faults` | shows, adds (one rule or an array of rules; `{"clear":true}` removes all), removes fault rules |
//! | `GET /sim/world?pageSize=500` | counts what there is and what a crawl costs at least |
//! | `POST /sim/games` | adds games: `{"count":3,"players":[1000],"running":false,"started_at_ms":null}` (null: after the newest) |
//! | `POST /sim/vanish` | removes games: `{"games":["…"]}`, or `{"player":1000,"newest":1}` |
//! | `POST /sim/finish` | ends the running games |

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use dicechess_core::ids::{GameId, UserId};
use dicechess_core::time::UnixMillis;
use serde::Deserialize;
use serde_json::{Value, json};

use super::fault::FaultRule;
use super::{LogEntry, Shared};
use crate::world::NewGames;

pub(super) fn router() -> Router<Arc<Shared>> {
    Router::new()
        .route("/sim/log", get(log).delete(clear_log))
        .route("/sim/faults", get(faults).post(change_faults).delete(clear_faults))
        .route("/sim/world", get(world))
        .route("/sim/games", post(add_games))
        .route("/sim/vanish", post(vanish))
        .route("/sim/finish", post(finish))
}

async fn log(State(shared): State<Arc<Shared>>) -> Json<Vec<LogEntry>> {
    Json(shared.log().clone())
}

async fn clear_log(State(shared): State<Arc<Shared>>) -> StatusCode {
    shared.log().clear();
    StatusCode::NO_CONTENT
}

async fn faults(State(shared): State<Arc<Shared>>) -> Json<Vec<FaultRule>> {
    Json(shared.faults().rules())
}

async fn clear_faults(State(shared): State<Arc<Shared>>) -> StatusCode {
    shared.faults().clear();
    StatusCode::NO_CONTENT
}

#[derive(Deserialize)]
#[serde(untagged)]
enum FaultChange {
    Clear { clear: bool },
    One(FaultRule),
    Many(Vec<FaultRule>),
}

async fn change_faults(
    State(shared): State<Arc<Shared>>,
    Json(change): Json<FaultChange>,
) -> Json<Vec<FaultRule>> {
    let mut rules = shared.faults();
    match change {
        FaultChange::Clear { clear } => {
            if clear {
                rules.clear();
            }
        }
        FaultChange::One(rule) => rules.add(rule),
        FaultChange::Many(many) => many.into_iter().for_each(|rule| rules.add(rule)),
    }
    Json(rules.rules())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WorldQuery {
    #[serde(default = "default_page_size")]
    page_size: usize,
}

const fn default_page_size() -> usize {
    500
}

async fn world(State(shared): State<Arc<Shared>>, Query(query): Query<WorldQuery>) -> Json<Value> {
    Json(shared.world().summary(query.page_size))
}

#[derive(Deserialize)]
#[serde(default)]
struct GamesToAdd {
    count: usize,
    players: Vec<UserId>,
    running: bool,
    started_at_ms: Option<i64>,
}

impl Default for GamesToAdd {
    fn default() -> Self {
        Self { count: 1, players: Vec::new(), running: false, started_at_ms: None }
    }
}

async fn add_games(
    State(shared): State<Arc<Shared>>,
    Json(wanted): Json<GamesToAdd>,
) -> Json<Value> {
    let GamesToAdd { count, players, running, started_at_ms } = wanted;
    let started_at = started_at_ms.map(UnixMillis);
    let new = NewGames { count, players, running, started_at };
    Json(json!({"added": shared.world_mut().add_games(&new)}))
}

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct GamesToRemove {
    games: Vec<GameId>,
    player: Option<UserId>,
    newest: usize,
}

async fn vanish(
    State(shared): State<Arc<Shared>>,
    Json(wanted): Json<GamesToRemove>,
) -> Json<Value> {
    let mut world = shared.world_mut();
    let mut ids = wanted.games;
    if let Some(player) = wanted.player {
        ids.extend(world.games_of(player).take(wanted.newest).map(|game| game.id));
    }
    world.remove_games(&ids);
    Json(json!({"removed": ids}))
}

async fn finish(State(shared): State<Arc<Shared>>) -> StatusCode {
    shared.world_mut().finish_running_games();
    StatusCode::NO_CONTENT
}
