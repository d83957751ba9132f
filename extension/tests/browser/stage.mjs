// What the extension is tried on: the simulated site under the name of the real one (TLS on
// loopback, behind a proxy that knows no other host), a daemon, or a small receiver that can be
// told how to answer. All are real processes or sockets on loopback.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttp, request as httpRequest } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../..', import.meta.url));
const binary = process.env.DICECHESS_SYNC ?? join(root, 'target/debug/dicechess-sync');

/** The origin under which the extension knows the site. */
export const SITE = 'https://dicechess.com';

/** @type {WeakMap<object, (() => unknown)[]>} */
const endings = new WeakMap();

/** Has something done when a test ends: what began last ends first. */
export function atEnd(t, work) {
  const known = endings.get(t);
  if (known) return void known.push(work);
  const list = [work];
  endings.set(t, list);
  t.after(async () => {
    const problems = [];
    // One that fails leaves no browser or server running behind it.
    for (const ending of list.reverse()) {
      try {
        await ending();
      } catch (error) {
        problems.push(error);
      }
    }
    if (problems.length > 0) throw problems[0];
  });
}

/** A folder that is removed at the end. */
export function folder(t, name) {
  const path = mkdtempSync(join(tmpdir(), `dicechess-${name}-`));
  atEnd(t, () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

/** Runs the binary. */
function run(args, options) {
  const child = spawn(binary, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part) => { text += part; });
  }
  child.on('error', (error) => { text += error; });
  return Object.assign(child, { output: () => text });
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => { child.once('exit', resolve); });
  child.kill('SIGTERM');
  const tooLate = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await ended;
  clearTimeout(tooLate);
}

/** Starts the simulated site and its stand-in for the real name. */
export async function startSite(t, { games = 40, players = 8, seed = 1 } = {}) {
  const home = folder(t, 'site');
  const args = ['sim', '--listen', '127.0.0.1:0', '--games', `${games}`, '--players', `${players}`, '--seed', `${seed}`];
  const child = run(args, { cwd: home, env: { PATH: process.env.PATH } });
  atEnd(t, () => end(child));
  const settings = await until('the simulated site starts', () => {
    const lines = [...child.output().matchAll(/^export (\w+)=(.*)$/gm)];
    return lines.length >= 6 && Object.fromEntries(lines.map(([, name, value]) => [name, value]));
  });
  const base = settings.SITE_BASE_URL;
  const extra = new Map();
  const { proxy, requests } = await startProxy(t, home, base, extra);
  const control = async (method, path, body) => {
    const answer = await fetch(`${base}${path}`, {
      method, headers: { 'content-type': 'application/json' }, body: body && JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    const text = await answer.text();
    return text ? JSON.parse(text) : null;
  };
  const jwt = settings.DICECHESS_JWT;
  const api = (path, init = {}) => fetch(`${base}${path}`, {
    ...init, headers: { authorization: `Bearer ${jwt}`, 'content-type': 'application/json' },
  });
  return {
    base, settings, jwt, proxy,
    seeds: settings.SEED_IDS.split(',').map(Number),
    /** What pages asked, in order: `{method, path, headers}`. */
    requests,
    /** Serves a page of the test's own at a path of the site. */
    serve: (path, answer) => extra.set(path, answer),
    log: () => control('GET', '/sim/log'),
    addGames: (wanted) => control('POST', '/sim/games', wanted),
    finish: () => control('POST', '/sim/finish'),
    /** The site's own bytes, fetched outside the browser. */
    async history(player, pageSize = 500) {
      return (await api('/api/player/history', { method: 'POST', body: historyBody(player, pageSize) })).json();
    },
    /** The same as text, and each entry in it as it is written. */
    async entries(player, pageSize = 500) {
      const body = historyBody(player, pageSize);
      const text = await (await api('/api/player/history', { method: 'POST', body })).text();
      return new Map(objectsIn(text).map((entry) => [JSON.parse(entry).gameId.toLowerCase(), entry]));
    },
    /** The names that the daemon learns from the site by itself. */
    async names() {
      const rows = Object.values(await (await api('/api/leaderboard')).json()).flat();
      return Object.fromEntries(rows.map((row) => [row.userId ?? row.id ?? row.playerId, row.userName ?? row.username ?? row.name]));
    },
    moves: async (game) => (await api(`/api/game-move-history?gameId=${game}`)).text(),
  };
}

function historyBody(player, pageSize) {
  return JSON.stringify({
    filters: { PLAYER_ID: `${player}` }, startBets: [], allowedTimes: [], pageSize, first: 0, sortColumn: 'DATE', isAsc: false,
  });
}

/** The objects of the list in a history page, each as it is written. */
function objectsIn(text) {
  const found = [];
  let [depth, start, isString] = [0, 0, false];
  for (let at = text.indexOf('[') + 1; at < text.length; at += 1) {
    const c = text[at];
    if (isString) {
      if (c === '\\') at += 1;
      else if (c === '"') isString = false;
    } else if (c === '"') isString = true;
    else if (c === '{') {
      if (depth === 0) start = at;
      depth += 1;
    } else if (c === '}') {
      depth -= 1;
      if (depth === 0) found.push(text.slice(start, at + 1));
    } else if (c === ']' && depth === 0) break;
  }
  return found;
}

/** A proxy that leads the site's name to `base` and refuses every other host. */
async function startProxy(t, home, base, extra) {
  const [key, cert] = [join(home, 'key.pem'), join(home, 'cert.pem')];
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2',
    '-subj', '/CN=dicechess.com', '-addext', 'subjectAltName=DNS:dicechess.com', '-keyout', key, '-out', cert,
  ], { stdio: 'ignore' });
  const requests = [];
  const site = createHttps({ key: readFileSync(key), cert: readFileSync(cert) }, (asked, answer) => {
    const path = asked.url ?? '/';
    requests.push({ method: asked.method, path, headers: asked.headers });
    const own = extra.get(path.split('?')[0]);
    if (own) return void own(asked, answer);
    const target = new URL(path, base);
    const forwarded = httpRequest(target, { method: asked.method, headers: { ...asked.headers, host: target.host } }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    });
    forwarded.on('error', () => answer.writeHead(502).end());
    asked.pipe(forwarded);
  });
  const sitePort = await listening(t, site);
  const proxy = createHttp((_, answer) => answer.writeHead(403).end());
  proxy.on('connect', (asked, socket) => {
    socket.on('error', () => {});
    if (!['dicechess.com:443', 'www.dicechess.com:443'].includes(asked.url)) {
      return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    }
    const through = connect(sitePort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      through.pipe(socket).pipe(through);
    });
    through.on('error', () => socket.destroy());
  });
  return { proxy: `127.0.0.1:${await listening(t, proxy)}`, requests };
}

/** Listens on a free port until the test ends. */
async function listening(t, server, port = 0) {
  const sockets = new Set();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(undefined));
  });
  const stop = async () => {
    for (const socket of sockets) socket.destroy();
    if (server.listening) await new Promise((resolve) => { server.close(resolve); });
  };
  server.stop = stop;
  atEnd(t, stop);
  return server.address().port;
}

/** Starts a daemon with an embedded analytics that asks the site as good as nothing by itself. */
export async function startDaemon(t, site, settings = {}) {
  const home = folder(t, 'daemon');
  const port = await freePort();
  const env = {
    PATH: process.env.PATH, ...site.settings, DB_PATH: join(home, 'sync.db'), ARCHIVE_URL: join(home, 'archive'),
    LISTEN: `127.0.0.1:${port}`, TRANSPORT: 'reqwest', SEED_IDS: '', REQUEST_MIN_DELAY_MS: '3600000', ...settings,
  };
  const url = `http://127.0.0.1:${port}`;
  let child;
  const start = async (more = {}) => {
    Object.assign(env, more);
    child = run(['serve'], { cwd: home, env });
    await until('the daemon answers', async () => {
      if (child.exitCode !== null) throw new Fatal(`serve ended:\n${child.output()}`);
      return (await fetch(`${url}/healthz`)).ok;
    });
  };
  await start();
  atEnd(t, () => end(child));
  const command = (...args) => execFileSync(binary, args, { cwd: home, env, encoding: 'utf8' });
  return {
    url,
    start,
    stop: () => end(child),
    output: () => child.output(),
    pairingCode: () => JSON.parse(command('pair', '--json')).code,
    /** The ingest document as the daemon makes it. */
    show: (game) => command('show', game, '--json').trim(),
    command,
  };
}

/** The document that the native core makes of raw answers. */
export function nativeDocument(entry, queried, moves) {
  const line = `{"history_meta":${entry},"queried_user_id":${queried},"move_history":${moves}}`;
  return execFileSync(binary, ['normalize', '-'], { input: line, encoding: 'utf8' }).trim();
}

/** A receiver that answers as it is told and remembers what it got. */
export async function startReceiver(t, { port = 0 } = {}) {
  const got = [];
  let reply = () => ({ status: 201 });
  const server = createHttp(async (asked, answer) => {
    const parts = [];
    for await (const part of asked) parts.push(part);
    const body = Buffer.concat(parts).toString();
    const entry = { path: asked.url, method: asked.method, headers: asked.headers, body };
    got.push(entry);
    const { status, text } = await reply(entry);
    answer.writeHead(status, { 'content-type': 'application/json' }).end(text ?? '{}');
  });
  const taken = await listening(t, server, port);
  return {
    url: `http://127.0.0.1:${taken}`, port: taken, got,
    answer: (next) => { reply = next; },
    stop: () => server.stop(),
  };
}

export async function freePort() {
  const server = createHttp();
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', () => resolve(undefined)); });
  const { port } = server.address();
  await new Promise((resolve) => { server.close(resolve); });
  return port;
}

class Fatal extends Error {}

/** Asks until the answer is true, at most half a minute. */
export async function until(what, question, seconds = 30) {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    let problem = '';
    try {
      const answer = await question();
      if (answer) return answer;
    } catch (error) {
      if (error instanceof Fatal) throw error;
      problem = `: ${error.message}`;
    }
    if (Date.now() > deadline) throw new Error(`in vain: ${what}${problem}`);
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
}
