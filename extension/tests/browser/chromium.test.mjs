// The extension in Chromium, on the pages of the simulated site.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { launch } from './chromium.mjs';
import { pair, useAnalytics } from './people.mjs';
import { SITE, folder, nativeDocument, startDaemon, startReceiver, startSite, until } from './stage.mjs';

const TOKEN = 'the-token-of-the-tests';

/** Opens a page of the site, waits until it has loaded its data, and stays a moment, as people do. */
async function open(page, path) {
  await page.goto(`${SITE}${path}`);
  await page.locator(`main[data-shown="${path.split('?')[0]}"]`).waitFor();
  await page.waitForTimeout(300);
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

/** The names that the extension has learned. */
async function namesOf(browser) {
  const page = await browser.options();
  const players = await page.evaluate(async () => {
    const { transact } = await import('../shared/database.js');
    return transact(['players'], 'readonly', (tx) => tx.all('players'));
  });
  await page.close();
  return Object.fromEntries(players.filter(({ username }) => username).map((player) => [player.user_id, player.username]));
}

const ids = (receiver) => receiver.got.map(({ body }) => JSON.parse(body).id);
const posted = (receiver, count) => until(`${count} games arrive`, () => receiver.got.length >= count);

/** A game of a player that has just begun. */
async function startGame(site, player) {
  const wanted = { count: 1, players: [player], running: true, started_at_ms: Date.now() - 60_000 };
  return (await site.addGames(wanted)).added[0];
}

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

test('a game opened from a profile, watched and played: each is posted once, as the native core makes it', async (t) => {
  const site = await startSite(t);
  const receiver = await startReceiver(t);
  const browser = await launch(t, site, folder(t, 'chromium'));
  await useAnalytics(browser, receiver.url, TOKEN);
  const [me, somebody] = site.seeds;
  const page = await browser.page();

  const [opened, other] = await gamesOf(site, me, 2);
  await open(page, `/profile/${me}`);
  await page.locator(`a[href="/game/${opened}"]`).click();
  await posted(receiver, 1);
  assert.equal(receiver.got[0].body, await expected(site, me, opened));
  assert.equal(receiver.got[0].headers.authorization, `Bearer ${TOKEN}`);
  assert.equal(receiver.got[0].path, '/api/games');

  const tabs = await Promise.all(Array.from({ length: 5 }, () => browser.page()));
  await Promise.all(tabs.map((tab) => open(tab, `/game/${opened}`)));
  await Promise.all(tabs.map((tab) => open(tab, `/game/${other}`)));
  await posted(receiver, 2);
  for (const tab of tabs) await tab.close();

  const games = [];
  for (const player of [somebody, me]) {
    const game = await startGame(site, player);
    await open(page, `/game/${game}?player=${player}`);
    await site.finish();
    await page.getByRole('button', { name: 'The game is over' }).click();
    games.push(game);
    await posted(receiver, 2 + games.length);
    assert.equal(receiver.got.at(-1).body, await expected(site, player, game, await namesOf(browser)));
  }
  await page.waitForTimeout(500);
  assert.deepEqual(ids(receiver), [opened, other, ...games], 'six tabs, one effect');
  const crawled = (await site.log()).filter((entry) => entry.from_page && entry.endpoint === 'move_history');
  assert.equal(crawled.length, 1 + 10 + 4, 'the pages asked, and nobody else');
});

test('a game of the user that the page did not load is asked for once', async (t) => {
  const site = await startSite(t);
  const receiver = await startReceiver(t);
  const browser = await launch(t, site, folder(t, 'chromium'));
  await useAnalytics(browser, receiver.url, TOKEN);
  const [me] = site.seeds;
  await browser.call({ action: 'asking', ask: true, own_user_id: me });
  const game = await startGame(site, me);
  const page = await browser.page();
  await open(page, `/game/${game}`);
  await site.finish();
  const before = (await site.log()).length;
  const asked = async (since) => (await site.log()).slice(since)
    .filter(({ endpoint, from_page }) => from_page && endpoint !== 'leaderboard');
  await page.locator('header a').click();
  await posted(receiver, 1);
  assert.equal(receiver.got[0].body, await expected(site, me, game));
  await page.waitForTimeout(4000);
  const [first, second, ...more] = await asked(before);
  assert.deepEqual([first.endpoint, second.endpoint, more], ['history', 'move_history', []]);
  assert.ok(second.at_ms - first.at_ms >= 3000);
  assert.equal(first.params.filters.PLAYER_ID, `${me}`);

  await browser.call({ action: 'asking', ask: false, own_user_id: me });
  const other = await startGame(site, me);
  await open(page, `/game/${other}`);
  await site.finish();
  const then = (await site.log()).length;
  await page.locator('header a').click();
  await page.waitForTimeout(14_000);
  assert.deepEqual(await asked(then), []);
});

test('however a page loads its data, it is seen', async (t) => {
  const site = await startSite(t);
  const browser = await launch(t, site, folder(t, 'chromium'));
  const [me] = site.seeds;
  const ways = ['fetch', 'request', 'xhr', 'buffer', 'replaced', 'frame', 'json'];
  const games = await gamesOf(site, me, ways.length);
  const page = await browser.page();
  const problems = [];
  page.on('pageerror', (error) => problems.push(`${error}`));
  page.on('console', (message) => { if (message.type() === 'error') problems.push(message.text()); });
  for (const [n, way] of ways.entries()) {
    await open(page, `/profile/${me}?load=${way}`);
    await open(page, `/game/${games[n]}?load=${way}`);
    await until(`${way} is seen`, async () => (await browser.summary()).counts.waiting === n + 1, 10);
  }
  assert.deepEqual(problems, [], 'the pages notice nothing');

  const token = `x.${Buffer.from(`{"userId":"${me}"}`).toString('base64url')}.secret`;
  const answered = await page.evaluate(async ([session, own]) => {
    const ask = (headers) => fetch('/api/leaderboard', { headers }).then(({ status }) => status);
    return [
      await ask(new Map([['authorization', `Bearer ${own}`]]).entries()),
      await ask([['authorization', `Bearer ${own}`]]),
      await ask({ authorization: `Bearer ${session}` }),
    ];
  }, [token, site.jwt]);
  assert.deepEqual(answered, [200, 200, 401], 'headers arrive in whatever form they are given');
  await until("the session's user is known", async () => (await browser.summary()).seen_user_id === me);
  const options = await browser.options();
  const stored = await options.evaluate(async () => JSON.stringify(await chrome.storage.local.get()));
  assert.ok(stored.includes(`${me}`) && !stored.includes('.secret') && !stored.includes(site.jwt), 'the token stays in the page');
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

  daemon.command('pair', 'revoke', '1');
  const [, next] = await gamesOf(site, player, 2);
  await open(page, `/game/${next}`);
  await until('the user is asked', async () => (await browser.summary()).refused);
  assert.equal((await browser.summary()).counts.waiting, 1);
  await pair(browser, daemon);
  await until('it is posted', async () => (await browser.summary()).counts.posted === 2);
});

test('receiver down, worker killed, browser restarted: everything arrives, in order, once', async (t) => {
  const site = await startSite(t);
  const home = folder(t, 'chromium');
  let browser = await launch(t, site, home);
  const receiver = await startReceiver(t);
  await useAnalytics(browser, receiver.url, TOKEN);
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

test('the alarm sends what waits, and a worker that is killed while it sends does so again', async (t) => {
  const site = await startSite(t);
  const browser = await launch(t, site, folder(t, 'chromium'));
  const receiver = await startReceiver(t);
  await useAnalytics(browser, receiver.url, TOKEN);
  receiver.answer(() => ({ status: 503 }));
  const [player] = site.seeds;
  const [game] = await gamesOf(site, player, 1);
  const page = await browser.page();
  await open(page, `/profile/${player}`);
  await open(page, `/game/${game}`);
  await until('the receiver is left alone', async () => (await browser.summary()).next_try_at_ms);
  const options = await browser.options();
  const due = await options.evaluate(async () => (await chrome.alarms.get('outbox'))?.scheduledTime);
  assert.equal(due, (await browser.summary()).next_try_at_ms, "the alarm is set to the core's timer");

  // Five minutes pass.
  await options.evaluate(async (id) => {
    const { transact } = await import('../shared/database.js');
    await transact(['games', 'facts'], 'readwrite', async (tx) => {
      const record = await tx.get('games', id);
      record.state.next_retry_at_ms -= 300_000;
      await tx.put('games', record);
      const receiving = await tx.get('facts', 'receiver');
      receiving.value.paused_until_ms -= 300_000;
      await tx.put('facts', receiving);
    });
  }, game);
  const wake = () => options.evaluate(() => chrome.alarms.create('outbox', { when: Date.now() + 1500 }));
  let answer = () => {};
  receiver.answer(() => new Promise((resolve) => { answer = () => resolve({ status: 201 }); }));
  await browser.stopWorker();
  await wake();
  await until('it is being sent', () => receiver.got.length === 2);
  await browser.stopWorker();
  answer();
  assert.equal((await browser.summary()).counts.posted, 0, 'nobody heard the answer');
  receiver.answer(() => ({ status: 200 }));
  await wake();
  await until('it is posted', async () => (await browser.summary()).counts.posted === 1);
  const bodies = new Set(receiver.got.map(({ body }) => body));
  assert.deepEqual([...bodies], [await expected(site, player, game)], 'the same body each time');
});
