// What the comparison of all kinds measures: every kind of filter, and what a user would take otherwise. A new kind is
// one more row.

import { BlockedBloomFilter, BloomFilter, CountingBloomFilter, type Filter } from 'bloomery';
import { CuckooFilter } from 'bloomery/cuckoo';
import { BinaryFuseFilter } from 'bloomery/fuse';
import { RotatingBloomFilter } from 'bloomery/rotating';
import { ScalableBloomFilter } from 'bloomery/scalable';
import { WideBlockedBloomFilter } from 'bloomery/wide';
import { cuckooPeer, exact, expiring, scalablePeer } from './kinds-alternatives.ts';
import type { Subject } from './kinds-form.ts';

const MOST_KEYS = 1e8;
/** How many times its first capacity a scalable filter holds. */
const GROWTH = 10;

type Make = (keys: Uint32Array, errorRate: number) => Filter;

/** A kind of filter. It takes batches. */
function kind(name: string, make: Make): Subject<Uint32Array> {
  let flags = new Uint8Array(0);
  return {
    name,
    mostKeys: MOST_KEYS,
    keysOf: (integers) => integers,
    build(keys, errorRate) {
      if (flags.length !== keys.length) flags = new Uint8Array(keys.length);
      const filter = make(keys, errorRate);
      return {
        find: (wanted) => filter.hasMany(wanted, flags),
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

/** The kinds that go down to this error rate, and what a user would take otherwise. */
export function subjectsFor(errorRate: number): readonly Subject[] {
  return [
    kind('BloomFilter', (keys, rate) => BloomFilter.from(keys, { errorRate: rate })),
    ...(errorRate >= 1e-5
      ? [kind('BlockedBloomFilter', (keys, rate) => BlockedBloomFilter.from(keys, { errorRate: rate }))]
      : []),
    kind('WideBlockedBloomFilter', (keys, rate) => WideBlockedBloomFilter.from(keys, { errorRate: rate })),
    kind('CountingBloomFilter', (keys, rate) => CountingBloomFilter.from(keys, { errorRate: rate })),
    kind('CuckooFilter', (keys, rate) => CuckooFilter.from(keys, { errorRate: rate })),
    kind(`ScalableBloomFilter, grown ${GROWTH} ×`, (keys, rate) =>
      new ScalableBloomFilter({ capacity: Math.ceil(keys.length / GROWTH), errorRate: rate }).addMany(keys),
    ),
    ...(errorRate >= 4e-5
      ? [kind('RotatingBloomFilter', (keys, rate) => RotatingBloomFilter.from(keys, { errorRate: rate }))]
      : []),
    kind('BinaryFuseFilter', (keys, rate) => BinaryFuseFilter.from(keys, { errorRate: rate })),
    cuckooPeer(),
    scalablePeer(GROWTH),
    exact,
    expiring,
  ] as readonly Subject[];
}
