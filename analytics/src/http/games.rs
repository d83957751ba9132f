//! Games.

use std::sync::Arc;

use axum::extract::{RawQuery, State};
use dicechess_core::ids::GameId;

use super::{Answer, Api, Failure, PathId, found};
use crate::model::{ErrorBody, GameDetail, GamePage};
use crate::query::{self, GameFilter, PageOrder, SideFilter};
use crate::store::read;

/// Games, the newest first unless asked otherwise.
#[utoipa::path(
    get, path = "/api/games", tag = "games", params(GameFilter, SideFilter, PageOrder),
    responses(
        (status = 200, description = "A page of games", body = GamePage),
        (status = 400, description = "A parameter cannot be read", body = ErrorBody),
    )
)]
pub(super) async fn games(State(api): State<Arc<Api>>, RawQuery(query): RawQuery) -> Answer {
    let query = query.as_deref();
    let games: GameFilter = query::read(query).map_err(Failure::Bad)?;
    let sides: SideFilter = query::read(query).map_err(Failure::Bad)?;
    let page: PageOrder = query::read(query).map_err(Failure::Bad)?;
    if sides.color.is_some() && games.player_id.is_none() {
        return Err(Failure::bad("color: needs player_id"));
    }
    let page = api.ask(move |store| read::games::page(store, &games, &sides, &page)).await?;
    found(&page)
}

/// A whole game with its turns and events.
#[utoipa::path(
    get, path = "/api/games/{id}", tag = "games",
    params(("id" = String, Path, description = "The game's UUID")),
    responses(
        (status = 200, description = "The game", body = GameDetail),
        (status = 400, description = "The id is not a UUID", body = ErrorBody),
        (status = 404, description = "There is no such game", body = ErrorBody),
    )
)]
pub(super) async fn game(State(api): State<Arc<Api>>, id: PathId) -> Answer {
    let path = id.map_err(|rejection| Failure::Bad(format!("path: {}", rejection.body_text())))?;
    let id: GameId = path.0.parse().map_err(|error| Failure::Bad(format!("path: {error}")))?;
    let game = api.ask(move |store| read::games::detail(store, &id.to_string())).await?;
    found(&game.ok_or(Failure::NotFound("game"))?)
}
