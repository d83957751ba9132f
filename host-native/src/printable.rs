//! Text of strangers, and numbers, as a person reads them.
//!
//! Decides which characters of player names and foreign messages are shown as they are. Control
//! characters could move the cursor or retitle the window, and characters that turn the writing
//! direction could make a line read otherwise than it is; both are shown as escapes.

/// The text with every such character escaped.
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() || turns_direction(character) {
            out.extend(character.escape_unicode());
        } else {
            out.push(character);
        }
    }
    out
}

/// A number with its noun: 1 game, 2 games.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Why something failed: where a service said it as `{"detail": "…"}`, its words alone.
pub fn reason_text(reason: &str) -> String {
    #[derive(serde::Deserialize)]
    struct Said {
        detail: String,
    }
    let start = reason.find('{').unwrap_or(reason.len());
    let (before, body) = reason.split_at(start);
    match serde_json::from_str::<Said>(body) {
        Ok(said) => printable(&format!("{before}{}", said.detail)),
        Err(_) => printable(reason),
    }
}

/// The embeddings, overrides and isolates of the Unicode bidirectional algorithm (UAX #9).
const fn turns_direction(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular_and_a_detail_is_told_as_text() {
        let games = |number| counted(number, "game", "games");
        assert_eq!([games(0), games(1), games(2)], ["0 games", "1 game", "2 games"]);
        for (reason, expected) in [
            (r#"{"detail": "Turn 1: illegal"}"#, "Turn 1: illegal"),
            (r#"HTTP 503: {"detail":"busy"}"#, "HTTP 503: busy"),
            (r#"{"detail": [1]}"#, r#"{"detail": [1]}"#),
            ("cut {\"detail\": \"…", "cut {\"detail\": \"…"),
            ("plain", "plain"),
        ] {
            assert_eq!(reason_text(reason), expected);
        }
    }

    #[test]
    fn only_what_could_deceive_is_escaped() {
        assert_eq!(printable("Ann 🎲 日本 עברית"), "Ann 🎲 日本 עברית");
        assert_eq!(printable("a\u{1b}[31m\n\u{9b}b"), "a\\u{1b}[31m\\u{a}\\u{9b}b");
        assert_eq!(printable("\u{202e}nnA"), "\\u{202e}nnA");
    }
}
