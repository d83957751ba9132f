//! The core's tests as WebAssembly, under node.
//!
//! The core must give the same bytes in a browser as natively, so the same tests run there. The
//! target is WASI, because a test needs a place to report to and files to read its fixtures from.

use anyhow::Result;

use crate::run::{self, cargo, run_tests};
use crate::tally::Tally;
use crate::tools;

/// Runs them and counts them.
///
/// # Errors
/// A test fails, or the target or node are missing.
pub(crate) fn test(tally: &mut Tally) -> Result<()> {
    tools::ensure_target(tools::WASM_TESTS)?;
    tools::ensure_program("node", "the core's tests as WebAssembly run under it")?;
    let runner = run::root().join("xtask/wasi-runner.mjs");
    let test = format!(
        "test --package dicechess-core --lib --tests --no-fail-fast --target {}",
        tools::WASM_TESTS
    );
    // As a list, so that the path may hold spaces.
    let runner = format!(
        "target.{}.runner=['node', '--no-warnings', '{}']",
        tools::WASM_TESTS,
        runner.display()
    );
    run_tests(cargo(&test).args(["--config", &runner]), tally)
}
