// @ts-check
/**
 * The texts of the pages, from `_locales`. Decides how numbers, times and plurals are written in the
 * browser's language.
 */

import { api } from './browser.js';

/** The language of the texts, which is not always the browser's: there are two. */
export const language = api.i18n.getMessage('language') || 'en';

const plural = new Intl.PluralRules(language);
const number = new Intl.NumberFormat(language);
const dateTime = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
const dayTime = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', hour: 'numeric', minute: '2-digit' });
const clock = new Intl.DateTimeFormat(language, { timeStyle: 'short' });

/** @param {string} key @param {...string} values */
export function text(key, ...values) {
  const found = api.i18n.getMessage(key, values);
  if (!found) throw new Error(`no text ${key}`);
  return found;
}

/** A text that depends on a count: `key_one`, `key_few`, `key_many`, `key_other`. @param {string} key @param {number} count @param {...string} values */
export function counted(key, count, ...values) {
  const form = plural.select(count);
  const name = api.i18n.getMessage(`${key}_${form}`) ? `${key}_${form}` : `${key}_other`;
  return text(name, number.format(count), ...values);
}

/** @param {number} value */
export const amount = (value) => number.format(value);

/** @param {number} ms */
export const moment = (ms) => dateTime.format(ms);

/** Today's times without the day, others without the year. @param {number} ms */
export function shortMoment(ms) {
  const isToday = new Date(ms).toDateString() === new Date().toDateString();
  return (isToday ? clock : dayTime).format(ms);
}

/** @param {number} bytes */
export function size(bytes) {
  const mega = bytes / (1024 * 1024);
  const digits = mega < 10 ? 1 : 0;
  return text('megabytes', new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(mega));
}

/** Fills every element that names its text. */
export function fill() {
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll('[data-text]')) {
    element.textContent = text(element.getAttribute('data-text') ?? '');
  }
  for (const element of document.querySelectorAll('[data-label]')) {
    element.setAttribute('aria-label', text(element.getAttribute('data-label') ?? ''));
  }
}
