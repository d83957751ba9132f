//! What the tasks need besides the crates: compile targets, toolchain components, programs.
//!
//! Decides what is installed when it is missing (parts of the Rust toolchain) and what is only
//! asked for (everything else).

use std::path::Path;
use std::process::Command;

use anyhow::{Result, bail};

use crate::run;

/// The target that the browser host will need.
pub(crate) const WASM_BROWSER: &str = "wasm32-unknown-unknown";
/// The target under which the core's tests run as WebAssembly.
pub(crate) const WASM_TESTS: &str = "wasm32-wasip1";

/// Makes everything available that a whole run needs.
///
/// # Errors
/// Something is missing and cannot be installed from here.
pub(crate) fn ensure_all() -> Result<()> {
    for component in ["rustfmt", "clippy"] {
        ensure_component(component)?;
    }
    for target in [WASM_BROWSER, WASM_TESTS] {
        ensure_target(target)?;
    }
    for (program, purpose) in [
        ("curl", "one of the two ways to the site; tests run it against a simulated one"),
        ("node", "the core's tests as WebAssembly run under it; version 20 or newer"),
    ] {
        ensure_program(program, purpose)?;
    }
    Ok(())
}

/// Installs a compile target if it is missing.
///
/// # Errors
/// It is missing and rustup cannot install it.
pub(crate) fn ensure_target(target: &str) -> Result<()> {
    let libraries = run::stdout(
        Command::new("rustc")
            .args(["--print", "target-libdir", "--target", target])
            .current_dir(run::root()),
    )?;
    if Path::new(libraries.trim()).is_dir() {
        return Ok(());
    }
    install(&["target", "add", target])
}

/// Fails if a program is not to be found.
///
/// # Errors
/// The message says what it is needed for.
pub(crate) fn ensure_program(program: &str, purpose: &str) -> Result<()> {
    let answers = run::capture(Command::new(program).arg("--version"));
    if answers.is_ok_and(|printed| printed.success) {
        return Ok(());
    }
    bail!("`{program}` is missing: {purpose}. Install it and make sure it is in PATH")
}

/// Whether `cargo <subcommand>` exists.
pub(crate) fn has_subcommand(subcommand: &str) -> bool {
    let answers = run::capture(&mut run::cargo(&format!("{subcommand} --version")));
    answers.is_ok_and(|printed| printed.success)
}

fn ensure_component(component: &str) -> Result<()> {
    let subcommand = if component == "rustfmt" { "fmt" } else { component };
    if has_subcommand(subcommand) { Ok(()) } else { install(&["component", "add", component]) }
}

fn install(part: &[&str]) -> Result<()> {
    let hint = "the toolchain of rust-toolchain.toml lacks it and rustup could not add it";
    run::run(Command::new("rustup").args(part).current_dir(run::root()))
        .map_err(|error| error.context(format!("{}: {hint}", part.join(" "))))
}
