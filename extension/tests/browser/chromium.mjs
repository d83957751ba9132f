// Debian's Chromium with the packed extension in it.

import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';

import { chromium } from 'playwright-core';

import { atEnd, root, until } from './stage.mjs';

const executablePath = process.env.CHROMIUM
  ?? ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

/**
 * Starts Chromium with the extension, as `dist/chrome.zip` has it, and a profile that may be used
 * again.
 */
export async function launch(t, site, home, { language = 'en' } = {}) {
  if (!executablePath) throw new Error('no Chromium: `apt-get install chromium`, or set CHROMIUM');
  const extension = join(home, 'extension');
  if (!existsSync(extension)) unpack(join(root, 'dist/chrome.zip'), extension);
  // Debian's Chromium speaks English only unless its translations are installed, so the other
  // language takes English's place.
  const texts = (name) => join(extension, '_locales', name, 'messages.json');
  if (language !== 'en') copyFileSync(texts(language), texts('en'));
  const context = await chromium.launchPersistentContext(join(home, 'profile'), {
    headless: true,
    executablePath,
    ignoreHTTPSErrors: true,
    env: { ...process.env, HOME: home, TMPDIR: home },
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', `--proxy-server=http://${site.proxy}`,
      '--ignore-certificate-errors', `--disable-extensions-except=${extension}`, `--load-extension=${extension}`,
    ],
  });
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await context.close();
    isClosed = true;
  };
  atEnd(t, close);
  const worker = context.serviceWorkers()[0] ?? await context.waitForEvent('serviceworker', { timeout: 30_000 });
  const id = new URL(worker.url()).host;
  const pageOf = async (path) => {
    const page = await context.newPage();
    await page.goto(`chrome-extension://${id}/${path}`);
    return page;
  };
  return {
    context, id, close,
    page: () => context.newPage(),
    options: () => pageOf('options/options.html'),
    popup: () => pageOf('popup/popup.html'),
    /** What the extension says of itself, through its own page. */
    summary: async () => call(context, id, { action: 'summary' }),
    call: (message) => call(context, id, message),
    allow: (origin) => allow(context, id, origin),
    stopWorker: () => stopWorker(context, id),
  };
}

async function call(context, id, message) {
  const path = `chrome-extension://${id}/options/options.html`;
  const page = context.pages().find((open) => open.url() === path) ?? await context.newPage();
  if (page.url() !== path) await page.goto(path);
  const answer = await page.evaluate(
    (told) => chrome.runtime.sendMessage({ kind: 'page-call', ...told }), message,
  );
  if (!answer || answer.error) throw new Error(answer?.error ?? 'no answer');
  return answer.value;
}

/**
 * What a user answers to the browser's question about an origin: a headless browser shows none, so
 * the site is allowed on the browser's own page beforehand.
 */
async function allow(context, id, origin) {
  const page = await context.newPage();
  await page.goto('chrome://extensions');
  await page.evaluate(([extension, host]) => chrome.developerPrivate.addHostPermission(extension, host), [id, origin]);
  await page.close();
}

/** Stops the worker as the browser does with an idle one. */
async function stopWorker(context, id) {
  const page = await context.newPage();
  await page.goto(`chrome-extension://${id}/icons/icon.svg`);
  const session = await context.newCDPSession(page);
  const states = [];
  session.on('ServiceWorker.workerVersionUpdated', ({ versions }) => {
    for (const version of versions) states.push(version.runningStatus);
  });
  await session.send('ServiceWorker.enable');
  await session.send('ServiceWorker.stopAllWorkers');
  await until('the worker stops', () => states.at(-1) === 'stopped');
  await session.detach();
  await page.close();
}

/** Unpacks a zip archive: entries stored or deflated, no encryption, no zip64. */
export function unpack(archive, folder) {
  const bytes = readFileSync(archive);
  const end = bytes.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  let at = bytes.readUInt32LE(end + 16);
  for (let entry = bytes.readUInt16LE(end + 10); entry > 0; entry -= 1) {
    const [method, size, nameLength] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20), bytes.readUInt16LE(at + 28)];
    const [extra, comment, local] = [bytes.readUInt16LE(at + 30), bytes.readUInt16LE(at + 32), bytes.readUInt32LE(at + 42)];
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength);
    at += 46 + nameLength + extra + comment;
    if (name.endsWith('/')) continue;
    const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const data = bytes.subarray(start, start + size);
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, method === 8 ? inflateRawSync(data) : data);
  }
}
