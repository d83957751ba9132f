// The extension's own pages: what they show, in both languages, by keyboard, and the export.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { launch } from './chromium.mjs';
import { useAnalytics } from './people.mjs';
import { SITE, folder, startReceiver, startSite, until } from './stage.mjs';

/** A browser that has seen a history and one whole game. */
async function used(t, language) {
  const site = await startSite(t);
  const browser = await launch(t, site, folder(t, 'chromium'), { language });
  const [player] = site.seeds;
  const [game, entry] = [...(await site.entries(player))].find(([, text]) => JSON.parse(text).result !== null && !JSON.parse(text).isCancelled);
  const page = await browser.page();
  await page.goto(`${SITE}/profile/${player}`);
  await until('the history is seen', async () => (await browser.summary()).counts.seen > 0);
  await page.goto(`${SITE}/game/${game}`);
  await until('a game waits', async () => (await browser.summary()).counts.waiting === 1);
  return { site, browser, game, entry, page };
}

function watch(page) {
  const problems = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) problems.push(message.text()); });
  page.on('pageerror', (error) => problems.push(`${error}`));
  return problems;
}

for (const [language, words] of Object.entries({
  en: { waiting: 'Waiting', options: 'Options', pair: 'Pair', ask: 'Asking the site' },
  ru: { waiting: 'Ожидают', options: 'Настройки', pair: 'Сопрячь', ask: 'Запросы к сайту' },
})) {
  test(`popup and options in ${language}`, async (t) => {
    const { browser } = await used(t, language);
    const popup = await browser.page();
    const problems = watch(popup);
    await popup.setViewportSize({ width: 380, height: 600 });
    await popup.goto(`chrome-extension://${browser.id}/popup/popup.html`);
    await popup.locator('#recent li').first().waitFor();
    assert.equal(await popup.getAttribute('html', 'lang'), language);
    assert.equal(await popup.locator('dt', { hasText: words.waiting }).locator('xpath=../dd').textContent(), '1');
    await popup.getByRole('button', { name: words.options }).waitFor();
    assert.ok(await fits(popup));

    const options = await browser.page();
    problems.push(...watch(options));
    for (const width of [360, 1200]) {
      await options.setViewportSize({ width, height: 800 });
      await options.goto(`chrome-extension://${browser.id}/options/options.html`);
      await options.getByRole('heading', { name: words.ask }).waitFor();
      assert.ok(await fits(options), `${width} pixels`);
    }
    await options.getByRole('button', { name: words.pair, exact: true }).waitFor();
    const nameless = await options.evaluate(() => [...document.querySelectorAll('button, input, select, summary, meter')]
      .filter((element) => element.checkVisibility() && !(element.textContent?.trim() || element.labels?.length || element.getAttribute('aria-label')))
      .map((element) => element.outerHTML));
    assert.deepEqual(nameless, [], 'every control has a name');
    assert.deepEqual(problems, []);
  });
}

/** Nothing is wider than the window. */
const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

test('the options by keyboard: a sample, a refusal in words, disconnecting', async (t) => {
  const { site, browser, game } = await used(t, 'en');
  const receiver = await startReceiver(t);
  const page = await browser.options();
  await page.locator('#daemon-url').focus();
  await page.keyboard.press('Control+A');
  await page.keyboard.type('http://games.example.org');
  await page.keyboard.press('Tab');
  await page.keyboard.type('D5K7H-JDQ7F');
  await page.keyboard.press('Enter');
  assert.match(await page.locator('#daemon-url').evaluate((field) => field.validationMessage), /https/);

  await browser.allow('http://127.0.0.1/*');
  await page.locator('#daemon-url').fill(receiver.url);
  receiver.answer(() => ({ status: 401, text: '{"detail":"no"}' }));
  await page.locator('#code').press('Enter');
  await page.getByText('The code is wrong, used or too old.').waitFor();
  assert.deepEqual(JSON.parse(receiver.got[0].body), { code: 'D5K7H-JDQ7F', label: 'dicechess-sync (Chromium)' });
  assert.match(receiver.got[0].headers.origin, /^chrome-extension:\/\//);
  await receiver.stop();
  await page.locator('#code').press('Enter');
  await page.getByText(/does not answer/).waitFor();

  await page.locator('#sample summary').press('Enter');
  await page.getByText(/Your latest game, as it is posted/).waitFor();
  assert.equal(JSON.parse(await page.locator('#sample-body').textContent()).externalId, game);
  await page.getByRole('radio', { name: /Analytics service/ }).press('Space');
  await until('the other sample', async () => JSON.parse(await page.locator('#sample-body').textContent()).id === game);

  const back = await startReceiver(t, { port: receiver.port });
  await useAnalytics(browser, back.url, 'the-token');
  await until('it is sent', () => back.got.length === 1);
  await page.reload();
  await page.getByText(`Sending to ${back.url}`).waitFor();
  assert.ok(!(await page.content()).includes('the-token'), 'the secret is not shown again');
  await page.getByRole('button', { name: 'Disconnect' }).press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Disconnect' }).press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).press('Enter');
  await page.getByText('Disconnected. Games are kept here.').waitFor();
  assert.equal((await browser.summary()).target, null);
  assert.ok(site.seeds.length > 0);
});

test('everything kept is exported as bundles, byte for byte', async (t) => {
  const { site, browser, game, entry } = await used(t, 'en');
  const page = await browser.options();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export everything' }).click();
  const lines = readFileSync(await (await download).path(), 'utf8').trim().split('\n');
  const bundles = new Map(lines.map((line) => [JSON.parse(line).externalId, line]));
  assert.equal(bundles.size, (await browser.summary()).kept.games);
  const line = bundles.get(game);
  assert.ok(line.includes(`"history_meta":${entry}`));
  assert.ok(line.includes(`"move_history":${await site.moves(game)}`));
  const others = [...bundles].filter(([id]) => id !== game).map(([, text]) => JSON.parse(text).artifacts.move_history);
  assert.ok(others.every((moves) => moves === null));
});
