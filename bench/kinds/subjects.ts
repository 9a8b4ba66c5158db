// The subjects of the comparison of kinds: every kind of filter, by the table of entries, and the alternatives.

import { BlockedBloomFilter, BloomFilter, type Filter, type FilterTraits } from 'bloomery';
import { FingerprintSet } from 'bloomery/fingerprint-set';
import { FuseMap } from 'bloomery/fuse-map';
import { ScalableBloomFilter } from 'bloomery/scalable';
import { ShardedFuseFilter } from 'bloomery/sharded-fuse';
import { SharedBlockedBloomFilter, SharedBloomFilter } from 'bloomery/shared';
import { SpatialBloomFilter } from 'bloomery/spatial';
import { StableBloomFilter } from 'bloomery/stable';
import { TombstoneFilter } from 'bloomery/tombstone';
import { entryOf, importName, kinds } from '../../tools/entries.ts';
import type { Found } from '../shared/measure.ts';
import { exact, expiring, type Subject } from './alternatives.ts';

const MOST_KEYS = 1e8;
/** The ratio of the number of keys in a scalable filter to its first capacity. */
const GROWTH = 10;

/** A classic filter of these keys and a hundredth as many others, which were removed. */
function withRemoved(keys: Uint32Array, errorRate: number): Filter {
  const removed = BigUint64Array.from({ length: Math.ceil(keys.length / 100) }, (_, i) => 2n ** 40n + BigInt(i));
  const base = BloomFilter.from(keys, { capacity: keys.length + removed.length, errorRate }).addMany(removed);
  return new TombstoneFilter(base).removeMany(removed);
}

/** Makes a filter of these keys. All have label 1, so that labels are flags. */
function labeled(keys: Uint32Array, errorRate: number): SpatialBloomFilter {
  return SpatialBloomFilter.from([[1, keys]], { labels: 255, errorRate });
}

/** Makes a map of these keys, with values of 8 bits. */
function withValues(keys: Uint32Array, errorRate: number): FuseMap {
  return FuseMap.from(
    keys,
    new Uint8Array(keys.length).map((_, i) => i),
    { errorRate },
  );
}

let values = new Uint32Array(0);

/** The values are counted after the timing. */
function valuesOf(map: FuseMap, keys: Uint32Array): () => number {
  if (values.length !== keys.length) values = new Uint32Array(keys.length);
  const found = map.getMany(keys, values);
  return () => found.reduce((sum, value) => sum + Number(value !== FuseMap.ABSENT), 0);
}

function hasMany(filter: Filter, keys: Uint32Array, flags: Uint8Array): Uint8Array {
  return filter.hasMany(keys, flags);
}

/** A kind of filter. It takes batches. */
function kind<F extends Filter>(
  name: string,
  make: (keys: Uint32Array, errorRate: number) => F,
  find: (filter: F, keys: Uint32Array, flags: Uint8Array) => Found = hasMany,
): Subject {
  let flags = new Uint8Array(0);
  return {
    name,
    mostKeys: MOST_KEYS,
    build(keys, errorRate) {
      if (flags.length !== keys.length) flags = new Uint8Array(keys.length);
      const filter = make(keys, errorRate);
      return {
        find: (wanted) => find(filter, wanted, flags),
        errorRate: filter.estimateErrorRate(),
        dispose: () => filter.dispose(),
      };
    },
    bytesOf(keys, errorRate) {
      const filter = make(keys, errorRate);
      const { byteLength } = filter;
      filter.dispose();
      return byteLength;
    },
  };
}

/** A class whose filters are made of keys and an error rate. */
interface UsualClass {
  readonly name: string;
  readonly traits: FilterTraits;
  from(keys: Uint32Array, options: { readonly errorRate: number }): Filter;
}

/** The kinds that are made or looked up otherwise, by the names of their classes. */
const unusual: Readonly<Record<string, readonly Subject[]>> = {
  ScalableBloomFilter: [
    kind(`ScalableBloomFilter, grown ${GROWTH} ×`, (keys, errorRate) =>
      new ScalableBloomFilter({ capacity: Math.ceil(keys.length / GROWTH), errorRate }).addMany(keys),
    ),
  ],
  // It forgets keys, most of them among those that came first.
  StableBloomFilter: [
    { ...kind('StableBloomFilter', (keys, errorRate) => StableBloomFilter.from(keys, { errorRate })), finds: 0.9 },
  ],
  SpatialBloomFilter: [
    kind('SpatialBloomFilter, hasMany', labeled),
    kind('SpatialBloomFilter, labelsOf', labeled, (filter, keys, labels) => filter.labelsOf(keys, labels)),
  ],
  ShardedFuseFilter: [
    kind('ShardedFuseFilter, 16 shards', (keys, errorRate) => ShardedFuseFilter.from(keys, { errorRate, shards: 16 })),
  ],
  FuseMap: [
    kind('FuseMap, values of 8 bits, hasMany', withValues),
    kind('FuseMap, values of 8 bits, getMany', withValues, valuesOf),
  ],
  FingerprintSet: [
    kind('FingerprintSet', (keys) => FingerprintSet.from(keys)),
    kind('FingerprintSet, grown', (keys) => new FingerprintSet().addMany(keys)),
  ],
  TombstoneFilter: [kind('TombstoneFilter, 1 % removed', withRemoved)],
};

const classes = await Promise.all(
  kinds.map(async (row): Promise<UsualClass> => (await import(importName(entryOf(row, 'wasm'))))[row.className]),
);

/** The kinds that keep this error rate with so many keys, and the alternatives. */
export function subjectsFor(count: number, errorRate: number): readonly Subject[] {
  const keeps = ({ traits }: Pick<UsualClass, 'traits'>): boolean => errorRate >= traits.leastErrorRate(count);
  const shared = [SharedBloomFilter, ...(keeps(BlockedBloomFilter) ? [SharedBlockedBloomFilter] : [])];
  return [
    ...classes
      .filter(keeps)
      .flatMap(
        (Class) => unusual[Class.name] ?? [kind(Class.name, (keys, rate) => Class.from(keys, { errorRate: rate }))],
      ),
    ...shared.map((Class) =>
      kind(Class.name, (keys, rate) => new Class({ capacity: keys.length, errorRate: rate }).addMany(keys)),
    ),
    exact,
    expiring,
  ];
}
