// @ts-check
/**
 * The worker: browsers stop it when it is idle and start it again for an event. Decides only which
 * event leads where; listeners are registered at once, before anything is waited for.
 */

import { api } from '../shared/browser.js';
import { ALARM_HOURLY, ALARM_OUTBOX } from './alarms.js';
import { forgetVisits, leaveAll } from './asking.js';
import { called, isOwnPage } from './calls.js';
import { showBadge } from './changes.js';
import { readAgain } from './intake.js';
import { deliver } from './outbox.js';
import { relayed } from './relayed.js';

api.runtime.onMessage.addListener((message, sender, reply) => {
  if (message?.kind === 'page-call') {
    if (!isOwnPage(sender)) return false;
    called(message).then((value) => reply({ value: value ?? null }), (error) => reply({ error: messageOf(error) }));
    return true;
  }
  relayed(message ?? {}, sender).then(reply, (error) => {
    // What failed once would fail again, and hold up what the page sends next.
    console.error(error);
    reply({ ok: true });
  });
  return true;
});

api.runtime.onInstalled.addListener(() => {
  void start();
});

api.runtime.onStartup.addListener(() => {
  void leaveAll(Date.now()).then(start);
});

api.alarms.onAlarm.addListener(({ name }) => {
  if (name === ALARM_OUTBOX) void deliver();
  if (name === ALARM_HOURLY) void hourly();
});

api.permissions.onAdded.addListener(() => {
  void deliver();
});

api.permissions.onRemoved.addListener(() => {
  void showBadge();
});

async function start() {
  await api.alarms.create(ALARM_HOURLY, { delayInMinutes: 1, periodInMinutes: 60 });
  await readAgain(Date.now());
  await showBadge();
  await deliver();
}

async function hourly() {
  await forgetVisits(Date.now());
  await showBadge();
  await deliver();
}

/** @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error));
