//! The archive of compressed files.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use dicechess_core::ids::GameId;
use dicechess_sync::archive::{Archive, ArchiveUrl, DirectoryArchive, Stored};
use tempfile::TempDir;

const BUNDLE: &str = r#"{"source":"dicechess.com","note":"♞","list":[1,2]}"#;

fn game() -> GameId {
    "0b5f1c3e-9a77-4c11-8e55-00000000abcd".parse().unwrap()
}

fn archive_in(root: &Path) -> Archive {
    ArchiveUrl::parse(root.to_str().unwrap()).unwrap().open().unwrap().unwrap()
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).unwrap().flatten() {
        match entry.file_type().unwrap().is_dir() {
            true => files.extend(files_below(&entry.path())),
            false => files.push(entry.path()),
        }
    }
    files
}

fn read(path: &Path) -> String {
    String::from_utf8(zstd::decode_all(fs::File::open(path).unwrap()).unwrap()).unwrap()
}

#[tokio::test]
async fn a_bundle_is_stored_once_and_the_first_writer_wins() {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("not/there/yet");
    let archive = archive_in(&root);
    assert_eq!(archive.put(game(), BUNDLE).await.unwrap(), Stored::Created);
    assert_eq!(archive.put(game(), "{\"other\":1}").await.unwrap(), Stored::Existed);
    assert_eq!(archive_in(&root).put(game(), "{}").await.unwrap(), Stored::Existed);

    let path = root.join("dicechess.com/0b/0b5f1c3e-9a77-4c11-8e55-00000000abcd.json.zst");
    assert_eq!(read(&path), BUNDLE);
    assert_eq!(files_below(&root), vec![path.clone()], "no other file is left");
    assert_eq!(DirectoryArchive::new(root).path(game()), path);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_writers_one_creates() {
    let directory = TempDir::new().unwrap();
    let texts: Vec<_> = (0..16).map(|n| format!("{{\"writer\":{n}}}")).collect();
    let puts = texts.iter().map(|text| {
        let archive = archive_in(directory.path());
        async move { archive.put(game(), text).await.unwrap() }
    });
    let stored = futures_util::future::join_all(puts).await;
    let created: Vec<_> = (0..16).filter(|n| stored[*n] == Stored::Created).collect();
    assert_eq!(created.len(), 1);
    let files = files_below(directory.path());
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!(read(&files[0]), texts[created[0]]);
}

#[tokio::test]
async fn what_killed_runs_left_is_no_bundle_and_goes_in_time() {
    let directory = TempDir::new().unwrap();
    let incoming = directory.path().join("dicechess.com/.incoming");
    fs::create_dir_all(&incoming).unwrap();
    let (old, fresh) = (incoming.join(format!("{}.1", game())), incoming.join("another.2"));
    fs::write(&fresh, "half").unwrap();
    let old_file = fs::File::create(&old).unwrap();
    old_file.set_modified(SystemTime::now() - Duration::from_secs(2 * 60 * 60)).unwrap();

    let archive = archive_in(directory.path());
    assert_eq!(archive.put(game(), BUNDLE).await.unwrap(), Stored::Created);
    assert!(!old.exists());
    assert!(fresh.exists(), "it may belong to a running process");
    assert_eq!(read(&DirectoryArchive::new(directory.path()).path(game())), BUNDLE);
}

#[tokio::test]
async fn an_error_names_the_file_and_the_cause() {
    let directory = TempDir::new().unwrap();
    let root = directory.path().join("a-file");
    fs::write(&root, "in the way").unwrap();
    let error = archive_in(&root).put(game(), BUNDLE).await.unwrap_err().to_string();
    assert!(error.contains("a-file") && error.contains("os error"), "{error}");

    let shard = directory.path().join("dicechess.com/0b");
    fs::create_dir_all(shard.parent().unwrap()).unwrap();
    fs::write(&shard, "in the way").unwrap();
    let error = archive_in(directory.path()).put(game(), BUNDLE).await.unwrap_err().to_string();
    assert!(error.contains("dicechess.com/0b"), "{error}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_file_system_that_takes_nothing_is_an_error() {
    let error = archive_in(Path::new("/proc/archive")).put(game(), BUNDLE).await.unwrap_err();
    let error = error.to_string();
    assert!(error.starts_with("cannot create /proc/archive: "), "{error}");
}

#[tokio::test]
async fn what_only_bears_the_name_of_a_bundle_confirms_nothing_and_stays() {
    let directory = TempDir::new().unwrap();
    let archive = archive_in(directory.path());
    let path = DirectoryArchive::new(directory.path()).path(game());
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let other = br#"{"externalId":"1b5f1c3e-9a77-4c11-8e55-00000000abcd"}"#;
    for content in [b"rubbish".to_vec(), zstd::encode_all(&other[..], 1).unwrap()] {
        fs::write(&path, &content).unwrap();
        let error = archive.put(game(), BUNDLE).await.unwrap_err().to_string();
        assert!(error.contains("take for a bundle"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), content);
    }
}
