import type { Key } from '../keys/key.ts';
import { requireOptions } from '../util/checks/options.ts';
import { mustBe, requireInteger, requireRate } from '../util/checks/validate.ts';
import { type GuardFilter, requireAnswer, requireDone } from './filter.ts';

/** The filter that takes over: one that takes new keys. */
export interface Successor extends GuardFilter {
  add(key: Key): unknown;
}

/** The options of a handover. */
export interface HandoverOptions {
  /**
   * About how many of the latest keys that look present count for `oldShare`, 1 … 2^32; default 10,000.
   */
  window?: number | undefined;
  /** Below this `oldShare`, `isDone` is true: a number between 0 and 1, default 0.01. */
  share?: number | undefined;
}

/**
 * Replaces a filter that has become too small by a larger one while both answer. The keys are not read again, so they
 * need not be stored elsewhere. Use it for a filter of seen URLs, for example.
 *
 * New keys go to the new filter. A key is looked up in the new filter first, then in the old one. A key that only the
 * old one has moves to the new one. So the new filter learns the keys that are in use, with the few absent ones for
 * which the old filter errs. When hardly any key is found in the old one alone, `isDone` is true: use `next` from then
 * on.
 *
 * **Keys that nobody asked for meanwhile are lost with the old filter.** If every key counts, make the new filter from
 * a list of the keys: see `rebuild` of `guard`.
 *
 * ```ts
 * const seen = new FilterHandover(small, new BloomFilter({ capacity: 10_000_000 }));
 * seen.has('https://example.com/');
 * if (seen.isDone) filter = seen.next;
 * ```
 */
export class FilterHandover<F extends GuardFilter, G extends Successor> {
  /** The old filter, which is only read. */
  readonly old: F;
  /** The new filter. */
  readonly next: G;
  readonly #window: number;
  readonly #share: number;
  #oldShare = 1;
  #present = 0;

  /**
   * @throws TypeError unless `old` is a filter and `next` one that takes keys; TypeError or RangeError if an option is
   *   wrong
   */
  constructor(old: F, next: G, options: HandoverOptions = {}) {
    if (typeof old?.has !== 'function') throw new TypeError(mustBe('old', 'a filter', old));
    if (typeof next?.add !== 'function') throw new TypeError(mustBe('next', 'a filter with add()', next));
    requireOptions(options, '{ share: 0.001 }', ['window', 'share']);
    const { window = 10_000, share = 0.01 } = options;
    this.old = old;
    this.next = next;
    this.#window = requireInteger('window', window, 1, 2 ** 32);
    this.#share = requireRate('share', share);
  }

  /**
   * The share of the latest keys that look present for which the old filter was needed, 0 … 1. It is an average in
   * which a key counts less the more keys came after it, and is 1 before the first key.
   */
  get oldShare(): number {
    return this.#oldShare;
  }

  /** Whether the old filter is hardly needed: after `window` keys that look present, `oldShare` is below `share`. */
  get isDone(): boolean {
    return this.#present >= this.#window && this.#oldShare < this.#share;
  }

  /**
   * Whether a key may be present in either filter. Moves a key that only the old one has.
   *
   * @throws TypeError | RangeError if `key` is not a key; FilterFullError if the new filter is full; TypeError if a filter
   *   answers with a promise, as one in Redis does
   */
  has(key: Key): boolean {
    const isNew = requireAnswer('next.has()', this.next.has(key));
    if (!isNew) {
      if (!requireAnswer('old.has()', this.old.has(key))) return false;
      this.#move(key);
    }
    this.#present++;
    // At first the plain mean, so that the first keys do not count too much.
    this.#oldShare += ((isNew ? 0 : 1) - this.#oldShare) / Math.min(this.#present, this.#window);
    return true;
  }

  /**
   * Adds a key to the new filter, unless one of the filters has it. A key that only the old one has moves.
   *
   * @returns true if the key was certainly absent from both
   * @throws TypeError | RangeError if `key` is not a key; FilterFullError if the new filter is full
   */
  add(key: Key): boolean {
    if (this.has(key)) return false;
    this.#move(key);
    return true;
  }

  #move(key: Key): void {
    requireDone('next.add()', this.next.add(key));
  }
}
