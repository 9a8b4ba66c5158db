import type { PromiseOptions, Without } from '../../filters/filter-options.ts';
import { GrowingFilter } from '../../filters/growing-filter.ts';
import { CELLS, KIND, type Kind } from '../../filters/kind.ts';
import type { Key } from '../../keys/key.ts';
import { STABLE, type StableCells } from './cells.ts';
import { stableCapacity } from './sizing.ts';

/** The options that both ways to make a `StableBloomFilter` have. */
interface CellOptions {
  /**
   * The number of bits per cell d: 1, 2, 4 or 8; default 2. With more bits, keys are forgotten more nearly in the order
   * in which they came, but each key decrements more cells.
   */
  cellBits?: 1 | 2 | 4 | 8 | undefined;
}

/**
 * The options of a `StableBloomFilter`: a capacity and an error rate, or the numbers of cells, hashes and decrements.
 */
export type StableBloomFilterOptions =
  | (CellOptions &
      Omit<PromiseOptions, 'capacity' | 'errorRate'> & {
        /**
         * How many additions later a key is still remembered with a probability of at least 90 %, 1 … 2^53 − 1. Adding
         * a key again counts as another addition.
         */
        capacity: number;
        /** The share of absent keys that may look present at any time, 2^-255 ≤ p < 1; default 0.01. */
        errorRate?: number | undefined;
      } & Without<'cells' | 'hashes' | 'decrements'>)
  | (CellOptions & {
      /** The number of cells m, 1 … 2^53 − 1. */
      cells: number;
      /** The number of cells K that each key sets to the maximum, 1 … 255. */
      hashes: number;
      /** The number of adjacent cells P from which each key takes 1, 1 … m. */
      decrements: number;
      /** The seed of the hash and of the generator that chooses the adjacent cells, 0 … 2^32 − 1; default 0. */
      seed?: number | undefined;
    } & Without<'capacity' | 'errorRate'>);

/**
 * A Bloom filter for endless streams that may miss any duplicate: a `RotatingBloomFilter` of the same size misses none
 * of the latest keys, and remembers more of them.
 *
 * Its memory is constant, it is never full, and its error rate rises to at most the promised one. Adding a key takes 1
 * from each of P adjacent cells, at a place that a seeded generator chooses, and then sets the key's own K cells to the
 * maximum, 2^d − 1. A key is forgotten when one of its cells is 0. So the last 2^d − 1 additions are certainly
 * remembered, and a key that was added `capacity` additions ago is remembered with a probability of at least 90 %. The
 * same keys, added in the same order, always give the same filter; a saved filter goes on where it was.
 *
 * ```ts
 * const seen = new StableBloomFilter({ capacity: 100_000 });
 * seen.add('event 17'); // true
 * seen.add('event 17'); // false
 * ```
 */
export class StableBloomFilter extends GrowingFilter<StableBloomFilterOptions> {
  /** @internal */
  static override readonly [KIND]: Kind<StableCells> = STABLE;
  /** @internal */
  declare readonly [CELLS]: StableCells;

  get kind(): 'stable' {
    return 'stable';
  }

  /** How many additions later a key is still remembered with a probability of at least 90 %. */
  override get capacity(): number {
    const { parameters, cellBits, own } = this[CELLS];
    const { capacity, cellCount: cells, hashes } = parameters;
    return capacity || stableCapacity({ cells, cellBits, hashes, decrements: own.decrements });
  }

  /** The number of cells m. */
  get cells(): number {
    return this.cellCount;
  }

  /** The number of adjacent cells P from which each key takes 1. */
  get decrements(): number {
    return this[CELLS].own.decrements;
  }

  /**
   * Adds a key. If it was added before, it is remembered as long as a new one.
   *
   * @returns true if the key was not remembered: it is new, or was forgotten
   * @throws TypeError | RangeError if `key` is not a key
   */
  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  /**
   * Whether a key may be present. False means that it was never added, or that it was forgotten, even if it was added
   * lately.
   *
   * @throws TypeError | RangeError if `key` is not a key
   */
  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }

  /**
   * Estimates how many distinct keys are remembered, as the number of keys that would set as many cells. The cells of
   * partly forgotten keys count too, so once `capacity` keys have been added, the estimate is several times too high.
   */
  override estimateCount(): number {
    return super.estimateCount();
  }

  /** Removes all keys, as if the filter were new. */
  override clear(): void {
    this[CELLS].clear();
  }
}
