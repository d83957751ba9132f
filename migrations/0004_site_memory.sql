-- What must be remembered about the site across restarts, and who may ask it.

-- Requests of the last hour, for the spacing and the hourly budget.
CREATE TABLE site_requests (
    id       INTEGER PRIMARY KEY,
    at_ms    INTEGER NOT NULL,
    endpoint TEXT    NOT NULL
);
CREATE INDEX ix_site_requests_at ON site_requests (at_ms);

-- All requests ever.
CREATE TABLE site_request_totals (
    endpoint TEXT PRIMARY KEY, -- history | move_history | leaderboard
    count    INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE site_memory (
    id                 INTEGER PRIMARY KEY CHECK (id = 1),
    throttled_until_ms INTEGER, -- the site asked for silence
    block_since_ms     INTEGER, -- the site refused the credentials or sent a challenge
    block_fingerprint  TEXT,
    block_reason       TEXT
);
INSERT INTO site_memory (id) VALUES (1);

-- The process that may crawl.
CREATE TABLE lease (
    id            INTEGER PRIMARY KEY CHECK (id = 1),
    holder        TEXT    NOT NULL,
    host          TEXT    NOT NULL,
    pid           INTEGER NOT NULL,
    process_start INTEGER,
    expires_at_ms INTEGER NOT NULL
);

-- The last body of each source of seeds, with the validators it came with.
CREATE TABLE sources (
    name          TEXT PRIMARY KEY, -- leaderboard | x2_leaderboard
    etag          TEXT,
    last_modified TEXT,
    body          TEXT,          -- NULL if it never answered
    checked_at    TEXT NOT NULL,
    changed_at    TEXT
);
