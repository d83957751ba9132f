//! Binds the compiled core for the browser and packs the extension.
//!
//! A program of its own because the bindings generator is large: only `cargo xtask extension`, which
//! compiles the core and runs this, has to build it.
//!
//! | file | does |
//! |---|---|
//! | `bind` | the compiled core becomes a module for the browser, with TypeScript definitions |
//! | `pack` | the extension's folder becomes one archive for each browser, the same bytes each time |
#![allow(clippy::print_stdout, reason = "a task's report is its output")]

mod bind;
mod pack;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [compiled, extension, archives] = args.as_slice() else {
        bail!(
            "usage: dicechess-package <compiled core> <folder of the extension> <folder for archives>"
        );
    };
    let (extension, archives) = (Path::new(extension), Path::new(archives));
    let wasm = bind::bind(Path::new(compiled), &extension.join("wasm"))?;
    let size = bind::Size::of(&wasm)?;
    println!("wasm: {} bytes, {} bytes gzipped (at most {MOST_GZIPPED})", size.raw, size.gzipped);
    if size.gzipped > MOST_GZIPPED {
        bail!("the core is too large for the extension: {} bytes gzipped", size.gzipped);
    }
    let files = pack::files(extension)?;
    let archive = pack::archive(&files)?;
    std::fs::create_dir_all(archives).with_context(|| archives.display().to_string())?;
    pack::unpacked(&files, &archives.join("unpacked"))?;
    for browser in ["chrome", "firefox"] {
        let path = archives.join(format!("{browser}.zip"));
        std::fs::write(&path, &archive).with_context(|| path.display().to_string())?;
        println!("{}: {} files, {} bytes", path.display(), files.len(), archive.len());
    }
    Ok(())
}

/// What a user waits for at most, and what a review accepts without questions.
const MOST_GZIPPED: u64 = 80_000;
