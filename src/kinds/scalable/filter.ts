import type { GrowingFilter } from '../../filters/growing-filter.ts';
import { CELLS, type FilterClass, KIND, type Kind } from '../../filters/kind.ts';
import { LayeredFilter } from '../../filters/layered-filter.ts';
import type { ManyKeys } from '../../keys/collections.ts';
import type { Key } from '../../keys/key.ts';
import { SCALABLE, type SubFilters } from './cells.ts';

/** The options of a `ScalableBloomFilter`. */
export interface ScalableBloomFilterOptions {
  /**
   * The number of distinct keys that the first sub-filter holds, 1 … 2^53 − 1: a guess at the number of keys. Below
   * 1000, it saves no memory, and sub-filters are opened early. `from` takes 10,000 if the number of keys is unknown.
   */
  capacity: number;
  /** The largest share of absent keys that look present, however many keys are added, between 0 and 1; default 0.01. */
  errorRate?: number | undefined;
  /** The ratio of the capacity of each sub-filter to that of the one before, 2 … 16; default 2. */
  growth?: number | undefined;
  /** The ratio of the error rate of each sub-filter to that of the one before, between 0 and 1; default 0.7. */
  tightening?: number | undefined;
  /** The seed of the hash, 0 … 2^32 − 1; default 0. */
  seed?: number | undefined;
}

/**
 * A Bloom filter that grows, for an unknown number of keys: `capacity` is a first guess. It keeps `errorRate` however
 * many keys are added. By chance, fewer than one filter in a million exceeds 1.1 times that rate, at rates of 0.1 % and
 * more and the default tightening.
 *
 * It is a row of classic filters, called its sub-filters. When the last one is full, the next new key opens another,
 * for twice as many keys and a lower error rate. If there is no memory for it, adding throws a FilterFullError and no
 * key is lost. A sub-filter for fewer than 1000 keys takes the memory of one for 1000: 1.5 KB at 1 %.
 *
 * With a first capacity of 1000 or more and up to 2047 times as many keys, it takes 12.1 to 18.8 bits per key at 1 %
 * when all sub-filters are full, and 29.5 to 39 just after one was opened; a `BloomFilter` of the right capacity takes
 * 9.6. An absent key is looked up in every sub-filter, so let `capacity` be a good guess: a filter for 1000 keys that
 * got a million, in ten sub-filters, is ten times as slow as one for a million.
 *
 * ```ts
 * const seen = new ScalableBloomFilter({ capacity: 10_000, errorRate: 0.001 });
 * for await (const url of urls) if (seen.add(url)) visit(url); // ten thousand of them, or ten million
 * ```
 */
export class ScalableBloomFilter extends LayeredFilter<ScalableBloomFilterOptions> {
  /** @internal */
  static override readonly [KIND]: Kind<SubFilters> = SCALABLE;
  /** @internal */
  declare readonly [CELLS]: SubFilters;

  /**
   * Makes a filter that holds `keys`, however many there are: their number need not be known.
   *
   * @param keys an array or iterable of keys, such as a generator, an integer array, lines, a column or hashes
   * @param options the constructor's options. The default capacity is the number of keys, or 10,000 if that is unknown.
   * @throws TypeError | RangeError if an option is unknown or out of range, or if one of `keys` is not a key
   * @throws FilterFullError if the filter must grow and cannot
   */
  declare static readonly from: <F extends GrowingFilter, Options, K>(
    this: FilterClass<F> & (new (options: Options) => F),
    keys: ManyKeys<K>,
    options?: Partial<Options>,
  ) => F;

  get kind(): 'scalable' {
    return 'scalable';
  }

  /** The number of bits of all sub-filters. Each takes a multiple of 512. */
  get bits(): number {
    return this.cellCount;
  }

  /** The ratio of the capacity of each sub-filter to that of the one before. */
  get growth(): number {
    return this[CELLS].own.growth;
  }

  /** The ratio of the error rate of each sub-filter to that of the one before. */
  get tightening(): number {
    return this[CELLS].own.tightening;
  }

  /** The number of sub-filters. */
  get subFilters(): number {
    return this[CELLS].own.subFilters.length;
  }

  /**
   * The exact number of keys that looked absent when they were added: the number of distinct keys, less a share of at
   * most `errorRate` that looked present.
   */
  get count(): number {
    return this[CELLS].count;
  }

  /**
   * Adds a key. Changes nothing if it looks present.
   *
   * @returns true if the key was certainly absent before
   * @throws TypeError | RangeError if `key` is not a key
   * @throws FilterFullError if the filter must grow and cannot: then nothing has changed
   */
  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }
}
