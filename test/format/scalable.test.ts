// Files of scalable filters, which have several segments, and parameters for each.

import { describe, expect, it } from 'vitest';
import { ScalableBloomFilter as WasmFilter } from '../../src/entries/scalable.ts';
import { ScalableBloomFilter as JsFilter } from '../../src/entries/scalable-js.ts';
import { sizeFor } from '../../src/sizing.ts';
import { Scalable } from '../oracle.ts';
import { randomFrom } from '../random.ts';
import { type Golden, goldenFiles, goldenKeys, readGolden } from './golden.ts';
import { expectDamageRefused, expectFileRefused, expectNoAllocation } from './refusal.ts';
import { checksumOf, concat, forge, keysOf, MIB, REFUSED, splitAt, viewOf } from './saved.ts';

interface GoldenScalable extends Golden {
  readonly promise: { capacity: number; errorRate: number };
  readonly growth: number;
  readonly tightening: number;
  readonly slices: number;
}

const golden = goldenFiles.filter((each): each is GoldenScalable => each.kind === 'scalable');

const bodyAt = (slices: number): number => 128 + 64 * Math.ceil(slices / 2);

/** The byte length of each slice of a file, by its records. */
function lengthsIn(file: Uint8Array): number[] {
  const view = viewOf(file);
  const slices = view.getUint32(44, true);
  return Array.from({ length: slices }, (_, i) => 64 * Math.ceil(Number(view.getBigUint64(128 + 32 * i, true)) / 512));
}

/** Where slice `i` of a filter begins and ends in its file. */
function placeOf(file: Uint8Array, i: number): [from: number, to: number] {
  const lengths = lengthsIn(file);
  const from = bodyAt(lengths.length) + lengths.slice(0, i).reduce((sum, length) => sum + length, 0);
  return [from, from + (lengths[i] ?? 0)];
}

describe.each([
  { name: 'wasm', Filter: WasmFilter, Other: JsFilter },
  { name: 'js', Filter: JsFilter, Other: WasmFilter },
])('a saved scalable filter: $name', ({ name, Filter, Other }) => {
  const options = { capacity: 10, errorRate: 0.1, growth: 3, tightening: 0.5, seed: 5 };
  const saved = Filter.from(keysOf(60), options).toBytes();
  const lengths = lengthsIn(saved);
  const change = (alter: (view: DataView) => void): Uint8Array => forge(saved, alter, bodyAt(3), lengths);

  it('has the fields of the specification', () => {
    const sizes = [0, 1, 2].map((i) => sizeFor(10 * 3 ** i, 0.05 * 0.5 ** i));
    const sizeOf = (i: number): { m: number; k: number } => ({
      m: sizes[i]?.cellCount ?? 0,
      k: sizes[i]?.hashes ?? 0,
    });
    const oracle = new Scalable({ capacity: 10, growth: 3, seed: 5, sizeOf });
    for (const key of keysOf(60)) oracle.add(key);
    expect(oracle.slices).toHaveLength(3);
    const view = viewOf(saved);
    expect([...saved.subarray(0, 8)]).toEqual([...Buffer.from('BLMY'), 1, 4, 1, 1]);
    expect([8, 12, 40, 44].map((at) => view.getUint32(at, true))).toEqual([5, sizes[0]?.hashes, bodyAt(3), 3]);
    const body = oracle.bytes();
    expect([16, 24, 48].map((at) => view.getBigUint64(at, true))).toEqual(
      [8 * body.length, 10, body.length].map(BigInt),
    );
    expect(view.getFloat64(32, true)).toBe(0.1);
    expect(view.getBigUint64(56, true)).toBe(checksumOf(saved, bodyAt(3), lengths));
    expect([view.getUint32(64, true), view.getFloat64(72, true)]).toEqual([3, 0.5]);
    for (const [i, { m, k, count }] of oracle.slices.entries()) {
      const at = 128 + 32 * i;
      expect([at, at + 8, at + 16].map((each) => view.getBigUint64(each, true))).toEqual(
        [m, 10 * 3 ** i, count].map(BigInt),
      );
      expect([view.getUint32(at + 24, true), view.getUint32(at + 28, true)]).toEqual([k, 0]);
    }
    expect(saved.subarray(128 + 3 * 32, bodyAt(3)).some(Boolean)).toBe(false);
    expect(saved.subarray(bodyAt(3))).toEqual(body);
  });

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

  it.each(golden)('of an earlier version can be read, and is made again: $file', (row) => {
    const { cells, hashes, seed, promise, growth, tightening, slices } = row;
    const bytes = readGolden(row);
    const given = goldenKeys(row);
    const read = Filter.fromBytes(bytes);
    expect(read).toMatchObject({ cellCount: cells, hashes, seed, growth, tightening, slices, ...promise });
    expect(read.toBytes()).toEqual(bytes);
    expect(read.omit(given)).toEqual([]);
    expect(new Filter({ ...promise, seed, growth, tightening }).addMany(given).toBytes()).toEqual(bytes);
    expect(viewOf(bytes).getBigUint64(56, true)).toBe(checksumOf(bytes, bodyAt(slices), lengthsIn(bytes)));
  });

  it('is refused with any single bit flipped, with bytes cut off, and with bytes added', () => {
    expectDamageRefused(Filter, saved);
  });

  const wrong = /its growth is .+, its tightening .+, or a slice is wrong$/;
  const record = (i: number, at = 0): number => 128 + 32 * i + at;
  it.each<[string, RegExp, (view: DataView) => void]>([
    ['cells of 2 bits', /bits per cell is 2$/, (view) => view.setUint8(7, 2)],
    ['other hashes than those of its first slice', wrong, (view) => view.setUint32(12, 1, true)],
    ['no slices', /number of segments is 0$/, (view) => view.setUint32(44, 0, true)],
    ['two slices of three', REFUSED, (view) => view.setUint32(44, 2, true)],
    ['four slices instead of three', REFUSED, (view) => view.setUint32(44, 4, true)],
    ['65 slices', /number of segments is 65$/, (view) => view.setUint32(44, 65, true)],
    ['2^32 − 1 slices', /number of segments is 4294967295$/, (view) => view.setUint32(44, 2 ** 32 - 1, true)],
    ['a body right after the header', /body offset is 64$/, (view) => view.setUint32(40, 64, true)],
    ['no growth', wrong, (view) => view.setUint32(64, 0, true)],
    ['a growth of 1', wrong, (view) => view.setUint32(64, 1, true)],
    ['another growth', wrong, (view) => view.setUint32(64, 2, true)],
    ['a growth of 17', wrong, (view) => view.setUint32(64, 17, true)],
    ['a tightening of 0', wrong, (view) => view.setFloat64(72, 0, true)],
    ['a tightening of 1', wrong, (view) => view.setFloat64(72, 1, true)],
    ['a negative tightening', wrong, (view) => view.setFloat64(72, -0.5, true)],
    ['a tightening that is no number', wrong, (view) => view.setFloat64(72, Number.NaN, true)],
    ['a byte behind its growth', /between its parameters are set/, (view) => view.setUint8(68, 1)],
    ['a byte behind its tightening', /between its parameters are set/, (view) => view.setUint8(80, 1)],
    ['a byte before its records', /between its parameters are set/, (view) => view.setUint8(127, 1)],
    ['a byte behind a record', /bytes behind its slice 1 are set/, (view) => view.setUint8(record(1, 28), 1)],
    ['a byte in the padding', /between its parameters and its body/, (view) => view.setUint8(record(3), 1)],
    [
      'a byte at the end of the padding',
      /between its parameters and its body/,
      (view) => view.setUint8(bodyAt(3) - 1, 1),
    ],
    ['a slice without cells', wrong, (view) => view.setBigUint64(record(1), 0n, true)],
    ['a slice of more cells', wrong, (view) => view.setBigUint64(record(1), 2n ** 20n, true)],
    ['a slice of 2^53 cells', wrong, (view) => view.setBigUint64(record(1), 2n ** 53n, true)],
    ['a slice of 2^64 − 1 cells', wrong, (view) => view.setBigUint64(record(1), 2n ** 64n - 1n, true)],
    ['a slice without hashes', wrong, (view) => view.setUint32(record(1, 24), 0, true)],
    ['a slice of 256 hashes', wrong, (view) => view.setUint32(record(1, 24), 256, true)],
    ['a slice for no keys', wrong, (view) => view.setBigUint64(record(0, 8), 0n, true)],
    ['a slice for another number of keys', wrong, (view) => view.setBigUint64(record(1, 8), 31n, true)],
    ['a slice for 2^53 keys', wrong, (view) => view.setBigUint64(record(2, 8), 2n ** 53n, true)],
    ['more keys in a slice than it is for', wrong, (view) => view.setBigUint64(record(2, 16), 91n, true)],
    ['2^64 − 1 keys in a slice', wrong, (view) => view.setBigUint64(record(2, 16), 2n ** 64n - 1n, true)],
    ['fewer keys in a slice that is not the last', wrong, (view) => view.setBigUint64(record(1, 16), 29n, true)],
    ['another capacity', wrong, (view) => view.setBigUint64(24, 11n, true)],
    [
      'neither capacity nor error rate',
      wrong,
      (view) => {
        view.setBigUint64(24, 0n, true);
        view.setFloat64(32, 0, true);
      },
    ],
    ['one cell more', wrong, (view) => view.setBigUint64(16, view.getBigUint64(16, true) + 1n, true)],
    ['512 cells more', wrong, (view) => view.setBigUint64(16, view.getBigUint64(16, true) + 512n, true)],
    ['a longer body', /body length is/, (view) => view.setBigUint64(48, view.getBigUint64(48, true) + 64n, true)],
  ])('is refused with %s', (what, saying, alter) => {
    expectFileRefused(Filter, change(alter), what, saying);
  });

  it('is refused with bits set behind the last cell of any slice', () => {
    const view = viewOf(saved);
    for (const i of [0, 1, 2]) {
      const cells = Number(view.getBigUint64(record(i), true));
      const [from, to] = placeOf(saved, i);
      for (const bit of [cells, cells + 1, 8 * (to - from) - 1]) {
        const file = change((forged) => {
          const at = from + (bit >> 3);
          forged.setUint8(at, forged.getUint8(at) | (1 << (bit & 7)));
        });
        expectFileRefused(Filter, file, `bit ${bit} of slice ${i}`, /bits behind the last cell of a slice/);
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

  it('is refused, or harmless, with any field of its head changed and a matching checksum', () => {
    const random = randomFrom(name.length);
    const edges = [0n, 1n, 2n, 3n, 16n, 17n, 63n, 64n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n, 2n ** 64n - 1n];
    let read = 0;
    for (let i = 0; i < 5000; i++) {
      const file = change((view) => {
        for (let changes = 1 + random(3); changes > 0; changes--) {
          const at = 4 * random(bodyAt(3) / 4);
          const value = random(2) ? BigInt(random(200)) : (edges[random(edges.length)] as bigint);
          if (at % 8 || random(2)) view.setUint32(at, Number(value & 0xffffffffn), true);
          else view.setBigUint64(at, value, true);
        }
      });
      let forged: WasmFilter;
      try {
        forged = Filter.fromBytes(file);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
        expect((error as Error).message).toMatch(REFUSED);
        continue;
      }
      read++;
      expect(forged.toBytes()).toEqual(file);
      const flags = new Uint8Array(100);
      try {
        forged.addMany(keysOf(100), flags);
      } catch (error) {
        // With a forged error rate, no slice can follow.
        expect((error as Error).message).toMatch(/^a filter of \d+ keys cannot grow: /);
      }
      expect(forged.omit(keysOf(100).filter((_, key) => flags[key]))).toEqual([]);
      expect(Filter.fromBytes(forged.toBytes()).equals(forged)).toBe(true);
    }
    expect(read).toBeGreaterThan(50);
  });

  it('causes almost no allocation, whatever size it states', () => {
    for (const cells of [2 ** 28, 2 ** 31, 2 ** 34]) {
      const head = new Filter({ capacity: 10 }).toBytes().subarray(0, bodyAt(1));
      const header = forge(
        head,
        (view) => {
          view.setBigUint64(16, BigInt(cells), true);
          view.setBigUint64(48, BigInt(cells / 8), true);
          view.setBigUint64(record(0), BigInt(cells), true);
        },
        bodyAt(1),
        [],
      );
      expectNoAllocation(Filter, header);
    }
  });
});
