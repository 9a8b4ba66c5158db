// The subjects of the benchmarks.

import {
  BlockedBloomFilter,
  BloomFilter,
  expectedBlockedErrorRate,
  expectedErrorRate,
  type GrowingFilter,
  optimalBits,
  optimalHashes,
} from 'bloomery';
import { FingerprintSet } from 'bloomery/fingerprint-set';
import { BloomFilter as JsBloomFilter } from 'bloomery/js';
import { sumOf } from './figures.ts';
import type { Batch } from './keys.ts';
import { heapOf } from './machine.ts';
import { ownLoops } from './own-loops.ts';
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

type InModes = Readonly<Record<Subject['mode'], Subject>>;

/**
 * A class of ours, in batches and in single calls. `theory` is the expected error rate of a filter with `count` keys; by
 * default there are no errors.
 */
function ours<F extends GrowingFilter>(
  name: string,
  make: (options: { capacity: number; errorRate: number }) => F,
  theory: (count: number, filter: F) => number = () => 0,
): InModes {
  const { addEach, hasEach } = ownLoops<PlainKey>(name);
  const subject = (
    mode: Subject['mode'],
    fill: (filter: F, keys: Batch) => unknown,
    find: (filter: F, keys: Batch) => number,
  ): Subject => ({
    name,
    mode,
    ours: true,
    build(keys) {
      const filter = make({ capacity: keys.count, errorRate: ERROR_RATE });
      fill(filter, keys);
      return {
        find: (wanted) => find(filter, wanted),
        bytes: () => filter.byteLength,
        expectedErrorRate: theory(keys.count, filter),
        dispose: () => filter.dispose(),
      };
    },
  });
  return {
    batch: subject(
      'batch',
      (filter, { many }) => filter.addMany(many),
      (filter, { many }) => sumOf(filter.hasMany(many)),
    ),
    single: subject(
      'single',
      (filter, { each }) => addEach(filter, each()),
      (filter, { each }) => hasEach(filter, each()),
    ),
  };
}

const classicRate = (count: number, { bits, hashes }: BloomFilter): number => expectedErrorRate(count, bits, hashes);

export const bloom: InModes = ours('BloomFilter', (options) => new BloomFilter(options), classicRate);
export const blocked: InModes = ours(
  'BlockedBloomFilter',
  (options) => new BlockedBloomFilter(options),
  (count, { bits }) => expectedBlockedErrorRate(count, bits),
);
/** It is exact, as `Set` is. */
export const exactSet: InModes = ours('FingerprintSet', ({ capacity }) => new FingerprintSet({ capacity }));
const js = ours('BloomFilter, JS engine', (options) => new JsBloomFilter(options), classicRate);

/** The baseline. Its loops stand beside `new`, where V8 makes the fastest code of them. */
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

const inSet = ownLoops<PlainKey>('Set');

function setOf(keys: ArrayLike<PlainKey>): Set<PlainKey> {
  const set = new Set<PlainKey>();
  inSet.addEach(set, keys);
  return set;
}

export const nativeSet: Subject = {
  name: 'Set',
  mode: 'single',
  ours: false,
  build({ each }) {
    const set = setOf(each());
    return {
      find: (keys) => inSet.hasEach(set, keys.each()),
      bytes() {
        const keys = each();
        return heapOf(() => setOf(keys));
      },
      expectedErrorRate: 0,
      dispose() {},
    };
  },
};

/** The subjects for a set of keys. The JS engine is the slowest, so it takes part only in the main sets. */
export function subjectsFor(setName: string): Subject[] {
  const batches = [blocked.batch, bloom.batch];
  // No single calls, because a call for each line would need a string; a batch of lines makes no strings.
  if (setName === 'lines') return [...batches, js.batch, plain, nativeSet];
  const singles = [blocked.single, bloom.single];
  if (setName === 'names') return [...batches, ...singles, js.batch, js.single, plain, nativeSet];
  if (setName === 'bytes') return [...batches, ...singles, plain];
  return [...batches, ...singles, plain, nativeSet];
}
