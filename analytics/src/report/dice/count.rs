//! Counting the rolls of the store.
//!
//! Decides which rolls are counted: every roll that a stored turn shows, passes included. A game
//! with a turn of one or two dice is left out whole, and counted as left out. One pass over the
//! turns, game by game; memory grows with the number of players only.

use std::collections::HashMap;

use rusqlite::{Connection, Row};
use serde::Serialize;

use super::super::ReportError;
use super::super::filter::mode_text;
use super::DiceQuery;
use super::roll::{self, DISTINCT_ROLLS};

/// How often each of the distinct rolls was seen.
pub(super) type Counts = [u64; DISTINCT_ROLLS];

/// What was counted and what was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Counted {
    /// Games whose rolls were counted.
    pub games: u64,
    /// Games without any turn: their rolls were never seen.
    pub games_without_turns: u64,
    /// Games left out because a turn has one or two dice.
    pub games_with_fewer_dice: u64,
    /// Rolls counted.
    pub rolls: u64,
    /// Of these, rolls that allowed no move (passes).
    pub passes: u64,
    /// Of these, rolls played only in part because the game ended.
    pub partly_played: u64,
    /// Of these, last rolls that were never played (only older imports have them).
    pub unplayed: u64,
}

/// All counts of one pass.
#[derive(Default)]
pub(super) struct Tallies {
    pub(super) counted: Counted,
    pub(super) white: RollCounts,
    pub(super) black: RollCounts,
    pub(super) first: RollCounts,
    /// By our id of the player who rolled.
    pub(super) players: HashMap<String, RollCounts>,
}

/// Counts that start at zero.
pub(super) struct RollCounts(pub(super) Counts);

impl Default for RollCounts {
    fn default() -> Self {
        Self([0; DISTINCT_ROLLS])
    }
}

/// `CROSS JOIN` makes games the outer loop (SQLite does not reorder it), so that the turns of a game
/// come together and in the order of the file; sorting would take longer than counting.
const TURNS: &str = "
    SELECT g.id, g.white_player_id, g.black_player_id, t.turn_number, t.active_color,
           t.dice_sorted, t.played_moves = '[]', t.is_partial IS 1, t.position_id IS t.position_after_id
    FROM games g CROSS JOIN turns t ON t.game_id = g.id
    WHERE (?1 IS NULL OR g.mode = ?1)
      AND (?2 IS NULL OR g.white_player_id = ?2 OR g.black_player_id = ?2)";

const GAMES_WITHOUT_TURNS: &str = "
    SELECT count(*) FROM games g
    WHERE (?1 IS NULL OR g.mode = ?1)
      AND (?2 IS NULL OR g.white_player_id = ?2 OR g.black_player_id = ?2)
      AND NOT EXISTS (SELECT 1 FROM turns t WHERE t.game_id = g.id)";

/// One roll of the game that is being read.
struct Seen {
    place: Option<usize>,
    is_white: bool,
    is_first: bool,
    is_pass: bool,
    is_partial: bool,
    is_unplayed: bool,
}

/// The turns of one game.
#[derive(Default)]
struct Game {
    id: String,
    white: Option<String>,
    black: Option<String>,
    rolls: Vec<Seen>,
}

/// Counts the rolls that the query asks for; `player` is our id.
pub(super) fn count(
    connection: &Connection,
    query: &DiceQuery,
    player: Option<&str>,
) -> Result<Tallies, ReportError> {
    let parameters = (query.mode.map(mode_text), player);
    let rolls = roll::all();
    let mut tallies = Tallies::default();
    let mut game = Game::default();
    let mut statement = connection.prepare(TURNS)?;
    let mut rows = statement.query(parameters)?;
    while let Some(row) = rows.next()? {
        if row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)? != game.id {
            tallies.add(&std::mem::replace(&mut game, read_game(row)?));
        }
        game.rolls.push(read_roll(row, &rolls)?);
    }
    tallies.add(&game);
    tallies.counted.games_without_turns = connection
        .query_row(GAMES_WITHOUT_TURNS, parameters, |row| row.get::<_, i64>(0))?
        .cast_unsigned();
    Ok(tallies)
}

fn read_game(row: &Row<'_>) -> rusqlite::Result<Game> {
    Ok(Game { id: row.get(0)?, white: row.get(1)?, black: row.get(2)?, rolls: Vec::new() })
}

fn read_roll(row: &Row<'_>, rolls: &[String]) -> rusqlite::Result<Seen> {
    let dice = row.get_ref(5)?.as_str_or_null().map_err(rusqlite::Error::from)?;
    let (no_moves, is_partial): (bool, bool) = (row.get(6)?, row.get(7)?);
    let is_unmoved = row.get::<_, bool>(8)?;
    Ok(Seen {
        place: roll::index(rolls, dice.unwrap_or_default()),
        is_white: row.get_ref(4)?.as_str().map_err(rusqlite::Error::from)? == "w",
        is_first: row.get::<_, i64>(3)? == 1,
        is_pass: no_moves && !is_unmoved,
        is_partial,
        is_unplayed: no_moves && is_unmoved,
    })
}

impl Tallies {
    fn add(&mut self, game: &Game) {
        if game.rolls.is_empty() {
            return;
        }
        if game.rolls.iter().any(|roll| roll.place.is_none()) {
            self.counted.games_with_fewer_dice += 1;
            return;
        }
        self.counted.games += 1;
        for roll in &game.rolls {
            self.add_roll(game, roll);
        }
    }

    fn add_roll(&mut self, game: &Game, roll: &Seen) {
        let Some(place) = roll.place else { return };
        let (side, roller) = if roll.is_white {
            (&mut self.white, &game.white)
        } else {
            (&mut self.black, &game.black)
        };
        side.0[place] += 1;
        if roll.is_first {
            self.first.0[place] += 1;
        }
        if let Some(roller) = roller {
            match self.players.get_mut(roller) {
                Some(counts) => counts.0[place] += 1,
                None => self.players.entry(roller.clone()).or_default().0[place] += 1,
            }
        }
        self.counted.rolls += 1;
        self.counted.passes += u64::from(roll.is_pass);
        self.counted.partly_played += u64::from(roll.is_partial);
        self.counted.unplayed += u64::from(roll.is_unplayed);
    }
}
