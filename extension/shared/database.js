// @ts-check
/**
 * The extension's IndexedDB. Decides the stores, how they come about and what a transaction is:
 * whatever is written in one is written together or not at all, and is on the disk when it resolves.
 *
 * | store | holds |
 * |---|---|
 * | `games` | one record a game: its entry, its state, when what was seen |
 * | `moves` | the raw bytes of a game's moves |
 * | `players` | names, for the document that is posted |
 * | `visits` | game pages that were opened |
 * | `facts` | single values: totals, what was asked last, notices |
 */

const NAME = 'dicechess-sync';
const VERSION = 1;

/** @type {Promise<IDBDatabase> | null} */
let opened = null;

/** @returns {Promise<IDBDatabase>} */
export function database() {
  opened ??= open();
  return opened;
}

/** @returns {Promise<IDBDatabase>} */
function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, VERSION);
    request.onupgradeneeded = () => {
      const db = request.result;
      const games = db.createObjectStore('games', { keyPath: 'game_id' });
      games.createIndex('queue', 'queue_at');
      games.createIndex('changed', 'changed_at_ms');
      db.createObjectStore('moves', { keyPath: 'game_id' });
      db.createObjectStore('players', { keyPath: 'user_id' });
      db.createObjectStore('visits', { keyPath: 'key' });
      db.createObjectStore('facts', { keyPath: 'name' });
    };
    request.onerror = () => {
      opened = null;
      reject(request.error);
    };
    request.onsuccess = () => {
      const db = request.result;
      // Another version wants to open it, or the browser closed it: the next use opens it anew.
      db.onversionchange = () => { db.close(); opened = null; };
      db.onclose = () => { opened = null; };
      resolve(db);
    };
  });
}

/**
 * Runs `work` in one transaction and resolves with its result once the transaction is complete. An
 * error in `work` undoes everything.
 * @template T
 * @param {string[]} stores
 * @param {IDBTransactionMode} mode
 * @param {(tx: Transaction) => Promise<T>} work It awaits nothing but requests of the transaction.
 * @returns {Promise<T>}
 */
export async function transact(stores, mode, work) {
  const db = await database();
  const tx = db.transaction(stores, mode, { durability: mode === 'readwrite' ? 'strict' : 'default' });
  const complete = new Promise((resolve, reject) => {
    tx.oncomplete = () => resolve(undefined);
    tx.onabort = () => reject(tx.error ?? new DOMException('aborted', 'AbortError'));
  });
  try {
    const result = await work(new Transaction(tx));
    await complete;
    return result;
  } catch (error) {
    complete.catch(() => {});
    try {
      tx.abort();
    } catch {
      // It has ended already.
    }
    throw error;
  }
}

/** Requests of a transaction as promises. */
export class Transaction {
  /** @param {IDBTransaction} tx */
  constructor(tx) {
    this.tx = tx;
  }

  /** @param {string} store @param {IDBValidKey} key @returns {Promise<any>} */
  get(store, key) {
    return done(this.tx.objectStore(store).get(key));
  }

  /** @param {string} store @param {object} value */
  put(store, value) {
    return done(this.tx.objectStore(store).put(value));
  }

  /** @param {string} store @param {IDBValidKey} key */
  delete(store, key) {
    return done(this.tx.objectStore(store).delete(key));
  }

  /** @param {string} store @returns {Promise<any[]>} */
  all(store) {
    return done(this.tx.objectStore(store).getAll());
  }

  /** @param {string} store @returns {Promise<IDBValidKey[]>} */
  keys(store) {
    return done(this.tx.objectStore(store).getAllKeys());
  }

  /** @param {string} store */
  count(store) {
    return done(this.tx.objectStore(store).count());
  }

  /** @param {string} store */
  clear(store) {
    return done(this.tx.objectStore(store).clear());
  }

  /** In the order of an index. @param {string} store @param {string} index @param {number} [most] @returns {Promise<any[]>} */
  byIndex(store, index, most) {
    return done(this.tx.objectStore(store).index(index).getAll(null, most));
  }

  /** @param {string} store @param {string} index */
  countIndex(store, index) {
    return done(this.tx.objectStore(store).index(index).count());
  }

  /**
   * The last ones of an index, newest first.
   * @param {string} store @param {string} index @param {number} most @returns {Promise<any[]>}
   */
  newest(store, index, most) {
    return new Promise((resolve, reject) => {
      /** @type {any[]} */
      const found = [];
      const request = this.tx.objectStore(store).index(index).openCursor(null, 'prev');
      request.onerror = () => reject(request.error);
      request.onsuccess = () => {
        const cursor = request.result;
        if (!cursor || found.length >= most) return resolve(found);
        found.push(cursor.value);
        cursor.continue();
      };
    });
  }
}

/** @template T @param {IDBRequest<T>} request @returns {Promise<T>} */
function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
