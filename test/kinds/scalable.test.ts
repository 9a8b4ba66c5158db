// What only the scalable filter has: it grows.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as js from '../../src/entries/js/scalable.ts';
import { ScalableBloomFilter } from '../../src/entries/scalable.ts';
import { CELLS } from '../../src/filters/kind.ts';
import { expectedErrorRate } from '../../src/index.ts';
import type { Engine } from '../../src/kernel/region.ts';
import { CHUNK_KEYS } from '../../src/kernel/scratch.ts';
import { sizeFor } from '../../src/kinds/classic/sizing.ts';
import { type FilterFullError, FilterMemoryError } from '../../src/util/checks/errors.ts';
import { bodyOf, errorOf } from '../format/saved.ts';
import { range } from '../shared/integers.ts';
import { classOn, watched, withoutMemory } from '../shared/open.ts';
import { Scalable, stepsWith, subFilterOf, takeStep } from '../shared/oracle-layers.ts';

/** What a file has of the sub-filters, and its body. */
function stateOf(filter: ScalableBloomFilter) {
  const view = new DataView(filter.toBytes().buffer);
  const subFilters = view.getUint32(44, true);
  const integers = (at: number): number[] =>
    range(0, subFilters).map((i) => Number(view.getBigUint64(128 + 32 * i + at, true)));
  const k = range(0, subFilters).map((i) => view.getUint32(128 + 32 * i + 24, true));
  return { m: integers(0), counts: integers(16), k, body: bodyOf(filter) };
}

/** A class whose engine fails to reserve memory once `limit` bytes are taken. */
function classWithin(limit: number) {
  const { engine, regions } = watched(ScalableBloomFilter.engine);
  const taken = (): number => regions.reduce((sum, { byteLength, disposed }) => sum + (disposed ? 0 : byteLength), 0);
  const limited = withoutMemory(engine, (length) => taken() + length > limit);
  return { Limited: classOn(ScalableBloomFilter, limited), regions };
}

describe('a scalable filter', () => {
  it('does what the oracle does, one by one and in batches, at any fill', () => {
    const key = fc.nat(300);
    const copy = fc.record({ verb: fc.constantFrom('reload' as const, 'clone' as const) });
    const step = fc.oneof(stepsWith(key, 90), copy);
    const shape = fc.record({
      capacity: fc.integer({ min: 1, max: 20 }),
      errorRate: fc.constantFrom(0.5, 0.1, 0.01),
      growth: fc.integer({ min: 2, max: 4 }),
      tightening: fc.constantFrom(0.5, 0.7, 0.9),
      seed: fc.nat(9),
    });
    const property = fc.property(shape, fc.array(step, { maxLength: 15 }), (options, steps) => {
      const { capacity, growth, seed } = options;
      let filter = new ScalableBloomFilter(options);
      const sizeOf = (subFilter: number): { m: number; k: number } => {
        const { keys, rate } = subFilterOf(subFilter, options);
        const { cellCount: m, hashes: k } = sizeFor(keys, rate);
        return { m, k };
      };
      const oracle = new Scalable({ capacity, growth, seed, sizeOf });
      for (const each of steps) {
        if ('key' in each || 'keys' in each) takeStep(filter, oracle, each);
        else filter = each.verb === 'clone' ? filter.clone() : ScalableBloomFilter.fromBytes(filter.toBytes());
        const { counts, body } = stateOf(filter);
        expect(counts).toEqual(oracle.subFilters.map(({ count }) => count));
        expect(body).toEqual(oracle.bytes());
      }
    });
    fc.assert(property, { seed: 1, numRuns: 80 });
  });

  it('has sub-filters in several memories, byte for byte as in one', () => {
    const { engine } = ScalableBloomFilter;
    // A region that can grow has a memory of its own, as a large sub-filter has.
    const reserve: Engine['reserve'] = (length) => {
      const region = engine.reserve(length, true);
      region.commit(length);
      return region;
    };
    const Scattered = classOn(ScalableBloomFilter, { ...engine, reserve });
    const options = { capacity: 3000, errorRate: 0.05 };
    const [scattered, single] = [new Scattered(options), new ScalableBloomFilter(options)];
    const words = range(0, 30_000).map((i) => `key ${i % 25_000}`);
    for (const part of [words.slice(0, 10_000), words.slice(10_000)]) {
      expect(scattered.dedupe(part)).toEqual(single.dedupe(part));
    }
    for (const key of ['a', 5, 7n, Buffer.from('b'), 'é'.repeat(200_000)]) {
      expect([scattered.add(key), scattered.has(key)]).toEqual([single.add(key), true]);
    }
    expect(new Set(scattered[CELLS].segments.map(({ instance }) => instance.memory)).size).toBe(4);
    const asked = range(0, 30_000).map((i) => `key ${i}`);
    const flags = single.hasMany(asked);
    expect(scattered.hasMany(asked)).toEqual(flags);
    expect(asked.map((key) => Number(scattered.has(key)))).toEqual([...flags]);
    for (const each of [scattered, scattered.clone()]) expect(each.equals(single)).toBe(true);
    scattered.dispose();
    expect(() => scattered.has(1)).toThrow(/after dispose/);
  });

  it('loses nothing where it cannot grow, adds the keys before, and goes on once it can', () => {
    const { Limited, regions } = classWithin(6000);
    const filter = new Limited({ capacity: 100 });
    const keys = range(0, 5000);
    const flags = new Uint8Array(keys.length);
    const refused = /^a filter of \d+ keys cannot grow: no memory$/;
    const error = errorOf(() => filter.addMany(keys, flags)) as FilterFullError;
    expect(error.message).toMatch(refused);
    const cause = expect.any(FilterMemoryError);
    expect(error).toMatchObject({ name: 'FilterFullError', code: 'MEMORY', reason: error.message, cause });
    // All keys before it are in, and it is not.
    expect(filter.omit(keys.slice(0, error.position + 1))).toEqual([error.position]);
    const added = flags.lastIndexOf(1) + 1;
    expect([filter.subFilters, filter.count, flags.filter(Boolean).length]).toEqual([3, 700, 700]);
    const saved = filter.toBytes();
    const late = [...range(0, 7 * added).map((i) => i % added), 'new'];
    expect(late.length).toBeGreaterThan(CHUNK_KEYS);
    expect(errorOf(() => filter.addMany(late))).toMatchObject({ code: 'MEMORY', position: 7 * added });
    for (const use of [() => filter.add('new'), () => filter.dedupe(['new'])]) {
      expect(use).toThrow(refused);
      expect(use).toThrow(RangeError);
    }
    // A key that it has needs no room.
    expect([filter.add(5), filter.dedupe([5, 6])]).toEqual([false, []]);
    expect(filter.toBytes()).toEqual(saved);
    const free = ScalableBloomFilter.fromBytes(saved).addMany(keys.slice(added));
    expect(free.equals(new ScalableBloomFilter({ capacity: 100 }).addMany(keys))).toBe(true);
    filter.dispose();
    expect(regions.every(({ disposed }) => disposed)).toBe(true);
    // Some of the keys after the refused one look present.
    const rough = new (classWithin(3000).Limited)({ capacity: 100, errorRate: 0.5 });
    const many = Uint32Array.from(keys);
    const { position } = errorOf(() => rough.addMany(many)) as FilterFullError;
    expect(position).toBeLessThan(CHUNK_KEYS - 1000);
    expect([rough.omit(many.subarray(0, position)).length, rough.has(position)]).toEqual([0, false]);
  });

  it('refuses a sub-filter that no filter can have, and more than 64', () => {
    const steep = new ScalableBloomFilter({ capacity: 1, errorRate: 0.5, tightening: 1e-20 });
    const keys = range(0, 100);
    const full = errorOf(() => steep.addMany(keys)) as FilterFullError;
    expect(full.message).toMatch(/^a filter of \d+ keys cannot grow: errorRate must be at least 2\^-255/);
    expect(full).toMatchObject({ name: 'FilterFullError', code: 'FULL' });
    expect(steep.omit(keys.slice(0, full.position + 1))).toEqual([full.position]);
    expect(steep.omit(keys.slice(0, steep.count))).toEqual([]);
    const cells = new ScalableBloomFilter({ capacity: 1 })[CELLS];
    const [first] = cells.own.subFilters;
    while (cells.own.subFilters.length < 64)
      cells.own.subFilters.push({ ...(first as (typeof cells.own.subFilters)[number]), count: 1 });
    (cells.own.subFilters[63] as { count: number }).count = 1;
    expect(() => cells.addKey('a')).toThrow(/^a filter of 63 keys cannot grow: it has 64 sub-filters$/);
  });

  it('does not grow out of proportion, whatever a forged file says', () => {
    const forged = new ScalableBloomFilter({ capacity: 1, growth: 16 });
    const [first] = forged[CELLS].own.subFilters;
    const capacity = 2e7;
    Object.assign(forged[CELLS].parameters, { capacity });
    Object.assign(first?.parameters ?? {}, { capacity });
    Object.assign(first ?? {}, { count: capacity });
    const bytes = forged.toBytes();
    const loaded = ScalableBloomFilter.fromBytes(bytes);
    const refused = /^a filter of 20000000 keys cannot grow: it would grow by 513 MB, of at most 67.1 MB$/;
    expect(() => loaded.add('a')).toThrow(refused);
    expect(loaded.toBytes()).toEqual(bytes);
    // What is large already may take more at once.
    const large = new ScalableBloomFilter({ capacity: 3e6, growth: 16 });
    Object.assign(large[CELLS].own.subFilters[0] ?? {}, { count: 3e6 });
    expect([large.add('a'), large.byteLength > 7e7]).toEqual([true, true]);
  });

  it('is made from keys with its own options, and gives back all sub-filters but the first when it is cleared', () => {
    const options = { capacity: 7, growth: 3, tightening: 0.5 };
    const filter = ScalableBloomFilter.from(range(0, 100), options);
    expect(filter).toMatchObject({ ...options, errorRate: 0.01, subFilters: 4 });
    expect(ScalableBloomFilter.from(range(0, 100))).toMatchObject({ capacity: 100, subFilters: 1 });
    const unknown = ScalableBloomFilter.from(range(0, 30_000).values());
    expect(unknown.equals(ScalableBloomFilter.from(range(0, 30_000), { capacity: 10_000 }))).toBe(true);
    expect(ScalableBloomFilter.from([].values(), { capacity: 3 }).capacity).toBe(3);
    expect(filter.equals(js.ScalableBloomFilter.fromBytes(filter.toBytes()))).toBe(true);
    // As many keys, but another one in the last sub-filter.
    const other = ScalableBloomFilter.from([...range(0, 99), 100], options);
    expect([other.count, filter.equals(other)]).toEqual([filter.count, false]);
    const segments = filter[CELLS].segments.slice(1);
    filter.clear();
    expect(segments.every(({ disposed }) => disposed)).toBe(true);
    expect([filter.subFilters, filter.count]).toEqual([1, 0]);
    expect(filter.equals(new ScalableBloomFilter({ ...options, tightening: 0.7 }))).toBe(false);
  });

  it('counts exactly, and estimates from each sub-filter', () => {
    const filter = new ScalableBloomFilter({ capacity: 1000 }).addMany(range(0, 100_000));
    const { m, k, counts, body } = stateOf(filter);
    const sum = (numbers: Iterable<number>): number => [...numbers].reduce((all, each) => all + each, 0);
    expect(filter.count).toBe(sum(counts));
    expect(filter.count / 100_000).toBeGreaterThan(0.99);
    expect(filter.estimateCount() / filter.count).toBeCloseTo(1, 2);
    const rate = 1 - m.reduce((all, bits, i) => all * (1 - expectedErrorRate(counts[i] ?? 0, bits, k[i] ?? 0)), 1);
    expect(Math.abs(filter.estimateErrorRate() / rate - 1)).toBeLessThan(0.1);
    const set = sum([...body].map((byte) => byte.toString(2).replaceAll('0', '').length));
    expect(filter.fillRatio()).toBe(set / sum(m));
  });
});
