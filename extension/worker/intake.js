// @ts-check
/**
 * What pages bring: an answer is read by the core and stored, in one transaction, before anything
 * else is done about it. Decides the order of the steps and what a new sighting means for a record
 * that is there; the rules it goes by are the core's.
 */

import { transact } from '../shared/database.js';
import { settings } from '../shared/settings.js';
import { core } from './core.js';
import { STORES, bytesOf, move, newRecord, place, save, settle, totals } from './records.js';
import { makeRoom } from './room.js';

/**
 * @typedef {import('../shared/database.js').Transaction} Transaction
 * @typedef {import('./core.js').Core} Core
 * @typedef {import('./records.js').GameRecord} GameRecord
 * @typedef {import('./records.js').Totals} Totals
 * @typedef {import('../core.js').HistoryRow} HistoryRow
 *
 * @typedef {object} Seen An answer that a page got.
 * @property {string} origin Of the page, as the browser tells it.
 * @property {string} url
 * @property {string} method
 * @property {number} status
 * @property {string | null} contentType
 * @property {Uint8Array | null} requestBody
 * @property {Uint8Array<ArrayBuffer>} body
 */

/**
 * Reads and stores an answer.
 * @param {Seen} seen
 * @param {number} now
 * @returns {Promise<boolean>} Whether anything came of it.
 */
export async function take(seen, now) {
  const rules = await core();
  const observed = rules.observe(seen);
  if (observed.kind === 'ignored') return false;
  const most = (await settings()).most_bytes;
  return transact(STORES, 'readwrite', async (tx) => {
    const sum = await totals(tx);
    if (observed.kind === 'moves') {
      return takeMoves(rules, tx, sum, observed, seen.body, now, most);
    }
    let isNews = false;
    for (const row of observed.rows) {
      isNews = (await takeRow(rules, tx, sum, row, now, most)) || isNews;
    }
    return isNews;
  });
}

/**
 * @param {Core} rules @param {Transaction} tx @param {Totals} sum @param {HistoryRow} row
 * @param {number} now @param {number} most
 */
async function takeRow(rules, tx, sum, row, now, most) {
  const { opponent } = row;
  const known = await tx.get('players', opponent.user_id);
  if (opponent.username !== null || !known) await tx.put('players', { ...known, ...opponent });

  /** @type {GameRecord | undefined} */
  const old = await tx.get('games', row.game_id);
  const record = old ? { ...old } : newRecord(row.game_id, now);
  if (old?.row && old.state) {
    const again = rules.toldAgain(row, old.row, old.state, now);
    if (again.kind === 'same') return false;
    record.state = again.state;
    record.changed_at_ms = now;
  } else {
    record.state = null;
  }
  record.row = row;
  record.entry_seen_at_ms = now;
  if (!(await makeRoom(rules, tx, sum, bytesOf(record), most, now))) return false;
  const moves = old ? await tx.get('moves', row.game_id) : undefined;
  settle(rules, record, moves ? new Uint8Array(moves.bytes) : null, now, sum);
  await save(tx, (await tx.get('games', row.game_id)) ?? null, record, sum);
  return true;
}

/**
 * @param {Core} rules @param {Transaction} tx @param {Totals} sum
 * @param {{game_id: string, players: number[]}} observed @param {Uint8Array<ArrayBuffer>} bytes
 * @param {number} now @param {number} most
 */
async function takeMoves(rules, tx, sum, { game_id, players }, bytes, now, most) {
  /** @type {GameRecord | undefined} */
  const old = await tx.get('games', game_id);
  const record = old ? { ...old } : newRecord(game_id, now);
  const stored = old ? await tx.get('moves', game_id) : undefined;
  const isSame = stored !== undefined && equal(new Uint8Array(stored.bytes), bytes);
  // A game whose moves a receiver refused, or that cannot be read, gets another chance with others:
  // what a page script forged must not shadow what the site says.
  const status = record.state?.status;
  const isStuck = status === 'rejected' || (status === 'error' && record.state?.error_stage === 'normalize');
  if (record.is_whole && !(isStuck && !isSame)) return false;
  if (!(await makeRoom(rules, tx, sum, bytes.byteLength, most, now))) return false;

  Object.assign(record, { moves_seen_at_ms: now, moves_bytes: bytes.byteLength, players });
  if (isStuck) {
    move(rules, record, { event: 'replay' }, now);
    place(rules, record, sum);
  } else {
    settle(rules, record, bytes, now, sum);
  }
  if (!isSame) await tx.put('moves', { game_id, bytes: bytes.buffer });
  await save(tx, (await tx.get('games', game_id)) ?? null, record, sum);
  return true;
}

/**
 * A newer core may read what an older one could not: those games are read once more.
 * @param {number} now
 */
export async function readAgain(now) {
  const rules = await core();
  const { core: version } = rules.versions();
  return transact(STORES, 'readwrite', async (tx) => {
    const known = await tx.get('facts', 'core');
    if (known?.version === version) return false;
    await tx.put('facts', { name: 'core', version });
    if (!known) return false;
    const sum = await totals(tx);
    for (const old of await tx.all('games')) {
      if (old.state?.status !== 'error' || old.state.error_stage !== 'normalize') continue;
      const record = { ...old };
      move(rules, record, { event: 'replay' }, now);
      place(rules, record, sum);
      await save(tx, old, record, sum);
    }
    return true;
  });
}

/** @param {Uint8Array} one @param {Uint8Array} other */
function equal(one, other) {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
