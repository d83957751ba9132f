// @ts-check
/**
 * The core, as WebAssembly. Decides nothing: it starts the module when it is first needed and turns
 * objects into the JSON text that crosses the boundary, and back. The shapes are in `core.d.ts`.
 */

import init, * as wasm from '../wasm/dicechess_core.js';
import { api } from '../shared/browser.js';

/**
 * @typedef {import('../core.js').GameState} GameState
 * @typedef {import('../core.js').GameEvent} GameEvent
 * @typedef {import('../core.js').HistoryRow} HistoryRow
 */

/** @type {Promise<typeof functions> | null} */
let started = null;

/** @returns {Promise<typeof functions>} */
export function core() {
  started ??= start();
  return started;
}

async function start() {
  try {
    await init({ module_or_path: api.runtime.getURL('wasm/dicechess_core_bg.wasm') });
    return functions;
  } catch (error) {
    started = null;
    throw error;
  }
}

/** @typedef {typeof functions} Core */

/** @param {unknown} value */
const json = (value) => JSON.stringify(value);
const NO_MOVES = new TextEncoder().encode('null');

/** The core's functions, with objects in the place of JSON text. */
const functions = {
  /** @returns {{api: number, core: string}} */
  versions: () => JSON.parse(wasm.versions()),

  /** @param {import('./intake.js').Seen} seen @returns {import('../core.js').Observation} */
  observe: ({ origin, url, method, status, contentType, requestBody, body }) => {
    const head = { page_origin: origin, url, method, status, content_type: contentType };
    return JSON.parse(wasm.observe(json(head), requestBody ?? undefined, body));
  },

  /** @param {string} url @returns {import('../core.js').Page} */
  page: (url) => JSON.parse(wasm.page(url)),

  /**
   * @param {HistoryRow} row @param {HistoryRow} stored @param {GameState} state @param {number} now
   * @returns {import('../core.js').ToldAgain}
   */
  toldAgain: (row, stored, state, now) =>
    JSON.parse(wasm.told_again(json(row), json(stored), json(state), now)),

  /** @param {HistoryRow} row @param {Uint8Array} moves @param {number} seenAt @param {number | undefined} endKnownAt @param {number} now */
  movesAreFinal: (row, moves, seenAt, endKnownAt, now) =>
    wasm.moves_are_final(json(row), moves, seenAt, endKnownAt, now),

  /** @param {HistoryRow} row @param {number} now @returns {GameState} */
  discovered: (row, now) => JSON.parse(wasm.discovered(json(row), now)),

  /** @param {GameState} state @param {GameEvent} event @param {number} now @returns {GameState} */
  apply: (state, event, now) => JSON.parse(wasm.apply(json(state), json(event), now)),

  /** @param {GameState} state @returns {GameState} */
  withoutTimer: (state) => JSON.parse(wasm.without_timer(json(state))),

  /** @param {GameState} state @param {boolean} hasMoves @param {number} now @returns {import('../core.js').NextStep} */
  nextStep: (state, hasMoves, now) => JSON.parse(wasm.next_step(json(state), hasMoves, now)),

  /**
   * @param {import('../core.js').Receiver | null} receiver
   * @param {{game_id: string, seen_at_ms: number, state: GameState}[]} games @param {number} now
   * @returns {import('../core.js').NextSending}
   */
  nextSending: (receiver, games, now) => JSON.parse(wasm.next_sending(json({ receiver, games }), now)),

  /**
   * @param {import('../core.js').Receiver | null} receiver @param {import('../core.js').Standing} standing
   * @param {number | null} nextRetryAt @returns {import('../core.js').Receiver}
   */
  receiverAfter: (receiver, standing, nextRetryAt) =>
    JSON.parse(wasm.receiver_after(json(receiver), standing, nextRetryAt ?? undefined)),

  /**
   * @param {'daemon' | 'analytics'} target @param {number} status 0: no answer. @param {string} body
   * @param {string} game_id @returns {import('../core.js').AnswerReading}
   */
  answer: (target, status, body, game_id) => JSON.parse(wasm.answer(target, status, body, game_id)),

  /** The bundle of a game that has an entry. @param {import('./records.js').GameRecord} game @param {Uint8Array | null} moves */
  bundle: ({ row, moves_seen_at_ms, entry_seen_at_ms, seen_at_ms }, moves) => {
    if (!row) throw new Error('a bundle needs an entry');
    const fetchedAt = moves_seen_at_ms ?? seen_at_ms;
    const metaAt = entry_seen_at_ms ?? seen_at_ms;
    return wasm.bundle(row.entry_json, row.queried_user_id, moves ?? NO_MOVES, fetchedAt, metaAt);
  },

  /** @param {HistoryRow} row @param {Uint8Array} moves @param {import('../core.js').KnownPlayer[]} players */
  ingest: (row, moves, players) =>
    wasm.ingest(row.entry_json, row.queried_user_id, moves, json(players)),

  /** @param {import('../core.js').AskFacts} facts @param {number} now @returns {import('../core.js').AskPlan} */
  askPlan: (facts, now) => JSON.parse(wasm.ask_plan(json(facts), now)),

  /**
   * @param {import('../core.js').StoredSize[]} stored @param {number} incoming @param {number} most
   * @returns {import('../core.js').Room}
   */
  toDrop: (stored, incoming, most) =>
    JSON.parse(wasm.to_drop(json({ stored, incoming_bytes: incoming, most_bytes: most }))),
};
