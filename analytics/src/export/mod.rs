//! The store as files for other programs: JSON Lines, CSV and Parquet.
//!
//! Decides what an export is: all rows of one table of one moment (a single read transaction), in
//! the order of the games' starts, streamed, so that memory does not grow with the store. Parquet
//! is partitioned by the UTC month of the game's start in Hive's way
//! (`games/year=2026/month=03/part-0.parquet`). A month's file is always whole: `since` reaches
//! back to the start of its month, so that an export into the same folder replaces whole months.
//! Files appear under their names when they are complete.
//!
//! | module | decides |
//! |---|---|
//! | `columns` | which columns each table has: `docs/export.md` |
//! | `walk` | which rows, in which order |
//! | `jsonl`, `csv`, `parquet` | how a row is written |
//! | `file` | that a file is whole or not there |

mod columns;
mod csv;
mod file;
mod jsonl;
#[cfg(feature = "parquet")]
mod parquet;
mod walk;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use dicechess_core::time::UnixMillis;
use rusqlite::Connection;
use rusqlite::types::Value;
use serde::Serialize;
use thiserror::Error;

pub use columns::{Column, Kind};
use walk::Month;

/// What is exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportTable {
    /// One row a game, with its players.
    Games,
    /// One row a turn.
    Turns,
    /// One row a position, with the start of the first game that reached it.
    Positions,
    /// The accepted bodies, verbatim.
    Raw,
}

/// How it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// One JSON object a line.
    Jsonl,
    /// Comma-separated with a header, as in RFC 4180.
    Csv,
    /// Apache Parquet, zstd-compressed, a file a month.
    Parquet,
}

/// A word that names no table, no format or no date.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{word:?} is none of {known}")]
pub struct UnknownWord {
    /// The word.
    pub word: String,
    /// What there is.
    pub known: &'static str,
}

/// An order to export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportRequest {
    /// What.
    pub table: ExportTable,
    /// How.
    pub format: ExportFormat,
    /// Only games that started at or after this; games without a start are then left out.
    pub since: Option<UnixMillis>,
}

/// What was exported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportSummary {
    /// Rows in all files.
    pub rows: u64,
    /// The files; none when a writer was given.
    pub files: Vec<ExportedFile>,
    /// From when on: for Parquet the start of the month asked for.
    pub since: Option<UnixMillis>,
}

/// A complete file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportedFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
}

/// Why an export failed. Complete files of the export stay, no part of a file does.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The store cannot be read.
    #[error("analytics store: {0}")]
    Store(#[from] rusqlite::Error),
    /// The output cannot be written.
    #[error("cannot write the export: {0}")]
    Output(#[from] std::io::Error),
    /// A file cannot be written.
    #[error("cannot write {}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        cause: std::io::Error,
    },
    /// Parquet is many files.
    #[error("a Parquet export is a folder of files: say where with --out")]
    NeedsFolder,
    /// The feature `parquet` is not built in.
    #[error("this build cannot write Parquet: build it with the feature parquet, or use csv")]
    NoParquet,
    /// A row cannot be written as Parquet.
    #[error("cannot write {}: {cause}", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: String,
    },
}

impl FromStr for ExportTable {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        let table = Self::ALL.into_iter().find(|table| table.name() == word);
        table.ok_or_else(|| UnknownWord {
            word: word.to_owned(),
            known: "games, turns, positions, raw",
        })
    }
}

impl FromStr for ExportFormat {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        match word {
            "jsonl" => Ok(Self::Jsonl),
            "csv" => Ok(Self::Csv),
            "parquet" => Ok(Self::Parquet),
            _ => Err(UnknownWord { word: word.to_owned(), known: "jsonl, csv, parquet" }),
        }
    }
}

/// Reads a `since`: a date (its start in UTC) or an ISO-8601 time.
///
/// ```
/// use dicechess_analytics::export::parse_since;
/// assert_eq!(parse_since("2026-03-01").unwrap().to_string(), "2026-03-01T00:00:00.000Z");
/// assert!(parse_since("last week").is_err());
/// ```
///
/// # Errors
/// It is neither.
pub fn parse_since(text: &str) -> Result<UnixMillis, UnknownWord> {
    let time = UnixMillis::parse_iso(text);
    let start_of_day = || UnixMillis::parse_iso(&format!("{}T00:00:00Z", text.trim()));
    time.or_else(start_of_day).ok_or_else(|| UnknownWord {
        word: text.to_owned(),
        known: "a date like 2026-03-01, a time like 2026-03-01T12:00:00Z",
    })
}

/// Takes the rows of an export.
trait Sink {
    /// Writes a row of a month; none for rows of games without a start.
    fn row(&mut self, month: Option<Month>, row: &[Value]) -> Result<(), ExportError>;

    /// Completes what was written.
    fn finish(&mut self) -> Result<Vec<ExportedFile>, ExportError>;
}

/// Exports to a writer, as JSON Lines or CSV.
///
/// # Errors
/// See [`ExportError`]; Parquet needs a folder.
pub fn to_writer(
    connection: &Connection,
    request: &ExportRequest,
    writer: &mut dyn Write,
) -> Result<ExportSummary, ExportError> {
    let columns = request.table.columns();
    match request.format {
        ExportFormat::Jsonl => run(connection, request, &mut jsonl::Jsonl::new(columns, writer)),
        ExportFormat::Csv => run(connection, request, &mut csv::Csv::new(columns, writer)?),
        ExportFormat::Parquet => Err(ExportError::NeedsFolder),
    }
}

/// Exports into a folder, which is made when it is not there: `games.jsonl`, `games.csv`, or the
/// data set `games/`.
///
/// # Errors
/// See [`ExportError`].
pub fn to_directory(
    connection: &Connection,
    request: &ExportRequest,
    directory: &Path,
) -> Result<ExportSummary, ExportError> {
    let table = request.table;
    let extension = match request.format {
        ExportFormat::Jsonl => "jsonl",
        ExportFormat::Csv => "csv",
        ExportFormat::Parquet => return to_data_set(connection, request, directory),
    };
    let path = directory.join(format!("{}.{extension}", table.name()));
    let mut file = file::WholeFile::create(&path)?;
    let mut summary = to_writer(connection, request, &mut file).map_err(|error| match error {
        ExportError::Output(cause) => ExportError::File { path: path.clone(), cause },
        other => other,
    })?;
    summary.files.push(file.finish()?);
    Ok(summary)
}

#[cfg(feature = "parquet")]
fn to_data_set(
    connection: &Connection,
    request: &ExportRequest,
    directory: &Path,
) -> Result<ExportSummary, ExportError> {
    let since = request.since.map(Month::start_of);
    let request = ExportRequest { since, ..*request };
    let mut sink = parquet::DataSet::new(request.table, directory);
    run(connection, &request, &mut sink)
}

#[cfg(not(feature = "parquet"))]
fn to_data_set(_: &Connection, _: &ExportRequest, _: &Path) -> Result<ExportSummary, ExportError> {
    Err(ExportError::NoParquet)
}

/// Passes all rows of one moment to a sink.
fn run(
    connection: &Connection,
    request: &ExportRequest,
    sink: &mut dyn Sink,
) -> Result<ExportSummary, ExportError> {
    let moment = connection.unchecked_transaction()?;
    let mut rows = 0;
    walk::walk(&moment, request, &mut |month, row| {
        rows += 1;
        sink.row(month, row)
    })?;
    let files = sink.finish()?;
    Ok(ExportSummary { rows, files, since: request.since })
}
