// Why a stored key is never absent, whatever overlaps.
//
// - A key is in the filter before its insertion begins.
// - While a change of a key runs, nothing of the key is removed. When none runs any more, the store may have the key,
//   so one copy stays, unless a deletion succeeded that overlapped no insertion, and no insertion came after it.
// - Only copies that are certainly the key's own are removed: any other may be that of a key that looks the same. A
//   filter that holds each key once loses the key with the first copy, and gets it again at once.

import type { Key } from '../keys/key.ts';
import { identityOf } from './identity.ts';

/** A deletion that runs. */
export interface Deletion {
  /** Whether an insertion of the key ran, or began, while it ran. Nobody knows then which one the store did first. */
  isOverlapped: boolean;
}

/** A key of which a change runs, or ran so that the store may have the key or not. */
export class OpenKey<K extends Key> {
  readonly key: K;
  /** The copies in the filter that are certainly the key's own. */
  copies = 0;
  /** The copies that are its own if the store had the key before, which a deletion that succeeds tells. */
  before: number;
  /** The number of insertions that run. */
  insertions = 0;
  readonly #deletions = new Set<Deletion>();
  /** Whether the store has certainly no such key: it was deleted, and no insertion came after that. */
  isGone = false;
  /** Whether it was deleted before, during or after an insertion. */
  isDoubtful = false;

  constructor(key: K, before: number) {
    this.key = key;
    this.before = before;
  }

  get isRunning(): boolean {
    return this.insertions > 0 || this.#deletions.size > 0;
  }

  /** Notes that the key was put into the filter, because it is inserted next. @param runs whether its end is awaited */
  inserts(copies: number, runs: boolean): void {
    this.copies += copies;
    if (runs) this.insertions++;
    this.isGone = false;
    // A deletion that succeeds may have found this insertion, and the copies before it may be those of another key.
    this.before = 0;
    for (const deletion of this.#deletions) deletion.isOverlapped = true;
  }

  beginDeletion(): Deletion {
    const deletion = { isOverlapped: this.insertions > 0 };
    this.#deletions.add(deletion);
    return deletion;
  }

  endDeletion(deletion: Deletion, isDeleted: boolean): void {
    this.#deletions.delete(deletion);
    if (!isDeleted) return;
    this.copies += this.before;
    this.before = 0;
    if (deletion.isOverlapped) this.isDoubtful = true;
    else this.isGone = true;
  }

  /** Keeps only the copies that the key needs when nothing runs. Returns how many there are besides. */
  keepNeeded(): number {
    const kept = this.isGone ? 0 : Math.min(this.copies, 1);
    const surplus = this.copies - kept;
    this.copies = kept;
    return surplus;
  }
}

/** The keys that are open now. */
export class OpenKeys<K extends Key> {
  readonly #byId = new Map<string, OpenKey<K>>();

  get(key: K): OpenKey<K> | undefined {
    return this.#byId.get(identityOf(key));
  }

  /** @param before counts the copies that are there before its first change, if the store has the key */
  open(key: K, before: () => number): OpenKey<K> {
    const id = identityOf(key);
    const open = this.#byId.get(id) ?? new OpenKey(key, before());
    this.#byId.set(id, open);
    return open;
  }

  close({ key }: OpenKey<K>): void {
    this.#byId.delete(identityOf(key));
  }

  /** The keys whose insertion runs. */
  inserted(): K[] {
    return [...this.#byId.values()].filter(({ insertions }) => insertions > 0).map(({ key }) => key);
  }

  /** Notes that another filter is in place, which certainly has one copy of each key in `added`, and of no other. */
  move(added: FilterChanges<K>): void {
    for (const open of this.#byId.values()) {
      open.copies = added.isAdded(open.key) ? 1 : 0;
      open.before = 0;
      if (!open.isRunning) this.close(open);
    }
  }
}

/** What the next filter must learn of each key before it takes over: that it may be stored, or that it is not. */
export class FilterChanges<K extends Key> {
  readonly #byId = new Map<string, { readonly key: K; readonly isAdded: boolean }>();

  constructor(added: Iterable<K>) {
    for (const key of added) this.add(key);
  }

  add(key: K): void {
    this.#byId.set(identityOf(key), { key, isAdded: true });
  }

  remove(key: K): void {
    this.#byId.set(identityOf(key), { key, isAdded: false });
  }

  isAdded(key: K): boolean {
    return this.#byId.get(identityOf(key))?.isAdded === true;
  }

  [Symbol.iterator](): Iterator<{ readonly key: K; readonly isAdded: boolean }> {
    return this.#byId.values();
  }
}
