// A browser's extension API, IndexedDB and network for unit tests of the worker, which runs as it
// is, with the real core.

import 'fake-indexeddb/auto';
import { readFileSync } from 'node:fs';

import { initSync } from '../wasm/dicechess_core.js';

const wasm = new URL('../wasm/dicechess_core_bg.wasm', import.meta.url);

/** What the stand-in remembers; tests read and change it. */
export const browser = {
  stored: /** @type {Record<string, unknown>} */ ({}),
  alarms: /** @type {Map<string, object>} */ (new Map()),
  badge: '',
  granted: new Set(['http://127.0.0.1/*', 'https://analytics.example/*']),
};

const noEvent = { addListener: () => {} };
Object.assign(globalThis, {
  chrome: {
    runtime: {
      id: 'the-extension',
      getURL: (path) => `chrome-extension://the-extension/${path}`,
      getManifest: () => JSON.parse(readFileSync(new URL('../manifest.json', import.meta.url), 'utf8')),
      onMessage: noEvent, onInstalled: noEvent, onStartup: noEvent,
    },
    storage: {
      local: {
        get: async (defaults) => ({ ...defaults, ...browser.stored }),
        set: async (changed) => { Object.assign(browser.stored, structuredClone(changed)); },
      },
    },
    alarms: {
      create: async (name, when) => { browser.alarms.set(name, when); },
      clear: async (name) => browser.alarms.delete(name),
      onAlarm: noEvent,
    },
    action: {
      setBadgeText: async ({ text }) => { browser.badge = text; },
      setBadgeBackgroundColor: async () => {},
      setBadgeTextColor: async () => {},
    },
    permissions: {
      contains: async ({ origins }) => origins.every((origin) => browser.granted.has(origin)),
      remove: async ({ origins }) => origins.map((origin) => browser.granted.delete(origin)),
      onAdded: noEvent, onRemoved: noEvent,
    },
    i18n: { getMessage: (key) => key },
  },
});
initSync({ module: readFileSync(wasm) });

/** Nothing is stored, everything is new. */
export async function fresh() {
  const { database } = await import('../shared/database.js');
  const db = await database();
  const stores = [...db.objectStoreNames];
  const tx = db.transaction(stores, 'readwrite');
  for (const store of stores) tx.objectStore(store).clear();
  await new Promise((resolve) => { tx.oncomplete = () => resolve(undefined); });
  browser.stored = {};
  browser.alarms.clear();
  browser.granted = new Set(['http://127.0.0.1/*', 'https://analytics.example/*']);
}

/** A network whose answers a test decides; gives what was sent. */
export function network(answer) {
  const sent = [];
  globalThis.fetch = async (url, init) => {
    sent.push({ url, ...init });
    const reply = await answer(sent.at(-1), sent.length);
    if (reply instanceof Error) throw reply;
    return new Response(reply.body ?? '{}', { status: reply.status });
  };
  return sent;
}

export const ORIGIN = 'https://dicechess.com';
const bytes = (text) => new TextEncoder().encode(text);

/** A game's id. */
export const gameId = (n) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

/** The entry of game `n` in the history of player 101, who is White. */
export function entry(n, more = {}) {
  return {
    gameId: gameId(n), color: 'WHITE', result: 1, startTime: '2026-03-30T20:08:44.793', timeLimit: 5,
    timeBonus: 3, allowDoubling: false, isCancelled: false, startRatingWhite: 1500, startRatingBlack: 1600,
    historyOpponent: { opponentId: 77, opponentName: 'rook77' }, moneyDelta: 100, currency: 'GOLD', ...more,
  };
}

/** A page got a page of history. */
export function history(entries, more = {}) {
  return {
    origin: ORIGIN, url: `${ORIGIN}/api/player/history`, method: 'POST', status: 200,
    contentType: 'application/json', requestBody: bytes('{"filters":{"PLAYER_ID":"101"}}'),
    body: bytes(JSON.stringify({ gameHistoryList: entries, totalCount: entries.length })), ...more,
  };
}

/** White takes the king at once, or has yet to move. */
export function moves(n, { ended = true, padding = 0, die = 'R' } = {}) {
  const clocks = { 101: 300000, 77: 300000 };
  const start = {
    fen: '4k3/8/8/8/8/8/4R3/KNB5 w - - 0 1', dices: [{ value: die }], gameMoveHistoryMove: null,
    bank: 100, leftTime: clocks, padding: 'x'.repeat(padding),
  };
  const end = {
    fen: ended ? '4R3/8/8/8/8/8/8/KNB5 w - - 0 1' : '4k3/4R3/8/8/8/8/8/KNB5 b - - 0 1', dices: [], bank: 100,
    gameMoveHistoryMove: { from: 'E2', to: ended ? 'E8' : 'E7', promotion: 'NONE' }, leftTime: clocks,
  };
  return {
    origin: ORIGIN, url: `${ORIGIN}/api/game-move-history?gameId=${gameId(n)}`, method: 'GET', status: 200,
    contentType: 'application/json', requestBody: null,
    body: bytes(JSON.stringify({ gameMoveHistoryStateMap: { 0: start, 1: end } })),
  };
}

/** What is stored of a game. */
export async function record(n) {
  const { transact } = await import('../shared/database.js');
  return transact(['games'], 'readonly', (tx) => tx.get('games', gameId(n)));
}
