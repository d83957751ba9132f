// Every fixture through the shipped WebAssembly: the answer is the one in the folder, and the bytes
// are those that the native program prints.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import './stand-in.mjs';
import * as wasm from '../wasm/dicechess_core.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const binary = process.env.DICECHESS_SYNC ?? join(root, 'target/debug/dicechess-sync');
const FEWEST = 240;

const inputs = readdirSync(join(root, 'fixtures')).sort()
  .map((name) => ({ name, path: join(root, 'fixtures', name, 'input.json') }))
  .filter(({ path }) => existsSync(path));

/** What the extension's core makes of an input: the document, or the error as the command prints it. */
function fromWasm(input) {
  try {
    return wasm.normalize(input);
  } catch (error) {
    assert.equal(error.name, 'DicechessError', error.stack);
    const { kind, state, message } = error;
    return JSON.stringify({ error: { kind, state: state ?? null, message } });
  }
}

function fromNative(path) {
  try {
    return execFileSync(binary, ['normalize', path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    // 65: the input is at fault, and the output says how.
    assert.equal(error.status, 65, `${path}: ${error.stderr}`);
    return error.stdout;
  }
}

test('the bytes are those of the native core', () => {
  assert.ok(inputs.length >= FEWEST, `${inputs.length} fixtures`);
  const differences = [];
  for (const { name, path } of inputs) {
    const [native, ours] = [fromNative(path).replace(/\n$/, ''), fromWasm(readFileSync(path))];
    const isSame = native.startsWith('{"error"') ? same(JSON.parse(native), JSON.parse(ours)) : native === ours;
    if (!isSame) differences.push(`${name}\n  native ${native}\n  wasm   ${ours}`);
  }
  assert.deepEqual(differences, []);
});

test('the answers are those of the fixtures', () => {
  const differences = [];
  for (const { name, path } of inputs) {
    const answer = JSON.parse(fromWasm(readFileSync(path)));
    const read = (file) => {
      const place = join(root, 'fixtures', name, file);
      return existsSync(place) ? JSON.parse(readFileSync(place, 'utf8')) : null;
    };
    const [document, error] = [read('expected.json'), read('error.json')];
    if (document ? !same(withoutNulls(document), withoutNulls(answer)) : !isError(error, answer.error)) {
      differences.push(`${name}: ${JSON.stringify(answer)}`);
    }
  }
  assert.deepEqual(differences, []);
});

test('a bundle and an ingest document are made of the same bytes as the command makes them', () => {
  let count = 0;
  for (const { path } of inputs) {
    const text = readFileSync(path, 'utf8');
    const document = fromWasm(Buffer.from(text));
    const parts = /^\s*\{\s*"history_meta":\s*(\{[^]*?\}),\s*"queried_user_id":\s*(-?\d+),\s*"move_history":\s*(\{[^]*\})\s*\}\s*$/.exec(text);
    if (!parts || document.startsWith('{"error"')) continue;
    const [, entry, queried, moves] = parts;
    const bytes = new TextEncoder().encode(moves);
    assert.equal(wasm.ingest(entry, Number(queried), bytes, '[]'), document, path);
    const bundle = wasm.bundle(entry, Number(queried), bytes, 0, 0);
    assert.ok(bundle.includes(`"artifacts":{"history_meta":${entry},"move_history":${moves}}`), path);
    count += 1;
  }
  assert.ok(count > FEWEST / 2, `${count} documents`);
});

/** The message is to hold what the fixture says of it. */
function isError(expected, found) {
  return found !== undefined && expected.kind === found.kind
    && same(expected.state ?? null, found.state ?? null) && found.message.includes(expected.contains);
}

function same(one, other) {
  try {
    assert.deepStrictEqual(one, other);
    return true;
  } catch {
    return false;
  }
}

/** A field that is null says as much as one that is absent. */
function withoutNulls(value) {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (value === null || typeof value !== 'object') return value;
  const kept = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(kept.map(([name, field]) => [name, withoutNulls(field)]));
}
