//! The command `normalize`: one document or a game a line, good and bad.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use dicechess_sim::{World, WorldSpec};
use dicechess_tests::evidence::{postable, told, truth};
use dicechess_tests::{Finished, Workspace};
use serde_json::{Value, json};

fn world() -> World {
    World::generate(WorldSpec { seed: 17, players: 10, games: 60, ..WorldSpec::default() })
}

/// A line for each game that can be posted, told by White where it is a human.
fn lines(world: &World) -> Vec<String> {
    let games = postable(world, &world.seed_ids()).into_iter();
    games
        .map(|id| {
            let game = world.game(id).unwrap();
            let teller = if game.white.is_bot() { game.black } else { game.white };
            let rows = world.history_page(teller, None, 0, usize::MAX).rows;
            let place = world.games_of(teller).position(|other| other.id == id).unwrap();
            let map = world.state_map(id).unwrap();
            let row = &rows[place];
            format!(
                "{{\"history_meta\":{row},\"queried_user_id\":{teller},\"move_history\":{map}}}"
            )
        })
        .collect()
}

fn normalize(args: &[&str], input: impl Into<Vec<u8>>) -> Finished {
    let workspace = Workspace::new();
    workspace.command(["normalize"].iter().chain(args)).stdin(input).run()
}

#[test]
fn games_become_the_truth_in_order() {
    let world = world();
    let lines = lines(&world);
    let mut input = lines.join("\n");
    input.push('\n');
    let ended = normalize(&["--jsonl"], input.clone()).expect(0);
    assert_eq!(ended.stderr, "");
    let bodies = ended.json_lines();
    let expected: Vec<_> = postable(&world, &world.seed_ids()).into_iter().collect();
    assert_eq!(bodies.len(), expected.len());
    for (body, id) in bodies.iter().zip(&expected) {
        assert_eq!(body["id"], id.to_string());
        assert_eq!(told(body), truth(&world, *id));
    }

    // The last line needs no end, CRLF is an end too, a file does as well as standard input.
    assert_eq!(normalize(&["--jsonl"], input.trim_end()).expect(0).stdout, ended.stdout);
    assert_eq!(normalize(&["--jsonl", "-"], input.clone()).expect(0).stdout, ended.stdout);
    assert_eq!(normalize(&["--jsonl"], input.replace('\n', "\r\n")).expect(0).stdout, ended.stdout);
    let workspace = Workspace::new();
    let file = workspace.path().join("games.jsonl");
    std::fs::write(&file, &input).unwrap();
    let from_file = workspace.command(["normalize", "--jsonl"]).arg(&file).run().expect(0);
    assert_eq!(from_file.stdout, ended.stdout);
    assert_eq!(normalize(&["--jsonl"], "").expect(0).stdout, "");
}

#[test]
fn one_document_may_span_lines() {
    let world = world();
    let line = lines(&world).remove(0);
    let single = normalize(&[], line.clone()).expect(0);
    assert_eq!(single.stdout.lines().count(), 1);
    let value: Value = serde_json::from_str(&line).unwrap();
    let pretty = serde_json::to_string_pretty(&value).unwrap();
    assert_eq!(normalize(&[], pretty).expect(0).json(), single.json());
}

#[test]
fn bad_lines_give_an_error_each_and_keep_their_place() {
    let good = lines(&world());
    let broken = |change: &dyn Fn(&mut Value)| {
        let mut value: Value = serde_json::from_str(&good[0]).unwrap();
        change(&mut value);
        value.to_string()
    };
    let no_map = broken(&|value| value["move_history"] = json!({}));
    let no_entry = broken(&|value| value["history_meta"] = json!(5));
    let no_color = broken(&|value| value["history_meta"]["color"] = Value::Null);
    let bad_die = broken(&|value| {
        let map = value["move_history"]["gameMoveHistoryStateMap"].as_object_mut().unwrap();
        let state = map
            .values_mut()
            .find(|state| state["dices"].as_array().is_some_and(|dice| !dice.is_empty()))
            .unwrap();
        state["dices"][0]["value"] = json!("Z");
    });
    let bad: Vec<Vec<u8>> = vec![
        no_map.into_bytes(),
        no_entry.into_bytes(),
        no_color.into_bytes(),
        bad_die.into_bytes(),
        b"{".to_vec(),
        b"null".to_vec(),
        b"\"\xff\xfe\"".to_vec(),
        b"{}".to_vec(),
    ];
    let mut input = Vec::new();
    for (good, bad) in good.iter().zip(bad.iter().cycle()) {
        input.extend_from_slice(good.as_bytes());
        input.push(b'\n');
        input.extend_from_slice(bad);
        input.push(b'\n');
    }
    let ended = normalize(&["--jsonl"], input).expect(65);
    assert_eq!(ended.stderr, "");
    let results = ended.json_lines();
    assert_eq!(results.len(), 2 * good.len());
    for (index, pair) in results.chunks(2).enumerate() {
        let line: Value = serde_json::from_str(&good[index]).unwrap();
        let id = line["history_meta"]["gameId"].as_str().unwrap().to_lowercase();
        assert_eq!(pair[0]["id"], id);
        let error = &pair[1]["error"];
        let keys: Vec<&String> = error.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["kind", "message", "state"], "{error}");
        assert!(error["kind"].is_string() && !error["message"].as_str().unwrap().is_empty());
        match index % bad.len() {
            0 => assert_eq!(error["kind"], "no_state_map"),
            3 => {
                assert!(error["state"].as_str().unwrap().parse::<u32>().is_ok(), "{error}");
                assert!(error["message"].as_str().unwrap().contains('Z'), "{error}");
            }
            _ => assert_eq!(error["state"], Value::Null),
        }
    }
    for (index, bad) in bad.iter().enumerate() {
        let single = normalize(&[], bad.clone()).expect(65);
        let error = &results[2 * index + 1]["error"];
        assert_eq!(single.json()["error"]["kind"], error["kind"]);
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let ended = normalize(&["absent.json"], "").expect(65);
    assert!(ended.stderr.contains("absent.json"), "{}", ended.stderr);
}

/// Examples that lie beside the repository on some machines.
#[test]
fn the_examples_agree() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/examples/normalize.jsonl");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("skipped: there are no examples beside the repository");
        return;
    };
    let cases: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let inputs: Vec<&str> = cases.iter().map(|case| case["input"].as_str().unwrap()).collect();
    let ended = normalize(&["--jsonl"], inputs.join("\n")).expect(65);
    let results = ended.json_lines();
    assert_eq!(results.len(), cases.len());
    for (case, result) in cases.iter().zip(results) {
        let name = &case["name"];
        match case.get("error") {
            None => {
                let mut expected = case["expect"].clone();
                let mut found = result;
                for field in case["loose"].as_object().into_iter().flat_map(|loose| loose.keys()) {
                    expected[field] = Value::Null;
                    found[field] = Value::Null;
                }
                assert_eq!(comparable(&found), comparable(&expected), "{name}");
            }
            Some(error) => {
                let found = &result["error"];
                assert!(found.is_object(), "{name}: {result}");
                if error["state"].is_string() {
                    assert_eq!(found["state"], error["state"], "{name}: {found}");
                }
                if let Some(value) = error["value"].as_str() {
                    assert!(found["message"].as_str().unwrap().contains(value), "{name}: {found}");
                }
            }
        }
    }
}

/// Null and absent are equal, numbers compare by value.
fn comparable(value: &Value) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), comparable(value)))
            .collect(),
        Value::Array(items) => items.iter().map(comparable).collect(),
        Value::Number(number) => json!(number.as_f64()),
        other => other.clone(),
    }
}
