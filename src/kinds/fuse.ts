import type { Without } from '../filters/filter-options.ts';
import { CELLS, type FilterClass, KIND, type Kind } from '../filters/kind.ts';
import { StoredFilter, wrap } from '../filters/stored-filter.ts';
import type { Engine } from '../kernel/region.ts';
import type { Keys, ManyKeys } from '../keys/collections.ts';
import type { Key } from '../keys/key.ts';
import { buildCells, distinctHashes, readFuseOptions, sizeOf } from './fuse-build.ts';
import { FUSE, type FuseCells } from './fuse-cells.ts';
import { CELLS_PER_KEY, errorRateOf } from './fuse-file.ts';
import { cellsIn } from './fuse-sizing.ts';

/** The options of a `BinaryFuseFilter`: an error rate, or the number of bits of a fingerprint. */
export type BinaryFuseFilterOptions =
  | ({
      /** The share of absent keys that may look present, 2^-32 ≤ p < 1; rounded down to a power of 2; default 0.01. */
      errorRate?: number | undefined;
      /** The seed of the hash, 0 … 2^32 − 1; default 0. */
      seed?: number | undefined;
    } & Without<'fingerprintBits'>)
  | ({
      /** The number of bits of a fingerprint b, and so of a cell, 1 … 32: absent keys look present at a rate of 2^-b. */
      fingerprintBits: number;
      /** The seed of the hash, 0 … 2^32 − 1; default 0. */
      seed?: number | undefined;
    } & Without<'errorRate'>);

/** Throws the error of the constructor: only `from` makes filters of this kind, because all keys must be known. */
function refuse(): never {
  throw new TypeError('a BinaryFuseFilter is made of all its keys at once: use BinaryFuseFilter.from(keys, options)');
}

/**
 * The smallest kind of filter, for a complete list of keys that is shipped or looked up often.
 *
 * `from` takes all keys at once. There is no constructor, `add` or `remove`: new keys need a new filter. From a million
 * keys on, it takes 1.14 b bits per key for an error rate of 2^-b, where a `BloomFilter` takes 1.44 b. Building takes
 * more memory than the filter: 25 bytes per key at b = 8, see `from`.
 *
 * Filters of the same keys, bits per cell and seed have the same `toBytes()`, in whatever order the keys came.
 *
 * ```ts
 * const blocked = BinaryFuseFilter.from(['spam.example', 'scam.example'], { errorRate: 0.001 });
 * blocked.has('scam.example'); // true: always, for a key of the list
 * blocked.omit(['spam.example', 'example.org']); // ['example.org']
 * ```
 */
export class BinaryFuseFilter extends StoredFilter {
  /** @internal */
  static override readonly [KIND]: Kind<FuseCells> = FUSE;
  /** @internal */
  declare readonly [CELLS]: FuseCells;

  protected constructor() {
    super(refuse());
  }

  /**
   * Makes a filter that holds `keys`. Duplicates among them do no harm.
   *
   * Building takes memory: 16 bytes for each of the keys, duplicates included, and then 8 for each distinct key and 13
   * + b/4 for each cell. From ten million keys on there are 1.13 cells per key, so that is 25 bytes per key at b = 8. A
   * filter can have at most 2.7 · 10^8 keys, or half as many in plain JavaScript.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @param options the error rate or the bits per cell, and the seed; default `{ errorRate: 0.01 }`
   * @throws TypeError | RangeError if an option is unknown or out of range, or if one of `keys` is not a key
   * @throws FilterMemoryError if there are too many keys, or no memory
   */
  static from<F extends BinaryFuseFilter, K extends Keys>(
    this: FilterClass<F>,
    keys: ManyKeys<K>,
    options: BinaryFuseFilterOptions = {},
  ): F {
    const engine = this.engine as Engine;
    const { bits, seed } = readFuseOptions(options, engine);
    const hashes = distinctHashes(engine, keys, seed);
    const count = hashes.length / 2;
    const { region, exponent, segments, attempt } = buildCells(engine, hashes, bits);
    const cellCount = cellsIn({ exponent, segments });
    const errorRate = errorRateOf(count, bits);
    return wrap(this, {
      parameters: { cellCount, hashes: CELLS_PER_KEY, seed, capacity: count, errorRate },
      cellBits: bits,
      own: { exponent, segments, attempt, count },
      segments: [region],
    });
  }

  /**
   * The size of a filter of `count` distinct keys, without making it. A filter takes more only if four attempts at
   * building it have failed, which is very rare.
   *
   * @param count the number of distinct keys, 0 … 2^31
   * @param options the options of `from`
   * @throws TypeError | RangeError if `count` or an option is wrong
   * @throws FilterMemoryError if one filter cannot be built of so many keys
   */
  static sizeFor(
    count: number,
    options: BinaryFuseFilterOptions = {},
  ): Pick<BinaryFuseFilter, 'cellCount' | 'cellBits' | 'hashes' | 'byteLength'> {
    const { engine } = this;
    const { bits } = readFuseOptions(options, engine);
    const { cellCount, byteLength } = sizeOf(engine, count, bits);
    return { cellCount, cellBits: bits, hashes: CELLS_PER_KEY, byteLength };
  }

  get kind(): 'fuse' {
    return 'fuse';
  }

  /** The number of distinct keys in the filter: `count`. */
  override get capacity(): number {
    return this.count;
  }

  /** The number of distinct keys in the filter, exactly, or one less for each two keys of equal 64-bit hashes. */
  get count(): number {
    return this[CELLS].own.count;
  }

  /** The number of bits of a fingerprint, b: as many as a cell has. */
  get fingerprintBits(): number {
    return this.cellBits;
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }

  /** Always 1: the filter has been built, and takes no more keys. */
  fillRatio(): number {
    return 1;
  }

  /** The number of distinct keys in the filter: `count`. */
  estimateCount(): number {
    return this.count;
  }

  /** The share of absent keys that look present: 2^-b, or 0 without keys. */
  estimateErrorRate(): number {
    return this.errorRate;
  }
}
