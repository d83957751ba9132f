// @ts-check
/**
 * Messages of the relay. Decides which are listened to: from a page of the site, of the right shape,
 * and not more at once than fits. A page script that gets past all of it can still only claim: what
 * it says is checked by the core and by the receiver.
 */

import { api } from '../shared/browser.js';
import { fromBase64 } from '../shared/base64.js';
import { transact } from '../shared/database.js';
import { change, settings } from '../shared/settings.js';
import { sayChanged } from './changes.js';
import { take } from './intake.js';
import { deliver } from './outbox.js';
import { notice } from './room.js';
import { visited, wish } from './asking.js';

/** Of all messages that are being worked on. */
const MOST_BYTES_AT_ONCE = 48 * 1024 * 1024;
/** Of one answer. */
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_ASKED_BYTES = 64 * 1024;

let bytesAtOnce = 0;
/** One after the other, so that memory holds one answer and its copies, not a flood of them. */
let turn = Promise.resolve();

/**
 * @param {any} message
 * @param {chrome.runtime.MessageSender} sender
 * @returns {Promise<{ok: boolean} & import('./asking.js').Wish>}
 */
export async function relayed(message, sender) {
  const origin = siteOrigin(sender);
  if (!origin || !isText(message.visit, 64)) return { ok: true };
  const now = Date.now();
  if (Number.isInteger(message.dropped) && message.dropped > 0) {
    const dropped = Math.min(message.dropped, 1_000_000);
    await transact(['facts'], 'readwrite', (tx) => notice(tx, 'flood', dropped, now));
    sayChanged();
  }
  switch (message.kind) {
    case 'observed':
      if (!(await observed(message, origin))) return { ok: false };
      break;
    case 'page':
      if (message.url !== null && !isText(message.url, 2048)) return { ok: true };
      if (sender.frameId === 0) await visited(`${sender.tab?.id} ${message.visit}`, message.url, now);
      break;
    case 'user':
      await ownUser(message.user_id);
      break;
    case 'tick':
    case 'failed':
      break;
    default:
      return { ok: true };
  }
  return { ok: true, ...(sender.frameId === 0 && message.url !== null ? await wish(Date.now()) : {}) };
}

/** The origin of a page of the site, as the browser tells it. @param {chrome.runtime.MessageSender} sender */
function siteOrigin(sender) {
  if (sender.id !== api.runtime.id || !sender.tab) return null;
  const origin = sender.origin ?? (sender.url && URL.canParse(sender.url) ? new URL(sender.url).origin : '');
  const sites = api.runtime.getManifest().content_scripts?.flatMap(({ matches }) => matches ?? []) ?? [];
  return sites.includes(`${origin}/*`) ? origin : null;
}

/** @param {any} message @param {string} origin @returns {Promise<boolean>} False: come again later. */
async function observed(message, origin) {
  const { url, method, status, contentType, requestBody, body } = message;
  const isSound = isText(url, 2048) && isText(method, 16) && Number.isInteger(status)
    && (contentType === null || isText(contentType, 200))
    && (requestBody === null || isText(requestBody, base64Length(MOST_ASKED_BYTES)))
    && isText(body, base64Length(MOST_BYTES));
  if (!isSound || status < 100 || status > 599) return true;
  const bytes = body.length;
  if (bytesAtOnce + bytes > MOST_BYTES_AT_ONCE) return false;
  bytesAtOnce += bytes;
  const work = turn.then(async () => {
    const asked = requestBody === null ? null : fromBase64(requestBody);
    const answered = fromBase64(body);
    if (!answered) return;
    const seen = { origin, url, method, status, contentType, requestBody: asked, body: answered };
    if (await take(seen, Date.now())) {
      sayChanged();
      void deliver();
    }
  });
  turn = work.catch(() => {});
  try {
    await work;
    return true;
  } catch (error) {
    console.error(error);
    await transact(['facts'], 'readwrite', (tx) => notice(tx, 'core_failed', 1, Date.now()));
    sayChanged();
    return true;
  } finally {
    bytesAtOnce -= bytes;
  }
}

/** The id that the page's session names. @param {unknown} user_id */
async function ownUser(user_id) {
  if (typeof user_id !== 'number' || !Number.isSafeInteger(user_id) || user_id <= 0) return;
  const { seen_user_id } = await settings();
  if (seen_user_id !== user_id) await change({ seen_user_id: user_id });
}

/** @param {unknown} value @param {number} most @returns {value is string} */
function isText(value, most) {
  return typeof value === 'string' && value.length <= most;
}

/** @param {number} bytes */
const base64Length = (bytes) => 4 * Math.ceil(bytes / 3);
