//! The reports and the export over a store that the receiver wrote.

use dicechess_analytics::Receiver;
use dicechess_analytics::export::{ExportFormat, ExportRequest, ExportTable, to_writer};
use dicechess_analytics::report::{
    DiceQuery, OpeningsQuery, PositionQuery, START_FEN, dice, openings, player, position,
};
use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use crate::document::{played_game, short_game};

/// Twenty games of anna (7) against the bot -3: ten won by White, ten undecided. The short one has
/// a turn and a pass.
fn store(folder: &tempfile::TempDir) -> Connection {
    let path = folder.path().join("analytics.db");
    let receiver = Receiver::open(&path).unwrap();
    for number in 1..=20 {
        let mut game = if number == 1 { short_game(number) } else { played_game(number, 12) };
        if number % 2 == 0 {
            game["result"] = Value::Null;
        }
        game["events"] = json!([]);
        let reply = receiver.post(game.to_string().as_bytes());
        assert_eq!(reply.status(), 201, "{reply:?}");
    }
    Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
}

#[test]
fn reports_read_what_the_receiver_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let connection = store(&folder);
    let turns: u64 = connection
        .query_row("SELECT count(*) FROM turns", [], |row| row.get::<_, i64>(0))
        .unwrap()
        .cast_unsigned();
    let report = dice(&connection, &DiceQuery::default()).unwrap();
    assert_eq!((report.counted.games, report.counted.rolls), (20, turns));
    let report = player(&connection, "7").unwrap();
    assert_eq!((report.total.tally.games, report.total.tally.wins), (20, 10));
    assert_eq!(report.profit["GOLD"][0].cumulative, 190.0, "twenty times 9.5");
    assert_eq!(report.by_opponent_type[0].key, "bot");
    let report = openings(&connection, &OpeningsQuery::default()).unwrap();
    assert_eq!(report.total.tally.games, 20);
    let query = PositionQuery { fen: START_FEN.to_owned(), mode: None };
    let report = position(&connection, &query).unwrap();
    assert_eq!((report.record.tally.games, report.record.tally.wins), (20, 10));
}

#[test]
fn the_export_has_every_row() {
    let folder = tempfile::tempdir().unwrap();
    let connection = store(&folder);
    for (table, name) in
        ExportTable::ALL.into_iter().zip(["games", "turns", "positions", "accepted_games"])
    {
        let request = ExportRequest { table, format: ExportFormat::Jsonl, since: None };
        let mut out = Vec::new();
        let summary = to_writer(&connection, &request, &mut out).unwrap();
        let sql = format!("SELECT count(*) FROM {name}");
        let rows: i64 = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
        assert_eq!(summary.rows, rows.cast_unsigned(), "{name}");
    }
}
