// The answers for many keys: flags, and the keys that they choose. test/filters/every-kind.test.ts has all kinds.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BloomFilter, column, type Key, lines } from '../../src/index.ts';
import { bytesOf } from '../shared/oracle.ts';
import { text } from '../shared/stream-tools.ts';

const key = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.uint8Array({ maxLength: 6 }),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
  fc.constantFrom<Key>('', '\0', '\ud83d', '\ude00', 0, -1),
);
const keyList = fc.array(key, { maxLength: 40 });
const shown = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

describe('flags of many keys', () => {
  it('are those of single keys, also in a filter that errs often', () => {
    fc.assert(
      fc.property(keyList, keyList, (first, second) => {
        using batch = new BloomFilter({ bits: 300, hashes: 3 });
        using single = new BloomFilter({ bits: 300, hashes: 3 });
        const added = new Uint8Array(first.length);
        batch.addMany(first, added);
        expect([...added]).toEqual(first.map((each) => Number(single.add(each))));
        expect(batch.equals(single)).toBe(true);
        expect([...batch.hasMany(second)]).toEqual(second.map((each) => Number(single.has(each))));
      }),
    );
    const flags = new Uint8Array(5);
    new BloomFilter({ capacity: 10 }).addMany(['a', 'b', 'a', 'a', 'b'], flags);
    expect([...flags]).toEqual([1, 1, 0, 0, 0]);
  });

  it('work across the boundaries of chunks and windows', () => {
    for (const count of [0, 1, 4095, 4096, 4097, 8192, 20_000]) {
      const keys = Array.from({ length: count }, (_, i) => `key ${i}`);
      const filter = BloomFilter.from(keys);
      expect(filter.hasMany(keys)).toEqual(new Uint8Array(count).fill(1));
      expect(filter.pick(keys)).toEqual(keys);
      expect(new BloomFilter({ capacity: 100_000, errorRate: 1e-5 }).dedupe([...keys, ...keys])).toEqual(keys);
    }
  });

  it('are in `out`, of which a view is returned', () => {
    const filter = BloomFilter.from(['a']);
    const out = new Uint8Array(5).fill(9);
    const view = filter.hasMany(['a', 'b', 'a'], out);
    expect([...out]).toEqual([1, 0, 1, 9, 9]);
    expect(view.buffer).toBe(out.buffer);
    expect([...view]).toEqual([1, 0, 1]);
    const shared = new Uint8Array(new SharedArrayBuffer(2));
    const outs: Uint8Array[] = [Buffer.alloc(2), new Uint8Array(new ArrayBuffer(10), 3, 2), shared];
    for (const each of outs) {
      expect([...filter.hasMany(['a', 'b'], each)]).toEqual([1, 0]);
      expect([...each]).toEqual([1, 0]);
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
  const filter = BloomFilter.from(['b', '', 2, 3, -1, 'ö'], { errorRate: 1e-5 });

  it('give an array for an array or an iterable', () => {
    expect(filter.pick(['a', 'b', 2, 2n, 4])).toEqual(['b', 2, 2n]);
    expect(filter.omit(['a', 'b', 2, 2n, 4])).toEqual(['a', 4]);
    expect(filter.pick(new Set(['a', 'b']))).toEqual(['b']);
    expect(new BloomFilter({ capacity: 9 }).dedupe(['a', 'b', 'a'])).toEqual(['a', 'b']);
  });

  it('give the same objects as in an array, and copies of the bytes of a set', () => {
    const bytes = text('b');
    expect(filter.pick([bytes])[0]).toBe(bytes);
    const [copy] = filter.pick(new Set([bytes]));
    expect(copy).toEqual(bytes);
    expect(copy).not.toBe(bytes);
  });

  it('keep keys longer than the scratch', () => {
    const long = 'z'.repeat(150_000);
    const some = BloomFilter.from([long, 'b'], { errorRate: 1e-5 });
    expect(some.pick(['a', long, 'b'])).toEqual([long, 'b']);
    expect(shown(some.pick(lines(text(`a\n${long}\r\nb\nc`))).bytes)).toBe(`${long}\r\nb\n`);
    expect(some.omit(lines(text(`a\n${long}\nb`))).bytes).toEqual(text('a\n'));
    const picked = some.pick(column(text(`a${long}b`), Int32Array.of(0, 1, 150_001, 150_002)));
    expect([...picked.offsets]).toEqual([0, 150_000, 150_001]);
  });

  it('agree with has for every source', () => {
    const strings = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀'), maxLength: 3 }));
    fc.assert(
      fc.property(strings, (given) => {
        using small = new BloomFilter({ bits: 40, hashes: 2 }).addMany(['a', 'é']);
        const expected = given.filter((each) => small.has(each));
        const joined = (some: readonly string[]): string => some.map((each) => `${each}\n`).join('');
        expect(shown(small.pick(lines(text(joined(given)))).bytes)).toBe(joined(expected));
        const offsets = [0];
        for (const each of given) offsets.push((offsets.at(-1) ?? 0) + bytesOf(each).length);
        const picked = small.pick(column(text(given.join('')), Int32Array.from(offsets)));
        expect([shown(picked.data), picked.length]).toEqual([expected.join(''), expected.length]);
      }),
    );
  });
});
