import { BloomFilter, optimalBits } from 'bloomery';
import { RotatingBloomFilter } from 'bloomery/rotating';
import { optimalWideBlocks, WideBlockedBloomFilter } from 'bloomery/wide';
import { CommandError, nameOf } from './errors.ts';
import { byteSize, plural } from './figures.ts';
import { canBeFull, refusalOf } from './full.ts';
import { countKeys, mostKeys, selectKeys, splitKeys, type TextKeys } from './keys.ts';
import { type GrowingFilter, isEndless, makeFilter } from './kinds.ts';

/** A larger filter is not opened: others of its size follow instead. */
const LARGEST_BYTES = 2 ** 31;
/** Wide filters, the fastest here, have no lower error rates. Classic ones do. */
const LEAST_WIDE_RATE = 1e-8;
const WIDE_BLOCK_BYTES = 64;

/** There is no room for another key. */
export class FullError extends CommandError {}

/** A filter, and how many more keys it may get. */
interface Opened {
  readonly filter: GrowingFilter;
  readonly room: number;
}

/**
 * Opens the filter for further keys, after `read` keys, and after the last filter has refused a key if there is a
 * `refusal`. Throws a FullError if there is none.
 */
type Open = (filters: readonly GrowingFilter[], read: number, refusal?: string) => Opened;

/** Finds the first occurrence of each key. It keeps the keys in filters, of which only the last one gets more. */
export class Seen {
  readonly #open: Open;
  /** Whether to count the lines read, for the error when there is no more room. That takes time. */
  readonly #countsRead: boolean;
  readonly #older: GrowingFilter[] = [];
  #last: GrowingFilter;
  #room: number;
  /** The number of keys read so far. */
  #read = 0;

  /** @param isBounded whether `open` may fail */
  constructor({ filter, room }: Opened, open: Open, isBounded: boolean) {
    this.#open = open;
    this.#countsRead = isBounded;
    this.#last = filter;
    this.#room = room;
  }

  get filters(): readonly GrowingFilter[] {
    return [...this.#older, this.#last];
  }

  /** How many keys later a key is still remembered. */
  get memory(): number {
    return this.#last.kind === 'rotating' ? this.#last.capacity : Number.POSITIVE_INFINITY;
  }

  /**
   * Yields the keys that occur for the first time, in their order, in parts.
   *
   * @throws FullError when there is no room for another key; those before it have been yielded
   */
  *dedupe<K extends TextKeys>(keys: K): Generator<K, void, undefined> {
    if (mostKeys(keys) <= this.#room || countKeys(omitAll(keys, this.filters)) <= this.#room) {
      const unseen = omitAll(keys, this.#older);
      if (canBeFull(this.#last)) yield* this.#addOrRefuse(unseen);
      else yield this.#add(unseen);
      if (this.#countsRead) this.#read += countKeys(keys);
      return;
    }
    const count = countKeys(keys);
    if (count === 1) {
      this.#openNext();
      yield* this.dedupe(keys);
    } else {
      // Halved until the new keys fit, or only one is left: so the filter is filled to its capacity, and no further.
      for (const half of splitKeys(keys, Math.ceil(count / 2))) yield* this.dedupe(half);
    }
  }

  /** Adds keys to the last filter, and returns those that were new. */
  #add<K extends TextKeys>(keys: K): K {
    const fresh = selectKeys(keys, (some) => this.#last.dedupe(some));
    this.#room -= countKeys(fresh);
    return fresh;
  }

  /**
   * Adds keys to a last filter that may refuse one, and yields those that were new, in parts. A filter that refuses a
   * key has added those before it, but does not tell which of them were new.
   */
  *#addOrRefuse<K extends TextKeys>(keys: K): Generator<K, void, undefined> {
    const absent = omitAll(keys, [this.#last]);
    try {
      yield this.#add(absent);
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === undefined) throw error;
      const { reason, position } = refusal;
      const [added, others] = splitKeys(absent, position);
      yield selectKeys(added, (some) => emptySeen(Math.max(1, position), LEAST_WIDE_RATE).dedupe(some));
      this.#openNext(reason);
      yield* this.dedupe(others);
    }
  }

  #openNext(refusal?: string): void {
    const { filter, room } = this.#open(this.filters, this.#read, refusal);
    this.#older.push(this.#last);
    this.#last = filter;
    this.#room = room;
  }
}

function omitAll<K extends TextKeys>(keys: K, filters: readonly GrowingFilter[]): K {
  return filters.reduce((rest, filter) => selectKeys(rest, (some) => filter.omit(some)), keys);
}

/**
 * How many keys a wide filter can be made for, which takes at most `most` bytes: all that are wanted, or those that
 * fit into the largest filter. 0 if there is no such filter.
 */
function wideKeys(wanted: number, rate: number, most: number): number {
  if (rate < LEAST_WIDE_RATE) return 0;
  const largest = Math.floor(LARGEST_BYTES / ((WIDE_BLOCK_BYTES * optimalWideBlocks(1e6, rate)) / 1e6));
  const keys = Math.min(wanted, largest);
  return WIDE_BLOCK_BYTES * optimalWideBlocks(keys, rate) <= most ? keys : 0;
}

/**
 * Keeps the keys in filters of doubling capacity and halving error rates, the first one of half the rate that is
 * promised: so their sum stays below it, however many keys there are. They are wide as long as there are such filters,
 * and memory for them; then classic ones follow, which are slower, but smaller.
 *
 * This is the scheme of `ScalableBloomFilter`, whose slices are all classic. At this error rate a key has 22 bits and
 * more there, each in another cache line: `dedupe` of 3.2 million URLs took 3.7 s with one, and 2.2 s with wide
 * filters.
 *
 * @param maxMemory the most bytes that all filters may take
 */
export function growingSeen(capacity: number, errorRate: number, maxMemory: number): Seen {
  const open: Open = (filters, read) => {
    const last = filters.at(-1);
    const rate = (last?.errorRate ?? errorRate) / 2;
    const wanted = last ? 2 * last.capacity : capacity;
    const left = maxMemory - filters.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const inBlocks = wideKeys(wanted, rate, left);
    if (inBlocks > 0) {
      return { filter: makeFilter(WideBlockedBloomFilter, { capacity: inBlocks, errorRate: rate }), room: inBlocks };
    }
    const bytesPerKey = optimalBits(1e6, rate) / 8e6;
    const keys = Math.min(wanted, Math.floor(Math.min(left, LARGEST_BYTES) / bytesPerKey));
    if (keys < 1) {
      throw new FullError(
        `--max-memory ${byteSize(maxMemory)} is full after ${plural(read, 'line')}: ` +
          'to read more, raise it or --error-rate',
      );
    }
    return { filter: makeFilter(BloomFilter, { capacity: keys, errorRate: rate }), room: keys };
  };
  return new Seen(open([], 0), open, Number.isFinite(maxMemory));
}

/** Makes an empty filter for `--seen`: a wide one if it can be had. */
export function emptySeen(capacity: number, errorRate: number): GrowingFilter {
  try {
    return makeFilter(WideBlockedBloomFilter, { capacity, errorRate });
  } catch {
    return makeFilter(BloomFilter, { capacity, errorRate });
  }
}

/** Makes an empty filter that forgets all but the last keys. */
export function emptyLast(capacity: number, errorRate: number): GrowingFilter {
  return makeFilter(RotatingBloomFilter, { capacity, errorRate });
}

/** Keeps the keys in one filter that is never full. */
export function endlessSeen(filter: GrowingFilter): Seen {
  const open: Open = () => {
    throw new Error('a filter that is never full was full');
  };
  return new Seen({ filter, room: Number.POSITIVE_INFINITY }, open, false);
}

/** Keeps the keys in one saved filter, up to its capacity if it can be full. */
export function savedSeen(filter: GrowingFilter, name: string): Seen {
  if (isEndless(filter)) return endlessSeen(filter);
  const { capacity } = filter;
  const open: Open = (_filters, read, refusal) => {
    const reason = refusal
      ? `has no room for another line: ${refusal}`
      : `is full after ${plural(read, 'line')}: it was made for ${plural(capacity, 'key')}`;
    throw new FullError(
      `${nameOf(name)} ${reason}. Go on with ` +
        `bloomery omit ${name} FILES | bloomery dedupe --seen NEW --capacity ${2 * capacity}`,
    );
  };
  const room = Math.max(0, capacity - Math.round(filter.estimateCount()));
  return new Seen({ filter, room }, open, true);
}
