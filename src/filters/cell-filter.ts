import type { KernelExports } from '../kernel/kernel.ts';
import { combine, type PairFunction } from '../kernel/region.ts';
import { differenceOf, type Like, requireAlike, requireSameKind } from './alike.ts';
import type { GrowingCells } from './cells.ts';
import { GrowingFilter } from './growing-filter.ts';
import { CELLS, type Kind } from './kind.ts';

/** A kind whose filters can be combined cell by cell. */
export interface CellKind extends Kind<CombiningCells> {
  /** The kernel function that combines cells into those of the union. */
  union(kernel: KernelExports): PairFunction;
  /** The kernel function that combines cells into those of the intersection. */
  intersection(kernel: KernelExports): PairFunction;
}

/** The cells of a filter that can be combined with others of its kind. */
export interface CombiningCells extends GrowingCells {
  readonly kind: CellKind;
}

/** A filter that can be combined, cell by cell, with filters of the same kind, size, hashes and seed. */
export abstract class CellFilter<Options = never> extends GrowingFilter<Options> {
  /** @internal */
  declare readonly [CELLS]: CombiningCells;

  /**
   * Makes a new filter that holds the keys of both, as if they had all been added to one filter. It has this filter's
   * capacity and error rate.
   *
   * @throws TypeError | RangeError unless `other` is of the same kind, size, hashes and seed
   */
  union<F extends CellFilter>(this: F, other: Like<F>): F {
    requireAlike(this[CELLS], other);
    return this.clone().merge(other);
  }

  /**
   * Makes a new filter that holds every key that is in both. More absent keys may look present in it than in a filter
   * made from just those keys.
   *
   * @throws TypeError | RangeError unless `other` is of the same kind, size, hashes and seed
   */
  intersection<F extends CellFilter>(this: F, other: Like<F>): F {
    const { kind, region } = requireAlike(this[CELLS], other);
    const both = this.clone();
    combine(both[CELLS].region, region, kind.intersection);
    return both;
  }

  /**
   * Adds all keys of another filter to this one: `union` in place.
   *
   * @throws TypeError | RangeError unless `other` is of the same kind, size, hashes and seed
   */
  merge<F extends CellFilter>(this: F, other: Like<F>): F {
    const { kind, region } = requireAlike(this[CELLS], other);
    combine(this[CELLS].region, region, kind.union);
    return this;
  }

  /**
   * Whether another filter has the same size, hashes and seed, and the same cells. The engine, the capacity and the
   * error rate do not matter.
   *
   * @throws TypeError unless `other` is of the same kind
   */
  equals<F extends CellFilter>(this: F, other: Like<F>): boolean {
    const others = requireSameKind(this[CELLS], other);
    if (differenceOf(this[CELLS], others) !== undefined) return false;
    return combine(this[CELLS].region, others.region, (kernel) => kernel.bits_equal);
  }
}
