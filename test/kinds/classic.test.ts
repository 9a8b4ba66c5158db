import { inspect } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import * as jsEntry from '../../src/entries/js.ts';
import * as wasmEntry from '../../src/index.ts';
import { entries } from '../shared/kinds.ts';

const shape = { bits: 512, hashes: 3, seed: 5 };

describe.each(entries)('BloomFilter: $name', ({ name, api: { BloomFilter } }) => {
  it('has the parameters that it was made with', () => {
    const promised = new BloomFilter({ capacity: 5_000_000 });
    expect(promised).toMatchObject({
      kind: 'classic',
      engine: name,
      capacity: 5_000_000,
      errorRate: 0.01,
      bits: 47_925_292,
      hashes: 7,
      seed: 0,
      byteLength: 5_990_662,
    });
    const given = new BloomFilter({ bits: 1000, hashes: 7, seed: 2 ** 32 - 1 });
    expect(given).toMatchObject({ capacity: 99, bits: 1000, hashes: 7, seed: 2 ** 32 - 1, byteLength: 125 });
    expect(given.errorRate).toBe(wasmEntry.expectedErrorRate(99, 1000, 7));
    const tiny = new BloomFilter({ bits: 10, hashes: 10 });
    expect(tiny).toMatchObject({ capacity: 1, errorRate: wasmEntry.expectedErrorRate(1, 10, 10) });
  });

  it('treats the empty key, which hashes to zero, like any other key', () => {
    const filter = new BloomFilter({ capacity: 10 });
    expect(filter.has('')).toBe(false);
    expect(filter.add('')).toBe(true);
    expect(filter.has('')).toBe(true);
    expect(filter.has(new Uint8Array())).toBe(true);
    expect(filter.fillRatio() * filter.bits).toBeGreaterThan(filter.hashes - 3);
    // Over 4000 seeds, at capacity, it looks present no more often than promised. The bound is 6 standard deviations.
    let present = 0;
    for (let seed = 0; seed < 4000; seed++) {
      using full = new BloomFilter({ capacity: 20, errorRate: 0.05, seed });
      full.addMany(Array.from({ length: 20 }, (_, i) => `key ${i}`));
      if (full.has('')) present++;
    }
    expect(present).toBeLessThan(200 + 6 * Math.sqrt(4000 * 0.05 * 0.95));
    expect(present).toBeGreaterThan(0);
  });

  it('can be combined with itself', () => {
    const a = new BloomFilter(shape).addMany(['a', 'b']);
    const before = a.clone();
    expect(a.merge(a).equals(before)).toBe(true);
    expect(a.union(a).equals(before)).toBe(true);
    expect(a.intersection(a).equals(before)).toBe(true);
  });

  it('names the difference if filters cannot be combined, and changes nothing', () => {
    const a = new BloomFilter(shape).addMany(['a']);
    const before = a.clone();
    for (const [other, message] of [
      [{ ...shape, bits: 513 }, 'other must have 512 bits, got 513 bits'],
      [{ ...shape, hashes: 4 }, 'hashes of other must be 3, got 4'],
      [{ ...shape, seed: 6 }, 'seed of other must be 5, got 6'],
    ] as const) {
      const b = new BloomFilter(other);
      for (const verb of ['union', 'intersection', 'merge'] as const) {
        expect(() => a[verb](b)).toThrow(new RangeError(message));
      }
      expect(a.equals(b)).toBe(false);
    }
    expect(a.equals(before)).toBe(true);
  });

  it('combines filters of a user subclass, whatever its constructor and getters do', () => {
    const Base: typeof wasmEntry.BloomFilter = BloomFilter;
    class Seen extends Base {
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

  it('estimates how many keys it holds, and its error rate', () => {
    const filter = new BloomFilter({ capacity: 10_000 });
    expect(filter.estimateCount()).toBe(0);
    expect(filter.estimateErrorRate()).toBe(0);
    filter.addMany(Array.from({ length: 10_000 }, (_, i) => i));
    // The standard deviation of the estimate is about 0.3 %.
    expect(filter.estimateCount() / 10_000).toBeCloseTo(1, 1);
    expect(Math.abs(filter.estimateCount() - 10_000)).toBeLessThan(200);
    expect(Math.abs(filter.estimateErrorRate() - 0.01)).toBeLessThan(0.001);
    expect(Math.abs(filter.fillRatio() - 0.518)).toBeLessThan(0.01);
    const full = new BloomFilter({ bits: 9, hashes: 3 }).addMany(Array.from({ length: 99 }, (_, i) => i));
    expect(full.fillRatio()).toBe(1);
    expect(full.estimateCount()).toBe(Number.POSITIVE_INFINITY);
    expect(full.estimateErrorRate()).toBe(1);
  });

  describe('from', () => {
    it('uses the number of keys as the capacity', () => {
      expect(BloomFilter.from(['a', 'b', 'c']).capacity).toBe(3);
      expect(BloomFilter.from(new Set(['a', 'b'])).capacity).toBe(2);
      expect(BloomFilter.from(new Uint32Array(7)).capacity).toBe(7);
      expect(BloomFilter.from(wasmEntry.lines(new TextEncoder().encode('a\nb\n\nc'))).capacity).toBe(4);
      expect(BloomFilter.from(wasmEntry.column(new Uint8Array(3), Int32Array.of(0, 1, 3))).capacity).toBe(2);
      expect(BloomFilter.from([]).capacity).toBe(1);
    });

    it('takes options', () => {
      const filter = BloomFilter.from(['a'], { capacity: 50, errorRate: 0.1, seed: 3 });
      expect(filter).toMatchObject({ capacity: 50, errorRate: 0.1, seed: 3 });
      expect(BloomFilter.from(['a'], { bits: 64, hashes: 2 })).toMatchObject({ bits: 64, hashes: 2 });
      expect(filter.has('a')).toBe(true);
    });

    it('needs a capacity for an iterable of unknown length', () => {
      const keys = (): Iterable<string> => new Map([['a', 1]]).keys();
      // The compiler refuses it too: see test/package/types/refused.ts.
      expect(() => BloomFilter.from(keys() as Set<string>)).toThrow(/^options\.capacity must be given/);
      expect(BloomFilter.from(keys(), { capacity: 4 }).has('a')).toBe(true);
    });
  });

  it('prints its parameters', () => {
    const filter = new BloomFilter({ capacity: 1000 });
    expect(inspect(filter, { breakLength: Infinity })).toBe(
      `BloomFilter { capacity: 1000, 'errorRate at capacity': 0.01, bits: 9586, hashes: 7, seed: 0, engine: '${name}', 'fillRatio()': 0, 'estimateErrorRate()': 0 }`,
    );
    expect(inspect(new BloomFilter({ bits: 100, hashes: 31 }).addMany(['a']))).toMatch(/'fillRatio\(\)': 0\.\d+,/);
    // Too many keys: the promised rate is beside the present one.
    const overfull = new BloomFilter({ capacity: 10 }).addMany(Array.from({ length: 100 }, (_, i) => i));
    expect(inspect(overfull)).toMatch(/'errorRate at capacity': 0\.01,.*'estimateErrorRate\(\)': (1|0\.9\d*)\s}$/s);
    expect(inspect([[[filter]]], { depth: 2 })).toContain('[BloomFilter]');
    filter.dispose();
    expect(inspect(filter)).toContain('disposed: true');
  });
});

it('tells a filter of another copy of the package', async () => {
  vi.resetModules();
  const another: typeof wasmEntry = await import('../../src/index.ts');
  const filter = new wasmEntry.BloomFilter(shape);
  const copy = new another.BloomFilter(shape);
  expect(copy).not.toBeInstanceOf(wasmEntry.BloomFilter);
  expect(() => filter.union(copy)).toThrow(
    new TypeError('other must be a BloomFilter, got an object (BloomFilter) that is not from this copy of bloomery'),
  );
});

describe('filters of both engines', () => {
  const keys = Array.from({ length: 5000 }, (_, i) => `key ${i}`);

  it('have different classes and the same type', () => {
    expect(new wasmEntry.BloomFilter(shape)).not.toBeInstanceOf(jsEntry.BloomFilter);
    const either: wasmEntry.BloomFilter = new jsEntry.BloomFilter(shape);
    expect(either.engine).toBe('js');
  });

  it.each([1000, 2 ** 24])('can be combined, small or large: %i bits', (bits) => {
    const size = { bits, hashes: 5 };
    const a = new wasmEntry.BloomFilter(size).addMany(keys.slice(0, 3000));
    const b = new jsEntry.BloomFilter(size).addMany(keys.slice(2000));
    const all = new jsEntry.BloomFilter(size).addMany(keys);
    expect(a.union(b).equals(all)).toBe(true);
    expect(b.union(a).equals(all)).toBe(true);
    expect(a.union(b).engine).toBe('wasm');
    expect(b.union(a).engine).toBe('js');
    expect(a.intersection(b).equals(b.intersection(a))).toBe(true);
  });
});
