// A script on the site's own pages that wants to do harm.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { launch } from './chromium.mjs';
import { pair } from './people.mjs';
import { SITE, folder, nativeDocument, startDaemon, startSite, until } from './stage.mjs';

/** Runs first of all scripts of the page and does everything that a page script can. */
const HOSTILE = `<!doctype html><title>hostile</title><script>
window.heard = [];
addEventListener('message', (event) => heard.push(JSON.stringify(event.data)), true);
for (const name of ['dicechess-sync:relay', 'dicechess-sync:hook']) {
  addEventListener(name, (event) => heard.push(name + ' ' + event.detail), true);
  dispatchEvent(new CustomEvent(name, { detail: 'mine' }));
}
// What is replaced now is not what the hook uses.
for (const [owner, name] of [[Response.prototype, 'clone'], [Response.prototype, 'arrayBuffer'], [window, 'postMessage'],
  [Map.prototype, 'get'], [WeakMap.prototype, 'get'], [Function.prototype, 'apply'], [Function.prototype, 'call'],
  [JSON, 'stringify'], [window, 'btoa'], [EventTarget.prototype, 'addEventListener'], [URL.prototype, 'toString']]) {
  const native = owner[name];
  owner[name] = function (...args) {
    for (const arg of args) if (arg && typeof arg === 'object' && 'channel' in arg) heard.push(name + ' ' + arg.channel);
    return Reflect.apply(native, this, args);
  };
}
</script>`;

/** Answers the requests of the page in the site's place. */
const SERVICE_WORKER = `
let forged = {};
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('message', (event) => { forged = event.data; event.ports[0].postMessage('done'); });
addEventListener('fetch', (event) => {
  const { pathname, searchParams } = new URL(event.request.url);
  const body = forged[pathname + (searchParams.get('gameId') ?? '')];
  const size = Number(searchParams.get('size'));
  const headers = { 'content-type': 'application/json' };
  if (body !== undefined) event.respondWith(new Response(body, { headers }));
  else if (size) event.respondWith(new Response('{"gameMoveHistoryStateMap":{"0":{"fen":"' + 'x'.repeat(size) + '"}}}', { headers }));
});`;

async function hostilePage(site, browser) {
  site.serve('/hostile', (_, answer) => answer.writeHead(200, { 'content-type': 'text/html' }).end(HOSTILE));
  site.serve('/worker.js', (_, answer) => answer.writeHead(200, { 'content-type': 'text/javascript' }).end(SERVICE_WORKER));
  const page = await browser.page();
  await page.goto(`${SITE}/hostile`);
  return page;
}

/** Has a service worker of the page answer in the site's place. */
async function forge(page, forged) {
  await page.evaluate(async (answers) => {
    await navigator.serviceWorker.register('/worker.js');
    await navigator.serviceWorker.ready;
    while (!navigator.serviceWorker.controller) await new Promise((resolve) => setTimeout(resolve, 20));
    const { port1, port2 } = new MessageChannel();
    const done = new Promise((resolve) => { port1.onmessage = resolve; });
    navigator.serviceWorker.controller.postMessage(answers, [port2]);
    await done;
  }, forged);
}

const seen = async (browser) => (await browser.summary()).counts.seen;

test('forged messages are dropped, and the channel stays secret', async (t) => {
  const site = await startSite(t);
  const browser = await launch(t, site, folder(t, 'chromium'));
  const page = await hostilePage(site, browser);
  const game = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
  await page.evaluate(async (id) => {
    const sound = {
      direction: 'to-relay', kind: 'observed', url: `${location.origin}/api/game-move-history?gameId=${id}`, method: 'GET',
      status: 200, contentType: 'application/json', requestBody: null, body: btoa('{"gameMoveHistoryStateMap":{}}'), asked: null,
    };
    for (const channel of [undefined, null, '', 'mine', 'dicechess-sync', {}]) {
      window.postMessage({ channel, ...sound }, '/');
      window.dispatchEvent(new MessageEvent('message', { data: { channel, ...sound }, source: window, origin: location.origin }));
    }
    const frame = document.createElement('iframe');
    frame.srcdoc = `<script>parent.postMessage(${JSON.stringify({ channel: 'mine', ...sound })}, '*')</script>`;
    document.body.append(frame);
    // An ask of the page's own: the hook must not follow it.
    window.postMessage({ channel: 'mine', direction: 'to-hook', kind: 'ask', id: 'x', method: 'GET', url: sound.url, body: null }, '/');
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }, game);
  assert.equal(await seen(browser), 0);
  assert.deepEqual(site.requests.filter(({ path }) => path.startsWith('/api/')), []);

  // The page's real requests are overheard all the same, and nobody hears of it.
  const [player] = site.seeds;
  await page.evaluate(([jwt, id]) => fetch('/api/player/history', {
    method: 'POST', headers: { authorization: `Bearer ${jwt}`, 'content-type': 'application/json' },
    body: `{"filters":{"PLAYER_ID":"${id}"},"pageSize":5,"first":0}`,
  }).then((response) => response.text()), [site.jwt, player]);
  await until('the history is seen', async () => (await seen(browser)) > 0);
  const heard = await page.evaluate(() => window.heard);
  assert.ok(heard.some((text) => text.includes('mine')), 'the script hears its own');
  assert.deepEqual(heard.filter((text) => /\b[0-9a-z]{3,7}(-[0-9a-z]{3,7}){3}\b/.test(text)), [], 'and no name of a channel');
});

test('a flood and megabytes leave the worker alive and the storage bounded', async (t) => {
  const site = await startSite(t);
  const browser = await launch(t, site, folder(t, 'chromium'));
  await browser.call({ action: 'room', most_bytes: 8 * 1024 * 1024 });
  const [player] = site.seeds;
  const good = await browser.page();
  await good.goto(`${SITE}/profile/${player}`);
  await until('the history is seen', async () => (await seen(browser)) > 0);
  const entry = [...(await site.entries(player))].find(([, text]) => JSON.parse(text).result !== null && !JSON.parse(text).isCancelled);
  await good.goto(`${SITE}/game/${entry[0]}`);
  await until('a game waits', async () => (await browser.summary()).counts.waiting === 1);

  const page = await hostilePage(site, browser);
  await forge(page, {});
  const ask = (count, size) => page.evaluate(async ([many, bytes]) => {
    await Promise.all(Array.from({ length: many }, async () => {
      const id = crypto.randomUUID();
      await fetch(`/api/game-move-history?gameId=${id}&size=${bytes}`).then((response) => response.arrayBuffer());
    }));
  }, [count, size]);
  await ask(4, 9 * 1024 * 1024);
  await ask(8, 3 * 1024 * 1024);
  await ask(400, 1000);
  await page.waitForTimeout(1000);
  const started = Date.now();
  const now = await browser.summary();
  assert.ok(Date.now() - started < 5000, 'the worker answers');
  assert.ok(now.kept.bytes <= 8 * 1024 * 1024, `${now.kept.bytes} bytes`);
  assert.equal(now.counts.waiting, 1, 'the game that waits is still there');
  assert.ok(now.counts.seen < 200, `${now.counts.seen} games`);
  const told = await until('the user is told', async () => (await browser.summary()).notices
    .find(({ kind, count }) => kind === 'flood' && count > 50));
  const { usage } = await (await browser.options()).evaluate(() => navigator.storage.estimate());
  t.diagnostic(`${now.kept.bytes} bytes kept, ${usage} bytes of the browser's database, ${told.count} messages dropped`);
  assert.ok(usage < 64 * 1024 * 1024, `${usage} bytes`);
});

test('a forged result is marked and gives way to the site', async (t) => {
  const site = await startSite(t);
  const daemon = await startDaemon(t, site);
  const browser = await launch(t, site, folder(t, 'chromium'));
  await pair(browser, daemon);
  const [player] = site.seeds;
  const [game, entry] = [...(await site.entries(player))].find(([, text]) => [1, -1].includes(JSON.parse(text).result) && !JSON.parse(text).isCancelled);
  const moves = await site.moves(game);
  const lie = entry.replace(/("result"\s*:\s*)(-?1)/, (_, name, result) => `${name}${-Number(result)}`);
  assert.notEqual(lie, entry);
  const page = await hostilePage(site, browser);
  const invented = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
  await forge(page, {
    '/api/player/history': `{"gameHistoryList":[${lie},${entry.replace(JSON.parse(entry).gameId, invented)}],"totalCount":2}`,
    [`/api/game-move-history${game}`]: moves,
    [`/api/game-move-history${invented}`]: moves.replace(/"from"\s*:\s*"[A-Ha-h][1-8]"/, '"from":"A1"'),
  });
  await page.evaluate(async ([id, games]) => {
    await fetch('/api/player/history', { method: 'POST', body: `{"filters":{"PLAYER_ID":"${id}"}}` });
    for (const one of games) await fetch(`/api/game-move-history?gameId=${one}`);
  }, [player, [game, invented]]);
  const summary = await until('both are answered', async () => {
    const { counts, recent } = await browser.summary();
    return counts.posted === 1 && counts.rejected === 1 && { counts, recent };
  });
  assert.match(summary.recent.find(({ game_id }) => game_id === invented).reason, /not legal|cannot be normalised/);
  assert.match(daemon.command('show', game), /browser/, 'marked as from a browser');

  await daemon.stop();
  await daemon.start({ SEED_IDS: `${player}`, REQUEST_MIN_DELAY_MS: '0', REQUEST_JITTER_MS: '0', CRAWL_INTERVAL: '1s' });
  const names = await site.names();
  const truth = nativeDocument(entry, player, moves)
    .replace(`"external_id":"${player}","username":null`, `"external_id":"${player}","username":"${names[player]}"`);
  await until("the site's word stands", () => daemon.show(game) === truth);
  const { result } = JSON.parse(truth);
  await until('and analytics has it', async () => (await (await fetch(`${daemon.url}/api/games/${game}`)).json()).result === result);
});
