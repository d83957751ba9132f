//! What the queues cost on a database of a million games (`QUEUE_ROWS` for another number).
//!
//! Seven in ten games are posted, two wait for their moves, the rest are spread over the other
//! statuses; half of the failed ones have a timer that is not due.

#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark fails by panicking")]

use std::sync::LazyLock;

use dicechess_core::time::UnixMillis;
use dicechess_sync::store::Store;
use divan::{Bencher, black_box};
use rusqlite::Connection;
use tempfile::TempDir;

const NOW: UnixMillis = UnixMillis(1_790_000_000_000);

static STORE: LazyLock<(TempDir, Store)> = LazyLock::new(|| {
    let rows = std::env::var("QUEUE_ROWS").ok().and_then(|rows| rows.parse().ok());
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("sync.db");
    let store = Store::open(&path).unwrap();
    fill(&Connection::open(&path).unwrap(), rows.unwrap_or(1_000_000));
    (folder, store)
});

fn main() {
    divan::main();
}

#[divan::bench]
fn next_to_fetch(bencher: Bencher<'_, '_>) {
    let (_, store) = &*STORE;
    bencher.bench_local(|| black_box(store.next_to_fetch(NOW, 1).unwrap()));
}

#[divan::bench]
fn next_to_post(bencher: Bencher<'_, '_>) {
    let (_, store) = &*STORE;
    bencher.bench_local(|| black_box(store.next_to_post(NOW, 1).unwrap()));
}

#[divan::bench]
fn next_to_archive(bencher: Bencher<'_, '_>) {
    let (_, store) = &*STORE;
    bencher.bench_local(|| black_box(store.next_to_archive(1).unwrap()));
}

#[divan::bench(sample_count = 20)]
fn status(bencher: Bencher<'_, '_>) {
    let (_, store) = &*STORE;
    bencher.bench_local(|| black_box(store.status(NOW).unwrap()));
}

/// What a scrape of `/metrics` reads, at most once in five seconds.
#[divan::bench(sample_count = 20)]
fn gauges(bencher: Bencher<'_, '_>) {
    let (_, store) = &*STORE;
    bencher.bench_local(|| black_box(store.gauges(NOW).unwrap()));
}

/// Ids and starts are scattered by multiplying with primes, so that no index is filled in order.
fn fill(connection: &Connection, rows: i64) {
    connection
        .execute_batch(&format!(
            "PRAGMA synchronous = OFF;
            BEGIN;
            CREATE TEMP TABLE n AS
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
                SELECT i, i * 7919 % 100 AS d FROM n;
            INSERT INTO games (game_id, status, error_stage, white_user_id, black_user_id,
                    discovered_from, started_at_ms, result, next_retry_at)
                SELECT printf('%08x-0000-4000-8000-%012x', i * 2654435761 % 4294967296, i),
                    CASE WHEN d < 70 THEN 'posted' WHEN d < 90 THEN 'discovered'
                        WHEN d < 94 THEN 'fetched' WHEN d < 99 THEN 'error' ELSE 'rejected' END,
                    CASE WHEN d IN (94, 95) THEN 'fetch' WHEN d IN (96, 97) THEN 'post'
                        WHEN d = 98 THEN 'normalize' END,
                    i % 59999, i * 31 % 59999, i % 59999, 1600000000000 + i * 104729 % 100000000000,
                    1,
                    CASE WHEN d BETWEEN 94 AND 97
                        THEN iif(i % 2, '2026-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z') END
                FROM n;
            INSERT INTO raw_game_data (game_id, history_meta_json, meta_source_user_id,
                    move_history_json, archived_at)
                SELECT game_id, '{{}}', 1,
                    iif(status = 'discovered' OR error_stage = 'fetch', NULL, '{{}}'),
                    iif(status = 'posted', '2026-01-01T00:00:00.000Z', NULL)
                FROM games;
            COMMIT;"
        ))
        .unwrap();
}
