// @ts-check
/**
 * Sends what waits. The core says which game is next, what an answer amounts to and how long a
 * receiver that failed is left alone; here it is done, one game at a time, and each outcome is
 * stored before the next begins. A worker that is killed in between sends that game once more: the
 * receivers take a game once, whatever arrives.
 */

import { api } from '../shared/browser.js';
import { transact } from '../shared/database.js';
import { NO_ANSWER, NO_CONNECTION } from '../shared/worker-calls.js';
import { change, patternOf, settings } from '../shared/settings.js';
import { core } from './core.js';
import { STORES, move, place, save, totals } from './records.js';
import { sayChanged } from './changes.js';
import { ALARM_OUTBOX } from './alarms.js';

/**
 * @typedef {import('../shared/settings.js').Target} Target
 * @typedef {import('./core.js').Core} Core
 * @typedef {import('./records.js').GameRecord} GameRecord
 */

/** Looked at for what is next; more than that never wait with a timer of their own. */
const MOST_CONSIDERED = 200;
const TIMEOUT_MS = 30_000;
/** Of an answer's body; the core keeps less. */
const MOST_ANSWER = 64 * 1024;
/** Should the worker be killed while it sends, it goes on then. */
const WATCHDOG_MS = 60_000;

/** @type {Promise<void> | null} */
let running = null;
let isAskedAgain = false;

/** Sends all that is due. Calls during a run make it look once more. @returns {Promise<void>} */
export function deliver() {
  if (running) {
    isAskedAgain = true;
    return running;
  }
  running = (async () => {
    try {
      do {
        isAskedAgain = false;
        await sendAll();
      } while (isAskedAgain);
    } finally {
      running = null;
      sayChanged();
    }
  })();
  return running;
}

async function sendAll() {
  const rules = await core();
  for (;;) {
    const { target, paused, refused } = await settings();
    const next = await nextGame(rules);
    if (!target || paused || refused !== null || next.kind === 'nothing' || next.kind === 'unauthorized') {
      await api.alarms.clear(ALARM_OUTBOX);
      return;
    }
    if (next.kind === 'wait') {
      await api.alarms.create(ALARM_OUTBOX, { when: next.until_ms });
      return;
    }
    if (!(await hasAccess(target))) return;
    await api.alarms.create(ALARM_OUTBOX, { when: Date.now() + WATCHDOG_MS });
    await sendOne(rules, target, next.game_id);
    sayChanged();
  }
}

/** Whether the browser lets us reach the receiver. @param {Target} target */
export function hasAccess(target) {
  return api.permissions.contains({ origins: [patternOf(target)] });
}

/** @param {Core} rules */
async function nextGame(rules) {
  return transact(['games', 'facts'], 'readonly', async (tx) => {
    /** @type {GameRecord[]} */
    const waiting = await tx.byIndex('games', 'queue', MOST_CONSIDERED);
    const games = waiting.flatMap(({ game_id, queue_at, state }) =>
      (state ? [{ game_id, seen_at_ms: queue_at ?? 0, state }] : []));
    const receiver = (await tx.get('facts', 'receiver'))?.value ?? null;
    return rules.nextSending(receiver, games, Date.now());
  });
}

/** @param {Core} rules @param {Target} target @param {string} game_id */
async function sendOne(rules, target, game_id) {
  const found = await transact(['games', 'moves', 'players'], 'readonly', async (tx) => {
    /** @type {GameRecord} */
    const game = await tx.get('games', game_id);
    const moves = await tx.get('moves', game_id);
    const ids = game.row ? [game.row.white_user_id, game.row.black_user_id] : [];
    const players = [];
    for (const id of ids) players.push(await tx.get('players', id));
    return { game, moves: moves ? new Uint8Array(moves.bytes) : null, players: players.filter(Boolean) };
  });
  /** @type {string} */
  let body;
  try {
    body = documentOf(rules, target.kind, found);
  } catch (error) {
    await keep(rules, game_id, { event: 'normalize_failed', message: messageOf(error) }, 'works');
    return;
  }
  const { status, text } = await post(target, body);
  const read = rules.answer(target.kind, status, text, game_id);
  if (read.kind === 'pause') {
    await change({ refused: read.message });
    return;
  }
  await keep(rules, game_id, read.event, read.standing);
}

/**
 * What a receiver is sent of a game.
 * @param {Core} rules
 * @param {Target['kind']} kind
 * @param {{game: GameRecord, moves: Uint8Array | null, players: import('../core.js').KnownPlayer[]}} found
 */
export function documentOf(rules, kind, { game, moves, players }) {
  if (!game.row || !moves) throw new Error('a raw answer of the game is missing');
  return kind === 'daemon' ? rules.bundle(game, moves) : rules.ingest(game.row, moves, players);
}

/** Where a receiver takes games. @param {Target['kind']} kind @param {string} url */
export function endpoint(kind, url) {
  return `${url}${kind === 'daemon' ? '/ingest/raw' : '/api/games'}`;
}

/**
 * @param {Target} target @param {string} body
 * @returns {Promise<{status: number, text: string}>} Status 0 where no answer came.
 */
async function post({ kind, url, secret }, body) {
  try {
    const response = await fetch(endpoint(kind, url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}` },
      body,
      credentials: 'omit',
      redirect: 'error',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, text: (await response.text()).slice(0, MOST_ANSWER) };
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError';
    return { status: 0, text: isLate ? NO_ANSWER : NO_CONNECTION };
  }
}

/**
 * Stores what came of a game.
 * @param {Core} rules @param {string} game_id @param {import('../core.js').GameEvent} event
 * @param {import('../core.js').Standing} standing
 */
async function keep(rules, game_id, event, standing) {
  const now = Date.now();
  await transact(STORES, 'readwrite', async (tx) => {
    /** @type {GameRecord | undefined} */
    const old = await tx.get('games', game_id);
    if (!old) return;
    const sum = await totals(tx);
    const record = { ...old };
    move(rules, record, event, now);
    place(rules, record, sum);
    await save(tx, old, record, sum);
    const known = (await tx.get('facts', 'receiver'))?.value ?? null;
    const value = rules.receiverAfter(known, standing, record.state?.next_retry_at_ms ?? null);
    const message = 'message' in event ? event.message : null;
    await tx.put('facts', { name: 'receiver', value, last_error: message });
  });
}

/**
 * The user wants all that waits, or one game, to be sent now.
 * @param {string | null} game_id
 */
export async function retry(game_id) {
  const rules = await core();
  const now = Date.now();
  await transact(STORES, 'readwrite', async (tx) => {
    const sum = await totals(tx);
    /** @type {GameRecord[]} */
    const chosen = game_id === null ? await tx.byIndex('games', 'queue') : [await tx.get('games', game_id)];
    for (const old of chosen) {
      if (!old?.state) continue;
      const record = { ...old };
      if (old.queue_at === undefined) move(rules, record, { event: 'replay' }, now);
      else record.state = rules.withoutTimer(old.state);
      place(rules, record, sum);
      await save(tx, old, record, sum);
    }
    await tx.put('facts', { name: 'receiver', value: null, last_error: null });
  });
  await deliver();
}

/** @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error));
