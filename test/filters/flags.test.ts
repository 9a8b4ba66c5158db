// The array of flags that a user may give, and what comes out of pick, omit and dedupe. test/filters/every-kind.test.ts
// has the flags of all kinds, and test/keys each source of keys.

import { describe, expect, it } from 'vitest';
import { BloomFilter, lines } from '../../src/index.ts';
import { text } from '../shared/stream-tools.ts';

describe('flags of many keys', () => {
  it('are in `out`, of which a view is returned', () => {
    const filter = BloomFilter.from(['a']);
    const shared = new Uint8Array(new SharedArrayBuffer(5));
    for (const out of [Buffer.alloc(5), new Uint8Array(new ArrayBuffer(10), 3, 5), shared] as Uint8Array[]) {
      const view = filter.hasMany(['a', 'b', 'a'], out.fill(9));
      expect([...out]).toEqual([1, 0, 1, 9, 9]);
      expect([view.buffer, ...view]).toEqual([out.buffer, 1, 0, 1]);
    }
  });

  it('refuse an `out` that is too short, or for an unknown number of keys, before anything is added', () => {
    const filter = new BloomFilter({ capacity: 10 });
    const out = new Uint8Array(1);
    expect(() => filter.addMany(['a', 'b'], out)).toThrow(/^out must have a length of 2 or more, got 1$/);
    expect(() => filter.addMany(lines(text('a\nb\n')), out)).toThrow(RangeError);
    expect(() => filter.addMany(new Map([['a', 1]]).keys(), new Uint8Array(9))).toThrow(TypeError);
    expect(filter.fillRatio()).toBe(0);
    // More keys than were announced.
    class More extends Set<string> {
      override get size(): number {
        return 1;
      }
    }
    expect(() => filter.hasMany(new More(['a', 'b']), out)).toThrow(RangeError);
  });
});

describe('pick, omit and dedupe', () => {
  it('give an array for an array or an iterable, with the objects of an array, and copies of the bytes of a set', () => {
    const filter = BloomFilter.from(['b', '', 2, 3, -1, 'ö'], { errorRate: 1e-5 });
    expect(filter.pick(['a', 'b', 2, 2n, 4])).toEqual(['b', 2, 2n]);
    expect(filter.omit(new Set(['a', 'b', 2, 2n, 4]))).toEqual(['a', 4]);
    expect(new BloomFilter({ capacity: 9 }).dedupe(['a', 'b', 'a'])).toEqual(['a', 'b']);
    const bytes = text('b');
    expect(filter.pick([bytes])[0]).toBe(bytes);
    const [copy] = filter.pick(new Set([bytes]));
    expect(copy).toEqual(bytes);
    expect(copy).not.toBe(bytes);
  });
});
