import { type CountedKeys, type ManyKeys, type Picked, sourceOf } from '../keys/collections.ts';
import type { Key } from '../keys/key.ts';
import { changeAll, select } from './batch.ts';
import { estimateCount } from './estimate.ts';
import type { GrowingFilter as GrowingFilterVerbs } from './filter.ts';
import { type FromOptions, optionsFor } from './filter-options.ts';
import type { GrowingCells } from './kind.ts';
import { CELLS, type FilterClass, KIND } from './kind.ts';
import { StoredFilter } from './stored-filter.ts';

function addAll(cells: GrowingCells, keys: unknown, out?: Uint8Array): void {
  changeAll(cells, keys, out === undefined ? cells.add : cells.addFlags, out, 'addKey');
}

/** A filter that takes new keys. Each kind defines its own `add`: see `StoredFilter` for the reason. */
export abstract class GrowingFilter<Options = never> extends StoredFilter<Options> implements GrowingFilterVerbs {
  /** @internal */
  declare readonly [CELLS]: GrowingCells;

  abstract add(key: Key): boolean;

  /**
   * Makes a filter that holds `keys`.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @param options the constructor's options. The default capacity is the number of keys. If that is unknown, as for a
   *   generator, a capacity or a size must be given.
   * @throws TypeError | RangeError if an option is missing, unknown or out of range, or if one of `keys` is not a key
   * @throws FilterFullError if a kind that can be full has no room for one of `keys`, because it has many copies
   */
  static from<F extends GrowingFilter, Options, K>(
    this: FilterClass<F> & (new (options: Options) => F),
    keys: CountedKeys<K>,
    options?: FromOptions<Options>,
  ): F;
  static from<F extends GrowingFilter, Options, K>(
    this: FilterClass<F> & (new (options: Options) => F),
    keys: ManyKeys<K>,
    options: NoInfer<Options>,
  ): F;
  static from<F extends GrowingFilter, Options>(
    this: FilterClass<F> & (new (options: Options) => F),
    keys: unknown,
    options?: Partial<Options>,
  ): F {
    const filter = new this(optionsFor(sourceOf(keys), this[KIND], options) as Options);
    addAll(filter[CELLS], keys);
    return filter;
  }

  addMany<K>(keys: ManyKeys<K>, out?: Uint8Array): this {
    addAll(this[CELLS], keys, out);
    return this;
  }

  dedupe<K>(keys: ManyKeys<K>): Picked<K> {
    const cells = this[CELLS];
    return select(cells, keys, cells.addFlags, 1, 'addKey');
  }

  fillRatio(): number {
    return this[CELLS].used() / this[CELLS].parameters.cellCount;
  }

  estimateCount(): number {
    const { cellCount, hashes } = this[CELLS].parameters;
    return estimateCount(this.fillRatio(), cellCount, hashes);
  }

  estimateErrorRate(): number {
    return this.fillRatio() ** this[CELLS].parameters.hashes;
  }

  clear(): void {
    for (const region of this[CELLS].segments) region.clear();
  }
}
