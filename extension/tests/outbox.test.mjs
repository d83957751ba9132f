// What is sent, in which order, and what becomes of each answer.

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';

import { browser, entry, fresh, gameId, history, moves, network, record } from './stand-in.mjs';

const { take } = await import('../worker/intake.js');
const { deliver, retry } = await import('../worker/outbox.js');
const { called } = await import('../worker/calls.js');

const NOW = Date.now();
const DAEMON = { kind: 'daemon', url: 'http://127.0.0.1:8787', secret: 'the-secret', since_ms: 0 };
const ANALYTICS = { kind: 'analytics', url: 'https://analytics.example/base', secret: 'the-token', since_ms: 0 };

beforeEach(async () => {
  await fresh();
  browser.stored.target = DAEMON;
});

async function games(count) {
  for (let n = 1; n <= count; n += 1) {
    await take(history([entry(n)]), NOW + n);
    await take(moves(n), NOW + n);
  }
}

const ids = (sent) => sent.map(({ body }) => JSON.parse(body).externalId ?? JSON.parse(body).id);
const inOrder = (count) => Array.from({ length: count }, (_, n) => gameId(n + 1));

test('games go out in order, once, with the secret', async () => {
  await games(3);
  const sent = network(() => ({ status: 201, body: '{"created":true}' }));
  await Promise.all([deliver(), deliver(), deliver()]);
  await deliver();
  assert.deepEqual(ids(sent), inOrder(3));
  const [first] = sent;
  assert.equal(first.url, 'http://127.0.0.1:8787/ingest/raw');
  assert.equal(first.headers.authorization, 'Bearer the-secret');
  assert.deepEqual([first.credentials, first.redirect], ['omit', 'error']);
  const bundle = JSON.parse(first.body);
  assert.equal(bundle.source, 'dicechess.com');
  assert.ok(first.body.includes(new TextDecoder().decode(moves(1).body)), 'byte for byte');
  assert.equal((await record(2)).state.post_result, 'created');
  assert.equal(browser.alarms.has('outbox'), false);
});

test('an analytics service gets the ingest document', async () => {
  browser.stored.target = ANALYTICS;
  await games(1);
  const sent = network(() => ({ status: 200 }));
  await deliver();
  assert.equal(sent[0].url, 'https://analytics.example/base/api/games');
  const body = JSON.parse(sent[0].body);
  assert.deepEqual([body.id, body.termination, body.black_player.username], [gameId(1), 'king_captured', 'rook77']);
  assert.equal((await record(1)).state.post_result, 'exists');
});

test('a receiver that is away is left alone, and then gets everything in order', async () => {
  await games(4);
  let isAway = true;
  const sent = network(() => (isAway ? new TypeError('Failed to fetch') : { status: 201 }));
  await deliver();
  await games(5);
  await deliver();
  assert.equal(sent.length, 1, 'not asked again before its time');
  assert.equal((await record(1)).state.status, 'error');
  assert.equal((await record(1)).state.last_error, 'no connection');
  const alarm = browser.alarms.get('outbox').when;
  assert.equal(alarm, (await record(1)).state.next_retry_at_ms);
  assert.ok(alarm - Date.now() > 4.9 * 60_000, "the core's timer");

  isAway = false;
  await retry(null);
  assert.deepEqual(ids(sent.slice(1)), inOrder(5));
  await deliver();
  assert.equal(sent.length, 6);
});

test('a refusal is kept with its reason and does not hold the others up', async () => {
  await games(3);
  const sent = network((_, n) => (n === 1 ? { status: 422, body: '{"detail":"Turn 1: illegal"}' } : { status: 201 }));
  await deliver();
  assert.deepEqual(ids(sent), inOrder(3));
  assert.equal((await record(1)).state.status, 'rejected');
  assert.match((await record(1)).state.reject_reason, /Turn 1: illegal/);
  await retry(gameId(1));
  assert.equal((await record(1)).state.status, 'posted');
});

test('a secret that is no longer good pauses everything and loses nothing', async () => {
  await games(2);
  const sent = network(() => ({ status: 401, body: '{"detail":"revoked"}' }));
  await deliver();
  await deliver();
  assert.equal(sent.length, 1);
  assert.match(browser.stored.refused, /revoked/);
  assert.equal((await record(1)).state.status, 'fetched');
  assert.equal(browser.badge, '!');
  const again = network(() => ({ status: 201 }));
  await called({ action: 'token', url: 'https://analytics.example', token: 'new' });
  await deliver();
  assert.deepEqual(ids(again), inOrder(2));
  assert.equal(browser.stored.refused, null);
});

test('a failure over one game lets the others have their turn, five in a row stop it', async () => {
  await games(8);
  const sent = network(() => ({ status: 500 }));
  await deliver();
  assert.equal(sent.length, 5);
  assert.equal((await record(6)).state.status, 'fetched');
});

test('paused, unconnected or without access nothing is sent', async () => {
  await games(1);
  const sent = network(() => ({ status: 201 }));
  for (const change of [
    () => { browser.stored.paused = true; },
    () => { Object.assign(browser.stored, { paused: false, target: null }); },
    () => { browser.stored.target = DAEMON; browser.granted.clear(); },
  ]) {
    change();
    await deliver();
    assert.equal(sent.length, 0);
  }
  browser.granted.add('http://127.0.0.1/*');
  await deliver();
  assert.equal(sent.length, 1);
});

test('no page is told a secret', async () => {
  await games(1);
  network(() => ({ status: 201 }));
  const shown = JSON.stringify([
    await called({ action: 'summary' }), await called({ action: 'sample', receiver: 'daemon' }),
    await called({ action: 'sample', receiver: 'analytics' }),
  ]);
  assert.ok(!shown.includes('the-secret'));
  assert.ok(shown.includes('127.0.0.1:8787'));
});

test('an answer that comes for a game that is gone is no error', async () => {
  await games(1);
  network(async () => {
    const { transact } = await import('../shared/database.js');
    await transact(['games'], 'readwrite', (tx) => tx.delete('games', gameId(1)));
    return { status: 201 };
  });
  await deliver();
  assert.equal(await record(1), undefined);
});
