// The subjects of the comparison of kinds: every kind of filter, and the alternatives. A new kind is one more row.

import { BlockedBloomFilter, BloomFilter, CountingBloomFilter, type Filter } from 'bloomery';
import { CuckooFilter } from 'bloomery/cuckoo';
import { DLeftCountingBloomFilter } from 'bloomery/dleft';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { RotatingBloomFilter } from 'bloomery/rotating';
import { ScalableBloomFilter } from 'bloomery/scalable';
import { ShardedFuseFilter } from 'bloomery/sharded-fuse';
import { SharedBlockedBloomFilter, SharedBloomFilter } from 'bloomery/shared';
import { SpatialBloomFilter } from 'bloomery/spatial';
import { StableBloomFilter } from 'bloomery/stable';
import { TombstoneFilter } from 'bloomery/tombstone';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import { cuckooPeer, exact, expiring, type Subject, scalablePeer } from './alternatives.ts';

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

function hasMany(filter: Filter, keys: Uint32Array, flags: Uint8Array): Uint8Array {
  return filter.hasMany(keys, flags);
}

/** A kind of filter. It takes batches. */
function kind<F extends Filter>(
  name: string,
  make: (keys: Uint32Array, errorRate: number) => F,
  find: (filter: F, keys: Uint32Array, flags: Uint8Array) => Uint8Array = hasMany,
): Subject<Uint32Array> {
  let flags = new Uint8Array(0);
  return {
    name,
    mostKeys: MOST_KEYS,
    keysOf: (integers) => integers,
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

/** The kinds that keep this error rate, and the alternatives. */
export function subjectsFor(errorRate: number): readonly Subject[] {
  return [
    kind('BloomFilter', (keys, rate) => BloomFilter.from(keys, { errorRate: rate })),
    ...(errorRate >= 1e-5
      ? [kind('BlockedBloomFilter', (keys, rate) => BlockedBloomFilter.from(keys, { errorRate: rate }))]
      : []),
    kind('SharedBloomFilter', (keys, rate) =>
      new SharedBloomFilter({ capacity: keys.length, errorRate: rate }).addMany(keys),
    ),
    ...(errorRate >= 1e-5
      ? [
          kind('SharedBlockedBloomFilter', (keys, rate) =>
            new SharedBlockedBloomFilter({ capacity: keys.length, errorRate: rate }).addMany(keys),
          ),
        ]
      : []),
    kind('WideBlockedBloomFilter', (keys, rate) => WideBlockedBloomFilter.from(keys, { errorRate: rate })),
    kind('CountingBloomFilter', (keys, rate) => CountingBloomFilter.from(keys, { errorRate: rate })),
    kind('CuckooFilter', (keys, rate) => CuckooFilter.from(keys, { errorRate: rate })),
    kind('DLeftCountingBloomFilter', (keys, rate) => DLeftCountingBloomFilter.from(keys, { errorRate: rate })),
    kind(`ScalableBloomFilter, grown ${GROWTH} ×`, (keys, rate) =>
      new ScalableBloomFilter({ capacity: Math.ceil(keys.length / GROWTH), errorRate: rate }).addMany(keys),
    ),
    ...(errorRate >= 4e-5
      ? [kind('RotatingBloomFilter', (keys, rate) => RotatingBloomFilter.from(keys, { errorRate: rate }))]
      : []),
    kind('SpatialBloomFilter, hasMany', labeled),
    kind('SpatialBloomFilter, labelsOf', labeled, (filter, keys, labels) => filter.labelsOf(keys, labels)),
    {
      ...kind('StableBloomFilter', (keys, rate) => StableBloomFilter.from(keys, { errorRate: rate })),
      // Most of the others are those that came first.
      finds: 0.9,
    },
    kind('BinaryFuseFilter', (keys, rate) => BinaryFuseFilter.from(keys, { errorRate: rate })),
    kind('ShardedFuseFilter, 16 shards', (keys, rate) => ShardedFuseFilter.from(keys, { errorRate: rate, shards: 16 })),
    kind('TombstoneFilter, 1 % removed', withRemoved),
    cuckooPeer(),
    scalablePeer(GROWTH),
    exact,
    expiring,
  ] as readonly Subject[];
}
