-- What the two base tables have no room for: further answers about a game, and broken ones.

-- The next post is a PUT: analytics has an older reading of this game.
ALTER TABLE games ADD COLUMN replace_on_post INTEGER NOT NULL DEFAULT 0;

-- One row for each distinct answer to a question for a game's moves. The body of the current
-- answer is in raw_game_data and NULL here, so that nothing is stored twice.
CREATE TABLE raw_revisions (
    game_id       TEXT NOT NULL REFERENCES games (game_id) ON DELETE CASCADE,
    content_hash  TEXT NOT NULL, -- XXH64 of the bytes, 16 hex digits
    body          TEXT,
    first_seen_at TEXT NOT NULL,
    last_seen_at  TEXT NOT NULL,
    PRIMARY KEY (game_id, content_hash)
) WITHOUT ROWID;

-- History entries besides raw_game_data.history_meta_json: those of the other player, and other
-- versions of the first one.
CREATE TABLE history_perspectives (
    game_id         TEXT    NOT NULL REFERENCES games (game_id) ON DELETE CASCADE,
    queried_user_id INTEGER NOT NULL,
    content_hash    TEXT    NOT NULL, -- XXH64 of the bytes, 16 hex digits
    entry_json      TEXT    NOT NULL,
    first_seen_at   TEXT    NOT NULL,
    last_seen_at    TEXT    NOT NULL,
    PRIMARY KEY (game_id, queried_user_id, content_hash)
) WITHOUT ROWID;

-- Entries that cannot be read, each kept once.
CREATE TABLE broken_entries (
    id           INTEGER PRIMARY KEY,
    user_id      INTEGER NOT NULL,
    content_hash TEXT    NOT NULL, -- XXH64 of the bytes, 16 hex digits
    entry_json   TEXT    NOT NULL,
    reason       TEXT    NOT NULL,
    seen_at      TEXT    NOT NULL,
    last_seen_at TEXT    NOT NULL,
    UNIQUE (user_id, content_hash)
);
