import type { Key } from '../keys/key.ts';
import type { Keys, ManyKeys, Picked } from '../keys/many.ts';
import { changeAll, select } from './batch.ts';
import type { GrowingCells } from './cells.ts';
import type { GrowingFilter as GrowingFilterVerbs } from './filter.ts';
import { CELLS, type FilterClass, KIND, type OptionsOf } from './kind.ts';
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
   * @param keys an array or iterable of keys, an integer array, lines or a column
   * @param options the constructor's options. The default capacity is the number of keys; if that is unknown, as for a
   *   generator, a capacity or a size must be given.
   * @throws TypeError | RangeError if an option is missing or out of range, or if one of `keys` is not a key
   */
  static from<C extends FilterClass<GrowingFilter>, K extends Keys>(
    this: C,
    keys: ManyKeys<K>,
    options?: Partial<OptionsOf<C>>,
  ): InstanceType<C> {
    const filter = new this(optionsFor(keys, this[KIND], options) as never);
    changeAll(filter[CELLS], 'add', 'addFlags', keys);
    return filter as InstanceType<C>;
  }

  addMany<K extends Keys>(keys: ManyKeys<K>, out?: Uint8Array): this {
    changeAll(this[CELLS], 'add', 'addFlags', keys, out);
    return this;
  }

  dedupe<K extends Keys>(keys: ManyKeys<K>): Picked<K> {
    return select(this[CELLS], 'addFlags', keys, 1);
  }

  clear(): void {
    for (const region of this[CELLS].segments) region.clear();
  }
}
