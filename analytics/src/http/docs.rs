//! The description of the API.
//!
//! Decides how it is shown; what it says is taken from the handlers and models themselves.

use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};

use super::{Answer, found, games, players, positions, write};
use crate::query::{Color, Mode, Order, PlayerType, Sort, Stake};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Dice Chess analytics",
        description = "Games of Dice Chess: posted, listed, and counted. Signed values are White's \
            point of view unless a player or a side to move is asked about. `win_rate` is \
            `(wins + draws / 2) / decided`, 0 when nothing is decided."
    ),
    paths(
        games::games, write::post_game, games::game, write::put_game,
        players::players, players::player, players::stats, players::breakdowns,
        players::rating_history, players::profit_history,
        positions::equity, positions::continuations, positions::dice_distribution,
        super::version,
    ),
    tags((name = "games"), (name = "players"), (name = "positions"), (name = "service")),
    components(schemas(Color, Mode, Order, PlayerType, Sort, Stake)),
    modifiers(&Token)
)]
struct Description;

/// Writers' token.
struct Token;

impl Modify for Token {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let token = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme("token", SecurityScheme::Http(token));
    }
}

/// The OpenAPI document.
pub(super) async fn openapi() -> Answer {
    found(&Description::openapi())
}

/// A page that shows the OpenAPI document and sends requests; it needs nothing from elsewhere.
pub(super) async fn page() -> Response {
    const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; \
                          script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'";
    ([(header::CONTENT_SECURITY_POLICY, POLICY)], Html(include_str!("docs.html"))).into_response()
}

/// What is found at the root of a server that serves nothing else.
pub(super) async fn greeting() -> Answer {
    found(&serde_json::json!({
        "message": "Dice Chess analytics", "docs": "/docs", "openapi": "/openapi.json",
    }))
}
