// What pages bring, and what becomes of it in the store.

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { ORIGIN, browser, entry, fresh, history, moves, record } from './stand-in.mjs';

const { take, readAgain } = await import('../worker/intake.js');
const { transact } = await import('../shared/database.js');
const { totals } = await import('../worker/records.js');

const NOW = Date.UTC(2026, 3, 2);
const all = (store) => transact([store], 'readonly', (tx) => tx.all(store));
const sums = () => transact(['facts'], 'readonly', totals);

beforeEach(fresh);

test('an entry and its moves make a game that waits, whichever came first', async () => {
  assert.equal(await take(history([entry(1)]), NOW), true);
  assert.equal((await record(1)).state.status, 'discovered');
  assert.equal(await take(moves(1), NOW + 1), true);
  assert.equal((await record(1)).state.status, 'fetched');

  assert.equal(await take(moves(2), NOW + 2), true);
  assert.equal((await record(2)).state, null);
  await take(history([entry(2)]), NOW + 3);
  const second = await record(2);
  assert.equal(second.state.status, 'fetched', 'the moves end with a king taken');
  assert.ok(second.queue_at > (await record(1)).queue_at, 'in the order in which they were whole');
  assert.deepEqual((await sums()).by, { seen: 0, waiting: 2, posted: 0, rejected: 0, unreadable: 0, error: 0, skipped: 0 });
});

test('raw answers are kept byte for byte', async () => {
  const odd = ` {"gameHistoryList":[ ${JSON.stringify(entry(1)).replace('"rook77"', '"r\\u00f6ok"')} ]}`;
  const seen = { ...history([]), body: new TextEncoder().encode(odd) };
  await take(seen, NOW);
  await take(moves(1), NOW);
  assert.ok(odd.includes((await record(1)).row.entry_json));
  const [stored] = await all('moves');
  assert.deepEqual(new Uint8Array(stored.bytes), moves(1).body);
  assert.equal((await all('players'))[0].username, 'röok');
});

test('moves of a game that goes on are not its moves', async () => {
  const today = entry(1, { startTime: new Date(NOW - 600_000).toISOString().slice(0, -1) });
  await take(moves(1, { ended: false }), NOW);
  await take(history([today]), NOW + 1);
  assert.equal((await record(1)).state.status, 'discovered', 'they are older than the end');
  await take(moves(1, { ended: false }), NOW + 2);
  assert.equal((await record(1)).state.status, 'fetched', 'seen after the end they are its last word');
});

test('a game that was running is told of again', async () => {
  const start = new Date(NOW - 60_000).toISOString().slice(0, -1);
  const running = entry(1, { result: null, startTime: start });
  await take(history([running]), NOW);
  await take(moves(1), NOW + 1);
  assert.equal((await record(1)).state.status, 'discovered');
  assert.equal(await take(history([running]), NOW + 2), false);
  await take(history([{ ...running, result: 1 }]), NOW + 3);
  const ended = await record(1);
  assert.equal(ended.state.status, 'fetched');
  assert.match(ended.row.entry_json, /"result":1/);
});

test('the first perspective stays, a cancelled game is passed over', async () => {
  await take(history([entry(1), entry(2, { isCancelled: true })]), NOW);
  const first = (await record(1)).row.entry_json;
  const other = entry(1, { color: 'BLACK', result: -1, historyOpponent: { opponentId: 101, opponentName: 'me' } });
  const asked = new TextEncoder().encode('{"filters":{"PLAYER_ID":"77"}}');
  await take(history([other], { requestBody: asked }), NOW + 1);
  assert.equal((await record(1)).row.entry_json, first);
  assert.equal((await record(2)).state.status, 'skipped');
  assert.deepEqual((await all('players')).map((player) => player.username).sort(), ['me', 'rook77']);
});

test('what is no data changes nothing', async () => {
  const sound = history([entry(1)]);
  for (const seen of [
    { ...sound, status: 401 },
    { ...sound, status: 200, body: new TextEncoder().encode('<html>') },
    { ...sound, url: 'https://elsewhere.example/api/player/history' },
    { ...sound, requestBody: null },
    { ...sound, method: 'GET' },
    { ...moves(1), url: `${ORIGIN}/api/game-move-history?gameId=1` },
  ]) {
    assert.equal(await take(seen, NOW), false);
  }
  assert.deepEqual(await all('games'), []);
});

test('other moves do not replace those of a whole game, unless it is stuck', async () => {
  await take(history([entry(1)]), NOW);
  await take(moves(1), NOW + 1);
  assert.equal(await take(moves(1, { padding: 9 }), NOW + 2), false);

  const { deliver } = await import('../worker/outbox.js');
  const { network } = await import('./stand-in.mjs');
  browser.stored.target = { kind: 'daemon', url: 'http://127.0.0.1:1', secret: 's', since_ms: 0 };
  network(() => ({ status: 422, body: '{"detail":"not legal"}' }));
  await deliver();
  assert.equal((await record(1)).state.status, 'rejected');
  assert.equal(await take(moves(1), NOW + 3), false, 'the same bytes');
  browser.stored.paused = true;
  assert.equal(await take(moves(1, { padding: 9 }), NOW + 4), true);
  assert.equal((await record(1)).state.status, 'fetched');
});

test('the room is bounded, and nothing that waits is let go', async () => {
  browser.stored.most_bytes = 400_000;
  for (let n = 1; n <= 12; n += 1) await take(moves(n, { padding: 20_000 }), NOW + n);
  const parts = await all('games');
  assert.ok(parts.length < 12 && (await sums()).bytes <= 125_000, 'parts take a quarter and the last one');
  assert.ok(parts.some(({ game_id }) => game_id.endsWith('c')), 'the newest stays');

  await fresh();
  browser.stored.most_bytes = 400_000;
  await take(history(Array.from({ length: 30 }, (_, n) => entry(n + 1))), NOW);
  let kept = 0;
  for (let n = 1; n <= 30; n += 1) kept += Number(await take(moves(n, { padding: 20_000 }), NOW + n));
  const waiting = (await all('games')).filter(({ queue_at }) => queue_at !== undefined);
  assert.equal(waiting.length, kept);
  assert.ok(kept > 10 && kept < 30);
  const sum = await sums();
  assert.ok(sum.bytes <= 400_000);
  const notices = await transact(['facts'], 'readonly', (tx) => tx.get('facts', 'notices'));
  assert.deepEqual(notices.list.map(({ kind, count }) => [kind, count]), [['storage_full', 30 - kept]]);
});

test('the totals are those of what is stored', async () => {
  browser.stored.most_bytes = 200_000;
  for (let n = 1; n <= 40; n += 1) {
    await take(history([entry(n)]), NOW + n);
    await take(moves(n, { padding: 3_000 * (n % 3) }), NOW + n);
  }
  const { bytesOf, isPart } = await import('../worker/records.js');
  const games = await all('games');
  const sum = await sums();
  const add = (list) => list.reduce((total, game) => total + bytesOf(game), 0);
  assert.equal(sum.bytes, add(games));
  assert.equal(sum.part_bytes, add(games.filter(isPart)));
  const stored = (await all('moves')).reduce((total, { bytes }) => total + bytes.byteLength, 0);
  assert.equal(stored, games.reduce((total, game) => total + game.moves_bytes, 0));
});

test('a newer core reads again what an older one could not', async () => {
  await readAgain(NOW);
  browser.stored.target = { kind: 'analytics', url: 'https://analytics.example', secret: 's', since_ms: 0 };
  const { network } = await import('./stand-in.mjs');
  const sent = network(() => ({ status: 201 }));
  await take(history([entry(1)]), NOW);
  await take(moves(1, { die: 'Z' }), NOW);
  const { deliver } = await import('../worker/outbox.js');
  await deliver();
  assert.deepEqual([(await record(1)).state.status, (await record(1)).state.error_stage], ['error', 'normalize']);
  assert.match((await record(1)).state.last_error, /Z/);
  assert.equal(await readAgain(NOW), false, 'the same core');
  await transact(['facts'], 'readwrite', (tx) => tx.put('facts', { name: 'core', version: '0.0.9' }));
  assert.equal(await readAgain(NOW), true);
  assert.equal((await record(1)).state.status, 'fetched');
  assert.equal(sent.length, 0, 'what cannot be read is not sent');
});
