import { BloomFilter, optimalBits } from 'bloomery';
import { CommandError, nameOf } from './errors.ts';
import { byteSize, plural } from './figures.ts';
import { countKeys, selectKeys, splitKeys, type TextKeys } from './keys.ts';
import { type AnyFilter, makeFilter } from './kinds.ts';

/** A larger filter is not opened: others of its size follow instead. */
const LARGEST_BYTES = 2 ** 31;

/** There is no room for another key. */
export class FullError extends CommandError {}

/** A filter, and how many more keys it may get. */
interface Opened {
  readonly filter: AnyFilter;
  readonly room: number;
}

/** Opens the filter for further keys, after `read` keys. Throws a FullError if there is none. */
type Open = (filters: readonly AnyFilter[], read: number) => Opened;

/** Finds the first occurrence of each key. It keeps the keys in filters, of which only the last one gets more. */
export class Seen {
  readonly #open: Open;
  readonly #older: AnyFilter[] = [];
  #last: AnyFilter;
  #room: number;
  /** The number of keys read so far. */
  #read = 0;

  constructor({ filter, room }: Opened, open: Open) {
    this.#open = open;
    this.#last = filter;
    this.#room = room;
  }

  get filters(): readonly AnyFilter[] {
    return [...this.#older, this.#last];
  }

  /**
   * Yields the keys that occur for the first time, in their order, in parts.
   *
   * @throws FullError when there is no room for another key; those before it have been yielded
   */
  *dedupe<K extends TextKeys>(keys: K): Generator<K, void, undefined> {
    const count = countKeys(keys);
    if (count === 0) return;
    if (count <= this.#room || countKeys(omitAll(keys, this.filters)) <= this.#room) {
      const fresh = selectKeys(omitAll(keys, this.#older), (some) => this.#last.dedupe(some));
      this.#room -= countKeys(fresh);
      this.#read += count;
      yield fresh;
    } else if (count === 1) {
      this.#openNext();
      yield* this.dedupe(keys);
    } else {
      // Halved until the new keys fit, or only one is left: so the filter is filled to its capacity, and no further.
      for (const half of splitKeys(keys, Math.ceil(count / 2))) yield* this.dedupe(half);
    }
  }

  #openNext(): void {
    const { filter, room } = this.#open(this.filters, this.#read);
    this.#older.push(this.#last);
    this.#last = filter;
    this.#room = room;
  }
}

function omitAll<K extends TextKeys>(keys: K, filters: readonly AnyFilter[]): K {
  return filters.reduce((rest, filter) => selectKeys(rest, (some) => filter.omit(some)), keys);
}

/**
 * Keeps the keys in filters of doubling capacity and halving error rates, the first one of half the rate that is
 * promised: so their sum stays below it, however many keys there are.
 *
 * @param maxMemory the most bytes that all filters may take
 */
export function growingSeen(capacity: number, errorRate: number, maxMemory: number): Seen {
  const open: Open = (filters, read) => {
    const last = filters.at(-1);
    const rate = (last?.errorRate ?? errorRate) / 2;
    const bytesPerKey = optimalBits(1e6, rate) / 8e6;
    const used = filters.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const fits = Math.floor(Math.min(maxMemory - used, LARGEST_BYTES) / bytesPerKey);
    const keys = Math.min(last ? 2 * last.capacity : capacity, fits);
    if (keys < 1) {
      throw new FullError(
        `--max-memory ${byteSize(maxMemory)} is full after ${plural(read, 'line')}: ` +
          'to read more, raise it or --error-rate',
      );
    }
    return { filter: makeFilter(BloomFilter, { capacity: keys, errorRate: rate }), room: keys };
  };
  return new Seen(open([], 0), open);
}

/** Keeps the keys in one saved filter, up to its capacity. */
export function savedSeen(filter: AnyFilter, name: string): Seen {
  const { capacity } = filter;
  return new Seen({ filter, room: Math.max(0, capacity - Math.round(filter.estimateCount())) }, (_filters, read) => {
    throw new FullError(
      `${nameOf(name)} is full after ${plural(read, 'line')}: it was made for ${plural(capacity, 'key')}. Go on with ` +
        `bloomery omit ${name} FILES | bloomery dedupe --seen NEW --capacity ${2 * capacity}`,
    );
  });
}
