// The same package in Firefox.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { launch } from './firefox.mjs';
import { SITE, folder, nativeDocument, startDaemon, startReceiver, startSite, until } from './stage.mjs';

/** Types and presses in the options what a user does. */
async function connect(options, kind, fields) {
  await options.click(`[name=kind][value=${kind}]`);
  await options.evaluate(`Object.entries(${JSON.stringify(fields)}).map(([id, value]) => { document.getElementById(id).value = value; })`);
  await options.click(`#${kind}-form button`);
  const said = () => options.evaluate("document.querySelector('#receiver-said:is(.good, .bad)')?.textContent");
  assert.equal(await until('the options say what came of it', said), 'Connected. Games that wait are sent now.');
}

test('it installs, pairs and posts', async (t) => {
  const site = await startSite(t);
  const daemon = await startDaemon(t, site);
  const browser = await launch(t, site, folder(t, 'firefox'));
  const options = await browser.page(`${browser.base}/options/options.html`);
  await connect(options, 'daemon', { 'daemon-url': daemon.url, code: daemon.pairingCode() });

  const [player] = site.seeds;
  const entries = await site.entries(player);
  const [game] = [...entries].find(([, entry]) => JSON.parse(entry).result !== null && !JSON.parse(entry).isCancelled);
  const page = await browser.page(`${SITE}/profile/${player}`);
  const summary = () => options.evaluate("browser.runtime.sendMessage({ kind: 'page-call', action: 'summary' })");
  await until('the history is seen', async () => (await summary()).value.counts.seen > 0);
  await page.goto(`${SITE}/game/${game}`);
  await until('it is posted', async () => (await summary()).value.counts.posted === 1);
  const document = nativeDocument(entries.get(game), player, await site.moves(game));
  const names = await site.names();
  const named = document.replace(`"external_id":"${player}","username":null`, `"external_id":"${player}","username":"${names[player]}"`);
  assert.equal(daemon.show(game), named);
});

test('it posts to an analytics service what the native core makes', async (t) => {
  const site = await startSite(t);
  const receiver = await startReceiver(t);
  const browser = await launch(t, site, folder(t, 'firefox'));
  const options = await browser.page(`${browser.base}/options/options.html`);
  await connect(options, 'analytics', { 'analytics-url': receiver.url, token: 'the-token' });
  const [player] = site.seeds;
  const entries = await site.entries(player);
  const [game] = [...entries].find(([, entry]) => JSON.parse(entry).result !== null && !JSON.parse(entry).isCancelled);
  const page = await browser.page(`${SITE}/profile/${player}`);
  const summary = () => options.evaluate("browser.runtime.sendMessage({ kind: 'page-call', action: 'summary' })");
  await until('the history is seen', async () => (await summary()).value.counts.seen > 0);
  await page.goto(`${SITE}/game/${game}`);
  await until('it arrives', () => receiver.got.length > 0);
  assert.equal(receiver.got[0].body, nativeDocument(entries.get(game), player, await site.moves(game)));
  assert.equal(receiver.got[0].headers.authorization, 'Bearer the-token');
});

test('however a page loads its data, it is seen, and what it does not load is asked for once', async (t) => {
  const site = await startSite(t);
  const browser = await launch(t, site, folder(t, 'firefox'));
  const options = await browser.page(`${browser.base}/options/options.html`);
  const call = async (message) => {
    const answer = await options.evaluate(`browser.runtime.sendMessage(${JSON.stringify({ kind: 'page-call', ...message })})`);
    if (answer.error) throw new Error(answer.error);
    return answer.value;
  };
  const waiting = async () => (await call({ action: 'summary' })).counts.waiting;
  const [me] = site.seeds;
  const finished = [...(await site.entries(me))].filter(([, entry]) => JSON.parse(entry).result !== null && !JSON.parse(entry).isCancelled);
  const page = await browser.page(`${SITE}/profile/${me}`);
  await until('the history is seen', async () => (await call({ action: 'summary' })).counts.seen > 0);
  for (const [n, way] of ['fetch', 'request', 'xhr', 'buffer', 'json', 'replaced', 'frame'].entries()) {
    await page.goto(`${SITE}/game/${finished[n][0]}?load=${way}`);
    await until(`${way} is seen`, async () => (await waiting()) === n + 1, 10);
  }

  await call({ action: 'asking', ask: true, own_user_id: me });
  const wanted = { count: 1, players: [me], running: true, started_at_ms: Date.now() - 60_000 };
  const { added: [game] } = await site.addGames(wanted);
  const before = (await site.log()).length;
  await page.goto(`${SITE}/game/${game}?load=none`);
  await site.finish();
  await page.goto(`${SITE}/`);
  await until('the game is whole', async () => (await waiting()) === 8, 60);
  const asked = (await site.log()).slice(before).filter(({ endpoint, from_page }) => from_page && endpoint !== 'leaderboard');
  assert.deepEqual(asked.map(({ endpoint }) => endpoint), ['history', 'move_history']);
  assert.ok((await call({ action: 'summary' })).recent.some(({ game_id }) => game_id === game));
});
