/**
 * The JSON shapes that cross the boundary to the core. The functions themselves are declared in the
 * generated `wasm/dicechess_core.d.ts`; each takes and returns JSON text of these shapes.
 */

/** A game's state as the core keeps it; JavaScript stores it and reads `status` for display only. */
export interface GameState {
  status: 'discovered' | 'fetched' | 'posted' | 'rejected' | 'error' | 'skipped';
  error_stage: 'fetch' | 'post' | 'normalize' | null;
  attempts: number;
  last_error: string | null;
  next_retry_at_ms: number | null;
  post_result: 'created' | 'exists' | null;
  reject_reason: string | null;
  replace: boolean;
}

/** One game as a history page told of it. */
export interface HistoryRow {
  game_id: string;
  /** The entry's own JSON, byte for byte. */
  entry_json: string;
  queried_user_id: number;
  white_user_id: number;
  black_user_id: number;
  is_cancelled: boolean;
  has_result: boolean;
  /** White's point of view. */
  result: -1 | 0 | 1 | null;
  allow_doubling: boolean;
  started_at_ms: number | null;
  opponent: KnownPlayer;
}

/** A player as a history page named him. `knownPlayersJson` is an array of these. */
export interface KnownPlayer {
  user_id: number;
  username: string | null;
  player_type: 'human' | 'bot' | 'guest';
}

/** `observe(head, requestBody, responseBody)`: the head. */
export interface ObservedHead {
  /** The origin of the page, as the browser tells it. */
  page_origin: string;
  url: string;
  method: string;
  status: number;
  content_type: string | null;
}

/** `observe`: its answer. */
export type Observation =
  | { kind: 'history'; queried_user_id: number; rows: HistoryRow[]; broken: number }
  /** `players`: who has a clock in the moves. */
  | { kind: 'moves'; game_id: string; players: number[] }
  | { kind: 'ignored'; reason: string; message: string };

/** `page(url)`: what a page of the site shows. */
export type Page = { kind: 'game'; game_id: string } | { kind: 'other' };

/**
 * `told_again(rowJson, storedRowJson, stateJson, nowMs)`: a history page tells once more of a game.
 * `row` and `state` are there when they take the place of the stored ones: a game that was running
 * when it was first told of has ended.
 */
export type ToldAgain = { kind: 'same' } | { kind: 'changed'; row: HistoryRow; state: GameState };

/**
 * `moves_are_final(rowJson, moves, movesAtMs, endKnownAtMs, nowMs)` is a boolean: moves loaded while
 * a game was running lack its end. `endKnownAtMs` is when the entry with a result was first seen.
 */

/** `next_step(stateJson, hasMoves, nowMs)`; `hasMoves` means final ones. */
export interface NextStep {
  /** `fetched`: that event is due, the moves are at hand. */
  step: 'fetched' | 'fetch' | 'post' | 'wait' | 'none';
  /** For `wait` the time to look again. */
  at_ms: number | null;
}

/** An event of the game's state machine, for `apply`. Made by the core, but for `fetched`, `replay`. */
export type GameEvent =
  | { event: 'fetched' }
  | { event: 'replay' }
  | { event: 'post_accepted'; result: 'created' | 'exists' }
  | { event: 'post_refused'; reason: string }
  | { event: 'post_failed'; message: string }
  | { event: 'normalize_failed'; message: string };

/** How a receiver stands after an answer. */
export type Standing = 'works' | 'fails' | 'away' | 'unauthorized';

/** `answer(target, status, body, gameId)`. Status 0 is no answer; `body` then says why. */
export type AnswerReading =
  | { kind: 'event'; event: GameEvent; standing: Standing }
  | { kind: 'pause'; reason: 'unauthorized'; message: string; standing: Standing };

/** What is remembered of a receiver: `receiver_after(receiverJson, standing, nextRetryAtMs)`. */
export interface Receiver {
  failures: number;
  paused_until_ms: number | null;
  is_unauthorized: boolean;
}

/** `next_sending(json, nowMs)`: its input. */
export interface Outbox {
  receiver: Receiver | null;
  games: { game_id: string; seen_at_ms: number; state: GameState }[];
}

/** `next_sending(json, nowMs)`: its answer. */
export type NextSending =
  | { kind: 'send'; game_id: string }
  | { kind: 'wait'; until_ms: number }
  | { kind: 'unauthorized' }
  | { kind: 'nothing' };

/** `ask_plan(json, nowMs)`: its input. */
export interface AskFacts {
  enabled: boolean;
  /** The user's own id, if it is known. */
  own_user_id: number | null;
  /** When the site was last asked anything by us. */
  last_ask_at_ms: number | null;
  visits: AskVisit[];
}

/** A game whose page was opened in the browser. */
export interface AskVisit {
  game_id: string;
  /** When its page was left (another page, or the tab closed); null while it is open. */
  left_at_ms: number | null;
  /** The stored entry, if a history page has told of the game. */
  entry: {
    white_user_id: number;
    black_user_id: number;
    /** When an entry with a result was first seen. */
    end_known_at_ms: number | null;
    is_cancelled: boolean;
  } | null;
  /** Who has a clock in moves that were seen. */
  players: number[];
  has_final_moves: boolean;
  history_asked_at_ms: number | null;
  moves_asked_at_ms: number | null;
}

/** `ask_plan(json, nowMs)`: its answer. `url` is relative to the site. */
export type AskPlan =
  | { kind: 'ask'; what: 'history' | 'move_history'; game_id: string; method: 'GET' | 'POST'; url: string; body: string | null }
  | { kind: 'wait'; until_ms: number }
  | { kind: 'none' };

/** `to_drop(json)`: its input. */
export interface Storage {
  stored: StoredSize[];
  incoming_bytes: number;
  most_bytes: number;
}

/** What is stored of a game. */
export interface StoredSize {
  game_id: string;
  /** Null: nothing but moves is known of it. */
  status: GameState['status'] | null;
  error_stage: GameState['error_stage'];
  bytes: number;
  has_moves: boolean;
  /** Since when it is in its status. */
  since_ms: number;
}

/** `to_drop(json)`: its answer. */
export interface Room {
  /** Their moves are let go, the rest stays. */
  drop_moves: string[];
  drop_games: string[];
  /** What is stored then. */
  bytes: number;
  /** Whether what comes in may be stored. */
  is_free: boolean;
}
