//! Which game a page shows.

use crate::ids::GameId;

/// The game of a page at `…/game/<id>`, whatever follows; `url` is absolute or from the root.
///
/// ```
/// use dicechess_core::observation::shown_game;
/// let url = "https://dicechess.com/game/0b5f1c3e-9a77-4c11-8e55-00000000abcd?tab=moves#12";
/// assert!(shown_game(url).is_some());
/// assert_eq!(shown_game("https://dicechess.com/profile/12345"), None);
/// ```
pub fn shown_game(url: &str) -> Option<GameId> {
    let end = url.bytes().position(|byte| matches!(byte, b'?' | b'#'));
    let address = url.get(..end.unwrap_or(url.len()))?;
    let mut segments = address.split('/');
    if !address.starts_with('/') {
        // Scheme, nothing, host.
        segments.nth(2)?;
    }
    segments.find(|segment| *segment == "game")?;
    segments.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_games_and_others() {
        const ID: &str = "0b5f1c3e-9a77-4c11-8e55-00000000abcd";
        let upper = ID.to_uppercase();
        for url in [
            format!("/game/{ID}"),
            format!("https://dicechess.com/game/{upper}/"),
            format!("https://dicechess.com/en/game/{ID}/analysis"),
        ] {
            assert_eq!(shown_game(&url).unwrap().to_string(), ID, "{url}");
        }
        for url in [
            "",
            "/",
            "/game",
            "/game/7",
            "https://dicechess.com",
            &format!("https://game/{ID}"),
            &format!("/profile/{ID}"),
            &format!("/profile/7?next=/game/{ID}"),
            &format!("/#/game/{ID}"),
        ] {
            assert_eq!(shown_game(url), None, "{url}");
        }
    }
}
