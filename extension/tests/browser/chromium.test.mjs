// The extension in Chromium, on the pages of the simulated site.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { launch } from './chromium.mjs';
import { SITE, folder, nativeDocument, startDaemon, startReceiver, startSite, until } from './stage.mjs';

const TOKEN = 'the-token-of-the-tests';

/** Connects an analytics service as a user does, through the options. */
async function useAnalytics(browser, url) {
  await browser.allow('http://127.0.0.1/*');
  const page = await browser.options();
  await page.getByRole('radio', { name: /Analytics service/ }).check();
  await page.getByLabel('Address of the service').fill(url);
  await page.getByRole('textbox', { name: 'Token' }).fill(TOKEN);
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByText('Connected. Games that wait are sent now.').waitFor();
  await page.close();
}

async function pair(browser, daemon) {
  await browser.allow('http://127.0.0.1/*');
  const page = await browser.options();
  await page.getByLabel('Address of dicechess-sync').fill(daemon.url);
  await page.getByLabel('Pairing code').fill(daemon.pairingCode().toLowerCase());
  await page.getByRole('button', { name: 'Pair' }).click();
  await page.getByText('Connected. Games that wait are sent now.').waitFor();
  await page.close();
}

/** Opens a page of the site and waits until it has loaded its data. */
async function open(page, path) {
  const answered = page.waitForResponse((response) => response.url().includes('/api/'));
  await page.goto(`${SITE}${path}`);
  await (await answered).finished();
}

/** What the native core makes of a game's raw answers, with the names that are known. */
async function expected(site, player, game, names = {}) {
  const entry = (await site.entries(player)).get(game);
  let text = nativeDocument(entry, player, await site.moves(game));
  for (const [id, name] of Object.entries(names)) {
    text = text.replace(`"external_id":"${id}","username":null`, `"external_id":"${id}","username":${JSON.stringify(name)}`);
  }
  return text;
}

const ids = (receiver) => receiver.got.map(({ body }) => JSON.parse(body).id);
const posted = (receiver, count) => until(`${count} games arrive`, () => receiver.got.length >= count);

/** Finished games of a player that have moves and are no more than `count`. */
async function gamesOf(site, player, count) {
  const list = (await site.history(player)).gameHistoryList.filter((entry) => !entry.isCancelled && entry.result !== null);
  const found = [];
  for (const entry of list) {
    const game = entry.gameId.toLowerCase();
    if (JSON.parse(await site.moves(game)).gameMoveHistoryStateMap) found.push(game);
    if (found.length === count) break;
  }
  return found;
}

test('a game opened from a profile, watched, played: each is posted once, as the native core makes it', async (t) => {
  const site = await startSite(t);
  const receiver = await startReceiver(t);
  const browser = await launch(t, site, folder(t, 'chromium'));
  await useAnalytics(browser, receiver.url);
  const [player] = site.seeds;
  const [opened] = await gamesOf(site, player, 1);

  const page = await browser.page();
  await open(page, `/profile/${player}`);
  await open(page, `/game/${opened}`);
  await posted(receiver, 1);
  const [first] = receiver.got;
  assert.equal(first.body, await expected(site, player, opened));
  assert.equal(first.headers.authorization, `Bearer ${TOKEN}`);
  assert.equal(first.path, '/api/games');

  const tabs = await Promise.all(Array.from({ length: 5 }, () => browser.page()));
  await Promise.all(tabs.map((tab) => open(tab, `/game/${opened}`)));
  const [other] = (await gamesOf(site, player, 2)).slice(1);
  await Promise.all(tabs.map((tab) => open(tab, `/game/${other}`)));
  await posted(receiver, 2);
  await page.waitForTimeout(1000);
  assert.deepEqual(ids(receiver), [opened, other], 'six tabs, one effect');
});

test('a paired daemon gets the raw answers, and the site is not asked again', async (t) => {
  const site = await startSite(t);
  const daemon = await startDaemon(t, site);
  const browser = await launch(t, site, folder(t, 'chromium'));
  await pair(browser, daemon);
  const [player] = site.seeds;
  const [game] = await gamesOf(site, player, 1);
  const page = await browser.page();
  await open(page, `/profile/${player}`);
  await open(page, `/game/${game}`);
  await until('it is posted', async () => (await browser.summary()).counts.posted === 1);
  const stored = await until('analytics has it', async () => {
    const answer = await fetch(`${daemon.url}/api/games/${game}`);
    return answer.ok && answer.json();
  });
  assert.ok(JSON.stringify(stored).includes(game));
  assert.equal(daemon.show(game), await expected(site, player, game, await site.names()));
  const crawled = (await site.log()).filter((entry) => entry.user_agent?.startsWith('dicechess-sync'));
  assert.deepEqual(crawled.filter((entry) => entry.endpoint === 'move_history'), []);
});

test('receiver down, worker killed, browser restarted: everything arrives, in order, once', async (t) => {
  const site = await startSite(t);
  const home = folder(t, 'chromium');
  let browser = await launch(t, site, home);
  const receiver = await startReceiver(t);
  await useAnalytics(browser, receiver.url);
  await receiver.stop();
  const [player] = site.seeds;
  const games = await gamesOf(site, player, 4);

  const page = await browser.page();
  await open(page, `/profile/${player}`);
  await open(page, `/game/${games[0]}`);
  await until('it waits', async () => (await browser.summary()).counts.waiting === 1);
  await browser.stopWorker();
  await open(page, `/game/${games[1]}`);
  await until('two wait', async () => (await browser.summary()).counts.waiting === 2);
  await browser.close();

  browser = await launch(t, site, home);
  const again = await browser.page();
  await open(again, `/game/${games[2]}`);
  await until('three wait', async () => (await browser.summary()).counts.waiting === 3);
  await browser.stopWorker();

  const back = await startReceiver(t, { port: receiver.port });
  await open(again, `/game/${games[3]}`);
  const popup = await browser.popup();
  await popup.getByRole('button', { name: 'Retry now' }).click();
  await posted(back, 4);
  await popup.getByText('Connected', { exact: true }).waitFor();
  assert.deepEqual(ids(back), games);
  for (const [n, game] of games.entries()) assert.equal(back.got[n].body, await expected(site, player, game));
});
