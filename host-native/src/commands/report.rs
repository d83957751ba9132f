//! `report`: the answers people collect games for.
//!
//! What is counted and how is the analytics crate's matter; this prints a table, JSON or a picture.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};
use dicechess_analytics::Receiver;
use dicechess_analytics::report::{self, DiceQuery, OpeningsQuery, PositionQuery, ReportError};
use dicechess_core::ingest::Mode;
use rusqlite::{Connection, OpenFlags};
use serde::Serialize;

use super::CommandError;
use crate::config::{StoreSettings, resolve_analytics_db};
use crate::exit_code::Exit;
use crate::progress::tell;

/// Arguments of `report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Debug, Subcommand)]
enum Kind {
    /// Are the dice fair? Frequencies, tests and what was counted.
    Dice {
        /// Only the games of this player (the site's user id).
        #[arg(long, value_name = "ID", allow_negative_numbers = true)]
        player: Option<String>,
        /// Only games of this mode.
        #[arg(long, value_enum)]
        mode: Option<ModeArg>,
        #[command(flatten)]
        output: Output,
    },
    /// How a player does: colours, modes, opponents, time controls, rating, profit.
    Player {
        /// The site's user id.
        #[arg(allow_negative_numbers = true)]
        player: String,
        #[command(flatten)]
        output: Output,
    },
    /// What was played from a position, and how it went.
    Openings {
        /// The position; the start position when left out.
        #[arg(long)]
        fen: Option<String>,
        /// Only this roll, as letters: PNB.
        #[arg(long)]
        dice: Option<String>,
        /// Only games of this mode.
        #[arg(long, value_enum)]
        mode: Option<ModeArg>,
        /// Leave out continuations of fewer games.
        #[arg(long, default_value_t = 1, value_name = "N")]
        min_games: u64,
        /// List at most so many.
        #[arg(long, default_value_t = 20, value_name = "N")]
        limit: usize,
        #[command(flatten)]
        output: Output,
    },
    /// What a position is worth before the roll, and whether to double.
    Position {
        /// The position.
        fen: String,
        /// Only games of this mode.
        #[arg(long, value_enum)]
        mode: Option<ModeArg>,
        #[command(flatten)]
        output: Output,
    },
}

#[derive(Debug, Clone, Args)]
struct Output {
    /// Print JSON for scripts.
    #[arg(long)]
    json: bool,
    /// Draw a picture into this SVG file as well.
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    settings: StoreSettings,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ModeArg {
    /// The stake is fixed.
    Classic,
    /// The stake can be doubled.
    X2,
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Self {
        match mode {
            ModeArg::Classic => Self::Classic,
            ModeArg::X2 => Self::X2,
        }
    }
}

/// Prints a report.
///
/// # Errors
/// There is no store, the question cannot be read, or the output cannot be written.
pub fn run(args: &ReportArgs) -> Result<Exit, CommandError> {
    match &args.kind {
        Kind::Dice { player, mode, output } => {
            let query = DiceQuery {
                player: player.clone(),
                mode: mode.map(Mode::from),
                ..DiceQuery::default()
            };
            let report = report::dice(&output.connection()?, &query)?;
            output.print(&report, || report.table(), || report.svg())
        }
        Kind::Player { player, output } => {
            let report = report::player(&output.connection()?, player)?;
            output.print(&report, || report.table(), || report.svg())
        }
        Kind::Openings { fen, dice, mode, min_games, limit, output } => {
            let query = OpeningsQuery {
                fen: fen.clone(),
                dice: dice.clone(),
                mode: mode.map(Mode::from),
                min_games: *min_games,
                limit: *limit,
            };
            let report = report::openings(&output.connection()?, &query)?;
            output.print(&report, || report.table(), || report.svg())
        }
        Kind::Position { fen, mode, output } => {
            let query = PositionQuery { fen: fen.clone(), mode: mode.map(Mode::from) };
            let report = report::position(&output.connection()?, &query)?;
            output.print(&report, || report.table(), || report.svg())
        }
    }
}

impl Output {
    fn connection(&self) -> Result<Connection, CommandError> {
        open_for_reading(&resolve_analytics_db(&self.settings)?)
    }

    fn print(
        &self,
        report: &impl Serialize,
        table: impl FnOnce() -> String,
        svg: impl FnOnce() -> String,
    ) -> Result<Exit, CommandError> {
        let mut out = std::io::stdout().lock();
        if self.json {
            let text = serde_json::to_string(report).map_err(std::io::Error::from)?;
            writeln!(out, "{text}")?;
        } else {
            write!(out, "{}", table())?;
        }
        if let Some(path) = &self.plot {
            std::fs::write(path, svg()).map_err(|error| {
                CommandError::Unusable(format!("{} cannot be written: {error}", path.display()))
            })?;
            tell(&format!("The picture is in {}.", path.display()));
        }
        Ok(Exit::Done)
    }
}

/// Opens the analytics store, brought up to date, to be read only.
pub(super) fn open_for_reading(path: &Path) -> Result<Connection, CommandError> {
    if !path.exists() {
        return Err(CommandError::BadInput(format!(
            "there is no analytics store {}: run `dicechess-sync crawl` (or `demo`) first, or set \
             ANALYTICS_DB",
            path.display()
        )));
    }
    // A store of an older version gets its tables filled first.
    drop(Receiver::open(path)?);
    Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
        .map_err(|error| CommandError::Unreadable(format!("{}: {error}", path.display())))
}

impl From<ReportError> for CommandError {
    fn from(error: ReportError) -> Self {
        match error {
            ReportError::Store(error) => Self::Unreadable(format!("the analytics store: {error}")),
            error => Self::BadInput(error.to_string()),
        }
    }
}
