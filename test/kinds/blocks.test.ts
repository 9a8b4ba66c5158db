// Properties of all kinds that have blocks: a key sets one bit in each word of one block.

import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectedWideBlockedErrorRate, optimalWideBlocks } from '../../src/entries/wide.ts';
import { HashedKeys } from '../../src/hash.ts';
import { expectedBlockedErrorRate, optimalBits, optimalBlocks } from '../../src/index.ts';
import { HEADER } from '../format/saved.ts';
import { expectRate } from '../shared/binomial.ts';
import { integersFrom, range } from '../shared/integers.ts';
import { type AnyFilter, combinableKinds, kindOn } from '../shared/kinds.ts';
import { wideBitsOf } from '../shared/oracle.ts';

/** What the package provides for each of these kinds. */
interface Formulas {
  readonly expectedErrorRate: (count: number, bits: number) => number;
  readonly optimalBlocks: (capacity: number, errorRate: number) => number;
  /** Error rates that the kind refuses. */
  readonly tooRare: readonly number[];
}

const formulas: Readonly<Record<string, Formulas>> = {
  blocked: {
    expectedErrorRate: expectedBlockedErrorRate,
    optimalBlocks,
    tooRare: [9.99e-6, 1e-9, Number.MIN_VALUE],
  },
  wide: {
    expectedErrorRate: expectedWideBlockedErrorRate,
    optimalBlocks: optimalWideBlocks,
    tooRare: [9.99e-9, 1e-20, Number.MIN_VALUE],
  },
};

const subjects = combinableKinds
  .filter(({ blockCells }) => blockCells > 1)
  .map((kind) => ({ ...kind, ...(formulas[kind.kind] as Formulas) }));
const bodyOf = (filter: AnyFilter): Uint8Array => filter.toBytes().subarray(HEADER);

it('lists the formulas of all kinds that have blocks', () => {
  expect(new Set(subjects.map(({ kind }) => kind))).toEqual(new Set(Object.keys(formulas)));
});

describe.each(subjects)('blocks: $kind', (subject) => {
  const { kind, className, Filter, blockCells, minErrorRate, tooRare } = subject;
  const { bytesOf, expectedErrorRate, optimalBlocks: blocksFor } = subject;
  const hashes = blockCells / 32;

  it('has the parameters that it was made with, and prints them', () => {
    expect(new Filter({ capacity: 1_000_000, seed: 3 })).toMatchObject({
      kind,
      engine: 'wasm',
      capacity: 1_000_000,
      errorRate: 0.01,
      bits: blockCells * blocksFor(1_000_000, 0.01),
      hashes,
      seed: 3,
    });
    const bits = 10 * blockCells;
    const given = new Filter({ bits });
    expect(given).toMatchObject({ capacity: 221, bits, hashes, seed: 0, byteLength: bits / 8 });
    expect(given.errorRate).toBe(expectedErrorRate(221, bits));
    expect(inspect(given, { breakLength: Infinity })).toBe(
      `${className} { capacity: 221, errorRate: ${given.errorRate}, bits: ${bits}, seed: 0, engine: 'wasm', 'fillRatio()': 0, 'estimateErrorRate()': 0 }`,
    );
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
        using filter = new Filter({ bits: blockCells * blocks, seed });
        expect([filter.add(key), filter.add(key)]).toEqual([true, false]);
        const body = bodyOf(filter);
        expect(body).toEqual(bytesOf([key], { cells: blockCells * blocks, hashes, seed }));
        const touched = range(0, hashes * blocks).filter((word) => body.subarray(4 * word, 4 * word + 4).some(Boolean));
        const [first = 1] = touched;
        expect(touched).toEqual(range(first, first + hashes));
        expect(first % hashes).toBe(0);
      }),
    );
  });

  it('sets the bits of the specification where the seed is the length of the keys, one by one and in batches', () => {
    for (const seed of [1, 4, 7, 8]) {
      const strings = range(0, 200).map((i) => String.fromCharCode(48 + (i % 71)).repeat(seed - 1) + (i % 10));
      for (const keys of [strings, range(0, 200)]) {
        const shape = { cells: 20 * blockCells, hashes, seed };
        const one = subject.sized(shape);
        for (const key of keys) one.add(key);
        expect(bodyOf(one)).toEqual(bytesOf(keys, shape));
        expect(bodyOf(subject.sized(shape).addMany(keys))).toEqual(bodyOf(one));
        expect([one.omit(keys), keys.every((key) => one.has(key))]).toEqual([[], true]);
      }
    }
  });

  it('keeps its error rate where the seed is the length of the keys', () => {
    const filter = new Filter({ capacity: 20_000, errorRate: 0.0001, seed: 8 }).addMany(integersFrom(0, 20_000));
    const hits = filter.pick(integersFrom(20_000, 1_600_000)).length;
    expect(filter.estimateErrorRate()).toBeLessThan(1.1 * 0.0001);
    expectRate(hits, 1_600_000, filter.estimateErrorRate(), 1);
  });

  it('refuses error rates that are too low, and names both sizes and the kind to use instead', () => {
    expect(new Filter({ capacity: 1000, errorRate: minErrorRate }).errorRate).toBe(minErrorRate);
    for (const errorRate of tooRare) {
      const make = (): unknown => new Filter({ capacity: 1000, errorRate });
      const hint = kind === 'blocked' ? '; WideBlockedBloomFilter of bloomery/wide goes down to 1e-8' : '';
      expect(make).toThrow(RangeError);
      expect(make).toThrow(
        `errorRate must be at least ${minErrorRate} in blocks, got ${errorRate}, for which they take `,
      );
      expect(make).toThrow(new RegExp(`they take \\d+ bits or more, and a BloomFilter \\d+${hint}$`));
      expect(make).toThrow(`a BloomFilter ${optimalBits(1000, errorRate)}`);
    }
  });

  it('refuses a capacity together with a size, and sizes out of range', () => {
    expect(() => new Filter({ capacity: 1, bits: blockCells })).toThrow(TypeError);
    expect(() => new Filter({ capacity: 1, bits: blockCells })).toThrow('got both');
    const most = blockCells * (2 ** 32 - 1);
    for (const bits of [0, -1, 1.5, most + 1, Number.NaN]) {
      expect(() => new Filter({ bits })).toThrow(
        new RangeError(`bits must be an integer from 1 to ${most}, got ${bits}`),
      );
    }
    expect(() => new Filter({ bits: most })).toThrow(/is too large/);
    expect(() => new Filter({ bits: '256' })).toThrow(TypeError);
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

it.each([kindOn('wide', 'wasm'), kindOn('wide', 'js')])('a hash sets the bits of its vector: $name', ({ Filter }) => {
  for (const [seed, h1, h2, block, bits] of hashed) {
    const set = bits.map((bit, word) => 512 * block + 32 * word + bit);
    expect(wideBitsOf(h1, h2, 1000, seed)).toEqual(set);
    const hash = new Uint8Array(BigUint64Array.of(h1, h2).buffer);
    const body = bodyOf(new Filter({ bits: 512 * 1000, seed }).addMany(new HashedKeys(hash, seed)));
    expect(range(0, 8 * body.length).filter((bit) => ((body[bit >> 3] ?? 0) >> (bit & 7)) & 1)).toEqual(set);
    expect(hash).toEqual(new Uint8Array(BigUint64Array.of(h1, h2).buffer));
  }
});
