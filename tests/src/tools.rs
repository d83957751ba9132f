//! Programs that tests need and that are no crates: those of Debian's packages.
//!
//! Decides that a missing one is installed where that is possible, and fails the test where it is
//! not: a check that is left out looks like one that passed.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// The top of the repository.
pub fn repository() -> PathBuf {
    let tests = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap().to_owned()
}

/// Makes sure that a program of a Debian package can be run.
pub fn ensure(program: &str, package: &str) {
    if is_there(program) {
        return;
    }
    let hint = format!("`{program}` is missing: install it (Debian package {package})");
    assert!(rustix::process::geteuid().is_root() && is_there("apt-get"), "{hint}");
    // Tests run side by side; the second one waits for the first.
    let apt = |args: &[&str]| {
        let status = Command::new("apt-get")
            .args(["-o", "DPkg::Lock::Timeout=300", "-qq"])
            .args(args)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status();
        status.is_ok_and(|status| status.success())
    };
    // What the package would start by itself is not wanted.
    let installed = apt(&["update"]) && apt(&["install", "--no-install-recommends", package]);
    assert!(installed && is_there(program), "{hint}; installing it failed");
}

/// Runs a program in a folder and returns both streams, one after the other; fails unless it
/// succeeds.
#[track_caller]
pub fn succeed(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = both(&output);
    assert!(output.status.success(), "{command:?}: {}\n{text}", output.status);
    text
}

fn both(output: &Output) -> String {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    format!("{stdout}{stderr}")
}

fn is_there(program: &str) -> bool {
    let version = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    version.is_ok()
}
