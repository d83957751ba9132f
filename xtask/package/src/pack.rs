//! The extension's folder becomes an archive: the same files give the same bytes.
//!
//! Decides what is shipped: the manifest and scripts of the folder itself, and in its subfolders
//! what a browser loads. Tests, TypeScript definitions and settings of tools stay out, and a file of
//! an unknown kind is an error, so that nothing is shipped or left out by mistake.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipWriter};

/// Subfolders that are not shipped.
const OTHER_FOLDERS: &[&str] = &["node_modules", "tests"];
/// What a browser loads.
const SHIPPED: &[&str] = &["css", "html", "js", "json", "png", "svg", "wasm"];
/// What only people and tools read.
const NOT_SHIPPED: &[&str] = &["md", "mjs", "ts", "txt"];
/// Files of the folder itself that look as if they were shipped.
const TOOL_SETTINGS: &[&str] = &["package-lock.json", "package.json", "tsconfig.json"];

/// The files to ship: their names in the archive, in order, and their bytes.
///
/// # Errors
/// A file cannot be read or is of an unknown kind, or there is no manifest.
pub(crate) fn files(extension: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut files = BTreeMap::new();
    collect(extension, "", &mut files)?;
    if !files.contains_key("manifest.json") {
        bail!("{} has no manifest.json", extension.display());
    }
    Ok(files)
}

fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        let path = entry?.path();
        let file = path.file_name().and_then(|name| name.to_str()).context("a name is no text")?;
        let name = format!("{prefix}{file}");
        if file.starts_with('.') || (prefix.is_empty() && TOOL_SETTINGS.contains(&file)) {
            continue;
        }
        if path.is_dir() {
            if !(prefix.is_empty() && OTHER_FOLDERS.contains(&file)) {
                collect(&path, &format!("{name}/"), files)?;
            }
            continue;
        }
        let kind = path.extension().and_then(|kind| kind.to_str()).unwrap_or_default();
        if SHIPPED.contains(&kind) {
            let bytes = std::fs::read(&path).with_context(|| path.display().to_string())?;
            files.insert(name, bytes);
        } else if !NOT_SHIPPED.contains(&kind) {
            bail!("{name}: say in xtask/package/src/pack.rs whether such files are shipped");
        }
    }
    Ok(())
}

/// Writes the files as a folder, in the place of what was there: for whoever loads an extension from a
/// folder, and for tools that look at one.
///
/// # Errors
/// The folder cannot be written.
pub(crate) fn unpacked(files: &BTreeMap<String, Vec<u8>>, folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    for (name, bytes) in files {
        let path = folder.join(name);
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        std::fs::write(&path, bytes).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

/// An archive of files in the order of their names, with one time and one set of permissions.
///
/// # Errors
/// A name cannot be in an archive.
pub(crate) fn archive(files: &BTreeMap<String, Vec<u8>>) -> Result<Vec<u8>> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(9))
        .last_modified_time(DateTime::default())
        .system(System::Unix)
        .unix_permissions(0o644);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        zip.start_file(name.as_str(), options).with_context(|| name.clone())?;
        zip.write_all(bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_files_give_the_same_bytes() {
        let files: BTreeMap<String, Vec<u8>> = ["b/x.js", "a.js", "manifest.json"]
            .map(|name| (name.to_owned(), name.repeat(50).into_bytes()))
            .into();
        let first = archive(&files).unwrap();
        assert_eq!(first, archive(&files).unwrap());
        let mut read = zip::ZipArchive::new(Cursor::new(first)).unwrap();
        let names: Vec<_> =
            (0..3).map(|at| read.by_index(at).unwrap().name().unwrap().into_owned()).collect();
        assert_eq!(names, ["a.js", "b/x.js", "manifest.json"]);
        let file = read.by_index(1).unwrap();
        assert_eq!(file.last_modified(), Some(DateTime::default()));
        assert_eq!(std::io::read_to_string(file).unwrap(), "b/x.js".repeat(50));
    }
}
