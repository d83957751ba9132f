//! The dashboard's tests in a real browser.
//!
//! Decides what they need and how it comes here: Debian's Chromium, by apt where this is root's
//! machine, and the npm package that drives it, in the recorded version. No browser is downloaded
//! from anywhere else.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::run::{self, cargo, run_browser_tests};
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
    let tests = || {
        let mut node = Command::new("node");
        node.args(["--test", "--test-reporter=spec"]).current_dir(&folder);
        node.env("DICECHESS_SYNC", binary());
        node
    };
    run_browser_tests(tests, tally)
}

/// The program under test, as cargo builds it by default.
pub(crate) fn binary() -> PathBuf {
    let own = std::env::var_os("CARGO_TARGET_DIR");
    run::root().join(own.unwrap_or_else(|| "target".into())).join("debug/dicechess-sync")
}

/// Chromium, as Debian has it, unless `CHROMIUM` names another.
///
/// # Errors
/// It is missing and cannot be installed from here.
pub(crate) fn ensure_chromium() -> Result<()> {
    ensure("CHROMIUM", "chromium", &["chromium", "fonts-dejavu-core"])
}

/// Makes a browser available: one that a variable names, one that is there, or Debian's.
///
/// # Errors
/// It is missing and cannot be installed from here.
pub(crate) fn ensure(variable: &str, program: &str, packages: &[&str]) -> Result<()> {
    let is_there = |program: &str| {
        let answers = run::capture(Command::new(program).arg("--version"));
        answers.is_ok_and(|printed| printed.success)
    };
    if std::env::var_os(variable).is_some() || is_there(program) {
        return Ok(());
    }
    let is_root = run::stdout(Command::new("id").arg("-u"))?.trim() == "0";
    if !is_root || !is_there("apt-get") {
        bail!("{program} is missing: `apt-get install {program}`, or name one in {variable}");
    }
    let mut install = Command::new("apt-get");
    install.args(["install", "--yes", "--quiet"]).args(packages);
    install.env("DEBIAN_FRONTEND", "noninteractive");
    run::run(Command::new("apt-get").args(["update", "--quiet"]))?;
    run::run(&mut install)
}

/// Installs the packages of a folder's lock file unless exactly these are there.
///
/// # Errors
/// There is no lock file, or npm fails.
pub(crate) fn ensure_packages(folder: &Path) -> Result<()> {
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
