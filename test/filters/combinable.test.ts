// Kinds whose filters can be combined cell by cell, and those of them that have blocks: a key sets one bit in each word of
// one block.

import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { CuckooFilter } from '../../src/entries/cuckoo.ts';
import { HashedKeys } from '../../src/entries/hash.ts';
import { BloomFilter, type Estimate } from '../../src/index.ts';
import { bodyOf } from '../format/saved.ts';
import { integersFrom, range } from '../shared/integers.ts';
import { type AnyFilter, combinableKinds, kindOn, type Shape, type SizedKind } from '../shared/kinds.ts';
import { wideBitsOf } from '../shared/oracle.ts';

const words = fc.array(fc.string({ maxLength: 3 }), { maxLength: 30 });
const verbs = ['union', 'intersection', 'merge', 'estimateUnion', 'estimateIntersection'] as const;

/** The shape of a filter, whichever way it was made. */
const shapeOf = ({ cellCount: cells, hashes, seed }: AnyFilter): Shape => ({ cells, hashes, seed });

/** Two filters with `one` and `other` keys of their own, and `both` in common. */
function pairOf(kind: SizedKind, options: object, one: number, other: number, both: number, twin = kind) {
  const make = ({ Filter }: SizedKind, keys: Uint32Array): AnyFilter =>
    new Filter(options).addMany(keys).addMany(integersFrom(2 ** 30, both));
  return [make(kind, integersFrom(0, one)), make(twin, integersFrom(2 ** 20, other))] as const;
}

describe.each(combinableKinds)('every kind that can be combined: $kind', (row) => {
  const { Filter, className, kind, sized, optionsOf } = row;
  // Small enough for false positives in many runs.
  const shape = { cells: 512, hashes: 3, seed: 5 };

  it('gives a union that equals the filter of all keys, and an intersection with every key that is in both', () => {
    const property = fc.property(words, words, words, (left, right, both) => {
      const [a, b] = [sized(shape).addMany([...left, ...both]), sized(shape).addMany([...right, ...both])];
      const [before, otherBefore] = [a.toBytes(), b.toBytes()];
      const common = a.intersection(b);
      expect(common.omit(both)).toEqual([]);
      expect(common.fillRatio()).toBeLessThanOrEqual(Math.min(a.fillRatio(), b.fillRatio()));
      expect(common.pick([...left, ...right]).filter((key) => !a.has(key) || !b.has(key))).toEqual([]);
      expect(a.intersection(a).equals(a)).toBe(true);
      const all = sized(shape).addMany([...left, ...both, ...right, ...both]);
      expect([a.union(b).equals(all), b.union(a).equals(all)]).toEqual([true, true]);
      expect([a.toBytes(), b.toBytes()]).toEqual([before, otherBefore]);
      expect(a.merge(b)).toBe(a);
      expect(a.equals(all)).toBe(true);
      expect(b.toBytes()).toEqual(otherBefore);
    });
    fc.assert(property);
  });

  it('combines filters on either engine, small ones and large ones, which have memories of their own', () => {
    for (const cells of [2 ** 24 + 123, 1000]) {
      const size = { cells, hashes: 4 };
      const [a, all] = [sized(size).addMany(range(0, 300)), sized(size).addMany(range(0, 300))];
      all.addMany(range(200, 500));
      for (const twin of [row, kindOn(kind, 'js')]) {
        const b = twin.sized(size).addMany(range(200, 500));
        expect([a.union(b).equals(all), b.union(a).equals(all)]).toEqual([true, true]);
        expect([a.union(b).engine, b.union(a).engine]).toEqual(['wasm', twin.engine.name]);
        expect(a.intersection(b).equals(b.intersection(a))).toBe(true);
        expect(a.equals(b)).toBe(false);
      }
    }
  });

  it('estimates how many keys it holds, and its error rate', () => {
    const filter = new Filter({ capacity: 10_000 }).addMany(range(0, 10_000));
    // The standard deviation of the estimate is about 0.3 %, in blocks 0.6 %.
    expect(Math.abs(filter.estimateCount() - 10_000)).toBeLessThan(350);
    expect(Math.abs(filter.estimateErrorRate() - 0.01)).toBeLessThan(0.0015);
    const full = sized({ cells: 9, hashes: 3 }).addMany(range(0, 2000));
    expect([full.fillRatio(), full.estimateCount(), full.estimateErrorRate()]).toEqual([1, Infinity, 1]);
  });

  it('keeps its capacity and error rate if combined, and ignores them in equals', () => {
    const promise = { capacity: 1000, errorRate: 0.02 };
    const promised = Filter.from(['a'], { ...promise, seed: 5 });
    // Has the same cells, but another capacity.
    const given = sized(shapeOf(promised)).addMany(['a']);
    const { capacity, errorRate } = given;
    expect([capacity === 1000, promised.equals(given)]).toEqual([false, true]);
    for (const each of [promised.union(given), promised.intersection(given), promised.clone()]) {
      expect(each).toMatchObject(promise);
    }
    expect(given.union(promised)).toMatchObject({ capacity, errorRate });
  });

  it('names the difference between filters that cannot be combined, and changes nothing', () => {
    const made = new Filter({ capacity: 10_000, errorRate: 0.01 }).addMany(['a']);
    const before = made.clone();
    const expectRefused = (one: AnyFilter, other: unknown, error: Error): void => {
      const clone = vi.spyOn(one, 'clone');
      for (const verb of verbs) expect(() => one[verb](other as AnyFilter)).toThrow(error);
      expect(clone).not.toHaveBeenCalled();
    };
    const { cellName } = made;
    const wanted = `${made.cellCount} ${cellName} for capacity 10000 at 0.01`;
    for (const options of [{ capacity: 20_000 }, { capacity: 10_000, errorRate: 0.001 }]) {
      const other = new Filter(options);
      const bySize = sized(shapeOf(other));
      const size = `${other.cellCount} ${cellName}`;
      const promise = `${size} for capacity ${other.capacity} at ${other.errorRate}`;
      expectRefused(made, other, new RangeError(`other must have ${wanted}, got ${promise}`));
      expectRefused(made, bySize, new RangeError(`other must have ${wanted}, got ${size}`));
      expectRefused(bySize, made, new RangeError(`other must have ${size}, got ${wanted}`));
    }
    const seeded = new Filter({ capacity: 10_000, errorRate: 0.01, seed: 7 });
    expectRefused(made, seeded, new RangeError('seed of other must be 0, got 7'));
    const [few, more] = [sized({ cells: 512, hashes: 3 }), sized({ cells: 512, hashes: 4 })];
    if (few.hashes === 3) expectRefused(few, more, new RangeError('hashes of other must be 3, got 4'));
    for (const [other, shown] of [
      ...combinableKinds
        .filter((each) => each.kind !== kind)
        .map((each) => [new each.Filter({ capacity: 10 }), each.className] as const),
      [new CuckooFilter({ capacity: 10 }), 'CuckooFilter'] as const,
    ]) {
      expectRefused(made, other, new TypeError(`other must be a ${className}, got a ${shown}`));
    }
    expectRefused(made, undefined, new TypeError(`other must be a ${className}, got undefined`));
    expect(made.equals(before)).toBe(true);
  });

  it('throws on every use once one of two is disposed of, small or large', () => {
    for (const cells of [256, 2 ** 24]) {
      const [gone, other] = [sized({ cells, hashes: 3 }).addMany(['a']), sized({ cells, hashes: 3 })] as const;
      gone.dispose();
      for (const verb of [...verbs, 'equals'] as const) {
        expect(() => gone[verb](other)).toThrow(/after dispose\(\)/);
        expect(() => other[verb](gone)).toThrow(/after dispose\(\)/);
      }
      expect([other.fillRatio(), gone.cellCount]).toEqual([0, other.cellCount]);
    }
  });

  it.each([
    ['a few cells', { cells: 83, hashes: 3 }, 4, 3, 2],
    ['several parts, of which the last is short', { cells: 3_000_001, hashes: 5 }, 4000, 7000, 2000],
  ])('estimates what two filters have in common as they count, on either engine: %s', (_, size, one, other, both) => {
    for (const twin of [row, kindOn(kind, 'js')]) {
      const [a, b] = pairOf(row, optionsOf(size), one, other, both, twin);
      const before = [a.toBytes(), b.toBytes()];
      const union = a.union(b).estimateCount();
      const sum = a.estimateCount() + b.estimateCount();
      expect(a.estimateUnion(b).count).toBeCloseTo(union, 3);
      expect(a.estimateIntersection(b).count).toBeCloseTo(Math.max(0, sum - union), 3);
      expect(b.estimateIntersection(a)).toEqual(a.estimateIntersection(b));
      expect(b.estimateUnion(a)).toEqual(a.estimateUnion(b));
      expect([a.toBytes(), b.toBytes()]).toEqual(before);
    }
  });

  it('estimates that it has all of a part in common, and nothing where every cell is in use', () => {
    const [part, whole] = pairOf(row, { capacity: 3000 }, 0, 1000, 1000);
    expect(part.estimateIntersection(whole).count).toBeCloseTo(part.estimateCount(), 3);
    expect(part.estimateUnion(whole).count).toBeCloseTo(whole.estimateCount(), 3);
    expect(part.estimateIntersection(part)).toEqual(part.estimateUnion(part));
    const empty = new Filter({ capacity: 3000 });
    expect(empty.estimateIntersection(whole)).toEqual({ count: 0, standardError: 0 });
    expect(empty.estimateUnion(empty)).toEqual({ count: 0, standardError: 0 });
    expect(empty.estimateUnion(whole)).toEqual(whole.estimateUnion(whole));
    const [full, other] = pairOf(row, optionsOf({ cells: 83, hashes: 3 }), 20_000, 2, 1);
    expect(full.fillRatio()).toBe(1);
    expect(full.estimateUnion(other)).toEqual({ count: Infinity, standardError: Infinity });
    expect(full.estimateIntersection(other)).toEqual({ count: NaN, standardError: Infinity });
    expect(full.estimateIntersection(full)).toEqual({ count: NaN, standardError: Infinity });
    // Two that are full only together.
    const halves = [0, 1].map(() => sized({ cells: 83, hashes: 3 })) as [AnyFilter, AnyFilter];
    for (let i = 0; halves[0].union(halves[1]).fillRatio() < 1; i++) halves[i % 2]?.add(i);
    expect(halves.map((half) => half.fillRatio() < 1)).toEqual([true, true]);
    expect(halves[0].estimateIntersection(halves[1])).toEqual({ count: NaN, standardError: Infinity });
  });
});

const inBlocks = combinableKinds.filter(({ blockCells }) => blockCells > 1);
describe.each(inBlocks)('blocks: $kind', (subject) => {
  const { Filter, blockCells, bytesOf } = subject;
  const hashes = blockCells / 32;

  const sizes = [1, blockCells - 1, blockCells, blockCells + 1, 2 ** 24 + 1];
  it.each(sizes)('rounds %i bits up to whole blocks', (bits) => {
    const rounded = Math.ceil(bits / blockCells) * blockCells;
    const filter = new Filter({ bits });
    expect(filter).toMatchObject({ bits: rounded, byteLength: rounded / 8 });
    // The number of blocks counts, not the number of bits that was asked for.
    expect(filter.equals(new Filter({ bits: rounded }))).toBe(true);
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

it.each(inBlocks)('the standard error in blocks is that of the exact distribution of bits: $kind', (kind) => {
  const { Filter, blockCells } = kind;
  const [blocks, keys, words, bits] = [4000, 20_000, blockCells / 32, 32];
  // Each key is in one of the blocks: the mean of (1 − share)^j over the number j of keys in a block.
  const mean = (share: number): number => (1 - share / blocks) ** keys;
  const [free, bothFree, square] = [mean(1 / bits), mean(2 / bits), mean(1 - (1 - 1 / bits) ** 2)];
  const inWord = bits * free + bits * (bits - 1) * bothFree - bits ** 2 * square;
  const ofWords = square - free ** 2 + (blocks - 1) * (bothFree - free ** 2);
  const variance = blocks * (words * inWord + (words * bits) ** 2 * ofWords);
  const filter = new Filter({ bits: blocks * blockCells }).addMany(integersFrom(0, keys));
  const { standardError } = filter.estimateUnion(filter);
  // With one word more or less, it would be 0.9 % higher or lower.
  expect(Math.abs((standardError * words * free) / Math.sqrt(variance) - 1)).toBeLessThan(0.004);
});

// A counter is in use where a bit would be set.
const sampled = combinableKinds.filter(({ kind }) => kind !== 'counting');

describe.each(sampled)('the standard errors of estimates: $kind', (kind) => {
  const RUNS = 500;

  it.each([
    ['no keys in common', 500, 500, 0],
    ['twice what they are made for', 1000, 900, 100],
    ['one much smaller', 20, 1000, 5],
  ])('are those of many filters, which are right on average: %s', (_, one, other, both) => {
    const errors = { union: [] as number[], intersection: [] as number[] };
    const add = (name: keyof typeof errors, { count, standardError }: Estimate, truth: number): void => {
      errors[name].push((count - truth) / standardError);
    };
    for (let seed = 0; seed < RUNS; seed++) {
      const [a, b] = pairOf(kind, { capacity: 600, errorRate: 0.003, seed }, one, other, both);
      const union = a.estimateUnion(b);
      add('union', union, one + other + both);
      // Not clipped at 0, as `estimateIntersection` is: then the mean would be too high where nothing is in common.
      const count = a.estimateCount() + b.estimateCount() - union.count;
      const estimate = a.estimateIntersection(b);
      expect(estimate.count).toBeCloseTo(Math.max(0, count), 3);
      add('intersection', { ...estimate, count }, both);
      a.dispose();
      b.dispose();
    }
    for (const each of Object.values(errors)) {
      const mean = each.reduce((sum, z) => sum + z, 0) / RUNS;
      const square = each.reduce((sum, z) => sum + z ** 2, 0) / RUNS;
      // The mean of RUNS errors varies by 1/√RUNS, that of their squares by √(2 / RUNS): five times as much, in less
      // than one of a million cases. The logarithm's curvature adds ½ k/m standard errors to the mean, less than 0.02.
      expect(Math.abs(mean)).toBeLessThan(5 / Math.sqrt(RUNS) + 0.02);
      expect(Math.abs(square - 1)).toBeLessThan(5 * Math.sqrt(2 / RUNS));
    }
  });
});

it('filters of a subclass can be combined, whatever its constructor and getters do', () => {
  class Seen extends BloomFilter {
    static size = 1000;
    constructor() {
      super({ capacity: Seen.size });
    }
    override get bits(): number {
      return 64;
    }
  }
  const a = new Seen();
  const b = new Seen();
  a.add('x');
  b.add('y');
  Seen.size = 5000;
  const both = a.union(b);
  expect(both).toBeInstanceOf(Seen);
  expect(both.hasMany(['x', 'y', 'z'])).toEqual(new Uint8Array([1, 1, 0]));
  expect(both.byteLength).toBe(a.byteLength);
  const message = 'other must have 9586 bits for capacity 1000 at 0.01, got 47926 bits for capacity 5000 at 0.01';
  expect(() => a.merge(new Seen())).toThrow(message);
  expect(a.equals(new Seen())).toBe(false);
});

it('a filter of another copy of the package is told', async () => {
  vi.resetModules();
  const another = await import('../../src/index.ts');
  const filter = new BloomFilter({ capacity: 10 });
  const copy = new another.BloomFilter({ capacity: 10 });
  expect(copy).not.toBeInstanceOf(BloomFilter);
  const message = 'other must be a BloomFilter, got an object (BloomFilter) that is not from this copy of bloomery';
  expect(() => filter.union(copy)).toThrow(new TypeError(message));
});
