//! `verify`: every raw game is normalised and replayed, and nothing is changed.
//!
//! Works on all cores and in portions, so memory stays flat however large the database is.

use std::collections::BTreeMap;
use std::io::Write;

use clap::Args;
use dicechess_core::ids::GameId;
use dicechess_core::ingest::assemble_ingest;
use dicechess_core::replay::{recorded_differences, replay};
use dicechess_core::site::HistoryEntry;
use rayon::prelude::*;
use serde::Serialize;

use super::CommandError;
use crate::config::{StoreSettings, resolve_store};
use crate::exit_code::Exit;
use crate::printable::counted;
use crate::progress::{Line, Progress};
use crate::store::{RawGame, Store};

/// Arguments of `verify`.
#[derive(Debug, Args)]
#[command(
    after_help = "Ends with 65 if analytics would refuse a game or one cannot be normalised. \
Games without a state map are counted by themselves: the site has none of some bots' games."
)]
pub struct VerifyArgs {
    /// Print JSON for scripts.
    #[arg(long)]
    json: bool,
    /// Settings.
    #[command(flatten)]
    settings: StoreSettings,
}

/// Games read at once.
const PORTION: usize = 512;
/// Games named for each cause.
const EXAMPLES: usize = 5;

/// What was found.
#[derive(Debug, Default, Serialize)]
struct Findings {
    /// Games looked at.
    games: u64,
    /// Games that are legal.
    legal: u64,
    /// Games that the site has no moves of.
    without_map: u64,
    /// Turns replayed.
    turns: u64,
    /// Turns after which the recorded board is not the replayed one.
    recorded_differently: u64,
    /// What would be rejected, by cause.
    problems: BTreeMap<String, Problem>,
}

#[derive(Debug, Default, Serialize)]
struct Problem {
    games: u64,
    examples: Vec<String>,
}

/// The verdict on one game.
enum Verdict {
    Legal { turns: u64, recorded_differently: u64 },
    WithoutMap,
    Bad { cause: &'static str, message: String },
}

/// Verifies everything cached.
///
/// # Errors
/// The database failed.
pub fn run(args: &VerifyArgs) -> Result<Exit, CommandError> {
    let (db_path, log_format) = resolve_store(&args.settings)?;
    let progress = Progress::on_stderr(true);
    crate::logging::start(log_format, &progress);
    let store = Store::open_existing(&db_path)?;
    let mut left = store.raw_count()?;
    let mut findings = Findings::default();
    let mut after = None;
    loop {
        let portion = store.raw_games(after, PORTION)?;
        let Some(last) = portion.last() else { break };
        after = Some(last.game_id);
        let verdicts: Vec<(GameId, Verdict)> =
            portion.par_iter().map(|game| (game.game_id, judge(game))).collect();
        left = left.saturating_sub(verdicts.len() as u64);
        for (game, verdict) in verdicts {
            findings.add(game, verdict);
        }
        progress.show(Line::Verify, findings.games, Some(left), "");
    }
    progress.clear();
    findings.print(args.json)?;
    Ok(if findings.problems.is_empty() { Exit::Done } else { Exit::BadInput })
}

fn judge(raw: &RawGame) -> Verdict {
    let bad = |cause, message: String| Verdict::Bad { cause, message };
    let (Some(meta), Some(queried)) = (&raw.history_meta_json, raw.meta_source_user_id) else {
        return bad("no_history_entry", "no history entry is stored".to_owned());
    };
    let entry = match HistoryEntry::parse(meta) {
        Ok(entry) => entry,
        Err(error) => return bad("broken_entry", error.to_string()),
    };
    let game = match entry.normalize(queried, &raw.move_history_json) {
        Ok(game) => assemble_ingest(&entry, queried, game, [None, None]),
        Err(error) if error.kind() == "no_state_map" => return Verdict::WithoutMap,
        Err(error) => return bad(error.kind(), error.to_string()),
    };
    match replay(&game) {
        Ok(replayed) => Verdict::Legal {
            turns: replayed.turns.len() as u64,
            recorded_differently: recorded_differences(&game, &replayed) as u64,
        },
        Err(error) => bad("illegal", error.to_string()),
    }
}

impl Findings {
    fn add(&mut self, game: GameId, verdict: Verdict) {
        self.games += 1;
        match verdict {
            Verdict::Legal { turns, recorded_differently } => {
                self.legal += 1;
                self.turns += turns;
                self.recorded_differently += recorded_differently;
            }
            Verdict::WithoutMap => self.without_map += 1,
            Verdict::Bad { cause, message } => {
                let problem = self.problems.entry(cause.to_owned()).or_default();
                problem.games += 1;
                if problem.examples.len() < EXAMPLES {
                    problem.examples.push(format!("{game}: {message}"));
                }
            }
        }
    }

    fn print(&self, json: bool) -> Result<(), CommandError> {
        let mut out = std::io::stdout().lock();
        if json {
            let text = serde_json::to_string(self).map_err(std::io::Error::from)?;
            return Ok(writeln!(out, "{text}")?);
        }
        writeln!(out, "{}: {} legal", counted(self.games, "raw game", "raw games"), self.legal)?;
        writeln!(
            out,
            "{} replayed; after {} of them the site recorded another board",
            counted(self.turns, "turn", "turns"),
            self.recorded_differently
        )?;
        if self.without_map > 0 {
            writeln!(
                out,
                "{} no state map: the site has none of some bots' games",
                counted(self.without_map, "game has", "games have")
            )?;
        }
        for (cause, problem) in &self.problems {
            writeln!(
                out,
                "{} would be rejected: {cause}",
                counted(problem.games, "game", "games")
            )?;
            for example in &problem.examples {
                writeln!(out, "  {example}")?;
            }
        }
        if self.problems.is_empty() {
            writeln!(out, "Nothing would be rejected.")?;
        }
        Ok(())
    }
}
