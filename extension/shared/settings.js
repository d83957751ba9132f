// @ts-check
/**
 * What the user has chosen, in `storage.local`. Decides its shape and defaults. The secret is written
 * here and read by the worker alone; no page shows it again.
 */

import { api } from './browser.js';

/**
 * @typedef {object} Target Where games go.
 * @property {'daemon' | 'analytics'} kind
 * @property {string} url Without a slash at the end.
 * @property {string} secret The pairing secret or the token.
 * @property {number} since_ms
 *
 * @typedef {object} Settings
 * @property {Target | null} target
 * @property {boolean} paused By the user.
 * @property {string | null} refused Why the receiver no longer accepts the secret; until a new one is given.
 * @property {boolean} ask Whether the site may be asked for a finished game that a page did not load.
 * @property {number | null} own_user_id The user's id, as he gave it.
 * @property {number | null} seen_user_id The id that the page's own session names.
 * @property {number} most_bytes How much may be kept.
 */

/** @type {Settings} */
const DEFAULTS = {
  target: null, paused: false, refused: null, ask: true, own_user_id: null, seen_user_id: null,
  most_bytes: 256 * 1024 * 1024,
};

/** @returns {Promise<Settings>} */
export async function settings() {
  return /** @type {Settings} */ (await api.storage.local.get(/** @type {any} */ (DEFAULTS)));
}

/** @param {Partial<Settings>} changed */
export async function change(changed) {
  await api.storage.local.set(changed);
}

/**
 * A receiver's address as a user typed it.
 * @param {string} text
 * @returns {{url: string, pattern: string} | null} Its form without a slash at the end, and the match
 *   pattern to ask access for; null where it is no address that may be used: plain HTTP would show
 *   the secret to the network, unless it stays on this computer.
 */
export function receiver(text) {
  const typed = text.trim();
  const whole = /^[a-z][a-z0-9+.-]*:\/\//i.test(typed) ? typed : `https://${typed}`;
  if (!URL.canParse(whole)) return null;
  const url = new URL(whole);
  const isLocal = url.hostname === '127.0.0.1' || url.hostname === 'localhost';
  const isUsable = url.protocol === 'https:' || (url.protocol === 'http:' && isLocal);
  if (!isUsable || url.username || url.password || url.search || url.hash) return null;
  return {
    url: `${url.origin}${url.pathname.replace(/\/+$/, '')}`,
    pattern: `${url.protocol}//${url.hostname}/*`,
  };
}

/** The match pattern of a stored target. @param {Target} target */
export function patternOf(target) {
  return receiver(target.url)?.pattern ?? `${target.url}/*`;
}
