//! What `deploy/` holds is accepted by those who will read it: Prometheus and systemd.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use dicechess_tests::binary;
use dicechess_tests::tools::{ensure, repository, succeed};
use serde_json::Value;
use tempfile::TempDir;

fn deploy(path: &str) -> PathBuf {
    repository().join("deploy").join(path)
}

/// The names of `docs/metrics.md`.
fn documented() -> BTreeSet<String> {
    let page = fs::read_to_string(repository().join("docs/metrics.md")).unwrap();
    page.lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// The metrics that a text asks for, without what a histogram's series add.
fn asked_for(text: &str) -> BTreeSet<String> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| {
            ["dicechess_sync_", "process_"].iter().any(|prefix| word.starts_with(prefix))
        })
        .map(|word| {
            let suffixes = ["_bucket", "_sum", "_count"];
            let base = suffixes.iter().find_map(|suffix| word.strip_suffix(suffix));
            base.unwrap_or(word).to_owned()
        })
        .collect()
}

#[test]
fn prometheus_takes_the_configuration_and_the_alerts() {
    ensure("promtool", "prometheus");
    let promtool = |args: &[&str]| {
        let mut command = Command::new("promtool");
        succeed(command.args(args).current_dir(deploy("prometheus")))
    };
    promtool(&["check", "config", "prometheus.yml"]);
    let checked = promtool(&["check", "rules", "alerts.yml"]);
    assert!(checked.contains("rules found"), "{checked}");
    let tested = promtool(&["test", "rules", "alerts_test.yml"]);
    assert!(tested.contains("SUCCESS"), "{tested}");
}

#[test]
fn alerts_ask_for_documented_metrics_and_each_is_explained_and_tested() {
    let alerts = fs::read_to_string(deploy("prometheus/alerts.yml")).unwrap();
    let expressions: String = alerts.lines().filter(|line| !line.contains("action:")).collect();
    let unknown: BTreeSet<_> = &asked_for(&expressions) - &documented();
    assert_eq!(unknown, BTreeSet::new());
    let tests = fs::read_to_string(deploy("prometheus/alerts_test.yml")).unwrap();
    let operations = fs::read_to_string(repository().join("docs/operations.md")).unwrap();
    let names: Vec<&str> =
        alerts.lines().filter_map(|line| line.trim().strip_prefix("- alert: ")).collect();
    assert!(names.len() > 10);
    for name in names {
        assert!(tests.contains(name), "{name} has no test that it fires");
        assert!(operations.contains(&format!("`{name}`")), "docs/operations.md: {name}");
    }
}

#[test]
fn the_dashboard_asks_for_documented_metrics() {
    let text = fs::read_to_string(deploy("grafana/dicechess-sync.json")).unwrap();
    let dashboard: Value = serde_json::from_str(&text).unwrap();
    let mut expressions = Vec::new();
    let mut ids = BTreeSet::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "panel ids are unique");
        if panel["type"] == "row" {
            continue;
        }
        assert_eq!(panel["datasource"]["uid"], "${datasource}", "{}", panel["title"]);
        for target in panel["targets"].as_array().unwrap() {
            expressions.push(target["expr"].as_str().unwrap().to_owned());
        }
    }
    let known = documented();
    let asked = asked_for(&expressions.join(" "));
    assert_eq!(&asked - &known, BTreeSet::new());
    // What nobody looks at need not be measured; these tell nothing a graph would show.
    let unseen: Vec<&str> = known.difference(&asked).map(String::as_str).collect();
    assert_eq!(
        unseen,
        [
            "dicechess_sync_build_info",
            "dicechess_sync_database_readable",
            "dicechess_sync_lease_expiry_timestamp_seconds",
            "process_max_fds",
            "process_open_fds",
            "process_start_time_seconds",
            "process_threads",
            "process_virtual_memory_bytes",
        ]
    );
    // Prometheus parses each of them.
    ensure("promtool", "prometheus");
    let folder = TempDir::new().unwrap();
    let rules: Vec<Value> = expressions
        .iter()
        .enumerate()
        .map(|(index, expression)| {
            let expression =
                expression.replace("$__rate_interval", "5m").replace("$instance", ".*");
            serde_json::json!({ "record": format!("panel:{index}"), "expr": expression })
        })
        .collect();
    let rules = serde_json::json!({ "groups": [{ "name": "panels", "rules": rules }] });
    let path = folder.path().join("panels.yml");
    fs::write(&path, rules.to_string()).unwrap();
    succeed(Command::new("promtool").args(["check", "rules"]).arg(path));
}

#[test]
fn systemd_takes_the_units_and_finds_them_locked_down() {
    ensure("systemd-analyze", "systemd");
    let folder = TempDir::new().unwrap();
    let mut units = Vec::new();
    for entry in fs::read_dir(deploy("systemd")).unwrap() {
        let entry = entry.unwrap();
        // The program is not installed here; systemd looks whether it is there.
        let installed = "/usr/local/bin/dicechess-sync";
        let text = fs::read_to_string(entry.path()).unwrap();
        let text = text.replace(installed, binary().to_str().unwrap());
        let path = folder.path().join(entry.file_name());
        fs::write(&path, text).unwrap();
        units.push(path);
    }
    assert_eq!(units.len(), 3);
    let complaints =
        succeed(Command::new("systemd-analyze").args(["verify", "--man=no"]).args(&units));
    assert_eq!(complaints, "");
    let service = folder.path().join("dicechess-sync.service");
    // 2.0 of 10; beyond it systemd-analyze fails.
    let report = succeed(
        Command::new("systemd-analyze")
            .args(["security", "--offline=true", "--threshold=20", "--no-pager"])
            .arg(service),
    );
    assert!(report.contains("Overall exposure level"), "{report}");
}
