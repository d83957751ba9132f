//! Players.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use rusqlite::Connection;

use super::{Answer, Api, Failure, PathId, found};
use crate::model::{
    ErrorBody, PlayerBreakdowns, PlayerStats, PlayerSummary, ProfitHistory, RatingHistory,
};
use crate::player_answers as answers;
use crate::query::{self, PlayerId, PlayerSearch, RatingWindow, SideFilter, Window};
use crate::store::read;

/// Players by a part of their names.
#[utoipa::path(
    get, path = "/api/players", tag = "players", params(PlayerSearch),
    responses(
        (status = 200, description = "Players in the order of their names", body = [PlayerSummary]),
        (status = 400, description = "A parameter cannot be read", body = ErrorBody),
    )
)]
pub(super) async fn players(State(api): State<Arc<Api>>, RawQuery(query): RawQuery) -> Answer {
    let search: PlayerSearch = query::read(query.as_deref()).map_err(Failure::Bad)?;
    let PlayerSearch { username, limit } = search;
    let players =
        api.ask(move |store| read::players::search(store, username.as_deref(), limit.0)).await?;
    found(&players)
}

/// A player.
#[utoipa::path(
    get, path = "/api/players/{id}", tag = "players",
    params(("id" = String, Path, description = "The player's UUID")),
    responses(
        (status = 200, description = "The player", body = PlayerSummary),
        (status = 400, description = "The id is not a UUID", body = ErrorBody),
        (status = 404, description = "There is no such player", body = ErrorBody),
    )
)]
pub(super) async fn player(State(api): State<Arc<Api>>, id: PathId) -> Answer {
    let id = player_id(id)?;
    let player = api.ask(move |store| read::players::summary(store, id.as_str())).await?;
    found(&player.ok_or(Failure::NotFound("player"))?)
}

/// A player's results.
#[utoipa::path(
    get, path = "/api/players/{id}/stats", tag = "players",
    params(("id" = String, Path, description = "The player's UUID"), SideFilter),
    responses(
        (status = 200, description = "Results of the games that count", body = PlayerStats),
        (status = 400, description = "A parameter cannot be read", body = ErrorBody),
        (status = 404, description = "There is no such player", body = ErrorBody),
    )
)]
pub(super) async fn stats(
    State(api): State<Arc<Api>>,
    id: PathId,
    RawQuery(query): RawQuery,
) -> Answer {
    let filter: SideFilter = query::read(query.as_deref()).map_err(Failure::Bad)?;
    ask_about(&api, id, move |store, id| answers::stats(store, id, &filter)).await
}

/// A player's results by what was played.
#[utoipa::path(
    get, path = "/api/players/{id}/breakdowns", tag = "players",
    params(("id" = String, Path, description = "The player's UUID"), SideFilter),
    responses(
        (status = 200, description = "Results by key, the most games first", body = PlayerBreakdowns),
        (status = 400, description = "A parameter cannot be read", body = ErrorBody),
        (status = 404, description = "There is no such player", body = ErrorBody),
    )
)]
pub(super) async fn breakdowns(
    State(api): State<Arc<Api>>,
    id: PathId,
    RawQuery(query): RawQuery,
) -> Answer {
    let filter: SideFilter = query::read(query.as_deref()).map_err(Failure::Bad)?;
    ask_about(&api, id, move |store, id| answers::breakdowns(store, id, &filter)).await
}

/// A player's ratings over time.
#[utoipa::path(
    get, path = "/api/players/{id}/rating-history", tag = "players",
    params(("id" = String, Path, description = "The player's UUID"), RatingWindow, Window),
    responses(
        (status = 200, description = "One point for each active day", body = RatingHistory),
        (status = 400, description = "A parameter cannot be read", body = ErrorBody),
        (status = 404, description = "There is no such player", body = ErrorBody),
    )
)]
pub(super) async fn rating_history(
    State(api): State<Arc<Api>>,
    id: PathId,
    RawQuery(query): RawQuery,
) -> Answer {
    let window: Window = query::read(query.as_deref()).map_err(Failure::Bad)?;
    let RatingWindow { mode } = query::read(query.as_deref()).map_err(Failure::Bad)?;
    let filter = SideFilter { mode, ..window.into() };
    ask_about(&api, id, move |store, id| answers::rating_history(store, id, &filter)).await
}

/// A player's profit over time.
#[utoipa::path(
    get, path = "/api/players/{id}/profit-history", tag = "players",
    params(("id" = String, Path, description = "The player's UUID"), Window),
    responses(
        (status = 200, description = "One point for each day with a paid game", body = ProfitHistory),
        (status = 400, description = "A parameter cannot be read", body = ErrorBody),
        (status = 404, description = "There is no such player", body = ErrorBody),
    )
)]
pub(super) async fn profit_history(
    State(api): State<Arc<Api>>,
    id: PathId,
    RawQuery(query): RawQuery,
) -> Answer {
    let window: Window = query::read(query.as_deref()).map_err(Failure::Bad)?;
    let filter = window.into();
    ask_about(&api, id, move |store, id| answers::profit_history(store, id, &filter)).await
}

/// Answers a question about a player who must be there.
async fn ask_about<T: serde::Serialize + Send + 'static>(
    api: &Api,
    id: PathId,
    question: impl FnOnce(&Connection, &PlayerId) -> rusqlite::Result<Option<T>> + Send + 'static,
) -> Answer {
    let id = player_id(id)?;
    let answer = api.ask(move |store| question(store, &id)).await?;
    found(&answer.ok_or(Failure::NotFound("player"))?)
}

fn player_id(id: PathId) -> Result<PlayerId, Failure> {
    let path = id.map_err(|rejection| Failure::Bad(format!("path: {}", rejection.body_text())))?;
    path.0.parse().map_err(|error| Failure::Bad(format!("path: player id {error}")))
}
