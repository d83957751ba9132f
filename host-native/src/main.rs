//! The program `dicechess-sync`.

use std::io::Write;
use std::panic;
use std::process::ExitCode;

use clap::Parser;
use dicechess_sync::cli::Cli;
use dicechess_sync::exit_code::Exit;
use dicechess_sync::progress::tell;

fn main() -> ExitCode {
    report_panics_as_bugs();
    dicechess_sync::run(Cli::parse()).into()
}

/// A panic is a bug of ours: it says so and ends with the exit code for bugs.
fn report_panics_as_bugs() {
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        // The usual hook writes to standard error and ends the program by a signal if it cannot.
        if writeln!(std::io::stderr()).is_ok() {
            print(info);
        }
        tell(
            "This is a bug in dicechess-sync. What was accepted is committed; please report the \
             lines above.",
        );
        std::process::exit(i32::from(Exit::Bug.code()));
    }));
}
