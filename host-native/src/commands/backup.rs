//! `backup`: a verified copy of the databases, while the daemon runs.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use super::CommandError;
use crate::clock::now;
use crate::config::{StoreSettings, resolve_analytics_db, resolve_store};
use crate::exit_code::Exit;
use crate::progress::{Line, Progress};
use crate::store::{BackupError, CheckedCopy, DatabaseKind, back_up, file_time};

/// Arguments of `backup`.
#[derive(Debug, Args)]
#[command(after_help = "\
A backup is one consistent state, however busy the daemon is meanwhile. It is written under another \
name, read through (integrity check, rows of each table compared), flushed and only then gets its \
name. `dicechess-sync restore` puts it back. The archive is not part of it: its files never change \
and can be copied with any tool.

  dicechess-sync backup /mnt/backups/            a new file each time, named after the time
  dicechess-sync backup /mnt/backups/sync.db --force")]
pub struct BackupArgs {
    /// The file to write, or a folder in which a file named after the time is written. The
    /// embedded analytics store goes beside it.
    #[arg(value_name = "FILE|DIR")]
    target: PathBuf,
    /// Replace a backup of the same name.
    #[arg(long)]
    force: bool,
    /// Leave the embedded analytics store out: it can be filled again from the raw answers
    /// (`replay posted`).
    #[arg(long)]
    without_analytics: bool,
    /// Print JSON for scripts.
    #[arg(long)]
    json: bool,
    /// Settings.
    #[command(flatten)]
    settings: StoreSettings,
}

/// One copy.
#[derive(Debug, Serialize)]
struct Written {
    /// `sync` or `analytics`.
    database: &'static str,
    path: PathBuf,
    #[serde(flatten)]
    copy: CheckedCopy,
}

/// Writes a backup.
///
/// # Errors
/// The configuration is wrong, the target exists, or a file cannot be read or written.
pub fn run(args: &BackupArgs) -> Result<Exit, CommandError> {
    let (db_path, log_format) = resolve_store(&args.settings)?;
    let analytics_db = resolve_analytics_db(&args.settings)?;
    let progress = Progress::on_stderr(true);
    crate::logging::start(log_format, &progress);
    let target = target_file(&args.target);
    let mut sources = vec![("sync", DatabaseKind::Sync, db_path, target.clone())];
    if !args.without_analytics && analytics_db.exists() {
        let beside = analytics_file(&target);
        sources.push(("analytics", DatabaseKind::Analytics, analytics_db, beside));
    }
    let mut written = Vec::new();
    for (database, kind, from, path) in sources {
        super::create_parent(&path)?;
        let copy = back_up(&from, &path, kind, args.force, |done, left| {
            if progress.is_due(Line::Backup) {
                progress.show(Line::Backup, done, Some(left), "pages");
            }
        })
        .map_err(about_our_database)?;
        progress.clear();
        written.push(Written { database, path, copy });
    }
    print(&written, args.json)?;
    Ok(Exit::Done)
}

/// What is wrong with our own database is no bad input.
fn about_our_database(error: BackupError) -> CommandError {
    match error {
        error @ BackupError::Unfit { .. } => CommandError::Unreadable(error.to_string()),
        error => error.into(),
    }
}

/// The file itself, or a new one in the folder.
fn target_file(target: &Path) -> PathBuf {
    let names_folder = target.as_os_str().to_string_lossy().ends_with('/');
    if target.is_dir() || names_folder {
        target.join(format!("sync-{}.db", file_time(now())))
    } else {
        target.to_owned()
    }
}

/// `backup.db` has its `backup.analytics.db`.
pub(super) fn analytics_file(target: &Path) -> PathBuf {
    match target.extension() {
        Some(extension) => {
            let mut changed = std::ffi::OsString::from("analytics.");
            changed.push(extension);
            target.with_extension(changed)
        }
        None => target.with_extension("analytics"),
    }
}

fn print(written: &[Written], as_json: bool) -> Result<(), CommandError> {
    let mut out = std::io::stdout().lock();
    if as_json {
        let text = serde_json::to_string(&serde_json::json!({ "files": written }));
        writeln!(out, "{}", text.map_err(std::io::Error::from)?)?;
        return Ok(());
    }
    for Written { database, path, copy } in written {
        let rows: u64 = copy.rows.values().sum();
        writeln!(
            out,
            "{database:9}  {}: {:.1} MB, {} tables, {rows} rows, read through and whole",
            path.display(),
            copy.bytes as f64 / 1e6,
            copy.rows.len()
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_analytics_store_goes_beside() {
        for (target, beside) in [
            ("/b/x.db", "/b/x.analytics.db"),
            ("x.tar.db", "x.tar.analytics.db"),
            ("x", "x.analytics"),
        ] {
            assert_eq!(analytics_file(Path::new(target)), Path::new(beside));
        }
    }
}
