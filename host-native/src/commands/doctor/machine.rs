//! Clock, disk and curl.

use std::path::Path;
use std::process::{Command, Stdio};

use dicechess_core::time::UnixMillis;

use super::finding::Findings;
use crate::clock::now;
use crate::config::{Config, TransportKind};
use crate::exit_code::Exit;
use crate::progress::duration_text;
use crate::store::free_space;

/// 2026-01-01: this program is younger.
const EARLIEST: UnixMillis = UnixMillis(1_767_225_600_000);
/// Differences of clocks that do no harm, and those that do.
const SKEW_OK_SECONDS: f64 = 120.0;
const SKEW_WARNING_SECONDS: f64 = 3600.0;
/// Free bytes below which it is time to act, and to plan.
const FREE_PROBLEM: u64 = 200_000_000;
const FREE_WARNING: u64 = 1_000_000_000;

const CLOCK_ADVICE: &str = "let the system keep the time (timedatectl set-ntp true); a Raspberry Pi has no clock of its own";

/// Whether the clock can be right.
pub(super) fn look_at_clock(findings: &mut Findings) {
    let now = now();
    if now < EARLIEST {
        let message = format!("it shows {now}, which is before this program was written");
        findings.problem("clock", Exit::StoppedEarly, message, CLOCK_ADVICE);
    } else {
        findings.ok("clock", format!("{now}"));
    }
}

/// Compares the clock with the one of somebody who answered just now.
pub(super) fn look_at_skew(whose: &str, theirs: UnixMillis, findings: &mut Findings) {
    let ours = now();
    let skew = ours.until(theirs).max(theirs.until(ours)).as_secs_f64();
    let message = format!("{} apart from that of {whose}", duration_text(skew));
    if skew <= SKEW_OK_SECONDS {
        findings.ok("clock skew", message);
    } else if skew <= SKEW_WARNING_SECONDS {
        findings.warning("clock skew", message, CLOCK_ADVICE);
    } else {
        findings.problem("clock skew", Exit::StoppedEarly, message, CLOCK_ADVICE);
    }
}

/// How much room there is.
pub(super) fn look_at_disk(database: &Path, findings: &mut Findings) {
    match free_space(database) {
        Ok(free) if free < FREE_PROBLEM => findings.problem(
            "disk",
            Exit::Storage,
            format!("{} free", megabytes(free)),
            "free some: a full disk stops the crawl (nothing is half-written)",
        ),
        Ok(free) if free < FREE_WARNING => findings.warning(
            "disk",
            format!("{} free", megabytes(free)),
            "plan for a larger disk; old backups and the archive can move first",
        ),
        Ok(free) => findings.ok("disk", format!("{} free", megabytes(free))),
        Err(error) => findings.warning(
            "disk",
            format!("the system does not tell how much is free: {error}"),
            "look yourself: df -h",
        ),
    }
}

/// Compares what is free with what the games known to be wanted will take.
pub(super) fn look_at_growth(database: &Path, needed: u64, findings: &mut Findings) {
    let Ok(free) = free_space(database) else { return };
    let message = format!(
        "the games known to be wanted will take about {} here, archive and analytics included",
        megabytes(needed)
    );
    if needed > free {
        let advice = "move database, archive or analytics to a larger disk in time";
        findings.warning("growth", message, advice);
    } else {
        findings.ok("growth", message);
    }
}

/// Whether curl is there, if it is to carry the requests.
pub(super) fn look_at_curl(config: &Config, findings: &mut Findings) {
    if config.site.transport != TransportKind::Curl {
        findings.ok("curl", "not needed: TRANSPORT=reqwest");
        return;
    }
    let program = &config.site.curl;
    let version = Command::new(program)
        .args(["--disable", "--version"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    match version {
        Ok(output) if output.status.success() => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let line = text.lines().next().unwrap_or_default();
            let version: String =
                line.split(" (").next().unwrap_or(line).chars().take(60).collect();
            findings.ok("curl", version);
        }
        Ok(output) => findings.problem(
            "curl",
            Exit::Configuration,
            format!("{} --version ends with {}", program.display(), output.status),
            "install curl, set CURL_BIN, or set TRANSPORT=reqwest",
        ),
        Err(error) => findings.problem(
            "curl",
            Exit::Configuration,
            format!("{} cannot be run: {error}", program.display()),
            "install curl, set CURL_BIN, or set TRANSPORT=reqwest",
        ),
    }
}

/// Bytes as a person says them.
pub(super) fn megabytes(bytes: u64) -> String {
    if bytes >= 1_000_000_000 {
        format!("{:.1} GB", bytes as f64 / 1e9)
    } else {
        format!("{:.1} MB", bytes as f64 / 1e6)
    }
}
