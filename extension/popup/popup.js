// @ts-check
/** The popup: what was seen, posted, waits, was rejected and why; retry, pause, the dashboard. */

import { api } from '../shared/browser.js';
import { amount, counted, fill, moment, shortMoment, text } from '../shared/texts.js';
import { patternOf } from '../shared/settings.js';
import { NO_ANSWER, NO_CONNECTION, onChanges, summary, tell } from '../shared/worker-calls.js';

/** @typedef {import('../shared/worker-calls.js').Summary} Summary */
/** @typedef {import('../shared/worker-calls.js').ShownGame} ShownGame */

/** @param {string} id @returns {HTMLElement} */
const by = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
let isPaused = false;

fill();
by('options').addEventListener('click', () => openOptions());
by('retry').addEventListener('click', () => act({ action: 'retry' }));
by('pause').addEventListener('click', () => act({ action: 'pause', paused: !isPaused }));
onChanges(show);
await show();

async function show() {
  const now = await summary();
  isPaused = now.paused;
  by('count-seen').textContent = amount(now.counts.seen);
  by('count-waiting').textContent = amount(now.counts.waiting);
  by('count-posted').textContent = amount(now.counts.posted);
  by('count-rejected').textContent = amount(now.counts.rejected + now.counts.unreadable);
  by('where').textContent = now.target ? now.target.url.replace(/^https?:\/\//, '') : text('noReceiver');
  const standing = standingOf(now);
  by('standing').textContent = text(standing.text);
  by('standing').className = `standing ${standing.tone}`;
  by('pause').textContent = text(now.paused ? 'resume' : 'pause');
  /** @type {HTMLButtonElement} */ (by('retry')).disabled = !now.target || now.counts.waiting === 0;
  by('notices').replaceChildren(...notices(now));
  keepFocus(by('recent'), now.recent.map((game) => item(game, now)));
  by('recent').hidden = now.recent.length === 0;
  by('empty').hidden = now.recent.length > 0;
}

/** @param {Summary} now */
function standingOf(now) {
  if (!now.target) return { text: 'standingOff', tone: 'warn' };
  if (now.refused || !now.has_access) return { text: 'standingRefused', tone: 'bad' };
  if (now.paused) return { text: 'standingPaused', tone: 'warn' };
  if (now.next_try_at_ms) return { text: 'standingAway', tone: 'warn' };
  return { text: 'standingOn', tone: 'good' };
}

/** @param {Summary} now @returns {HTMLElement[]} */
function notices(now) {
  const found = [];
  if (!now.target) {
    found.push(notice(text('setUpTitle'), text('setUpText'), text('setUp'), openOptions));
  } else if (now.refused) {
    found.push(notice(text('refusedTitle'), text('refusedText'), text('connectAgain'), openOptions));
  } else if (!now.has_access) {
    const { target } = now;
    // The browser asks the user; it wants the click itself to be the reason.
    const grant = () => api.permissions.request({ origins: [patternOf({ ...target, secret: '' })] });
    found.push(notice(text('noAccessTitle'), text('noAccessText', target.url), text('allow'), grant));
  } else if (now.next_try_at_ms && !now.paused) {
    const when = text('nextTry', shortMoment(now.next_try_at_ms));
    found.push(notice(text('awayTitle'), now.last_error ? `${reasonOf(now.last_error)} ${when}` : when));
  }
  for (const { kind, count } of now.notices) {
    const title = { storage_full: 'fullTitle', raw_dropped: 'droppedTitle', flood: 'floodTitle', core_failed: 'failedTitle' }[kind];
    const body = { storage_full: 'fullText', raw_dropped: 'droppedText', flood: 'floodText', core_failed: 'failedText' }[kind];
    found.push(notice(text(title), counted(body, count), text('understood'), () => act({ action: 'read_notices' })));
  }
  return found;
}

/** @param {string} title @param {string} body @param {string} [button] @param {() => unknown} [action] */
function notice(title, body, button, action) {
  const box = element('div', 'notice');
  box.append(element('strong', '', title), element('p', '', body));
  if (button && action) {
    const control = element('button', '', button);
    control.addEventListener('click', () => action());
    box.append(control);
  }
  return box;
}

/** @param {ShownGame} game @param {Summary} now */
function item(game, now) {
  const row = element('li');
  row.dataset.game = game.game_id;
  const line = element('div', 'line');
  const names = game.has_entry ? `${game.white ?? '?'} – ${game.black ?? '?'}` : text('movesOnly');
  const daemon = now.target?.kind === 'daemon' && game.shown === 'posted' ? now.target.url : null;
  const players = element(daemon ? 'a' : 'span', 'players', names);
  if (daemon && players instanceof HTMLAnchorElement) {
    players.href = `${daemon}/games/${game.game_id}`;
    players.target = '_blank';
    players.title = text('openInDashboard');
  }
  line.append(players);
  const score = game.result === null ? '' : { 1: '1–0', 0: '½–½', '-1': '0–1' }[game.result];
  line.append(element('span', 'score', score));
  const sub = element('div', 'sub');
  const time = element('span', '', game.started_at_ms ? shortMoment(game.started_at_ms) : '');
  if (game.started_at_ms) time.title = moment(game.started_at_ms);
  sub.append(element('span', `status ${game.shown}`, statusText(game)), time);
  row.append(line, sub);
  if (game.reason && game.shown !== 'posted') row.append(element('p', 'reason quiet', reasonOf(game.reason)));
  if (['rejected', 'unreadable', 'error'].includes(game.shown) && now.target) {
    const again = element('button', 'link', text('retryGame'));
    again.setAttribute('aria-label', text('retryGameOf', names));
    again.addEventListener('click', () => act({ action: 'retry_game', game_id: game.game_id }));
    row.append(again);
  }
  return row;
}

/** A receiver's reason as a person reads it. @param {string} said */
function reasonOf(said) {
  if (said === NO_CONNECTION) return text('noConnection');
  if (said === NO_ANSWER) return text('noAnswer');
  try {
    const { detail } = JSON.parse(said);
    return typeof detail === 'string' ? detail : said;
  } catch {
    return said;
  }
}

/** @param {ShownGame} game */
function statusText(game) {
  if (game.shown === 'seen') return text(game.has_entry ? 'statusNoMoves' : 'statusNoEntry');
  if (game.shown === 'error' && game.next_retry_at_ms) {
    return text('statusRetryAt', shortMoment(game.next_retry_at_ms));
  }
  return text({
    waiting: 'statusWaiting', posted: 'statusPosted', rejected: 'statusRejected',
    unreadable: 'statusUnreadable', error: 'statusWaiting', skipped: 'statusSkipped',
  }[game.shown]);
}

/** Replaces a list without taking the keyboard's place in it away. @param {HTMLElement} list @param {HTMLElement[]} rows */
function keepFocus(list, rows) {
  const focused = document.activeElement;
  const game = focused?.closest('li')?.dataset.game;
  const tag = focused?.tagName;
  list.replaceChildren(...rows);
  if (!game || !tag) return;
  const row = rows.find((candidate) => candidate.dataset.game === game);
  /** @type {HTMLElement | null | undefined} */ (row?.querySelector(tag))?.focus();
}

/** @param {import('../shared/worker-calls.js').Call} call */
async function act(call) {
  await tell(call);
  await show();
}

function openOptions() {
  void api.runtime.openOptionsPage().then(() => window.close());
}

/** @param {string} tag @param {string} [name] @param {string} [content] @returns {HTMLElement} */
function element(tag, name = '', content = '') {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (content) made.textContent = content;
  return made;
}
