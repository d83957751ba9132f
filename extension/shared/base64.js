// @ts-check
/** Bytes as text, for the messages between browser and worker, which are JSON in Chrome. */

/** @param {string} text @returns {Uint8Array<ArrayBuffer> | null} `null` when it is no base64. */
export function fromBase64(text) {
  try {
    const raw = atob(text);
    const bytes = new Uint8Array(raw.length);
    for (let at = 0; at < raw.length; at += 1) bytes[at] = raw.charCodeAt(at);
    return bytes;
  } catch {
    return null;
  }
}
