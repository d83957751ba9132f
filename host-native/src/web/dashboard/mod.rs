//! The dashboard: pages that show what the daemon does.
//!
//! Decides which pages there are and what all of them have in common. They are rendered here, work
//! without the script and ask nothing of any other host. Anybody who reaches the address may read;
//! only who signed in with `ADMIN_TOKEN` may change something.
//!
//! | file | decides |
//! |---|---|
//! | `visit` | what a page knows of who asks for it |
//! | `language`, `words`, `wording` | in which language a page speaks, its texts, how numbers are spelled |
//! | `layout`, `parts`, `chart` | the frame of a page, what recurs on pages, pictures |
//! | `assets`, `headers` | styles and scripts, what a browser may do with a page |
//! | `sampler`, `snapshot`, `rates`, `live` | the numbers of the whole, and how they reach open pages |
//! | `overview`, `pipeline`, `budget`, `problems`, `causes` | the first page |
//! | `players`, `player`, `games`, `game`, `steps`, `notation`, `parked`, `dice` | the other pages |
//! | `reports` | answers of the embedded analytics, which take their time |
//! | `sessions`, `sign_in`, `actions` | who may change things, and what |

mod actions;
mod assets;
mod budget;
mod causes;
mod chart;
mod dice;
mod failure;
mod game;
mod games;
mod headers;
mod language;
mod layout;
mod live;
mod notation;
mod overview;
mod parked;
mod parts;
mod pipeline;
mod player;
mod players;
mod problems;
mod rates;
mod reports;
mod sampler;
mod sessions;
mod sign_in;
mod snapshot;
mod steps;
mod visit;
mod wording;
mod words;

use std::sync::Arc;

use axum::routing::{get, post};
use axum::{Extension, Router, middleware};

use super::WebContext;
use live::Listeners;
use reports::Reports;
use sampler::Sampler;
use sessions::Sessions;

/// What the pages remember between requests.
#[derive(Default)]
struct Dashboard {
    sampler: Arc<Sampler>,
    listeners: Listeners,
    reports: Arc<Reports>,
    sessions: Sessions,
}

/// The dashboard's paths.
pub(super) fn router() -> Router<WebContext> {
    Router::new()
        .route("/", get(overview::page))
        .route("/events", get(live::events))
        .route("/players", get(players::page))
        .route("/players/{id}", get(player::page))
        .route("/games", get(games::page))
        .route("/games/{id}", get(game::page))
        .route("/parked", get(parked::page))
        .route("/dice", get(dice::page))
        .route("/confirm", get(actions::confirm))
        .route("/actions/{action}", post(actions::act))
        .route("/sign-in", get(sign_in::form).post(sign_in::sign_in))
        .route("/sign-out", post(sign_in::sign_out))
        .route("/language", post(language::choose))
        .route("/assets/{name}", get(assets::asset))
        .fallback(failure::missing)
        .layer(Extension(Arc::new(Dashboard::default())))
        .layer(middleware::map_response(headers::protect))
}
