//! Parquet, read by DuckDB. Skipped only where Python is absent; DuckDB itself is installed into a
//! virtual environment in the target folder.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use dicechess_analytics::export::{
    ExportFormat, ExportRequest, ExportSummary, ExportTable, to_directory,
};
use dicechess_core::time::UnixMillis;
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::text::store;

fn export(
    connection: &Connection,
    table: ExportTable,
    since: Option<&str>,
    folder: &Path,
) -> ExportSummary {
    let since = since.map(|text| UnixMillis::parse_iso(text).unwrap());
    let request = ExportRequest { table, format: ExportFormat::Parquet, since };
    to_directory(connection, &request, folder).unwrap()
}

/// The Python that has DuckDB; none where there is no Python.
fn python() -> Option<&'static Path> {
    static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();
    PYTHON.get_or_init(install).as_deref()
}

fn install() -> Option<PathBuf> {
    let has_python = Command::new("python3").arg("--version").output();
    if !has_python.is_ok_and(|output| output.status.success()) {
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("duckdb");
    let python = folder.join("bin/python");
    let run = |program: &Path, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), said)
    };
    if !python.exists() {
        let path = folder.to_str().unwrap();
        let (is_made, said) = run(Path::new("python3"), &["-m", "venv", path]);
        assert!(is_made, "{said}");
    }
    if !run(&python, &["-c", "import duckdb"]).0 {
        let (is_there, said) = run(&python, &["-m", "pip", "install", "--quiet", "duckdb"]);
        assert!(is_there, "{said}");
    }
    Some(python)
}

/// The rows that DuckDB answers, as JSON; none where there is no Python.
fn ask(sql: &str) -> Option<Value> {
    const SCRIPT: &str = "import duckdb, json, sys\n\
        print(json.dumps(duckdb.sql(sys.argv[1]).fetchall(), default=str))";
    let python = python()?;
    let output = Command::new(python).args(["-c", SCRIPT, sql]).output().unwrap();
    assert!(output.status.success(), "{sql}: {}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// How DuckDB reads a table of a data set.
fn read(folder: &Path, table: ExportTable) -> String {
    let files = folder.join(table.name()).join("**/*.parquet");
    format!("read_parquet('{}', hive_partitioning = true)", files.display())
}

/// DuckDB counts as many rows, where there is Python.
pub(crate) fn assert_count(folder: &Path, table: ExportTable, rows: u64) {
    let sql = format!("SELECT count(*) FROM {}", read(folder, table));
    if let Some(counted) = ask(&sql) {
        assert_eq!(counted, json!([[rows]]), "{table:?}");
    }
}

#[test]
fn counts_and_partitions_match_the_store() {
    let (folder, store) = (tempfile::tempdir().unwrap(), store());
    for (table, rows) in ExportTable::ALL.into_iter().zip([3, 4, 4, 2]) {
        let summary = export(&store.connection, table, None, folder.path());
        assert_eq!(summary.rows, rows);
        assert_count(folder.path(), table, rows);
    }
    let months = format!(
        "SELECT year, month, count(*) FROM {} GROUP BY ALL ORDER BY ALL",
        read(folder.path(), ExportTable::Games)
    );
    let Some(by_month) = ask(&months) else { return };
    let rows = by_month.as_array().unwrap();
    let as_text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let rows: Vec<Vec<String>> =
        rows.iter().map(|row| row.as_array().unwrap().iter().map(as_text).collect()).collect();
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert!(folder.path().join("games/year=2026/month=03/part-0.parquet").is_file());
    assert_eq!(rows[0][0], "2026");
    assert_eq!(rows[2][0], "null", "games without a start have no year: {rows:?}");
}

#[test]
fn types_and_values_are_right() {
    let (folder, store) = (tempfile::tempdir().unwrap(), store());
    for table in ExportTable::ALL {
        export(&store.connection, table, None, folder.path());
    }
    let describe = |table| {
        let sql = format!(
            "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {})",
            read(folder.path(), table)
        );
        ask(&sql)
    };
    let Some(turns) = describe(ExportTable::Turns) else { return };
    assert_eq!(turns[1], json!(["turn_number", "BIGINT"]));
    assert_eq!(turns[4], json!(["played_moves", "VARCHAR[]"]));
    assert_eq!(turns[8], json!(["is_partial", "BOOLEAN"]));
    let games = describe(ExportTable::Games).unwrap();
    assert_eq!(games[5], json!(["started_at", "TIMESTAMP WITH TIME ZONE"]));
    assert_eq!(games[22], json!(["white_money_delta", "DOUBLE"]));
    let moves = format!(
        "SELECT dice_sorted, played_moves, is_partial, thinking_time_ms FROM {} ORDER BY 1 LIMIT 3",
        read(folder.path(), ExportTable::Turns)
    );
    let pass = json!(["qqq", [], true, null]);
    let played = json!(["PPQ", ["e2e4", "d2d4"], false, null]);
    assert_eq!(ask(&moves).unwrap(), json!([played, played, pass]));
    let joined = format!(
        "SELECT g.stake_currency, g.white_money_delta, epoch_ms(g.started_at), g.result, b.body
         FROM {} g LEFT JOIN {} b USING (id) ORDER BY g.started_at",
        read(folder.path(), ExportTable::Games),
        read(folder.path(), ExportTable::Raw)
    );
    let rows = ask(&joined).unwrap();
    assert_eq!(rows[0], json!(["GO,\"LD", 9.5, 1_775_001_599_999_i64, null, null]));
    assert_eq!(rows[1][4], json!("{\"b\": 1.50,\n \"a\": []}"));
}

/// Asking from the middle of a month writes the whole month again.
#[test]
fn a_later_export_replaces_whole_months() {
    let (folder, store) = (tempfile::tempdir().unwrap(), store());
    export(&store.connection, ExportTable::Games, None, folder.path());
    let since = Some("2026-04-20T12:00:00Z");
    let summary = export(&store.connection, ExportTable::Games, since, folder.path());
    assert_eq!(summary.since, UnixMillis::parse_iso("2026-04-01T00:00:00Z"));
    assert_eq!((summary.rows, summary.files.len()), (1, 1));
    assert_count(folder.path(), ExportTable::Games, 3);
}
