-- What a sweep remembers across a kill, and what finished sweeps missed.
CREATE TABLE player_sweeps (
    user_id            INTEGER PRIMARY KEY REFERENCES players (user_id) ON DELETE CASCADE,
    memory             TEXT,                       -- JSON of the sweep under way
    gap                INTEGER NOT NULL DEFAULT 0, -- games the site counts and we do not know
    gap_unchanged      INTEGER NOT NULL DEFAULT 0, -- sweeps from the start that did not change it
    gap_accepted       INTEGER NOT NULL DEFAULT 0,
    is_resweeping      INTEGER NOT NULL DEFAULT 0, -- the sweep under way ignores the cursor
    last_resweep_at_ms INTEGER,
    known_games        INTEGER,                    -- at the end of the last finished sweep
    counted_games      INTEGER,                    -- what the site counted meanwhile
    finished_at        TEXT
);

CREATE INDEX ix_player_sweeps_gap ON player_sweeps (gap) WHERE gap > 0;
