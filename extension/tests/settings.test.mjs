// Addresses of receivers, and the texts of both languages.

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';

import './stand-in.mjs';

const { receiver } = await import('../shared/settings.js');
const { fromBase64 } = await import('../shared/base64.js');

test('addresses that may be used', () => {
  for (const [typed, url, pattern] of [
    ['http://127.0.0.1:8787', 'http://127.0.0.1:8787', 'http://127.0.0.1/*'],
    [' http://localhost:1/base// ', 'http://localhost:1/base', 'http://localhost/*'],
    ['games.example.org', 'https://games.example.org', 'https://games.example.org/*'],
    ['https://games.example.org:8443/x', 'https://games.example.org:8443/x', 'https://games.example.org/*'],
  ]) {
    assert.deepEqual(receiver(typed), { url, pattern }, typed);
  }
  for (const typed of [
    '', 'http://games.example.org', 'http://192.168.0.2:8787', 'ftp://127.0.0.1', 'https://user:word@games.example.org',
    'https://games.example.org/?a=1', 'https://games.example.org/#a', 'javascript:alert(1)', 'https://',
  ]) {
    assert.equal(receiver(typed), null, typed);
  }
});

test('base64', () => {
  assert.deepEqual(fromBase64(btoa('\u0000\u00ffa')), new Uint8Array([0, 255, 97]));
  assert.equal(fromBase64('*'), null);
});

const locale = (name) => JSON.parse(readFileSync(new URL(`../_locales/${name}/messages.json`, import.meta.url), 'utf8'));
const FORMS = /_(one|few|many|other)$/;

test('both languages have every text, with the same values in it', () => {
  const [en, ru] = [locale('en'), locale('ru')];
  const names = (texts) => [...new Set(Object.keys(texts).map((name) => name.replace(FORMS, '')))].sort();
  assert.deepEqual(names(ru), names(en));
  for (const [name, { message, placeholders }] of Object.entries(ru)) {
    const english = en[name] ?? en[name.replace(FORMS, '_other')];
    assert.deepEqual(Object.keys(placeholders ?? {}), Object.keys(english.placeholders ?? {}), name);
    for (const used of message.matchAll(/\$(\w+)\$/g)) assert.ok(placeholders[used[1].toLowerCase()], name);
  }
  for (const name of names(en).filter((plain) => en[`${plain}_other`])) {
    for (const form of ['one', 'other']) assert.ok(en[`${name}_${form}`], `${name}_${form}`);
    for (const form of ['one', 'few', 'many', 'other']) assert.ok(ru[`${name}_${form}`], `${name}_${form}`);
  }
});

test('every text is used, and every text that is used is there', () => {
  const texts = locale('en');
  const files = ['popup', 'options', 'worker', 'shared'].flatMap((folder) =>
    readdirSync(new URL(`../${folder}`, import.meta.url)).map((file) => `../${folder}/${file}`));
  const source = ['../manifest.json', ...files].map((file) => readFileSync(new URL(file, import.meta.url), 'utf8')).join('\n');
  for (const name of Object.keys(texts)) {
    const plain = name.replace(FORMS, '');
    assert.match(source, new RegExp(`['"]${plain}['"]|__MSG_${plain}__`), name);
  }
  for (const [, name] of source.matchAll(/(?:data-text|data-label)="(\w+)"|__MSG_(\w+)__/g)) {
    if (name) assert.ok(texts[name], name);
  }
});
