// Files of binary fuse filters, which have parameters of their own. test/kinds.ts has the kinds that start out empty.

import { describe, expect, it } from 'vitest';
import { type BinaryFuseFilter, BinaryFuseFilter as WasmFilter } from '../../src/entries/fuse.ts';
import { BinaryFuseFilter as JsFilter } from '../../src/entries/fuse-js.ts';
import { bytesOf, Fuse, murmur3 } from '../oracle.ts';
import { randomFrom } from '../random.ts';
import { goldenFiles, goldenKeys, readGolden } from './golden.ts';
import { expectDamageRefused, expectFileRefused, expectNoAllocation, type ReadClass } from './refusal.ts';
import { checksumOf, forge, keysOf, REFUSED, viewOf } from './saved.ts';

const BODY_AT = 128;

/** A copy of a file of a fuse filter with a change and a matching checksum. */
function forgeFuse(file: Uint8Array, change: (view: DataView) => void): Uint8Array {
  return forge(file, change, BODY_AT);
}

const golden = goldenFiles.filter(({ kind }) => kind === 'fuse');

const classes = [
  { name: 'wasm', Filter: WasmFilter },
  { name: 'js', Filter: JsFilter },
];

describe.each(classes)('a saved binary fuse filter: $name', ({ name, Filter }) => {
  // Its constructor is protected.
  const Read = Filter as object as ReadClass;
  const keys = keysOf(40);
  // 12 cells of 1 bit have 4 unused bits behind them.
  const small = Filter.from(keysOf(1), { fingerprintBits: 1 }).toBytes();
  const saved = Filter.from(keys, { fingerprintBits: 9, seed: 5 }).toBytes();

  it('has the fields of the specification', () => {
    const view = viewOf(saved);
    expect([...saved.subarray(0, 8)]).toEqual([...Buffer.from('BLMY'), 1, 10, 1, 9]);
    expect([8, 12, 40, 44].map((at) => view.getUint32(at, true))).toEqual([5, 3, BODY_AT, 1]);
    const oracle = new Fuse(
      keys.map((key) => murmur3(bytesOf(key), 5)[0]),
      9,
    );
    expect(view.getBigUint64(16, true)).toBe(BigInt(oracle.cells.length));
    expect(view.getBigUint64(24, true)).toBe(40n);
    expect(view.getFloat64(32, true)).toBe(2 ** -9);
    expect(view.getBigUint64(48, true)).toBe(BigInt(saved.length - BODY_AT));
    expect(view.getBigUint64(56, true)).toBe(checksumOf(saved, BODY_AT));
    const { e, segments, attempt } = oracle;
    expect([64, 68, 72, 76].map((at) => view.getUint32(at, true))).toEqual([e, segments, attempt, 0]);
    expect(view.getBigUint64(80, true)).toBe(40n);
    expect(saved.subarray(88, BODY_AT).some(Boolean)).toBe(false);
    expect(saved.subarray(BODY_AT)).toEqual(oracle.bytes());
  });

  it.each(golden)('of an earlier version can be read, and is made again: $file', (row) => {
    const { count, cells, seed, promise, bits = 0 } = row;
    const bytes = readGolden(row);
    const given = goldenKeys(row);
    const filter = Filter.fromBytes(bytes);
    expect(filter).toMatchObject({ cellCount: cells, seed, cellBits: bits, capacity: count });
    expect(filter.errorRate).toBe(promise?.errorRate ?? 0);
    expect(filter.hasMany(given)).toEqual(new Uint8Array(count).fill(1));
    expect(filter.toBytes()).toEqual(bytes);
    expect(Filter.from(given, { fingerprintBits: bits, seed }).toBytes()).toEqual(bytes);
    expect(viewOf(bytes).getBigUint64(56, true)).toBe(checksumOf(bytes, BODY_AT));
  });

  it('is refused with any single bit flipped, with bytes cut off, and with bytes added', () => {
    expectDamageRefused(Read, saved);
  });

  const parameters = /its parameters are /;
  it.each<[string, RegExp, (view: DataView) => void]>([
    ['cells of 0 bits', /bits per cell is 0$/, (view) => view.setUint8(7, 0)],
    ['cells of 33 bits', /bits per cell is 33$/, (view) => view.setUint8(7, 33)],
    ['2 hashes', /size is \d+ cells and 2 hashes$/, (view) => view.setUint32(12, 2, true)],
    ['4 hashes', /size is \d+ cells and 4 hashes$/, (view) => view.setUint32(12, 4, true)],
    ['a body right after the header', /body offset is 64$/, (view) => view.setUint32(40, 64, true)],
    ['two segments of the body', /number of segments is 2$/, (view) => view.setUint32(44, 2, true)],
    ['segments of 1 cell', parameters, (view) => view.setUint32(64, 0, true)],
    ['segments of 2 cells', parameters, (view) => view.setUint32(64, 1, true)],
    ['segments of half the cells', parameters, (view) => view.setUint32(64, view.getUint32(64, true) - 1, true)],
    ['segments of 2^19 cells', parameters, (view) => view.setUint32(64, 19, true)],
    ['segments of 2^32 cells', parameters, (view) => view.setUint32(64, 32, true)],
    ['an exponent of 2^32 − 1', parameters, (view) => view.setUint32(64, 2 ** 32 - 1, true)],
    ['no segments', parameters, (view) => view.setUint32(68, 0, true)],
    ['one segment more', parameters, (view) => view.setUint32(68, view.getUint32(68, true) + 1, true)],
    ['2^32 − 2 segments', parameters, (view) => view.setUint32(68, 2 ** 32 - 2, true)],
    ['the 65th attempt', parameters, (view) => view.setUint32(72, 64, true)],
    ['attempt 2^32 − 1', parameters, (view) => view.setUint32(72, 2 ** 32 - 1, true)],
    ['a byte between its parameters', parameters, (view) => view.setUint8(76, 1)],
    ['another number of keys', parameters, (view) => view.setBigUint64(80, 41n, true)],
    ['no keys', parameters, (view) => view.setBigUint64(80, 0n, true)],
    [
      'more keys than cells',
      parameters,
      (view) => {
        for (const at of [24, 80]) view.setBigUint64(at, view.getBigUint64(16, true) + 1n, true);
      },
    ],
    ['2^64 − 1 keys', parameters, (view) => view.setBigUint64(80, 2n ** 64n - 1n, true)],
    ['another error rate', parameters, (view) => view.setFloat64(32, 2 ** -8, true)],
    [
      'neither capacity nor error rate',
      parameters,
      (view) => {
        view.setBigUint64(24, 0n, true);
        view.setFloat64(32, 0, true);
      },
    ],
    ['a byte in the padding', /between its parameters and its body/, (view) => view.setUint8(88, 1)],
    ['a byte at the end of the padding', /between its parameters and its body/, (view) => view.setUint8(127, 128)],
    ['more cells', REFUSED, (view) => view.setBigUint64(16, view.getBigUint64(16, true) + 1n, true)],
    ['a longer body', REFUSED, (view) => view.setBigUint64(48, view.getBigUint64(48, true) + 1n, true)],
  ])('is refused with %s', (what, saying, change) => {
    expectFileRefused(Read, forgeFuse(saved, change), what, saying);
  });

  it('is refused with bits set behind its last cell', () => {
    for (const bit of [4, 5, 6, 7]) {
      const last = small.length - 1;
      const file = forgeFuse(small, (view) => view.setUint8(last, view.getUint8(last) | (1 << bit)));
      expectFileRefused(Read, file, `bit ${bit}`, /bits behind its last cell/);
    }
  });

  it('is harmless with anything in its cells, and with the parameters of another filter of its size', () => {
    const random = randomFrom(3);
    const exponent = viewOf(saved).getUint32(64, true);
    const cells = Number(viewOf(saved).getBigUint64(16, true));
    for (let e = 2; cells % 2 ** e === 0 && cells / 2 ** e >= 3; e++) {
      for (const attempt of [0, 1, 63]) {
        const file = forgeFuse(saved, (view) => {
          view.setUint32(64, e, true);
          view.setUint32(68, cells / 2 ** e - 2, true);
          view.setUint32(72, attempt, true);
          for (let at = BODY_AT; at < view.byteLength; at++) view.setUint8(at, random(256));
          const used = (cells * 9) % 8;
          if (used) view.setUint8(view.byteLength - 1, view.getUint8(view.byteLength - 1) & ((1 << used) - 1));
        });
        const filter = Filter.fromBytes(file);
        const flags = filter.hasMany(keysOf(5000));
        expect(flags).toEqual(Uint8Array.from(keysOf(5000), (key) => Number(filter.has(key))));
        expect(filter.toBytes()).toEqual(file);
      }
    }
    expect(exponent).toBeGreaterThan(2);
  });

  it('is refused, or harmless, with any field of its head changed and a matching checksum', () => {
    const random = randomFrom(name.length);
    const edges = [0n, 1n, 2n, 3n, 18n, 19n, 63n, 64n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n, 2n ** 64n - 1n];
    let read = 0;
    for (let i = 0; i < 20_000; i++) {
      const file = forgeFuse(random(2) ? small : saved, (view) => {
        for (let changes = 1 + random(3); changes > 0; changes--) {
          const at = 4 * random(BODY_AT / 4);
          const value = random(2) ? BigInt(random(200)) : (edges[random(edges.length)] as bigint);
          if (at % 8 || random(2)) view.setUint32(at, Number(value & 0xffffffffn), true);
          else view.setBigUint64(at, value, true);
        }
      });
      let filter: BinaryFuseFilter;
      try {
        filter = Filter.fromBytes(file);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
        expect((error as Error).message).toMatch(REFUSED);
        continue;
      }
      read++;
      filter.hasMany(keys);
      expect(filter.toBytes()).toEqual(file);
    }
    // Those whose seed or attempt was changed, or nothing.
    expect(read).toBeGreaterThan(100);
  });

  it('causes almost no allocation, whatever size it states', () => {
    for (const cells of [2 ** 28, 2 ** 31, 2 ** 34]) {
      const header = forgeFuse(saved.subarray(0, BODY_AT), (view) => {
        view.setUint8(7, 8);
        view.setBigUint64(16, BigInt(cells), true);
        view.setFloat64(32, 2 ** -8, true);
        view.setBigUint64(48, BigInt(cells), true);
        view.setUint32(64, 18, true);
        view.setUint32(68, cells / 2 ** 18 - 2, true);
      });
      expectNoAllocation(Read, header);
    }
  });
});
