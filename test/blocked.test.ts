import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as wasmEntry from '../src/index.ts';
import * as jsEntry from '../src/js.ts';
import { entries, open, rowOf } from './kinds.ts';
import { blockedBitsOf, blockedBytes, bytesOf, murmur3 } from './oracle.ts';

const { Core } = rowOf('blocked');
const words = fc.array(fc.string({ maxLength: 3 }), { maxLength: 30 });
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

describe.each(entries)('BlockedBloomFilter: $name', ({ name, engine, api: { BloomFilter, BlockedBloomFilter } }) => {
  it('tells what it was made of', () => {
    expect(new BlockedBloomFilter({ capacity: 1_000_000, seed: 3 })).toMatchObject({
      kind: 'blocked',
      engine: name,
      capacity: 1_000_000,
      errorRate: 0.01,
      bits: 256 * wasmEntry.optimalBlocks(1_000_000, 0.01),
      hashes: 8,
      seed: 3,
    });
    const given = new BlockedBloomFilter({ bits: 2560 });
    expect(given).toMatchObject({ capacity: 221, bits: 2560, hashes: 8, seed: 0, byteLength: 320 });
    expect(given.errorRate).toBe(wasmEntry.expectedBlockedErrorRate(221, 2560));
  });

  it.each([
    [1, 256],
    [255, 256],
    [256, 256],
    [257, 512],
    [2 ** 24 + 1, 2 ** 24 + 256],
  ])('rounds %i bits up to whole blocks: %i', (bits, rounded) => {
    const filter = new BlockedBloomFilter({ bits });
    expect(filter).toMatchObject({ bits: rounded, byteLength: rounded / 8 });
    // The number of blocks decides, not the number of bits that was asked for.
    expect(filter.equals(new BlockedBloomFilter({ bits: rounded }))).toBe(true);
  });

  it('gives a key one bit in each word of one block', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 50 }), fc.nat(2 ** 32 - 1), (key, blocks, seed) => {
        const { filter, bytes } = open(Core, engine, { bits: 256 * blocks, seed });
        expect(filter.add(key)).toBe(true);
        expect(filter.add(key)).toBe(false);
        expect(bytes()).toEqual(blockedBytes([key], blocks, seed));
        const touched = numbers(8 * blocks).filter((word) =>
          bytes()
            .subarray(4 * word, 4 * word + 4)
            .some(Boolean),
        );
        expect(touched.length).toBe(8);
        expect(touched.map((word) => word - (touched[0] ?? 0))).toEqual(numbers(8));
        filter.dispose();
      }),
    );
  });

  it('says maybe of just those keys whose eight bits are set', () => {
    const { filter } = open(Core, engine, { bits: 1024 });
    const set = new Set<number>();
    let present = 0;
    for (const key of numbers(2000)) {
      const bits = blockedBitsOf(murmur3(bytesOf(key), 0)[0], 4);
      const expected = bits.every((bit) => set.has(bit));
      expect(filter.has(key)).toBe(expected);
      present += Number(expected);
      if (key % 6 !== 0) continue;
      expect(filter.add(key)).toBe(!expected);
      for (const bit of bits) set.add(bit);
    }
    // Neither answer may be missing from the test.
    expect(present).toBeGreaterThan(20);
    expect(present).toBeLessThan(1500);
  });

  it('unites: the bytes of the union are those of a filter of all keys', () => {
    fc.assert(
      fc.property(words, words, (left, right) => {
        const a = open(Core, engine, { bits: 512 });
        const b = open(Core, engine, { bits: 512 });
        b.filter.addMany(right);
        a.filter.addMany(left).merge(b.filter);
        expect(a.bytes()).toEqual(blockedBytes([...left, ...right], 2, 0));
        expect(b.bytes()).toEqual(blockedBytes(right, 2, 0));
      }),
    );
  });

  it('combines with itself', () => {
    const a = new BlockedBloomFilter({ bits: 512 }).addMany(['a', 'b']);
    const before = a.clone();
    expect(a.merge(a).union(a).intersection(a).equals(before)).toBe(true);
  });

  it('names what differs when it cannot combine', () => {
    const a = new BlockedBloomFilter({ bits: 512, seed: 5 });
    for (const verb of ['union', 'intersection', 'merge'] as const) {
      expect(() => a[verb](new BlockedBloomFilter({ bits: 768, seed: 5 }))).toThrow(
        'bits of other must be 512, got 768',
      );
      expect(() => a[verb](new BlockedBloomFilter({ bits: 512 }))).toThrow('seed of other must be 5, got 0');
    }
    const classic = new BloomFilter({ bits: 512, hashes: 8, seed: 5 });
    expect(() => a.union(classic as never)).toThrow(/^other must be a BlockedBloomFilter, got /);
    expect(() => classic.union(a as never)).toThrow(/^other must be a BloomFilter, got /);
  });

  it('estimates', () => {
    const filter = new BlockedBloomFilter({ capacity: 20_000 }).addMany(numbers(20_000));
    expect(Math.abs(filter.estimateErrorRate() - 0.01)).toBeLessThan(0.001);
    const hits = filter.hasMany(numbers(200_000).map((i) => i + 20_000)).reduce((sum, flag) => sum + flag, 0);
    // 6 deviations.
    const expected = filter.estimateErrorRate() * 200_000;
    expect(Math.abs(hits - expected)).toBeLessThan(6 * Math.sqrt(expected));
    expect(Math.abs(filter.estimateCount() - 20_000)).toBeLessThan(600);
    const full = new BlockedBloomFilter({ bits: 256 }).addMany(numbers(2000));
    expect(full.fillRatio()).toBe(1);
    expect(full.estimateCount()).toBe(Number.POSITIVE_INFINITY);
    expect(full.estimateErrorRate()).toBe(1);
  });

  it('refuses error rates that are not for blocks, and names both sizes and the kind to turn to', () => {
    expect(new BlockedBloomFilter({ capacity: 1000, errorRate: 1e-5 }).errorRate).toBe(1e-5);
    for (const errorRate of [9.99e-6, 1e-9, Number.MIN_VALUE]) {
      const make = (): unknown => new BlockedBloomFilter({ capacity: 1000, errorRate });
      expect(make).toThrow(RangeError);
      expect(make).toThrow(
        /^errorRate must be at least 0\.00001 in blocks, got \S+, for which they take \d+ bits or more, and a BloomFilter \d+$/,
      );
      expect(make).toThrow(`a BloomFilter ${wasmEntry.optimalBits(1000, errorRate)}`);
    }
  });

  it('refuses a promise and a size at once, and sizes out of range', () => {
    const both: object = { capacity: 1, bits: 256 };
    expect(() => new BlockedBloomFilter(both as never)).toThrow(TypeError);
    expect(() => new BlockedBloomFilter(both as never)).toThrow('got something of both');
    for (const bits of [0, -1, 1.5, 2 ** 40, Number.NaN]) {
      expect(() => new BlockedBloomFilter({ bits })).toThrow(RangeError);
      expect(() => new BlockedBloomFilter({ bits })).toThrow(/^bits must be an integer from 1 to 1099511627520, got /);
    }
    expect(() => new BlockedBloomFilter({ bits: 2 ** 40 - 256 })).toThrow(/is too large/);
    expect(() => new BlockedBloomFilter({ bits: '256' } as never)).toThrow(TypeError);
  });

  it('prints', () => {
    const filter = new BlockedBloomFilter({ bits: 2560 }).addMany([]);
    const { errorRate } = filter;
    expect(inspect(filter, { breakLength: Infinity })).toBe(
      `BlockedBloomFilter { capacity: 221, errorRate: ${errorRate}, bits: 2560, seed: 0, engine: '${name}', fillRatio: 0 }`,
    );
    filter.dispose();
    expect(inspect(filter)).toContain('disposed: true');
  });
});

it.each([1024, 2 ** 24])('blocked filters of both engines combine, small or large: %i bits', (bits) => {
  const a = new wasmEntry.BlockedBloomFilter({ bits }).addMany(numbers(30));
  const b = new jsEntry.BlockedBloomFilter({ bits }).addMany(numbers(50).slice(20));
  const all = new jsEntry.BlockedBloomFilter({ bits }).addMany(numbers(50));
  expect(a.union(b).equals(all)).toBe(true);
  expect(b.union(a).equals(all)).toBe(true);
  expect(a.intersection(b).equals(b.intersection(a))).toBe(true);
  expect(a.equals(b)).toBe(false);
});

interface Vector {
  readonly name: string;
  readonly blocks: number;
  /** xxHash64 of the keys, in hexadecimal. */
  readonly hashes: readonly string[];
  readonly bytes: string;
}

// The two differ in the hash alone. Bytes by Apache's parquet-java.
const parquet = JSON.parse(readFileSync(new URL('vectors/parquet.json', import.meta.url), 'utf8')) as readonly Vector[];

describe.each(parquet)('filters of Parquet: $name', ({ blocks, hashes, bytes }) => {
  const expected = Buffer.from(bytes, 'base64');
  const words = BigUint64Array.from(hashes.flatMap((hash) => [BigInt(`0x${hash}`), 0n]));

  it.each(entries)('are what the kernel makes of the same hashes: $name', ({ engine }) => {
    const region = engine.reserve(32 * blocks);
    const { kernel, scratch, memory } = region.instance;
    new BigUint64Array(memory.buffer, scratch.hashes, words.length).set(words);
    kernel.blocked_add(region.pointer, blocks, scratch.hashes, hashes.length, scratch.flags);
    expect(Buffer.compare(region.bytes.subarray(0, region.byteLength), expected)).toBe(0);
    expect(kernel.blocked_has(region.pointer, blocks, scratch.hashes, hashes.length, scratch.flags)).toBe(
      hashes.length,
    );
    region.dispose();
  });

  it('are what the oracle makes of them', () => {
    const made = new Uint8Array(32 * blocks);
    for (const hash of hashes) {
      for (const bit of blockedBitsOf(BigInt(`0x${hash}`), blocks))
        made[bit >> 3] = (made[bit >> 3] ?? 0) | (1 << (bit & 7));
    }
    expect(Buffer.compare(made, expected)).toBe(0);
  });
});
