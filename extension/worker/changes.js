// @ts-check
/** Says that something has changed: the badge follows at once, open pages of ours look again. */

import { api } from '../shared/browser.js';
import { transact } from '../shared/database.js';
import { settings } from '../shared/settings.js';
import { CHANGES } from '../shared/worker-calls.js';
import { totals } from './records.js';

const channel = new BroadcastChannel(CHANGES);

export function sayChanged() {
  channel.postMessage(null);
  void showBadge();
}

/** The number of games that wait; a mark when the user has to act. */
export async function showBadge() {
  const [{ by }, { target, refused }] = await Promise.all([
    transact(['facts'], 'readonly', totals), settings(),
  ]);
  const waiting = by.waiting + by.error;
  const needsUser = refused !== null && target !== null;
  await api.action.setBadgeBackgroundColor({ color: needsUser ? '#b3261e' : '#2557c4' });
  await api.action.setBadgeTextColor?.({ color: '#ffffff' });
  const text = waiting > 999 ? '999+' : String(waiting);
  await api.action.setBadgeText({ text: needsUser ? '!' : waiting > 0 ? text : '' });
}
