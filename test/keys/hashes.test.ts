// Hashes in place of keys: whatever takes many keys takes them, and gives the same.

import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { CuckooFilter } from '../../src/entries/cuckoo.ts';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import * as js from '../../src/entries/hash-js.ts';
import * as wasm from '../../src/hash.ts';
import { BloomFilter, CountingBloomFilter, column, type Keys, lines } from '../../src/index.ts';
import { kindOn, sizedKinds } from '../shared/kinds.ts';
import { bytesOf, murmur3 } from '../shared/oracle.ts';

const encoder = new TextEncoder();
const names = Array.from({ length: 9000 }, (_, i) => `name ${i}`);
const others = Array.from({ length: 9000 }, (_, i) => `name ${i + 6000}`);

/** The bytes that hashes should have, computed by the oracle. */
function hashesOf(keys: readonly (string | number | bigint | Uint8Array)[], seed: number): Uint8Array {
  const bytes = new Uint8Array(16 * keys.length);
  const view = new DataView(bytes.buffer);
  for (const [i, key] of keys.entries()) {
    for (const [half, hash] of murmur3(bytesOf(key), seed).entries()) view.setBigUint64(16 * i + 8 * half, hash, true);
  }
  return bytes;
}

const engines = [
  { name: 'wasm', ...wasm },
  { name: 'js', ...js },
];

describe.each(engines)('hashKeys: $name', ({ hashKeys, HashedKeys }) => {
  it('gives the hashes of all keys, in order', () => {
    const keys = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.uint8Array(), fc.maxSafeInteger());
    fc.assert(
      fc.property(fc.array(keys, { maxLength: 50 }), fc.nat(2 ** 32 - 1), (given, seed) => {
        const hashed = hashKeys(given, { seed });
        expect(hashed.bytes).toEqual(hashesOf(given, seed));
        expect(hashed).toMatchObject({ length: given.length, seed });
      }),
      { seed: 4, numRuns: 200 },
    );
  });

  it('takes short and long strings in any order', () => {
    // Around the limits of what a kernel reads itself, and of what is hashed at once.
    const lengths = [0, 1, 16, 48, 49, 96, 97, 160, 161, 32_768, 32_769];
    const string = fc
      .tuple(fc.constantFrom('a', 'é', '漢', '\ud800', '\udc00'), fc.constantFrom(...lengths))
      .map(([unit, length]) => unit.repeat(length));
    fc.assert(
      fc.property(fc.array(string, { maxLength: 10 }), fc.nat(2 ** 32 - 1), (given, seed) => {
        expect(hashKeys(given, { seed }).bytes).toEqual(hashesOf(given, seed));
      }),
      { seed: 5, numRuns: 50 },
    );
  });

  it.each<[string, Keys, readonly (string | number | bigint)[]]>([
    ['an array of several chunks', names, names],
    ['a Set', new Set(names), names],
    ['a long string', ['x'.repeat(200_000), 'y'], ['x'.repeat(200_000), 'y']],
    ['integers', Int32Array.of(-1, 0, 7), [-1, 0, 7]],
    ['64-bit integers', BigUint64Array.of(5n, 2n ** 63n), [5n, 2n ** 63n]],
    ['lines', lines(encoder.encode('a\r\n\nb')), ['a', '', 'b']],
    ['a column', column(encoder.encode('abc'), Int32Array.of(0, 1, 1, 3)), ['a', '', 'bc']],
    ['no keys', [], []],
  ])('takes %s', (_, keys, expected) => {
    expect(hashKeys(keys as string[]).bytes).toEqual(hashesOf(expected, 0));
  });

  it('takes hashes', () => {
    const hashed = hashKeys(names, { seed: 3 });
    expect(hashKeys(hashed, { seed: 3 })).toEqual(hashed);
  });

  it('gives hashes that can be sent elsewhere and made anew', () => {
    const { bytes, seed } = hashKeys(names, { seed: 9 });
    const sent = structuredClone({ bytes, seed }, { transfer: [bytes.buffer] });
    const hashed = new HashedKeys(sent.bytes, sent.seed);
    expect(hashed.bytes).toEqual(hashesOf(names, 9));
    expect(bytes.length).toBe(0);
  });

  it('picks by flags', () => {
    const hashed = hashKeys(names);
    const flags = Uint8Array.from(names, (_, i) => Number(i % 3 === 0));
    expect(hashed.pick(flags)).toEqual(hashKeys(names.filter((_, i) => i % 3 === 0)));
    expect(hashed.pick(new Uint8Array(9000)).length).toBe(0);
    expect(() => hashed.pick(new Uint8Array(8999))).toThrow('flags must be 9000 flags, got 8999');
    expect(() => hashKeys(['a']).pick(new Uint8Array(2))).toThrow('flags must be 1 flags, got 2');
    expect(() => hashed.pick([1] as never)).toThrow(TypeError);
  });

  it('gives each of several equal hashes once, in order, and changes nothing', () => {
    const keys = fc.array(
      fc.oneof(
        fc.nat(50),
        fc.nat(50).map((i) => `key ${i}`),
      ),
      { maxLength: 400, size: 'max' },
    );
    fc.assert(
      fc.property(keys, fc.nat(2 ** 32 - 1), (given, seed) => {
        const hashed = hashKeys(given, { seed });
        const before = hashed.bytes.slice();
        const distinct = hashed.distinct();
        expect(distinct).toBeInstanceOf(HashedKeys);
        expect(distinct).toMatchObject({ seed, bytes: hashesOf([...new Set(given)], seed) });
        expect(distinct.bytes.buffer.byteLength).toBe(distinct.bytes.length);
        expect(hashed.bytes).toEqual(before);
      }),
      { seed: 36, numRuns: 60 },
    );
    // Hashes that differ in a single bit, at any place in memory, are different.
    const words = Uint32Array.from({ length: 4 * 129 }, (_, i) => {
      const bit = (i >> 2) - 1;
      return bit >> 5 === i % 4 ? 1 << (bit & 31) : 0;
    });
    const bytes = new Uint8Array(16 * 258 + 3);
    bytes.set(new Uint8Array(words.buffer), 3);
    bytes.set(new Uint8Array(words.buffer), 3 + 16 * 129);
    expect(new HashedKeys(bytes.subarray(3), 5).distinct()).toMatchObject({ seed: 5, length: 129 });
    expect(new HashedKeys(new Uint8Array(0)).distinct().length).toBe(0);
  });

  it('refuses wrong options', () => {
    expect(() => hashKeys(names, { seed: -1 })).toThrow(/^seed must be/);
    expect(() => hashKeys(names, { sed: 1 } as never)).toThrow('unknown option sed; did you mean seed?');
    expect(() => hashKeys('a' as never)).toThrow(/^keys must be .*, which is one key$/);
    expect(() => hashKeys(['a', null as never])).toThrow(/^keys\[1\] must be/);
  });

  it('refuses bytes that are not hashes', () => {
    expect(() => new HashedKeys(new Uint8Array(17))).toThrow('bytes must be a multiple of 16 bytes, got 17');
    expect(() => new HashedKeys('a' as never)).toThrow(TypeError);
    expect(() => new HashedKeys(new Uint8Array(16), 1.5)).toThrow(RangeError);
    const { bytes } = hashKeys(names);
    const hashed = new HashedKeys(bytes);
    structuredClone(bytes, { transfer: [bytes.buffer] });
    expect(() => BloomFilter.from(hashed, { capacity: 10 })).toThrow(TypeError);
  });
});

describe.each(sizedKinds)('filters take hashes: $name', ({ Filter, minErrorRate, seedOf, hashKeys, kind, engine }) => {
  const seed = seedOf(5);
  const options = { capacity: 16_000, errorRate: Math.max(minErrorRate, 0.01), seed };
  const [hashed] = hashKeys(names, seed);
  const [, hashedOthers] = hashKeys(others, seed);

  it('to add', () => {
    const filter = new Filter(options).addMany(hashed);
    expect(filter.toBytes()).toEqual(new Filter(options).addMany(names).toBytes());
    const { capacity: _, ...rest } = options;
    expect(Filter.from(hashed, rest).toBytes()).toEqual(Filter.from(names, rest).toBytes());
    const flags = new Uint8Array(9000);
    new Filter(options).addMany(hashed, flags);
    const expected = new Uint8Array(9000);
    new Filter(options).addMany(names, expected);
    expect(flags).toEqual(expected);
  });

  it('to look up, pick, omit and dedupe, from either engine and at any place in memory', () => {
    const filter = new Filter(options).addMany(names);
    const flags = filter.hasMany(others);
    expect(filter.hasMany(hashedOthers)).toEqual(flags);
    expect(filter.pick(hashedOthers)).toEqual(hashedOthers.pick(flags));
    expect(filter.omit(hashedOthers)).toEqual(hashedOthers.pick(flags.map((flag) => 1 - flag)));
    const odd = new Uint8Array(hashedOthers.bytes.length + 3);
    odd.set(hashedOthers.bytes, 3);
    expect(filter.hasMany(new wasm.HashedKeys(odd.subarray(3), seed))).toEqual(flags);
    const copy = filter.clone();
    expect(filter.dedupe(hashedOthers)).toEqual(hashKeys(copy.dedupe(others), seed)[0]);
    expect(filter.toBytes()).toEqual(copy.toBytes());
  });

  it('of their own seed only', () => {
    const { Filter: Seeded } = kindOn(kind, engine.name);
    const filter = new Seeded({ ...options, seed: 6 });
    expect(() => filter.addMany(hashed)).toThrow(/^seed of the hashed keys must be 6, got (5|a secret \([0-9a-f]+\))$/);
    expect(() => filter.hasMany(hashed)).toThrow(RangeError);
    expect(filter.toBytes()).toEqual(new Seeded({ ...options, seed: 6 }).toBytes());
  });
});

describe('hashed keys, in all kinds', () => {
  it('can be removed from counting filters', () => {
    const filter = CountingBloomFilter.from(names);
    filter.removeMany(wasm.hashKeys(names));
    expect(filter.fillRatio()).toBe(0);
  });

  it('can be removed from cuckoo filters', () => {
    const filter = CuckooFilter.from(names);
    filter.removeMany(js.hashKeys(names));
    expect(filter.count).toBe(0);
  });

  it('are built into binary fuse filters once, and as two if half of their bits are equal', () => {
    const bytes = new Uint8Array(Uint32Array.of(1, 2, 0, 0, 1, 3, 0, 0, 1, 2, 9, 9).buffer);
    const hashes = new wasm.HashedKeys(bytes, 0);
    const filter = BinaryFuseFilter.from(hashes);
    expect(filter.capacity).toBe(2);
    expect(filter.hasMany(hashes)).toEqual(Uint8Array.of(1, 1, 1));
  });

  it('stay hashes when they are picked', () => {
    const picked = BloomFilter.from(names).pick(wasm.hashKeys(names));
    expectTypeOf(picked).toEqualTypeOf<wasm.HashedKeys<ArrayBuffer>>();
    expect(picked).toBeInstanceOf(wasm.HashedKeys);
  });
});
