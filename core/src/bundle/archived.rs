//! A game as an archive kept it.
//!
//! Decides whether a bundle is enough for the catalogue: both raw answers, of one game and its two
//! players. It is the operator's own copy of what the site said, so unlike a browser's word
//! ([`super::SeenGame`]) it is not judged: a game that cannot be normalised was archived too, and is
//! parked again when it is posted.

use super::seen::queried;
use super::{Bundle, RefusedBundle};
use crate::ids::{GameId, UserId};
use crate::site::{HistoryEntry, HistoryRow};
use crate::time::UnixMillis;

/// A game to be put back into the catalogue.
#[derive(Debug)]
pub struct ArchivedGame<'a> {
    /// The game.
    pub game_id: GameId,
    /// The history entry with its bytes.
    pub row: HistoryRow<'a>,
    /// Whose history the entry is from.
    pub queried: UserId,
    /// His rating in this game.
    pub own_rating: Option<i64>,
    /// The move history's JSON, byte for byte.
    pub move_history: &'a str,
    /// When the move history was received, if the bundle tells.
    pub fetched_at: Option<UnixMillis>,
    /// When the history entry was received, if the bundle tells.
    pub meta_fetched_at: Option<UnixMillis>,
}

impl<'a> ArchivedGame<'a> {
    /// Reads the game off its bundle.
    ///
    /// # Errors
    /// A raw answer is missing, the entry cannot be read, or game and players do not agree.
    pub fn of(bundle: &Bundle<'a>) -> Result<Self, RefusedBundle> {
        let json = bundle.history_meta.ok_or(RefusedBundle::NoArtifact("history_meta"))?;
        let move_history = bundle.move_history.ok_or(RefusedBundle::NoArtifact("move_history"))?;
        let entry = HistoryEntry::parse(json)?;
        if entry.game_id != bundle.game_id {
            return Err(RefusedBundle::OtherGame(entry.game_id));
        }
        Ok(Self {
            game_id: bundle.game_id,
            queried: queried(bundle, &entry)?,
            own_rating: entry.color.fold_wb(entry.rating_white, entry.rating_black),
            row: HistoryRow { json, entry: Ok(entry) },
            move_history,
            fetched_at: bundle.fetched_at,
            meta_fetched_at: bundle.meta_fetched_at,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{BundleParts, bundle_json};
    use super::*;

    const ENTRY: &str = r#"{"gameId":"00000000-0000-0000-0000-000000000007","color":"BLACK",
        "startRatingWhite":1500,"startRatingBlack":1611,"historyOpponent":{"opponentId":1}}"#;

    const PARTS: BundleParts<'_> = BundleParts {
        game_id: GameId::from_bits(7),
        white_user_id: Some(UserId(1)),
        black_user_id: Some(UserId(2)),
        started_at: None,
        fetched_at: Some("2026-01-01T01:00:00.000Z"),
        meta_fetched_at: None,
        history_meta: Some(ENTRY),
        move_history: r#"{"no":"map"}"#,
    };

    #[test]
    fn the_player_of_the_entry_s_side_is_whose_history_it_was() {
        let text = bundle_json(&PARTS).unwrap();
        let bundle = Bundle::parse(&text).unwrap();
        let game = ArchivedGame::of(&bundle).unwrap();
        assert_eq!((game.queried, game.own_rating), (UserId(2), Some(1611)));
        assert_eq!((game.row.json, game.move_history), (ENTRY, PARTS.move_history));
        assert_eq!(game.fetched_at, UnixMillis::parse_iso("2026-01-01T01:00:00.000Z"));
        assert_eq!(game.meta_fetched_at, None);
    }

    #[test]
    fn a_bundle_that_contradicts_itself_is_none() {
        for (parts, said) in [
            (BundleParts { history_meta: None, ..PARTS }, "artifacts.history_meta is missing"),
            (BundleParts { history_meta: Some("{}"), ..PARTS }, "broken history entry"),
            (BundleParts { game_id: GameId::from_bits(8), ..PARTS }, "is of game 00000000"),
            (BundleParts { white_user_id: Some(UserId(3)), ..PARTS }, "opponent is 1"),
            (BundleParts { black_user_id: None, ..PARTS }, "blackUserId is missing"),
        ] {
            let text = bundle_json(&parts).unwrap();
            let error = ArchivedGame::of(&Bundle::parse(&text).unwrap()).unwrap_err().to_string();
            assert!(error.contains(said), "{said}: {error}");
        }
    }
}
