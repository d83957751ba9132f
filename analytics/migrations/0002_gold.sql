-- What is asked about: players, positions, games, turns and events, taken from the accepted bodies.
-- Times are ISO-8601 UTC with milliseconds and Z, `_ms` milliseconds since 1970. Signed values are
-- White's point of view.

CREATE TABLE players (
  -- UUID version 5 of the external id, so that a store built anew has the same ids.
  id              TEXT NOT NULL PRIMARY KEY,
  external_id     TEXT NOT NULL UNIQUE,
  -- The latest name that was not null.
  username        TEXT,
  -- The name in lower case as Unicode has it; SQLite's own comparison knows ASCII only.
  username_folded TEXT,
  -- The first one seen: human or bot.
  player_type     TEXT NOT NULL,
  metadata_json   TEXT,
  created_at      TEXT NOT NULL,
  updated_at      TEXT NOT NULL
) STRICT;

CREATE TABLE positions (
  id              INTEGER PRIMARY KEY,
  normalized_fen  TEXT NOT NULL UNIQUE,
  -- Signed XXH64 of the normalised FEN.
  fen_hash        INTEGER NOT NULL,
  -- The four fields of the normalised FEN.
  piece_placement TEXT NOT NULL,
  active_color    TEXT NOT NULL,
  castling        TEXT NOT NULL,
  en_passant      TEXT NOT NULL
) STRICT;
CREATE INDEX ix_positions_fen_hash ON positions (fen_hash);
CREATE INDEX ix_positions_piece_placement ON positions (piece_placement);

CREATE TABLE games (
  id                   TEXT NOT NULL PRIMARY KEY,
  source               TEXT NOT NULL,
  white_player_id      TEXT REFERENCES players (id),
  black_player_id      TEXT REFERENCES players (id),
  white_rating         INTEGER,
  black_rating         INTEGER,
  mode                 TEXT NOT NULL,
  result               INTEGER,
  termination          TEXT NOT NULL,
  initial_position_id  INTEGER NOT NULL REFERENCES positions (id),
  final_position_id    INTEGER NOT NULL REFERENCES positions (id),
  total_turns          INTEGER NOT NULL,
  time_initial_sec     INTEGER,
  time_increment_sec   INTEGER,
  initial_stake_amount INTEGER,
  final_stake_amount   INTEGER,
  -- Numbers as sent, whole or not.
  white_money_delta    ANY,
  black_money_delta    ANY,
  stake_currency       TEXT,
  started_at           TEXT,
  started_at_ms        INTEGER,
  metadata_json        TEXT,
  created_at           TEXT NOT NULL
) STRICT;
CREATE INDEX ix_games_started ON games (started_at_ms, id);
CREATE INDEX ix_games_white ON games (white_player_id, started_at_ms);
CREATE INDEX ix_games_black ON games (black_player_id, started_at_ms);
-- A player's latest rating in a mode.
CREATE INDEX ix_games_white_rated ON games (white_player_id, mode, started_at_ms, id, white_rating)
  WHERE white_rating IS NOT NULL;
CREATE INDEX ix_games_black_rated ON games (black_player_id, mode, started_at_ms, id, black_rating)
  WHERE black_rating IS NOT NULL;

-- What position statistics can be filtered by, one row for each combination that occurs.
CREATE TABLE slices (
  id           INTEGER PRIMARY KEY,
  source       TEXT NOT NULL,
  mode         TEXT NOT NULL,
  result       INTEGER,
  -- The lower one of both ratings; null when either is unknown.
  least_rating INTEGER
) STRICT;
-- Nulls differ from each other in an index, so they are put out of range instead.
CREATE UNIQUE INDEX ux_slices
  ON slices (source, mode, ifnull(result, 2), ifnull(least_rating, -9223372036854775808));

CREATE TABLE turns (
  id                INTEGER PRIMARY KEY,
  game_id           TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE,
  turn_number       INTEGER NOT NULL,
  active_color      TEXT NOT NULL,
  -- The position before the roll.
  position_id       INTEGER NOT NULL REFERENCES positions (id),
  -- Piece letters in alphabetical order, upper case for White.
  dice_sorted       TEXT NOT NULL,
  -- JSON array of UCI micro-moves, empty for a pass.
  played_moves      TEXT NOT NULL,
  -- The position after the turn: the other side is to move, except after a partial turn.
  position_after_id INTEGER NOT NULL REFERENCES positions (id),
  thinking_time_ms  INTEGER,
  -- 1 when the game ended before the turn was played out.
  is_partial        INTEGER NOT NULL DEFAULT 0,
  -- How the turn counts in position statistics, in which a game counts once: 0 not at all (partial,
  -- never played, or an exact repetition), 1 as a new continuation of a position and roll that this
  -- game has seen, 2 as a new roll in a position that it has seen, 3 as a new position.
  novelty           INTEGER NOT NULL DEFAULT 0,
  -- The game's slice, repeated here so that an index answers alone. Null counts nowhere.
  slice_id          INTEGER REFERENCES slices (id),
  UNIQUE (game_id, turn_number)
) STRICT;
CREATE INDEX ix_turns_position_dice
  ON turns (position_id, dice_sorted, position_after_id, novelty, slice_id);
CREATE INDEX ix_turns_position_after ON turns (position_after_id);

-- In how many games of a slice a position was rolled in. Holds what `turns` would give, because
-- the initial position occurs in every game.
CREATE TABLE position_tallies (
  position_id INTEGER NOT NULL,
  slice_id    INTEGER NOT NULL,
  games       INTEGER NOT NULL,
  PRIMARY KEY (position_id, slice_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE game_events (
  id              INTEGER PRIMARY KEY,
  game_id         TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE,
  sequence_number INTEGER NOT NULL,
  turn_number     INTEGER NOT NULL,
  event_type      TEXT NOT NULL,
  actor_color     TEXT NOT NULL,
  clock_white_ms  INTEGER,
  clock_black_ms  INTEGER,
  payload         TEXT,
  UNIQUE (game_id, sequence_number)
) STRICT;

-- Up to which row the bodies of an older store were taken over. Without a row there is none left.
CREATE TABLE gold_fill (
  last_rowid INTEGER NOT NULL
) STRICT;
INSERT INTO gold_fill SELECT 0 WHERE EXISTS (SELECT 1 FROM accepted_games);
