// @ts-check
/// <reference lib="dom" />
/**
 * Runs in the page (world MAIN) before the page's own scripts, and overhears the answers that the
 * page gets to its own requests for a history or for a game's moves.
 *
 * Decides what is overheard: the bytes, unread. What they are is the core's decision, in the worker.
 * Changes nothing that the page sees: natives are wrapped in proxies, answers are cloned before the
 * page reads them. Keeps natives of its own, so that nothing a page replaces later changes what is
 * done here. The page's `Authorization` header is remembered here, for the two questions that the
 * worker may have asked in the page, and never leaves this closure.
 */
(() => {
  'use strict';

  /** The endpoints of interest; the core reads the whole URL. */
  const PATHS = ['/api/player/history', '/api/game-move-history'];
  /** Larger answers are not passed on. */
  const MOST_BYTES = 8 * 1024 * 1024;
  /** The worker spaces its questions; this is the page's own guard. */
  const MIN_DISTANCE_MS = 3000;
  const ASK_TIMEOUT_MS = 30_000;
  const MOST_EARLY_MESSAGES = 20;
  /** Names under which a session's token may tell whose it is. */
  const USER_CLAIMS = ['userId', 'user_id', 'playerId', 'id', 'sub'];
  const RELAY_READY = 'dicechess-sync:relay';
  const HOOK_READY = 'dicechess-sync:hook';

  const { apply, construct, defineProperty, getOwnPropertyDescriptor } = Reflect;
  const nativeFetch = window.fetch;
  const nativePost = window.postMessage;
  const nativeNow = Date.now;
  const { URL, Request, Uint8Array, ArrayBuffer, Blob, URLSearchParams, CustomEvent } = window;
  const encoder = pinned(new TextEncoder(), ['encode']);
  const decoder = pinned(new TextDecoder(), ['decode']);
  const startsWith = String.prototype.startsWith;
  const endsWith = String.prototype.endsWith;
  const toUpperCase = String.prototype.toUpperCase;
  const toLowerCase = String.prototype.toLowerCase;
  const includes = String.prototype.includes;
  const split = String.prototype.split;
  const replaceAll = String.prototype.replaceAll;
  const { parse } = JSON;
  const decode = window.atob;
  const encode = window.btoa;
  const { fromCharCode } = String;
  const { min } = Math;
  const toNumber = Number;
  const isInteger = Number.isSafeInteger;
  const { isArray } = Array;
  const { iterator } = Symbol;
  const isView = ArrayBuffer.isView;
  const stop = Event.prototype.stopImmediatePropagation;
  const handled = Event.prototype.preventDefault;
  const listen = EventTarget.prototype.addEventListener;
  const abortAfter = AbortSignal.timeout;

  const responseClone = Response.prototype.clone;
  const responseBytes = Response.prototype.arrayBuffer;
  const requestClone = Request.prototype.clone;
  const requestBytes = Request.prototype.arrayBuffer;
  const blobBytes = Blob.prototype.arrayBuffer;
  const headerOf = Headers.prototype.get;
  const nativeHeaders = Headers;
  const statusOf = getter(Response.prototype, 'status');
  const typeOf = getter(Response.prototype, 'type');
  const responseHeaders = getter(Response.prototype, 'headers');
  const requestUrl = getter(Request.prototype, 'url');
  const requestMethod = getter(Request.prototype, 'method');
  const requestHeaders = getter(Request.prototype, 'headers');
  const hrefOf = getter(URL.prototype, 'href');
  const pathOf = getter(URL.prototype, 'pathname');
  const originOf = getter(URL.prototype, 'origin');
  const baseOf = getter(Node.prototype, 'baseURI');
  const dataOf = getter(MessageEvent.prototype, 'data');
  const detailOf = getter(CustomEvent.prototype, 'detail');

  /** @type {string | null} Known to the relay and to nobody else in the page. */
  let channel = null;
  /** @type {Message[]} */
  let early = [];
  /** @type {string | null} */
  let authorization = null;
  let lastAskAt = -Infinity;

  /**
   * @typedef {{url: string, method: string, requestBody: Promise<ArrayBuffer | null> | ArrayBuffer | null}} Asked
   * @typedef {{kind: 'observed', url: string, method: string, status: number, contentType: string | null,
   *   requestBody: string | null, body: string, asked: string | null}
   *   | {kind: 'failed', asked: string, message: string} | {kind: 'user', user_id: number}} Message
   */

  // --- the page's fetch -------------------------------------------------------------------------

  replace(window, 'fetch', (target, self, args) => {
    const asked = attempt(() => askedByFetch(args));
    const answer = apply(target, self, args);
    if (asked) void overhear(asked, answer, null);
    return answer;
  });

  /** @param {any[]} args @returns {Asked | null} */
  function askedByFetch([input, init]) {
    const request = isA(input, requestUrl) ? input : null;
    const url = request ? new URL(requestUrl(request)) : resolve(input);
    if (!url) return null;
    remember(url, headerIn(init?.headers) ?? (request && headerIn(requestHeaders(request))));
    if (!isOfInterest(url)) return null;
    const method = init?.method ?? (request ? requestMethod(request) : 'GET');
    const ownBody = init?.body ?? null;
    const requestBody = ownBody !== null || !request
      ? bytesOf(ownBody)
      : apply(requestBytes, apply(requestClone, request, []), []);
    return { url: hrefOf(url), method: upper(method), requestBody };
  }

  /**
   * @param {Asked} asked
   * @param {Promise<Response>} answer The page's own promise; its response is cloned before the page
   *   can read it, because this reaction is the first.
   * @param {string | null} question
   */
  async function overhear(asked, answer, question) {
    try {
      const response = await answer;
      if (typeOf(response) === 'opaque' || typeOf(response) === 'error') return;
      const headers = responseHeaders(response);
      if (Number(apply(headerOf, headers, ['content-length'])) > MOST_BYTES) return;
      const copy = apply(responseClone, response, []);
      const contentType = apply(headerOf, headers, ['content-type']);
      const body = await apply(responseBytes, copy, []);
      await report(asked, statusOf(response), contentType, body, question);
    } catch {
      // The page's request failed or was aborted: there is nothing to pass on.
    }
  }

  // --- the page's XMLHttpRequest ----------------------------------------------------------------

  const xhr = XMLHttpRequest.prototype;
  const stateOf = getter(xhr, 'readyState');
  const xhrStatus = getter(xhr, 'status');
  const xhrType = getter(xhr, 'responseType');
  const xhrText = getter(xhr, 'responseText');
  const xhrResponse = getter(xhr, 'response');
  const setXhrType = setter(xhr, 'responseType');
  const xhrHeader = xhr.getResponseHeader;
  /** @type {WeakMap<XMLHttpRequest, {url: URL, method: string}>} */
  const opened = pinned(new WeakMap(), ['get', 'set', 'delete']);

  /**
   * Requests whose answer the page wants parsed: the browser is asked for the bytes instead, and they
   * are parsed when the page looks. @type {WeakMap<XMLHttpRequest, {value?: any}>}
   */
  const parsed = pinned(new WeakMap(), ['get', 'set', 'delete']);

  replace(xhr, 'open', (target, self, args) => {
    attempt(() => {
      const url = resolve(args[1]);
      if (url) opened.set(self, { url, method: upper(args[0]) });
      else opened.delete(self);
    });
    const result = apply(target, self, args);
    if (parsed.get(self)) {
      parsed.delete(self);
      attempt(() => setXhrType(self, 'json'));
    }
    return result;
  });

  replaceAccessor(xhr, 'responseType', {
    get: (target, self) => (parsed.get(self) ? 'json' : apply(target, self, [])),
    set: (target, self, args) => {
      const result = apply(target, self, args);
      parsed.delete(self);
      return result;
    },
  });

  replaceAccessor(xhr, 'response', {
    get: (target, self) => {
      const answer = parsed.get(self);
      if (!answer) return apply(target, self, []);
      if (stateOf(self) !== 4) return null;
      if (!('value' in answer)) answer.value = attempt(() => parse(decoder.decode(xhrResponse(self))));
      return answer.value;
    },
  });

  replace(xhr, 'setRequestHeader', (target, self, args) => {
    attempt(() => {
      const request = opened.get(self);
      if (request && lower(args[0]) === 'authorization') remember(request.url, `${args[1]}`);
    });
    return apply(target, self, args);
  });

  replace(xhr, 'send', (target, self, args) => {
    attempt(() => {
      const request = opened.get(self);
      if (!request || !isOfInterest(request.url)) return;
      const { method } = request;
      const asked = { url: hrefOf(request.url), method, requestBody: bytesOf(args[0] ?? null) };
      if (xhrType(self) === 'json') {
        setXhrType(self, 'arraybuffer');
        parsed.set(self, {});
      }
      const done = () => {
        if (stateOf(self) === 4 && opened.get(self) === request) attempt(() => readXhr(self, asked));
      };
      apply(listen, self, ['readystatechange', done]);
    });
    return apply(target, self, args);
  });

  /** @param {XMLHttpRequest} self @param {Asked} asked */
  function readXhr(self, asked) {
    const status = xhrStatus(self);
    if (status === 0) return;
    const contentType = apply(xhrHeader, self, ['content-type']);
    const type = xhrType(self);
    /** @type {ArrayBuffer | Promise<ArrayBuffer> | null} */
    let body = null;
    if (type === '' || type === 'text') {
      const text = xhrText(self);
      // The bytes were decoded; where the decoder had to put a replacement they cannot be had back.
      if (!apply(includes, text, ['\ufffd'])) body = encoder.encode(text).buffer;
    } else if (type === 'arraybuffer' && xhrResponse(self)) {
      body = new Uint8Array(new Uint8Array(xhrResponse(self))).buffer;
    } else if (type === 'blob' && xhrResponse(self)) {
      body = apply(blobBytes, xhrResponse(self), []);
    }
    if (!body) return;
    const passOn = async () => report(asked, status, contentType, await body, null);
    passOn().catch(() => {});
  }

  // --- the worker's questions -------------------------------------------------------------------

  /** @param {any} ask Checked by the relay; checked here once more for where it goes. */
  async function ask({ id, method, url: text, body }) {
    const url = resolve(text);
    if (!url || !isOfInterest(url) || originOf(url) !== window.origin) return;
    const now = nativeNow();
    if (now - lastAskAt < MIN_DISTANCE_MS) {
      return post({ kind: 'failed', asked: id, message: 'asked too soon' });
    }
    lastAskAt = now;
    const headers = new nativeHeaders();
    if (authorization) headers.set('authorization', authorization);
    if (body !== null) headers.set('content-type', 'application/json');
    const signal = apply(abortAfter, AbortSignal, [ASK_TIMEOUT_MS]);
    const init = { method, headers, body, signal, credentials: 'same-origin' };
    const answer = apply(nativeFetch, window, [hrefOf(url), init]);
    const requestBody = body === null ? null : encoder.encode(body).buffer;
    try {
      await answer;
    } catch (error) {
      return post({ kind: 'failed', asked: id, message: `${error}` });
    }
    await overhear({ url: hrefOf(url), method, requestBody }, answer, id);
  }

  // --- to and from the relay --------------------------------------------------------------------

  /**
   * @param {Asked} asked @param {number} status @param {string | null} contentType
   * @param {ArrayBuffer} body @param {string | null} question
   */
  async function report(asked, status, contentType, body, question) {
    const requestBody = await asked.requestBody;
    if (body.byteLength > MOST_BYTES) return;
    post({
      kind: 'observed', url: asked.url, method: asked.method, status, contentType, asked: question,
      requestBody: requestBody && base64(requestBody), body: base64(body),
    });
  }

  /** Bytes travel as text: Firefox lets no script of ours touch a buffer of the page. @param {ArrayBuffer} buffer */
  function base64(buffer) {
    const STEP = 0x8000;
    let text = '';
    for (let at = 0; at < buffer.byteLength; at += STEP) {
      const part = new Uint8Array(buffer, at, min(STEP, buffer.byteLength - at));
      text += apply(fromCharCode, String, part);
    }
    return encode(text);
  }

  /** @param {Message} message */
  function post(message) {
    if (channel === null) {
      if (early.length < MOST_EARLY_MESSAGES) early[early.length] = message;
      return;
    }
    apply(nativePost, window, [{ channel, direction: 'to-relay', ...message }, '/']);
  }

  // Both scripts run before those of the page, in an order that the browser chooses. The name of the
  // channel is handed over at once and only once, so a page script can neither overhear nor ask it.
  apply(listen, window, [RELAY_READY, (/** @type {Event} */ event) => {
    const name = detailOf(event);
    if (channel !== null || typeof name !== 'string') return;
    apply(stop, event, []);
    apply(handled, event, []);
    channel = name;
    const waiting = early;
    early = [];
    for (let i = 0; i < waiting.length; i += 1) post(waiting[i]);
  }]);
  apply(EventTarget.prototype.dispatchEvent, window, [new CustomEvent(HOOK_READY)]);

  apply(listen, window, ['message', (/** @type {Event} */ event) => {
    const data = dataOf(event);
    if (channel === null || data?.channel !== channel || data.direction !== 'to-hook') return;
    apply(stop, event, []);
    if (data.kind === 'ask') void ask(data).catch(() => {});
  }, true]);

  // --- small things -----------------------------------------------------------------------------

  /**
   * Puts a proxy in the place of a native function: its name, length and text stay.
   * @param {any} owner @param {string} name
   * @param {(target: any, self: any, args: any[]) => any} trap
   */
  function replace(owner, name, trap) {
    const descriptor = getOwnPropertyDescriptor(owner, name);
    if (!descriptor) return;
    const value = new Proxy(descriptor.value, { apply: trap });
    defineProperty(owner, name, { ...descriptor, value });
  }

  /**
   * The same for an accessor.
   * @param {any} owner @param {string} name
   * @param {{get?: (target: any, self: any) => any, set?: (target: any, self: any, args: any[]) => any}} traps
   */
  function replaceAccessor(owner, name, traps) {
    const descriptor = getOwnPropertyDescriptor(owner, name);
    if (!descriptor?.get) return;
    if (traps.get) descriptor.get = new Proxy(descriptor.get, { apply: traps.get });
    if (traps.set && descriptor.set) descriptor.set = new Proxy(descriptor.set, { apply: traps.set });
    defineProperty(owner, name, descriptor);
  }

  /** @param {any} proto @param {string} name @returns {(object: any, value: any) => void} */
  function setter(proto, name) {
    const set = getOwnPropertyDescriptor(proto, name)?.set;
    if (!set) throw new TypeError(`no ${name}`);
    return (object, value) => apply(set, object, [value]);
  }

  /** @param {any} proto @param {string} name @returns {(object: any) => any} */
  function getter(proto, name) {
    const get = getOwnPropertyDescriptor(proto, name)?.get;
    if (!get) throw new TypeError(`no ${name}`);
    return (object) => apply(get, object, []);
  }

  /**
   * An object whose methods stay, whatever becomes of its prototype.
   * @template {object} T @param {T} object @param {(keyof T & string)[]} names @returns {T}
   */
  function pinned(object, names) {
    for (const name of names) defineProperty(object, name, { value: object[name] });
    return object;
  }

  /** @template T @param {() => T} work @returns {T | null} */
  function attempt(work) {
    try {
      return work();
    } catch {
      return null;
    }
  }

  /** @param {any} object @param {(object: any) => any} read A getter that throws for others. */
  function isA(object, read) {
    return typeof object === 'object' && object !== null && attempt(() => read(object)) !== null;
  }

  /** @param {any} input @returns {URL | null} Only what has no code of the page's to run. */
  function resolve(input) {
    if (typeof input === 'string') return attempt(() => construct(URL, [input, baseOf(document)]));
    return isA(input, hrefOf) ? new URL(hrefOf(input)) : null;
  }

  /** @param {URL} url */
  function isOfInterest(url) {
    const path = pathOf(url);
    return apply(endsWith, path, [PATHS[0]]) || apply(endsWith, path, [PATHS[1]]);
  }

  /** @param {URL} url @param {string | null | undefined} value */
  function remember(url, value) {
    const isOwn = originOf(url) === window.origin && apply(startsWith, pathOf(url), ['/api/']);
    if (!value || !isOwn || value === authorization) return;
    authorization = value;
    const user_id = attempt(() => userIn(value));
    if (user_id) post({ kind: 'user', user_id });
  }

  /**
   * Whose session it is, if the token is a JWT that says so: it tells which games are the user's own.
   * The number alone is passed on.
   * @param {string} value
   */
  function userIn(value) {
    const payload = apply(split, value, ['.'])[1];
    const base64 = apply(replaceAll, apply(replaceAll, payload, ['-', '+']), ['_', '/']);
    const claims = parse(decode(base64));
    for (let i = 0; i < USER_CLAIMS.length; i += 1) {
      const id = toNumber(claims[USER_CLAIMS[i]]);
      if (isInteger(id) && id > 0) return id;
    }
    return null;
  }

  /** @param {any} headers @returns {string | null} */
  function headerIn(headers) {
    if (typeof headers !== 'object' || headers === null) return null;
    const own = attempt(() => apply(headerOf, headers, ['authorization']));
    if (own) return own;
    // What can be gone through only once is left to the page.
    if (!isArray(headers) && headers[iterator]) return null;
    return apply(headerOf, new nativeHeaders(headers), ['authorization']);
  }

  /** @param {any} body @returns {ArrayBuffer | Promise<ArrayBuffer> | null} */
  function bytesOf(body) {
    if (typeof body === 'string') return encoder.encode(body).buffer;
    if (body instanceof URLSearchParams) return encoder.encode(`${body}`).buffer;
    if (body instanceof ArrayBuffer) return new Uint8Array(new Uint8Array(body)).buffer;
    if (isView(body)) {
      return new Uint8Array(new Uint8Array(body.buffer, body.byteOffset, body.byteLength)).buffer;
    }
    return body instanceof Blob ? apply(blobBytes, body, []) : null;
  }

  /** @param {any} text */
  function upper(text) {
    return apply(toUpperCase, `${text}`, []);
  }

  /** @param {any} text */
  function lower(text) {
    return apply(toLowerCase, `${text}`, []);
  }
})();
