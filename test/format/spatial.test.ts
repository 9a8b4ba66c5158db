// Files of spatial filters. own-parameters.test.ts has what is refused of their heads.

import { describe, expect, it } from 'vitest';
import { SpatialBloomFilter as WasmFilter } from '../../src/entries/spatial.ts';
import { SpatialBloomFilter as JsFilter } from '../../src/entries/spatial-js.ts';
import { Spatial } from '../shared/oracle.ts';
import { randomFrom } from '../shared/random.ts';
import { type Golden, goldenFiles, goldenKeys, readGolden } from './golden.ts';
import { expectFileRefused } from './refusal.ts';
import { checksumOf, forge, keysOf, splitAt, viewOf } from './saved.ts';

const BODY_AT = 128;

interface GoldenSpatial extends Golden {
  readonly labels: number;
}

const golden = goldenFiles.filter((each): each is GoldenSpatial => each.kind === 'spatial');

/** A copy of a file of a spatial filter with a change and a matching checksum. */
function forgeSpatial(file: Uint8Array, change: (view: DataView) => void): Uint8Array {
  return forge(file, change, BODY_AT);
}

describe.each([
  { name: 'wasm', Filter: WasmFilter },
  { name: 'js', Filter: JsFilter },
])('a saved spatial filter: $name', ({ Filter }) => {
  const keys = keysOf(40);
  const own = keys.map((_, i) => 1 + (i % 10));
  const saved = new Filter({ capacity: 40, errorRate: 0.02, labels: 10, seed: 5 }).addMany(keys, own).toBytes();

  it('has the fields of the specification', () => {
    const view = viewOf(saved);
    const cells = Number(view.getBigUint64(16, true));
    const hashes = view.getUint32(12, true);
    const oracle = new Spatial(cells, hashes, 10, 5);
    for (const [i, key] of keys.entries()) oracle.add(key, own[i] as number);
    expect([...saved.subarray(0, 8)]).toEqual([...Buffer.from('BLMY'), 1, 9, 1, 4]);
    expect([8, 40, 44, 64].map((at) => view.getUint32(at, true))).toEqual([5, BODY_AT, 1, 10]);
    expect(view.getBigUint64(24, true)).toBe(40n);
    expect(view.getFloat64(32, true)).toBe(0.02);
    expect(view.getBigUint64(48, true)).toBe(BigInt(Math.ceil(cells / 2)));
    expect(view.getBigUint64(56, true)).toBe(checksumOf(saved, BODY_AT));
    expect(saved.subarray(68, BODY_AT).some(Boolean)).toBe(false);
    expect(saved.subarray(BODY_AT)).toEqual(oracle.bytes());
  });

  it.each(golden)('of an earlier version can be read, and is made again: $file', (row) => {
    const { cells, hashes, seed, promise, labels, bits } = row;
    const bytes = readGolden(row);
    const given = goldenKeys(row);
    const labelOf = given.map((_, i) => 1 + (i % labels));
    for (const read of [Filter.fromBytes(bytes), Filter.fromChunks(splitAt(bytes, [3, 70, 130]))]) {
      expect(read).toMatchObject({ cells, hashes, seed, labels, cellBits: bits, ...promise });
      expect(read.labelsOf(given).every((label, i) => label >= (labelOf[i] as number))).toBe(true);
      expect(read.toBytes()).toEqual(bytes);
      read.addMany(given, labelOf);
      expect(read.toBytes()).toEqual(bytes);
    }
    const size = promise ?? { cells, hashes };
    expect(new Filter({ ...size, seed, labels }).addMany(given, labelOf).toBytes()).toEqual(bytes);
    expect(viewOf(bytes).getBigUint64(56, true)).toBe(checksumOf(bytes, BODY_AT));
  });

  it('is refused if a cell has a label above the highest one, wherever the cell is', () => {
    for (const [labels, cells] of [
      [2, 41],
      [10, 41],
      [200, 41],
      [300, 41],
      [10, 300_001],
    ] as const) {
      const file = new Filter({ cells, hashes: 3, labels }).toBytes();
      const bits = file[7] as number;
      for (const cell of [0, 1, 7, 15, 16, 40, cells - 1]) {
        const at = BODY_AT + Math.floor((cell * bits) / 8);
        const put = (label: number) =>
          forgeSpatial(file, (view) => {
            if (bits === 16) view.setUint16(at, label, true);
            else view.setUint8(at, label << ((cell * bits) % 8));
          });
        expect(Filter.fromBytes(put(labels)).fillRatio(labels)).toBe(1 / cells);
        const saying = new RegExp(`: a cell has a label above ${labels}$`);
        for (const label of [labels + 1, 2 ** bits - 1]) expectFileRefused(Filter, put(label), `${cell}`, saying);
      }
    }
  });

  it('may have any labels in its cells if all that fit are labels', () => {
    const random = randomFrom(3);
    for (const labels of [1, 3, 15, 255, 65_535]) {
      const file = new Filter({ cells: 100, hashes: 3, labels }).toBytes();
      const forged = forgeSpatial(file, (view) => {
        for (let at = BODY_AT; at < view.byteLength; at++) view.setUint8(at, random(256));
        const used = (100 * (file[7] as number)) % 8;
        if (used) view.setUint8(view.byteLength - 1, random(2 ** used));
      });
      const filter = Filter.fromBytes(forged);
      const found = filter.labelsOf(keysOf(1000));
      expect([...found]).toEqual(keysOf(1000).map((key) => filter.labelOf(key)));
      expect(found.every((label) => label <= labels)).toBe(true);
      expect(filter.toBytes()).toEqual(forged);
    }
  });

  it('is refused with bits set after its last cell', () => {
    const file = new Filter({ cells: 41, hashes: 3, labels: 2 }).toBytes();
    const last = file.length - 1;
    for (let bit = 2; bit < 8; bit++) {
      expectFileRefused(
        Filter,
        forgeSpatial(file, (view) => view.setUint8(last, 1 << bit)),
        `bit ${bit}`,
        /its padding bits are not zero/,
      );
    }
  });
});
