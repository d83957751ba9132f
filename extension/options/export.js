// @ts-check
/**
 * Everything kept, as JSON Lines of bundles (contract, section 10), the form that `dicechess-sync
 * import` and the archive have too. A game whose moves were never seen has none in its bundle; moves
 * whose entry was never seen make no bundle, because nothing tells who played.
 */

import { transact } from '../shared/database.js';
import { core } from '../worker/core.js';

/** @returns {Promise<{count: number, blob: Blob}>} */
export async function exportBundles() {
  const { bundle } = await core();
  const keys = await transact(['games'], 'readonly', (tx) => tx.keys('games'));
  /** @type {BlobPart[]} */
  const lines = [];
  for (const key of keys) {
    // One game at a time: all raw answers at once may not fit into memory as text.
    const { game, moves } = await transact(['games', 'moves'], 'readonly', async (tx) => ({
      game: await tx.get('games', key), moves: await tx.get('moves', key),
    }));
    if (!game?.row) continue;
    lines.push(new Blob([bundle(game, moves ? new Uint8Array(moves.bytes) : null), '\n']));
  }
  return { count: lines.length, blob: new Blob(lines, { type: 'application/x-ndjson' }) };
}
