// Files of rotating filters, which have a state. own-parameters.test.ts has what is refused of their heads.

import { describe, expect, it } from 'vitest';
import { RotatingBloomFilter as WasmFilter } from '../../src/entries/rotating.ts';
import { RotatingBloomFilter as JsFilter } from '../../src/entries/rotating-js.ts';
import { Rotating } from '../shared/oracle.ts';
import { type Golden, goldenFiles, goldenKeys, readGolden } from './golden.ts';
import { checksumOf, keysOf, viewOf } from './saved.ts';

const BODY_AT = 128;

interface GoldenRotating extends Golden {
  readonly promise: { capacity: number; errorRate: number };
  readonly lanes: number;
  readonly window: number;
}

const golden = goldenFiles.filter((each): each is GoldenRotating => each.kind === 'rotating');

describe.each([
  { name: 'wasm', Filter: WasmFilter },
  { name: 'js', Filter: JsFilter },
])('a saved rotating filter: $name', ({ Filter }) => {
  const options = { capacity: 20, errorRate: 0.01, lanes: 3, seed: 5, window: 1000, clock: () => 777.5 };
  const filter = new Filter(options).addMany(keysOf(33));
  const saved = filter.toBytes();

  it('has the fields of the specification', () => {
    const blocks = filter.bits / 256 / 3;
    const oracle = new Rotating({ lanes: 3, blocks, quota: 10, seed: 5, window: 1000, now: 777.5 });
    for (const key of keysOf(33)) oracle.add(key);
    const view = viewOf(saved);
    expect([...saved.subarray(0, 8)]).toEqual([...Buffer.from('BLMY'), 1, 5, 1, 1]);
    expect([8, 12, 40, 44].map((at) => view.getUint32(at, true))).toEqual([5, 8, BODY_AT, 1]);
    expect(view.getBigUint64(16, true)).toBe(BigInt(256 * 3 * blocks));
    expect(view.getBigUint64(24, true)).toBe(20n);
    expect(view.getFloat64(32, true)).toBe(0.01);
    expect(view.getBigUint64(48, true)).toBe(BigInt(96 * blocks));
    expect(view.getBigUint64(56, true)).toBe(checksumOf(saved, BODY_AT));
    expect([64, 68].map((at) => view.getUint32(at, true))).toEqual([3, oracle.current]);
    expect([72, 80, 88].map((at) => view.getBigUint64(at, true))).toEqual(
      [10, oracle.count, oracle.rotations].map(BigInt),
    );
    expect([96, 104].map((at) => view.getFloat64(at, true))).toEqual([1000, 777.5]);
    expect(saved.subarray(112, BODY_AT).some(Boolean)).toBe(false);
    expect(saved.subarray(BODY_AT)).toEqual(oracle.bytes());
    expect(oracle.rotations).toBe(3);
  });

  it.each(golden)('of an earlier version can be read, and is made again: $file', (row) => {
    const { cells, seed, promise, lanes, window } = row;
    const bytes = readGolden(row);
    const given = goldenKeys(row);
    const read = Filter.fromBytes(bytes);
    expect(read).toMatchObject({ cellCount: cells, seed, lanes, window, ...promise });
    expect(read.toBytes()).toEqual(bytes);
    read.clock = () => 1000;
    expect(read.omit(given.slice(-promise.capacity))).toEqual([]);
    const made = new Filter({ ...promise, seed, lanes, clock: () => 1000, ...(window && { window }) });
    expect(made.addMany(given).toBytes()).toEqual(bytes);
    expect(viewOf(bytes).getBigUint64(56, true)).toBe(checksumOf(bytes, BODY_AT));
  });
});
