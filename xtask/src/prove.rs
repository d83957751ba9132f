//! Whether the purity check can fail.
//!
//! A copy of the core, outside the repository, is spoiled in one way after another, and each time
//! the check that is there for it must fail and name what was put in. The untouched copy must pass.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::purity;
use crate::run::{self, cargo_in};

/// A way to spoil the core.
struct Spoil {
    what: &'static str,
    /// The file of the core that is spoiled.
    file: &'static str,
    /// This text …
    after: &'static str,
    /// … is followed by that one.
    insert: &'static str,
    /// The check that must fail.
    check: Check,
    /// What its message must name.
    named: &'static str,
}

enum Check {
    Dependencies,
    Sources,
    Lints,
}

/// The tests and benchmarks are left out: what they may call is not what is proved.
const LINTS: &str = "clippy --quiet --package dicechess-core --lib -- -D warnings";

/// The text that follows the documentation of the crate; items can stand before it.
const FIRST_ITEM: &str = "pub mod time;\n";

const SPOILS: &[Spoil] = &[
    Spoil {
        what: "a call to the clock",
        file: "src/lib.rs",
        after: FIRST_ITEM,
        insert: "/// Leaks.\npub fn leak() -> bool {\n    std::time::SystemTime::now().elapsed().is_ok()\n}\n",
        check: Check::Lints,
        named: "std::time::SystemTime::now",
    },
    Spoil {
        what: "a call to the file system",
        file: "src/lib.rs",
        after: FIRST_ITEM,
        insert: "/// Leaks.\npub fn leak() -> bool {\n    std::fs::read(\"leak\").is_ok()\n}\n",
        check: Check::Lints,
        named: "std::fs::read",
    },
    Spoil {
        what: "a look at the environment",
        file: "src/lib.rs",
        after: FIRST_ITEM,
        insert: "/// Leaks.\npub fn leak() -> bool {\n    std::env::var(\"LEAK\").is_ok()\n}\n",
        check: Check::Lints,
        named: "std::env::var",
    },
    Spoil {
        what: "a call that no list names",
        file: "src/lib.rs",
        after: FIRST_ITEM,
        insert: "/// Leaks.\npub fn leak() -> bool {\n    std::path::Path::new(\"leak\").exists()\n}\n",
        check: Check::Sources,
        named: "std::path",
    },
    Spoil {
        what: "a lint switched off",
        file: "src/lib.rs",
        after: FIRST_ITEM,
        insert: "#[allow(clippy::disallowed_methods)]\nmod leak {}\n",
        check: Check::Sources,
        named: "clippy::disallowed",
    },
    Spoil {
        what: "code for one target",
        file: "src/lib.rs",
        after: FIRST_ITEM,
        insert: "#[cfg(target_arch = \"wasm32\")]\nmod leak {}\n",
        check: Check::Sources,
        named: "cfg(target",
    },
    Spoil {
        what: "a crate that acts",
        file: "Cargo.toml",
        after: "[dependencies]\n",
        insert: "rand.workspace = true\n",
        check: Check::Dependencies,
        named: "randomness",
    },
    Spoil {
        what: "a crate that nobody has looked at",
        file: "Cargo.toml",
        after: "[dependencies]\n",
        insert: "anyhow.workspace = true\n",
        check: Check::Dependencies,
        named: "anyhow",
    },
];

/// Spoils the core in every way and demands that the purity check notices.
///
/// # Errors
/// A check passes that should fail, or the copy cannot be made.
pub(crate) fn prove() -> Result<()> {
    let copy = Copy::make()?;
    for check in [Check::Dependencies, Check::Sources, Check::Lints] {
        if let Some(message) = copy.fault_of(&check)? {
            bail!("the untouched copy of the core is not pure: {message}");
        }
    }
    for spoil in SPOILS {
        copy.spoiled(spoil, || match copy.fault_of(&spoil.check)? {
            None => bail!("the purity check does not notice {}", spoil.what),
            Some(message) if !message.contains(spoil.named) => {
                bail!("for {} the purity check says something else: {message}", spoil.what)
            }
            Some(_) => Ok(()),
        })?;
        println!("noticed: {}", spoil.what);
    }
    Ok(())
}

/// A copy of the core as a workspace of its own; removed when dropped.
struct Copy {
    root: PathBuf,
}

impl Copy {
    fn make() -> Result<Self> {
        let from = run::root();
        let name = format!("dicechess-core-{}", std::process::id());
        let copy = Self { root: std::env::temp_dir().join(name) };
        copy_folder(&from.join("core"), &copy.root.join("core"))?;
        for file in ["Cargo.lock", "clippy.toml", "rust-toolchain.toml"] {
            fs::copy(from.join(file), copy.root.join(file)).context(file)?;
        }
        let manifest = fs::read_to_string(from.join("Cargo.toml"))?;
        // Everything but the list of members and what goes with it.
        let rest = manifest.find("[workspace.package]").context("the workspace has no package")?;
        let own = "[workspace]\nresolver = \"3\"\nmembers = [\"core\"]\n\n";
        fs::write(copy.root.join("Cargo.toml"), format!("{own}{}", &manifest[rest..]))?;
        Ok(copy)
    }

    /// Runs `then` while the copy is spoiled.
    fn spoiled(&self, spoil: &Spoil, then: impl FnOnce() -> Result<()>) -> Result<()> {
        let file = self.root.join("core").join(spoil.file);
        let sound = fs::read_to_string(&file)?;
        let after = format!("{}{}", spoil.after, spoil.insert);
        let spoiled = sound.replacen(spoil.after, &after, 1);
        if spoiled == sound {
            bail!("{} has no {:?} any more: adapt xtask/src/prove.rs", spoil.file, spoil.after);
        }
        fs::write(&file, spoiled)?;
        let outcome = then();
        fs::write(&file, sound)?;
        outcome
    }

    /// What a check finds wrong with the copy.
    fn fault_of(&self, check: &Check) -> Result<Option<String>> {
        match check {
            Check::Dependencies => Ok(message(purity::dependencies(&self.root))),
            Check::Sources => Ok(message(purity::sources(&self.root))),
            Check::Lints => {
                let mut clippy = cargo_in(&self.root, LINTS);
                // Crates that are already there need not be built again.
                let printed = run::capture(clippy.env("CARGO_TARGET_DIR", target_dir()))?;
                Ok((!printed.success).then_some(printed.stderr))
            }
        }
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        // What is left of it is in the system's folder for temporary files.
        let _ = fs::remove_dir_all(&self.root);
    }
}

fn message<T>(outcome: Result<T>) -> Option<String> {
    outcome.err().map(|error| format!("{error:#}"))
}

fn target_dir() -> PathBuf {
    let root = run::root();
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |dir| root.join(dir))
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| to.display().to_string())?;
    for entry in fs::read_dir(from).with_context(|| from.display().to_string())? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        if path.is_dir() {
            copy_folder(&path, &to.join(name))?;
        } else {
            fs::copy(&path, to.join(name)).with_context(|| path.display().to_string())?;
        }
    }
    Ok(())
}
