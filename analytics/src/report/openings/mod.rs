//! What was played from a position, and how it went.
//!
//! Decides how turns become continuations: grouped by roll and resulting position, counted in games
//! (a game that repeats one counts once), told from the side to move before the roll. Passes count;
//! rolls that were never played and turns played in part do not, unless a king is gone. Positions
//! are compared by their normalised FEN.

mod picture;
mod text;

use std::collections::HashMap;

use dicechess_core::dice::Roll;
use dicechess_core::ingest::Mode;
use dicechess_core::rules::Position;
use rusqlite::{Connection, OptionalExtension, Row};
use serde::Serialize;

use super::ReportError;
use super::filter::mode_text;
use super::record::{Record, Tally};

/// The standard start position.
pub const START_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Turns that position statistics count.
pub(super) const COUNTED_TURN: &str = "t.position_after_id <> t.position_id
      AND (t.is_partial IS NOT 1 OR instr(p.piece_placement, 'K') = 0
           OR instr(p.piece_placement, 'k') = 0)";

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpeningsQuery {
    /// The position; the start position when not given.
    pub fen: Option<String>,
    /// Only this roll, as letters in any case and order.
    pub dice: Option<String>,
    /// Only games of this mode.
    pub mode: Option<Mode>,
    /// Continuations of fewer games are left out and counted.
    pub min_games: u64,
    /// The most continuations that are listed.
    pub limit: usize,
}

impl Default for OpeningsQuery {
    fn default() -> Self {
        Self { fen: None, dice: None, mode: None, min_games: 1, limit: 20 }
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OpeningsReport {
    /// The position, normalised.
    pub fen: String,
    /// `w` or `b`.
    pub side_to_move: char,
    /// The roll that was asked for, in the letters of the side to move.
    pub dice: Option<String>,
    /// The mode that was asked for.
    pub mode: Option<Mode>,
    /// All games that played on from the position, with the roll if one was asked for.
    pub total: Record,
    /// The fewest games of a listed continuation.
    pub min_games: u64,
    /// How many different continuations there are.
    pub continuations: u64,
    /// How many have fewer games than asked for.
    pub below_min_games: u64,
    /// The most frequent first.
    pub items: Vec<Continuation>,
}

/// A resulting position.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Continuation {
    /// The roll, in the letters of the side to move.
    pub dice: String,
    /// The most frequent way to play it, in UCI; empty for a pass.
    pub moves: Vec<String>,
    /// The position after it, normalised.
    pub fen: String,
    /// How it went for the side that moved.
    #[serde(flatten)]
    pub record: Record,
}

/// A game and a turn that it played from the position.
struct Played {
    game: String,
    result: Option<i64>,
    dice: String,
    moves: String,
    after: i64,
}

/// A resulting position under construction.
#[derive(Default)]
struct Group {
    tally: Tally,
    last_game: String,
    spellings: HashMap<String, u64>,
}

/// Answers what was played from a position.
///
/// # Errors
/// The position or the dice cannot be read, or the store cannot.
pub fn openings(
    connection: &Connection,
    query: &OpeningsQuery,
) -> Result<OpeningsReport, ReportError> {
    let position: Position = query.fen.as_deref().unwrap_or(START_FEN).parse()?;
    let fen = position.normalized_fen();
    let side_to_move = side(&fen);
    let dice = query.dice.as_deref().map(|dice| sorted_letters(dice, side_to_move)).transpose()?;
    let found = gather(connection, &fen, dice.as_deref(), query.mode)?;
    let continuations = found.groups.len() as u64;
    let mut groups: Vec<_> = found
        .groups
        .into_iter()
        .filter(|(_, group)| group.tally.games >= query.min_games)
        .collect();
    let below_min_games = continuations - groups.len() as u64;
    groups.sort_by(|(a_key, a), (b_key, b)| {
        b.tally.games.cmp(&a.tally.games).then_with(|| a_key.cmp(b_key))
    });
    groups.truncate(query.limit);
    let items = groups
        .into_iter()
        .map(|((dice, after), group)| continuation(connection, dice, after, group));
    Ok(OpeningsReport {
        fen,
        side_to_move,
        dice,
        mode: query.mode,
        total: found.total.record(),
        min_games: query.min_games,
        continuations,
        below_min_games,
        items: items.collect::<Result<_, _>>()?,
    })
}

/// The side to move of a normalised FEN.
pub(super) fn side(fen: &str) -> char {
    if fen.split(' ').nth(1) == Some("b") { 'b' } else { 'w' }
}

/// A roll as it is stored: letters in alphabetical order, in the case of the side to move.
fn sorted_letters(dice: &str, side: char) -> Result<String, ReportError> {
    Roll::from_letters(dice)?;
    let cased = if side == 'b' { dice.to_ascii_lowercase() } else { dice.to_ascii_uppercase() };
    let mut letters: Vec<char> = cased.chars().collect();
    letters.sort_unstable();
    Ok(letters.into_iter().collect())
}

#[derive(Default)]
struct Gathered {
    total: Tally,
    groups: HashMap<(String, i64), Group>,
}

/// All turns from the position, game by game.
fn gather(
    connection: &Connection,
    fen: &str,
    dice: Option<&str>,
    mode: Option<Mode>,
) -> Result<Gathered, ReportError> {
    let sql = format!(
        "SELECT t.game_id, g.result, t.dice_sorted, t.played_moves, t.position_after_id
         FROM turns t JOIN games g ON g.id = t.game_id
              JOIN positions p ON p.id = t.position_after_id
         WHERE t.position_id = (SELECT id FROM positions WHERE normalized_fen = ?1)
           AND (?2 IS NULL OR t.dice_sorted = ?2) AND (?3 IS NULL OR g.mode = ?3)
           AND {COUNTED_TURN}
         ORDER BY t.game_id, t.turn_number"
    );
    let sign = if side(fen) == 'b' { -1 } else { 1 };
    let mut gathered = Gathered::default();
    let mut last_game = String::new();
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query((fen, dice, mode.map(mode_text)))?;
    while let Some(row) = rows.next()? {
        let played = read(row, sign)?;
        if played.game != last_game {
            gathered.total.count(played.result);
            last_game.clone_from(&played.game);
        }
        let key = (played.dice.clone(), played.after);
        gathered.groups.entry(key).or_default().add(played);
    }
    Ok(gathered)
}

fn read(row: &Row<'_>, sign: i64) -> rusqlite::Result<Played> {
    let result: Option<i64> = row.get(1)?;
    Ok(Played {
        game: row.get(0)?,
        result: result.map(|result| sign * result),
        dice: row.get(2)?,
        moves: row.get(3)?,
        after: row.get(4)?,
    })
}

impl Group {
    /// The turns of a game come together, so that looking at the last one suffices.
    fn add(&mut self, played: Played) {
        *self.spellings.entry(played.moves).or_default() += 1;
        if self.last_game != played.game {
            self.tally.count(played.result);
            self.last_game = played.game;
        }
    }
}

fn continuation(
    connection: &Connection,
    dice: String,
    after: i64,
    group: Group,
) -> Result<Continuation, ReportError> {
    const FEN: &str = "SELECT normalized_fen FROM positions WHERE id = ?1";
    let fen = connection.prepare_cached(FEN)?.query_row([after], |row| row.get(0)).optional()?;
    let frequent = group.spellings.into_iter().max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)));
    let moves = frequent.and_then(|(moves, _)| serde_json::from_str(&moves).ok());
    Ok(Continuation {
        dice,
        moves: moves.unwrap_or_default(),
        fen: fen.unwrap_or_default(),
        record: group.tally.record(),
    })
}

impl OpeningsReport {
    /// A text table of 80 columns.
    pub fn table(&self) -> String {
        text::table(self)
    }

    /// An SVG picture.
    pub fn svg(&self) -> String {
        picture::svg(self)
    }
}

impl Continuation {
    /// Its moves, or that it is a pass.
    fn spelled(&self) -> String {
        if self.moves.is_empty() { "(pass)".to_owned() } else { self.moves.join(" ") }
    }
}
