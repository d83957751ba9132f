//! `import`: catalogue and raw answers rebuilt from an archive directory or a file of bundles.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use dicechess_core::bundle::{ArchivedGame, Bundle};
use rayon::prelude::*;
use serde::Serialize;

use super::CommandError;
use crate::archive::{ArchiveUrl, BundleFile, BundleLine, BundleLines, bundle_files, read_bundle};
use crate::clock::now;
use crate::config::{CrawlSettings, resolve_archive};
use crate::exit_code::Exit;
use crate::progress::{Line, Progress};
use crate::shutdown::Shutdown;
use crate::store::{Imported, LeaseKeeper, Store};

/// Arguments of `import`.
#[derive(Debug, Args)]
#[command(after_help = "\
SOURCE is an archive as ARCHIVE_URL names one, with files SOURCE/dicechess.com/<xx>/<game>.json.zst, \
or a file with one bundle a line, as the browser extension exports it, or - for such lines on \
standard input. Each bundle becomes a game whose moves are there already: the site is never asked for it. Its players \
enter the frontier, and the next crawl posts it. What the database knows stays as it is, so an \
import can be interrupted and repeated. While the daemon crawls nothing is done (exit code 5): stop \
it first. What the archive says is believed: import only one that you trust.

If SOURCE is the configured archive, the games count as archived. A bundle without moves, of a game \
whose moves a browser has not seen, is counted and left out. Ends with 65 if a bundle is broken; all \
others are imported nevertheless.

  dicechess-sync import /mnt/archive
  dicechess-sync import dicechess-2026-05-01.jsonl
  zcat games.jsonl.gz | dicechess-sync import -")]
pub struct ImportArgs {
    /// The archive directory, a file of bundles, or - for standard input.
    source: PathBuf,
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
    /// Bundles without moves, left out.
    without_moves: u64,
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
/// The configuration is wrong, the source is no archive and no file, or the database failed.
pub fn run(args: &ImportArgs) -> Result<Exit, CommandError> {
    let (db_path, archive, log_format) = resolve_archive(&args.settings)?;
    let progress = Progress::on_stderr(true);
    crate::logging::start(log_format, &progress);
    let source = Source::open(&args.source)?;
    let is_archived = is_same_directory(&archive, &args.source);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        let shutdown = Shutdown::on_signals()?;
        let store = Arc::new(Store::open(&db_path)?);
        let lease = LeaseKeeper::take(&store, shutdown.clone())?;
        let Some(lease) = lease.or_say_who_holds_it(&store) else { return Ok(Exit::LeaseHeld) };
        let outcome = match source {
            Source::Archive(files) => import(&store, &files, is_archived, &shutdown, &progress),
            Source::Lines(reader) => {
                import_lines(&store, reader, &args.source, &shutdown, &progress)
            }
        };
        let still_held = lease.release().await;
        let outcome = outcome?;
        still_held?;
        print(&outcome, args.json)?;
        Ok(if outcome.broken == 0 { Exit::Done } else { Exit::BadInput })
    })
}

/// Where bundles come from.
enum Source {
    Archive(Vec<BundleFile>),
    Lines(Box<dyn BufRead>),
}

impl Source {
    fn open(path: &Path) -> Result<Self, CommandError> {
        if path == Path::new("-") {
            return Ok(Self::Lines(Box::new(BufReader::new(std::io::stdin()))));
        }
        if path.is_file() {
            let file = File::open(path).map_err(|error| super::read_error(path, &error))?;
            return Ok(Self::Lines(Box::new(BufReader::new(file))));
        }
        let files = bundle_files(path).map_err(|error| {
            CommandError::BadInput(format!(
                "{} is no archive directory and no file: it has no readable folder dicechess.com \
                 ({error})",
                path.display()
            ))
        })?;
        Ok(Self::Archive(files))
    }
}

fn import_lines(
    store: &Store,
    reader: Box<dyn BufRead>,
    source: &Path,
    shutdown: &Shutdown,
    progress: &Progress,
) -> Result<Outcome, CommandError> {
    let mut outcome = Outcome::default();
    let mut lines = BundleLines::new(reader);
    loop {
        if shutdown.is_requested() {
            outcome.interrupted = true;
            break;
        }
        let portion = lines.next_portion(PORTION);
        let portion = portion.map_err(|error| super::read_error(source, &error))?;
        if portion.is_empty() {
            break;
        }
        import_portion_of_lines(store, &portion, source, &mut outcome)?;
        if progress.is_due(Line::Import) {
            progress.show(Line::Import, outcome.bundles, None, "");
        }
    }
    progress.clear();
    Ok(outcome)
}

fn import_portion_of_lines(
    store: &Store,
    portion: &[BundleLine],
    source: &Path,
    outcome: &mut Outcome,
) -> Result<(), CommandError> {
    let mut games = Vec::with_capacity(portion.len());
    for (number, text) in portion {
        outcome.bundles += 1;
        let read = text.as_deref().map_err(Clone::clone).and_then(game_of_line);
        match read {
            Ok(Some(game)) => games.push(game),
            Ok(None) => outcome.without_moves += 1,
            Err(reason) => {
                let place = format!("{}:{number}", source.display());
                outcome.note_broken(Path::new(&place), reason);
            }
        }
    }
    outcome.count(store.import_games(&games, false, now())?);
    Ok(())
}

/// The game of a line, unless its moves are missing.
fn game_of_line(text: &str) -> Result<Option<ArchivedGame<'_>>, String> {
    let bundle = Bundle::parse(text).map_err(|error| error.to_string())?;
    if bundle.move_history.is_none() {
        return Ok(None);
    }
    ArchivedGame::of(&bundle).map(Some).map_err(|error| error.to_string())
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
    outcome.count(store.import_games(&games, is_archived, now())?);
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
    fn count(&mut self, imported: Imported) {
        let Imported { games, known, cancelled, players } = imported;
        self.imported += games;
        self.known += known;
        self.cancelled += cancelled;
        self.new_players += players;
    }

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
    if outcome.without_moves > 0 {
        let count = outcome.without_moves;
        writeln!(out, "{count} bundles without moves were left out: a crawl finds those games.")?;
    }
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
