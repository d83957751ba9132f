//! Styles, scripts and pictures, all inside the program.
//!
//! Decides their addresses: each carries a hash of its content, so that a browser may keep it for
//! good and a new version of the program is never shown with old styles.

use std::fmt::Write as _;
use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use xxhash_rust::xxh64::xxh64;

/// A file inside the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asset {
    Style,
    Script,
    Viewer,
    Icon,
    Board,
    BoardStyle,
    BoardColours,
    Pieces,
}

impl Asset {
    const ALL: [Self; 8] = [
        Self::Style,
        Self::Script,
        Self::Viewer,
        Self::Icon,
        Self::Board,
        Self::BoardStyle,
        Self::BoardColours,
        Self::Pieces,
    ];

    /// Its address.
    pub(super) fn url(self) -> &'static str {
        static URLS: LazyLock<[String; 8]> = LazyLock::new(|| {
            Asset::ALL.map(|asset| {
                let (name, ending) = asset.name();
                format!("/assets/{name}-{}.{ending}", asset.hash())
            })
        });
        &URLS[self as usize]
    }

    const fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::Style => ("dashboard", "css"),
            Self::Script => ("dashboard", "js"),
            Self::Viewer => ("viewer", "js"),
            Self::Icon => ("icon", "svg"),
            Self::Board => ("chessground", "js"),
            Self::BoardStyle => ("chessground-base", "css"),
            Self::BoardColours => ("chessground-brown", "css"),
            Self::Pieces => ("chessground-cburnett", "css"),
        }
    }

    const fn content(self) -> &'static str {
        match self {
            Self::Style => include_str!("assets/dashboard.css"),
            Self::Script => include_str!("assets/dashboard.js"),
            Self::Viewer => include_str!("assets/viewer.js"),
            Self::Icon => include_str!("assets/icon.svg"),
            Self::Board => include_str!("assets/vendor/chessground/chessground.min.js"),
            Self::BoardStyle => include_str!("assets/vendor/chessground/chessground.base.css"),
            Self::BoardColours => include_str!("assets/vendor/chessground/chessground.brown.css"),
            Self::Pieces => include_str!("assets/vendor/chessground/chessground.cburnett.css"),
        }
    }

    fn content_type(self) -> &'static str {
        match self.name().1 {
            "css" => "text/css; charset=utf-8",
            "js" => "text/javascript; charset=utf-8",
            _ => "image/svg+xml",
        }
    }

    fn hash(self) -> String {
        let mut text = String::new();
        let _ = write!(text, "{:016x}", xxh64(self.content().as_bytes(), 0));
        text
    }
}

/// Answers with a file.
pub(super) async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let found = Asset::ALL.into_iter().find(|asset| asset.url().ends_with(&format!("/{name}")));
    let Some(asset) = found else { return StatusCode::NOT_FOUND.into_response() };
    let tag = format!("\"{}\"", asset.hash());
    let known = headers.get(IF_NONE_MATCH).is_some_and(|value| value.as_bytes() == tag.as_bytes());
    let caching = [(CACHE_CONTROL, "public, max-age=31536000, immutable".to_owned()), (ETAG, tag)];
    if known {
        return (StatusCode::NOT_MODIFIED, caching).into_response();
    }
    (caching, [(CONTENT_TYPE, asset.content_type())], asset.content()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_asset_has_an_address_of_its_own() {
        for (place, asset) in Asset::ALL.into_iter().enumerate() {
            assert_eq!(place, asset as usize);
            let same = Asset::ALL.into_iter().filter(|other| other.url() == asset.url()).count();
            assert_eq!(same, 1, "{asset:?}");
        }
    }
}
