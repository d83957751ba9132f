//! What continuous integration runs, the same on every machine.
//!
//! Decides the steps and their order: the quickest to fail first, and steps that build alike next
//! to each other. Stops at the first step that fails. The last line of output tells how many tests
//! passed and failed.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::run::{self, cargo, run_tests};
use crate::tally::Tally;
use crate::{browser, extension, prove, purity, tools, vendor, wasm};

/// How much is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Everything.
    Full,
    /// What a change breaks most often.
    Quick,
}

struct Step {
    name: &'static str,
    is_slow: bool,
    run: fn(&mut Tally) -> Result<()>,
}

const STEPS: &[Step] = &[
    Step { name: "tools", is_slow: true, run: |_| tools::ensure_all() },
    Step { name: "format", is_slow: false, run: |_| run::run(&mut cargo("fmt --all --check")) },
    Step { name: "lints", is_slow: false, run: |_| lints() },
    Step { name: "docs", is_slow: true, run: |_| docs() },
    Step { name: "purity", is_slow: false, run: |_| purity::check_linted(&run::root()) },
    Step { name: "purity can fail", is_slow: true, run: |_| prove::prove() },
    Step { name: "vendored files", is_slow: false, run: |_| vendor::check() },
    Step { name: "tests", is_slow: false, run: tests },
    Step { name: "doc tests", is_slow: true, run: doc_tests },
    Step { name: "browser tests", is_slow: true, run: browser::test },
    Step { name: "extension", is_slow: true, run: extension::check },
    Step { name: "extension in browsers", is_slow: true, run: extension::check_in_browsers },
    Step { name: "tests as WebAssembly", is_slow: true, run: wasm::test },
];

/// Runs the steps.
///
/// # Errors
/// The first step that fails.
pub(crate) fn run(extent: Extent) -> Result<()> {
    let mut tally = Tally::default();
    let mut times = Vec::new();
    let outcome = run_steps(extent, &mut tally, &mut times);
    println!();
    for (name, time) in &times {
        println!("{:>7.1} s  {name}", time.as_secs_f64());
    }
    println!("{:>7.1} s  total", times.iter().map(|(_, time)| time.as_secs_f64()).sum::<f64>());
    if let Err(error) = &outcome {
        println!("{error:#}");
        // A step can fail without a failed test: then it counts as one.
        tally.failed = tally.failed.max(1);
    }
    println!("{tally}");
    outcome
}

fn run_steps(
    extent: Extent,
    tally: &mut Tally,
    times: &mut Vec<(&'static str, Duration)>,
) -> Result<()> {
    for step in STEPS.iter().filter(|step| extent == Extent::Full || !step.is_slow) {
        println!("\n== {}", step.name);
        let start = Instant::now();
        let outcome = (step.run)(tally);
        let time = start.elapsed();
        times.push((step.name, time));
        println!("== {}: {:.1} s", step.name, time.as_secs_f64());
        outcome.with_context(|| format!("step {:?} failed", step.name))?;
    }
    Ok(())
}

/// Clippy reads `core/clippy.toml` for the core, so this is a part of the purity check too. The
/// extension's packer, with the large generator that it builds on, has its turn in `extension`.
fn lints() -> Result<()> {
    run::run(&mut cargo(
        "clippy --workspace --exclude dicechess-package --all-targets -- -D warnings",
    ))
}

/// With the private items, because most modules are private and their links can break as well.
fn docs() -> Result<()> {
    let mut docs = cargo("doc --workspace --no-deps --document-private-items");
    run::run(docs.env("RUSTDOCFLAGS", "-D warnings"))
}

fn tests(tally: &mut Tally) -> Result<()> {
    let runner = if tools::has_subcommand("nextest") {
        "nextest run --workspace --exclude dicechess-package --no-fail-fast"
    } else {
        "test --workspace --exclude dicechess-package --lib --bins --tests --no-fail-fast"
    };
    run_tests(&mut cargo(runner), tally)
}

fn doc_tests(tally: &mut Tally) -> Result<()> {
    run_tests(&mut cargo("test --workspace --doc --no-fail-fast"), tally)
}
