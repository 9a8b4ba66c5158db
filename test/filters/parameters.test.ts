// The parameters that a filter of each kind has, how it is printed, and what its class says of the kind, against what its
// filters do.

import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { BlockedBloomFilter, BloomFilter, CountingBloomFilter, type FilterTraits } from '../../src/index.ts';
import { entryKinds } from '../../tools/entries.ts';
import * as api from '../shared/api.ts';
import { range } from '../shared/integers.ts';
import { type AnyClass, combinableKinds, kinds } from '../shared/kinds.ts';
import { importEntry } from '../shared/modules.ts';

const most = 2 ** 32 - 1;
const labeled = { capacity: 100, labels: 3 };
const twice = ['a', 'b', 'a'];
const [rough, four] = [{ errorRate: 0.02 }, { errorRate: 0.02, shards: 4 }];
const million = { capacity: 1_000_000, errorRate: 0.0001, seed: 7 };

/** What is printed of filters, and the filters. */
const rows: Readonly<Record<string, api.Filter>> = {
  'capacity: 5000000, errorRate: 0.01, bits: 47925292, hashes: 7, seed: 0': new BloomFilter({ capacity: 5_000_000 }),
  [`capacity: 99, errorRate: ${api.expectedErrorRate(99, 1000, 7)}, bits: 1000, hashes: 7, seed: ${most}`]:
    new BloomFilter({ bits: 1000, hashes: 7, seed: most }),
  [`capacity: 1000000, errorRate: 0.01, bits: ${256 * api.optimalBlocks(1_000_000, 0.01)}, seed: 3`]:
    new BlockedBloomFilter({ capacity: 1_000_000, seed: 3 }),
  [`capacity: 221, errorRate: ${api.expectedBlockedErrorRate(221, 2560)}, bits: 2560, seed: 0`]: new BlockedBloomFilter(
    { bits: 2560 },
  ),
  [`capacity: 1000000, errorRate: 0.01, bits: ${512 * api.optimalWideBlocks(1_000_000, 0.01)}, seed: 3`]:
    new api.WideBlockedBloomFilter({ capacity: 1_000_000, seed: 3 }),
  [`capacity: 1000, errorRate: 0.001, counters: ${api.optimalBits(1000, 0.001)}, hashes: 10, seed: 0`]:
    new CountingBloomFilter({ capacity: 1000, errorRate: 0.001 }),
  [`capacity: 99, errorRate: ${api.expectedErrorRate(99, 1001, 7)}, counters: 1001, hashes: 7, seed: ${most}`]:
    new CountingBloomFilter({ counters: 1001, hashes: 7, seed: most }),
  'capacity: 1000000, errorRate: 0.0001, buckets: 263164, fingerprintBits: 17, seed: 7': new api.CuckooFilter(million),
  [`capacity: 3788, errorRate: ${api.expectedCuckooErrorRate(3788, 1002, 9)}, buckets: 1002, fingerprintBits: 9, seed: 0`]:
    new api.CuckooFilter({ buckets: 1002, fingerprintBits: 9 }),
  'capacity: 1000000, errorRate: 0.0001, buckets: 41667, remainderBits: 18, seed: 7': new api.DLeftCountingBloomFilter(
    million,
  ),
  [`capacity: 2418, errorRate: ${api.expectedDLeftErrorRate(2418, 101, 9)}, buckets: 101, remainderBits: 9, seed: 0`]:
    new api.DLeftCountingBloomFilter({ buckets: 101, remainderBits: 9 }),
  'capacity: 1000, errorRate: 0.01, cells: 47753, cellBits: 2, hashes: 4, decrements: 30, seed: 0':
    new api.StableBloomFilter({ capacity: 1000 }),
  [`capacity: 17, errorRate: ${api.expectedStableErrorRate(64, 2, 2, 3)}, cells: 64, cellBits: 2, hashes: 2, decrements: 3, seed: 7`]:
    new api.StableBloomFilter({ cells: 64, hashes: 2, decrements: 3, seed: 7 }),
  'capacity: 100, errorRate: 0.01, cells: 961, hashes: 7, labels: 3, seed: 0': new api.SpatialBloomFilter(labeled),
  [`capacity: 1000000, errorRate: 0.001, generations: 4, window: 0, bits: ${1024 * 28_777}, rotations: 0, seed: 0`]:
    new api.RotatingBloomFilter({ capacity: 1e6, errorRate: 0.001 }),
  // Its clock is not read to print it.
  [`capacity: 1000, errorRate: 0.01, generations: 4, window: 60000, bits: ${1024 * 19}, rotations: 0, seed: 0`]:
    new api.RotatingBloomFilter({ capacity: 1000, window: 60_000 }),
  'capacity: 1000, errorRate: 0.01, growth: 2, tightening: 0.7, subFilters: 2, bits: 38400, count: 2996, seed: 0':
    api.ScalableBloomFilter.from(range(0, 3000), { capacity: 1000 }),
  'capacity: 2, errorRate: 0.015625, cellCount: 12, cellBits: 6, seed: 0': api.BinaryFuseFilter.from(twice, rough),
  'capacity: 2, errorRate: 0.015625, shards: 4, cellCount: 64, cellBits: 6, seed: 0': api.ShardedFuseFilter.from(
    twice,
    four,
  ),
  'capacity: 2, errorRate: 0.015625, shards: 4, cellCount: 64, fingerprintBits: 6, valueBits: 3, seed: 0':
    api.FuseMap.from(twice, [1, 5, 1], four),
};

it('every kind has a row, unless its filters are made around others, or have a table that grows', () => {
  const names = kinds.filter(({ bases, isExact }) => bases.length === 0 && !isExact).map(({ kind }) => kind);
  expect(new Set(Object.values(rows).map(({ kind }) => kind))).toEqual(new Set(names));
});

it.each(Object.entries(rows))('a filter has the parameters of its options, and prints them: %s', (shown, filter) => {
  const print = (): string => inspect(filter, { breakLength: Infinity });
  const round = (share: number): number => Number(share.toPrecision(3));
  const [fill, rate] = [round(filter.fillRatio()), round(filter.estimateErrorRate())];
  const counts = shown.includes('window: 6') ? '' : `, 'fillRatio()': ${fill}, 'estimateErrorRate()': ${rate}`;
  const start = `${(filter.constructor as { readonly name: string }).name} { ${shown}, engine: 'wasm'`;
  expect(filter.byteLength).toBe(Math.ceil((filter.cellCount * filter.cellBits) / 8));
  expect(print()).toBe(`${start}${counts} }`);
  filter.dispose();
  expect(print()).toBe(`${start}, disposed: true }`);
});

it.each(combinableKinds)('a filter is printed with its present fill and error rate up to 16 MiB: $kind', (kind) => {
  const { sized, blockCells } = kind;
  const { cellName, cellBits } = sized({ cells: 8, hashes: 3 });
  const cells = 2 ** 27 / cellBits;
  expect(inspect(sized({ cells, hashes: 3 }))).toMatch(/'fillRatio\(\)': 0,\s+'estimateErrorRate\(\)': 0\s}$/s);
  using larger = sized({ cells: cells + Math.max(blockCells, 8), hashes: 3 });
  expect(inspect(larger)).toMatch(new RegExp(`${cellName}: \\d{6,}`));
  expect(inspect(larger)).not.toContain('()');
});

it('a filter has a capacity and an error rate however small it is, also when it is loaded', () => {
  for (const { sized, Filter } of combinableKinds) {
    for (const hashes of [1, 10, 255]) {
      const filter = sized({ cells: 10, hashes });
      const { capacity, errorRate } = filter;
      expect(Filter.fromBytes(filter.toBytes())).toMatchObject({ capacity, errorRate });
      expect(capacity).toBeGreaterThanOrEqual(1);
      expect(errorRate).toBeGreaterThan(0);
      expect(errorRate).toBeLessThanOrEqual(1);
    }
  }
});

it('a filter is printed in short where it lies deep', () => {
  const filter = BloomFilter.from(['a']);
  expect(inspect([[filter]], { depth: 2 })).toContain('BloomFilter {');
  expect(inspect([[[filter]]], { depth: 2 })).toContain('[BloomFilter]');
});

const CAPACITY = 100;
const keys = Array.from({ length: 20 * CAPACITY }, (_, i) => `key ${i}`);

describe.each(kinds)('traits: $kind', ({ Filter, bases, isStatic, isExact }) => {
  const { traits } = Filter as AnyClass & { readonly traits: FilterTraits };

  it('removes: there is the method', () => expect(traits.removes).toBe('remove' in Filter.prototype));

  // No keys can be added to the others.
  if (!isStatic) {
    it('canBeFull, grows, forgets, forgetsAny: what happens at twenty times the capacity', () => {
      const filter = new Filter({ capacity: CAPACITY } as never);
      const { byteLength } = filter;
      const add = (): unknown => filter.addMany(keys);
      if (traits.canBeFull) expect(add).toThrow(api.FilterFullError);
      else expect(add).not.toThrow();
      expect(filter.byteLength > byteLength).toBe(traits.grows);
      expect(filter.has('key 0')).toBe(!traits.forgets);
      if (!traits.canBeFull) expect(filter.omit(keys.slice(-CAPACITY)).length > 0).toBe(traits.forgetsAny);
      // A filter that keeps the default rate of 1 % practically never exceeds 1.33 %. One that can be full may take
      // half as many keys again as its capacity.
      const isKept = filter.estimateErrorRate() < (traits.canBeFull ? 0.02 : 0.0133);
      expect(isKept).toBe(traits.grows || traits.forgets || traits.canBeFull);
    });
  }

  it('the least error rate can be had, and half of it cannot', () => {
    for (const count of [1, 8, 9, 1000]) {
      const least = traits.leastErrorRate(count);
      if (bases.length > 0) {
        // The base decides.
        expect(least).toBe(0);
        continue;
      }
      if (isExact) {
        expect(least).toBe(Filter.from(keys.slice(0, count)).errorRate);
        continue;
      }
      const make = (errorRate: number) =>
        isStatic
          ? Filter.from(keys.slice(0, count), { errorRate })
          : new Filter({ capacity: count, errorRate } as never);
      expect(make(least).errorRate).toBeLessThanOrEqual(least);
      expect(() => make(least / 2)).toThrow(RangeError);
    }
  });
});

it('entries export the error of kinds that refuse keys', async () => {
  for (const { name, className } of entryKinds) {
    for (const entryName of [name, `${name}/js`]) {
      const entry = (await importEntry(entryName)) as Record<string, { traits: FilterTraits }>;
      const { canBeFull, grows } = (entry[className] as { traits: FilterTraits }).traits;
      expect([name, 'FilterFullError' in entry]).toEqual([name, canBeFull || grows]);
    }
  }
});
