import { BloomFilter, optimalBits } from 'bloomery';
import { CommandError, quote } from './errors.ts';
import { byteSize, plural } from './figures.ts';
import { countKeys, splitKeys, type TextKeys } from './keys.ts';
import { type AnyFilter, makeFilter } from './kinds.ts';

/** A larger filter is not opened: others of its size follow instead. */
const LARGEST_BYTES = 2 ** 31;

/** So many keys before it is full, a filter gets no more: so few at a time would be slow. */
const SPARE = 100;

/** There is no room for another key. */
export class FullError extends CommandError {}

/** A filter, and how many more keys it may get. */
interface Opened {
  readonly filter: AnyFilter;
  readonly room: number;
}

/** Opens the filter for further keys. Throws a FullError if there is none. */
type Open = (filters: readonly AnyFilter[], read: number) => Opened;

/** Finds the first occurrence of each key. It keeps the keys in filters, of which only the last one gets more. */
export class Seen {
  readonly filters: AnyFilter[] = [];
  readonly #open: Open;
  #room = 0;
  /** The number of keys read so far. */
  #read = 0;

  /** @param first a filter to begin with; by default, one is opened for the first key */
  constructor(open: Open, first?: Opened) {
    this.#open = open;
    if (first) this.#use(first);
  }

  /**
   * Yields the keys that occur for the first time, in their order, in parts.
   *
   * @throws FullError when there is no room for another key; those before it have been yielded
   */
  *dedupe(keys: TextKeys): Generator<TextKeys, void, undefined> {
    for (let rest = keys; countKeys(rest) > 0; ) {
      if (this.#room < 1) {
        rest = this.#skipSeen(rest);
        if (countKeys(rest) === 0) return;
        this.#use(this.#open(this.filters, this.#read));
      }
      const [head, tail] = splitKeys(rest, this.#room);
      const fresh = this.filters.at(-1)?.dedupe(this.#omit(head, this.filters.slice(0, -1))) ?? head;
      this.#room -= countKeys(fresh);
      this.#read += countKeys(head);
      yield fresh;
      rest = tail;
    }
  }

  /** The keys from the first one on that is new. */
  #skipSeen(keys: TextKeys): TextKeys {
    const isSeen = (some: TextKeys): boolean => countKeys(this.#omit(some, this.filters)) === 0;
    let rest = keys;
    for (let step = countKeys(keys); countKeys(rest) > 0; step = 1) {
      const [head, tail] = splitKeys(rest, step);
      if (isSeen(head)) {
        this.#read += countKeys(head);
        rest = tail;
      } else if (step === 1) {
        return rest;
      }
    }
    return rest;
  }

  #omit(keys: TextKeys, filters: readonly AnyFilter[]): TextKeys {
    return filters.reduce((rest: TextKeys, filter) => filter.omit(rest), keys);
  }

  #use({ filter, room }: Opened): void {
    this.filters.push(filter);
    this.#room = room;
  }
}

/**
 * Keeps the keys in filters of doubling capacity and halving error rates, the first one of half the rate that is
 * promised: so their sum stays below it, however many keys there are.
 *
 * @param maxMemory the most bytes that all filters may take
 */
export function growingSeen(capacity: number, errorRate: number, maxMemory: number): Seen {
  return new Seen((filters, read) => {
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
    const spare = Math.min(SPARE, Math.floor(keys / 100));
    return { filter: makeFilter(BloomFilter, { capacity: keys, errorRate: rate }), room: keys - spare };
  });
}

/** Keeps the keys in one saved filter, up to its capacity. */
export function savedSeen(filter: AnyFilter, name: string): Seen {
  const { capacity } = filter;
  const full: Open = (_filters, read) => {
    throw new FullError(
      `${quote(name)} is full after ${plural(read, 'line')}: it was made for ${plural(capacity, 'key')}; ` +
        'save the next ones in another filter, made with a larger --capacity',
    );
  };
  return new Seen(full, { filter, room: capacity - Math.round(filter.estimateCount()) });
}
