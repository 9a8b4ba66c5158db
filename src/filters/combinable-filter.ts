import { combine } from '../kernel/region.ts';
import { areEqual, type Like, requireAlike } from './compatible.ts';
import { type Estimate, estimateIntersection, estimateUnion } from './estimate.ts';
import type { IntersectingFilter } from './filter.ts';
import { GrowingFilter } from './growing-filter.ts';
import type { CombinableCells } from './kind.ts';
import { CELLS } from './kind.ts';

/** A filter that can be combined, cell by cell, with filters of the same kind, size, hashes and seed. */
export abstract class CombinableFilter<Options = never> extends GrowingFilter<Options> implements IntersectingFilter {
  /** @internal */
  declare readonly [CELLS]: CombinableCells;

  /**
   * Makes a new filter that holds the keys of both, as if they had all been added to one filter. It has this filter's
   * capacity and error rate.
   *
   * @throws TypeError | RangeError unless `other` is of the same kind, size, hashes and seed
   */
  union<F extends CombinableFilter>(this: F, other: Like<F>): F {
    requireAlike(this[CELLS], other);
    return this.clone().merge(other);
  }

  /**
   * Makes a new filter that holds every key that is in both. A key looks present in it if it looks present in both.
   *
   * Its `estimateCount()` is far too high: 42,000 for two filters of 100,000 keys each without a common key, because
   * different keys have cells in common. Use `estimateIntersection` for the number of keys in both.
   *
   * @throws TypeError | RangeError unless `other` is of the same kind, size, hashes and seed
   */
  intersection<F extends CombinableFilter>(this: F, other: Like<F>): F {
    const { kind, region } = requireAlike(this[CELLS], other);
    const both = this.clone();
    combine(both[CELLS].region, region, kind.intersection);
    return both;
  }

  /**
   * Estimates how many distinct keys the two filters hold together, with the standard error. Reads both filters, and
   * makes no new one. Both numbers are Infinity if the union is full.
   *
   * @throws TypeError | RangeError unless `other` is of the same kind, size, hashes and seed
   */
  estimateUnion<F extends CombinableFilter>(this: F, other: Like<F>): Estimate {
    return estimateUnion(this[CELLS], requireAlike(this[CELLS], other));
  }

  /**
   * Estimates how many distinct keys are in both filters, with the standard error: the sum of their counts less the
   * count of the union, but at least 0. Reads both filters, and makes no new one. If the union is full, `count` is NaN
   * and `standardError` Infinity.
   *
   * For filters of m cells that share few keys, the standard error is about √(|A| · |B| / m) with few cells in use, and
   * √m / k if each has half of its cells in use. For two filters without a common key, `count` is 0 in about half of
   * all cases, and otherwise about as large as the standard error.
   *
   * @throws TypeError | RangeError unless `other` is of the same kind, size, hashes and seed
   */
  estimateIntersection<F extends CombinableFilter>(this: F, other: Like<F>): Estimate {
    return estimateIntersection(this[CELLS], requireAlike(this[CELLS], other));
  }

  /**
   * Adds all keys of another filter to this one: `union` in place.
   *
   * @throws TypeError | RangeError unless `other` is of the same kind, size, hashes and seed
   */
  merge<F extends CombinableFilter>(this: F, other: Like<F>): F {
    const { kind, region } = requireAlike(this[CELLS], other);
    combine(this[CELLS].region, region, kind.union);
    return this;
  }

  /**
   * Whether another filter has the same size, hashes and seed, and the same cells. The engine, the capacity and the
   * error rate do not matter. In filters of other systems, options that say how keys are hashed must also be equal,
   * whether they are saved or not.
   *
   * @throws TypeError unless `other` is of the same kind
   */
  equals<F extends CombinableFilter>(this: F, other: Like<F>): boolean {
    return areEqual(this[CELLS], other);
  }
}
