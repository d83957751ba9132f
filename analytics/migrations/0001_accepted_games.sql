-- Every accepted game as it was received. The tables that answer questions are built from these
-- bodies, so they can be built anew when their shape changes.
CREATE TABLE accepted_games (
  -- Lower case, whatever the case in the body.
  id          TEXT NOT NULL PRIMARY KEY,
  -- The request's bytes, unchanged.
  body        TEXT NOT NULL,
  -- ISO-8601 UTC with milliseconds and Z.
  received_at TEXT NOT NULL,
  -- When a replacement last changed the body.
  replaced_at TEXT
);
