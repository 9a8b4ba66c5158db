// Files of binary fuse filters. own-parameters.test.ts has what is refused of their heads.

import { describe, expect, it } from 'vitest';
import { BinaryFuseFilter as WasmFilter } from '../../src/entries/fuse.ts';
import { BinaryFuseFilter as JsFilter } from '../../src/entries/fuse-js.ts';
import { bytesOf, Fuse, murmur3 } from '../shared/oracle.ts';
import { randomFrom } from '../shared/random.ts';
import { goldenFiles, goldenKeys, readGolden } from './golden.ts';
import { expectFileRefused, type ReadClass } from './refusal.ts';
import { checksumOf, forge, keysOf, viewOf } from './saved.ts';

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

describe.each(classes)('a saved binary fuse filter: $name', ({ Filter }) => {
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

  it('is refused with bits set after its last cell', () => {
    for (const bit of [4, 5, 6, 7]) {
      const last = small.length - 1;
      const file = forgeFuse(small, (view) => view.setUint8(last, view.getUint8(last) | (1 << bit)));
      expectFileRefused(Read, file, `bit ${bit}`, /its padding bits are not zero/);
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
});
