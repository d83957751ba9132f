// Debian's Firefox without a window, driven through WebDriver BiDi, with the packed extension in it.

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import WebSocket from 'ws';

import { atEnd, root, until } from './stage.mjs';

const executable = process.env.FIREFOX ?? ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync);

/** The extension's own address inside, the same in every run. */
const UUID = '3d1f6b0a-58a5-4d0e-9d55-6f2f0c3a7e11';

/** Starts Firefox and installs `dist/firefox.zip`. */
export async function launch(t, site, home) {
  if (!executable) throw new Error('no Firefox: `apt-get install firefox-esr`, or set FIREFOX');
  const profile = join(home, 'profile');
  mkdirSync(profile, { recursive: true });
  const id = JSON.parse(readFileSync(join(root, 'extension/manifest.json'), 'utf8')).browser_specific_settings.gecko.id;
  const [host, port] = site.proxy.split(':');
  writePreferences(profile, {
    'network.proxy.type': 1,
    'network.proxy.ssl': host,
    'network.proxy.ssl_port': Number(port),
    'network.proxy.http': host,
    'network.proxy.http_port': Number(port),
    // What a user answers to the question about a host.
    'extensions.webextOptionalPermissionPrompts': false,
    'extensions.webextensions.uuids': JSON.stringify({ [id]: UUID }),
    'datareporting.policy.dataSubmissionEnabled': false,
    'app.update.auto': false,
    'browser.shell.checkDefaultBrowser': false,
    'network.captive-portal-service.enabled': false,
    'network.connectivity-service.enabled': false,
  });
  const child = spawn(executable, ['--headless', '--no-remote', '--remote-allow-system-access', '--remote-debugging-port', '0', '--profile', profile], {
    env: { ...process.env, HOME: home, TMPDIR: home, MOZ_HEADLESS: '1' }, stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => { printed += part; });
  atEnd(t, () => new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve(undefined);
    child.once('exit', resolve);
    child.kill('SIGKILL');
  }));
  const address = await until('Firefox listens', () => {
    if (child.exitCode !== null) throw new Error(`Firefox ended: ${printed}`);
    return /WebDriver BiDi listening on (ws:\S+)/.exec(printed)?.[1];
  }, 60);
  const bidi = await Bidi.connect(`${address}/session`);
  atEnd(t, () => bidi.close());
  await bidi.send('session.new', { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } });
  const archive = join(root, 'dist/firefox.zip');
  const { extension } = await bidi.send('webExtension.install', { extensionData: { type: 'archivePath', path: archive } });
  return {
    bidi, extension,
    base: `moz-extension://${UUID}`,
    page: async (url) => {
      const { context } = await bidi.send('browsingContext.create', { type: 'tab' });
      await bidi.send('browsingContext.navigate', { context, url, wait: 'complete' });
      return new Tab(bidi, context);
    },
    printed: () => printed,
  };
}

function writePreferences(profile, preferences) {
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`);
  writeFileSync(join(profile, 'user.js'), `${lines.join('\n')}\n`);
}

/** A tab. */
class Tab {
  constructor(bidi, context) {
    Object.assign(this, { bidi, context });
  }

  goto(url) {
    return this.bidi.send('browsingContext.navigate', { context: this.context, url, wait: 'complete' });
  }

  /** Clicks in the middle of an element, as a user does. */
  async click(selector) {
    const [x, y] = await this.evaluate(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      element.scrollIntoView({ block: 'center' });
      const box = element.getBoundingClientRect();
      return [Math.round(box.x + box.width / 2), Math.round(box.y + box.height / 2)];
    })()`);
    await this.bidi.send('input.performActions', {
      context: this.context,
      actions: [{
        type: 'pointer', id: 'mouse',
        actions: [{ type: 'pointerMove', x, y }, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }],
      }],
    });
  }

  /** Runs an expression in the page and gives its value, which passes as JSON. */
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.bidi.send('script.evaluate', {
      expression: `Promise.resolve(${expression}).then((value) => JSON.stringify(value ?? null))`,
      target: { context: this.context }, awaitPromise: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return JSON.parse(result.value);
  }
}

/** A WebDriver BiDi connection. */
class Bidi {
  static async connect(url) {
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    return new Bidi(socket);
  }

  constructor(socket) {
    this.socket = socket;
    this.last = 0;
    this.waiting = new Map();
    socket.on('message', (data) => {
      const message = JSON.parse(data.toString());
      const asked = this.waiting.get(message.id);
      if (!asked) return;
      this.waiting.delete(message.id);
      if (message.type === 'error') asked.reject(new Error(`${asked.method}: ${message.error}: ${message.message}`));
      else asked.resolve(message.result);
    });
  }

  send(method, params) {
    this.last += 1;
    const id = this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { method, resolve, reject });
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }

  close() {
    this.socket.close();
  }
}
