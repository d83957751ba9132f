// @ts-check
/** The browser's extension API: `browser` in Firefox, `chrome` elsewhere; both return promises. */

/** @type {typeof chrome} */
export const api = /** @type {any} */ (globalThis).browser ?? globalThis.chrome;
