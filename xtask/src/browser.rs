//! The dashboard's tests in a real browser.
//!
//! Decides what they need and how it comes here: Debian's Chromium, by apt where this is root's
//! machine, and the npm package that drives it, in the recorded version. No browser is downloaded
//! from anywhere else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::run::{self, cargo, run_tests};
use crate::tally::Tally;
use crate::tools;

/// Runs them and counts them.
///
/// # Errors
/// A test fails, or something is missing and cannot be installed.
pub(crate) fn test(tally: &mut Tally) -> Result<()> {
    let folder = run::root().join("browser-tests");
    tools::ensure_program("node", "the browser tests run under it; version 20 or newer")?;
    ensure_chromium()?;
    ensure_packages(&folder)?;
    run::run(&mut cargo("build --package dicechess-sync --bin dicechess-sync"))?;
    let mut tests = Command::new("node");
    tests.args(["--test", "--test-reporter=spec"]).current_dir(&folder);
    run_tests(tests.env("DICECHESS_SYNC", target().join("debug/dicechess-sync")), tally)
}

/// Where cargo builds.
fn target() -> PathBuf {
    let own = std::env::var_os("CARGO_TARGET_DIR");
    run::root().join(own.unwrap_or_else(|| "target".into()))
}

fn ensure_chromium() -> Result<()> {
    let is_there = |program: &str| {
        let answers = run::capture(Command::new(program).arg("--version"));
        answers.is_ok_and(|printed| printed.success)
    };
    if std::env::var_os("CHROMIUM").is_some() || is_there("chromium") {
        return Ok(());
    }
    let is_root = run::stdout(Command::new("id").arg("-u"))?.trim() == "0";
    if !is_root || !is_there("apt-get") {
        bail!("Chromium is missing: `apt-get install chromium`, or name one in CHROMIUM");
    }
    let mut install = Command::new("apt-get");
    install.args(["install", "--yes", "--quiet", "chromium", "fonts-dejavu-core"]);
    install.env("DEBIAN_FRONTEND", "noninteractive");
    run::run(Command::new("apt-get").args(["update", "--quiet"]))?;
    run::run(&mut install)
}

/// Installs the packages of the lock file unless exactly these are there.
fn ensure_packages(folder: &Path) -> Result<()> {
    let wanted = fs::read(folder.join("package-lock.json")).context("package-lock.json")?;
    let note = folder.join("node_modules/.installed-lock.json");
    if fs::read(&note).is_ok_and(|installed| installed == wanted) {
        return Ok(());
    }
    let mut install = Command::new("npm");
    install.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(folder);
    run::run(&mut install)?;
    fs::write(note, wanted).context("node_modules")
}
