import type { Instance } from '../kernel/instance.ts';
import { mustBe, requireFunction } from '../util/checks/validate.ts';
import { counterOf, isIterable, KEYS_AHEAD, LENGTH_AHEAD } from './iterables.ts';
import { type Key, requireKey } from './key.ts';
import { hashRun } from './runs.ts';
import { type Readable, SOURCE, type Source } from './source.ts';

/** What an iterable gives, one at a time. */
export type ItemOf<I> = I extends Iterable<infer T> ? T : never;

/** Items with a key each; made by `by(items, keyOf)`. */
export class KeyItems<I extends Iterable<unknown> = Iterable<unknown>> implements Readable {
  /** The items. Not a copy. */
  readonly items: I;
  /** Returns the key of an item. Its parameter is declared so that the type of all items includes that of some. */
  readonly keyOf: (item: never) => Key;

  /** As `by`. */
  constructor(items: I, keyOf: (item: ItemOf<I>) => Key) {
    if (!isIterable(items)) throw new TypeError(mustBe('items', 'an array or another iterable', items));
    requireFunction('keyOf', keyOf);
    this.items = items;
    this.keyOf = keyOf;
  }

  /**
   * Gives these items with their keys read by another source, as the rules of a format want it.
   *
   * @param read makes the source of the keys
   * @internal
   */
  under(read: (keys: Iterable<Key>) => Source): Readable {
    return { [SOURCE]: () => new ReadItems(this, read) };
  }

  /** @internal */
  [SOURCE](): Source {
    return new ItemSource(this);
  }
}

/**
 * Objects, or anything else that is not itself a key, as keys: by what `keyOf` returns for each. `pick`, `omit` and
 * `dedupe` return the items in an array, and every other method that takes many keys takes them too.
 *
 * ```ts
 * const seen = new BloomFilter({ capacity: 1_000_000, errorRate: 1e-6 });
 * const fresh = seen.dedupe(by(articles, (article) => article.url)); // articles whose address is new
 * ```
 *
 * At most 768 items are read ahead, and `keyOf` is called once for each, in order. What it returns is hashed before more
 * items are read. If it throws, or returns something else than a key, the error is thrown after the keys before it have
 * been looked up or added: `keys[7]` in a message is the key of the eighth item.
 *
 * @param items an array, a `Set`, a `Map`, which gives pairs, or any other iterable
 * @param keyOf returns the key of an item
 * @throws TypeError unless `items` is an iterable object and `keyOf` a function
 */
export function by<I extends Iterable<unknown> & object>(items: I, keyOf: (item: ItemOf<I>) => Key): KeyItems<I> {
  return new KeyItems(items, keyOf);
}

/** Items that were read ahead, and the key of each. The arrays may have room for more than `count`. */
interface ItemsAhead {
  readonly items: readonly unknown[];
  readonly keys: readonly Key[];
  readonly count: number;
}

/** Hashes the key of each item, and keeps items. */
class ItemSource implements Source {
  readonly count: (() => number) | undefined;
  /** The items, if they are an array. */
  readonly #list: readonly unknown[] | undefined;
  readonly #items: Iterable<unknown>;
  /** Undefined until the first item is asked for. */
  #iterator: Iterator<unknown> | undefined;
  /** Whether the iterator has given all items, has thrown, or was closed. */
  #hasEnded = false;
  readonly #keyOf: (item: unknown) => unknown;
  readonly #kept: unknown[] = [];
  /** The number of items that were read. */
  #read = 0;
  /** Throws the error that reading the next item or its key gave. */
  #fail: (() => never) | undefined;
  ahead: ItemsAhead = { items: [], keys: [], count: 0 };
  /** The last chunk is `ahead` from `from` to `to`. */
  from = 0;
  to = 0;

  constructor({ items, keyOf }: KeyItems) {
    this.count = counterOf(items);
    if (Array.isArray(items)) this.#list = items;
    this.#items = items;
    this.#keyOf = keyOf as (item: unknown) => unknown;
  }

  collect(): boolean {
    this.from = this.to;
    if (this.from === this.ahead.count && !this.#fail && !this.#hasEnded) this.#readAhead();
    if (this.from < this.ahead.count) return true;
    this.#fail?.();
    return false;
  }

  /** Reads items ahead. Long keys end that early, so that those of a generator's items do not pile up in memory. */
  #readAhead(): void {
    this.#iterator ??= this.#items[Symbol.iterator]();
    const iterator = this.#iterator;
    const keyOf = this.#keyOf;
    // The length of a proxy may be anything.
    const most = Math.max(0, Math.min((this.#list?.length ?? Infinity) - this.#read, KEYS_AHEAD) | 0);
    const items: unknown[] = new Array(most);
    const keys: Key[] = new Array(most);
    let count = 0;
    let length = 0;
    let hasEnded = false;
    try {
      for (; count < most && length < LENGTH_AHEAD; count++) {
        hasEnded = true;
        const { done, value: item } = iterator.next();
        if (done) break;
        hasEnded = false;
        const key = keyOf(item);
        if (typeof key === 'string') {
          length += key.length;
          keys[count] = key;
        } else {
          requireKey(key, this.#read + count);
          // Copied, because the function may return the same buffer again with new contents.
          const own = typeof key === 'object' ? new Uint8Array(key) : key;
          length += (own as { readonly length?: number }).length ?? 0;
          keys[count] = own;
        }
        items[count] = item;
      }
    } catch (error) {
      this.#fail = () => {
        throw error;
      };
    }
    this.#hasEnded = hasEnded;
    this.#read += count;
    this.ahead = { items, keys, count };
    this.from = 0;
    this.to = 0;
  }

  hash(instance: Instance, seed: number): number {
    const { keys, count } = this.ahead;
    this.to = this.from + hashRun(keys, this.from, count, instance, seed);
    return this.to - this.from;
  }

  keep({ scratch }: Instance, wanted: number): void {
    const { flagBytes } = scratch;
    for (let i = this.from; i < this.to; i++) {
      if (flagBytes[i - this.from] === wanted) this.#kept.push(this.ahead.items[i]);
    }
  }

  kept(): unknown[] {
    return this.#kept;
  }

  close(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#iterator?.return?.();
  }
}

/** Has the keys of items read by another source, and keeps the items. */
class ReadItems implements Source {
  readonly count: (() => number) | undefined;
  readonly #keys: Source;
  readonly #kept: unknown[] = [];
  /** The items whose keys were read and not all hashed yet. */
  #items: unknown[] = [];
  /** The last chunk is the items from `from` to `to`. */
  from = 0;
  to = 0;

  constructor({ items, keyOf }: KeyItems, read: (keys: Iterable<Key>) => Source) {
    this.count = counterOf(items);
    this.#keys = read(this.#read(items, keyOf as (item: unknown) => Key));
  }

  *#read(items: Iterable<unknown>, keyOf: (item: unknown) => Key): Generator<Key, void> {
    for (const item of items) {
      this.#items.push(item);
      yield keyOf(item);
    }
  }

  collect(): boolean {
    this.from = this.to;
    if (this.from === this.#items.length) {
      this.#items = [];
      this.from = 0;
      this.to = 0;
    }
    return this.#keys.collect();
  }

  hash(instance: Instance, seed: number): number {
    const count = this.#keys.hash(instance, seed);
    this.to = this.from + count;
    return count;
  }

  keep({ scratch }: Instance, wanted: number): void {
    const { flagBytes } = scratch;
    for (let i = this.from; i < this.to; i++) {
      if (flagBytes[i - this.from] === wanted) this.#kept.push(this.#items[i]);
    }
  }

  kept(): unknown[] {
    return this.#kept;
  }

  close(): void {
    this.#keys.close?.();
  }
}
