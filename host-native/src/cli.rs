//! The command line.

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Parser, Subcommand};
use dicechess_core::ids::{GameId, UserId};

use crate::commands::backup::BackupArgs;
use crate::commands::crawl::CrawlArgs;
use crate::commands::demo::DemoArgs;
use crate::commands::doctor::DoctorArgs;
use crate::commands::export::ExportArgs;
use crate::commands::import::ImportArgs;
use crate::commands::normalize::NormalizeArgs;
use crate::commands::pair::PairArgs;
use crate::commands::replay::ReplayArgs;
use crate::commands::report::ReportArgs;
use crate::commands::restore::RestoreArgs;
use crate::commands::serve::ServeArgs;
use crate::commands::sim::SimArgs;
use crate::commands::verify::VerifyArgs;
use crate::commands::watch::WatchArgs;
use crate::config::{CrawlSettings, SECRETS_HELP, StoreSettings};

/// Gets every Dice Chess game that can be reached: raw in SQLite, normalised, posted, archived.
///
/// A newcomer starts with `dicechess-sync demo`: it backfills a simulated site and says what to try
/// next. An operator sets DICECHESS_JWT and SEED_IDS and runs `dicechess-sync crawl`.
#[derive(Debug, Parser)]
#[command(name = "dicechess-sync", version, styles = STYLES, propagate_version = true)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Backfill a simulated site and see the whole of it work.
    Demo(DemoArgs),
    /// One pass: seed, enumerate, fetch, post, archive; then exit.
    #[command(after_help = SECRETS_HELP)]
    Crawl(Box<CrawlArgs>),
    /// Crawl for months: one cycle after the other, with a dashboard, a gateway for browsers and
    /// metrics.
    #[command(after_help = SECRETS_HELP)]
    Serve(Box<ServeArgs>),
    /// Players whose games are wanted within minutes of their end.
    Watch(WatchArgs),
    /// What the database holds and what is left to do.
    Status {
        /// Print JSON for scripts.
        #[arg(long)]
        json: bool,
        /// Settings.
        #[command(flatten)]
        settings: Box<CrawlSettings>,
    },
    /// Add players to the frontier.
    Seed {
        /// Their user ids.
        #[arg(required = true, allow_negative_numbers = true)]
        ids: Vec<UserId>,
        /// Settings.
        #[command(flatten)]
        settings: StoreSettings,
    },
    /// Put games back into the queue for posting, from the raw copy.
    Replay(ReplayArgs),
    /// Ask the site for a game again; the raw copy stays, a differing answer becomes a revision.
    Refetch {
        /// The game.
        game: GameId,
        /// Settings.
        #[command(flatten)]
        settings: StoreSettings,
    },
    /// Let a browser extension send the games it sees.
    Pair(PairArgs),
    /// A game as a person reads it.
    Show {
        /// The game; the latest one when left out.
        game: Option<GameId>,
        /// Print the ingest document instead.
        #[arg(long)]
        json: bool,
        /// Settings.
        #[command(flatten)]
        settings: StoreSettings,
    },
    /// Normalise and replay every raw game and say what would be rejected and why.
    Verify(VerifyArgs),
    /// Turn raw games into ingest documents: standard input or a file to standard output.
    Normalize(NormalizeArgs),
    /// Answer from the analytics store: dice, players, openings, positions.
    Report(ReportArgs),
    /// Write the analytics store out for other programs.
    Export(ExportArgs),
    /// Serve the embedded analytics alone: the API, its description and a page to browse it.
    #[command(after_help = SECRETS_HELP)]
    Analytics {
        /// Settings.
        #[command(flatten)]
        settings: Box<CrawlSettings>,
    },
    /// Look at configuration, database and parties, with advice for each finding.
    Doctor(Box<DoctorArgs>),
    /// Copy the databases, verified, while the daemon runs.
    Backup(BackupArgs),
    /// Put a backup in the place of the database.
    Restore(RestoreArgs),
    /// Rebuild catalogue and raw answers from an archive directory; the site is not asked.
    Import(Box<ImportArgs>),
    /// Serve a simulated site to crawl.
    Sim(SimArgs),
}

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());
