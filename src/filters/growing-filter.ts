import type { Key } from '../keys/key.ts';
import type { Keys, ManyKeys, Picked } from '../keys/many.ts';
import { changeAll, select } from './batch.ts';
import type { GrowingCells } from './cells.ts';
import type { GrowingFilter as GrowingFilterVerbs } from './filter.ts';
import { CELLS, type FilterClass, KIND, type OptionsOf } from './kind.ts';
import { optionsFor } from './options.ts';
import { StoredFilter } from './stored-filter.ts';

/** A filter that keys are added to. Each kind has `add` of its own: see `StoredFilter`. */
export abstract class GrowingFilter<Options = never> extends StoredFilter<Options> implements GrowingFilterVerbs {
  /** @internal */
  declare readonly [CELLS]: GrowingCells;

  abstract add(key: Key): boolean;

  /**
   * Makes a filter that holds these keys.
   *
   * @param keys what `addMany` takes
   * @param options those of the constructor. `capacity` is the number of keys unless given; it must be given for an
   *   iterable of unknown length
   * @throws TypeError | RangeError if an option or a key is wrong
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
