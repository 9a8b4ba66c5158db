// Filters combined, estimated and removed from.

import type { CountingBloomFilter } from 'bloomery';
import { holds, same, sameBytes, sameList } from './assert.ts';
import { type Check, compared } from './check.ts';
import { digestOf } from './digest.ts';
import { type KindOnEngine, ofCombinable, ofKind } from './kinds.ts';

const first = Array.from({ length: 300 }, (_, i) => `key ${i}`);
const second = Array.from({ length: 300 }, (_, i) => `key ${200 + i}`);

function checkCombined({ Filter }: KindOnEngine): string {
  const options = { capacity: 1000 };
  const [a, b] = [Filter.from(first, options), Filter.from(second, options)];
  const union = a.union(b);
  holds(a.clone().merge(b).equals(union), 'merge gives the union');
  holds(!a.equals(b), 'different filters differ');
  sameList(union.hasMany([...first, ...second]), new Uint8Array(600).fill(1), 'the union has both');
  const common = a.intersection(b);
  sameList(common.hasMany(first.slice(200)), new Uint8Array(100).fill(1), 'the intersection has what is in both');
  return compared([union, common].map((filter) => digestOf(filter.toBytes())).join(' '));
}

/** The same in every runtime, to the ninth digit: functions such as `Math.log` may differ in the last ones. */
function checkEstimates({ Filter }: KindOnEngine): string {
  const filter = Filter.from(first, { capacity: 1000, errorRate: 0.001 });
  const { cellCount, hashes, byteLength, errorRate, capacity } = filter;
  const numbers = [filter.fillRatio(), filter.estimateCount(), filter.estimateErrorRate(), errorRate];
  return compared([cellCount, hashes, byteLength, capacity, ...numbers.map((n) => n.toPrecision(9))].join(' '));
}

function checkRemoval({ Filter }: KindOnEngine): string {
  const filter = Filter.from([...first, ...second], { capacity: 1000 }) as object as CountingBloomFilter;
  same(filter.countOf('key 250'), 2, 'added twice');
  holds(filter.remove('key 250'), 'removed once');
  filter.removeMany(second);
  sameBytes(
    filter.toBytes(),
    Filter.from(
      first.filter((key) => key !== 'key 250'),
      { capacity: 1000 },
    ).toBytes(),
    'all removed',
  );
  return compared(digestOf(filter.toBytes()));
}

export const combine: readonly Check[] = [
  ...ofCombinable('union, intersection, merge', checkCombined),
  ...ofCombinable('estimates', checkEstimates),
  ...ofKind('counting', 'remove', checkRemoval),
];
