//! Signing in with `ADMIN_TOKEN`.

use axum::Form;
use axum::extract::Query;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use serde::Deserialize;

use super::failure::Failure;
use super::language::{cookie, local};
use super::layout::{Section, layout};
use super::sessions::{COOKIE_NAME, SESSION_LIFE, SignInRefused};
use super::visit::Visit;
use crate::clock::now;

#[derive(Debug, Deserialize)]
pub(super) struct Target {
    #[serde(default)]
    next: String,
}

/// `GET /sign-in`
pub(super) async fn form(visit: Visit, Query(target): Query<Target>) -> Markup {
    show(&visit, local(&target.next), None)
}

/// The form does not print what was typed.
#[derive(Deserialize)]
pub(super) struct Typed {
    token: String,
    #[serde(default)]
    next: String,
}

/// `POST /sign-in`
pub(super) async fn sign_in(visit: Visit, Form(typed): Form<Typed>) -> Result<Response, Failure> {
    let texts = &visit.words.sign_in;
    if !visit.is_own {
        return Err(Failure::refused(&visit, StatusCode::FORBIDDEN, visit.words.actions.foreign));
    }
    let next = local(&typed.next);
    let Some(token) = &visit.context.config.admin_token else {
        return Ok((StatusCode::FORBIDDEN, show(&visit, next, None)).into_response());
    };
    match visit.dashboard.sessions.sign_in(typed.token.trim(), token, now()) {
        Ok(id) => Ok(with_cookie(&visit, &id, SESSION_LIFE.as_secs(), next)),
        Err(SignInRefused::WrongToken) => {
            tracing::warn!("a wrong token was given to the dashboard");
            let page = show(&visit, next, Some(texts.wrong));
            Ok((StatusCode::UNAUTHORIZED, page).into_response())
        }
        Err(SignInRefused::TooOften) => {
            let page = show(&visit, next, Some(texts.too_often));
            Ok((StatusCode::TOO_MANY_REQUESTS, page).into_response())
        }
    }
}

/// `POST /sign-out`
pub(super) async fn sign_out(visit: Visit, headers: HeaderMap) -> Result<Response, Failure> {
    if !visit.is_own {
        return Err(Failure::refused(&visit, StatusCode::FORBIDDEN, visit.words.actions.foreign));
    }
    if let Some(id) = cookie(&headers, COOKIE_NAME) {
        visit.dashboard.sessions.sign_out(id);
    }
    Ok(with_cookie(&visit, "", 0, "/"))
}

fn with_cookie(visit: &Visit, id: &str, seconds: u64, next: &str) -> Response {
    let secure = if visit.is_secure { "; Secure" } else { "" };
    let cookie =
        format!("{COOKIE_NAME}={id}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    let cookie = HeaderValue::from_str(&cookie).expect("hex digits and plain letters");
    ([(SET_COOKIE, cookie)], Redirect::to(next)).into_response()
}

fn show(visit: &Visit, next: &str, problem: Option<&str>) -> Markup {
    let texts = &visit.words.sign_in;
    let main = html! {
        section.card.narrow {
            h1 { (texts.title) }
            @if visit.has_admin() {
                p { (texts.hint) }
                @if let Some(problem) = problem { div.note.bad role="alert" { (problem) } }
                form.stack method="post" action="/sign-in" {
                    input type="hidden" name="next" value=(next);
                    label for="token" { (texts.token) }
                    input #token type="password" name="token" required autocomplete="current-password" autofocus;
                    button.primary { (visit.words.nav.sign_in) }
                }
            } @else {
                p { (visit.words.parked.no_admin) }
            }
        }
    };
    layout(visit, texts.title, Section::None, &main)
}
