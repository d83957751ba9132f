//! `import`: catalogue and raw answers rebuilt from an archive directory.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use dicechess_core::bundle::{ArchivedGame, Bundle};
use rayon::prelude::*;
use serde::Serialize;

use super::CommandError;
use crate::archive::{ArchiveUrl, BundleFile, bundle_files, read_bundle};
use crate::clock::now;
use crate::config::{CrawlSettings, resolve_archive};
use crate::exit_code::Exit;
use crate::progress::{Line, Progress};
use crate::shutdown::Shutdown;
use crate::store::{Imported, LeaseKeeper, Store};

/// Arguments of `import`.
#[derive(Debug, Args)]
#[command(after_help = "\
DIR is an archive as ARCHIVE_URL names one, with files DIR/dicechess.com/<xx>/<game>.json.zst. Each \
bundle becomes a game whose moves are there already: the site is never asked for it. Its players \
enter the frontier, and the next crawl posts it. What the database knows stays as it is, so an \
import can be interrupted and repeated. While the daemon crawls nothing is done (exit code 5): stop \
it first. What the archive says is believed: import only one that you trust.

If DIR is the configured archive, the games count as archived. Ends with 65 if a bundle is broken; \
all others are imported nevertheless.")]
pub struct ImportArgs {
    /// The archive directory.
    dir: PathBuf,
    /// Print JSON for scripts.
    #[arg(long)]
    json: bool,
    /// Settings.
    #[command(flatten)]
    settings: CrawlSettings,
}

/// Bundles read at once and committed together.
const PORTION: usize = 128;
/// Broken bundles named.
const EXAMPLES: usize = 20;

/// What was done.
#[derive(Debug, Default, Serialize)]
struct Outcome {
    bundles: u64,
    imported: u64,
    known: u64,
    cancelled: u64,
    new_players: u64,
    broken: u64,
    /// A stop was asked for before the end.
    interrupted: bool,
    /// The first broken ones.
    broken_bundles: Vec<Broken>,
}

/// A bundle that could not be imported.
#[derive(Debug, Serialize)]
struct Broken {
    path: PathBuf,
    reason: String,
}

/// Imports an archive.
///
/// # Errors
/// The configuration is wrong, the directory is no archive, or the database failed.
pub fn run(args: &ImportArgs) -> Result<Exit, CommandError> {
    let (db_path, archive, log_format) = resolve_archive(&args.settings)?;
    let progress = Progress::on_stderr(true);
    crate::logging::start(log_format, &progress);
    let files = bundle_files(&args.dir).map_err(|error| {
        CommandError::BadInput(format!(
            "{} is no archive directory: it has no readable folder dicechess.com ({error})",
            args.dir.display()
        ))
    })?;
    let is_archived = is_same_directory(&archive, &args.dir);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        let shutdown = Shutdown::on_signals()?;
        let store = Arc::new(Store::open(&db_path)?);
        let lease = LeaseKeeper::take(&store, shutdown.clone())?;
        let Some(lease) = lease.or_say_who_holds_it(&store) else { return Ok(Exit::LeaseHeld) };
        let outcome = import(&store, &files, is_archived, &shutdown, &progress);
        let still_held = lease.release().await;
        let outcome = outcome?;
        still_held?;
        print(&outcome, args.json)?;
        Ok(if outcome.broken == 0 { Exit::Done } else { Exit::BadInput })
    })
}

fn import(
    store: &Store,
    files: &[BundleFile],
    is_archived: bool,
    shutdown: &Shutdown,
    progress: &Progress,
) -> Result<Outcome, CommandError> {
    let mut outcome = Outcome { bundles: files.len() as u64, ..Outcome::default() };
    for (index, portion) in files.chunks(PORTION).enumerate() {
        if shutdown.is_requested() {
            outcome.interrupted = true;
            break;
        }
        import_portion(store, portion, is_archived, &mut outcome)?;
        let done = ((index + 1) * PORTION).min(files.len()) as u64;
        if progress.is_due(Line::Import) {
            progress.show(Line::Import, done, Some(outcome.bundles - done), "");
        }
    }
    progress.clear();
    Ok(outcome)
}

fn import_portion(
    store: &Store,
    portion: &[BundleFile],
    is_archived: bool,
    outcome: &mut Outcome,
) -> Result<(), CommandError> {
    let ids: Vec<_> = portion.iter().map(|file| file.game).collect();
    let known = store.with_moves(&ids)?;
    if is_archived {
        store.note_archived(known.iter().copied(), now())?;
    }
    outcome.known += known.len() as u64;
    let texts: Vec<_> = portion
        .par_iter()
        .filter(|file| !known.contains(&file.game))
        .map(|file| (file, read_bundle(&file.path).map_err(|error| error.to_string())))
        .collect();
    let mut games = Vec::with_capacity(texts.len());
    for (file, text) in &texts {
        match text.as_ref().map_err(Clone::clone).and_then(|text| archived_game(file, text)) {
            Ok(game) => games.push(game),
            Err(reason) => outcome.note_broken(&file.path, reason),
        }
    }
    let Imported { games, known, cancelled, players } =
        store.import_games(&games, is_archived, now())?;
    outcome.imported += games;
    outcome.known += known;
    outcome.cancelled += cancelled;
    outcome.new_players += players;
    Ok(())
}

fn archived_game<'a>(file: &BundleFile, text: &'a str) -> Result<ArchivedGame<'a>, String> {
    let bundle = Bundle::parse(text).map_err(|error| error.to_string())?;
    if bundle.game_id != file.game {
        return Err(format!("it is the bundle of game {}", bundle.game_id));
    }
    ArchivedGame::of(&bundle).map_err(|error| error.to_string())
}

fn is_same_directory(archive: &ArchiveUrl, dir: &Path) -> bool {
    let ArchiveUrl::Directory(configured) = archive else { return false };
    match (configured.canonicalize(), dir.canonicalize()) {
        (Ok(configured), Ok(dir)) => configured == dir,
        _ => false,
    }
}

impl Outcome {
    fn note_broken(&mut self, path: &Path, reason: String) {
        tracing::warn!(path = %path.display(), "not imported: {reason}");
        self.broken += 1;
        if self.broken_bundles.len() < EXAMPLES {
            self.broken_bundles.push(Broken { path: path.to_owned(), reason });
        }
    }
}

fn print(outcome: &Outcome, as_json: bool) -> Result<(), CommandError> {
    let mut out = std::io::stdout().lock();
    if as_json {
        let text = serde_json::to_string(outcome).map_err(std::io::Error::from)?;
        writeln!(out, "{text}")?;
        return Ok(());
    }
    writeln!(
        out,
        "{} bundles: {} games imported, {} known already, {} cancelled on the site; {} new players",
        outcome.bundles, outcome.imported, outcome.known, outcome.cancelled, outcome.new_players
    )?;
    if outcome.broken > 0 {
        writeln!(out, "{} bundles are broken and were left out:", outcome.broken)?;
        for Broken { path, reason } in &outcome.broken_bundles {
            writeln!(out, "  {}: {}", path.display(), crate::printable::printable(reason))?;
        }
    }
    if outcome.interrupted {
        writeln!(out, "Interrupted: run it again and it goes on.")?;
    }
    if outcome.imported > 0 {
        writeln!(out, "The next crawl posts them to analytics; the site is not asked for them.")?;
    }
    Ok(())
}
