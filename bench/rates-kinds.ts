// The kinds that `npm run bench:rates` compares. Each has loops of its own for single calls: see subjects.ts.

import { BlockedBloomFilter, BloomFilter, type GrowingFilter } from 'bloomery';
import { WideBlockedBloomFilter } from 'bloomery/wide';

export interface Kind {
  readonly name: string;
  make(capacity: number, errorRate: number): GrowingFilter;
  /** Adds one by one. Returns how many were certainly absent. */
  addEach(filter: GrowingFilter, keys: readonly string[]): number;
  /** Looks up one by one. Returns how many were found. */
  hasEach(filter: GrowingFilter, keys: readonly string[]): number;
}

export const classic: Kind = {
  name: 'BloomFilter',
  make: (capacity, errorRate) => new BloomFilter({ capacity, errorRate }),
  addEach(filter, keys) {
    let added = 0;
    for (let i = 0; i < keys.length; i++) if (filter.add(keys[i] as string)) added++;
    return added;
  },
  hasEach(filter, keys) {
    let found = 0;
    for (let i = 0; i < keys.length; i++) if (filter.has(keys[i] as string)) found++;
    return found;
  },
};

export const blocked: Kind = {
  name: 'BlockedBloomFilter',
  make: (capacity, errorRate) => new BlockedBloomFilter({ capacity, errorRate }),
  addEach(filter, keys) {
    let added = 0;
    for (let i = 0; i < keys.length; i++) if (filter.add(keys[i] as string)) added++;
    return added;
  },
  hasEach(filter, keys) {
    let found = 0;
    for (let i = 0; i < keys.length; i++) if (filter.has(keys[i] as string)) found++;
    return found;
  },
};

export const wide: Kind = {
  name: 'WideBlockedBloomFilter',
  make: (capacity, errorRate) => new WideBlockedBloomFilter({ capacity, errorRate }),
  addEach(filter, keys) {
    let added = 0;
    for (let i = 0; i < keys.length; i++) if (filter.add(keys[i] as string)) added++;
    return added;
  },
  hasEach(filter, keys) {
    let found = 0;
    for (let i = 0; i < keys.length; i++) if (filter.has(keys[i] as string)) found++;
    return found;
  },
};
