//! Are the dice fair?
//!
//! Decides the questions (which groups of rolls are looked at, which tests are made of each) and
//! what is said about the answers. Two chi-square tests a group: the three kinds of rolls (two
//! degrees of freedom) and the 56 distinct rolls (55). All p-values of a report are corrected
//! together by Holm's procedure, because the groups overlap and it allows for that. What is
//! counted is `count`'s matter.
//!
//! The first roll of each game is a group of its own: it is the one that hardly any choice of the
//! players keeps out of the store.

mod count;
mod picture;
mod roll;
mod text;

use dicechess_core::ingest::Mode;
use rusqlite::{Connection, OptionalExtension};
use serde::Serialize;

use super::ReportError;
use super::filter::{Player, mode_text};
use super::inference::{ChiSquareTest, Interval, holm};
use super::text::shorten;
pub use count::Counted;
use count::{Counts, RollCounts, Tallies};
pub use roll::{DISTINCT_ROLLS, RollKind};

/// A p-value below this is called remarkable.
const LEVEL: f64 = 0.05;

/// Which rolls are looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiceQuery {
    /// Only the games of this player, by the site's id or ours.
    pub player: Option<String>,
    /// Only games of this mode.
    pub mode: Option<Mode>,
    /// How many of the most active players get a line of their own.
    pub players: usize,
}

impl Default for DiceQuery {
    fn default() -> Self {
        Self { player: None, mode: None, players: 10 }
    }
}

/// The answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DiceReport {
    /// The player that was asked for.
    pub player: Option<Player>,
    /// The mode that was asked for.
    pub mode: Option<Mode>,
    /// What was counted and left out.
    pub counted: Counted,
    /// All rolls first, then the parts.
    pub groups: Vec<DiceGroup>,
    /// How often each distinct roll was seen, over all rolls.
    pub rolls: Vec<RollShare>,
    /// How many tests the correction allows for.
    pub questions: usize,
    /// What a reader has to know to trust the figures.
    pub notes: Vec<String>,
}

/// A part of the rolls.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DiceGroup {
    /// Whose rolls, e.g. `White`.
    pub label: String,
    /// How many.
    pub rolls: u64,
    /// Singles, doubles, triples.
    pub kinds: [KindShare; 3],
    /// Doubles and triples together.
    pub doubles_and_triples: Share,
    /// The test of the three kinds; none with too few rolls (fewer than 180).
    pub kinds_test: Option<ChiSquareTest>,
    /// The test of the 56 rolls; none with too few rolls (fewer than 1,080).
    pub rolls_test: Option<ChiSquareTest>,
}

/// A share of the rolls beside what fair dice give.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Share {
    /// How many rolls.
    pub count: u64,
    /// Of all rolls of the group, 0 to 1; 0 without rolls.
    pub share: f64,
    /// What fair dice give.
    pub expected: f64,
    /// The 95 % Wilson interval of the share; none without rolls.
    pub interval: Option<Interval>,
}

/// A kind of roll and its share.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct KindShare {
    /// The kind.
    pub kind: RollKind,
    /// Its share.
    #[serde(flatten)]
    pub share: Share,
}

/// A roll and its share.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RollShare {
    /// Its letters in upper case.
    pub dice: String,
    /// Its share.
    #[serde(flatten)]
    pub share: Share,
}

/// Answers whether the dice are fair.
///
/// # Errors
/// The player is unknown, or the store cannot be read.
pub fn dice(connection: &Connection, query: &DiceQuery) -> Result<DiceReport, ReportError> {
    let player = query.player.as_deref().map(|name| Player::find(connection, name)).transpose()?;
    let tallies = count::count(connection, query, player.as_ref().map(|player| &*player.id))?;
    let all = sum(&tallies.white, &tallies.black);
    let mut groups = vec![group("all rolls", &all.0)];
    groups.push(group("White", &tallies.white.0));
    groups.push(group("Black", &tallies.black.0));
    groups.push(group("first roll of a game", &tallies.first.0));
    groups.extend(match &player {
        Some(player) => both_players(&tallies, player, &all),
        None => most_active(connection, &tallies, query.players)?,
    });
    let questions = correct(&mut groups);
    let rolls = roll_shares(&all.0);
    let notes = text::explain(&tallies.counted, &groups, questions);
    let counted = tallies.counted;
    Ok(DiceReport { player, mode: query.mode, counted, groups, rolls, questions, notes })
}

fn sum(a: &RollCounts, b: &RollCounts) -> RollCounts {
    RollCounts(std::array::from_fn(|place| a.0[place] + b.0[place]))
}

/// The asked player's own rolls and those of everybody he met.
fn both_players(tallies: &Tallies, player: &Player, all: &RollCounts) -> Vec<DiceGroup> {
    let none = RollCounts::default();
    let own = tallies.players.get(&player.id).unwrap_or(&none);
    let others: Counts = std::array::from_fn(|place| all.0[place] - own.0[place]);
    vec![group(&format!("{}, own rolls", player.label()), &own.0), group("opponents", &others)]
}

/// The players with the most rolls. That does not depend on what they rolled.
fn most_active(
    connection: &Connection,
    tallies: &Tallies,
    limit: usize,
) -> Result<Vec<DiceGroup>, ReportError> {
    const FIND: &str = "SELECT id, external_id, username, player_type FROM players WHERE id = ?1";
    let total = |counts: &RollCounts| counts.0.iter().sum::<u64>();
    let mut players: Vec<_> = tallies.players.iter().collect();
    players.sort_by(|a, b| total(b.1).cmp(&total(a.1)).then_with(|| a.0.cmp(b.0)));
    let mut find = connection.prepare(FIND)?;
    let mut one = |(id, counts): &(&String, &RollCounts)| {
        let read = |row: &rusqlite::Row<'_>| {
            let (id, external_id) = (row.get(0)?, row.get(1)?);
            Ok(Player { id, external_id, username: row.get(2)?, player_type: row.get(3)? })
        };
        let player = find.query_row([id], read).optional()?;
        Ok(group(&player.map_or_else(|| (*id).clone(), |player| player.label()), &counts.0))
    };
    players.iter().take(limit).map(&mut one).collect()
}

fn group(label: &str, counts: &Counts) -> DiceGroup {
    let names = roll::all();
    let rolls = counts.iter().sum();
    let of_kind = |wanted: RollKind| -> u64 {
        let pairs = names.iter().zip(counts);
        pairs.filter(|(name, _)| roll::kind(name) == wanted).map(|(_, count)| count).sum()
    };
    let kinds = RollKind::ALL
        .map(|kind| KindShare { kind, share: share(of_kind(kind), rolls, kind.expected()) });
    let paired = rolls - kinds[0].share.count;
    let cells: Vec<_> = kinds.iter().map(|kind| (kind.share.count, kind.share.expected)).collect();
    let expected = |name: &String| roll::kind(name).expected_of_one();
    let roll_cells: Vec<_> = counts.iter().copied().zip(names.iter().map(expected)).collect();
    DiceGroup {
        label: label.to_owned(),
        rolls,
        kinds,
        doubles_and_triples: share(paired, rolls, 1.0 - RollKind::Single.expected()),
        kinds_test: ChiSquareTest::of(&cells),
        rolls_test: ChiSquareTest::of(&roll_cells),
    }
}

fn share(count: u64, of: u64, expected: f64) -> Share {
    let share = if of == 0 { 0.0 } else { count as f64 / of as f64 };
    Share { count, share, expected, interval: Interval::wilson(count as f64, of) }
}

fn roll_shares(counts: &Counts) -> Vec<RollShare> {
    let total = counts.iter().sum();
    let one = |(dice, count): (String, &u64)| {
        let expected = roll::kind(&dice).expected_of_one();
        RollShare { dice, share: share(*count, total, expected) }
    };
    roll::all().into_iter().zip(counts).map(one).collect()
}

/// Corrects all p-values together; answers how many there are.
fn correct(groups: &mut [DiceGroup]) -> usize {
    let each = |group: &DiceGroup| [group.kinds_test, group.rolls_test];
    let p_values: Vec<f64> =
        groups.iter().flat_map(each).flatten().map(|test| test.p_value).collect();
    let mut corrected = holm(&p_values).into_iter();
    for group in groups {
        for test in [&mut group.kinds_test, &mut group.rolls_test].into_iter().flatten() {
            test.p_holm = corrected.next().unwrap_or(test.p_value);
        }
    }
    p_values.len()
}

impl DiceGroup {
    /// Whether one of its tests is remarkable after the correction.
    pub fn is_remarkable(&self) -> bool {
        let tests = [self.kinds_test, self.rolls_test];
        tests.into_iter().flatten().any(|test| test.p_holm < LEVEL)
    }
}

impl DiceReport {
    /// A text table of 80 columns.
    pub fn table(&self) -> String {
        text::table(self)
    }

    /// An SVG picture.
    pub fn svg(&self) -> String {
        picture::svg(self)
    }

    /// Whose and which rolls, in words.
    fn scope(&self) -> String {
        let whose =
            self.player.as_ref().map(|player| format!("games of {}", shorten(&player.label(), 40)));
        let mode = self.mode.map(|mode| format!("mode {}", mode_text(mode)));
        let parts: Vec<String> = whose.into_iter().chain(mode).collect();
        if parts.is_empty() { "all games".to_owned() } else { parts.join(", ") }
    }
}
