//! The plans of the queues, and their order and cost among many games.

use std::time::{Duration, Instant};

use super::*;

const NOW: UnixMillis = UnixMillis(1_774_901_324_793);

fn open() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("sync.db")).unwrap();
    (folder, store)
}

fn plan(store: &Store, sql: &str) -> String {
    let explain = format!("EXPLAIN QUERY PLAN {sql}");
    let lines = store.read(|connection| {
        let mut statement = connection.prepare(&explain)?;
        let parameters = vec![rusqlite::types::Null; statement.parameter_count()];
        let rows = statement
            .query_map(rusqlite::params_from_iter(parameters), |row| row.get::<_, String>(3))?;
        Ok(rows.collect::<rusqlite::Result<Vec<_>>>()?)
    });
    lines.unwrap().join("\n")
}

#[test]
fn queues_are_walked_through_their_indexes() {
    let (_folder, store) = open();
    for (sql, index) in [
        (TO_FETCH, "ix_games_to_fetch"),
        (TO_POST, "ix_games_to_post"),
        (TO_ARCHIVE, "ix_raw_archive_pending"),
        (super::super::sweeps::PENDING, "ix_players_frontier"),
        (super::super::sweeps::RETRY, "ix_players_frontier"),
        (super::super::counts::WAITING, "ix_games_status"),
        (super::super::counts::WAITING, "ix_games_troubles (status=? AND error_stage=? AND next"),
    ] {
        let plan = plan(&store, sql);
        assert!(plan.contains(index), "{sql}\n{plan}");
        assert!(!plan.contains("TEMP B-TREE"), "{sql}\n{plan}");
        for line in
            plan.lines().filter(|line| line.starts_with("SCAN") && !line.contains("CONSTANT"))
        {
            assert!(line.contains(index), "{sql}\n{plan}");
        }
    }
}

/// Of 200,000 games most are posted, some wait, and the newest ones may not be touched yet.
const MANY: &str = "
    WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199999)
    INSERT INTO games (game_id, status, error_stage, started_at_ms, next_retry_at)
    SELECT printf('00000000-0000-0000-0000-%012x', i),
        CASE WHEN i >= 199000 THEN 'discovered' WHEN i % 10 = 0 THEN 'discovered'
            WHEN i % 10 = 1 THEN 'fetched' WHEN i % 1000 = 2 THEN 'error' ELSE 'posted' END,
        CASE WHEN i < 199000 AND i % 1000 = 2 THEN iif(i % 2000 = 2, 'fetch', 'post') END,
        iif(i % 100000 = 0, NULL, i),
        CASE WHEN i >= 199000 THEN '2099-01-01T00:00:00.000Z'
            WHEN i % 1000 = 2 THEN '2026-01-01T00:00:00.000Z' END
    FROM n;
    INSERT INTO raw_game_data (game_id, history_meta_json, move_history_json)
    SELECT game_id, '{}', '{}' FROM games WHERE status <> 'discovered'";

#[test]
fn queues_are_in_order_and_flat_among_many_games() {
    let (_folder, store) = open();
    store.write(|tx| Ok(tx.execute_batch(MANY)?)).unwrap();
    let number = |id: GameId| id.bits() as u64;
    let first: Vec<_> = store.next_to_fetch(NOW, 3).unwrap().into_iter().map(number).collect();
    assert_eq!(first, [198_990, 198_980, 198_970]);
    let first: Vec<_> =
        store.next_to_post(NOW, 2).unwrap().into_iter().map(|item| number(item.game_id)).collect();
    assert_eq!(first, [198_991, 198_981]);

    let all: Vec<_> = store.next_to_fetch(NOW, u32::MAX).unwrap().into_iter().map(number).collect();
    assert_eq!(
        all.len() as u64,
        super::super::counts::to_fetch(&store.lock().connection, NOW).unwrap()
    );
    assert_eq!(all[all.len() - 2..], [0, 100_000], "unknown starts come last");
    assert!(all[..all.len() - 2].windows(2).all(|pair| pair[0] > pair[1]), "newest first");
    let place = |id| all.iter().position(|other| *other == id);
    assert_eq!(place(198_002), place(198_010).map(|before| before + 1), "due errors are merged");
    assert_eq!(place(199_500), None, "running games wait");

    let begun = Instant::now();
    for _ in 0..100 {
        assert_eq!(store.next_to_fetch(NOW, 1).unwrap().len(), 1);
        assert_eq!(store.next_to_post(NOW, 1).unwrap().len(), 1);
        assert_eq!(store.next_to_archive(1).unwrap().len(), 1);
    }
    // About 40 ms here; a plan that sorts takes more than 10 s.
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}
