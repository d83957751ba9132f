-- The tables of the contract, sections 9.1 and 9.2. A database of the older service has them
-- already, perhaps with fewer columns; those are added before this file runs.

CREATE TABLE IF NOT EXISTS players (
    user_id            INTEGER PRIMARY KEY,
    username           TEXT,
    player_type        TEXT    NOT NULL DEFAULT 'human',   -- human | bot | guest
    rating_classic     INTEGER,
    rating_x2          INTEGER,
    discovered_rating  INTEGER,                            -- when met as an opponent
    priority           INTEGER NOT NULL DEFAULT 0,         -- greatest known rating
    total_count        INTEGER,                            -- the site's totalCount
    games_discovered   INTEGER NOT NULL DEFAULT 0,         -- distinct games seen in this player's own history
    sync_status        TEXT    NOT NULL DEFAULT 'pending', -- pending | in_progress | synced | error | skipped
    enumerate_offset   INTEGER NOT NULL DEFAULT 0,
    enumerate_complete INTEGER NOT NULL DEFAULT 0,
    synced_through_ms  INTEGER,                            -- cursor of the next sweep
    discovered_via     TEXT,                               -- leaderboard | x2_leaderboard | opponent | tournament | manual
    depth              INTEGER NOT NULL DEFAULT 0,
    attempts           INTEGER NOT NULL DEFAULT 0,
    last_error         TEXT,
    next_retry_at      TEXT,
    last_synced_at     TEXT,
    last_attempt_at    TEXT,
    created_at         TEXT    NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    updated_at         TEXT    NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);

CREATE INDEX IF NOT EXISTS ix_players_frontier ON players (sync_status, priority DESC);
CREATE INDEX IF NOT EXISTS ix_players_retry ON players (sync_status, next_retry_at);

CREATE TABLE IF NOT EXISTS games (
    game_id            TEXT PRIMARY KEY,
    status             TEXT    NOT NULL DEFAULT 'discovered', -- discovered | fetched | posted | rejected | error | skipped
    error_stage        TEXT,                                  -- fetch | normalize | post
    white_user_id      INTEGER,
    black_user_id      INTEGER,
    discovered_from    INTEGER,                               -- whose history told of it first
    started_at_ms      INTEGER,
    allow_doubling     INTEGER NOT NULL DEFAULT 0,
    result             INTEGER,                               -- White's: 1 | 0 | -1
    time_initial_sec   INTEGER,
    time_increment_sec INTEGER,
    is_cancelled       INTEGER NOT NULL DEFAULT 0,
    post_result        TEXT,                                  -- created | exists
    reject_reason      TEXT,
    attempts           INTEGER NOT NULL DEFAULT 0,
    last_error         TEXT,
    next_retry_at      TEXT,
    created_at         TEXT    NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    updated_at         TEXT    NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);

CREATE INDEX IF NOT EXISTS ix_games_status ON games (status, next_retry_at);
CREATE INDEX IF NOT EXISTS ix_games_white ON games (white_user_id);
CREATE INDEX IF NOT EXISTS ix_games_black ON games (black_user_id);

CREATE TABLE IF NOT EXISTS raw_game_data (
    game_id                 TEXT PRIMARY KEY REFERENCES games (game_id) ON DELETE CASCADE,
    history_meta_json       TEXT,
    meta_source_user_id     INTEGER,
    move_history_json       TEXT,
    move_history_fetched_at TEXT,
    byte_size               INTEGER,
    archived_at             TEXT,
    created_at              TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
);

CREATE INDEX IF NOT EXISTS ix_raw_archive_pending ON raw_game_data (game_id)
    WHERE archived_at IS NULL AND move_history_json IS NOT NULL;
