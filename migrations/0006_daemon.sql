-- What a program that runs for months needs: counts that need no counting, when to ask for a player
-- again, and whom to watch.

-- Games by status. The first statement of each trigger is no upsert, because the conflict clause of
-- the statement that fires a trigger would replace the upsert's own.
CREATE TABLE game_counts (
    status      TEXT    NOT NULL,
    error_stage TEXT    NOT NULL, -- '' without one
    games       INTEGER NOT NULL,
    PRIMARY KEY (status, error_stage)
) WITHOUT ROWID;
INSERT INTO game_counts
    SELECT status, coalesce(error_stage, ''), count(*) FROM games GROUP BY 1, 2;

CREATE TRIGGER games_counted_insert AFTER INSERT ON games BEGIN
    INSERT OR IGNORE INTO game_counts VALUES (NEW.status, coalesce(NEW.error_stage, ''), 0);
    UPDATE game_counts SET games = games + 1
        WHERE status = NEW.status AND error_stage = coalesce(NEW.error_stage, '');
END;
CREATE TRIGGER games_counted_delete AFTER DELETE ON games BEGIN
    UPDATE game_counts SET games = games - 1
        WHERE status = OLD.status AND error_stage = coalesce(OLD.error_stage, '');
END;
CREATE TRIGGER games_counted_update AFTER UPDATE OF status, error_stage ON games
    WHEN OLD.status IS NOT NEW.status OR OLD.error_stage IS NOT NEW.error_stage
BEGIN
    INSERT OR IGNORE INTO game_counts VALUES (NEW.status, coalesce(NEW.error_stage, ''), 0);
    UPDATE game_counts SET games = games - 1
        WHERE status = OLD.status AND error_stage = coalesce(OLD.error_stage, '');
    UPDATE game_counts SET games = games + 1
        WHERE status = NEW.status AND error_stage = coalesce(NEW.error_stage, '');
END;

-- Players by status.
CREATE TABLE player_counts (
    sync_status TEXT    PRIMARY KEY,
    players     INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO player_counts SELECT sync_status, count(*) FROM players GROUP BY 1;

CREATE TRIGGER players_counted_insert AFTER INSERT ON players BEGIN
    INSERT OR IGNORE INTO player_counts VALUES (NEW.sync_status, 0);
    UPDATE player_counts SET players = players + 1 WHERE sync_status = NEW.sync_status;
END;
CREATE TRIGGER players_counted_delete AFTER DELETE ON players BEGIN
    UPDATE player_counts SET players = players - 1 WHERE sync_status = OLD.sync_status;
END;
CREATE TRIGGER players_counted_update AFTER UPDATE OF sync_status ON players
    WHEN OLD.sync_status IS NOT NEW.sync_status
BEGIN
    INSERT OR IGNORE INTO player_counts VALUES (NEW.sync_status, 0);
    UPDATE player_counts SET players = players - 1 WHERE sync_status = OLD.sync_status;
    UPDATE player_counts SET players = players + 1 WHERE sync_status = NEW.sync_status;
END;

-- Raw games that are not archived yet.
CREATE TABLE archive_counts (
    id      INTEGER PRIMARY KEY CHECK (id = 1),
    pending INTEGER NOT NULL
);
INSERT INTO archive_counts SELECT 1, count(*) FROM raw_game_data
    WHERE archived_at IS NULL AND move_history_json IS NOT NULL;

CREATE TRIGGER raw_counted_insert AFTER INSERT ON raw_game_data
    WHEN NEW.archived_at IS NULL AND NEW.move_history_json IS NOT NULL
BEGIN
    UPDATE archive_counts SET pending = pending + 1;
END;
CREATE TRIGGER raw_counted_delete AFTER DELETE ON raw_game_data
    WHEN OLD.archived_at IS NULL AND OLD.move_history_json IS NOT NULL
BEGIN
    UPDATE archive_counts SET pending = pending - 1;
END;
CREATE TRIGGER raw_counted_update AFTER UPDATE OF archived_at, move_history_json ON raw_game_data
    WHEN (OLD.archived_at IS NULL AND OLD.move_history_json IS NOT NULL)
        <> (NEW.archived_at IS NULL AND NEW.move_history_json IS NOT NULL)
BEGIN
    UPDATE archive_counts SET pending = pending
        + (NEW.archived_at IS NULL AND NEW.move_history_json IS NOT NULL)
        - (OLD.archived_at IS NULL AND OLD.move_history_json IS NOT NULL);
END;

-- How long the archive lags behind.
CREATE INDEX ix_raw_archive_age ON raw_game_data (move_history_fetched_at)
    WHERE archived_at IS NULL AND move_history_json IS NOT NULL;

-- Why games are held up and until when, without a look at the games.
CREATE INDEX ix_games_troubles
    ON games (status, error_stage, next_retry_at, last_error, reject_reason)
    WHERE status IN ('rejected', 'error');

-- A player's games by time: his latest ones, and how often he plays.
DROP INDEX IF EXISTS ix_games_white;
CREATE INDEX ix_games_white ON games (white_user_id, started_at_ms);
DROP INDEX IF EXISTS ix_games_black;
CREATE INDEX ix_games_black ON games (black_user_id, started_at_ms);

-- When a synced player's history is asked for again.
ALTER TABLE players ADD COLUMN next_refresh_at_ms INTEGER;
UPDATE players SET next_refresh_at_ms = coalesce(unixepoch(last_synced_at), 0) * 1000 + 86400000
    WHERE sync_status = 'synced';
CREATE INDEX ix_players_refresh ON players (next_refresh_at_ms) WHERE sync_status = 'synced';

-- Players whose games are wanted within minutes of their end.
CREATE TABLE watches (
    user_id         INTEGER PRIMARY KEY,
    every_ms        INTEGER NOT NULL,
    next_look_at_ms INTEGER NOT NULL,
    last_look_at_ms INTEGER,
    looks           INTEGER NOT NULL DEFAULT 0,
    found_games     INTEGER NOT NULL DEFAULT 0,
    last_error      TEXT,
    created_at      TEXT    NOT NULL
);
