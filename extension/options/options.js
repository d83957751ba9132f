// @ts-check
/**
 * The options: where games go, what is sent, whether the site may be asked, what is kept. A secret
 * that was given is never shown again; the worker keeps it.
 */

import { api } from '../shared/browser.js';
import { counted, fill, moment, size, text } from '../shared/texts.js';
import { receiver } from '../shared/settings.js';
import { onChanges, summary, tell } from '../shared/worker-calls.js';
import { exportBundles } from './export.js';

/** @param {string} id @returns {HTMLElement} */
const by = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
/** @param {string} id @returns {HTMLInputElement} */
const input = (id) => /** @type {HTMLInputElement} */ (document.getElementById(id));
/** @returns {'daemon' | 'analytics'} */
const kind = () => (document.querySelector('[name=kind][value=analytics]:checked') ? 'analytics' : 'daemon');

let wasWorking = false;

fill();
document.title = `${text('name')}: ${text('options')}`;
for (const choice of document.querySelectorAll('[name=kind]')) choice.addEventListener('change', choose);
by('daemon-form').addEventListener('submit', (event) => connect(event, pair));
by('analytics-form').addEventListener('submit', (event) => connect(event, save));
by('disconnect').addEventListener('click', disconnect);
by('sample').addEventListener('toggle', showSample);
by('ask').addEventListener('change', () => saveAsking());
by('own-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void saveAsking();
});
for (const option of /** @type {HTMLSelectElement} */ (by('most')).options) option.textContent = size(Number(option.value));
by('most').addEventListener('change', async () => {
  await tell({ action: 'room', most_bytes: Number(/** @type {HTMLSelectElement} */ (by('most')).value) });
  await show();
});
by('export').addEventListener('click', saveAll);
by('forget').addEventListener('click', forgetPosted);
onChanges(show);
await show(true);

/** @param {boolean} [isFirst] Only then what the user may be typing is filled in. */
async function show(isFirst = false) {
  const now = await summary();
  if (isFirst && now.target?.kind === 'analytics') input('analytics-url').value = now.target.url;
  if (isFirst && now.target?.kind === 'daemon') input('daemon-url').value = now.target.url;
  if (isFirst && now.target) check(now.target.kind);
  by('connected').hidden = !now.target;
  by('receiver-lead').hidden = now.target !== null;
  const connect = /** @type {HTMLDetailsElement} */ (by('connect'));
  const isWorking = now.target !== null && now.refused === null && now.has_access;
  /** @type {HTMLElement} */ (connect.firstElementChild).hidden = !isWorking;
  if (isFirst || !isWorking || !wasWorking) connect.open = !isWorking;
  wasWorking = isWorking;
  if (now.target) {
    const isRefused = now.refused !== null || !now.has_access;
    const since = moment(now.target.since_ms);
    const key = isRefused ? 'connectionRefused' : now.target.kind === 'daemon' ? 'pairedWith' : 'sendingTo';
    by('connected-text').textContent = text(key, now.target.url, since);
    by('connected').classList.toggle('bad', isRefused);
  }
  input('ask').checked = now.ask;
  if (isFirst) /** @type {HTMLSelectElement} */ (by('most')).value = String(now.kept.most_bytes);
  if (isFirst) input('own').value = now.own_user_id === null ? '' : String(now.own_user_id);
  by('own-help').textContent = now.seen_user_id === null
    ? text('ownUnknown') : text('ownSeen', String(now.seen_user_id));
  by('kept').textContent = `${counted('keptGames', now.kept.games)}, ${text('keptOf', size(now.kept.bytes), size(now.kept.most_bytes))}`;
  const room = /** @type {HTMLMeterElement} */ (by('room'));
  Object.assign(room, { max: now.kept.most_bytes, high: now.kept.most_bytes * 0.9, value: now.kept.bytes });
  by('version').textContent = `${text('name')} ${now.version}`;
}

/** @param {'daemon' | 'analytics'} value */
function check(value) {
  const choice = /** @type {HTMLInputElement} */ (document.querySelector(`[name=kind][value=${value}]`));
  choice.checked = true;
  choose();
}

function choose() {
  by('daemon-form').hidden = kind() !== 'daemon';
  by('analytics-form').hidden = kind() !== 'analytics';
  say('receiver-said', '');
  void showSample();
}

/**
 * Asks the browser for access first: it allows that only as the direct answer to a click.
 * @param {SubmitEvent} event
 * @param {(url: string) => Promise<void>} give
 */
async function connect(event, give) {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  const field = kind() === 'daemon' ? 'daemon-url' : 'analytics-url';
  const address = receiver(input(field).value);
  input(field).setCustomValidity(address ? '' : text('badUrl'));
  if (!form.reportValidity() || !address) {
    input(field).oninput = () => input(field).setCustomValidity('');
    return;
  }
  const button = /** @type {HTMLButtonElement} */ (form.querySelector('button'));
  button.disabled = true;
  try {
    const isGranted = await api.permissions.request({ origins: [address.pattern] });
    if (!isGranted) return say('receiver-said', text('notAllowed', address.url), 'bad');
    say('receiver-said', text('connecting'));
    await give(address.url);
    say('receiver-said', text('connectedNow'), 'good');
  } catch (error) {
    say('receiver-said', messageOf(error), 'bad');
  } finally {
    button.disabled = false;
    await show();
  }
}

/** @param {string} url */
async function pair(url) {
  await tell({ action: 'pair', url, code: input('code').value });
  input('code').value = '';
}

/** @param {string} url */
async function save(url) {
  await tell({ action: 'token', url, token: input('token').value.trim() });
  input('token').value = '';
}

async function disconnect() {
  if (!(await confirmed('disconnectTitle', 'disconnectText', 'disconnect'))) return;
  await tell({ action: 'disconnect' });
  say('receiver-said', text('disconnected'), 'good');
  await show();
}

async function showSample() {
  if (!(/** @type {HTMLDetailsElement} */ (by('sample')).open)) return;
  try {
    const sample = await tell({ action: 'sample', receiver: kind() });
    by('sample-what').textContent = text(sample.is_own ? 'sampleOwn' : 'sampleMade', sample.url);
    by('sample-body').textContent = sample.body;
  } catch (error) {
    by('sample-what').textContent = messageOf(error);
  }
}

async function saveAsking() {
  const field = input('own');
  if (!field.reportValidity()) return;
  const own = field.value.trim() === '' ? null : Number(field.value);
  await tell({ action: 'asking', ask: input('ask').checked, own_user_id: own });
  say('own-said', text('saved'), 'good');
  await show();
}

async function saveAll() {
  say('kept-said', text('exporting'));
  try {
    const { count, blob } = await exportBundles();
    if (count === 0) return say('kept-said', text('nothingToExport'));
    const url = URL.createObjectURL(blob);
    const link = document.createElement('a');
    link.href = url;
    link.download = `dicechess-${new Date().toISOString().slice(0, 10)}.jsonl`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 60_000);
    say('kept-said', counted('exported', count), 'good');
  } catch (error) {
    say('kept-said', messageOf(error), 'bad');
  }
}

async function forgetPosted() {
  if (!(await confirmed('forgetTitle', 'forgetText', 'forgetPosted'))) return;
  const count = await tell({ action: 'forget_posted' });
  say('kept-said', counted('forgotten', count), 'good');
  await show();
}

/** @param {string} title @param {string} body @param {string} yes @returns {Promise<boolean>} */
function confirmed(title, body, yes) {
  const dialog = /** @type {HTMLDialogElement} */ (by('confirm'));
  by('confirm-title').textContent = text(title);
  by('confirm-text').textContent = text(body);
  by('confirm-yes').textContent = text(yes);
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}

/** @param {string} id @param {string} message @param {'good' | 'bad' | ''} [tone] */
function say(id, message, tone = '') {
  by(id).textContent = message;
  by(id).className = `said ${tone}`;
}

/** @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error));
