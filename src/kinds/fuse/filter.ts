import { CELLS, type FilterClass, KIND, type Kind } from '../../filters/kind.ts';
import { wrap } from '../../filters/stored-filter.ts';
import type { Engine } from '../../kernel/region.ts';
import type { ManyKeys } from '../../keys/collections.ts';
import type { Key } from '../../keys/key.ts';
import { buildCells, distinctMixed, fingerprintsOf, sizeOf } from './build.ts';
import { FUSE, type FuseCells } from './cells.ts';
import { CELLS_PER_KEY, errorRateOf } from './file.ts';
import { FuseFilter, type FuseOptions, readFuseOptions } from './fuse-filter.ts';
import { cellsIn, type FuseSize } from './sizing.ts';

/** The options of a `BinaryFuseFilter`: an error rate, or the number of bits of a fingerprint. */
export type BinaryFuseFilterOptions = FuseOptions;

/**
 * The smallest kind of filter, for a complete list of keys that is shipped or looked up often.
 *
 * `from` takes all keys at once. There is no constructor, `add` or `remove`: new keys need a new filter. From a million
 * keys on, it takes 1.14 b bits per key for an error rate of 2^-b, where a `BloomFilter` takes 1.44 b. Building takes
 * more memory than the filter itself: 25 bytes per key at b = 8, see `from`.
 *
 * Filters of the same keys, bits per cell and seed have the same `toBytes()`, in whatever order the keys came.
 *
 * ```ts
 * const blocked = BinaryFuseFilter.from(['spam.example', 'scam.example'], { errorRate: 0.001 });
 * blocked.has('scam.example'); // true: always, for a key of the list
 * blocked.omit(['spam.example', 'example.org']); // ['example.org']
 * ```
 */
export class BinaryFuseFilter extends FuseFilter {
  /** @internal */
  static override readonly [KIND]: Kind<FuseCells> = FUSE;
  /** @internal */
  declare readonly [CELLS]: FuseCells;

  /**
   * Makes a filter that holds `keys`. Duplicates among them do no harm.
   *
   * Building takes memory: 16 bytes for each of the keys, duplicates included, and then 8 for each distinct key and 13
   * + b/4 for each cell. From ten million keys on there are 1.13 cells per key, so that is 25 bytes per key at b = 8. A
   * filter can have at most 2.7 · 10^8 keys at b = 8, 2.2 · 10^8 at b = 32, and half as many in plain JavaScript.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @param options the error rate or the bits per cell, and the seed; default `{ errorRate: 0.01 }`
   * @throws TypeError | RangeError if an option is unknown or out of range, or if one of `keys` is not a key
   * @throws FilterMemoryError if there are too many keys, or no memory
   */
  static from<F extends BinaryFuseFilter, K>(
    this: FilterClass<F>,
    keys: ManyKeys<K>,
    options: BinaryFuseFilterOptions = {},
  ): F {
    const engine = this.engine as Engine;
    const { bits, seed } = readFuseOptions(options, engine);
    const hashes = distinctMixed(engine, keys, seed);
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
  static sizeFor(count: number, options: BinaryFuseFilterOptions = {}): FuseSize {
    const { engine } = this;
    const { bits } = readFuseOptions(options, engine);
    const { cellCount, byteLength } = sizeOf(engine, count, fingerprintsOf(bits));
    return { cellCount, cellBits: bits, hashes: CELLS_PER_KEY, byteLength };
  }

  get kind(): 'fuse' {
    return 'fuse';
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }
}
