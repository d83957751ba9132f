//! The browser extension: the core compiled for it, bound, packed and tried.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::browser;
use crate::run::{self, cargo, run_browser_tests, run_tests};
use crate::tally::Tally;
use crate::tools;

/// Leaves the module in `extension/wasm/` and the archives in `dist/`.
///
/// # Errors
/// Something cannot be built, or the module is too large.
pub(crate) fn build() -> Result<()> {
    tools::ensure_target(tools::WASM_BROWSER)?;
    // Asked for here and not in the manifest: with a second kind there would be no link-time
    // optimisation, and the module a third larger.
    let build = format!(
        "rustc --quiet --package dicechess-wasm --lib --crate-type cdylib --profile wasm --target {}",
        tools::WASM_BROWSER
    );
    run::run(cargo(&build).env("CARGO_ENCODED_RUSTFLAGS", same_everywhere()?))?;
    let compiled = target_folder().join(tools::WASM_BROWSER).join("wasm/dicechess_wasm.wasm");
    let mut package = cargo("run --quiet --package dicechess-package --");
    run::run(package.arg(compiled).args(["extension", "dist"]))
}

/// Builds it and tries what needs no browser: types, the stores' rules, its tests, and every fixture
/// through the module that is shipped.
///
/// # Errors
/// A check or a test fails, or something is missing and cannot be installed.
pub(crate) fn check(tally: &mut Tally) -> Result<()> {
    tools::ensure_program("node", "the extension's tests run under it; version 20 or newer")?;
    run::run(&mut cargo("clippy --package dicechess-package --all-targets -- -D warnings"))?;
    run_tests(&mut cargo("test --package dicechess-package"), tally)?;
    build()?;
    browser::ensure_packages(&folder())?;
    run::run(tool("tsc").arg("--noEmit"))?;
    run::run(
        tool("web-ext").args(["lint", "--no-config-discovery", "--source-dir"]).arg(unpacked()),
    )?;
    run::run(&mut cargo("build --package dicechess-sync --bin dicechess-sync"))?;
    run_tests(&mut node(&test_files(&folder().join("tests"))?), tally)
}

/// Tries the extension, as it was built last, in Chromium and in Firefox.
///
/// # Errors
/// A test fails, or something is missing and cannot be installed.
pub(crate) fn check_in_browsers(tally: &mut Tally) -> Result<()> {
    browser::ensure_chromium()?;
    browser::ensure("FIREFOX", "firefox-esr", &["firefox-esr"])?;
    run::stdout(Command::new("openssl").arg("version"))
        .context("openssl makes the simulated site's certificate")?;
    browser::ensure_packages(&folder())?;
    run::run(&mut cargo("build --package dicechess-sync --bin dicechess-sync"))?;
    for file in test_files(&folder().join("tests/browser"))? {
        run_browser_tests(|| node(std::slice::from_ref(&file)), tally)?;
    }
    Ok(())
}

/// The test files of a folder.
fn test_files(tests: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(tests).with_context(|| tests.display().to_string())?;
    let mut files: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    files.retain(|file| file.to_string_lossy().ends_with(".test.mjs"));
    files.sort();
    Ok(files)
}

/// Test files under Node, one after the other: each may start browsers and servers.
fn node(files: &[PathBuf]) -> Command {
    let mut node = Command::new("node");
    node.args(["--test", "--test-reporter=spec", "--test-force-exit", "--test-concurrency=1"]);
    node.args(files).current_dir(folder()).env("DICECHESS_SYNC", browser::binary());
    node
}

fn folder() -> PathBuf {
    run::root().join("extension")
}

/// The shipped files as a folder, where the packer leaves them.
fn unpacked() -> PathBuf {
    run::root().join("dist/unpacked")
}

/// A program of the extension's npm packages.
fn tool(name: &str) -> Command {
    let mut command = Command::new(folder().join("node_modules/.bin").join(name));
    command.current_dir(folder());
    command
}

/// Panic messages name the files of dependencies; where this machine keeps them must not show.
fn same_everywhere() -> Result<String> {
    let cargo_home = match std::env::var_os("CARGO_HOME") {
        Some(home) => PathBuf::from(home),
        None => Path::new(&std::env::var_os("HOME").context("HOME is not set")?).join(".cargo"),
    };
    let sources = cargo_home.join("registry/src");
    // A fresh machine has none before the first build fetches them.
    run::run(&mut cargo("fetch --quiet --locked"))?;
    let registries = std::fs::read_dir(&sources).with_context(|| sources.display().to_string())?;
    // What keeps the module smallest, found by trying.
    let mut flags = vec!["-Cllvm-args=--inline-threshold=15".to_owned()];
    for registry in registries {
        flags.push(format!("--remap-path-prefix={}=", registry?.path().display()));
    }
    flags.sort();
    Ok(flags.join(FLAG_SEPARATOR))
}

/// What separates flags in `CARGO_ENCODED_RUSTFLAGS`, so that paths may hold spaces.
const FLAG_SEPARATOR: &str = "\u{1f}";

fn target_folder() -> PathBuf {
    let folder = std::env::var_os("CARGO_TARGET_DIR").map_or("target".into(), PathBuf::from);
    run::root().join(folder)
}
