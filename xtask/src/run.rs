//! Running programs from the root of the repository, with their output in sight.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use anyhow::{Context, Result, bail};

use crate::tally::Tally;

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().expect("xtask is a folder of the repository").to_owned()
}

/// Cargo with these arguments, separated by spaces, in the root of the repository.
pub(crate) fn cargo(args: &str) -> Command {
    cargo_in(&root(), args)
}

/// The same in another workspace.
pub(crate) fn cargo_in(workspace: &Path, args: &str) -> Command {
    let mut command = Command::new("cargo");
    command.args(args.split_ascii_whitespace()).current_dir(workspace);
    // What `cargo run` says of this program. Some build scripts look at such variables, and their
    // crates would be built again for each way of starting cargo.
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_") {
            command.env_remove(name);
        }
    }
    command
}

/// Runs a program and fails if it does.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let text = announce(command);
    let status = command.stdin(Stdio::null()).status().with_context(|| cannot_start(&text))?;
    if !status.success() {
        bail!("`{text}` failed ({status})");
    }
    Ok(())
}

/// What a program printed.
pub(crate) struct Printed {
    /// Whether the program succeeded.
    pub(crate) success: bool,
    /// Its standard output.
    pub(crate) stdout: String,
    /// Its standard error.
    pub(crate) stderr: String,
}

/// Runs a program quietly.
pub(crate) fn capture(command: &mut Command) -> Result<Printed> {
    let text = spelled(command);
    let output = command.stdin(Stdio::null()).output().with_context(|| cannot_start(&text))?;
    Ok(Printed {
        success: output.status.success(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// Runs a program and returns its standard output; fails, with what it said, if it does.
pub(crate) fn stdout(command: &mut Command) -> Result<String> {
    let printed = capture(command)?;
    if !printed.success {
        bail!("`{}` failed:\n{}", spelled(command), printed.stderr);
    }
    Ok(printed.stdout)
}

/// Runs a test runner, passes on what it prints and counts the tests it reports.
pub(crate) fn run_tests(command: &mut Command, tally: &mut Tally) -> Result<()> {
    // The closing lines are read, so they must be free of colours.
    command.env("CARGO_TERM_COLOR", "never").env_remove("FORCE_COLOR");
    let text = announce(command);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| cannot_start(&text))?;
    let counted = Mutex::new(Tally::default());
    let pipes = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        scope.spawn(|| pipes.0.map(|pipe| pass_on(pipe, std::io::stdout(), &counted)));
        scope.spawn(|| pipes.1.map(|pipe| pass_on(pipe, std::io::stderr(), &counted)));
    });
    let counted = counted.into_inner().expect("no reader panics");
    tally.add(counted);
    let status = child.wait().with_context(|| cannot_start(&text))?;
    if !status.success() {
        bail!("`{text}` failed ({status})");
    }
    if counted == Tally::default() {
        bail!("`{text}` reported no tests");
    }
    Ok(())
}

/// Runs tests that open real browsers, which miss a deadline now and then on a busy machine: tests
/// that fail are run once more, and the second outcome counts. Both are printed.
pub(crate) fn run_browser_tests(make: impl Fn() -> Command, tally: &mut Tally) -> Result<()> {
    let mut first = Tally::default();
    if let Err(error) = run_tests(&mut make(), &mut first) {
        println!("\n== once more, as a browser may have been too slow: {error:#}");
        return run_tests(&mut make(), tally);
    }
    tally.add(first);
    Ok(())
}

fn pass_on(pipe: impl Read, mut to: impl Write, counted: &Mutex<Tally>) {
    let mut lines = BufReader::new(pipe);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        // Nobody may be listening any more; the tests are counted all the same.
        let _ = to.write_all(&line).and_then(|()| to.flush());
        if let Some(found) = Tally::of_line(&String::from_utf8_lossy(&line)) {
            counted.lock().expect("no reader panics").add(found);
        }
        line.clear();
    }
}

fn announce(command: &Command) -> String {
    let text = spelled(command);
    println!("$ {text}");
    text
}

fn spelled(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

fn cannot_start(text: &str) -> String {
    format!("`{text}` cannot be run")
}
