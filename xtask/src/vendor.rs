//! The board of the game viewer, copied from npm into the repository.
//!
//! Decides which files are taken and that they are those that were recorded: building the program
//! needs neither npm nor a network, and nobody changes these files by hand. The record is
//! `vendored.txt` beside them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::run;

const FOLDER: &str = "host-native/src/web/dashboard/assets/vendor/chessground";
const RECORD: &str = "vendored.txt";
const PACKAGE: &str = "chessground";

/// What is taken, by its place in the package and its name here.
const FILES: [(&str, &str); 5] = [
    ("LICENSE", "LICENSE"),
    ("dist/chessground.min.js", "chessground.min.js"),
    ("assets/chessground.base.css", "chessground.base.css"),
    ("assets/chessground.brown.css", "chessground.brown.css"),
    ("assets/chessground.cburnett.css", "chessground.cburnett.css"),
];

/// Whether the files are those that were recorded.
///
/// # Errors
/// One is missing or was changed.
pub(crate) fn check() -> Result<()> {
    let folder = run::root().join(FOLDER);
    let record = read_record(&folder)?;
    for (_, name) in FILES {
        let line = format!("sha256 {} {name}", sha256(&folder.join(name))?);
        if !record.lines().any(|recorded| recorded == line) {
            bail!("{FOLDER}/{name} is not the recorded one: run `cargo xtask vendor`");
        }
    }
    Ok(())
}

/// Takes the files anew: of the recorded version, which must still be the same to the byte, or of
/// another one, which is recorded.
///
/// # Errors
/// npm or tar fail, or the package is not the recorded one.
pub(crate) fn vendor(version: Option<&str>) -> Result<()> {
    let folder = run::root().join(FOLDER);
    let record = read_record(&folder).unwrap_or_default();
    let recorded = |name| record.lines().find_map(|line: &str| line.strip_prefix(name));
    let version = version.or_else(|| recorded("version ")).context("name a version")?;
    let package = Package::fetch(version)?;
    let is_same = recorded("version ") == Some(version);
    if is_same && recorded("integrity ") != Some(&package.integrity) {
        bail!("{PACKAGE} {version} on npm is not the one that was recorded");
    }
    fs::create_dir_all(&folder)?;
    let mut record = format!(
        "package {PACKAGE}\nversion {version}\nlicence GPL-3.0-or-later\nintegrity {}\n",
        package.integrity
    );
    for (place, name) in FILES {
        let to = folder.join(name);
        fs::copy(package.root.join("package").join(place), &to).context(place)?;
        writeln!(record, "sha256 {} {name}", sha256(&to)?)?;
    }
    fs::write(folder.join(RECORD), record)?;
    println!("{FOLDER}: {PACKAGE} {version}");
    Ok(())
}

/// An unpacked package, removed when dropped.
struct Package {
    root: PathBuf,
    integrity: String,
}

impl Package {
    fn fetch(version: &str) -> Result<Self> {
        let root = std::env::temp_dir().join(format!("dicechess-vendor-{}", std::process::id()));
        fs::create_dir_all(&root)?;
        let mut package = Self { root, integrity: String::new() };
        let wanted = format!("{PACKAGE}@{version}");
        let told = run::stdout(
            Command::new("npm").args(["pack", "--json", &wanted]).current_dir(&package.root),
        )?;
        // npm has checked the archive against this; it is the registry's own record.
        let integrity = told.split('"').find(|word| word.starts_with("sha512-"));
        package.integrity = integrity.context("npm tells no integrity")?.to_owned();
        let archive = format!("{PACKAGE}-{version}.tgz");
        run::stdout(Command::new("tar").args(["xzf", &archive]).current_dir(&package.root))?;
        Ok(package)
    }
}

impl Drop for Package {
    fn drop(&mut self) {
        // A leftover in the folder for temporary files harms nobody.
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn read_record(folder: &Path) -> Result<String> {
    fs::read_to_string(folder.join(RECORD)).with_context(|| format!("{FOLDER}/{RECORD}"))
}

fn sha256(file: &Path) -> Result<String> {
    let bytes = fs::read(file).with_context(|| file.display().to_string())?;
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        write!(text, "{byte:02x}")?;
    }
    Ok(text)
}
