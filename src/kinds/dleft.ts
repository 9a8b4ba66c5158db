import type { BoundedKind } from '../filters/bounded-cells.ts';
import { BoundedFilter } from '../filters/bounded-filter.ts';
import type { PromiseOptions, Without } from '../filters/filter-options.ts';
import { CELLS, KIND } from '../filters/kind.ts';
import type { DleftExports } from '../kernel/generated/dleft/exports.ts';
import type { Key } from '../keys/key.ts';
import { COUNT_BITS, type CountedCells, DLEFT } from './dleft-cells.ts';

/**
 * The options of a `DLeftCountingBloomFilter`: a capacity and an error rate, or the numbers of buckets and bits of a
 * remainder.
 */
export type DLeftCountingBloomFilterOptions =
  | (PromiseOptions & Without<'buckets' | 'remainderBits'>)
  | ({
      /** The number of buckets in each of the four tables, of eight cells each: 1 … 2^27. */
      buckets: number;
      /** The number of bits of a remainder, 4 … 30. A cell has two more, for its count. */
      remainderBits: number;
      /** The seed of the hash, 0 … 2^32 − 1; default 0. */
      seed?: number | undefined;
    } & Without<'capacity' | 'errorRate'>);

/**
 * Counts up to 96 copies of a key, and wins only where keys have many copies: a `CuckooFilter`, which stores up to
 * eight, is smaller and touches two cache lines for a key instead of four.
 *
 * **Remove only what was added.** Removing a key that was never added, but looks present, takes a copy of another key
 * away, which may then look absent.
 *
 * **Counts are exact**, except for the few keys that look the same: they have the same remainder in the same buckets, and
 * `countOf` adds their copies up. A key takes a cell for every three copies, and no count sticks at a limit as in a
 * `CountingBloomFilter`. `dedupe` stores only keys that look absent, and returns them.
 *
 * **It can be full.** When there is no room for a key, adding it throws a FilterFullError and changes nothing, so no key
 * is ever lost. Removing keys makes room. Made for `capacity` distinct keys of up to three copies each, it takes a sixth
 * more before it is full, and then errs a sixth more often. The copies of a key share 32 cells with other keys: all 96
 * have room in an almost empty filter, and some 27 in one that holds `capacity` keys.
 *
 * ```ts
 * const carts = new DLeftCountingBloomFilter({ capacity: 1_000_000, errorRate: 0.001 });
 * carts.addMany(['tea', 'tea', 'tea', 'jam']);
 * carts.remove('tea');
 * carts.countOf('tea'); // 2
 * ```
 */
export class DLeftCountingBloomFilter extends BoundedFilter<DLeftCountingBloomFilterOptions> {
  /** @internal */
  static override readonly [KIND]: BoundedKind<DleftExports> = DLEFT;
  /** @internal */
  declare readonly [CELLS]: CountedCells;

  get kind(): 'dleft' {
    return 'dleft';
  }

  /** The number of buckets in each of the four tables, of eight cells each. */
  get buckets(): number {
    return this[CELLS].buckets;
  }

  /** The number of bits of a remainder. */
  get remainderBits(): number {
    return this.cellBits - COUNT_BITS;
  }

  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }

  /**
   * The share of absent keys that look present now, 0 … 1: exact, unless more than three copies, or keys that look the
   * same, take several cells; then a little too high. Reads the whole filter.
   */
  override estimateErrorRate(): number {
    // Each cell is one of buckets · 2^remainderBits combinations of a bucket and a remainder, all equally likely.
    return Math.min(1, this[CELLS].used() / (this.buckets * 2 ** this.remainderBits));
  }
}
