// @ts-check
/** What the extension's own pages ask of the worker: the numbers, and what a user decides. */

import { api } from '../shared/browser.js';
import { transact } from '../shared/database.js';
import { change, patternOf, receiver, settings } from '../shared/settings.js';
import { text } from '../shared/texts.js';
import { sayChanged, showBadge } from './changes.js';
import { core } from './core.js';
import { deliver, documentOf, endpoint, hasAccess, retry } from './outbox.js';
import { STORES, remove, shown, totals } from './records.js';
import { sampleGame } from './sample.js';

/**
 * @typedef {import('../shared/worker-calls.js').Call} Call
 * @typedef {import('../shared/worker-calls.js').Summary} Summary
 * @typedef {import('../shared/worker-calls.js').ShownGame} ShownGame
 * @typedef {import('./records.js').GameRecord} GameRecord
 * @typedef {import('../shared/database.js').Transaction} Transaction
 */

const MOST_RECENT = 30;
const PAIR_TIMEOUT_MS = 15_000;

/** Whether a message comes from a page of ours. @param {chrome.runtime.MessageSender} sender */
export function isOwnPage(sender) {
  return sender.id === api.runtime.id && (sender.url ?? '').startsWith(api.runtime.getURL(''));
}

/** @param {Call} call @returns {Promise<unknown>} */
export async function called(call) {
  switch (call.action) {
    case 'summary': return summarised();
    case 'retry': return retry(null);
    case 'retry_game': return retry(call.game_id);
    case 'pause':
      await change({ paused: call.paused });
      return deliver();
    case 'pair': return pair(call.url, call.code);
    case 'token': return useToken(call.url, call.token);
    case 'disconnect': return disconnect();
    case 'asking': return change({ ask: call.ask, own_user_id: call.own_user_id });
    case 'room': return change({ most_bytes: call.most_bytes });
    case 'read_notices':
      return transact(['facts'], 'readwrite', (tx) => tx.delete('facts', 'notices'));
    case 'sample': return sample(call.receiver);
    case 'forget_posted': return forgetPosted();
    default: throw new Error('no such call');
  }
}

/** @returns {Promise<Summary>} */
async function summarised() {
  const chosen = await settings();
  const { target } = chosen;
  const access = target ? await hasAccess(target) : false;
  return transact(['games', 'players', 'facts'], 'readonly', async (tx) => {
    const sum = await totals(tx);
    const receiving = await tx.get('facts', 'receiver');
    const until = receiving?.value?.paused_until_ms ?? null;
    const recent = [];
    for (const record of await tx.newest('games', 'changed', MOST_RECENT)) {
      recent.push(await shownGame(tx, record));
    }
    return {
      counts: {
        seen: Object.values(sum.by).reduce((one, other) => one + other, 0),
        waiting: sum.by.waiting + sum.by.error,
        posted: sum.posted,
        rejected: sum.by.rejected,
        unreadable: sum.by.unreadable,
      },
      recent,
      target: target && { kind: target.kind, url: target.url, since_ms: target.since_ms },
      has_access: access,
      paused: chosen.paused,
      refused: chosen.refused,
      next_try_at_ms: until !== null && until > Date.now() ? until : null,
      last_error: receiving?.last_error ?? null,
      kept: { games: await tx.count('games'), bytes: sum.bytes, most_bytes: chosen.most_bytes },
      notices: (await tx.get('facts', 'notices'))?.list ?? [],
      ask: chosen.ask,
      own_user_id: chosen.own_user_id,
      seen_user_id: chosen.seen_user_id,
      version: api.runtime.getManifest().version,
    };
  });
}

/** @param {Transaction} tx @param {GameRecord} record @returns {Promise<ShownGame>} */
async function shownGame(tx, record) {
  const { row, state } = record;
  /** @param {number | undefined} id */
  const name = async (id) => {
    if (id === undefined) return null;
    return (await tx.get('players', id))?.username ?? `#${id}`;
  };
  return {
    game_id: record.game_id,
    shown: shown(record),
    reason: state?.reject_reason ?? state?.last_error ?? null,
    next_retry_at_ms: state?.next_retry_at_ms ?? null,
    white: await name(row?.white_user_id),
    black: await name(row?.black_user_id),
    result: row?.result ?? null,
    started_at_ms: row?.started_at_ms ?? null,
    has_moves: record.moves_bytes > 0,
    has_entry: row !== null,
  };
}

/** Exchanges a code for a secret. @param {string} url @param {string} code */
async function pair(url, code) {
  const address = mustBeReceiver(url);
  const label = `${api.i18n.getMessage('name')} (${navigator.userAgent.includes('Firefox/') ? 'Firefox' : 'Chromium'})`;
  /** @type {Response} */
  let response;
  try {
    response = await fetch(`${address}/pair`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, label }),
      credentials: 'omit', redirect: 'error', cache: 'no-store', referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(PAIR_TIMEOUT_MS),
    });
  } catch {
    throw new Error(text('pairNoAnswer', address));
  }
  if (response.status === 401) throw new Error(text('pairWrongCode'));
  if (response.status === 429) throw new Error(text('pairTooOften'));
  /** @type {any} */
  const answer = await response.json().catch(() => null);
  if (response.status !== 201 || typeof answer?.secret !== 'string') {
    throw new Error(text('pairOdd', address, `HTTP ${response.status}`));
  }
  await connect('daemon', address, answer.secret);
}

/** @param {string} url @param {string} token */
async function useToken(url, token) {
  const address = mustBeReceiver(url);
  if (!/^[\x21-\x7e]{1,4096}$/.test(token)) throw new Error(text('badToken'));
  await connect('analytics', address, token);
}

/** @param {'daemon' | 'analytics'} kind @param {string} url @param {string} secret */
async function connect(kind, url, secret) {
  await forgetAccess(url);
  await change({ target: { kind, url, secret, since_ms: Date.now() }, refused: null, paused: false });
  // What another receiver failed at is no reason to wait for this one.
  void retry(null);
}

async function disconnect() {
  await forgetAccess(null);
  await change({ target: null, refused: null });
  await showBadge();
}

/** Access that is no longer needed goes back. @param {string | null} keptUrl */
async function forgetAccess(keptUrl) {
  const { target } = await settings();
  if (!target) return;
  const pattern = patternOf(target);
  if (keptUrl !== null && receiver(keptUrl)?.pattern === pattern) return;
  await api.permissions.remove({ origins: [pattern] }).catch(() => {});
}

/** @param {string} url */
function mustBeReceiver(url) {
  const address = receiver(url);
  if (!address) throw new Error(text('badUrl'));
  return address.url;
}

/** What would be sent: of the latest whole game, or of one that comes with the extension. @param {'daemon' | 'analytics'} kind */
async function sample(kind) {
  const rules = await core();
  const found = await transact(['games', 'moves', 'players'], 'readonly', async (tx) => {
    for (const game of await tx.newest('games', 'changed', MOST_RECENT)) {
      const moves = game.is_whole ? await tx.get('moves', game.game_id) : undefined;
      if (!moves || !game.row) continue;
      const players = [];
      for (const id of [game.row.white_user_id, game.row.black_user_id]) players.push(await tx.get('players', id));
      return { game, moves: new Uint8Array(moves.bytes), players: players.filter(Boolean) };
    }
    return null;
  });
  const { target } = await settings();
  const url = endpoint(kind, target?.kind === kind ? target.url : kind === 'daemon' ? 'http://127.0.0.1:8787' : 'https://…');
  try {
    if (found) return { is_own: true, url, body: pretty(documentOf(rules, kind, found)) };
  } catch {
    // A game that cannot be read makes no sample.
  }
  const made = sampleGame(rules);
  return { is_own: false, url, body: pretty(documentOf(rules, kind, made)) };
}

/** @param {string} json */
const pretty = (json) => JSON.stringify(JSON.parse(json), null, 2);

/** @returns {Promise<number>} How many were deleted. */
async function forgetPosted() {
  const count = await transact(STORES, 'readwrite', async (tx) => {
    const sum = await totals(tx);
    /** @type {GameRecord[]} */
    const posted = (await tx.all('games')).filter((record) => shown(record) === 'posted');
    for (const record of posted) await remove(tx, record, sum);
    return posted.length;
  });
  sayChanged();
  return count;
}
