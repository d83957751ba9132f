//! Log lines on standard error: text for people, JSON for machines.
//!
//! Decides that JSON tells of every decision, a game's steps included, and text of what a person
//! wants to read.

use std::io::IsTerminal;
use std::sync::OnceLock;

use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;
use crate::progress::{Progress, tell};

/// How the log that was started looks.
static STARTED: OnceLock<LogFormat> = OnceLock::new();

/// Starts logging. `RUST_LOG` chooses what is logged; `NO_COLOR` is honoured.
pub fn start(format: LogFormat, progress: &Progress) {
    let usual = match format {
        LogFormat::Json => "info,dicechess_sync=debug",
        LogFormat::Text => "info",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(usual));
    let may_color = std::io::stderr().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(may_color)
        .with_writer(progress.log_writer());
    // A second start, as in tests, changes nothing.
    let _ = STARTED.set(format);
    let _ = match format {
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
        LogFormat::Text => builder.with_target(false).compact().try_init(),
    };
}

/// Says why a command could not do its work: as an event where a machine reads the log, so that each
/// of its lines is one JSON object, else as a plain line.
pub fn tell_error(error: &dyn std::fmt::Display) {
    if STARTED.get() == Some(&LogFormat::Json) {
        tracing::error!("{error}");
    } else {
        tell(&format!("error: {error}"));
    }
}
