// What only one kind has: cuckoo filters can be full, d-left ones count, rotating and stable ones forget, scalable ones
// grow, spatial ones have labels, tombstone filters hide keys of others.

import type { CuckooFilter } from 'bloomery/cuckoo';
import type { DLeftCountingBloomFilter } from 'bloomery/dleft';
import type { RotatingBloomFilter } from 'bloomery/rotating';
import type { ScalableBloomFilter } from 'bloomery/scalable';
import type { SpatialBloomFilter } from 'bloomery/spatial';
import type { StableBloomFilter } from 'bloomery/stable';
import type { TombstoneFilter } from 'bloomery/tombstone';
import { errorOf, holds, same, sameBytes, sameList } from './assert.ts';
import { type Check, compared } from './check.ts';
import { digestOf } from './digest.ts';
import { type KindOnEngine, ofKind } from './kinds.ts';

/** Removal, merging and refusals of cuckoo filters. */
async function checkCuckoo(kind: KindOnEngine): Promise<string> {
  const Filter = kind.Filter as object as typeof CuckooFilter;
  const keys = Array.from({ length: 900 }, (_, i) => `key ${i}`);
  const options = { capacity: 1000, errorRate: 1e-6 };
  const [one, two] = [Filter.from(keys.slice(0, 500), options), Filter.from(keys.slice(400), options)];
  const both = one.union(two);
  sameBytes(one.merge(two).toBytes(), both.toBytes(), 'merge gives the union');
  same(both.count, 1000, 'keys, of which 100 are there twice');
  same(both.countOf('key 450'), 2, 'copies');
  both.removeMany(keys.slice(400, 500));
  sameList(both.hasMany(keys), new Uint8Array(900).fill(1), 'all are left');
  const shown = [
    await errorOf(() => one.merge(two), 'too many keys'),
    await errorOf(() => two.addMany(keys.flatMap((key) => [key, key])), 'too many keys'),
    await errorOf(() => two.addMany(Array<string>(9).fill('ada')), 'too many copies'),
    await errorOf(() => new Filter({ buckets: 3, fingerprintBits: 8 }), 'an odd number of buckets'),
  ];
  return compared([...shown, digestOf(both.toBytes()), digestOf(two.toBytes())].join('\n'));
}

/** Counts, merging and refusals of d-left counting filters. */
async function checkCounts(kind: KindOnEngine): Promise<string> {
  const Filter = kind.Filter as object as typeof DLeftCountingBloomFilter;
  const keys = Array.from({ length: 900 }, (_, i) => `key ${i}`);
  const many = keys.flatMap((key, i) => Array<string>(i % 7).fill(key));
  const one = Filter.from(many, { capacity: 2500, errorRate: 1e-6 });
  sameList(
    keys.map((key) => one.countOf(key)),
    keys.map((_, i) => i % 7),
    'counts',
  );
  const both = one.union(one).removeMany(many.slice(0, 1000));
  same(both.count, 2 * many.length - 1000, 'keys that are left');
  const shown = [
    await errorOf(() => both.merge(one.union(one)), 'too many keys'),
    await errorOf(() => new Filter({ capacity: 1000 }).addMany(Array<string>(97).fill('ada')), 'too many copies'),
    await errorOf(() => new Filter({ buckets: 3, remainderBits: 31 }), 'too many bits'),
  ];
  return compared([...shown, digestOf(one.toBytes()), digestOf(both.toBytes())].join('\n'));
}

function checkTime(kind: KindOnEngine): void {
  const Filter = kind.Filter as object as typeof RotatingBloomFilter;
  let now = 0;
  const filter = new Filter({ capacity: 1000, window: 300, errorRate: 0.001, clock: () => now });
  filter.add('a');
  now = 300;
  same(filter.has('a'), true, 'within the window');
  // It is forgotten after G / (G − 1) of the window.
  now = 401;
  same(filter.has('a'), false, 'after the window');
  same(filter.rotations, 4, 'rotations');
}

function checkGrowth(kind: KindOnEngine): string {
  const Filter = kind.Filter as object as typeof ScalableBloomFilter;
  const filter = new Filter({ capacity: 10 });
  filter.addMany(Uint32Array.from({ length: 100_000 }, (_, i) => i));
  holds(filter.estimateErrorRate() < 0.0101, 'it keeps its error rate');
  return compared(`${filter.slices} ${filter.count} ${digestOf(filter.toBytes())}`);
}

/** Labels of every width, one by one and in batches, and unions. */
async function checkLabels(kind: KindOnEngine): Promise<string> {
  const Filter = kind.Filter as object as typeof SpatialBloomFilter;
  const keys = Array.from({ length: 5000 }, (_, i) => `key ${i}`);
  const shown = [];
  for (const labels of [1, 3, 15, 255, 65_535]) {
    const options = { capacity: 10_000, labels };
    const given = Uint16Array.from(keys, (_, i) => 1 + (i % labels));
    const filter = new Filter(options).addMany(keys, given);
    const found = filter.labelsOf(keys);
    holds(
      found.every((label, i) => label >= (given[i] as number)),
      'no label is lower',
    );
    sameList(
      keys.map((key) => filter.labelOf(key)),
      found,
      'labels one by one',
    );
    const [one, two] = [new Filter(options), new Filter(options)];
    for (const [i, key] of keys.entries()) (i % 2 ? one : two).add(key, given[i] as number);
    sameBytes(one.union(two).toBytes(), filter.toBytes(), 'the union has all');
    shown.push(filter.fillRatio(labels), digestOf(filter.toBytes()));
    shown.push(await errorOf(() => one.addMany(['a', 'b'], [1, labels + 1]), 'a label that is too high'));
  }
  return compared(shown.join('\n'));
}

/** Which keys are forgotten is the same everywhere, in cells of every width. */
function checkForgetting(kind: KindOnEngine): string {
  const Filter = kind.Filter as object as typeof StableBloomFilter;
  const keys = Uint32Array.from({ length: 20_000 }, (_, i) => i);
  const widths = [
    [1, 11],
    [2, 30],
    [4, 142],
    [8, 2450],
  ] as const;
  const digests = widths.map(([cellBits, decrements]) => {
    const filter = new Filter({ cells: 10_007, cellBits, hashes: 4, decrements, seed: 7 });
    const half = Filter.fromBytes(filter.addMany(keys.subarray(0, 10_000)).toBytes());
    for (const key of keys.subarray(10_000)) filter.add(key);
    sameBytes(half.addMany(keys.subarray(10_000)).toBytes(), filter.toBytes(), 'saved, it goes on where it was');
    return `${filter.pick(keys).length} ${digestOf(filter.toBytes())}`;
  });
  return compared(digests.join('\n'));
}

function checkRemoval({ Filter }: KindOnEngine): string {
  const keys = Array.from({ length: 9000 }, (_, i) => `key ${i}`);
  const filter = Filter.from(keys, { errorRate: 0.01 }) as object as TombstoneFilter;
  filter.removeMany(keys.slice(0, 5000));
  for (const key of keys.slice(4000, 6000)) filter.remove(key);
  filter.addMany(keys.slice(1000, 5500));
  const isThere = Uint8Array.from(keys, (_, i) => Number(i >= 6000 || (i >= 1000 && i < 5500)));
  sameList(filter.hasMany(keys), isThere, 'flags');
  sameList(
    Uint8Array.from(keys, (key) => Number(filter.has(key))),
    isThere,
    'single keys',
  );
  return compared(`${filter.removedCount} ${digestOf(filter.toBytes())}`);
}

export const own: readonly Check[] = [
  ...ofKind('cuckoo', 'remove, merge, refuse', checkCuckoo),
  ...ofKind('dleft', 'counts, merge, refuse', checkCounts),
  ...ofKind('rotating', 'time passes', checkTime),
  ...ofKind('scalable', 'growth', checkGrowth),
  ...ofKind('spatial', 'labels', checkLabels),
  ...ofKind('stable', 'forgets the same keys', checkForgetting),
  ...ofKind('tombstone', 'remove, add', checkRemoval),
];
