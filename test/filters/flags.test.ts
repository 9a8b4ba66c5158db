import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Key, lines } from '../../src/index.ts';
import { awkwardKeys } from '../shared/awkward.ts';
import { combinableKinds } from '../shared/kinds.ts';
import { text } from '../shared/stream-tools.ts';

const key = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.uint8Array({ maxLength: 6 }),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
  fc.constantFrom<Key>('', '\0', '\ud83d', '\ude00', 0, -1),
);
const keyList = fc.array(key, { maxLength: 40 });

describe.each(combinableKinds)('flags of many keys: $name', ({ Filter, sized }) => {
  // Small enough for false positives in every run: the properties must hold for these too.
  const shape = { cells: 300, hashes: 3 };

  it('give the same flags as single keys', () => {
    fc.assert(
      fc.property(keyList, keyList, (first, second) => {
        using batch = sized(shape);
        using single = sized(shape);
        const added = new Uint8Array(first.length);
        batch.addMany(first, added);
        expect([...added]).toEqual(first.map((each) => (single.add(each) ? 1 : 0)));
        expect(batch.equals(single)).toBe(true);
        expect([...batch.hasMany(second)]).toEqual(second.map((each) => (single.has(each) ? 1 : 0)));
      }),
    );
  });

  it('never lose a key', () => {
    fc.assert(
      fc.property(keyList, (keys) => {
        using filter = Filter.from(keys);
        expect(filter.hasMany(keys).every((flag) => flag === 1)).toBe(true);
        expect(keys.every((each) => filter.has(each))).toBe(true);
      }),
    );
  });

  it('set the same bits with and without flags', () => {
    const keys = awkwardKeys(10_000, 3);
    const plain = new Filter({ capacity: 10_000 }).addMany(keys);
    const flagged = new Filter({ capacity: 10_000 }).addMany(keys, new Uint8Array(keys.length));
    expect(plain.equals(flagged)).toBe(true);
  });

  it('flag duplicates within one chunk as if added one by one', () => {
    const flags = new Uint8Array(5);
    new Filter({ capacity: 10 }).addMany(['a', 'b', 'a', 'a', 'b'], flags);
    expect([...flags]).toEqual([1, 1, 0, 0, 0]);
  });

  it('work across the boundaries of chunks and windows', () => {
    for (const count of [0, 1, 4095, 4096, 4097, 8192, 20_000]) {
      const keys = Array.from({ length: count }, (_, i) => `key ${i}`);
      const filter = Filter.from(keys);
      expect(filter.hasMany(keys)).toEqual(new Uint8Array(count).fill(1));
      expect(filter.pick(keys)).toEqual(keys);
      expect(new Filter({ capacity: 100_000, errorRate: 1e-5 }).dedupe([...keys, ...keys])).toEqual(keys);
    }
  });

  describe('out', () => {
    it('receives the flags, and a view of it is returned', () => {
      const filter = Filter.from(['a']);
      const out = new Uint8Array(5).fill(9);
      const view = filter.hasMany(['a', 'b', 'a'], out);
      expect([...out]).toEqual([1, 0, 1, 9, 9]);
      expect(view.buffer).toBe(out.buffer);
      expect([...view]).toEqual([1, 0, 1]);
    });

    it('may be a Buffer, part of another array, or shared', () => {
      const filter = Filter.from(['a']);
      const outs: Uint8Array[] = [
        Buffer.alloc(2),
        new Uint8Array(new ArrayBuffer(10), 3, 2),
        new Uint8Array(new SharedArrayBuffer(2)),
      ];
      for (const out of outs) {
        expect([...filter.hasMany(['a', 'b'], out)]).toEqual([1, 0]);
        expect([...out]).toEqual([1, 0]);
      }
    });

    it('is refused, before anything is added, if it is too short or the number of keys is unknown', () => {
      const filter = new Filter({ capacity: 10 });
      expect(() => filter.addMany(['a', 'b'], new Uint8Array(1))).toThrow(
        /^out must have a length of 2 or more, got 1$/,
      );
      expect(() => filter.addMany(lines(text('a\nb\n')), new Uint8Array(1))).toThrow(RangeError);
      expect(() => filter.addMany(new Map([['a', 1]]).keys(), new Uint8Array(9))).toThrow(TypeError);
      expect(filter.fillRatio()).toBe(0);
    });

    it('is never overrun, even by more keys than were announced', () => {
      class More extends Set<string> {
        override get size(): number {
          return 1;
        }
      }
      const out = new Uint8Array(1);
      expect(() => new Filter({ capacity: 10 }).hasMany(new More(['a', 'b']), out)).toThrow(RangeError);
    });
  });
});
