// Files of stable filters, which have a state. own-parameters.test.ts has what is refused of their heads.

import { describe, expect, it } from 'vitest';
import { StableBloomFilter as WasmFilter } from '../../src/entries/stable.ts';
import { StableBloomFilter as JsFilter } from '../../src/entries/stable-js.ts';
import { Stable } from '../shared/oracle.ts';
import { type Golden, goldenFiles, goldenKeys, readGolden } from './golden.ts';
import { checksumOf, keysOf, viewOf } from './saved.ts';

const BODY_AT = 128;

interface GoldenStable extends Golden {
  readonly bits: 1 | 2 | 4 | 8;
  readonly decrements: number;
}

const golden = goldenFiles.filter((each): each is GoldenStable => each.kind === 'stable');

describe.each([
  { name: 'wasm', Filter: WasmFilter },
  { name: 'js', Filter: JsFilter },
])('a saved stable filter: $name', ({ Filter }) => {
  it('has the fields of the specification', () => {
    const shape = { cells: 101, cellBits: 4, hashes: 3, decrements: 17, seed: 5 } as const;
    const saved = new Filter(shape).addMany(keysOf(33)).toBytes();
    const oracle = new Stable(shape);
    for (const key of keysOf(33)) oracle.add(key);
    const view = viewOf(saved);
    expect([...saved.subarray(0, 8)]).toEqual([...Buffer.from('BLMY'), 1, 6, 1, 4]);
    expect([8, 12, 40, 44].map((at) => view.getUint32(at, true))).toEqual([5, 3, BODY_AT, 1]);
    expect([16, 24, 48].map((at) => view.getBigUint64(at, true))).toEqual([101n, 0n, 51n]);
    expect(view.getFloat64(32, true)).toBe(0);
    expect(view.getBigUint64(56, true)).toBe(checksumOf(saved, BODY_AT));
    expect([64, 72].map((at) => view.getBigUint64(at, true))).toEqual([17n, oracle.state]);
    expect(saved.subarray(80, BODY_AT).some(Boolean)).toBe(false);
    expect(saved.subarray(BODY_AT)).toEqual(oracle.bytes());
  });

  it('has the capacity and the error rate that it was made for', () => {
    const view = viewOf(new Filter({ capacity: 50, errorRate: 0.02 }).toBytes());
    expect(view.getBigUint64(24, true)).toBe(50n);
    expect(view.getFloat64(32, true)).toBe(0.02);
  });

  it.each(golden)('of an earlier version can be read, and is made again: $file', (row) => {
    const { cells, hashes, seed, promise, bits: cellBits, decrements } = row;
    const bytes = readGolden(row);
    const read = Filter.fromBytes(bytes);
    const size = { cells, cellBits, hashes, decrements };
    expect(read).toMatchObject({ ...size, seed, ...promise });
    expect(read.toBytes()).toEqual(bytes);
    const made = new Filter(promise ? { ...promise, cellBits, seed } : { ...size, seed });
    const keys = goldenKeys(row);
    expect(made.addMany(keys).toBytes()).toEqual(bytes);
    expect(viewOf(bytes).getBigUint64(56, true)).toBe(checksumOf(bytes, BODY_AT));
    const oracle = new Stable({ ...size, seed });
    for (const key of keys) oracle.add(key);
    expect(bytes.subarray(BODY_AT)).toEqual(oracle.bytes());
    expect(read.pick(keys)).toEqual(keys.filter((key) => oracle.has(key)));
  });
});
