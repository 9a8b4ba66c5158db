// What each class says of its kind, against what its filters do.

import { describe, expect, it } from 'vitest';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import { FilterFullError, FilterMemoryError, type FilterTraits } from '../../src/index.ts';
import { entryKinds } from '../../tools/entries.ts';
import { errorOf } from '../format/saved.ts';
import { type AnyClass, kinds } from '../shared/kinds.ts';
import { importEntry } from '../shared/modules.ts';

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
      if (traits.canBeFull) expect(add).toThrow(FilterFullError);
      else expect(add).not.toThrow();
      expect(filter.byteLength > byteLength).toBe(traits.grows);
      expect(filter.has('key 0')).toBe(!traits.forgets);
      const last = filter.omit(keys.slice(-CAPACITY));
      if (!traits.canBeFull) expect(last.length > 0).toBe(traits.forgetsAny);
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

it('the size of a fuse filter is known before it is made, and refused if it cannot be built', () => {
  for (const count of [0, 1, 10, 1000, 2000]) {
    for (const options of [{}, { errorRate: 0.001 }, { fingerprintBits: 13, seed: 7 }]) {
      const { cellCount, cellBits, hashes, byteLength } = BinaryFuseFilter.from(keys.slice(0, count), options);
      expect(BinaryFuseFilter.sizeFor(count, options)).toEqual({ cellCount, cellBits, hashes, byteLength });
    }
  }
  const error = errorOf(() => BinaryFuseFilter.sizeFor(5e8));
  expect(error).toBeInstanceOf(FilterMemoryError);
  expect((error as FilterMemoryError).byteLength).toBeGreaterThan(2 ** 32);
  expect(() => BinaryFuseFilter.sizeFor(-1)).toThrow(/^count must be an integer/);
  expect(() => BinaryFuseFilter.sizeFor(1, { errorRate: 1e-10 })).toThrow(/^errorRate must be at least/);
});
