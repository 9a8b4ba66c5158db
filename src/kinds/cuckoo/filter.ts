import { BoundedFilter } from '../../filters/bounded-filter.ts';
import { BoundedCells, type BoundedKind, REFUSED } from '../../filters/bounded-kind.ts';
import { type FromOptions, optionsFor, type PromiseOptions, type Without } from '../../filters/filter-options.ts';
import type { GrowingFilter } from '../../filters/growing-filter.ts';
import { hashAll } from '../../filters/hashing.ts';
import { CELLS, type FilterClass, KIND } from '../../filters/kind.ts';
import type { Saved } from '../../format/header.ts';
import type { CuckooExports } from '../../kernel/generated/cuckoo/exports.ts';
import { CHUNK_KEYS, HASH_BYTES, HASH_WORDS } from '../../kernel/scratch.ts';
import type { ManyKeys } from '../../keys/collections.ts';
import { distinctHashes } from '../../keys/distinct.ts';
import { textOf, writeKey } from '../../keys/encode.ts';
import type { Key } from '../../keys/key.ts';
import {
  BUCKET_SLOTS,
  capacityOf,
  expectedCuckooErrorRate,
  FINGERPRINT_BITS,
  leastCuckooErrorRate,
  MAX_BUCKETS,
  optimalCuckooBuckets,
  optimalCuckooFingerprintBits,
  requireBuckets,
  requireFingerprintBits,
} from './sizing.ts';

/**
 * The options of a `CuckooFilter`: a capacity and an error rate, or the numbers of buckets and bits of a fingerprint.
 */
export type CuckooFilterOptions =
  | (PromiseOptions & Without<'buckets' | 'fingerprintBits'>)
  | ({
      /** The number of buckets, of four slots each: an even number from 2 to 2^30. */
      buckets: number;
      /** The number of bits of a fingerprint, 7 … 32. */
      fingerprintBits: number;
      /** The seed of the hash, 0 … 2^32 − 1; default 0. */
      seed?: number | undefined;
    } & Without<'capacity' | 'errorRate'>);

/** The number of buckets that may hold a key. */
const BUCKETS_PER_KEY = 2;

const sizeOf = (buckets: number, cellBits: number) => ({
  cellCount: BUCKET_SLOTS * buckets,
  hashes: BUCKETS_PER_KEY,
  cellBits,
});

const CUCKOO: BoundedKind<CuckooExports> = {
  id: 7,
  name: 'cuckoo',
  className: 'CuckooFilter',
  traits: {
    removes: true,
    canBeFull: true,
    grows: false,
    forgets: false,
    forgetsAny: false,
    leastErrorRate: leastCuckooErrorRate,
  },
  cellName: 'slots',
  cellBits: FINGERPRINT_BITS,
  allows: ({ cellCount, hashes }) =>
    hashes === BUCKETS_PER_KEY && cellCount % (2 * BUCKET_SLOTS) === 0 && cellCount <= BUCKET_SLOTS * MAX_BUCKETS,
  sizes: ['buckets', 'fingerprintBits'],
  sizeFor: (capacity, errorRate) =>
    sizeOf(optimalCuckooBuckets(capacity), optimalCuckooFingerprintBits(capacity, errorRate)),
  sizeOf: ({ buckets, fingerprintBits }) => sizeOf(requireBuckets(buckets), requireFingerprintBits(fingerprintBits)),
  errorRateAt: (count, { cellCount }, cellBits) => expectedCuckooErrorRate(count, cellCount / BUCKET_SLOTS, cellBits),
  cellsOf: (saved: Saved) => new Slots(saved),
  functions: {
    add: (kernel) => kernel.cuckoo_add,
    addAbsent: (kernel) => kernel.cuckoo_add_absent,
    has: (kernel) => kernel.cuckoo_has,
    remove: (kernel) => kernel.cuckoo_remove,
    removeKey: (kernel) => kernel.cuckoo_remove_key,
    count: (kernel) => kernel.cuckoo_count,
    countKey: (kernel) => kernel.cuckoo_count_key,
    merge: (kernel) => kernel.cuckoo_merge,
    stored: (kernel) => kernel.cuckoo_used,
  },
  mostCopies: BUCKETS_PER_KEY * BUCKET_SLOTS,
  capacityOf,
};

/**
 * Buckets of four slots. A slot is empty or holds a key's fingerprint, which the linked module computes from its hash.
 */
class Slots extends BoundedCells<CuckooExports> {
  constructor(saved: Saved) {
    super(saved, saved.parameters.cellCount / BUCKET_SLOTS);
  }

  get kind(): BoundedKind<CuckooExports> {
    return CUCKOO;
  }

  addKey(key: Key): boolean {
    const { region, seed, buckets, cellBits } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.addHashed(key);
    const { kernel, scratch } = instance;
    const answer = kernel.cuckoo_add_key(region.pointer, buckets, cellBits, text, scratch.keys, length, seed);
    if (answer === REFUSED) throw this.fullFor(key);
    this.change++;
    return answer === 1;
  }

  hasKey(key: Key): boolean {
    const { region, seed, buckets, cellBits } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.has(1) === 1;
    const { kernel, scratch } = instance;
    return kernel.cuckoo_has_key(region.pointer, buckets, cellBits, text, scratch.keys, length, seed) === 1;
  }

  /** Adds hashes, each of four words. */
  addHashes(words: Int32Array): void {
    const { instance } = this.region;
    const { memory, scratch } = instance;
    const most = HASH_WORDS * CHUNK_KEYS;
    for (let at = 0; at < words.length; at += most) {
      const some = words.subarray(at, at + most);
      new Int32Array(memory.buffer, scratch.hashes, some.length).set(some);
      this.add(some.length / HASH_WORDS, at / HASH_WORDS);
    }
  }

  /** The number of slots in use: each holds one key. */
  override used(): number {
    return this.stored();
  }
}

/**
 * A filter that can remove keys, in a quarter of the memory of a `CountingBloomFilter`.
 *
 * **Remove only what was added.** Removing a key that was never added, but looks present, removes another key, which
 * then looks absent.
 *
 * **It can be full.** When there is no room for a key, adding it throws a FilterFullError and changes nothing, so no
 * key is ever lost. Removing keys makes room. Most filters take a few more than `capacity` keys before they refuse one.
 *
 * **Every `add` stores a copy**, up to eight of a key, and every `remove` takes one away. A filter with many copies is
 * full long before it holds `capacity` keys. `CuckooFilter.from(keys)` stores each key once, and `dedupe` stores only
 * keys that look absent, and returns them.
 *
 * ```ts
 * const sessions = new CuckooFilter({ capacity: 1_000_000, errorRate: 0.001 });
 * sessions.add('ada');
 * sessions.remove('ada');
 * sessions.has('ada'); // false, or for 1 absent key in 1000: true
 * ```
 */
export class CuckooFilter extends BoundedFilter<CuckooFilterOptions> {
  /** @internal */
  static override readonly [KIND]: BoundedKind<CuckooExports> = CUCKOO;
  /** @internal */
  declare readonly [CELLS]: Slots;

  /**
   * Makes a filter that holds each of `keys` once, however often it is among them.
   *
   * Duplicates are removed first, by their hashes. That takes 32 bytes for each of the keys, duplicates included, beside
   * the filter. To store each copy, or to save that memory, use `addMany`.
   *
   * @param keys an array or iterable of keys, such as a generator, an integer array, lines, a column or hashes
   * @param options the constructor's options. The default capacity is the number of distinct keys.
   * @throws TypeError | RangeError if an option is unknown or out of range, or if one of `keys` is not a key
   * @throws FilterFullError if the capacity, or the size, that `options` give is too small; its `position` counts
   *   distinct keys
   */
  static override from<F extends GrowingFilter, Options, K>(
    this: FilterClass<F> & (new (options: Options) => F),
    keys: ManyKeys<K>,
    options?: FromOptions<Options>,
  ): F {
    const { engine, [KIND]: kind } = this;
    let isCounted = false;
    const count = (): number => {
      isCounted = true;
      return 1;
    };
    const read = optionsFor({ count }, kind, options);
    // Checks the options before any key is read, and tells the seed, which a subclass may choose.
    let filter = new this(read as Options);
    const words = distinctHashes(new Int32Array(hashAll(engine, keys, filter[CELLS].seed, HASH_BYTES).buffer));
    if (isCounted) {
      read['capacity'] = Math.max(1, words.length / HASH_WORDS);
      filter = new this(read as Options);
    }
    (filter[CELLS] as Slots).addHashes(words);
    return filter;
  }

  get kind(): 'cuckoo' {
    return 'cuckoo';
  }

  /** The number of buckets, of four slots each. */
  get buckets(): number {
    return this[CELLS].buckets;
  }

  /** The number of bits of a fingerprint. */
  get fingerprintBits(): number {
    return this.cellBits;
  }

  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }

  /** The expected share of absent keys that look present now, 0 … 1, computed from `count`. */
  override estimateErrorRate(): number {
    return expectedCuckooErrorRate(this.count, this.buckets, this.cellBits);
  }
}
