import { inspect } from 'node:util';
import { expect, it, vi } from 'vitest';
import * as js from '../../src/entries/js.ts';
import * as wasm from '../../src/index.ts';
import { BloomFilter, column, expectedErrorRate, lines } from '../../src/index.ts';
import { range } from '../shared/integers.ts';
import { text } from '../shared/stream-tools.ts';

it.each([wasm, js])('a BloomFilter has the parameters that it was made with, and prints them: %#', (api) => {
  expect(new api.BloomFilter({ capacity: 5_000_000 })).toMatchObject({
    kind: 'classic',
    engine: api === js ? 'js' : 'wasm',
    capacity: 5_000_000,
    errorRate: 0.01,
    bits: 47_925_292,
    hashes: 7,
    seed: 0,
    byteLength: 5_990_662,
  });
  const given = new api.BloomFilter({ bits: 1000, hashes: 7, seed: 2 ** 32 - 1 });
  expect(given).toMatchObject({ capacity: 99, bits: 1000, hashes: 7, seed: 2 ** 32 - 1, byteLength: 125 });
  expect(given.errorRate).toBe(expectedErrorRate(99, 1000, 7));
  const filter = new api.BloomFilter({ capacity: 1000 });
  expect(inspect(filter, { breakLength: Infinity })).toBe(
    `BloomFilter { capacity: 1000, errorRate: 0.01, bits: 9586, hashes: 7, seed: 0, engine: '${filter.engine}', 'fillRatio()': 0, 'estimateErrorRate()': 0 }`,
  );
});

it('a BloomFilter of ten bits is for one key', () => {
  expect(new BloomFilter({ bits: 10, hashes: 10 })).toMatchObject({
    capacity: 1,
    errorRate: expectedErrorRate(1, 10, 10),
  });
});

it('a BloomFilter is printed with its present error rate beside the promised one', () => {
  const overfull = new BloomFilter({ capacity: 10 }).addMany(Array.from({ length: 100 }, (_, i) => i));
  expect(inspect(overfull)).toMatch(/errorRate: 0\.01,.*'estimateErrorRate\(\)': (1|0\.9\d*)\s}$/s);
});

it('a BloomFilter is printed in short where it lies deep', () => {
  const filter = new BloomFilter({ bits: 100, hashes: 31 }).addMany(['a']);
  expect(inspect(filter)).toMatch(/'fillRatio\(\)': 0\.\d+,/);
  expect(inspect([[[filter]]], { depth: 2 })).toContain('[BloomFilter]');
});

it('the empty key, which hashes to zero, is like any other key', () => {
  const filter = new BloomFilter({ capacity: 10 });
  expect([filter.has(''), filter.add(''), filter.has(''), filter.has(new Uint8Array())]).toEqual([
    false,
    true,
    true,
    true,
  ]);
  expect(filter.fillRatio() * filter.bits).toBeGreaterThan(filter.hashes - 3);
});

it('filters of a subclass can be combined, whatever its constructor and getters do', () => {
  class Seen extends BloomFilter {
    static size = 1000;
    constructor() {
      super({ capacity: Seen.size });
    }
    override get bits(): number {
      return 64;
    }
  }
  const a = new Seen();
  const b = new Seen();
  a.add('x');
  b.add('y');
  Seen.size = 5000;
  const both = a.union(b);
  expect(both).toBeInstanceOf(Seen);
  expect(both.hasMany(['x', 'y', 'z'])).toEqual(new Uint8Array([1, 1, 0]));
  expect(both.byteLength).toBe(a.byteLength);
  expect(() => a.merge(new Seen())).toThrow(
    'other must have 9586 bits for capacity 1000 at 0.01, got 47926 bits for capacity 5000 at 0.01',
  );
  expect(a.equals(new Seen())).toBe(false);
});

it('from uses the number of keys as the capacity, and takes options', () => {
  const lengths: readonly (readonly [filter: BloomFilter, capacity: number])[] = [
    [BloomFilter.from(['a', 'b', 'c']), 3],
    [BloomFilter.from(new Set(['a', 'b'])), 2],
    [BloomFilter.from(new Uint32Array(7)), 7],
    [BloomFilter.from(lines(text('a\nb\n\nc'))), 4],
    [BloomFilter.from(column(new Uint8Array(3), Int32Array.of(0, 1, 3))), 2],
    [BloomFilter.from([]), 1],
  ];
  for (const [filter, capacity] of lengths) expect(filter.capacity).toBe(capacity);
  const filter = BloomFilter.from(['a'], { capacity: 50, errorRate: 0.1, seed: 3 });
  expect(filter).toMatchObject({ capacity: 50, errorRate: 0.1, seed: 3 });
  expect(BloomFilter.from(['a'], { bits: 64, hashes: 2 })).toMatchObject({ bits: 64, hashes: 2 });
  expect(filter.has('a')).toBe(true);
});

it('from needs a capacity for an iterable of unknown length', () => {
  const keys = (): Iterable<string> => new Map([['a', 1]]).keys();
  // The compiler refuses it too: see test/package/types/refused.ts.
  expect(() => BloomFilter.from(keys() as Set<string>)).toThrow(/^options\.capacity must be given/);
  expect(BloomFilter.from(keys(), { capacity: 4 }).has('a')).toBe(true);
});

it('a filter of another copy of the package is told', async () => {
  vi.resetModules();
  const another: typeof wasm = await import('../../src/index.ts');
  const filter = new BloomFilter({ capacity: 10 });
  const copy = new another.BloomFilter({ capacity: 10 });
  expect(copy).not.toBeInstanceOf(BloomFilter);
  expect(() => filter.union(copy)).toThrow(
    new TypeError('other must be a BloomFilter, got an object (BloomFilter) that is not from this copy of bloomery'),
  );
});

it('filters of both engines have different classes and the same type, and can be combined, small or large', () => {
  const keys = range(0, 500);
  for (const bits of [1000, 2 ** 24]) {
    const size = { bits, hashes: 5 };
    const a = new BloomFilter(size).addMany(keys.slice(0, 300));
    const b: BloomFilter = new js.BloomFilter(size).addMany(keys.slice(200));
    const all = new js.BloomFilter(size).addMany(keys);
    expect(b).not.toBeInstanceOf(BloomFilter);
    expect(a.union(b).equals(all)).toBe(true);
    expect(b.union(a).equals(all)).toBe(true);
    expect([a.union(b).engine, b.union(a).engine]).toEqual(['wasm', 'js']);
    expect(a.intersection(b).equals(b.intersection(a))).toBe(true);
  }
});
