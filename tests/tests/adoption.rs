//! A database of the older TypeScript service is adopted and worked on without loss.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use dicechess_core::ids::{GameId, UserId};
use dicechess_sim::{PlayerKind, World, WorldSpec};
use dicechess_tests::evidence::{fetchable, fetched_games, history_requests, postable, serve};
use dicechess_tests::{AnalyticsService, Workspace};
use rusqlite::{Connection, params};
use serde_json::Value;

/// The two migrations of the older service, whose database has no version, and things of its own
/// that are none of our business.
const OLDER_SCHEMA: &str = "
    CREATE TABLE players (
        user_id INTEGER PRIMARY KEY, username TEXT, player_type TEXT NOT NULL DEFAULT 'human',
        rating_classic INTEGER, rating_x2 INTEGER, discovered_rating INTEGER,
        priority INTEGER NOT NULL DEFAULT 0, total_count INTEGER,
        games_discovered INTEGER NOT NULL DEFAULT 0, sync_status TEXT NOT NULL DEFAULT 'pending',
        enumerate_offset INTEGER NOT NULL DEFAULT 0, enumerate_complete INTEGER NOT NULL DEFAULT 0,
        synced_through_ms INTEGER, discovered_via TEXT, depth INTEGER NOT NULL DEFAULT 0,
        attempts INTEGER NOT NULL DEFAULT 0, last_error TEXT, next_retry_at TEXT,
        last_synced_at TEXT, last_attempt_at TEXT,
        created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),
        updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')));
    CREATE INDEX ix_players_frontier ON players (sync_status, priority DESC);
    CREATE INDEX ix_players_retry ON players (sync_status, next_retry_at);
    CREATE TABLE games (
        game_id TEXT PRIMARY KEY, status TEXT NOT NULL DEFAULT 'discovered', error_stage TEXT,
        white_user_id INTEGER, black_user_id INTEGER, discovered_from INTEGER,
        started_at_ms INTEGER, allow_doubling INTEGER NOT NULL DEFAULT 0, result INTEGER,
        time_initial_sec INTEGER, time_increment_sec INTEGER,
        is_cancelled INTEGER NOT NULL DEFAULT 0, post_result TEXT, reject_reason TEXT,
        attempts INTEGER NOT NULL DEFAULT 0, last_error TEXT, next_retry_at TEXT,
        created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),
        updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')));
    CREATE INDEX ix_games_status ON games (status, next_retry_at);
    CREATE INDEX ix_games_white ON games (white_user_id);
    CREATE INDEX ix_games_black ON games (black_user_id);
    CREATE TABLE raw_game_data (
        game_id TEXT PRIMARY KEY REFERENCES games (game_id) ON DELETE CASCADE,
        history_meta_json TEXT, meta_source_user_id INTEGER, move_history_json TEXT,
        move_history_fetched_at TEXT, byte_size INTEGER,
        created_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')));
    ALTER TABLE raw_game_data ADD COLUMN archived_at TEXT;
    CREATE INDEX ix_raw_archive_pending ON raw_game_data (game_id)
        WHERE archived_at IS NULL AND move_history_json IS NOT NULL;
    ALTER TABLE players ADD COLUMN note TEXT;
    CREATE TABLE schema_migrations (name TEXT PRIMARY KEY);
    INSERT INTO schema_migrations VALUES ('0001_init.sql'), ('0002_archive.sql');";

const LONG_AGO: &str = "2026-01-02T03:04:05.678Z";
const FAR_AHEAD: &str = "2099-01-02T03:04:05.678Z";
/// Rows of the whale's history that the older service had walked.
const WALKED: usize = 30;

/// What the older service had made of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Older {
    Discovered,
    Fetched,
    Posted { archived: bool },
    Rejected,
    FetchFailed { is_due: bool },
    PostFailed,
    NormalizeFailed,
    Skipped,
}

const STATES: [Older; 9] = [
    Older::Discovered,
    Older::Fetched,
    Older::Posted { archived: true },
    Older::Posted { archived: false },
    Older::Rejected,
    Older::FetchFailed { is_due: true },
    Older::FetchFailed { is_due: false },
    Older::PostFailed,
    Older::NormalizeFailed,
];

impl Older {
    /// Status, stage, attempts, last error, timer.
    const fn columns(self) -> (&'static str, Option<&'static str>, i64, Option<&'static str>) {
        match self {
            Self::Discovered => ("discovered", None, 0, None),
            Self::Fetched => ("fetched", None, 0, None),
            Self::Posted { .. } => ("posted", None, 0, None),
            Self::Rejected => ("rejected", None, 1, None),
            Self::FetchFailed { is_due: true } => ("error", Some("fetch"), 2, Some(LONG_AGO)),
            Self::FetchFailed { is_due: false } => ("error", Some("fetch"), 7, Some(FAR_AHEAD)),
            Self::PostFailed => ("error", Some("post"), 1, Some(LONG_AGO)),
            Self::NormalizeFailed => ("error", Some("normalize"), 1, None),
            Self::Skipped => ("skipped", None, 0, None),
        }
    }

    const fn has_moves(self) -> bool {
        !matches!(self, Self::Discovered | Self::FetchFailed { .. } | Self::Skipped)
    }

    /// The status after a pass that meets no fault.
    const fn after(self) -> &'static str {
        match self {
            Self::Discovered
            | Self::Fetched
            | Self::Posted { .. }
            | Self::FetchFailed { is_due: true }
            | Self::PostFailed => "posted",
            Self::Rejected => "rejected",
            Self::FetchFailed { is_due: false } => "error/fetch",
            Self::NormalizeFailed => "error/normalize",
            Self::Skipped => "skipped",
        }
    }
}

/// The older database and what it holds.
struct OlderDatabase {
    games: BTreeMap<GameId, Older>,
    whale: UserId,
    synced: UserId,
    fresh: UserId,
    failed: UserId,
    waiting: UserId,
}

impl OlderDatabase {
    fn write(world: &World, workspace: &Workspace) -> Self {
        let seeds = world.seed_ids();
        let humans: Vec<UserId> = world.reachable_humans(&seeds).into_iter().collect();
        let others: Vec<UserId> = humans.iter().copied().filter(|id| !seeds.contains(id)).collect();
        let mut older = Self {
            games: BTreeMap::new(),
            whale: seeds[1],
            synced: seeds[0],
            fresh: others[0],
            failed: others[1],
            waiting: others[2],
        };
        let mut database = Connection::open(workspace.db_path()).unwrap();
        database.execute_batch(OLDER_SCHEMA).unwrap();
        database.pragma_update(None, "journal_mode", "WAL").unwrap();
        let tx = database.transaction().unwrap();
        older.write_players(world, &tx);
        for (player, rows) in
            [(older.synced, usize::MAX), (older.fresh, usize::MAX), (older.whale, WALKED)]
        {
            for row in world.history_page(player, None, 0, rows).rows {
                older.write_game(world, &tx, player, &row);
            }
        }
        tx.commit().unwrap();
        older
    }

    fn write_players(&self, world: &World, database: &Connection) {
        let now = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";
        let columns = |id: UserId| match id {
            id if id == self.whale => ("'in_progress'", WALKED, 0, "NULL", "NULL", "NULL"),
            id if id == self.synced => {
                ("'synced'", 0, 1, "'2026-01-02T03:04:05.678Z'", "NULL", "NULL")
            }
            id if id == self.fresh => ("'synced'", 0, 1, now, "NULL", "NULL"),
            id if id == self.failed => {
                ("'error'", 0, 0, "NULL", "'curl: 28'", "'2026-01-02T03:04:05.678Z'")
            }
            _ => ("'error'", 0, 0, "NULL", "'curl: 28'", "'2099-01-02T03:04:05.678Z'"),
        };
        for id in [self.whale, self.synced, self.fresh, self.failed, self.waiting] {
            let (status, offset, complete, synced_at, error, retry) = columns(id);
            let newest = world.games_of(id).next().unwrap().started_at.0;
            let cursor = if complete == 1 { newest.to_string() } else { "NULL".to_owned() };
            let sql = format!(
                "INSERT INTO players (user_id, username, sync_status, enumerate_offset,
                     enumerate_complete, last_synced_at, last_error, next_retry_at, attempts,
                     synced_through_ms, total_count, priority, discovered_via, depth, note)
                 VALUES ({id}, 'older name', {status}, {offset}, {complete}, {synced_at}, {error},
                     {retry}, {error} IS NOT NULL, {cursor}, {}, 100, 'manual', 3, 'kept')",
                world.games_of(id).count()
            );
            database.execute(&sql, []).unwrap();
        }
        for player in world.players().filter(|player| player.kind != PlayerKind::Human) {
            let kind = if player.kind == PlayerKind::Bot { "bot" } else { "guest" };
            let sql = "INSERT INTO players (user_id, username, player_type, sync_status)
                       VALUES (?1, ?2, ?3, 'skipped')";
            database.execute(sql, params![player.id.0, player.name, kind]).unwrap();
        }
    }

    /// The older service stored ids as the site spells them, and JSON parsed and printed again.
    fn write_game(&mut self, world: &World, database: &Connection, told_by: UserId, row: &str) {
        let entry: Value = serde_json::from_str(row).unwrap();
        let spelled = entry["gameId"].as_str().unwrap();
        let id: GameId = spelled.parse().unwrap();
        if self.games.contains_key(&id) {
            return;
        }
        let game = world.game(id).unwrap();
        let state = match (game.is_cancelled, game.has_map) {
            (true, _) => Older::Skipped,
            (false, false) => Older::NormalizeFailed,
            (false, true) => STATES[self.games.len() % STATES.len()],
        };
        self.games.insert(id, state);
        let (status, stage, attempts, retry) = state.columns();
        let post_result = matches!(state, Older::Posted { .. }).then_some("created");
        let reason = (state == Older::Rejected).then_some("{\"detail\":\"Turn 1\"}");
        let sql = "INSERT INTO games (game_id, status, error_stage, white_user_id, black_user_id,
                discovered_from, started_at_ms, allow_doubling, result, time_initial_sec,
                time_increment_sec, is_cancelled, post_result, reject_reason, attempts,
                next_retry_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";
        let values = params![
            spelled,
            status,
            stage,
            game.white.0,
            game.black.0,
            told_by.0,
            game.started_at.0,
            game.allow_doubling,
            game.result(),
            game.time_limit_min * 60.0,
            game.time_bonus_sec,
            game.is_cancelled,
            post_result,
            reason,
            attempts,
            retry,
        ];
        database.execute(sql, values).unwrap();
        let again = |text: &str| serde_json::from_str::<Value>(text).unwrap().to_string();
        let moves = state.has_moves().then(|| again(&world.state_map(id).unwrap()));
        let archived = (state == Older::Posted { archived: true }).then_some(LONG_AGO);
        let sql = "INSERT INTO raw_game_data (game_id, history_meta_json, meta_source_user_id,
                move_history_json, move_history_fetched_at, byte_size, archived_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let fetched_at = moves.as_ref().map(|_| LONG_AGO);
        let size = moves.as_ref().map(String::len).map(|size| size as i64);
        let values = params![spelled, again(row), told_by.0, moves, fetched_at, size, archived];
        database.execute(sql, values).unwrap();
    }

    fn with(&self, is_wanted: impl Fn(Older) -> bool) -> BTreeSet<GameId> {
        self.games.iter().filter(|(_, state)| is_wanted(**state)).map(|(id, _)| *id).collect()
    }
}

fn raw_rows(workspace: &Workspace) -> BTreeMap<GameId, Vec<Value>> {
    let sql = "SELECT game_id, history_meta_json, meta_source_user_id, move_history_json,
                   byte_size, created_at
               FROM raw_game_data";
    let rows = workspace.database().rows(sql);
    rows.into_iter().map(|row| (row[0].as_str().unwrap().parse().unwrap(), row)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_older_database_is_adopted_without_loss() {
    let spec =
        WorldSpec { seed: 31, players: 14, games: 110, whale_games: 60, ..WorldSpec::default() };
    let site = serve(spec).await;
    let analytics = AnalyticsService::start().await;
    let workspace = Workspace::new();
    let older = OlderDatabase::write(&site.world(), &workspace);
    for state in STATES {
        assert!(!older.with(|other| other == state).is_empty(), "{state:?}");
    }
    let before = raw_rows(&workspace);
    let crawl = || {
        let crawl = workspace.crawl_to(&site, &analytics).env("ENUMERATE_PAGE_SIZE", "10");
        crawl.env("ENUMERATE_PAGE_SIZE_MAX", "10")
    };
    crawl().run().expect(0);

    every_old_row_is_there(&older, &workspace, &before);
    states_moved_as_they_should(&older, &workspace);
    let world = site.world();
    let seeds = world.seed_ids();

    // The site tells of a game in the histories of its humans; that of one of them was not due.
    let is_source =
        |id: UserId| id != older.waiting && world.player(id).unwrap().kind == PlayerKind::Human;
    let told: BTreeSet<GameId> = world
        .games()
        .filter(|game| is_source(game.white) || is_source(game.black))
        .map(|game| game.id)
        .collect();

    // Nothing was asked for or sent that the older service had.
    let log = site.log();
    let fetched = fetched_games(&log);
    let held_back = older.with(|state| state == Older::FetchFailed { is_due: false });
    let had = older.with(Older::has_moves);
    let expected = &(&(&fetchable(&world, &seeds) & &told) - &had) - &held_back;
    assert_eq!(fetched.iter().copied().collect::<BTreeSet<_>>(), expected);
    assert_eq!(fetched.len(), expected.len());
    let posted: BTreeSet<GameId> = analytics.posts().iter().map(|post| post.game()).collect();
    let kept_out = older.with(|state| state.after() != "posted");
    let had = older.with(|state| matches!(state, Older::Posted { .. }));
    assert_eq!(posted, &(&(&postable(&world, &seeds) & &told) - &kept_out) - &had);

    // The whale's sweep went on where it was, the others' as their states say.
    let asked = history_requests(&log);
    let first = |player| asked.iter().find(|(id, _, _)| *id == player).copied();
    assert_eq!(first(older.whale), Some((older.whale, WALKED as u64, None)));
    let cursor = world.games_of(older.synced).next().unwrap().started_at.0;
    assert_eq!(first(older.synced), Some((older.synced, 0, Some(cursor))));
    assert_eq!(first(older.fresh), None);
    assert_eq!(first(older.failed), Some((older.failed, 0, None)));
    assert_eq!(first(older.waiting), None);
    drop(world);

    replays_work(&older, &workspace, &analytics, crawl);
}

fn every_old_row_is_there(
    older: &OlderDatabase,
    workspace: &Workspace,
    before: &BTreeMap<GameId, Vec<Value>>,
) {
    let database = workspace.database();
    assert!(database.number("PRAGMA user_version") > 0);
    assert_eq!(database.texts("PRAGMA foreign_key_check"), [""; 0]);
    assert_eq!(database.texts("SELECT name FROM schema_migrations").len(), 2);
    let notes = "SELECT count(*) FROM players WHERE note = 'kept' AND depth = 3
                     AND discovered_via = 'manual'";
    assert_eq!(database.number(notes), 5);
    let after = raw_rows(workspace);
    for (id, old) in before {
        let new = &after[id];
        assert_eq!(new[0], id.to_string(), "ids are in lower case now");
        for column in [1, 2, 3, 4, 5] {
            assert!(old[column].is_null() || old[column] == new[column], "{id}: {old:?}");
        }
    }
    assert!(older.games.len() == before.len() && after.len() > before.len());
}

fn states_moved_as_they_should(older: &OlderDatabase, workspace: &Workspace) {
    let rows = workspace.database().rows(
        "SELECT game_id, status || coalesce('/' || error_stage, ''), attempts, next_retry_at,
             reject_reason, archived_at
         FROM games JOIN raw_game_data USING (game_id)",
    );
    let rows: BTreeMap<GameId, Vec<Value>> =
        rows.into_iter().map(|row| (row[0].as_str().unwrap().parse().unwrap(), row)).collect();
    for (id, state) in &older.games {
        let row = &rows[id];
        assert_eq!(row[1], state.after(), "{id} {state:?}");
        match state {
            Older::FetchFailed { is_due: false } => {
                assert_eq!((&row[2], &row[3]), (&7.into(), &FAR_AHEAD.into()));
            }
            Older::Rejected => assert_eq!(row[4], "{\"detail\":\"Turn 1\"}"),
            Older::Posted { archived: true } => assert_eq!(row[5], LONG_AGO),
            _ => {}
        }
        let is_archived = !matches!(state, Older::FetchFailed { is_due: false } | Older::Skipped);
        assert_eq!(row[5].is_string(), is_archived, "{id} {state:?}");
    }
    let status = |id: UserId| {
        let sql = format!("SELECT sync_status FROM players WHERE user_id = {id}");
        workspace.database().texts(&sql).remove(0)
    };
    for id in [older.whale, older.synced, older.fresh, older.failed] {
        assert_eq!(status(id), "synced");
    }
    assert_eq!(status(older.waiting), "error");
    let known = format!(
        "SELECT total_count - (SELECT count(*) FROM games
             WHERE white_user_id = user_id OR black_user_id = user_id)
         FROM players WHERE user_id = {}",
        older.whale
    );
    assert_eq!(workspace.database().number(&known), 0, "no game of the whale is missing");
}

/// What the older service had parked goes on after a replay.
fn replays_work(
    older: &OlderDatabase,
    workspace: &Workspace,
    analytics: &AnalyticsService,
    crawl: impl Fn() -> dicechess_tests::Invocation,
) {
    workspace.command(["replay", "rejected"]).run().expect(0);
    workspace.command(["replay", "normalize"]).run().expect(0);
    crawl().run().expect(0);
    let posted: BTreeSet<GameId> = analytics.posts().iter().map(|post| post.game()).collect();
    assert!(posted.is_superset(&older.with(|state| state == Older::Rejected)));
    let parked = workspace
        .database()
        .texts("SELECT last_error FROM games WHERE status = 'error' AND error_stage = 'normalize'");
    assert!(parked.iter().all(|error| error.contains("state map")), "{parked:?}");
}
