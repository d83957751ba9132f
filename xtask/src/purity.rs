//! Whether the core is pure: no I/O, clock, randomness, threads or environment.
//!
//! That it builds for WebAssembly proves little: calls to the clock, to files and to sockets build
//! too, and fail only when they run. So there are four checks.
//!
//! | check | what it stops |
//! |---|---|
//! | dependencies | a crate that acts, or one that nobody has looked at |
//! | sources | code for one target only, a lint switched off, calls that no list names |
//! | lints | calls that act (the lists in `core/clippy.toml`) |
//! | build | crates that cannot be built for the browser |

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::run::{self, cargo_in};
use crate::tools;

/// Crates that act, and what they would bring in. They never belong to the core, whatever
/// [`ALLOWED`] says.
const FORBIDDEN: &[(&str, &str)] = &[
    ("async-std", "I/O"),
    ("chrono", "a clock"),
    ("console_error_panic_hook", "the browser"),
    ("fastrand", "randomness"),
    ("getrandom", "randomness"),
    ("hyper", "I/O"),
    ("instant", "a clock"),
    ("jiff", "a clock"),
    ("js-sys", "the browser"),
    ("mio", "I/O"),
    ("quanta", "a clock"),
    ("rand", "randomness"),
    ("rand_core", "randomness"),
    ("rayon", "threads"),
    ("reqwest", "I/O"),
    ("rusqlite", "I/O"),
    ("rustix", "the operating system"),
    ("smol", "I/O"),
    ("socket2", "I/O"),
    ("time", "a clock"),
    ("tokio", "I/O, a clock and threads"),
    ("tracing", "output"),
    ("ureq", "I/O"),
    ("wasm-bindgen", "the browser"),
    ("web-sys", "the browser"),
    ("web-time", "a clock"),
];

/// The crates that the core consists of, in the order of the alphabet.
const ALLOWED: &[&str] = &[
    "arrayvec",
    "bitflags",
    "btoi",
    "dicechess-core",
    "itoa",
    "memchr",
    "num-traits",
    // At compile time only: proc-macro2, quote, syn, unicode-ident and the two derives.
    "proc-macro2",
    "quote",
    "serde",
    "serde_core",
    "serde_derive",
    "serde_json",
    "shakmaty",
    "syn",
    "thiserror",
    "thiserror-impl",
    "unicode-ident",
    "xxhash-rust",
    "zmij",
];

/// What the core's sources may not contain, and why.
const BANNED_TEXT: &[(&str, &str)] = &[
    ("cfg(target", "the core is the same on every target"),
    ("cfg!(target", "the core is the same on every target"),
    ("cfg_attr(target", "the core is the same on every target"),
    ("cfg(unix", "the core is the same on every target"),
    ("cfg(windows", "the core is the same on every target"),
    ("clippy::disallowed", "the lists of core/clippy.toml hold for all of the core"),
    ("clippy::style", "it holds the lints that read core/clippy.toml"),
    ("clippy::all", "it holds the lints that read core/clippy.toml"),
    ("std::env", "the core has no environment"),
    ("std::fs", "the core does no I/O"),
    ("std::io", "the core does no I/O"),
    ("std::net", "the core does no I/O"),
    ("std::os", "the core is the same on every target"),
    ("std::path", "the core knows no files"),
    ("std::process", "the core starts no process"),
    ("std::thread", "the core has no threads"),
    ("std::time::Instant", "the core has no clock"),
    ("std::time::SystemTime", "the core has no clock"),
    ("extern \"", "the core calls nothing outside Rust"),
];

/// Checks the core of a workspace.
///
/// # Errors
/// The first check that fails, with what is wrong and where.
pub(crate) fn check(workspace: &Path) -> Result<()> {
    let lints = "clippy --quiet --package dicechess-core --all-targets -- -D warnings";
    run::run(&mut cargo_in(workspace, lints))?;
    check_linted(workspace)
}

/// Checks a core that clippy has passed already.
///
/// # Errors
/// As [`check`].
pub(crate) fn check_linted(workspace: &Path) -> Result<()> {
    println!("built from {} crates, all of them known", dependencies(workspace)?);
    println!("{} source files, the same for every target", sources(workspace)?);
    tools::ensure_target(tools::WASM_BROWSER)?;
    let build = format!("build --quiet --package dicechess-core --target {}", tools::WASM_BROWSER);
    run::run(&mut cargo_in(workspace, &build))
}

/// Every crate that the core is built from, on any target, is a known one. Returns how many.
pub(crate) fn dependencies(workspace: &Path) -> Result<usize> {
    let tree = "tree --package dicechess-core --edges normal --prefix none --target all";
    let tree = run::stdout(&mut cargo_in(workspace, tree))?;
    let mut crates: Vec<&str> =
        tree.lines().filter_map(|line| line.split_ascii_whitespace().next()).collect();
    crates.sort_unstable();
    crates.dedup();
    let acts = |name: &&str| FORBIDDEN.iter().find(|(forbidden, _)| forbidden == name);
    if let Some((name, brings)) = crates.iter().find_map(acts) {
        bail!("the core depends on {name}, which brings in {brings}");
    }
    if let Some(name) = crates.iter().find(|name| !ALLOWED.contains(name)) {
        bail!("the core depends on {name}, which is not in the list of xtask/src/purity.rs");
    }
    Ok(crates.len())
}

/// The core's sources say nothing that would make the other checks blind. Returns how many.
pub(crate) fn sources(workspace: &Path) -> Result<usize> {
    let files = rust_files(&workspace.join("core/src"))?;
    for file in &files {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        for (number, line) in text.lines().enumerate() {
            if let Some((banned, why)) = BANNED_TEXT.iter().find(|(text, _)| line.contains(text)) {
                bail!("{}:{}: `{banned}`: {why}", file.display(), number + 1);
            }
        }
    }
    Ok(files.len())
}

fn rust_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
