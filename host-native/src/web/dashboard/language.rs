//! The language of a page.
//!
//! Decides it by the choice remembered in a cookie, else by what the browser prefers, else English.

use axum::Form;
use axum::http::header::{ACCEPT_LANGUAGE, COOKIE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::words::{ENGLISH, RUSSIAN, Words};

/// The languages there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(super) enum Language {
    #[serde(rename = "en")]
    English,
    #[serde(rename = "ru")]
    Russian,
}

impl Language {
    pub(super) const ALL: [Self; 2] = [Self::English, Self::Russian];

    /// The language of whoever sent these headers.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let chosen = cookie(headers, COOKIE_NAME).and_then(Self::parse);
        let accepted = || headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        chosen.or_else(|| accepted().and_then(preferred)).unwrap_or(Self::English)
    }

    /// As in `lang="ru"`.
    pub(super) const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Russian => "ru",
        }
    }

    pub(super) const fn words(self) -> &'static Words {
        match self {
            Self::English => &ENGLISH,
            Self::Russian => &RUSSIAN,
        }
    }

    fn parse(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next().unwrap_or(tag);
        Self::ALL.into_iter().find(|language| primary.eq_ignore_ascii_case(language.tag()))
    }
}

/// The language of ours with the greatest weight; of equal ones the first.
fn preferred(accepted: &str) -> Option<Language> {
    let mut best: Option<(Language, f64)> = None;
    for choice in accepted.split(',') {
        let mut parts = choice.split(';');
        let Some(language) = parts.next().and_then(|tag| Language::parse(tag.trim())) else {
            continue;
        };
        let weight = parts.find_map(|part| part.trim().strip_prefix("q="));
        let weight = weight.map_or(1.0, |text| text.parse().unwrap_or(0.0));
        if weight > best.map_or(0.0, |(_, weight)| weight) {
            best = Some((language, weight));
        }
    }
    best.map(|(language, _)| language)
}

/// The value of a cookie.
pub(super) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let pairs = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    pairs
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(key, value)| (key == name).then_some(value))
}

#[derive(Debug, Deserialize)]
pub(super) struct Choice {
    to: Language,
    back: String,
}

/// Remembers a choice for a year and goes back to the page.
pub(super) async fn choose(Form(choice): Form<Choice>) -> Response {
    let cookie = format!(
        "{COOKIE_NAME}={}; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly",
        choice.to.tag()
    );
    let cookie = HeaderValue::from_str(&cookie).expect("a cookie of plain letters");
    ([(SET_COOKIE, cookie)], Redirect::to(local(&choice.back))).into_response()
}

/// The path if it leads to a page of ours, else the first page.
pub(super) fn local(path: &str) -> &str {
    let is_local = path.starts_with('/')
        && !path.starts_with("//")
        && path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if is_local { path } else { "/" }
}

const COOKIE_NAME: &str = "dicechess_language";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browser_chooses() {
        for (accepted, expected) in [
            ("ru", Some(Language::Russian)),
            ("ru-RU,ru;q=0.9,en-US;q=0.8,en;q=0.7", Some(Language::Russian)),
            ("en-GB,en;q=0.9,ru;q=0.8", Some(Language::English)),
            ("de-DE,de;q=0.9,ru;q=0.5,en;q=0.3", Some(Language::Russian)),
            ("ru;q=0,en;q=0.1", Some(Language::English)),
            ("fr, *;q=0.5", None),
            ("", None),
        ] {
            assert_eq!(preferred(accepted), expected, "{accepted}");
        }
    }

    #[test]
    fn a_choice_is_stronger_than_the_browser() {
        let mut headers = HeaderMap::new();
        assert_eq!(Language::of(&headers), Language::English);
        headers.insert(ACCEPT_LANGUAGE, HeaderValue::from_static("ru"));
        assert_eq!(Language::of(&headers), Language::Russian);
        headers.insert(COOKIE, HeaderValue::from_static("a=b; dicechess_language=en"));
        assert_eq!(Language::of(&headers), Language::English);
    }

    #[test]
    fn nobody_is_sent_away() {
        for path in ["//evil.example", "https://evil.example", "/\\evil.example", "", "/a\r\nb"] {
            assert_eq!(local(path), "/", "{path:?}");
        }
        assert_eq!(local("/games?show=posted"), "/games?show=posted");
    }
}
