//! A database that has seen many games before.

use dicechess_tests::Workspace;
use rusqlite::Connection;

/// Puts so many posted and archived games with raw answers of about a kilobyte, and a player for
/// every twentieth of them, into the database.
pub(super) fn fill(workspace: &Workspace, games: u64) {
    workspace.command(["seed", "1"]).run().expect(0);
    workspace.change("DELETE FROM players");
    if games == 0 {
        return;
    }
    println!("filling the database with {games} games");
    let connection = Connection::open(workspace.db_path()).unwrap();
    let players = (games / 20).max(2);
    connection
        .execute_batch(&format!(
            "BEGIN;
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {players})
            INSERT INTO players (user_id, username, sync_status, priority, last_synced_at,
                synced_through_ms, next_refresh_at_ms, discovered_via)
            SELECT 10000000 + i, 'Player ' || i, 'synced', i % 2500, '2099-01-01T00:00:00.000Z',
                1700000000000, 4070908800000, 'opponent' FROM n;
            INSERT INTO player_sweeps (user_id, known_games, counted_games, finished_at)
            SELECT user_id, 40, 40, '2026-01-01T00:00:00.000Z' FROM players;
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {games})
            INSERT INTO games (game_id, status, post_result, white_user_id, black_user_id,
                started_at_ms, result)
            SELECT printf('%08x-0000-4000-8000-%012x', i * 2654435761 % 4294967296, i), 'posted',
                'created', 10000001 + i % {players}, 10000001 + i * 7 % {players},
                1600000000000 + i * 100000, i % 3 - 1 FROM n;
            INSERT INTO raw_game_data (game_id, history_meta_json, meta_source_user_id,
                move_history_json, move_history_fetched_at, byte_size, archived_at)
            SELECT game_id, json_object('filler', hex(zeroblob(200))), white_user_id,
                json_object('filler', hex(zeroblob(250))), '2026-01-01T00:00:00.000Z', 520,
                '2026-01-01T00:00:00.000Z' FROM games;
            COMMIT;
            PRAGMA wal_checkpoint(TRUNCATE);"
        ))
        .unwrap();
}
