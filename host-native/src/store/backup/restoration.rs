//! Backups put back, all or none.
//!
//! Decides that everything is checked about every file before the first database gives up its place,
//! and that a failure after that puts back what was there.

use std::fs;
use std::path::{Path, PathBuf};

use dicechess_core::time::UnixMillis;

use super::draft::Draft;
use super::replaced::{free_name, keep_aside, put_back, take_out_of_use};
use super::{BackupError, CheckedCopy, DatabaseKind, file_error};

/// A backup and the place it is to take.
#[derive(Debug, Clone)]
pub struct Restoration {
    /// What it is a backup of.
    pub kind: DatabaseKind,
    /// The backup.
    pub backup: PathBuf,
    /// The database it becomes.
    pub to: PathBuf,
}

/// A backup that is in its place.
#[derive(Debug)]
pub struct Restored {
    /// What it holds.
    pub copy: CheckedCopy,
    /// Where the database is now that was there.
    pub kept_aside: Option<PathBuf>,
}

/// Puts backups in the places of databases. A database that is there is kept aside under another
/// name. `progress` hears of the pages copied and those left of each.
///
/// # Errors
/// See [`BackupError`]; each place then holds what it held before.
pub fn restore(
    restorations: &[Restoration],
    may_replace: bool,
    now: UnixMillis,
    mut progress: impl FnMut(u64, u64),
) -> Result<Vec<Restored>, BackupError> {
    if let Some(taken) = restorations.iter().find(|one| one.to.exists() && !may_replace) {
        let advice = "restore with --force replaces it and keeps it beside under another name";
        return Err(BackupError::Exists { path: taken.to.clone(), advice });
    }
    // Nobody can open an old database until the new one has its place.
    let mut keep_others_out = Vec::new();
    for Restoration { to, .. } in restorations.iter().filter(|one| one.to.exists()) {
        keep_others_out.push(take_out_of_use(to, now)?);
    }
    let mut drafts = Vec::new();
    for Restoration { kind, backup, to } in restorations {
        if let Some(folder) = to.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs::create_dir_all(folder).map_err(file_error(folder))?;
        }
        drafts.push((to.as_path(), Draft::copied(backup, to, *kind, &mut progress)?));
    }
    publish(drafts, now)
}

/// Gives all drafts their names. On a failure those before it give theirs back.
fn publish(drafts: Vec<(&Path, Draft)>, now: UnixMillis) -> Result<Vec<Restored>, BackupError> {
    let mut restored: Vec<(&Path, Restored)> = Vec::new();
    for (to, draft) in drafts {
        match take_place(to, draft, now) {
            Ok(one) => restored.push((to, one)),
            Err(error) => {
                for (to, Restored { kept_aside, .. }) in restored.iter().rev() {
                    give_place_back(to, kept_aside.as_deref());
                }
                return Err(error);
            }
        }
    }
    Ok(restored.into_iter().map(|(_, one)| one).collect())
}

fn take_place(to: &Path, draft: Draft, now: UnixMillis) -> Result<Restored, BackupError> {
    if !to.exists() {
        return Ok(Restored { copy: draft.publish(to)?, kept_aside: None });
    }
    let aside = free_name(to, now);
    match keep_aside(to, &aside).and_then(|()| draft.publish(to)) {
        Ok(copy) => Ok(Restored { copy, kept_aside: Some(aside) }),
        Err(error) => {
            if aside.exists() {
                give_place_back(to, Some(&aside));
            }
            Err(error)
        }
    }
}

/// The failure that led here is the one to report; this one only says where to find the file.
fn give_place_back(to: &Path, aside: Option<&Path>) {
    let outcome = match aside {
        Some(aside) => put_back(to, aside),
        None => fs::remove_file(to).map_err(file_error(to)),
    };
    if let Err(error) = outcome {
        let kept = aside.map_or_else(String::new, |aside| format!(", it is {}", aside.display()));
        tracing::error!("{} cannot be put back{kept}: {error}", to.display());
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::store::{Store, back_up};

    fn analytics(path: &Path) {
        let connection = Connection::open(path).unwrap();
        let id = DatabaseKind::Analytics.application_id();
        connection.pragma_update(None, "application_id", id).unwrap();
    }

    #[test]
    fn a_failure_half_way_puts_back_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        drop(Store::open(&at("sync.db")).unwrap());
        back_up(&at("sync.db"), &at("copy.db"), DatabaseKind::Sync, false, |_, _| {}).unwrap();
        analytics(&at("analytics.db"));
        analytics(&at("copy.analytics.db"));
        let mark = Connection::open(at("sync.db")).unwrap();
        mark.execute_batch("INSERT INTO lease VALUES (1, 'me', 'here', 1, NULL, 0)").unwrap();
        drop(mark);
        let draft = |kind, backup: &str, to: &Path| {
            Draft::copied(&at(backup), to, kind, |_, _| {}).unwrap()
        };
        let (sync, other) = (at("sync.db"), at("analytics.db"));
        let drafts = vec![
            (sync.as_path(), draft(DatabaseKind::Sync, "copy.db", &sync)),
            (other.as_path(), draft(DatabaseKind::Analytics, "copy.analytics.db", &other)),
        ];
        fs::remove_file(at("analytics.db.partial")).unwrap();
        publish(drafts, UnixMillis(1_780_000_000_000)).unwrap_err();
        let leases: i64 = Connection::open(at("sync.db"))
            .unwrap()
            .query_row("SELECT count(*) FROM lease", [], |row| row.get(0))
            .unwrap();
        assert_eq!(leases, 1, "the database that was there is in its place");
        assert!(other.is_file());
        let names: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.contains("partial") || name.contains("before"))
            .collect();
        assert_eq!(names, Vec::<String>::new());
    }
}
