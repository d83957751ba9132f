//! `normalize`: raw games in, ingest documents out.
//!
//! Streams: lines are taken in portions that all cores share, so memory stays flat however long the
//! input is, and the output keeps the order of the input.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use dicechess_core::normalise::{LineError, normalize_line};
use rayon::prelude::*;
use serde::Serialize;

use super::{CommandError, read_error};
use crate::exit_code::Exit;

/// Arguments of `normalize`.
#[derive(Debug, Args)]
#[command(after_help = "\
The input is a JSON object: a game's entry in a player's history, whose history that is, and the \
site's whole answer about the game's moves.

  {\"history_meta\": {…}, \"queried_user_id\": 1001, \"move_history\": {\"gameMoveHistoryStateMap\": {…}}}

The output is the game's ingest document, or {\"error\": …} with exit code 65. docs/bundle.md \
describes both. `dicechess-sync show GAME --json` prints the document of a stored game.")]
pub struct NormalizeArgs {
    /// One game a line; prints one result a line.
    #[arg(long)]
    jsonl: bool,
    /// Where to read; standard input when left out or `-`.
    file: Option<PathBuf>,
}

/// Lines taken at once, and the bytes after which a portion is full.
const PORTION_LINES: usize = 1024;
const PORTION_BYTES: usize = 8 * 1024 * 1024;

/// Normalises a game, or a game a line.
///
/// # Errors
/// The input cannot be read or the output cannot be written.
pub fn run(args: &NormalizeArgs) -> Result<Exit, CommandError> {
    let path = args.file.as_deref().filter(|path| *path != Path::new("-"));
    let input: Box<dyn Read> = match path {
        Some(path) => Box::new(File::open(path).map_err(|error| read_error(path, &error))?),
        None => Box::new(io::stdin().lock()),
    };
    let input = BufReader::with_capacity(1 << 20, input);
    let output = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    let name = path.unwrap_or(Path::new("standard input"));
    let all_good = if args.jsonl {
        normalize_lines(input, output, name)?
    } else {
        normalize_document(input, output, name)?
    };
    Ok(if all_good { Exit::Done } else { Exit::BadInput })
}

fn normalize_document(
    mut input: impl Read,
    mut output: impl Write,
    name: &Path,
) -> Result<bool, CommandError> {
    let mut document = Vec::new();
    input.read_to_end(&mut document).map_err(|error| read_error(name, &error))?;
    let (text, is_good) = normalize_bytes(&document);
    output.write_all(text.as_bytes()).and_then(|()| output.flush())?;
    Ok(is_good)
}

fn normalize_lines(
    mut input: impl BufRead,
    mut output: impl Write,
    name: &Path,
) -> Result<bool, CommandError> {
    let mut all_good = true;
    loop {
        let lines = read_portion(&mut input).map_err(|error| read_error(name, &error))?;
        if lines.is_empty() {
            output.flush()?;
            return Ok(all_good);
        }
        let results: Vec<_> = lines
            .par_iter()
            .filter(|line| !line.trim_ascii().is_empty())
            .map(|line| normalize_bytes(line))
            .collect();
        for (text, is_good) in results {
            all_good &= is_good;
            output.write_all(text.as_bytes())?;
        }
    }
}

fn read_portion(input: &mut impl BufRead) -> io::Result<Vec<Vec<u8>>> {
    let mut lines = Vec::new();
    let mut bytes = 0;
    while lines.len() < PORTION_LINES && bytes < PORTION_BYTES {
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        bytes += line.len();
        lines.push(line);
    }
    Ok(lines)
}

/// One result line and whether it is a game.
fn normalize_bytes(line: &[u8]) -> (String, bool) {
    #[derive(Serialize)]
    struct Failure {
        error: LineError,
    }
    let game = std::str::from_utf8(line)
        .map_err(|error| LineError {
            kind: "bad_input",
            state: None,
            message: format!("not UTF-8: {error}"),
        })
        .and_then(normalize_line);
    let is_good = game.is_ok();
    let mut text = match game {
        Ok(game) => game.to_json(),
        Err(error) => serde_json::to_string(&Failure { error })
            .expect("an error has only strings and always serialises"),
    };
    text.push('\n');
    (text, is_good)
}
