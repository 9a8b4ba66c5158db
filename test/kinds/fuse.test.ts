// What only the binary fuse filter has: all its keys at once, and cells of any width.

import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BinaryFuseFilter, optimalFuseCells, optimalFuseFingerprintBits } from '../../src/entries/fuse.ts';
import { buildCells } from '../../src/kinds/fuse-build.ts';
import { fuseLayout } from '../../src/kinds/fuse-sizing.ts';
import { expectRate } from '../shared/binomial.ts';
import { integersFrom, range } from '../shared/integers.ts';
import { lookUpRandom } from '../shared/lookups.ts';
import { watched } from '../shared/open.ts';
import { bytesOf, murmur3 } from '../shared/oracle.ts';
import { Fuse, fuseLayoutOf } from '../shared/oracle-fuse.ts';
import { randomFrom } from '../shared/random.ts';

/** The offset of the body in a file. */
const BODY_AT = 128;

const bodyOf = (filter: BinaryFuseFilter): Uint8Array => filter.toBytes().subarray(BODY_AT);

describe('a binary fuse filter', () => {
  it('has the same bytes as the oracle, for any keys, width and seed', () => {
    const keys = fc.array(fc.oneof(fc.string(), fc.integer(), fc.uint8Array()), { maxLength: 300 });
    const bits = fc.integer({ min: 1, max: 32 });
    fc.assert(
      fc.property(keys, bits, fc.integer({ min: 0, max: 2 ** 32 - 1 }), (given, fingerprintBits, seed) => {
        const oracle = new Fuse(
          given.map((key) => murmur3(bytesOf(key), seed)[0]),
          fingerprintBits,
        );
        const filter = BinaryFuseFilter.from(given, { fingerprintBits, seed });
        expect(bodyOf(filter)).toEqual(oracle.bytes());
        const { count } = oracle;
        expect(filter).toMatchObject({ count, capacity: count, fingerprintBits, cellBits: fingerprintBits });
        expect(filter.estimateCount()).toBe(count);
        for (const key of [...given, ...range(0, 50)]) {
          expect(filter.has(key)).toBe(oracle.has(murmur3(bytesOf(key), seed)[0]));
        }
      }),
      { seed: 5, numRuns: 100 },
    );
  });

  it('has the same bytes as the oracle after four failed attempts, which add segments', () => {
    const keys = range(12 * 8083, 12 * 8084);
    const oracle = new Fuse(
      keys.map((key) => murmur3(bytesOf(key), 0)[0]),
      9,
    );
    expect(oracle.attempt).toBe(4);
    expect(bodyOf(BinaryFuseFilter.from(keys, { fingerprintBits: 9 }))).toEqual(oracle.bytes());
  });

  it('finds all its keys, and has the same bytes whatever their order, repetitions, shape and chunks', () => {
    const keys = fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { maxLength: 500 });
    fc.assert(
      fc.property(keys, fc.integer({ min: 1, max: 32 }), (given, fingerprintBits) => {
        const filter = BinaryFuseFilter.from(given, { fingerprintBits });
        expect(filter.hasMany(given)).toEqual(new Uint8Array(given.length).fill(1));
        expect(filter.omit(given)).toEqual([]);
        for (const key of given) expect(filter.has(key)).toBe(true);
        const same = [
          [...given].reverse(),
          [...given, ...given],
          BigUint64Array.from(given),
          new Set(given),
          given.values(),
          given.map((key) => new Uint8Array(BigUint64Array.of(key).buffer)),
        ];
        for (const each of same) {
          expect(BinaryFuseFilter.from(each, { fingerprintBits }).toBytes()).toEqual(filter.toBytes());
        }
      }),
      { seed: 6, numRuns: 40 },
    );
  });

  it('without keys finds none, but refuses what is not a key', () => {
    for (const fingerprintBits of [1, 8, 32]) {
      const filter = BinaryFuseFilter.from([], { fingerprintBits });
      expect(filter.cellCount).toBe(12);
      expect(filter.hasMany(range(0, 10_000))).toEqual(new Uint8Array(10_000));
      expect(range(0, 1000).some((key) => filter.has(key))).toBe(false);
      expect(filter).toMatchObject({ capacity: 0, errorRate: 0 });
      expect([filter.estimateCount(), filter.estimateErrorRate()]).toEqual([0, 0]);
      expect(() => filter.has(null as never)).toThrow(TypeError);
    }
  });

  it('knows its number of keys and its error rate', () => {
    const filter = BinaryFuseFilter.from(['a', 'b', 'a'], { errorRate: 0.02 });
    expect([filter.capacity, filter.estimateCount(), filter.fillRatio()]).toEqual([2, 2, 1]);
    expect([filter.errorRate, filter.estimateErrorRate(), filter.cellBits]).toEqual([2 ** -6, 2 ** -6, 6]);
    expect(BinaryFuseFilter.from(['a']).cellBits).toBe(7);
    expect(BinaryFuseFilter.from(['a'], { errorRate: 2 ** -32 }).cellBits).toBe(32);
    expect(BinaryFuseFilter.from(['a'], { errorRate: 0.999 }).cellBits).toBe(1);
  });

  it('is made only by from, and refuses wrong options', () => {
    const from = (options: unknown) => () => BinaryFuseFilter.from(['a'], options as { errorRate: number });
    expect(from({ errorRate: 2 ** -33 })).toThrow(/^errorRate must be at least 2\^-32, which is 2.33e-10, got/);
    expect(optimalFuseFingerprintBits(2.33e-10)).toBe(32);
    for (const errorRate of [0, 1, -1, Number.NaN]) expect(from({ errorRate })).toThrow(RangeError);
    for (const fingerprintBits of [0, 33, 7.5]) expect(from({ fingerprintBits })).toThrow(RangeError);
    expect(from({ fingerprintBits: '8' })).toThrow(TypeError);
    expect(from({ seed: -1 })).toThrow(/^seed must be/);
    expect(from({ fingerprintBits: 8, errorRate: 0.1 })).toThrow(/errorRate or fingerprintBits, got both/);
    expect(from({ capacity: 10 })).toThrow(/^unknown option capacity/);
    expect(from(null)).toThrow(TypeError);
    const New = BinaryFuseFilter as unknown as new (options?: object) => unknown;
    for (const options of [undefined, { errorRate: 0.1 }]) {
      expect(() => new New(options)).toThrow(
        new TypeError('a BinaryFuseFilter is made of all its keys at once: use BinaryFuseFilter.from(keys, options)'),
      );
    }
    expect('add' in BinaryFuseFilter.prototype).toBe(false);
  });

  it('is printed with what it has', () => {
    const filter = BinaryFuseFilter.from(['a', 'b'], { fingerprintBits: 2 });
    const shown = `capacity: 2, errorRate: 0.25, cellCount: 12, cellBits: 2, seed: 0, engine: 'wasm'`;
    const options = { breakLength: Infinity };
    expect(inspect(filter, options)).toBe(
      `BinaryFuseFilter { ${shown}, 'fillRatio()': 1, 'estimateErrorRate()': 0.25 }`,
    );
    filter.dispose();
    expect(inspect(filter, options)).toBe(`BinaryFuseFilter { ${shown}, disposed: true }`);
  });

  it('takes no more memory while it is built than stated, and gives all but its cells back', () => {
    const { engine, regions } = watched(BinaryFuseFilter.engine);
    class Watched extends BinaryFuseFilter {
      static override readonly engine = engine as typeof BinaryFuseFilter.engine;
    }
    const filter = Watched.from(Uint32Array.from(range(0, 50_000)), { fingerprintBits: 8 });
    const most = Math.max(...regions.map(({ byteLength }) => byteLength));
    expect(most).toBe(14 * filter.cellCount);
    expect(regions.filter(({ disposed }) => !disposed).map(({ byteLength }) => byteLength)).toEqual([
      filter.byteLength,
    ]);
    const failing = function* () {
      yield 'a';
      throw new Error('no more');
    };
    expect(() => Watched.from(failing())).toThrow('no more');
    expect(() => Watched.from(['a', null as never])).toThrow(/^keys\[1\] must be/);
    expect(regions.filter(({ disposed }) => !disposed)).toHaveLength(1);
    filter.dispose();
    expect(() => filter.has('a')).toThrow(/after dispose/);
  });

  it('refuses keys whose filter cannot be built', () => {
    const { engine, regions } = watched(BinaryFuseFilter.engine);
    class Small extends BinaryFuseFilter {
      static override readonly engine = { ...engine, maxBytes: 200_000 } as typeof BinaryFuseFilter.engine;
    }
    expect(() => Small.from(range(0, 20_000))).toThrow(
      /^20000 keys are too many: building their filter takes 341 KB, and at most 200 KB can be had$/,
    );
    // Equal hashes, which `from` would have removed.
    const twice = Uint32Array.of(1, 2, 1, 2);
    expect(() => buildCells(engine as typeof BinaryFuseFilter.engine, twice, 8)).toThrow(/in 64 attempts/);
    expect(regions.every(({ disposed }) => disposed)).toBe(true);
  });

  // Given the cells, absent keys hit independently at exactly this rate: no allowance is needed.
  it.each([
    [1, 10],
    [4, 1000],
    [8, 100_000],
    [12, 1000],
  ])('errs at a rate of 2^-%i with %i keys', (fingerprintBits, count) => {
    const filter = BinaryFuseFilter.from(integersFrom(0, count), { fingerprintBits });
    const trials = Math.min(2_000_000, 2000 * 2 ** fingerprintBits);
    expectRate(lookUpRandom(filter, trials), trials, 2 ** -fingerprintBits, 1);
  });
});

describe('the size of a binary fuse filter', () => {
  it('is that of the specification', () => {
    const counts = [
      ...range(0, 3000),
      ...range(0, 2000).map((i) => 3000 + 71 * i),
      240_533,
      240_534,
      10 ** 6,
      3 * 10 ** 6,
    ];
    for (const count of counts) {
      const { e, segments } = fuseLayoutOf(count);
      expect(fuseLayout(count), `${count} keys`).toEqual({ exponent: e, segments });
    }
    expect(optimalFuseCells(10 ** 8)).toBe((854 + 2) * 131_072);
    expect(optimalFuseCells(0)).toBe(12);
    expect(optimalFuseCells(2 ** 31) / 2 ** 31).toBeLessThan(1.13);
    for (const count of [-1, 2 ** 31 + 1, 0.5]) expect(() => optimalFuseCells(count)).toThrow(/^count must be/);
    expect([0.5, 0.01, 2 ** -8, 2 ** -32].map(optimalFuseFingerprintBits)).toEqual([1, 7, 8, 32]);
  });
});

describe('building a binary fuse filter', () => {
  it('takes at most three attempts for numbers of keys up to 12,000, and most often one', () => {
    const random = randomFrom(1);
    const words = Uint32Array.from({ length: 24_000 + 24_000 }, () => random(2 ** 32));
    const attempts = [0, 0, 0];
    // Each number of a few keys, and then every ninth.
    for (let count = 0; count <= 12_000; count += count < 600 ? 1 : 9) {
      // Other hashes each time: a fixed set, because of random ones of each size, some would take a fourth attempt.
      const some = words.subarray(2 * count, 4 * count);
      const { attempt, region } = buildCells(BinaryFuseFilter.engine, some, 8);
      region.dispose();
      attempts[attempt] = (attempts[attempt] ?? 0) + 1;
    }
    expect(attempts).toHaveLength(3);
    expect(attempts[0]).toBeGreaterThan(0.95 * (600 + 11_400 / 9));
  });

  it('of a million keys takes 9.2 bits for each at an error rate of 1/256', () => {
    const keys = integersFrom(0, 10 ** 6);
    const filter = BinaryFuseFilter.from(keys, { fingerprintBits: 8 });
    expect((8 * filter.byteLength) / keys.length).toBeLessThan(9.2);
    expect(filter.hasMany(keys).every((flag) => flag === 1)).toBe(true);
  });
});
