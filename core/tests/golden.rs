//! The fixtures: each folder of `fixtures/` holds one input of the command `normalize` and the
//! answer that the contract gives.
//!
//! | file | holds |
//! |---|---|
//! | `input.json` | one input, read as text |
//! | `expected.json` | the ingest document: null is absent, numbers compare by value |
//! | `error.json` | or else the error: its kind, the state key, a part of the message |
//! | `why.txt` | which rule it pins |
//! | `replay.txt` | what the replay says of the document: `ok` or its error; may be missing |

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(
    clippy::disallowed_methods,
    reason = "the fixtures are files; the core itself never reads one"
)]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use dicechess_core::ingest::IngestGame;
use dicechess_core::normalise::{LineError, normalize_line};
use dicechess_core::replay::replay;
use serde_json::Value;

const FEWEST: usize = 40;

#[test]
fn every_fixture_gives_its_answer() {
    let mut differences = Vec::new();
    for case in cases() {
        let mut found = Vec::new();
        let answer = normalize_line(&case.input());
        match (case.read("expected.json"), case.read("error.json")) {
            (Some(expected), None) => compare_game(&expected, answer, &mut found),
            (None, Some(expected)) => compare_error(&expected, answer, &mut found),
            _ => found.push("needs exactly one of expected.json and error.json".to_owned()),
        }
        differences.extend(found.into_iter().map(|difference| (case.name(), difference)));
    }
    report(&differences);
}

#[test]
fn the_replay_says_what_is_written() {
    let mut differences = Vec::new();
    for case in cases() {
        let Some(due) = case.read("replay.txt") else { continue };
        let expected = case.read("expected.json").expect("only a document can be replayed");
        let game: IngestGame = serde_json::from_str(&expected).unwrap();
        let said = replay(&game).map_or_else(|error| error.to_string(), |_| "ok".to_owned());
        if said != due.trim() {
            let difference = format!("replay: expected {:?}, got {said:?}", due.trim());
            differences.push((case.name(), difference));
        }
    }
    report(&differences);
}

#[test]
fn documents_survive_reading_and_writing() {
    let mut differences = Vec::new();
    for case in cases() {
        let Ok(game) = normalize_line(&case.input()) else { continue };
        let sent = game.to_json();
        let read: IngestGame = serde_json::from_str(&sent).unwrap();
        if read.to_json() != sent || read != game {
            differences.push((case.name(), format!("{sent}\nbecomes\n{}", read.to_json())));
        }
    }
    report(&differences);
}

#[test]
fn every_fixture_is_whole() {
    const KNOWN: [&str; 5] = ["input.json", "expected.json", "error.json", "why.txt", "replay.txt"];
    let cases = cases();
    assert!(cases.len() >= FEWEST, "only {} fixtures", cases.len());
    let mut differences = Vec::new();
    for case in &cases {
        let mut complain = |what: String| differences.push((case.name(), what));
        let has = |file: &str| case.0.join(file).is_file();
        if has("expected.json") == has("error.json") {
            complain("needs exactly one of expected.json and error.json".to_owned());
        }
        if has("replay.txt") && !has("expected.json") {
            complain("has replay.txt without a document".to_owned());
        }
        if case.read("why.txt").is_none_or(|why| why.trim().is_empty()) {
            complain("has no why.txt".to_owned());
        }
        for entry in fs::read_dir(&case.0).unwrap() {
            let file = entry.unwrap().file_name().into_string().unwrap();
            if !KNOWN.contains(&&*file) {
                complain(format!("has a file that nothing reads: {file}"));
            }
        }
    }
    report(&differences);
}

/// A folder of `fixtures/`.
struct Case(PathBuf);

impl Case {
    fn name(&self) -> String {
        self.0.file_name().unwrap().to_str().unwrap().to_owned()
    }

    fn input(&self) -> String {
        self.read("input.json").unwrap_or_else(|| panic!("{} has no input.json", self.name()))
    }

    fn read(&self, file: &str) -> Option<String> {
        let path = self.0.join(file);
        path.is_file().then(|| fs::read_to_string(&path).unwrap())
    }
}

fn cases() -> Vec<Case> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let mut folders: Vec<PathBuf> = fs::read_dir(&fixtures)
        .unwrap_or_else(|error| panic!("{}: {error}", fixtures.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders.into_iter().map(Case).collect()
}

fn compare_game(expected: &str, answer: Result<IngestGame, LineError>, found: &mut Vec<String>) {
    match answer {
        Ok(game) => {
            let expected: Value = serde_json::from_str(expected).unwrap();
            let got: Value = serde_json::from_str(&game.to_json()).unwrap();
            compare("", &expected, &got, found);
        }
        Err(error) => found.push(format!("expected a document, got {error:?}")),
    }
}

fn compare_error(expected: &str, answer: Result<IngestGame, LineError>, found: &mut Vec<String>) {
    let expected: Value = serde_json::from_str(expected).unwrap();
    let error = match answer {
        Ok(game) => return found.push(format!("expected an error, got {}", game.to_json())),
        Err(error) => error,
    };
    if expected["kind"] != error.kind {
        found.push(format!("kind: expected {}, got {:?}", expected["kind"], error.kind));
    }
    if expected["state"].as_str() != error.state.as_deref() {
        found.push(format!("state: expected {}, got {:?}", expected["state"], error.state));
    }
    let part = expected["contains"].as_str().expect("error.json says what the message contains");
    if !error.message.contains(part) {
        found.push(format!("message: expected {part:?} in it, got {:?}", error.message));
    }
}

/// Collects the places at which two documents differ in value.
fn compare(path: &str, expected: &Value, got: &Value, found: &mut Vec<String>) {
    match (expected, got) {
        (Value::Object(left), Value::Object(right)) => {
            let keys: BTreeSet<&String> = left.keys().chain(right.keys()).collect();
            for key in keys {
                let path = format!("{path}/{key}");
                compare(&path, field(expected, key), field(got, key), found);
            }
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            for (index, (left, right)) in left.iter().zip(right).enumerate() {
                compare(&format!("{path}/{index}"), left, right, found);
            }
        }
        _ if is_same_scalar(expected, got) => {}
        _ => found.push(format!("{path}: expected {expected}, got {got}")),
    }
}

/// A member of an object; an absent one is null.
fn field<'a>(object: &'a Value, key: &str) -> &'a Value {
    object.get(key).unwrap_or(&Value::Null)
}

fn is_same_scalar(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || left.as_f64() == right.as_f64()
        }
        _ => left == right,
    }
}

fn report(differences: &[(String, String)]) {
    let mut text = String::new();
    for (case, difference) in differences {
        writeln!(text, "{case}: {difference}").unwrap();
    }
    assert!(differences.is_empty(), "{} differences\n{text}", differences.len());
}
