//! JSON Lines and CSV.

use std::io::{Error, ErrorKind, Write};

use dicechess_analytics::export::{
    ExportError, ExportFormat, ExportRequest, ExportTable, parse_since, to_directory, to_writer,
};
use dicechess_core::time::UnixMillis;
use serde_json::{Value, json};

use crate::store::{Game, START, Store, Turn, player_id, roll};

pub(crate) const AFTER: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";

/// April before March, so that the order is seen; a game without a start; a position that no game
/// reached; two bodies, one of a game that is in no table.
pub(crate) fn store() -> Store {
    let mut store = Store::new();
    let turns = vec![
        Turn { moves: &["e2e4", "d2d4"], after: AFTER, ..roll("w", "PPQ") },
        Turn { moves: &[], before: AFTER, is_partial: true, ..roll("b", "qqq") },
    ];
    let april = Some("2026-04-01T00:00:00.000Z");
    store.add(&Game { started_at: april, turns: turns.clone(), ..Game::default() });
    let march = Some("2026-03-31T23:59:59.999Z");
    store.add(&Game {
        white: None,
        ratings: (None, Some(1612)),
        result: None,
        deltas: (Some(9.5), None),
        currency: Some("GO,\"LD"),
        started_at: march,
        ..Game::default()
    });
    store.add(&Game { started_at: None, turns, ..Game::default() });
    let rest = "INSERT INTO positions (normalized_fen, fen_hash) VALUES ('nowhere', 7);
        INSERT INTO accepted_games VALUES ('0b5f1c3e-9a77-4c11-8e55-000000000001',
            '{\"b\": 1.50,\n \"a\": []}', '2026-05-01T00:00:00.000Z', NULL);
        INSERT INTO accepted_games VALUES ('lost', '{}', '2026-05-02T00:00:00.000Z', NULL);";
    store.connection.execute_batch(rest).unwrap();
    store
}

fn export(table: ExportTable, format: ExportFormat, since: Option<&str>) -> String {
    let since = since.map(|text| UnixMillis::parse_iso(text).unwrap());
    let request = ExportRequest { table, format, since };
    let mut out = Vec::new();
    let summary = to_writer(&store().connection, &request, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let lines = text.lines().count() as u64;
    let head = u64::from(format == ExportFormat::Csv);
    assert_eq!(summary.rows, lines - head, "no row of this store has a line break");
    text
}

fn objects(table: ExportTable, since: Option<&str>) -> Vec<Value> {
    let text = export(table, ExportFormat::Jsonl, since);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn games_by_their_start() {
    let games = objects(ExportTable::Games, None);
    let starts: Vec<_> = games.iter().map(|game| game["started_at"].clone()).collect();
    let dated = ["2026-03-31T23:59:59.999Z", "2026-04-01T00:00:00.000Z"];
    assert_eq!(starts, [json!(dated[0]), json!(dated[1]), Value::Null]);
    let march = &games[0];
    assert_eq!(march["white_external_id"], Value::Null);
    assert_eq!(march["black_player_id"], json!(player_id("8")));
    assert_eq!((&march["black_username"], &march["black_rating"]), (&json!("berta"), &json!(1612)));
    assert_eq!((&march["result"], &march["white_money_delta"]), (&Value::Null, &json!(9.5)));
    assert_eq!(march.as_object().unwrap().len(), ExportTable::Games.columns().len());
}

#[test]
fn turns_with_lists_and_flags() {
    let turns = objects(ExportTable::Turns, None);
    assert_eq!(turns.len(), 4);
    assert_eq!(turns[0]["played_moves"], json!(["e2e4", "d2d4"]));
    assert_eq!((&turns[0]["is_partial"], &turns[1]["is_partial"]), (&json!(false), &json!(true)));
    let csv = export(ExportTable::Turns, ExportFormat::Csv, None);
    let rows: Vec<_> = csv.lines().collect();
    let game = "0b5f1c3e-9a77-4c11-8e55-000000000001";
    assert!(rows[0].starts_with("game_id,turn_number,active_color,dice_sorted,played_moves,"));
    assert!(rows[1].starts_with(&format!("{game},1,w,PPQ,e2e4 d2d4,")), "{}", rows[1]);
    assert!(rows[2].starts_with(&format!("{game},2,b,qqq,,")) && rows[2].ends_with(",,true"));
}

#[test]
fn csv_is_quoted() {
    let csv = export(ExportTable::Games, ExportFormat::Csv, None);
    assert!(csv.lines().nth(1).unwrap().contains(",\"GO,\"\"LD\",9.5,,"), "{csv}");
}

#[test]
fn each_position_once_with_its_first_game() {
    let positions = objects(ExportTable::Positions, None);
    let seen: Vec<_> = positions
        .iter()
        .map(|row| (row["normalized_fen"].clone(), row["first_seen"].clone()))
        .collect();
    let april = json!("2026-04-01T00:00:00.000Z");
    let later = json!("4k3/8/8/8/8/8/8/4K3 b - -");
    assert_eq!(
        seen,
        [
            (json!(START), json!("2026-03-31T23:59:59.999Z")),
            (json!(AFTER), april.clone()),
            (later, april),
            (json!("nowhere"), Value::Null),
        ]
    );
}

#[test]
fn bodies_verbatim() {
    let text = export(ExportTable::Raw, ExportFormat::Jsonl, None);
    assert!(
        text.lines().next().unwrap().ends_with("\"body\":{\"b\": 1.50,  \"a\": []}}"),
        "{text}"
    );
    let bodies = objects(ExportTable::Raw, None);
    assert_eq!((&bodies[1]["id"], &bodies[1]["started_at"]), (&json!("lost"), &Value::Null));
    assert_eq!(bodies[0]["started_at"], json!("2026-04-01T00:00:00.000Z"));
}

#[test]
fn since_leaves_out_what_was_before_and_what_has_no_start() {
    let since = Some("2026-04-01");
    let midnight = since.map(|day| format!("{day}T00:00:00Z"));
    let count = |table| objects(table, midnight.as_deref()).len();
    assert_eq!(ExportTable::ALL.map(count), [1, 2, 2, 1], "the start position was seen in March");
    let all = |table| objects(table, None).len();
    assert_eq!(ExportTable::ALL.map(all), [3, 4, 4, 2]);
}

#[test]
fn files_are_whole_or_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let store = store();
    for format in [ExportFormat::Csv, ExportFormat::Jsonl] {
        let request = ExportRequest { table: ExportTable::Games, format, since: None };
        let summary =
            to_directory(&store.connection, &request, &folder.path().join("out")).unwrap();
        assert_eq!((summary.rows, summary.files.len()), (3, 1));
        let bytes = std::fs::metadata(&summary.files[0].path).unwrap().len();
        assert_eq!(summary.files[0].bytes, bytes);
    }
    store.connection.execute_batch("DROP TABLE turns").unwrap();
    let format = ExportFormat::Csv;
    let request = ExportRequest { table: ExportTable::Turns, format, since: None };
    let error = to_directory(&store.connection, &request, &folder.path().join("out")).unwrap_err();
    assert!(matches!(error, ExportError::Store(_)), "{error}");
    let mut names: Vec<_> = std::fs::read_dir(folder.path().join("out"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["games.csv", "games.jsonl"]);
}

#[test]
fn words_of_the_command_line() {
    for table in ExportTable::ALL {
        assert_eq!(table.name().parse(), Ok(table));
    }
    assert_eq!("csv".parse(), Ok(ExportFormat::Csv));
    let error = "xml".parse::<ExportFormat>().unwrap_err();
    assert_eq!(error.to_string(), "\"xml\" is none of jsonl, csv, parquet");
    assert!("players".parse::<ExportTable>().is_err() && parse_since("2026-13-01").is_err());
    assert_eq!(parse_since("1970-01-02"), Ok(UnixMillis(86_400_000)));
}

#[test]
fn what_cannot_be_written() {
    struct Full;
    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(Error::from(ErrorKind::BrokenPipe))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    for format in [ExportFormat::Csv, ExportFormat::Jsonl] {
        let request = ExportRequest { table: ExportTable::Games, format, since: None };
        let error = to_writer(&store().connection, &request, &mut Full).unwrap_err();
        let is_pipe = matches!(&error, ExportError::Output(e) if e.kind() == ErrorKind::BrokenPipe);
        assert!(is_pipe, "{error}");
    }
    let format = ExportFormat::Parquet;
    let request = ExportRequest { table: ExportTable::Games, format, since: None };
    let error = to_writer(&store().connection, &request, &mut Vec::new()).unwrap_err();
    assert!(matches!(error, ExportError::NeedsFolder), "{error}");
    #[cfg(not(feature = "parquet"))]
    {
        let folder = tempfile::tempdir().unwrap();
        let error = to_directory(&store().connection, &request, folder.path()).unwrap_err();
        assert!(matches!(error, ExportError::NoParquet), "{error}");
    }
}
