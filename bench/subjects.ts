// The subjects of the benchmarks. Each has its own loop: the call site in a shared loop would see every class, and V8
// would not inline it.

import {
  BlockedBloomFilter,
  BloomFilter,
  expectedBlockedErrorRate,
  expectedErrorRate,
  optimalBits,
  optimalHashes,
} from 'bloomery';
import { BloomFilter as JsBloomFilter } from 'bloomery/js';
import { sumOf } from './flags.ts';
import { heapOf } from './heap.ts';
import type { Batch } from './keys.ts';
import { PlainBloomFilter, type PlainKey } from './plain.ts';

export const ERROR_RATE = 0.01;

/** A filter that has been filled. */
export interface Filled {
  /** How many of the keys are reported as present. */
  find(keys: Batch): number;
  /** Its memory in bytes. */
  bytes(): number;
  /** The share of absent keys that should be found, by theory. */
  readonly expectedErrorRate: number;
  dispose(): void;
}

export interface Subject {
  readonly name: string;
  /** One call for all keys, or one call per key. */
  readonly mode: 'batch' | 'single';
  /** Whether it belongs to this project. */
  readonly ours: boolean;
  build(keys: Batch): Filled;
}

function filledClassic(filter: BloomFilter, count: number, find: Filled['find']): Filled {
  return {
    find,
    bytes: () => filter.byteLength,
    expectedErrorRate: expectedErrorRate(count, filter.bits, filter.hashes),
    dispose: () => filter.dispose(),
  };
}

function filledBlocked(filter: BlockedBloomFilter, count: number, find: Filled['find']): Filled {
  return {
    find,
    bytes: () => filter.byteLength,
    expectedErrorRate: expectedBlockedErrorRate(count, filter.bits),
    dispose: () => filter.dispose(),
  };
}

export const bloomBatch: Subject = {
  name: 'BloomFilter',
  mode: 'batch',
  ours: true,
  build({ count, many }) {
    const filter = new BloomFilter({ capacity: count, errorRate: ERROR_RATE }).addMany(many);
    return filledClassic(filter, count, (keys) => sumOf(filter.hasMany(keys.many)));
  },
};

export const bloomSingle: Subject = {
  name: 'BloomFilter',
  mode: 'single',
  ours: true,
  build({ count, each }) {
    const filter = new BloomFilter({ capacity: count, errorRate: ERROR_RATE });
    const keys = each();
    for (let i = 0; i < keys.length; i++) filter.add(keys[i] as PlainKey);
    return filledClassic(filter, count, (batch) => {
      const keys = batch.each();
      let found = 0;
      for (let i = 0; i < keys.length; i++) if (filter.has(keys[i] as PlainKey)) found++;
      return found;
    });
  },
};

export const blockedBatch: Subject = {
  name: 'BlockedBloomFilter',
  mode: 'batch',
  ours: true,
  build({ count, many }) {
    const filter = new BlockedBloomFilter({ capacity: count, errorRate: ERROR_RATE }).addMany(many);
    return filledBlocked(filter, count, (keys) => sumOf(filter.hasMany(keys.many)));
  },
};

export const blockedSingle: Subject = {
  name: 'BlockedBloomFilter',
  mode: 'single',
  ours: true,
  build({ count, each }) {
    const filter = new BlockedBloomFilter({ capacity: count, errorRate: ERROR_RATE });
    const keys = each();
    for (let i = 0; i < keys.length; i++) filter.add(keys[i] as PlainKey);
    return filledBlocked(filter, count, (batch) => {
      const keys = batch.each();
      let found = 0;
      for (let i = 0; i < keys.length; i++) if (filter.has(keys[i] as PlainKey)) found++;
      return found;
    });
  },
};

export const jsBatch: Subject = {
  name: 'BloomFilter, JS engine',
  mode: 'batch',
  ours: true,
  build({ count, many }) {
    const filter = new JsBloomFilter({ capacity: count, errorRate: ERROR_RATE }).addMany(many);
    return filledClassic(filter, count, (keys) => sumOf(filter.hasMany(keys.many)));
  },
};

export const jsSingle: Subject = {
  name: 'BloomFilter, JS engine',
  mode: 'single',
  ours: true,
  build({ count, each }) {
    const filter = new JsBloomFilter({ capacity: count, errorRate: ERROR_RATE });
    const keys = each();
    for (let i = 0; i < keys.length; i++) filter.add(keys[i] as PlainKey);
    return filledClassic(filter, count, (batch) => {
      const keys = batch.each();
      let found = 0;
      for (let i = 0; i < keys.length; i++) if (filter.has(keys[i] as PlainKey)) found++;
      return found;
    });
  },
};

export const plain: Subject = {
  name: 'plain JS',
  mode: 'single',
  ours: false,
  build({ count, each }) {
    const bits = optimalBits(count, ERROR_RATE);
    const filter = new PlainBloomFilter(bits, optimalHashes(count, bits));
    const keys = each();
    for (let i = 0; i < keys.length; i++) filter.add(keys[i] as PlainKey);
    return {
      find(batch) {
        const keys = batch.each();
        let found = 0;
        for (let i = 0; i < keys.length; i++) if (filter.has(keys[i] as PlainKey)) found++;
        return found;
      },
      bytes: () => filter.byteLength,
      expectedErrorRate: expectedErrorRate(count, bits, filter.hashes),
      dispose() {},
    };
  },
};

export const nativeSet: Subject = {
  name: 'Set',
  mode: 'single',
  ours: false,
  build({ each }) {
    const fill = (keys: ArrayLike<PlainKey>): Set<PlainKey> => {
      const set = new Set<PlainKey>();
      for (let i = 0; i < keys.length; i++) set.add(keys[i] as PlainKey);
      return set;
    };
    const set = fill(each());
    return {
      find(batch) {
        const keys = batch.each();
        let found = 0;
        for (let i = 0; i < keys.length; i++) if (set.has(keys[i] as PlainKey)) found++;
        return found;
      },
      bytes() {
        const keys = each();
        return heapOf(() => fill(keys));
      },
      expectedErrorRate: 0,
      dispose() {},
    };
  },
};

/** The subjects for a set of keys. The JS engine is the slowest, so it takes part only in the main sets. */
export function subjectsFor(setName: string): Subject[] {
  const batches = [blockedBatch, bloomBatch];
  // No single calls: lines never become strings in a batch, but a call for each line would be a call for a string.
  if (setName === 'lines') return [...batches, jsBatch, plain, nativeSet];
  const singles = [blockedSingle, bloomSingle];
  if (setName === 'names') return [...batches, ...singles, jsBatch, jsSingle, plain, nativeSet];
  if (setName === 'bytes') return [...batches, ...singles, plain];
  return [...batches, ...singles, plain, nativeSet];
}
