//! What a person sees while a pass runs.
//!
//! On a terminal one line a stage, redrawn in place; elsewhere plain log lines, at most one a stage
//! every ten seconds. Never a percentage: the frontier grows while it is walked. What is shown is
//! what is done, what is known to be left, how fast it goes and how long the known rest takes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use tracing_subscriber::fmt::MakeWriter;

/// One line of progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Line {
    /// History pages.
    Enumerate,
    /// Move histories.
    Fetch,
    /// Posts to analytics.
    Post,
    /// Bundles for the archive.
    Archive,
    /// Games verified.
    Verify,
    /// Pages of a database copied.
    Backup,
    /// Bundles read back from an archive.
    Import,
}

/// Draws progress; cheap to share.
#[derive(Debug, Clone)]
pub struct Progress {
    bars: MultiProgress,
    is_drawn: bool,
    is_silent: bool,
    lines: std::sync::Arc<Mutex<BTreeMap<Line, LineState>>>,
}

#[derive(Debug)]
struct LineState {
    bar: ProgressBar,
    began: Instant,
    shown: Instant,
}

/// How often a line is redrawn, and logged where nothing can be redrawn.
const DRAW_EVERY: Duration = Duration::from_millis(200);
const LOG_EVERY: Duration = Duration::from_secs(10);

impl Line {
    const fn label(self) -> &'static str {
        match self {
            Self::Enumerate => "history",
            Self::Fetch => "moves",
            Self::Post => "posted",
            Self::Archive => "archived",
            Self::Verify => "verified",
            Self::Backup => "copied",
            Self::Import => "imported",
        }
    }
}

impl Progress {
    /// Progress on standard error: redrawn on a terminal, logged elsewhere.
    pub fn on_stderr(may_draw: bool) -> Self {
        let is_drawn = may_draw && io::stderr().is_terminal();
        let target =
            if is_drawn { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bars = MultiProgress::with_draw_target(target);
        Self { bars, is_drawn, is_silent: false, lines: Default::default() }
    }

    /// No lines at all, only notes: for a program that runs for months and tells in its own way.
    pub fn silent() -> Self {
        Self { is_silent: true, ..Self::on_stderr(false) }
    }

    /// Whether a line is due to be shown again; what it shows may cost a query.
    pub fn is_due(&self, line: Line) -> bool {
        let every = if self.is_drawn { DRAW_EVERY } else { LOG_EVERY };
        !self.is_silent
            && self.lines().get(&line).is_none_or(|state| state.shown.elapsed() >= every)
    }

    /// Shows how far a stage is: what is done, what is known to be left, and a remark.
    pub fn show(&self, line: Line, done: u64, left: Option<u64>, remark: &str) {
        let mut lines = self.lines();
        let state = lines.entry(line).or_insert_with(|| self.begin(line));
        let elapsed = state.began.elapsed();
        let text = describe(done, left, elapsed, remark);
        if self.is_drawn {
            state.bar.set_message(text);
            state.bar.tick();
        } else if done > 0 {
            tracing::info!("{}: {text}", line.label());
        }
        state.shown = Instant::now();
    }

    /// Shows that something waits, and until when.
    pub fn note(&self, text: &str) {
        tracing::info!("{text}");
    }

    /// Takes the lines off the terminal.
    pub fn clear(&self) {
        for state in self.lines().values() {
            state.bar.finish_and_clear();
        }
        self.lines().clear();
    }

    /// A writer for log lines that does not tear the lines drawn.
    pub fn log_writer(&self) -> LogWriter {
        LogWriter { bars: self.bars.clone() }
    }

    fn begin(&self, line: Line) -> LineState {
        let style = ProgressStyle::with_template("{spinner} {prefix:9} {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner());
        let bar = self.bars.add(ProgressBar::new_spinner().with_style(style));
        bar.set_prefix(line.label());
        LineState { bar, began: Instant::now(), shown: Instant::now() }
    }

    fn lines(&self) -> MutexGuard<'_, BTreeMap<Line, LineState>> {
        // A panic elsewhere leaves at worst an old line.
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn describe(done: u64, left: Option<u64>, elapsed: Duration, remark: &str) -> String {
    let mut text = done.to_string();
    // Writing to a string cannot fail.
    if let Some(left) = left {
        let _ = write!(text, ", {left} known to be left");
    }
    let seconds = elapsed.as_secs_f64();
    if done > 0 && seconds >= 1.0 {
        let rate = done as f64 / seconds;
        let _ = write!(text, ", {}", rate_text(rate));
        if let Some(left) = left.filter(|left| *left > 0) {
            let _ = write!(text, ", {} for these", duration_text(left as f64 / rate));
        }
    }
    if !remark.is_empty() {
        let _ = write!(text, ", {remark}");
    }
    text
}

fn rate_text(per_second: f64) -> String {
    if per_second >= 1.0 {
        format!("{per_second:.0}/s")
    } else if per_second * 60.0 >= 1.0 {
        format!("{:.0}/min", per_second * 60.0)
    } else {
        format!("{:.1}/h", per_second * 3600.0)
    }
}

/// Says something on standard error, if anybody can hear it.
pub fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// A duration as a person says it: the two largest units.
pub fn duration_text(seconds: f64) -> String {
    let seconds = seconds.clamp(0.0, 1e9) as u64;
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    if days > 0 {
        format!("{days} d {hours} h")
    } else if hours > 0 {
        format!("{hours} h {minutes} min")
    } else if minutes > 0 {
        format!("{minutes} min {} s", seconds % 60)
    } else {
        format!("{seconds} s")
    }
}

/// See [`Progress::log_writer`].
#[derive(Debug, Clone)]
pub struct LogWriter {
    bars: MultiProgress,
}

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A log that nobody reads, or whose disk is full, must not end a crawl.
        let _ = self.bars.suspend(|| io::stderr().write_all(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = io::stderr().flush();
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for LogWriter {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_as_a_person_says_them() {
        for (seconds, text) in [
            (0.4, "0 s"),
            (59.0, "59 s"),
            (61.0, "1 min 1 s"),
            (3_725.0, "1 h 2 min"),
            (200_000.0, "2 d 7 h"),
        ] {
            assert_eq!(duration_text(seconds), text);
        }
    }

    #[test]
    fn what_is_left_gets_a_rate_and_a_time_and_no_percentage() {
        let text = describe(10, Some(20), Duration::from_secs(5), "2 players");
        assert_eq!(text, "10, 20 known to be left, 2/s, 10 s for these, 2 players");
        assert_eq!(describe(0, None, Duration::from_secs(5), ""), "0");
    }
}
