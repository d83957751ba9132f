//! The browser extension: the core compiled for it, bound and packed.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::run::{self, cargo};
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

/// Panic messages name the files of dependencies; where this machine keeps them must not show.
fn same_everywhere() -> Result<String> {
    let cargo_home = match std::env::var_os("CARGO_HOME") {
        Some(home) => PathBuf::from(home),
        None => Path::new(&std::env::var_os("HOME").context("HOME is not set")?).join(".cargo"),
    };
    let sources = cargo_home.join("registry/src");
    let registries = std::fs::read_dir(&sources).with_context(|| sources.display().to_string())?;
    let mut flags = Vec::new();
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
