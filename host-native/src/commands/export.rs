//! `export`: the analytics store as files for other programs.
//!
//! Columns, formats and partitions are the analytics crate's matter (`docs/export.md`).

use std::io::{BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use dicechess_analytics::export::{
    ExportError, ExportFormat, ExportRequest, ExportTable, parse_since, to_directory, to_writer,
};

use super::CommandError;
use super::report::open_for_reading;
use crate::config::{StoreSettings, resolve_analytics_db};
use crate::exit_code::Exit;
use crate::progress::tell;

/// Arguments of `export`.
#[derive(Debug, Args)]
#[command(
    after_help = "Parquet is a folder of one file a month (DIR/games/year=2026/month=03/…), \
as DuckDB, Spark and ClickHouse read it; it needs --out. docs/export.md describes the columns."
)]
pub struct ExportArgs {
    /// What: games, turns, positions or raw.
    table: ExportTable,
    /// How: jsonl, csv or parquet.
    #[arg(long, default_value = "jsonl")]
    format: ExportFormat,
    /// Only games that started on or after this day (2026-03-30), UTC.
    #[arg(long, value_name = "DATE", value_parser = parse_since)]
    since: Option<dicechess_core::time::UnixMillis>,
    /// Write files into this folder instead of standard output.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Settings.
    #[command(flatten)]
    settings: StoreSettings,
}

/// Exports a table.
///
/// # Errors
/// There is no store, or the output cannot be written.
pub fn run(args: &ExportArgs) -> Result<Exit, CommandError> {
    let connection = open_for_reading(&resolve_analytics_db(&args.settings)?)?;
    let request = ExportRequest { table: args.table, format: args.format, since: args.since };
    let summary = match &args.out {
        Some(directory) => to_directory(&connection, &request, directory)?,
        None => {
            let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
            let summary = to_writer(&connection, &request, &mut out)?;
            out.flush()?;
            summary
        }
    };
    for file in &summary.files {
        tell(&format!("{}  {} bytes", file.path.display(), file.bytes));
    }
    tell(&format!("{} rows exported.", summary.rows));
    Ok(Exit::Done)
}

impl From<ExportError> for CommandError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Output(error) => Self::Io(error),
            error @ (ExportError::NeedsFolder | ExportError::NoParquet) => {
                Self::BadInput(error.to_string())
            }
            error => Self::Unreadable(error.to_string()),
        }
    }
}
