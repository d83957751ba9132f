//! Text of strangers on a terminal.
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

/// The embeddings, overrides and isolates of the Unicode bidirectional algorithm (UAX #9).
const fn turns_direction(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_could_deceive_is_escaped() {
        assert_eq!(printable("Ann 🎲 日本 עברית"), "Ann 🎲 日本 עברית");
        assert_eq!(printable("a\u{1b}[31m\n\u{9b}b"), "a\\u{1b}[31m\\u{a}\\u{9b}b");
        assert_eq!(printable("\u{202e}nnA"), "\\u{202e}nnA");
    }
}
