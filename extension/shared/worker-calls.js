// @ts-check
/**
 * What the extension's own pages say to the worker. Decides the names of the calls and the shapes of
 * their answers.
 */

import { api } from './browser.js';

/**
 * @typedef {object} ShownGame
 * @property {string} game_id
 * @property {'seen' | 'waiting' | 'posted' | 'rejected' | 'unreadable' | 'error' | 'skipped'} shown
 * @property {string | null} reason Why it was rejected, cannot be read, or was not sent.
 * @property {number | null} next_retry_at_ms
 * @property {string | null} white
 * @property {string | null} black
 * @property {-1 | 0 | 1 | null} result
 * @property {number | null} started_at_ms
 * @property {boolean} has_moves
 * @property {boolean} has_entry
 *
 * @typedef {object} Notice Something the user should know; it stays until it is over or read.
 * @property {'storage_full' | 'raw_dropped' | 'flood' | 'core_failed'} kind
 * @property {number} at_ms
 * @property {number} count
 *
 * @typedef {object} Summary
 * @property {{seen: number, waiting: number, posted: number, rejected: number, unreadable: number}} counts
 * @property {ShownGame[]} recent
 * @property {{kind: 'daemon' | 'analytics', url: string, since_ms: number} | null} target
 * @property {boolean} has_access Whether the browser lets us reach the receiver.
 * @property {boolean} paused
 * @property {string | null} refused
 * @property {number | null} next_try_at_ms When a receiver that failed is tried again.
 * @property {string | null} last_error
 * @property {{games: number, bytes: number, most_bytes: number}} kept
 * @property {Notice[]} notices
 * @property {boolean} ask
 * @property {number | null} own_user_id
 * @property {number | null} seen_user_id
 * @property {string} version
 *
 * @typedef {{action: 'summary'} | {action: 'retry'} | {action: 'retry_game', game_id: string}
 *   | {action: 'pause', paused: boolean} | {action: 'pair', url: string, code: string}
 *   | {action: 'token', url: string, token: string} | {action: 'disconnect'}
 *   | {action: 'asking', ask: boolean, own_user_id: number | null} | {action: 'read_notices'}
 *   | {action: 'sample', receiver: 'daemon' | 'analytics'} | {action: 'forget_posted'}
 *   | {action: 'room', most_bytes: number}} Call
 */

/** What is kept of an answer that did not come: browsers have a phrase of their own each. */
export const NO_CONNECTION = 'no connection';
export const NO_ANSWER = 'no answer in time';

/** Over this channel the worker says that something has changed. */
export const CHANGES = 'dicechess-sync-changes';

/** @param {Call} call @returns {Promise<any>} @throws {Error} What the worker says went wrong. */
export async function tell(call) {
  const answer = await api.runtime.sendMessage({ kind: 'page-call', ...call });
  if (!answer) throw new Error('the worker does not answer');
  if (answer.error) throw new Error(answer.error);
  return answer.value;
}

/** @returns {Promise<Summary>} */
export const summary = () => tell({ action: 'summary' });

/** Calls back soon after each change, at most four times a second. @param {() => void} look */
export function onChanges(look) {
  /** @type {number | undefined} */
  let timer;
  new BroadcastChannel(CHANGES).onmessage = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      look();
    }, 250);
  };
}
