//! Memory does not grow with the store.

use std::path::Path;
use std::time::Instant;

use dicechess_analytics::export::{ExportFormat, ExportRequest, ExportTable, to_directory};
use rusqlite::{Connection, OpenFlags};

use crate::data_set;
use crate::store::Store;

const TURNS: u32 = 40;

/// The most that an export may add to the memory of the process.
const MOST_MIB: u64 = 96;

#[test]
fn an_export_of_some_games_is_flat() {
    measure(2_000);
}

/// `cargo test -p dicechess-analytics --features parquet --test export -- --ignored --nocapture`
#[test]
#[ignore = "makes a store of gigabytes; prints the figures of docs/benchmarks.md"]
fn an_export_of_100_000_games_is_flat() {
    measure(100_000);
}

fn measure(games: u32) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("analytics.db");
    fill(&path, games);
    let connection = Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    for format in [ExportFormat::Parquet, ExportFormat::Jsonl] {
        for table in ExportTable::ALL {
            let before = reset_peak();
            let started = Instant::now();
            let request = ExportRequest { table, format, since: None };
            let summary = to_directory(&connection, &request, folder.path()).unwrap();
            let added = peak_mib().saturating_sub(before);
            let bytes: u64 = summary.files.iter().map(|file| file.bytes).sum();
            let mib = bytes >> 20;
            let seconds = started.elapsed().as_secs_f64();
            let rows = summary.rows;
            println!("{format:?} {table:?}: {rows} rows, {mib} MiB, {seconds:.1} s, +{added} MiB");
            assert!(added < MOST_MIB, "{table:?} as {format:?}: {added} MiB");
            let expected = match table {
                ExportTable::Games | ExportTable::Raw => games,
                ExportTable::Turns => games * TURNS,
                ExportTable::Positions => games * TURNS + 1,
            };
            assert_eq!(rows, u64::from(expected));
            if format == ExportFormat::Parquet {
                data_set::assert_count(folder.path(), table, rows);
            }
        }
    }
}

/// A store of games with turns, positions that differ and bodies of a usual size, over two years.
fn fill(path: &Path, games: u32) {
    let empty = Store::new();
    let copy = "VACUUM INTO ?1";
    empty.connection.execute(copy, [path.to_str().unwrap()]).unwrap();
    let connection = Connection::open(path).unwrap();
    let sql = format!(
        "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; BEGIN;
         CREATE TEMP TABLE n AS WITH RECURSIVE n(i) AS
             (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {games}) SELECT i FROM n;
         CREATE TEMP TABLE k AS WITH RECURSIVE k(j) AS
             (SELECT 1 UNION ALL SELECT j + 1 FROM k WHERE j < {TURNS}) SELECT j FROM k;
         INSERT INTO positions (id, normalized_fen, fen_hash, piece_placement, active_color)
             VALUES (1, 'start', 0, 'start', 'w');
         INSERT INTO positions (id, normalized_fen, fen_hash, piece_placement, active_color)
             SELECT 1 + (i - 1) * {TURNS} + j,
                 printf('rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/%x b KQkq -', i * 4096 + j),
                 i * 7919 + j, 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR', 'b' FROM n, k;
         INSERT INTO games (id, source, white_player_id, black_player_id, mode, result,
                 started_at, started_at_ms, initial_position_id, total_turns)
             SELECT printf('0b5f1c3e-9a77-4c11-8e55-%012x', (i * 7919) % 1000003 + i * 1048576),
                 'dicechess.com', (SELECT min(id) FROM players), (SELECT max(id) FROM players),
                 'classic', i % 3 - 1,
                 strftime('%Y-%m-%dT%H:%M:%fZ', 1735689600 + (i * 7919) % 63072000, 'unixepoch'),
                 (1735689600 + (i * 7919) % 63072000) * 1000, 1, {TURNS} FROM n;
         INSERT INTO turns (game_id, turn_number, active_color, position_id, dice_sorted,
                 played_moves, position_after_id, thinking_time_ms, is_partial)
             SELECT printf('0b5f1c3e-9a77-4c11-8e55-%012x', (i * 7919) % 1000003 + i * 1048576),
                 j, 'w', CASE j WHEN 1 THEN 1 ELSE (i - 1) * {TURNS} + j END, 'BNP',
                 '[\"e2e4\",\"g1f3\",\"f1c4\"]', 1 + (i - 1) * {TURNS} + j, j * 37 % 9000, 0
             FROM n, k;
         INSERT INTO accepted_games
             SELECT id, json_object('id', id, 'turns', hex(randomblob(4000))),
                 '2026-05-01T00:00:00.000Z', NULL FROM games;
         COMMIT;"
    );
    connection.execute_batch(&sql).unwrap();
}

/// Forgets the peak; the memory of now in MiB.
fn reset_peak() -> u64 {
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    status("VmRSS")
}

fn peak_mib() -> u64 {
    status("VmHWM")
}

fn status(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap();
    let kib: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kib / 1024
}
