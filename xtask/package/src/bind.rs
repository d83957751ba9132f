//! The compiled core becomes a module for the browser.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use wasm_bindgen_cli_support::Bindgen;

/// The module's name.
const NAME: &str = "dicechess_core";

/// Writes `dicechess_core.js`, its WebAssembly and their TypeScript definitions into `folder`, in
/// the place of what was there, and returns the WebAssembly.
///
/// # Errors
/// The core is not compiled, is of another release of the generator, or the folder cannot be written.
pub(crate) fn bind(compiled: &Path, folder: &Path) -> Result<Vec<u8>> {
    let mut output = Bindgen::new()
        .input_path(compiled)
        .out_name(NAME)
        .web(true)?
        .typescript(true)
        .omit_default_module_path(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate_output()?;
    // For linkers; a browser reads the instructions themselves.
    output.wasm_mut().customs.remove_raw("target_features");
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    output.emit(folder)?;
    let wasm = folder.join(format!("{NAME}_bg.wasm"));
    std::fs::read(&wasm).with_context(|| wasm.display().to_string())
}

/// How large a file is, in bytes.
pub(crate) struct Size {
    pub(crate) raw: u64,
    pub(crate) gzipped: u64,
}

impl Size {
    /// Measures bytes; gzipped as hard as `gzip -9` does.
    pub(crate) fn of(bytes: &[u8]) -> Result<Self> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(bytes)?;
        let gzipped = gzip.finish()?.len() as u64;
        Ok(Self { raw: bytes.len() as u64, gzipped })
    }
}
