import type { ManyKeys, Picked } from '../keys/collections.ts';
import { hasAll, type Lookup, select } from './batch.ts';
import type { Filter } from './filter.ts';
import { CELLS } from './kind.ts';

/** Looks up many keys: the methods of filters, and of whatever else answers like one. */
export abstract class LookupFilter implements Pick<Filter, 'hasMany' | 'pick' | 'omit'> {
  /** @internal */
  abstract readonly [CELLS]: Lookup;

  hasMany<K, B extends ArrayBufferLike = ArrayBuffer>(keys: ManyKeys<K>, out?: Uint8Array<B>): Uint8Array<B> {
    return hasAll(this[CELLS], keys, out);
  }

  pick<K>(keys: ManyKeys<K>): Picked<K> {
    const cells = this[CELLS];
    return select(cells, keys, cells.has, 1, 'hasKey');
  }

  omit<K>(keys: ManyKeys<K>): Picked<K> {
    const cells = this[CELLS];
    return select(cells, keys, cells.has, 0, 'hasKey');
  }
}
