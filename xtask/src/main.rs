//! The project's own tooling, run as `cargo xtask <task>`.
//!
//! | file | task |
//! |---|---|
//! | `ci` | everything that continuous integration checks, step by step |
//! | `purity` | that the core has no I/O, clock, randomness, threads or environment |
//! | `prove` | that the purity check fails when it should |
//! | `browser` | the dashboard's tests in a real browser |
//! | `vendor` | the board of the game viewer, copied from npm |
//! | `wasm` | the core's tests as WebAssembly |
//! | `extension` | the browser extension, built and packed |
//! | `bench` | the benchmarks, as ratios |
//! | `tools` | what the tasks need and how it is installed |
//! | `run`, `tally` | running programs, counting tests |
#![allow(clippy::print_stdout, reason = "a task's report is its output")]

mod bench;
mod browser;
mod ci;
mod extension;
mod prove;
mod purity;
mod run;
mod tally;
mod tools;
mod vendor;
mod wasm;

use std::process::ExitCode;

use anyhow::{Result, bail};

use tally::Tally;

const USAGE: &str = "\
cargo xtask <task>

  ci [--quick]       what continuous integration runs; --quick leaves the slow parts out
  purity [--prove]   whether the core is pure; --prove: whether that check can fail
  wasm               the core's tests as WebAssembly, under node
  browser-tests      the dashboard in Chromium, which is installed where it is missing
  vendor [VERSION]   takes the board of the game viewer from npm; --check: whether it is intact
  extension          the browser extension: extension/wasm/, dist/chrome.zip and dist/firefox.zip;
                     --check: and its types, lint and tests; --browsers: tries it in browsers
  bench              the benchmarks, as ratios to parsing (docs/benchmarks.md)
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match run_task(&args.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run_task(task: &[&str]) -> Result<()> {
    match task {
        ["ci"] => ci::run(ci::Extent::Full),
        ["ci", "--quick"] => ci::run(ci::Extent::Quick),
        ["purity"] => purity::check(&run::root()),
        ["purity", "--prove"] => prove::prove(),
        ["wasm"] => wasm::test(&mut Tally::default()),
        ["browser-tests"] => browser::test(&mut Tally::default()),
        ["vendor"] => vendor::vendor(None),
        ["vendor", "--check"] => vendor::check(),
        ["vendor", version] => vendor::vendor(Some(version)),
        ["extension"] => extension::build(),
        ["extension", "--check"] => extension::check(&mut Tally::default()),
        ["extension", "--browsers"] => extension::check_in_browsers(&mut Tally::default()),
        ["bench"] => bench::run(),
        ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        [] => bail!("no task given\n\n{USAGE}"),
        _ => bail!("unknown task {:?}\n\n{USAGE}", task.join(" ")),
    }
}
