import type { BoundedKind } from '../filters/bounded-cells.ts';
import { BoundedFilter } from '../filters/bounded-filter.ts';
import type { PromiseOptions, Without } from '../filters/filter-options.ts';
import { CELLS, KIND } from '../filters/kind.ts';
import type { CuckooExports } from '../kernel/generated/cuckoo/exports.ts';
import type { Key } from '../keys/key.ts';
import { CUCKOO, type Slots } from './cuckoo-cells.ts';
import { expectedCuckooErrorRate } from './cuckoo-sizing.ts';

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

/**
 * A filter that can remove keys, in a quarter of the memory of a `CountingBloomFilter`.
 *
 * **Remove only what was added.** Removing a key that was never added, but looks present, removes another key, which
 * then looks absent.
 *
 * **It can be full.** When there is no room for a key, adding it throws a FilterFullError and changes nothing, so no key is
 * ever lost. Removing keys makes room. Most filters take a few more than `capacity` keys before they refuse one.
 *
 * **Every `add` stores a copy**, up to eight of a key, and every `remove` takes one away. A filter with many copies is
 * full long before it holds `capacity` keys. `dedupe` stores only keys that look absent, and returns them.
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
    return expectedCuckooErrorRate(this.count, this.buckets, this.fingerprintBits);
  }
}
