import { FilterView, type Viewable } from '../filters/view.ts';
import type { Key } from '../keys/key.ts';

/** The keys of one filter without those of another: see `difference`. */
class DifferenceView extends FilterView {
  constructor(a: Viewable, b: Viewable) {
    super(a, b, (inA, inB) => inA & ~inB);
  }

  has(key: Key): boolean {
    return this.a.has(key) && !this.b.has(key);
  }

  estimateErrorRate(): number {
    return this.a.estimateErrorRate() * (1 - this.b.estimateErrorRate());
  }

  /**
   * Estimates how many of the keys that are in `a` and not in `b` look absent, because `b` errs, as a share, 0 … 1. It
   * is the error rate of `b`. Reads `b`.
   */
  estimateMissRate(): number {
    return this.b.estimateErrorRate();
  }
}

class UnionView extends FilterView {
  constructor(a: Viewable, b: Viewable) {
    super(a, b, (inA, inB) => inA | inB);
  }

  has(key: Key): boolean {
    return this.a.has(key) || this.b.has(key);
  }

  estimateErrorRate(): number {
    const a = this.a.estimateErrorRate();
    return a + this.b.estimateErrorRate() * (1 - a);
  }
}

class IntersectionView extends FilterView {
  constructor(a: Viewable, b: Viewable) {
    super(a, b, (inA, inB) => inA & inB);
  }

  has(key: Key): boolean {
    return this.a.has(key) && this.b.has(key);
  }

  estimateErrorRate(): number {
    return Math.min(this.a.estimateErrorRate(), this.b.estimateErrorRate());
  }
}

export type { DifferenceView };

/**
 * The keys that are in `a` and not in `b`, without a new filter. The two may be of different kinds, sizes and engines;
 * their seeds must be equal.
 *
 * **It can miss keys.** A key of `a` that looks present in `b` by chance looks absent here: this happens to the share
 * `estimateMissRate()` of the keys, which is the error rate of `b`. A key that is in neither looks present if `a` errs
 * and `b` does not, and a key of `b` never looks present. So give `b` the lower error rate if missing a key is worse
 * than reporting one too many.
 *
 * ```ts
 * const unsent = difference(subscribers, delivered);
 * const next = unsent.pick(addresses);
 * ```
 *
 * @throws TypeError unless both are filters or views of this copy of the package, and none is of another system;
 *   RangeError if their seeds differ
 */
export function difference(a: Viewable, b: Viewable): DifferenceView {
  return new DifferenceView(a, b);
}

/**
 * The keys that are in `a` or in `b`, without a new filter. The two may be of different kinds, sizes and engines; their
 * seeds must be equal. It misses a key only if the filter that holds it forgot it. A key that is in neither looks
 * present if one of the filters errs.
 *
 * To unite two filters of the same kind and size in one, use their own `union`, which looks up keys once.
 *
 * ```ts
 * const blocked = union(listFromTheBuild, addedSince);
 * ```
 *
 * @throws TypeError unless both are filters or views of this copy of the package, and none is of another system;
 *   RangeError if their seeds differ
 */
export function union(a: Viewable, b: Viewable): FilterView {
  return new UnionView(a, b);
}

/**
 * The keys that are in `a` and in `b`, without a new filter. The two may be of different kinds, sizes and engines;
 * their seeds must be equal. It misses a key only if one of the filters forgot it.
 *
 * A key that is in just one of the filters looks present if the other errs. A key that is in neither looks present if
 * both err. If they hold different keys, that rate is the product of the two error rates. If they are of the same kind
 * and size and share many keys, it can be as high as the lower of the two, which `estimateErrorRate()` returns.
 *
 * @throws TypeError unless both are filters or views of this copy of the package, and none is of another system;
 *   RangeError if their seeds differ
 */
export function intersection(a: Viewable, b: Viewable): FilterView {
  return new IntersectionView(a, b);
}
