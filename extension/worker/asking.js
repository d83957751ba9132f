// @ts-check
/**
 * Which game pages were opened, and the questions that may follow. Decides what a visit is; whether,
 * when and what is asked is the core's decision. A question is written down before it goes out, so
 * that it goes out once, whatever happens to the worker.
 */

import { transact } from '../shared/database.js';
import { settings } from '../shared/settings.js';
import { core } from './core.js';

/**
 * @typedef {object} Visit
 * @property {string} key One page load and one game.
 * @property {string} visit The page load.
 * @property {string} game_id
 * @property {number} opened_at_ms
 * @property {number | null} left_at_ms
 * @property {number | null} history_asked_at_ms
 * @property {number | null} moves_asked_at_ms
 *
 * @typedef {{ask?: {id: string, method: string, url: string, body: string | null}, wakeInMs?: number}} Wish
 */

const FORGET_VISIT_MS = 6 * 60 * 60 * 1000;
const MOST_VISITS = 200;
/** After a question, should its answer not come. */
const LOOK_AGAIN_MS = 3500;

/**
 * A page load shows another address, or is over.
 * @param {string} visit @param {string | null} url @param {number} now
 */
export async function visited(visit, url, now) {
  const rules = await core();
  const page = url === null ? null : rules.page(url);
  const game_id = page?.kind === 'game' ? page.game_id : null;
  await transact(['visits'], 'readwrite', async (tx) => {
    /** @type {Visit[]} */
    const visits = await tx.all('visits');
    for (const old of visits) {
      if (old.visit === visit && old.game_id !== game_id && old.left_at_ms === null) {
        await tx.put('visits', { ...old, left_at_ms: now });
      }
    }
    if (game_id === null) return;
    const key = `${visit} ${game_id}`;
    const again = visits.find((old) => old.key === key);
    if (!again && visits.length >= MOST_VISITS) {
      const oldest = visits.reduce((one, other) => (other.opened_at_ms < one.opened_at_ms ? other : one));
      await tx.delete('visits', oldest.key);
    }
    await tx.put('visits', {
      key, visit, game_id,
      opened_at_ms: again?.opened_at_ms ?? now, left_at_ms: null,
      history_asked_at_ms: again?.history_asked_at_ms ?? null,
      moves_asked_at_ms: again?.moves_asked_at_ms ?? null,
    });
  });
}

/** What a page should do next: ask, or come back later. @param {number} now @returns {Promise<Wish>} */
export async function wish(now) {
  const rules = await core();
  const { ask, own_user_id, seen_user_id } = await settings();
  if (!ask) return {};
  return transact(['visits', 'games', 'facts'], 'readwrite', async (tx) => {
    /** @type {Visit[]} */
    const visits = await tx.all('visits');
    if (visits.length === 0) return {};
    const known = [];
    for (const game_id of new Set(visits.map((visit) => visit.game_id))) {
      known.push(facts(game_id, visits, await tx.get('games', game_id)));
    }
    const last = await tx.get('facts', 'last-ask');
    const plan = rules.askPlan({
      enabled: ask, own_user_id: own_user_id ?? seen_user_id, last_ask_at_ms: last?.at_ms ?? null, visits: known,
    }, now);
    if (plan.kind === 'none') return {};
    if (plan.kind === 'wait') return { wakeInMs: plan.until_ms - now };
    await tx.put('facts', { name: 'last-ask', at_ms: now });
    const field = plan.what === 'history' ? 'history_asked_at_ms' : 'moves_asked_at_ms';
    for (const visit of visits) {
      if (visit.game_id === plan.game_id) await tx.put('visits', { ...visit, [field]: now });
    }
    const { method, url, body } = plan;
    return { ask: { id: crypto.randomUUID(), method, url, body }, wakeInMs: LOOK_AGAIN_MS };
  });
}

/**
 * What is known of a visited game. Several tabs may show it: it is left when the last of them is.
 * @param {string} game_id @param {Visit[]} visits @param {import('./records.js').GameRecord | undefined} record
 * @returns {import('../core.js').AskVisit}
 */
function facts(game_id, visits, record) {
  const ofGame = visits.filter((visit) => visit.game_id === game_id);
  const isOpen = ofGame.some(({ left_at_ms }) => left_at_ms === null);
  const left = ofGame.map(({ left_at_ms }) => left_at_ms ?? 0);
  /** @param {'history_asked_at_ms' | 'moves_asked_at_ms'} field */
  const latest = (field) => {
    const asked = ofGame.map((visit) => visit[field] ?? 0);
    return Math.max(...asked) || null;
  };
  const { row } = record ?? {};
  return {
    game_id,
    left_at_ms: isOpen ? null : Math.max(...left),
    entry: row ? {
      white_user_id: row.white_user_id,
      black_user_id: row.black_user_id,
      end_known_at_ms: row.has_result ? record?.entry_seen_at_ms ?? null : null,
      is_cancelled: row.is_cancelled,
    } : null,
    players: record?.players ?? [],
    has_final_moves: record?.is_whole ?? false,
    history_asked_at_ms: latest('history_asked_at_ms'),
    moves_asked_at_ms: latest('moves_asked_at_ms'),
  };
}

/** After a restart of the browser no page of before is open. @param {number} now */
export async function leaveAll(now) {
  await transact(['visits'], 'readwrite', async (tx) => {
    for (const visit of await tx.all('visits')) {
      if (visit.left_at_ms === null) await tx.put('visits', { ...visit, left_at_ms: now });
    }
  });
}

/** @param {number} now */
export async function forgetVisits(now) {
  await transact(['visits'], 'readwrite', async (tx) => {
    for (const visit of await tx.all('visits')) {
      if ((visit.left_at_ms ?? visit.opened_at_ms) + FORGET_VISIT_MS < now) await tx.delete('visits', visit.key);
    }
  });
}
