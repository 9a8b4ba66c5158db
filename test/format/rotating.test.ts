// Files of rotating filters, which have a state, and parameters of their own.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RotatingBloomFilter as WasmFilter } from '../../src/entries/rotating.ts';
import { RotatingBloomFilter as JsFilter } from '../../src/entries/rotating-js.ts';
import { copiesOf, type EveryFilter, type OnBothEngines } from '../every-kind.ts';
import { Rotating } from '../oracle.ts';
import { randomFrom } from '../random.ts';
import { type Golden, goldenFiles, goldenKeys, readGolden } from './golden.ts';
import { expectDamageRefused, expectFileRefused, expectNoAllocation } from './refusal.ts';
import { checksumOf, concat, forge, keysOf, REFUSED, viewOf } from './saved.ts';

const BODY_AT = 128;

interface GoldenRotating extends Golden {
  readonly promise: { capacity: number; errorRate: number };
  readonly lanes: number;
  readonly window: number;
}

const golden = goldenFiles.filter((each): each is GoldenRotating => each.kind === 'rotating');

describe.each([
  { name: 'wasm', Filter: WasmFilter, Other: JsFilter },
  { name: 'js', Filter: JsFilter, Other: WasmFilter },
])('a saved rotating filter: $name', ({ name, Filter, Other }) => {
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

  it('is loaded byte for byte by either engine, whole or in chunks, and goes on in the same way', async () => {
    const shape = fc.record({
      capacity: fc.integer({ min: 1, max: 60 }),
      lanes: fc.integer({ min: 2, max: 16 }),
      errorRate: fc.constantFrom(0.3, 0.01, 0.001),
      seed: fc.nat(),
    });
    const arrays = fc.array(fc.string(), { maxLength: 200 });
    const cuts = fc.array(fc.nat(1000), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(shape, arrays, cuts, async (given, keys, places) => {
        const made = new Filter(given).addMany(keys) as object as EveryFilter;
        const file = made.toBytes();
        expect(concat(made.toChunks())).toEqual(file);
        const read = await copiesOf(made, { Filter, Twin: Other } as object as OnBothEngines, places);
        made.addMany(keysOf(50));
        for (const each of read) {
          expect(each.toBytes()).toEqual(file);
          expect(each.addMany(keysOf(50)).toBytes()).toEqual(made.toBytes());
        }
      }),
      { seed: 2, numRuns: 100 },
    );
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

  it('is refused with any single bit flipped, with bytes cut off, and with bytes added', () => {
    expectDamageRefused(Filter, saved);
  });

  const parameters = /its parameters are /;
  it.each<[string, RegExp, (view: DataView) => void]>([
    ['cells of 2 bits', /bits per cell is 2$/, (view) => view.setUint8(7, 2)],
    ['7 hashes', /size is \d+ bits and 7 hashes$/, (view) => view.setUint32(12, 7, true)],
    ['a body right after the header', /body offset is 64$/, (view) => view.setUint32(40, 64, true)],
    ['two segments of the body', /number of segments is 2$/, (view) => view.setUint32(44, 2, true)],
    ['no lanes', parameters, (view) => view.setUint32(64, 0, true)],
    ['one lane', parameters, (view) => view.setUint32(64, 1, true)],
    ['two lanes', parameters, (view) => view.setUint32(64, 2, true)],
    ['17 lanes', parameters, (view) => view.setUint32(64, 17, true)],
    ['2^32 − 1 lanes', parameters, (view) => view.setUint32(64, 2 ** 32 - 1, true)],
    ['a current lane that it does not have', parameters, (view) => view.setUint32(68, 3, true)],
    ['a current lane 2^31', parameters, (view) => view.setUint32(68, 2 ** 31, true)],
    ['no quota', parameters, (view) => view.setBigUint64(72, 0n, true)],
    ['a quota of less', parameters, (view) => view.setBigUint64(72, 9n, true)],
    ['a quota of more', parameters, (view) => view.setBigUint64(72, 11n, true)],
    ['a quota of 2^64 − 1', parameters, (view) => view.setBigUint64(72, 2n ** 64n - 1n, true)],
    ['more keys in a lane than its quota', parameters, (view) => view.setBigUint64(80, 11n, true)],
    ['2^53 keys in a lane', parameters, (view) => view.setBigUint64(80, 2n ** 53n, true)],
    ['2^53 rotations', parameters, (view) => view.setBigUint64(88, 2n ** 53n, true)],
    ['a negative window', parameters, (view) => view.setFloat64(96, -1, true)],
    ['an endless window', parameters, (view) => view.setFloat64(96, Number.POSITIVE_INFINITY, true)],
    ['a window that is no number', parameters, (view) => view.setFloat64(96, Number.NaN, true)],
    ['a time without a window', parameters, (view) => view.setFloat64(96, 0, true)],
    ['a window of −0', parameters, (view) => view.setFloat64(96, -0, true)],
    ['a negative time', parameters, (view) => view.setFloat64(104, -1, true)],
    ['a time that is no number', parameters, (view) => view.setFloat64(104, Number.NaN, true)],
    ['an endless time', parameters, (view) => view.setFloat64(104, Number.POSITIVE_INFINITY, true)],
    ['another capacity', parameters, (view) => view.setBigUint64(24, 23n, true)],
    [
      'neither capacity nor error rate',
      parameters,
      (view) => {
        view.setBigUint64(24, 0n, true);
        view.setFloat64(32, 0, true);
      },
    ],
    ['a byte in the padding', /between its parameters and its body/, (view) => view.setUint8(112, 1)],
    ['a byte at the end of the padding', /between its parameters and its body/, (view) => view.setUint8(127, 128)],
    ['one cell more', parameters, (view) => view.setBigUint64(16, view.getBigUint64(16, true) + 1n, true)],
    ['one block more', parameters, (view) => view.setBigUint64(16, view.getBigUint64(16, true) + 256n, true)],
    [
      'one block more in each lane',
      /body length is/,
      (view) => view.setBigUint64(16, view.getBigUint64(16, true) + 768n, true),
    ],
    ['too many blocks', /its parameters are/, (view) => view.setBigUint64(16, 768n * 2n ** 32n, true)],
    ['a longer body', /body length is/, (view) => view.setBigUint64(48, view.getBigUint64(48, true) + 1n, true)],
  ])('is refused with %s', (what, saying, change) => {
    expectFileRefused(Filter, forge(saved, change, BODY_AT), what, saying);
  });

  it('causes almost no allocation, whatever size it states', () => {
    for (const blocks of [2 ** 20, 2 ** 23, 2 ** 26]) {
      const head = new Filter({ capacity: 10, lanes: 2 }).toBytes().subarray(0, BODY_AT);
      const header = forge(
        head,
        (view) => {
          view.setBigUint64(16, BigInt(512 * blocks), true);
          view.setBigUint64(48, BigInt(64 * blocks), true);
        },
        BODY_AT,
        [],
      );
      expectNoAllocation(Filter, header);
    }
  });

  it('is refused, or harmless, with any field of its head changed and a matching checksum', () => {
    const random = randomFrom(name.length);
    const edges = [0n, 1n, 2n, 3n, 16n, 17n, 63n, 64n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n, 2n ** 64n - 1n];
    const times = [0, -0, 1, 5e-324, 777.5, 1e300, Number.MAX_VALUE, Number.NaN, Number.POSITIVE_INFINITY, -1];
    let read = 0;
    for (let i = 0; i < 5000; i++) {
      const file = forge(
        saved,
        (view) => {
          for (let changes = 1 + random(3); changes > 0; changes--) {
            const at = 4 * random(BODY_AT / 4);
            const value = random(2) ? BigInt(random(200)) : (edges[random(edges.length)] as bigint);
            if (random(4) === 0) view.setFloat64(random(2) ? 96 : 104, times[random(times.length)] as number, true);
            else if (at % 8 || random(2)) view.setUint32(at, Number(value & 0xffffffffn), true);
            else view.setBigUint64(at, value, true);
          }
        },
        BODY_AT,
      );
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
      forged.clock = () => random(2000);
      forged.addMany(keysOf(random(60)));
      forged.rotate();
      expect(forged.hasMany(keysOf(20))).toHaveLength(20);
      expect(Filter.fromBytes(forged.toBytes()).equals(forged)).toBe(true);
    }
    expect(read).toBeGreaterThan(50);
  });
});
