// docs/streams.md and examples/arrow have columns of Apache Arrow.

import { describe, expect, it } from 'vitest';
import { BloomFilter, column, KeyColumn } from '../../src/index.ts';
import { text } from '../shared/stream-tools.ts';

describe('columns as keys', () => {
  it('give a column for a column, with offsets of the same type', () => {
    const filter = BloomFilter.from(['b', '', 'ö'], { errorRate: 1e-5 });
    for (const offsets of [
      Int32Array.of(1, 2, 3, 3, 5),
      Uint32Array.of(1, 2, 3, 3, 5),
      BigInt64Array.of(1n, 2n, 3n, 3n, 5n),
    ]) {
      const picked = filter.pick(column(text('-abö'), offsets));
      expect(picked).toBeInstanceOf(KeyColumn);
      expect(picked.data).toEqual(text('bö'));
      expect([...picked.offsets].map(Number)).toEqual([0, 1, 1, 3]);
      expect(picked.offsets.constructor).toBe(offsets.constructor);
      expect(picked.length).toBe(3);
    }
    expect(filter.pick(column(text('x'), new Int32Array())).length).toBe(0);
  });

  it('keep keys in several chunks, and one that fills a chunk', () => {
    const keys = ['a', 'x'.repeat(98_304), 'b', 'y'.repeat(98_305), ...Array.from({ length: 5000 }, (_, i) => `${i}`)];
    const offsets = [0];
    for (const key of keys) offsets.push((offsets.at(-1) ?? 0) + key.length);
    const given = column(text(keys.join('')), Int32Array.from(offsets));
    const filter = BloomFilter.from(given, { errorRate: 1e-6 });
    // The scratch must not hold what is picked already.
    filter.hasMany([new Uint8Array(98_304)]);
    expect(filter.pick(given)).toEqual(given);
  });

  it('refuse offsets that decrease or lie outside the data, after the keys before them', () => {
    const filter = new BloomFilter({ capacity: 10 });
    const refused = (offsets: Int32Array | BigInt64Array, at: number, shown: string): void => {
      const message = `offsets[${at}] and offsets[${at + 1}] must rise within the 3 bytes of data, got ${shown}`;
      expect(() => filter.addMany(column(text('abc'), offsets))).toThrow(new RangeError(message));
    };
    refused(Int32Array.of(-1, 1), 0, '-1 and 1');
    refused(Int32Array.of(3, 4), 0, '3 and 4');
    refused(BigInt64Array.of(0n, 2n ** 62n), 0, `0 and ${2 ** 62}`);
    refused(Int32Array.of(0, 3, -2), 1, '3 and -2');
    refused(Int32Array.of(0, 2, 5), 1, '2 and 5');
    expect(() => column(text('abc'), new BigUint64Array(2) as never)).toThrow(
      /^offsets must be an Int32Array, .*, got /,
    );
    filter.clear();
    refused(Int32Array.of(0, 1, 0), 1, '1 and 0');
    expect(filter.has('a')).toBe(true);
  });
});
