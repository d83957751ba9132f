//! `restore`: a backup back in its place.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::CommandError;
use super::backup::analytics_file;
use crate::clock::now;
use crate::config::{StoreSettings, resolve_analytics_db, resolve_store};
use crate::exit_code::Exit;
use crate::progress::{Line, Progress};
use crate::store::{BackupError, CheckedCopy, DatabaseKind, Restoration, Restored, restore};

/// Arguments of `restore`.
#[derive(Debug, Args)]
#[command(after_help = "\
The backup is checked (is it ours, is it whole, does this program know its version), copied beside \
DB_PATH and takes its place in one step. A database that is there already is only replaced with \
--force and is kept beside as DB_PATH.before-restore-TIME. While another process has the database \
open nothing is done (exit code 5): stop the daemon first.

The embedded analytics store is restored from the file that `backup` wrote beside FILE, if it is \
there: both or, on a failure, neither. Without it, `dicechess-sync replay posted` and a crawl fill it again from the raw answers.")]
pub struct RestoreArgs {
    /// The backup.
    file: PathBuf,
    /// Replace the database that is there, and keep it aside.
    #[arg(long)]
    force: bool,
    /// Leave the embedded analytics store as it is.
    #[arg(long)]
    without_analytics: bool,
    /// Print JSON for scripts.
    #[arg(long)]
    json: bool,
    /// Settings.
    #[command(flatten)]
    settings: StoreSettings,
}

/// One database put back.
#[derive(Debug, Serialize)]
struct InPlace {
    /// `sync` or `analytics`.
    database: &'static str,
    path: PathBuf,
    /// Where the one that was there is now.
    kept_aside: Option<PathBuf>,
    #[serde(flatten)]
    copy: CheckedCopy,
}

/// Puts a backup back.
///
/// # Errors
/// The backup is not usable, the database is there or in use, or a file cannot be written.
pub fn run(args: &RestoreArgs) -> Result<Exit, CommandError> {
    let (db_path, log_format) = resolve_store(&args.settings)?;
    let analytics_db = resolve_analytics_db(&args.settings)?;
    let progress = Progress::on_stderr(true);
    crate::logging::start(log_format, &progress);
    let mut restorations =
        vec![Restoration { kind: DatabaseKind::Sync, backup: args.file.clone(), to: db_path }];
    let beside = analytics_file(&args.file);
    if !args.without_analytics && beside.exists() {
        let kind = DatabaseKind::Analytics;
        restorations.push(Restoration { kind, backup: beside, to: analytics_db });
    }
    let outcome = restore(&restorations, args.force, now(), |done, left| {
        if progress.is_due(Line::Backup) {
            progress.show(Line::Backup, done, Some(left), "pages");
        }
    });
    progress.clear();
    let restored = outcome.map_err(|error| name_the_whole(error, &args.file))?;
    let restored: Vec<_> = restorations.into_iter().zip(restored).map(InPlace::of).collect();
    print(&restored, args.json)?;
    Ok(Exit::Done)
}

impl InPlace {
    fn of((Restoration { kind, to, .. }, done): (Restoration, Restored)) -> Self {
        let database = match kind {
            DatabaseKind::Sync => "sync",
            DatabaseKind::Analytics => "analytics",
        };
        Self { database, path: to, kept_aside: done.kept_aside, copy: done.copy }
    }
}

/// Says which file to name if the analytics part of a backup was named.
fn name_the_whole(error: BackupError, file: &Path) -> CommandError {
    let extension = file.extension().unwrap_or_default();
    let whole = file.with_extension("").with_extension(extension);
    if matches!(&error, BackupError::Unfit { path, .. } if path == file)
        && whole != file
        && analytics_file(&whole) == file
        && whole.exists()
    {
        let whole = whole.display();
        let advice = format!("name {whole}, and this file is restored along with it");
        return CommandError::BadInput(format!("{error}: {advice}"));
    }
    error.into()
}

fn print(restored: &[InPlace], as_json: bool) -> Result<(), CommandError> {
    let mut out = std::io::stdout().lock();
    if as_json {
        let text = serde_json::to_string(&serde_json::json!({ "files": restored }));
        writeln!(out, "{}", text.map_err(std::io::Error::from)?)?;
        return Ok(());
    }
    for InPlace { database, path, kept_aside, copy } in restored {
        let rows: u64 = copy.rows.values().sum();
        writeln!(out, "{database:9}  {} is in its place: {rows} rows, whole", path.display())?;
        if let Some(aside) = kept_aside {
            writeln!(out, "           the one that was there is kept as {}", aside.display())?;
        }
    }
    Ok(())
}
