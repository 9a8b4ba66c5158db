import { BloomFilter, FilterFullError, KeyLines, optimalBits } from 'bloomery';
import { HashedKeys, hashKeys } from 'bloomery/hash';
import { RotatingBloomFilter } from 'bloomery/rotating';
import { optimalWideBlocks, WideBlockedBloomFilter } from 'bloomery/wide';
import { CommandError, nameOf, wordOf } from '../errors.ts';
import { byteSize, plural } from '../numbers.ts';
import type { Section } from '../text/cut.ts';
import type { TextKeys } from '../text/records.ts';
import { type GrowingFilter, isEndless, makeFilter, traitsOf } from './kinds.ts';
import { Mistakes } from './mistakes.ts';

/** A false positive loses a line of `dedupe`, so the default is lower than elsewhere. */
export const ERROR_RATE = 1e-6;
/** A larger filter is not opened: others of its size follow instead. */
const LARGEST_BYTES = 2 ** 31;
/** Wide filters, the fastest here, have no lower error rates. Classic ones do. */
const LEAST_WIDE_RATE: number = WideBlockedBloomFilter.traits.leastErrorRate(1);
export const WIDE_BLOCK_BYTES = 64;
const HASH_BYTES = 16;

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

/** Selects some keys of a text, which it gets in order, as keys or as their hashes. */
export interface Flagging {
  /** The seed of the hashes that it takes. */
  readonly seed: number;
  /** Why there is no room for another key. */
  readonly full: FullError | undefined;
  select(keys: TextKeys): KeyLines | Uint8Array;
  /** As `select`, for the hashes of keys: 1 for each that is selected, else 0. */
  flag(hashes: HashedKeys): Uint8Array<ArrayBuffer>;
}

/** As `Flagging`, and tells what it has selected. */
export interface Selecting extends Flagging {
  /** Whether it errs only if two keys have the same fingerprint. */
  readonly isExact: boolean;
  readonly filters: readonly GrowingFilter[];
  /** The number of keys selected so far. */
  readonly count: number;
  /** Begins to measure how many mistakes are expected, before any key is read. */
  watch(): void;
  /** The expected number of keys selected wrongly, or wrongly not selected, if it is measured; else NaN. */
  expectedMistakes(): number;
}

/** Finds the first occurrence of each key. It keeps the keys in filters, and adds new keys to the last one only. */
export class Seen implements Selecting {
  readonly isExact = false;
  readonly #open: Open;
  /** Whether to count the lines read, for the error when there is no more room. That takes time. */
  readonly #countsRead: boolean;
  readonly #older: GrowingFilter[] = [];
  #last: GrowingFilter;
  #room: number;
  /** The number of keys read so far. */
  #read = 0;
  /** Why the last filter refused a key. */
  #refusal: string | undefined;
  #mistakes: Mistakes | undefined;
  /** The number of keys so far that occurred for the first time. */
  count = 0;
  /** Why there is no room for another key. */
  full: FullError | undefined;

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

  watch(): void {
    this.#mistakes = new Mistakes(this.#last);
  }

  expectedMistakes(): number {
    return this.#mistakes?.expected() ?? Number.NaN;
  }

  /** Selects the keys that occur for the first time, but none from the first one on for which there is no room. */
  select(keys: TextKeys): KeyLines | Uint8Array {
    if (this.full) return new Uint8Array(0);
    // Each line has a byte or more.
    if (keys instanceof KeyLines && this.#takes(keys.bytes.length)) return this.#pickLines(keys);
    return this.flag(hashKeys(keys, { seed: this.seed }));
  }

  /** The seed of the hashes of all filters. */
  get seed(): number {
    return this.#last.seed;
  }

  /** Flags the hashes of keys that occur for the first time, but none from the first one on for which there is no room. */
  flag(hashes: HashedKeys): Uint8Array<ArrayBuffer> {
    const { step = Number.POSITIVE_INFINITY } = this.#mistakes ?? {};
    if (hashes.length <= step) return this.#flagAtOnce(hashes);
    const most = Math.ceil(step);
    const flags = new Uint8Array(hashes.length);
    for (let at = 0; at < flags.length; at += most) flags.set(this.#flagAtOnce(part(hashes, at, at + most)), at);
    return flags;
  }

  #flagAtOnce(hashes: HashedKeys): Uint8Array<ArrayBuffer> {
    const flags = new Uint8Array(hashes.length);
    if (this.full) return flags;
    if (!this.#takes(hashes.length)) return this.#flagWhileRoom(hashes);
    const { absent, places } = absentFrom(this.#older, hashes);
    const fresh = places ? new Uint8Array(absent.length) : flags;
    this.#last.addMany(absent, fresh);
    if (places) for (let i = 0; i < places.length; i++) flags[places[i] as number] = fresh[i] as number;
    this.#read += hashes.length;
    this.#count(fresh.reduce((sum, flag) => sum + flag, 0));
    return flags;
  }

  /** Whether the last filter takes `keys` more keys, whatever they are. */
  #takes(keys: number): boolean {
    return keys <= this.#room && !traitsOf(this.#last).canBeFull;
  }

  /** Each filter hashes the lines again. Hashing them once, and copying those that are flagged, takes longer. */
  #pickLines(keys: KeyLines): KeyLines {
    if (this.#countsRead) this.#read += keys.count();
    const fresh = this.#last.dedupe(omitAll(keys, this.#older));
    this.#count(fresh.count());
    return fresh;
  }

  /** Fills the last filter to its capacity, and no further. */
  #flagWhileRoom(hashes: HashedKeys): Uint8Array<ArrayBuffer> {
    const marks = new Marks(hashes);
    let absent = omitAll(hashes, this.filters);
    try {
      while (absent.length > 0) {
        if (this.#room < 1) this.#openNext(this.#read + marks.placeOf(absent));
        const [fresh, added] = this.#add(part(absent, 0, this.#room));
        marks.set(fresh);
        this.#count(fresh.length);
        absent = this.#last.omit(part(absent, added));
      }
    } catch (error) {
      if (!(error instanceof FullError)) throw error;
      this.full = error;
    }
    this.#read += hashes.length;
    return marks.flags;
  }

  /**
   * Adds absent keys, up to the first one that the filter refuses. Returns those that were new, and how many it added.
   * A filter that refuses a key does not tell which of those before it were new.
   */
  #add(keys: HashedKeys): [fresh: HashedKeys, added: number] {
    try {
      return [this.#last.dedupe(keys), keys.length];
    } catch (error) {
      if (!(error instanceof FilterFullError)) throw error;
      const { reason, position } = error;
      this.#refusal = reason;
      this.#room = 0;
      return [part(keys, 0, position).distinct(), position];
    }
  }

  #count(fresh: number): void {
    this.count += fresh;
    this.#room -= fresh;
    this.#mistakes?.add(fresh);
  }

  /** @param read the number of keys read before the one for which there is no room */
  #openNext(read: number): void {
    const { filter, room } = this.#open(this.filters, read, this.#refusal);
    this.#older.push(this.#last);
    this.#last = filter;
    this.#room = room;
    this.#mistakes?.open(filter);
  }
}

/** The hashes from one position to another. */
export function part({ bytes, seed }: HashedKeys, from: number, to = Number.POSITIVE_INFINITY): HashedKeys {
  return new HashedKeys(bytes.subarray(HASH_BYTES * from, HASH_BYTES * to), seed);
}

/** The keys that no filter has. The last filters are the largest, and leave the fewest keys to the others. */
function omitAll<K extends KeyLines | HashedKeys>(keys: K, filters: readonly GrowingFilter[]): K {
  return filters.reduceRight<KeyLines | HashedKeys>((rest, filter) => filter.omit(rest), keys) as K;
}

/** Some of many hashes, and the place of each among them; undefined if they are all. */
interface Absent {
  readonly absent: HashedKeys;
  readonly places: Uint32Array | undefined;
}

/** The hashes that no filter has. The last filters are the largest, and leave the fewest hashes to the others. */
function absentFrom(filters: readonly GrowingFilter[], hashes: HashedKeys): Absent {
  if (filters.length === 0) return { absent: hashes, places: undefined };
  const all = wordsOf(hashes);
  const words = new Uint32Array(all.length);
  const places = new Uint32Array(hashes.length);
  for (let i = 0; i < places.length; i++) places[i] = i;
  let absent = hashes;
  for (const filter of [...filters].reverse()) {
    const flags = filter.hasMany(absent);
    let left = 0;
    // Without a branch, which would be mispredicted.
    for (let i = 0; i < flags.length; i++) {
      places[left] = places[i] as number;
      left += 1 - (flags[i] as number);
    }
    for (let i = 0; i < left; i++) {
      const [from, to] = [4 * (places[i] as number), 4 * i];
      words[to] = all[from] as number;
      words[to + 1] = all[from + 1] as number;
      words[to + 2] = all[from + 2] as number;
      words[to + 3] = all[from + 3] as number;
    }
    absent = new HashedKeys(new Uint8Array(words.buffer, 0, HASH_BYTES * left), hashes.seed);
  }
  return { absent, places: places.subarray(0, absent.length) };
}

/** Flags some of many hashes, from the first to the last. */
class Marks {
  /** A flag for each hash. */
  readonly flags: Uint8Array<ArrayBuffer>;
  readonly #words: Uint32Array;
  /** The number of hashes up to the last one that was flagged. */
  #passed = 0;

  constructor(hashes: HashedKeys) {
    this.flags = new Uint8Array(hashes.length);
    this.#words = wordsOf(hashes);
  }

  /** The number of hashes before the first of `some`, which comes after the last one that was flagged. */
  placeOf(some: HashedKeys): number {
    return placeOf(this.#words, this.#passed, wordsOf(some), 0);
  }

  /** Flags `some` of the hashes, which come in the same order after the last one that was flagged. */
  set(some: HashedKeys): void {
    const [all, words] = [this.#words, wordsOf(some)];
    let place = this.#passed;
    for (let i = 0; i < words.length; i += 4) {
      place = placeOf(all, place, words, i);
      this.flags[place++] = 1;
    }
    this.#passed = place;
  }
}

/** The four words of each hash. */
export function wordsOf({ bytes }: HashedKeys): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

/** Where the hash at `words[i]` is among all, from place `from` on. */
function placeOf(all: Uint32Array, from: number, words: Uint32Array, i: number): number {
  let place = from;
  while (
    all[4 * place] !== words[i] ||
    all[4 * place + 1] !== words[i + 1] ||
    all[4 * place + 2] !== words[i + 2] ||
    all[4 * place + 3] !== words[i + 3]
  ) {
    place++;
  }
  return place;
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
 * This is the scheme of `ScalableBloomFilter`, whose sub-filters are all classic. At this error rate a key has 22 bits
 * and more there, each in another cache line: `dedupe` of 3.2 million URLs took 3.7 s with one, and 2.2 s with wide
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

/** Makes an empty filter for `--seen`: a wide one if that can have this size and error rate, else a classic one. */
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
    throw new Error('a filter of unlimited room was reported full');
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
        `bloomery omit ${wordOf(name)} FILES | ` +
        `bloomery dedupe --seen NEW --error-rate ${filter.errorRate} --capacity ${2 * capacity}`,
    );
  };
  const room = Math.max(0, capacity - Math.round(filter.estimateCount()));
  return new Seen({ filter, room }, open, true);
}

/** The text up to the section in which there is no room for another line. */
export async function* untilFull<P extends Section>(sections: AsyncIterable<P>, seen: Flagging): AsyncGenerator<P> {
  for await (const section of sections) {
    yield section;
    if (seen.full) return;
  }
}
