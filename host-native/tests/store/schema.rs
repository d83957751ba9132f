//! Opening a database: new, ours, of the older service, and what cannot be opened.

use std::thread;

use crate::support::{ANN, Fixture, NOW, game};
use dicechess_core::lifecycle::GameStatus;
use dicechess_sync::store::{Store, StoreError};
use rusqlite::Connection;

#[test]
fn a_new_database_has_the_contracts_tables() {
    let fixture = Fixture::new();
    for (table, columns) in CONTRACT {
        let sql = format!("SELECT group_concat(name, ' ') FROM pragma_table_info('{table}')");
        let found = fixture.text(&sql);
        let found: Vec<_> = found.split(' ').collect();
        for column in columns.split_whitespace() {
            assert!(found.contains(&column), "{table}.{column}");
        }
    }
    for index in [
        "ix_players_frontier",
        "ix_players_retry",
        "ix_games_status",
        "ix_games_white",
        "ix_games_black",
        "ix_raw_archive_pending",
    ] {
        let sql = format!("SELECT count(*) FROM sqlite_schema WHERE name = '{index}'");
        assert_eq!(fixture.number(&sql), 1, "{index}");
    }
    assert_eq!(fixture.text("PRAGMA journal_mode"), "wal");
    assert!(fixture.number("PRAGMA user_version") > 0);
}

#[test]
fn opening_again_changes_nothing() {
    let fixture = Fixture::new();
    fixture.catalogue(&[1]);
    let version = fixture.number("PRAGMA user_version");
    Store::open_existing(&fixture.path()).unwrap();
    assert_eq!(fixture.number("PRAGMA user_version"), version);
    assert_eq!(fixture.number("SELECT count(*) FROM games"), 1);
}

#[test]
fn many_may_open_a_new_database_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/sync.db");
    thread::scope(|scope| {
        let openers: Vec<_> = (0..8).map(|_| scope.spawn(|| Store::open(&path))).collect();
        for opener in openers {
            opener.join().unwrap().unwrap();
        }
    });
}

/// The older service: no version, upper-case ids, fewer columns, a table of its own.
const OLDER: &str = "
    CREATE TABLE players (user_id INTEGER PRIMARY KEY, username TEXT,
        player_type TEXT NOT NULL DEFAULT 'human', rating_classic INTEGER, rating_x2 INTEGER,
        discovered_rating INTEGER, priority INTEGER NOT NULL DEFAULT 0, total_count INTEGER,
        games_discovered INTEGER NOT NULL DEFAULT 0, sync_status TEXT NOT NULL DEFAULT 'pending',
        enumerate_offset INTEGER NOT NULL DEFAULT 0, enumerate_complete INTEGER NOT NULL DEFAULT 0,
        synced_through_ms INTEGER, discovered_via TEXT, depth INTEGER NOT NULL DEFAULT 0,
        created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
    CREATE TABLE games (game_id TEXT PRIMARY KEY, status TEXT NOT NULL, white_user_id INTEGER,
        black_user_id INTEGER, discovered_from INTEGER, started_at_ms INTEGER,
        allow_doubling INTEGER, result INTEGER, time_initial_sec INTEGER,
        time_increment_sec INTEGER, is_cancelled INTEGER, error_stage TEXT, note TEXT);
    CREATE INDEX ix_games_white ON games (white_user_id);
    CREATE TABLE raw_game_data (
        game_id TEXT PRIMARY KEY REFERENCES games (game_id) ON DELETE CASCADE,
        history_meta_json TEXT, meta_source_user_id INTEGER, move_history_json TEXT,
        move_history_fetched_at TEXT, byte_size INTEGER,
        created_at TEXT NOT NULL DEFAULT (datetime('now')));
    CREATE TABLE _migrations (name TEXT);
    INSERT INTO _migrations VALUES ('0001_init.sql');
    INSERT INTO players (user_id, username, priority, sync_status, enumerate_offset, created_at,
            updated_at)
        VALUES (5, 'Ann', 1800, 'in_progress', 150, '2026-01-01T00:00:00.000Z', 'x');
    INSERT INTO games (game_id, status, error_stage, white_user_id, started_at_ms, note) VALUES
        ('00000000-0000-0000-0000-00000000000A', 'discovered', NULL, 5, 10, 'keep'),
        ('00000000-0000-0000-0000-000000000002', 'fetched', NULL, 5, 20, NULL),
        ('00000000-0000-0000-0000-000000000003', 'posted', NULL, 5, 30, NULL),
        ('00000000-0000-0000-0000-000000000004', 'rejected', NULL, 5, 40, NULL),
        ('00000000-0000-0000-0000-000000000005', 'error', 'fetch', 5, 50, NULL),
        ('00000000-0000-0000-0000-000000000006', 'error', 'post', 5, 60, NULL),
        ('00000000-0000-0000-0000-000000000007', 'error', 'normalize', 5, 70, NULL),
        ('00000000-0000-0000-0000-000000000008', 'skipped', NULL, 5, 80, NULL),
        ('00000000-0000-0000-0000-000000000009', 'fetched', NULL, 5, 90, 'has no moves'),
        ('not a uuid', 'discovered', NULL, 5, 100, NULL);
    INSERT INTO raw_game_data (game_id, history_meta_json, meta_source_user_id, move_history_json)
        SELECT game_id, '{}', 5, CASE WHEN status IN ('fetched', 'posted', 'rejected')
            OR error_stage IN ('post', 'normalize') THEN '{\"a\": 1}' END FROM games;
    UPDATE raw_game_data SET move_history_json = NULL
        WHERE game_id = '00000000-0000-0000-0000-000000000009';";

#[test]
fn a_database_of_the_older_service_is_adopted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sync.db");
    Connection::open(&path).unwrap().execute_batch(OLDER).unwrap();
    let store = Store::open(&path).unwrap();
    let sql = Connection::open(&path).unwrap();
    let number = |query: &str| sql.query_row(query, [], |row| row.get::<_, i64>(0)).unwrap();

    assert_eq!(number("SELECT count(*) FROM games"), 10);
    assert_eq!(number("SELECT count(*) FROM raw_game_data"), 10);
    assert_eq!(number("SELECT count(*) FROM _migrations"), 1);
    assert_eq!(number("SELECT count(*) FROM games WHERE note = 'keep'"), 1);
    assert_eq!(number("SELECT count(*) FROM games WHERE updated_at LIKE '20__-%Z'"), 10);
    assert_eq!(number("SELECT count(*) FROM pragma_foreign_key_check"), 0);
    assert_eq!(number("SELECT enumerate_offset FROM players"), 150);
    let sites =
        "SELECT count(*) FROM raw_game_data WHERE (meta_origin, moves_origin) = ('site', 'site')";
    assert_eq!(number(sites), 10, "what was there is the site's");

    let status = |id: u128| store.game_state(game(id)).unwrap().unwrap().status.to_string();
    let statuses: Vec<_> = (2..=8).map(status).collect();
    let kept = ["fetched", "posted", "rejected", "error/fetch", "error/post", "error/normalize"];
    assert_eq!(statuses, [&kept[..], &["skipped"]].concat());
    assert_eq!((status(10), status(9)), ("discovered".into(), "discovered".into()));

    let to_fetch = store.next_to_fetch(NOW, 10).unwrap();
    assert_eq!(to_fetch, [game(9), game(5), game(10)], "the unreadable id stops nobody");
    let to_post: Vec<_> =
        store.next_to_post(NOW, 10).unwrap().into_iter().map(|item| item.game_id).collect();
    assert_eq!(to_post, [game(6), game(2)]);
    assert_eq!(store.archive_pending().unwrap(), 5);

    assert_eq!(store.reset_in_progress(NOW).unwrap(), 1);
    let claimed = store.claim_next_player(NOW).unwrap().unwrap();
    assert_eq!((claimed.user_id, claimed.offset, claimed.memory), (ANN, 150, None));
}

#[test]
fn a_database_with_one_table_is_adopted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sync.db");
    let sql = Connection::open(&path).unwrap();
    sql.execute_batch(
        "CREATE TABLE players (user_id INTEGER PRIMARY KEY); PRAGMA user_version = 2",
    )
    .unwrap();
    sql.execute("INSERT INTO players VALUES (5)", []).unwrap();
    let store = Store::open(&path).unwrap();
    assert_eq!(store.claim_next_player(NOW).unwrap().unwrap().user_id, ANN);
}

#[test]
fn a_dump_that_was_read_back_is_ours() {
    let fixture = Fixture::new();
    fixture.catalogue(&[1]);
    let version = fixture.number("PRAGMA user_version");
    fixture.sql.execute_batch("PRAGMA user_version = 0; PRAGMA application_id = 0").unwrap();
    Store::open(&fixture.path()).unwrap();
    assert_eq!(fixture.number("PRAGMA user_version"), version);
    assert_eq!(fixture.number("SELECT count(*) FROM games"), 1);
}

#[test]
fn what_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sync.db");
    let refused = |prepare: &str| {
        let _ = std::fs::remove_file(&path);
        Connection::open(&path).unwrap().execute_batch(prepare).unwrap();
        let before = std::fs::read(&path).unwrap();
        let error = Store::open(&path).unwrap_err();
        assert!(error.to_string().contains("sync.db"), "{error}");
        let tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'raw_game_data'";
        let count = Connection::open(&path).unwrap().query_row(tables, [], |row| row.get(0));
        assert_eq!(count, Ok(0), "nothing is half-written");
        assert!(!before.is_empty());
        error
    };
    let newer = refused("PRAGMA user_version = 99");
    assert!(matches!(newer, StoreError::Newer { found: 99, .. }), "{newer}");
    let other = refused("PRAGMA application_id = 7; CREATE TABLE x (y)");
    assert!(matches!(other, StoreError::Foreign { .. }), "{other}");
    let shape = refused("CREATE TABLE games (id TEXT PRIMARY KEY)");
    assert!(matches!(shape, StoreError::Foreign { .. }), "{shape}");
    let theirs = refused("CREATE TABLE customers (id, name)");
    assert!(theirs.to_string().contains("customers"), "{theirs}");
}

#[test]
fn a_command_that_reads_begins_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sync.db");
    for (prepare, begins) in [
        ("", true),
        ("CREATE TABLE x (y); DROP TABLE x", true),
        ("CREATE TABLE customers (id, name)", false),
        ("CREATE VIEW ten AS SELECT 10", false),
    ] {
        std::fs::write(&path, "").unwrap();
        Connection::open(&path).unwrap().execute_batch(prepare).unwrap();
        let before = std::fs::read(&path).unwrap();
        let error = Store::open_existing(&path).unwrap_err();
        let is_as_expected = match begins {
            true => matches!(error, StoreError::Empty { .. }),
            false => matches!(error, StoreError::Foreign { .. }),
        };
        assert!(is_as_expected, "{prepare}: {error}");
        assert_eq!(std::fs::read(&path).unwrap(), before, "{prepare}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "{prepare}");
        assert_eq!(Store::open(&path).is_ok(), begins, "{prepare}");
        std::fs::remove_file(&path).unwrap();
    }
}

#[test]
fn files_that_are_no_database() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing.db");
    assert!(matches!(Store::open_existing(&missing).unwrap_err(), StoreError::Missing { .. }));
    assert!(!missing.exists());

    let text = folder.path().join("text.db");
    std::fs::write(&text, "to be or not to be ".repeat(200)).unwrap();
    let error = Store::open(&text).unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { .. }), "{error}");

    let error = Store::open(folder.path()).unwrap_err();
    assert!(matches!(error, StoreError::CannotOpen { .. }), "{error}");
    let below_a_file = text.join("sync.db");
    assert!(matches!(Store::open(&below_a_file).unwrap_err(), StoreError::Folder { .. }));
}

const CONTRACT: [(&str, &str); 3] = [
    (
        "players",
        "user_id username player_type rating_classic rating_x2 discovered_rating priority
         total_count games_discovered sync_status enumerate_offset enumerate_complete
         synced_through_ms discovered_via depth attempts last_error next_retry_at last_synced_at
         last_attempt_at created_at updated_at",
    ),
    (
        "games",
        "game_id status error_stage white_user_id black_user_id discovered_from started_at_ms
         allow_doubling result time_initial_sec time_increment_sec is_cancelled post_result
         reject_reason attempts last_error next_retry_at created_at updated_at",
    ),
    (
        "raw_game_data",
        "game_id history_meta_json meta_source_user_id move_history_json move_history_fetched_at
         byte_size archived_at created_at",
    ),
];

#[test]
fn states_that_no_version_wrote_are_named() {
    let fixture = Fixture::new();
    fixture.catalogue(&[1]);
    fixture.sql.execute("UPDATE games SET status = 'lost'", []).unwrap();
    let error = fixture.store.game_state(game(1)).unwrap_err();
    assert!(error.to_string().contains("games.status is \"lost\""), "{error}");
    fixture.sql.execute("UPDATE games SET status = 'posted'", []).unwrap();
    assert_eq!(fixture.store.game_state(game(1)).unwrap().unwrap().status, GameStatus::Posted);
}

#[test]
fn a_file_that_was_removed_or_replaced_is_neither_read_nor_written() {
    let folder = tempfile::TempDir::new().unwrap();
    let path = folder.path().join("sync.db");
    let store = Store::open(&path).unwrap();
    std::fs::rename(&path, folder.path().join("elsewhere.db")).unwrap();
    let now = dicechess_core::time::UnixMillis(0);
    let gone = |error| matches!(error, StoreError::Gone { .. });
    let holder = dicechess_sync::store::LeaseHolder::this_process();
    for is_replaced in [false, true] {
        if is_replaced {
            Store::open(&path).unwrap();
        }
        assert!(gone(store.seed_players(&[], now).unwrap_err()));
        assert!(gone(store.has_players().unwrap_err()));
        assert!(gone(store.try_take_lease(&holder, now).unwrap_err()));
    }
}
