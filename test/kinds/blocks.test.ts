// Properties of all kinds that have blocks: a key sets one bit in each word of one block.

import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectedWideBlockedErrorRate, optimalWideBlocks } from '../../src/entries/wide.ts';
import { HashedKeys } from '../../src/hash.ts';
import { expectedBlockedErrorRate, optimalBits, optimalBlocks } from '../../src/index.ts';
import { expectRate } from '../shared/binomial.ts';
import { combinableKinds, kindOn, type SizedKind } from '../shared/kinds.ts';
import { open } from '../shared/open.ts';
import { blockedBitsOf, bytesOf, hashOf, wideBitsOf } from '../shared/oracle.ts';

/** What the package and the oracle provide for each of these kinds. */
interface Formulas {
  bitsOf(h1: bigint, h2: bigint, blocks: number, seed: number): number[];
  readonly expectedErrorRate: (count: number, bits: number) => number;
  readonly optimalBlocks: (capacity: number, errorRate: number) => number;
  /** Error rates that the kind refuses. */
  readonly tooRare: readonly number[];
  /** How far the error rate of one filter at 1 % may deviate. */
  readonly deviation: number;
}

const formulas: Readonly<Record<string, Formulas>> = {
  blocked: {
    bitsOf: (h1, _, blocks) => blockedBitsOf(h1, blocks),
    expectedErrorRate: expectedBlockedErrorRate,
    optimalBlocks,
    deviation: 0.001,
    tooRare: [9.99e-6, 1e-9, Number.MIN_VALUE],
  },
  wide: {
    bitsOf: wideBitsOf,
    expectedErrorRate: expectedWideBlockedErrorRate,
    optimalBlocks: optimalWideBlocks,
    deviation: 0.0015,
    tooRare: [9.99e-9, 1e-20, Number.MIN_VALUE],
  },
};

const subjects = combinableKinds
  .filter(({ blockCells }) => blockCells > 1)
  .map((kind) => ({ ...kind, ...(formulas[kind.kind] as Formulas) }));
const words = fc.array(fc.string({ maxLength: 3 }), { maxLength: 30 });
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

it('lists the formulas of all kinds that have blocks', () => {
  expect(new Set(subjects.map(({ kind }) => kind))).toEqual(new Set(Object.keys(formulas)));
});

describe.each(subjects)('blocks: $name', (subject) => {
  const { kind, className, engine, Core, Filter, blockCells, minErrorRate, seedOf } = subject;
  const { bitsOf, bytesOf: expectedBytes, expectedErrorRate, optimalBlocks: blocksFor } = subject;
  const hashes = blockCells / 32;
  const bytesWith = (keys: Iterable<number | string>, blocks: number, seed: number): Uint8Array =>
    expectedBytes(keys, { cells: blockCells * blocks, hashes, seed });

  it('has the parameters that it was made with', () => {
    expect(new Filter({ capacity: 1_000_000, seed: seedOf(3) })).toMatchObject({
      kind,
      engine: engine.name,
      capacity: 1_000_000,
      errorRate: 0.01,
      bits: blockCells * blocksFor(1_000_000, 0.01),
      hashes,
      seed: seedOf(3),
    });
    const bits = 10 * blockCells;
    const given = new Filter({ bits });
    expect(given).toMatchObject({ capacity: 221, bits, hashes, seed: seedOf(0), byteLength: bits / 8 });
    expect(given.errorRate).toBe(expectedErrorRate(221, bits));
  });

  it.each([
    [1, 1],
    [blockCells - 1, 1],
    [blockCells, 1],
    [blockCells + 1, 2],
    [2 ** 24 + 1, 2 ** 24 / blockCells + 1],
  ])('rounds %i bits up to whole blocks: %i', (bits, blocks) => {
    const rounded = blocks * blockCells;
    const filter = new Filter({ bits });
    expect(filter).toMatchObject({ bits: rounded, byteLength: rounded / 8 });
    // The number of blocks counts, not the number of bits that was asked for.
    expect(filter.equals(new Filter({ bits: rounded }))).toBe(true);
  });

  it('sets one bit per key in each word of one block', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 50 }), fc.nat(2 ** 32 - 1), (key, blocks, seed) => {
        const { filter, bytes } = open(Core, engine, { bits: blockCells * blocks, seed: seedOf(seed) });
        expect(filter.add(key)).toBe(true);
        expect(filter.add(key)).toBe(false);
        const body = bytes();
        expect(body).toEqual(bytesWith([key], blocks, seed));
        const touched = numbers(hashes * blocks).filter((word) => body.subarray(4 * word, 4 * word + 4).some(Boolean));
        expect(touched.length).toBe(hashes);
        expect(touched.map((word) => word - (touched[0] ?? 0))).toEqual(numbers(hashes));
        expect((touched[0] ?? 1) % hashes).toBe(0);
        filter.dispose();
      }),
    );
  });

  it('finds exactly those keys whose bits are all set', () => {
    const { filter } = open(Core, engine, { bits: 4 * blockCells });
    const set = new Set<number>();
    let present = 0;
    for (const key of numbers(2000)) {
      const bits = bitsOf(...hashOf(bytesOf(key), seedOf(0)), 4, 0);
      const expected = bits.every((bit) => set.has(bit));
      expect(filter.has(key)).toBe(expected);
      present += Number(expected);
      if (key % 6 !== 0) continue;
      expect(filter.add(key)).toBe(!expected);
      for (const bit of bits) set.add(bit);
    }
    // Both answers must occur in the test.
    expect(present).toBeGreaterThan(20);
    expect(present).toBeLessThan(1500);
  });

  it('sets the bits of the specification where the seed is the length of the keys, one by one and in batches', () => {
    for (const seed of [1, 4, 7, 8]) {
      const strings = numbers(200).map((i) => String.fromCharCode(48 + (i % 71)).repeat(seed - 1) + (i % 10));
      for (const keys of [strings, numbers(200)]) {
        const one = open(Core, engine, { bits: 20 * blockCells, seed: seedOf(seed) });
        const batch = open(Core, engine, { bits: 20 * blockCells, seed: seedOf(seed) });
        for (const key of keys) one.filter.add(key);
        batch.filter.addMany(keys);
        expect(one.bytes()).toEqual(bytesWith(keys, 20, seed));
        expect(batch.bytes()).toEqual(one.bytes());
        expect(one.filter.omit(keys)).toEqual([]);
        expect(keys.every((key) => one.filter.has(key))).toBe(true);
      }
    }
  });

  const integers = (from: number, count: number): Uint32Array =>
    Uint32Array.from({ length: count }, (_, i) => from + i);
  const strings = (from: number, count: number): string[] =>
    Array.from({ length: count }, (_, i) => (36 ** 3 + from + i).toString(36));

  it.each([
    ['integers', 8, integers],
    ['strings of 4 bytes', 4, strings],
  ])('keeps its error rate where the seed is the length of the keys: %s, seed %i', (_, seed, keysOf) => {
    const filter = new Filter({ capacity: 20_000, errorRate: 0.0001, seed: seedOf(seed) }).addMany(
      keysOf(0, 20_000) as string[],
    );
    const trials = 1_600_000;
    const hits = filter.pick(keysOf(20_000, trials) as string[]).length;
    const rate = filter.estimateErrorRate();
    expect(rate).toBeLessThan(1.1 * 0.0001);
    expectRate(hits, trials, rate, 1);
  });

  it('gives a union with the same bytes as a filter of all keys', () => {
    fc.assert(
      fc.property(words, words, (left, right) => {
        const a = open(Core, engine, { bits: 2 * blockCells });
        const b = open(Core, engine, { bits: 2 * blockCells });
        b.filter.addMany(right);
        a.filter.addMany(left).merge(b.filter);
        expect(a.bytes()).toEqual(bytesWith([...left, ...right], 2, 0));
        expect(b.bytes()).toEqual(bytesWith(right, 2, 0));
      }),
    );
  });

  it('can be combined with itself', () => {
    const a = new Filter({ bits: 2 * blockCells }).addMany(['a', 'b']);
    const before = a.clone();
    expect(a.merge(a).union(a).intersection(a).equals(before)).toBe(true);
  });

  it('names the difference if filters cannot be combined', () => {
    const bits = 2 * blockCells;
    const seeds = { seed: seedOf(5) };
    const a = new Filter({ bits, ...seeds });
    const { Filter: Seeded } = kindOn(kind, engine.name);
    for (const verb of ['union', 'intersection', 'merge'] as const) {
      expect(() => a[verb](new Filter({ bits: bits + blockCells, ...seeds }))).toThrow(
        `other must have ${bits} bits, got ${bits + blockCells} bits`,
      );
      expect(() => a[verb](new Seeded({ bits }))).toThrow(
        /^seed of other must be (5|a secret \([0-9a-f]{8}\)), got 0$/,
      );
    }
    const Classic = kindOn('classic', engine.name).Filter;
    const classic = new Classic({ bits, hashes, seed: 5 });
    expect(() => a.union(classic)).toThrow(new RegExp(`^other must be a ${className}, got `));
    expect(() => classic.union(a)).toThrow(/^other must be a BloomFilter, got /);
  });

  it('estimates how many keys it holds, and its error rate', () => {
    const filter = new Filter({ capacity: 20_000 }).addMany(numbers(20_000));
    expect(Math.abs(filter.estimateErrorRate() - 0.01)).toBeLessThan(subject.deviation);
    const hits = filter.hasMany(numbers(200_000).map((i) => i + 20_000)).reduce((sum, flag) => sum + flag, 0);
    // 6 standard deviations.
    const expected = filter.estimateErrorRate() * 200_000;
    expect(Math.abs(hits - expected)).toBeLessThan(6 * Math.sqrt(expected));
    expect(Math.abs(filter.estimateCount() - 20_000)).toBeLessThan(600);
    const full = new Filter({ bits: blockCells }).addMany(numbers(2000));
    expect(full.fillRatio()).toBe(1);
    expect(full.estimateCount()).toBe(Number.POSITIVE_INFINITY);
    expect(full.estimateErrorRate()).toBe(1);
  });

  it('refuses error rates that are too low, and names both sizes and the kind to use instead', () => {
    expect(new Filter({ capacity: 1000, errorRate: minErrorRate }).errorRate).toBe(minErrorRate);
    for (const errorRate of subject.tooRare) {
      const make = (): unknown => new Filter({ capacity: 1000, errorRate });
      expect(make).toThrow(RangeError);
      expect(make).toThrow(
        `errorRate must be at least ${minErrorRate} in blocks, got ${errorRate}, for which they take `,
      );
      const hint = kind === 'blocked' ? '; WideBlockedBloomFilter of bloomery/wide goes down to 1e-8' : '';
      expect(make).toThrow(new RegExp(`they take \\d+ bits or more, and a BloomFilter \\d+${hint}$`));
      expect(make).toThrow(`a BloomFilter ${optimalBits(1000, errorRate)}`);
    }
  });

  it('refuses a capacity together with a size, and sizes out of range', () => {
    expect(() => new Filter({ capacity: 1, bits: blockCells })).toThrow(TypeError);
    expect(() => new Filter({ capacity: 1, bits: blockCells })).toThrow('got both');
    const most = blockCells * (2 ** 32 - 1);
    for (const bits of [0, -1, 1.5, most + 1, Number.NaN]) {
      expect(() => new Filter({ bits })).toThrow(RangeError);
      expect(() => new Filter({ bits })).toThrow(`bits must be an integer from 1 to ${most}, got `);
    }
    expect(() => new Filter({ bits: most })).toThrow(/is too large/);
    expect(() => new Filter({ bits: '256' })).toThrow(TypeError);
  });

  it('prints its parameters', () => {
    const filter = new Filter({ bits: 10 * blockCells }).addMany([]);
    const { errorRate } = filter;
    expect(inspect(filter, { breakLength: Infinity })).toBe(
      `${className} { capacity: 221, 'errorRate at capacity': ${errorRate}, bits: ${10 * blockCells}, seed: ${seedOf(0)}, engine: '${engine.name}', 'fillRatio()': 0, 'estimateErrorRate()': 0 }`,
    );
    filter.dispose();
    expect(inspect(filter)).toContain('disposed: true');
  });
});

/** A seed, a hash, its block of 1000, and the bit in each word of it: computed apart, by the specification. */
const hashed = [
  // The integer 7, and "abcd".
  [8, 0x587362219a67c0a2n, 0x84ad1332679ba0f3n, 345, [24, 10, 4, 3, 15, 25, 0, 0, 7, 7, 23, 12, 13, 21, 29, 27]],
  [4, 0xfdee624858736452n, 0x7ce5936c84ad167bn, 991, [4, 24, 2, 28, 22, 16, 25, 14, 4, 7, 31, 8, 27, 1, 17, 10]],
  // The integer 7 at a seed that is not its length.
  [7, 0x1f6ef1ccf46341ean, 0x7608069401820245n, 122, [17, 10, 16, 18, 23, 11, 12, 23, 3, 20, 11, 16, 24, 7, 9, 16]],
  // 2 x and 3 x, the same with another highest bit, with only the low halves of both, and at other seeds.
  [1, 0x2468acf121579bden, 0xb69d0369b20369cdn, 142, [28, 4, 29, 1, 5, 3, 21, 6, 9, 18, 24, 25, 4, 7, 5, 6]],
  [8, 0x2468acf121579bden, 0x369d0369b20369cdn, 142, [28, 4, 29, 1, 5, 3, 21, 6, 25, 2, 8, 9, 20, 23, 21, 22]],
  [8, 0x2468acf121579bden, 0xb69d0469b20369cdn, 142, [28, 4, 29, 1, 5, 3, 21, 6, 27, 22, 11, 2, 24, 21, 0, 10]],
  [0, 0x2468acf121579bden, 0xb69d0369b20369cdn, 142, [28, 4, 29, 1, 5, 3, 21, 6, 27, 22, 11, 2, 24, 21, 0, 10]],
  [9, 0x2468acf121579bden, 0xb69d0369b20369cdn, 142, [28, 4, 29, 1, 5, 3, 21, 6, 27, 22, 11, 2, 24, 21, 0, 10]],
] as const;

it.each(subjects.filter(({ kind, isKeyed }) => kind === 'wide' && !isKeyed))(
  'a hash sets the bits of its vector: $name',
  (subject) => {
    for (const [seed, h1, h2, block, bits] of hashed) {
      const set = bits.map((bit, word) => 512 * block + 32 * word + bit);
      expect(wideBitsOf(h1, h2, 1000, seed)).toEqual(set);
      const { filter, bytes } = open(subject.Core, subject.engine, { bits: 512 * 1000, seed });
      const hash = new Uint8Array(BigUint64Array.of(h1, h2).buffer);
      filter.addMany(new HashedKeys(hash, seed));
      const body = bytes();
      expect(numbers(8 * body.length).filter((bit) => ((body[bit >> 3] ?? 0) >> (bit & 7)) & 1)).toEqual(set);
      expect(hash).toEqual(new Uint8Array(BigUint64Array.of(h1, h2).buffer));
    }
  },
);

const onBoth = subjects
  .filter(({ engine }) => engine.name === 'wasm')
  .map((wasm) => ({
    ...wasm,
    onJs: subjects.find(
      ({ kind, engine, isKeyed }) => kind === wasm.kind && engine.name === 'js' && isKeyed === wasm.isKeyed,
    ) as SizedKind,
  }));

describe.each(onBoth)('filters of both engines: $name', ({ Filter, onJs }) => {
  it.each([1024, 2 ** 24])('can be combined, small or large: %i bits', (bits) => {
    const a = new Filter({ bits }).addMany(numbers(30));
    const b = new onJs.Filter({ bits }).addMany(numbers(50).slice(20));
    const all = new onJs.Filter({ bits }).addMany(numbers(50));
    expect(a.union(b).equals(all)).toBe(true);
    expect(b.union(a).equals(all)).toBe(true);
    expect(a.intersection(b).equals(b.intersection(a))).toBe(true);
    expect(a.equals(b)).toBe(false);
  });
});
