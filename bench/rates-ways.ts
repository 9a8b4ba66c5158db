// The two ways in which `npm run bench:rates` calls filters.

import type { GrowingFilter } from 'bloomery';
import type { Kind } from './rates-kinds.ts';

export interface Way<Keys> {
  /** The operations: adding keys, looking up present ones, looking up absent ones. */
  readonly labels: readonly [add: string, hit: string, miss: string];
  /** Adds keys. Returns how many. */
  add(kind: Kind, filter: GrowingFilter, keys: Keys): number;
  /** Looks up keys. Returns how many were found, or their flags. */
  has(kind: Kind, filter: GrowingFilter, keys: Keys): number | Uint8Array;
}

/** One call for all keys. `out` has a place for the flag of each. */
export function inBatches(out: Uint8Array): Way<Uint32Array> {
  return {
    labels: ['addMany', 'hasMany, present', 'hasMany, absent'],
    add(_, filter, keys) {
      filter.addMany(keys);
      return keys.length;
    },
    has: (_, filter, keys) => filter.hasMany(keys, out),
  };
}

/** One call for each key. */
export const callByCall: Way<readonly string[]> = {
  labels: ['add', 'has, present', 'has, absent'],
  add: (kind, filter, keys) => kind.addEach(filter, keys),
  has: (kind, filter, keys) => kind.hasEach(filter, keys),
};
