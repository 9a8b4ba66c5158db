// Sessions with logout: an id that was never given out, or whose user has logged out, costs no query.
//
//   const sessions = new Sessions(store, 100_000);
//   sessions.login(id, 'ada');
//   sessions.userOf(id); // 'ada'
//   sessions.logout(id); // true
//   sessions.userOf(id); // undefined, mostly without a query

import { CuckooFilter } from 'bloomery/cuckoo';

/** Where sessions are kept: a table, or anything else that answers at once. */
export interface SessionStore {
  /** Throws if there is such a session already. */
  insert(id: string, user: string): void;
  find(id: string): string | undefined;
  /** Returns whether there was such a session. */
  delete(id: string): boolean;
  ids(): Iterable<string>;
}

export class Sessions {
  readonly #store: SessionStore;
  #open: CuckooFilter;

  /** @param capacity how many sessions are open at a time. With more, the filter is made anew, twice as large. */
  constructor(store: SessionStore, capacity: number) {
    this.#store = store;
    this.#open = this.#filterFor(capacity);
  }

  /** A filter of all open sessions, at least for `capacity` of them. */
  #filterFor(capacity: number): CuckooFilter {
    // A false positive is a query in vain: for 1 unknown id in 1000.
    const filter = new CuckooFilter({ capacity, errorRate: 0.001 });
    try {
      return filter.addMany(this.#store.ids());
    } catch (error) {
      filter.dispose();
      if (!(error instanceof RangeError)) throw error;
      return this.#filterFor(2 * capacity);
    }
  }

  login(id: string, user: string): void {
    this.#store.insert(id, user);
    try {
      this.#open.add(id);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      // It is full, and holds all ids but this one, which is in the store.
      const full = this.#open;
      this.#open = this.#filterFor(2 * Math.max(full.capacity, full.count));
      full.dispose();
    }
  }

  userOf(id: string): string | undefined {
    return this.#open.has(id) ? this.#store.find(id) : undefined;
  }

  logout(id: string): boolean {
    // Only what was added may be removed, and only once. The store knows; an id in a request may be any text.
    const wasOpen = this.#store.delete(id);
    if (wasOpen) this.#open.remove(id);
    return wasOpen;
  }

  /** The number of open sessions. */
  get count(): number {
    return this.#open.count;
  }

  /** The memory of the filter, in bytes. */
  get byteLength(): number {
    return this.#open.byteLength;
  }
}
