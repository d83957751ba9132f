// @ts-check
/**
 * The room for raw answers. Decides when the core is asked what to let go, and keeps the notices
 * that a user reads.
 */

import { bytesOf, remove, save } from './records.js';

/**
 * @typedef {import('../shared/database.js').Transaction} Transaction
 * @typedef {import('./records.js').GameRecord} GameRecord
 * @typedef {import('./records.js').Totals} Totals
 */

/** Let go at once a little more than is needed, so that not every answer has to count everything. */
const SLACK = 1024 * 1024;

/**
 * Makes room for an answer.
 * @param {import('./core.js').Core} core @param {Transaction} tx @param {Totals} sum
 * @param {number} incoming Bytes. @param {number} most Bytes. @param {number} now
 * @returns {Promise<boolean>} Whether the answer may be kept.
 */
export async function makeRoom(core, tx, sum, incoming, most, now) {
  const parts = sum.part_bytes + incoming;
  if (sum.bytes + incoming <= most && parts <= most / 4) return true;
  /** @type {GameRecord[]} */
  const records = await tx.all('games');
  const stored = records.map((record) => ({
    game_id: record.game_id,
    status: record.state?.status ?? null,
    error_stage: record.state?.error_stage ?? null,
    bytes: bytesOf(record),
    has_moves: record.moves_bytes > 0,
    since_ms: record.changed_at_ms,
  }));
  const slack = Math.min(SLACK, Math.floor(most / 16));
  const room = core.toDrop(stored, incoming + slack, most);
  const [games, moves] = [new Set(room.drop_games), new Set(room.drop_moves)];
  let whole = 0;
  for (const record of records) {
    if (games.has(record.game_id)) {
      await remove(tx, record, sum);
    } else if (moves.has(record.game_id)) {
      whole += 1;
      await tx.delete('moves', record.game_id);
      await save(tx, record, { ...record, moves_bytes: 0, moves_seen_at_ms: null }, sum);
    }
  }
  if (whole > 0) await notice(tx, 'raw_dropped', whole, now);
  if (!room.is_free) await notice(tx, 'storage_full', 1, now);
  return room.is_free;
}

/**
 * Adds to a notice that stays until the user has read it.
 * @param {Transaction} tx @param {import('../shared/worker-calls.js').Notice['kind']} kind
 * @param {number} count @param {number} now
 */
export async function notice(tx, kind, count, now) {
  const known = (await tx.get('facts', 'notices')) ?? { name: 'notices', list: [] };
  const found = known.list.find((/** @type {any} */ item) => item.kind === kind);
  if (found) Object.assign(found, { at_ms: now, count: found.count + count });
  else known.list.push({ kind, at_ms: now, count });
  await tx.put('facts', known);
}
