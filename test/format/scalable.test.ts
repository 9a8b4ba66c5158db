// Files of scalable filters, which have several segments. own-parameters.test.ts has what is refused of their heads.

import { describe, expect, it } from 'vitest';
import { ScalableBloomFilter as Other } from '../../src/entries/js/scalable.ts';
import { ScalableBloomFilter as Filter } from '../../src/entries/scalable.ts';
import { sizeFor } from '../../src/kinds/classic/sizing.ts';
import { Scalable, sliceOf } from '../shared/oracle-layers.ts';
import { concat } from '../shared/stream-tools.ts';
import { type Golden, goldenFiles, goldenKeys, readGolden } from './golden.ts';
import { expectFileRefused } from './refusal.ts';
import { checksumOf, forge, keysOf, MIB, splitAt, viewOf } from './saved.ts';
import { bodyAt, lengthsIn, placeOf } from './slices.ts';

interface GoldenScalable extends Golden {
  readonly promise: { capacity: number; errorRate: number };
  readonly growth: number;
  readonly tightening: number;
  readonly slices: number;
}

const golden = goldenFiles.filter((each): each is GoldenScalable => each.kind === 'scalable');

describe('a saved scalable filter', () => {
  const options = { capacity: 10, errorRate: 0.1, growth: 3, tightening: 0.5, seed: 5 };
  const saved = Filter.from(keysOf(60), options).toBytes();
  const lengths = lengthsIn(saved);
  const change = (alter: (view: DataView) => void): Uint8Array => forge(saved, alter, bodyAt(3), lengths);

  it('is loaded from chunks with slices of more than a piece', () => {
    const keys = Uint32Array.from({ length: 2_000_000 }, (_, i) => i);
    const filter = Filter.from(keys, { capacity: 300_000 });
    const file = filter.toBytes();
    expect(Math.max(...lengthsIn(file))).toBeGreaterThan(MIB);
    const ends = Array.from({ length: 100 }, (_, i) => i * 77_777).filter((end) => end < file.length);
    using read = Other.fromChunks(splitAt(file, ends));
    expect(Buffer.compare(read.toBytes(), file)).toBe(0);
    filter.dispose();
  });

  // Slices for few keys had fewer bits then.
  it.each(golden)('of an earlier version can be read, and goes on with slices of this one: $file', (row) => {
    const { cells, hashes, seed, promise, growth, tightening, slices } = row;
    const bytes = readGolden(row);
    const view = viewOf(bytes);
    const sizeOf = (i: number): { m: number; k: number } => {
      const at = 128 + 32 * i;
      if (i < slices) return { m: Number(view.getBigUint64(at, true)), k: view.getUint32(at + 24, true) };
      const { keys, rate } = sliceOf(i, { ...promise, growth, tightening });
      const { cellCount: m, hashes: k } = sizeFor(keys, rate);
      return { m, k };
    };
    const oracle = new Scalable({ capacity: promise.capacity, growth, seed, sizeOf });
    const given = goldenKeys(row);
    const read = Filter.fromBytes(bytes);
    expect(read).toMatchObject({ cellCount: cells, hashes, seed, growth, tightening, slices, ...promise });
    expect(read.toBytes()).toEqual(bytes);
    expect(read.omit(given)).toEqual([]);
    expect(view.getBigUint64(56, true)).toBe(checksumOf(bytes, bodyAt(slices), lengthsIn(bytes)));
    for (const key of given) oracle.add(key);
    expect(bytes.subarray(bodyAt(slices))).toEqual(oracle.bytes());
    const more = Array.from({ length: 1500 }, (_, i) => `another key ${i}`);
    for (const key of more) oracle.add(key);
    read.addMany(more);
    expect(read.slices).toBe(oracle.slices.length);
    expect(read.slices).toBeGreaterThan(slices);
    const file = read.toBytes();
    expect(file.subarray(bodyAt(read.slices))).toEqual(oracle.bytes());
    expect(Filter.fromBytes(file).equals(read)).toBe(true);
    expect(read.omit([...given, ...more])).toEqual([]);
  });

  it('is refused with bits set after the last cell of any slice', () => {
    const view = viewOf(saved);
    for (const i of [0, 1, 2]) {
      const cells = Number(view.getBigUint64(128 + 32 * i, true));
      const [from, to] = placeOf(saved, i);
      for (const bit of [cells, cells + 1, 8 * (to - from) - 1]) {
        const file = change((forged) => {
          const at = from + (bit >> 3);
          forged.setUint8(at, forged.getUint8(at) | (1 << (bit & 7)));
        });
        expectFileRefused(Filter, file, `bit ${bit} of slice ${i}`, /the padding bits of a slice are not zero/);
      }
    }
  });

  it('is refused with its slices in another order', () => {
    const [first, second] = [placeOf(saved, 0), placeOf(saved, 1)];
    const swapped = concat([
      saved.subarray(0, first[0]),
      saved.subarray(...second),
      saved.subarray(...first),
      saved.subarray(second[1]),
    ]);
    expectFileRefused(Filter, swapped, 'the body alone', /its checksum is wrong/);
  });
});
