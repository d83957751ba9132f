-- What comes from browsers: games they posted, raw answers they saw, and which of them are paired.

-- Games that browsers posted to the gateway. A row is written before a game is relayed, so that
-- nothing of a browser can be in analytics without one; the answer is kept for repeats.
CREATE TABLE browser_posts (
    game_id  TEXT PRIMARY KEY,
    begun_at TEXT NOT NULL,
    status   INTEGER, -- 201 | 200; NULL: relayed, and no success heard of
    body     TEXT
) WITHOUT ROWID;

-- One-time codes, for ten minutes each.
CREATE TABLE pairing_codes (
    code_hash     TEXT PRIMARY KEY, -- SHA-256, 64 hex digits
    label         TEXT,
    created_at    TEXT    NOT NULL,
    expires_at_ms INTEGER NOT NULL,
    failed_tries  INTEGER NOT NULL DEFAULT 0 -- wrong codes tried since it was made
) WITHOUT ROWID;

-- Paired extensions.
CREATE TABLE pairings (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    label        TEXT,
    origin       TEXT NOT NULL,
    secret_hash  TEXT NOT NULL UNIQUE, -- SHA-256, 64 hex digits
    created_at   TEXT NOT NULL,
    last_used_at TEXT,
    revoked_at   TEXT
);
CREATE INDEX ix_pairings_origin ON pairings (origin) WHERE revoked_at IS NULL;

-- Who told of a game: site | browser. What a browser told gives way to the site's own word.
ALTER TABLE raw_game_data ADD COLUMN meta_origin TEXT NOT NULL DEFAULT 'site';
ALTER TABLE raw_game_data ADD COLUMN moves_origin TEXT NOT NULL DEFAULT 'site';
ALTER TABLE raw_game_data ADD COLUMN pairing_id INTEGER REFERENCES pairings (id);
ALTER TABLE history_perspectives ADD COLUMN origin TEXT NOT NULL DEFAULT 'site';

CREATE INDEX ix_raw_from_browser ON raw_game_data (game_id) WHERE moves_origin = 'browser';
