// @ts-check
/// <reference lib="dom" />
/**
 * Runs beside the page (isolated world) and carries messages between the hook in the page and the
 * worker.
 *
 * Decides what gets through: only messages of the hook's channel, of the right shape, and not more
 * than a page that a person uses can make. Leaves to the worker, and there to the core, what a
 * message means. Nothing here is readable or callable by the page.
 */
(() => {
  'use strict';

  const RELAY_READY = 'dicechess-sync:relay';
  const HOOK_READY = 'dicechess-sync:hook';
  /** Lengths of base64: of 8 MiB of an answer, of 64 kiB of a request. */
  const MOST_BODY = 4 * Math.ceil((8 * 1024 * 1024) / 3);
  const MOST_ASKED = 4 * Math.ceil((64 * 1024) / 3);
  const MOST_URL = 2048;
  /** What waits here for the worker, at most. */
  const MOST_WAITING_BYTES = 16 * 1024 * 1024;
  const MOST_WAITING = 100;
  /** Messages and bytes that a page may send: at once, and a second. */
  const BURST = { messages: 60, bytes: 32 * 1024 * 1024 };
  const RATE = { messages: 1, bytes: 512 * 1024 };
  const RETRY_MS = [500, 2000, 5000, 15_000];
  const LOCATION_MS = 1000;
  const TELL_DROPPED_MS = 2000;

  /** @type {typeof chrome} */
  const api = /** @type {any} */ (globalThis).browser ?? chrome;
  const isTop = window.top === window;
  const channel = Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join('-');
  const visit = Array.from(crypto.getRandomValues(new Uint32Array(2)), (n) => n.toString(36)).join('-');

  /** @type {{message: object, bytes: number}[]} */
  const waiting = [];
  let waitingBytes = 0;
  let isSending = false;
  let dropped = 0;
  const allowance = { ...BURST, at: performance.now() };
  /** @type {number | undefined} */
  let wakeTimer;
  /** @type {number | undefined} */
  let dropTimer;
  const stopped = new AbortController();

  // --- the hook ---------------------------------------------------------------------------------

  // The hook marks the event as handled. Where it came first it has the name now; where it is still
  // to come it will ask, before any script of the page runs. Asked a second time, nothing is said.
  const sayName = () => !window.dispatchEvent(new CustomEvent(RELAY_READY, { detail: channel, cancelable: true }));
  if (!sayName()) {
    window.addEventListener(HOOK_READY, (event) => {
      event.stopImmediatePropagation();
      sayName();
    }, { once: true });
  }

  window.addEventListener('message', (event) => {
    const data = event.data;
    if (event.source !== window || data?.channel !== channel) return;
    // Registered before any listener of the page, so none of them sees the channel's name.
    if (data.direction !== 'to-relay') return;
    event.stopImmediatePropagation();
    const message = checked(data);
    if (!message) return;
    const bytes = message.kind === 'observed' ? message.body.length : 0;
    if (!isAllowed(bytes)) return drop();
    enqueue(message, bytes);
  }, { capture: true, signal: stopped.signal });

  /**
   * @typedef {{kind: 'observed', url: string, method: string, status: number, contentType: string | null,
   *   requestBody: string | null, body: string, asked: string | null}} Observed
   * @typedef {{kind: 'failed', asked: string, message: string} | {kind: 'user', user_id: number}} Other
   */

  /** @param {any} data @returns {Observed | Other | null} */
  function checked(data) {
    if (data.kind === 'failed') {
      const { kind, asked, message } = data;
      return isText(asked, 64) && isText(message, 1000) ? { kind, asked, message } : null;
    }
    if (data.kind === 'user') {
      const { kind, user_id } = data;
      return Number.isSafeInteger(user_id) && user_id > 0 ? { kind, user_id } : null;
    }
    const { kind, url, method, status, contentType, requestBody, body, asked } = data;
    const isSound = kind === 'observed'
      && isText(url, MOST_URL)
      && isText(method, 16)
      && Number.isInteger(status) && status >= 100 && status <= 599
      && (contentType === null || isText(contentType, 200))
      && (requestBody === null || isText(requestBody, MOST_ASKED))
      && isText(body, MOST_BODY)
      && (asked === null || isText(asked, 64));
    return isSound ? { kind, url, method, status, contentType, requestBody, body, asked } : null;
  }

  /** @param {any} value @param {number} most @returns {value is string} */
  function isText(value, most) {
    return typeof value === 'string' && value.length <= most;
  }

  /** A bucket that fills again: what a flood brings beyond it is dropped. @param {number} bytes */
  function isAllowed(bytes) {
    const now = performance.now();
    const seconds = Math.max(0, now - allowance.at) / 1000;
    allowance.at = now;
    allowance.messages = Math.min(BURST.messages, allowance.messages + seconds * RATE.messages);
    allowance.bytes = Math.min(BURST.bytes, allowance.bytes + seconds * RATE.bytes);
    if (allowance.messages < 1 || allowance.bytes < bytes) return false;
    allowance.messages -= 1;
    allowance.bytes -= bytes;
    return true;
  }

  // --- the worker -------------------------------------------------------------------------------

  /** What is dropped is told a little later, in one number. */
  function drop() {
    dropped += 1;
    dropTimer ??= setTimeout(() => {
      dropTimer = undefined;
      enqueue({ kind: 'tick' });
    }, TELL_DROPPED_MS);
  }

  /** @param {object} message @param {number} [bytes] */
  function enqueue(message, bytes = 0) {
    if (waiting.length >= MOST_WAITING || waitingBytes + bytes > MOST_WAITING_BYTES) return drop();
    waiting.push({ message, bytes });
    waitingBytes += bytes;
    void sendAll();
  }

  /** One after the other, each until the worker has said that it is stored. */
  async function sendAll() {
    if (isSending) return;
    isSending = true;
    while (waiting.length > 0) {
      const { message, bytes } = waiting[0];
      const told = dropped;
      const reply = await sendOne({ ...message, visit, dropped: told });
      if (reply) dropped -= told;
      waiting.shift();
      waitingBytes -= bytes;
      if (reply) follow(reply);
    }
    isSending = false;
  }

  /** @param {object} message */
  async function sendOne(message) {
    for (const delay of [...RETRY_MS, null]) {
      if (stopped.signal.aborted) return null;
      try {
        const reply = await api.runtime.sendMessage(message);
        if (reply?.ok) return reply;
      } catch {
        // The worker is starting, or the extension was updated; below it shows which.
      }
      if (!api.runtime?.id) {
        // The extension was updated or removed: a page that is opened anew gets the new one.
        stopped.abort();
        return null;
      }
      if (delay !== null) await new Promise((resolve) => setTimeout(resolve, delay));
    }
    return null;
  }

  /** What the worker wants done in the page. @param {any} reply */
  function follow(reply) {
    if (reply.ask) {
      const { id, method, url, body } = reply.ask;
      const ask = { channel, direction: 'to-hook', kind: 'ask', id, method, url, body };
      window.postMessage(ask, '/');
    }
    if (typeof reply.wakeInMs === 'number') {
      clearTimeout(wakeTimer);
      wakeTimer = setTimeout(() => enqueue({ kind: 'tick' }), Math.max(500, reply.wakeInMs));
    }
  }

  // --- where the page is ------------------------------------------------------------------------

  if (isTop) {
    let last = '';
    const look = () => {
      if (location.href === last || location.href.length > MOST_URL) return;
      last = location.href;
      enqueue({ kind: 'page', url: last });
    };
    look();
    // A single-page site changes its address without telling anybody.
    const timer = setInterval(look, LOCATION_MS);
    window.addEventListener('pagehide', () => {
      last = '';
      enqueue({ kind: 'page', url: null });
    }, { signal: stopped.signal });
    window.addEventListener('pageshow', look, { signal: stopped.signal });
    stopped.signal.addEventListener('abort', () => {
      clearInterval(timer);
      clearTimeout(wakeTimer);
    });
  }
})();
