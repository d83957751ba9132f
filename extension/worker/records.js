// @ts-check
/**
 * What is kept of a game, and how it comes about. Decides the record's shape, the order of the
 * queue and the totals; every transition of a game and every judgement of its bytes is the core's.
 *
 * All functions run inside a transaction on the stores in [`STORES`] and wait for nothing else.
 */

/**
 * @typedef {import('../shared/database.js').Transaction} Transaction
 * @typedef {import('./core.js').Core} Core
 * @typedef {import('../core.js').GameState} GameState
 * @typedef {import('../core.js').HistoryRow} HistoryRow
 *
 * @typedef {object} GameRecord
 * @property {string} game_id
 * @property {HistoryRow | null} row The entry; null while only moves were seen.
 * @property {number | null} entry_seen_at_ms When the entry was first seen with what it says.
 * @property {GameState | null} state Null without an entry.
 * @property {number | null} moves_seen_at_ms
 * @property {number} moves_bytes 0 without moves.
 * @property {number[]} players Who has a clock in the moves.
 * @property {boolean} is_whole Whether the moves are those of the whole game.
 * @property {number} seen_at_ms
 * @property {number} changed_at_ms When it came to its present status.
 * @property {number} [queue_at] Its place in the queue, while it waits to be sent.
 *
 * @typedef {'seen' | 'waiting' | 'posted' | 'rejected' | 'unreadable' | 'error' | 'skipped'} Shown
 * @typedef {object} Totals
 * @property {'totals'} name
 * @property {number} bytes
 * @property {number} part_bytes Of games that are not whole.
 * @property {Record<Shown, number>} by How many are kept, by what is shown of them.
 * @property {number} posted How many a receiver has taken, whether they are still kept or not.
 * @property {number} order The last place given in the queue.
 */

export const STORES = ['games', 'moves', 'players', 'visits', 'facts'];

/** What a record takes besides its raw answers, about. */
const RECORD_BYTES = 512;
const EVER = Number.MAX_SAFE_INTEGER;

/** @param {Transaction} tx @returns {Promise<Totals>} */
export async function totals(tx) {
  const none = { seen: 0, waiting: 0, posted: 0, rejected: 0, unreadable: 0, error: 0, skipped: 0 };
  return (await tx.get('facts', 'totals'))
    ?? { name: 'totals', bytes: 0, part_bytes: 0, by: none, posted: 0, order: 0 };
}

/** @param {string} game_id @param {number} now @returns {GameRecord} */
export function newRecord(game_id, now) {
  return {
    game_id, row: null, entry_seen_at_ms: null, state: null, moves_seen_at_ms: null, moves_bytes: 0,
    players: [], is_whole: false, seen_at_ms: now, changed_at_ms: now,
  };
}

/** What a user is told of a record. @param {GameRecord} record @returns {Shown} */
export function shown({ state }) {
  switch (state?.status) {
    case 'fetched': return 'waiting';
    case 'posted': return 'posted';
    case 'rejected': return 'rejected';
    case 'skipped': return 'skipped';
    case 'error':
      if (state.error_stage === 'normalize') return 'unreadable';
      return state.error_stage === 'post' ? 'error' : 'seen';
    default: return 'seen';
  }
}

/** @param {GameRecord} record */
export function bytesOf({ row, moves_bytes }) {
  // The entry is text; characters beyond Latin are rare enough to be counted as one byte.
  return RECORD_BYTES + (row?.entry_json.length ?? 0) + moves_bytes;
}

/** Whether nothing is lost to the user when it is let go: not a whole game, or no longer one. @param {GameRecord} record */
export function isPart(record) {
  const what = shown(record);
  const hasEnded = what === 'posted' || what === 'rejected';
  return what === 'seen' || what === 'skipped' || (hasEnded && record.moves_bytes === 0);
}

/**
 * Brings state and queue up to what is known of a game.
 * @param {Core} core
 * @param {GameRecord} record
 * @param {Uint8Array | null} moves
 * @param {number} now
 * @param {Totals} sum
 */
export function settle(core, record, moves, now, sum) {
  const { row } = record;
  if (!row) return;
  record.state ??= core.discovered(row, now);
  if (moves && record.moves_seen_at_ms !== null) {
    const endKnownAt = row.has_result ? record.entry_seen_at_ms ?? now : undefined;
    record.is_whole = core.movesAreFinal(row, moves, record.moves_seen_at_ms, endKnownAt, now);
  }
  if (core.nextStep(record.state, record.is_whole, now).step === 'fetched') {
    move(core, record, { event: 'fetched' }, now);
  }
  place(core, record, sum);
}

/**
 * Applies an event of the state machine.
 * @param {Core} core @param {GameRecord} record @param {import('../core.js').GameEvent} event @param {number} now
 */
export function move(core, record, event, now) {
  if (!record.state) throw new Error(`${record.game_id} has no state`);
  record.state = core.apply(record.state, event, now);
  record.changed_at_ms = now;
}

/** Gives a place at the end of the queue, or takes it away. @param {Core} core @param {GameRecord} record @param {Totals} sum */
export function place(core, record, sum) {
  const isToSend = record.state !== null && core.nextStep(record.state, record.is_whole, EVER).step === 'post';
  if (!isToSend) delete record.queue_at;
  else if (record.queue_at === undefined) {
    sum.order += 1;
    record.queue_at = sum.order;
  }
}

/**
 * Stores a record in the place of `old` and keeps the totals right.
 * @param {Transaction} tx @param {GameRecord | null} old @param {GameRecord} record @param {Totals} sum
 */
export async function save(tx, old, record, sum) {
  count(sum, old, -1);
  count(sum, record, 1);
  if (shown(record) === 'posted' && (!old || shown(old) !== 'posted')) sum.posted += 1;
  await tx.put('games', record);
  await tx.put('facts', sum);
}

/** @param {Transaction} tx @param {GameRecord} record @param {Totals} sum */
export async function remove(tx, record, sum) {
  count(sum, record, -1);
  await tx.delete('games', record.game_id);
  await tx.delete('moves', record.game_id);
  await tx.put('facts', sum);
}

/** @param {Totals} sum @param {GameRecord | null} record @param {1 | -1} sign */
function count(sum, record, sign) {
  if (!record) return;
  const bytes = bytesOf(record) * sign;
  sum.bytes += bytes;
  if (isPart(record)) sum.part_bytes += bytes;
  sum.by[shown(record)] += sign;
}
