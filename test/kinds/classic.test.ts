import { expect, it, vi } from 'vitest';
import type * as wasm from '../../src/index.ts';
import { BloomFilter, column, lines } from '../../src/index.ts';
import { text } from '../shared/stream-tools.ts';

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

it('from uses the number of keys as the capacity, unless options give a size', () => {
  const lengths: readonly (readonly [filter: BloomFilter, capacity: number])[] = [
    [BloomFilter.from(['a', 'b', 'c']), 3],
    [BloomFilter.from(new Set(['a', 'b'])), 2],
    [BloomFilter.from(new Uint32Array(7)), 7],
    [BloomFilter.from(lines(text('a\nb\n\nc'))), 4],
    [BloomFilter.from(column(new Uint8Array(3), Int32Array.of(0, 1, 3))), 2],
    [BloomFilter.from([]), 1],
    [BloomFilter.from(['a'], { capacity: 50 }), 50],
  ];
  for (const [filter, capacity] of lengths) expect(filter.capacity).toBe(capacity);
  expect(BloomFilter.from(['a'], { bits: 64, hashes: 2 })).toMatchObject({ bits: 64, hashes: 2 });
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
