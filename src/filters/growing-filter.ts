import type { Key } from '../keys/key.ts';
import type { Keys, ManyKeys, Picked } from '../keys/many.ts';
import { estimateCount } from '../sizing.ts';
import { changeAll, select } from './batch.ts';
import type { GrowingCells } from './cells.ts';
import type { GrowingFilter as GrowingFilterVerbs } from './filter.ts';
import { CELLS, type FilterClass, KIND } from './kind.ts';
import { optionsFor } from './options.ts';
import { StoredFilter } from './stored-filter.ts';

/** A filter to which keys can be added. Each kind defines its own `add`: see `StoredFilter` for the reason. */
export abstract class GrowingFilter<Options = never> extends StoredFilter<Options> implements GrowingFilterVerbs {
  /** @internal */
  declare readonly [CELLS]: GrowingCells;

  abstract add(key: Key): boolean;

  /**
   * Makes a filter that holds `keys`.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @param options the constructor's options. The default capacity is the number of keys; if that is unknown, as for a
   *   generator, a capacity or a size must be given.
   * @throws TypeError | RangeError if an option is missing, unknown or out of range, or if one of `keys` is not a key
   * @throws RangeError if a `CuckooFilter` has no room for one of `keys`, because it has many copies
   */
  static from<F extends GrowingFilter, Options, K extends Keys>(
    this: FilterClass<F> & (new (options: Options) => F),
    keys: ManyKeys<K>,
    options?: Partial<Options>,
  ): F {
    const filter = new this(optionsFor(keys, this[KIND], options) as Options);
    changeAll(filter[CELLS], 'add', 'addFlags', keys);
    return filter;
  }

  addMany<K extends Keys>(keys: ManyKeys<K>, out?: Uint8Array): this {
    changeAll(this[CELLS], 'add', 'addFlags', keys, out);
    return this;
  }

  dedupe<K extends Keys>(keys: ManyKeys<K>): Picked<K> {
    return select(this[CELLS], 'addFlags', keys, 1);
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
