//! What an operator may change: send games through once more, try failed ones now.
//!
//! Decides who may (whoever signed in, from a page of ours) and that each act is confirmed.

use axum::Form;
use axum::extract::{Path, Query};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use dicechess_core::ids::GameId;
use dicechess_core::lifecycle::ErrorStage;
use maud::html;
use serde::Deserialize;

use super::failure::Failure;
use super::layout::{Section, layout};
use super::visit::Visit;
use crate::clock::now;
use crate::daemon::DaemonHandle;
use crate::store::{ReplayKind, Store, StoreError};

/// An act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Action {
    /// Games that analytics refused go through once more.
    ReplayRejected,
    /// Games that could not be normalised go through once more.
    ReplayNormalize,
    /// Games that could not be fetched are tried now.
    RetryFetch,
    /// Games that could not be posted are tried now.
    RetryPost,
}

impl Action {
    /// Its name in addresses.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::ReplayRejected => "replay-rejected",
            Self::ReplayNormalize => "replay-normalize",
            Self::RetryFetch => "retry-fetch",
            Self::RetryPost => "retry-post",
        }
    }

    fn apply(self, store: &Store, game: Option<GameId>) -> Result<usize, StoreError> {
        match self {
            Self::ReplayRejected => store.replay(ReplayKind::Rejected, game, now()),
            Self::ReplayNormalize => store.replay(ReplayKind::Normalize, game, now()),
            Self::RetryFetch => store.retry_now(ErrorStage::Fetch, now()),
            Self::RetryPost => store.retry_now(ErrorStage::Post, now()),
        }
    }

    fn wake(self, daemon: &DaemonHandle) {
        match self {
            Self::ReplayRejected | Self::ReplayNormalize | Self::RetryPost => {
                daemon.wake_delivery();
            }
            Self::RetryFetch => daemon.wake_site(),
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct Question {
    action: Action,
    game: Option<GameId>,
}

/// `GET /confirm`: is it meant?
pub(super) async fn confirm(visit: Visit, Query(question): Query<Question>) -> Response {
    if !visit.is_admin {
        return Redirect::to("/sign-in?next=%2Fparked").into_response();
    }
    let texts = &visit.words.actions;
    let main = html! {
        form.confirm #confirm method="post" action={ "/actions/" (question.action.name()) } {
            h1 { (texts.title) }
            p { ((texts.question)(question.action, question.game.is_some())) }
            @if let Some(game) = question.game {
                p.muted.id { (game) }
                input type="hidden" name="game" value=(game);
            }
            div.buttons {
                button.primary { (texts.yes) }
                a.button data-cancel href="/parked" { (texts.no) }
            }
        }
    };
    layout(&visit, texts.title, Section::Parked, &main).into_response()
}

#[derive(Debug, Deserialize)]
pub(super) struct Act {
    game: Option<GameId>,
}

/// `POST /actions/{action}`
pub(super) async fn act(
    visit: Visit,
    Path(action): Path<Action>,
    Form(act): Form<Act>,
) -> Result<Response, Failure> {
    let texts = &visit.words.actions;
    if !visit.is_own {
        return Err(Failure::refused(&visit, StatusCode::FORBIDDEN, texts.foreign));
    }
    if !visit.is_admin {
        return Err(Failure::refused(&visit, StatusCode::UNAUTHORIZED, texts.not_signed_in));
    }
    let games = visit.read(move |store| action.apply(store, act.game)).await?;
    action.wake(&visit.context.daemon);
    tracing::info!(action = action.name(), games, "an operator asked for it in the dashboard");
    let done = format!("/parked?done={}&games={games}", action.name());
    Ok(Redirect::to(&done).into_response())
}
