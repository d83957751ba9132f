//! What of an accepted game goes into the tables that answer questions.
//!
//! Decides how replayed turns become rows: which positions they connect, how dice and moves are
//! spelled, and how each turn counts in position statistics. Pure: the database is the store's
//! matter, whether a game is accepted [`crate::acceptance`]'s.
//!
//! In position statistics a game counts once, however often a position repeats in it. A partial
//! last turn counts only when a king is gone; a turn that changed nothing never counts.

mod novelty;
mod player;
mod words;

use dicechess_core::ingest::IngestGame;
use dicechess_core::replay::{ReplayedGame, ReplayedTurn};
use dicechess_core::rules::{Position, TurnKind};
use dicechess_core::time::UnixMillis;
use shakmaty::Color;

use crate::acceptance::AcceptedGame;
use novelty::Novelties;
pub(crate) use player::{GoldPlayer, fold_name};
pub(crate) use words::{event_type, mode, side, termination};

/// A game, ready to be written.
#[derive(Debug, Clone)]
pub(crate) struct GoldGame {
    /// The document, for everything that is stored as sent.
    pub(crate) document: IngestGame,
    /// When it started.
    pub(crate) started_at: Option<UnixMillis>,
    /// White and Black, where known.
    pub(crate) players: [Option<GoldPlayer>; 2],
    /// The initial position and the one after each turn.
    pub(crate) positions: Vec<GoldPosition>,
    /// The turns; the n-th leads from position n to position n + 1.
    pub(crate) turns: Vec<GoldTurn>,
}

/// A position as it is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GoldPosition {
    /// The normalised FEN.
    pub(crate) fen: String,
    /// Its hash.
    pub(crate) hash: i64,
}

/// What a turn's row says besides the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GoldTurn {
    /// Piece letters in alphabetical order, in the case of the side that rolled.
    pub(crate) dice: String,
    /// Whether the game ended before the turn was played out.
    pub(crate) is_partial: bool,
    /// How the turn counts, from 0 to 3; the migration tells what each means.
    pub(crate) novelty: u8,
}

impl GoldGame {
    pub(crate) fn of(accepted: AcceptedGame<'_>) -> Self {
        let AcceptedGame { game, replayed, .. } = accepted;
        let positions = positions(&replayed);
        let mut novelties = Novelties::of(&positions);
        let turns = replayed.turns.iter().enumerate();
        let turns = turns.map(|(place, turn)| gold_turn(place, turn, &mut novelties)).collect();
        let players = [&game.white_player, &game.black_player];
        Self {
            started_at: game.started_at.as_deref().and_then(UnixMillis::parse_iso),
            players: players.map(|player| player.as_ref().map(GoldPlayer::of)),
            positions,
            turns,
            document: game,
        }
    }

    /// The lower one of both ratings, if both are known.
    pub(crate) fn least_rating(&self) -> Option<i64> {
        let [white, black] = self.ratings();
        white.zip(black).map(|(white, black)| white.min(black))
    }

    /// White's and Black's rating.
    pub(crate) fn ratings(&self) -> [Option<i64>; 2] {
        [&self.document.white_player, &self.document.black_player]
            .map(|player| player.as_ref().and_then(|player| player.rating))
    }
}

/// The letters of a roll in alphabetical order, in the case of the side that rolled.
pub(crate) fn dice_sorted(roll: dicechess_core::dice::Roll, color: Color) -> String {
    let mut letters: Vec<char> = roll.pool().letters(color).chars().collect();
    letters.sort_unstable();
    letters.into_iter().collect()
}

fn positions(replayed: &ReplayedGame) -> Vec<GoldPosition> {
    let after = replayed.turns.iter().map(|turn| &turn.after);
    let position = |position: &Position| GoldPosition {
        fen: position.normalized_fen(),
        hash: position.fen_hash(),
    };
    std::iter::once(&replayed.initial).chain(after).map(position).collect()
}

fn gold_turn(place: usize, turn: &ReplayedTurn, novelties: &mut Novelties) -> GoldTurn {
    let dice = dice_sorted(turn.roll, turn.before.turn());
    let is_partial = turn.kind == TurnKind::Partial;
    let counts = !is_partial || turn.after.missing_king().is_some();
    let novelty = if counts { novelties.note(place, &dice) } else { 0 };
    GoldTurn { dice, is_partial, novelty }
}
