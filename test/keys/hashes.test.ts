// Hashes in place of keys: whatever takes many keys takes them, and gives the same.

import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { CuckooFilter } from '../../src/entries/cuckoo.ts';
import { BinaryFuseFilter } from '../../src/entries/fuse.ts';
import * as wasm from '../../src/entries/hash.ts';
import * as js from '../../src/entries/js/hash.ts';
import { BloomFilter, CountingBloomFilter, type Key, type Keys, lines } from '../../src/index.ts';
import { bytesOf, murmur3 } from '../shared/oracle.ts';

const names = Array.from({ length: 5000 }, (_, i) => `name ${i}`);

/** The bytes that hashes should have, computed by the oracle. */
const hashesOf = (keys: readonly Key[], seed: number): Uint8Array =>
  new Uint8Array(BigUint64Array.from(keys.flatMap((key) => murmur3(bytesOf(key), seed))).buffer);

describe.each(Object.entries({ wasm, js }))('hashKeys: %s', (_, { hashKeys, HashedKeys }) => {
  // Around the limits of what a kernel reads itself, and of what is hashed at once.
  const lengths = [0, 1, 16, 48, 49, 96, 97, 160, 161, 32_768, 32_769];
  const string = fc
    .tuple(fc.constantFrom('a', 'é', '漢', '\ud800', '\udc00'), fc.constantFrom(...lengths))
    .map(([unit, length]) => unit.repeat(length));
  const keys = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.uint8Array(), fc.maxSafeInteger());

  it.each([
    ['keys of all types', fc.array(keys, { maxLength: 50 }), 200],
    ['short and long strings in any order', fc.array(string, { maxLength: 10 }), 30],
  ])('gives the hashes of %s', (_, lists, numRuns) => {
    const property = fc.property(lists, fc.nat(2 ** 32 - 1), (given, seed) => {
      const hashed = hashKeys(given, { seed });
      expect(hashed.bytes).toEqual(hashesOf(given, seed));
      expect(hashed).toMatchObject({ length: given.length, seed });
    });
    fc.assert(property, { seed: 4, numRuns });
  });

  // test/kinds/bits.slow.test.ts has keys of every form.
  it.each<[string, Keys, readonly Key[]]>([
    ['an array of several chunks', names, names],
    ['a Set', new Set(names), names],
    ['lines', lines(Buffer.from('a\r\n\nb')), ['a', '', 'b']],
    ['no keys', [], []],
    ['hashes', hashKeys(names), names],
  ])('takes %s', (_, given, expected) => expect(hashKeys(given as string[]).bytes).toEqual(hashesOf(expected, 0)));

  it('gives hashes that can be sent elsewhere and made anew', () => {
    const { bytes, seed } = hashKeys(names, { seed: 9 });
    const sent = structuredClone({ bytes, seed }, { transfer: [bytes.buffer] });
    expect(new HashedKeys(sent.bytes, sent.seed).bytes).toEqual(hashesOf(names, 9));
    expect(bytes.length).toBe(0);
  });

  it('picks by flags', () => {
    const hashed = hashKeys(names, { seed: 7 });
    const flags = Uint8Array.from(names, (_, i) => Number(i % 3 === 0));
    const some = names.filter((_, i) => i % 3 === 0);
    expect(hashed.pick(flags)).toEqual(hashKeys(some, { seed: 7 }));
    expect(hashed.pick(new Uint8Array(5000)).length).toBe(0);
    expect(() => hashed.pick(new Uint8Array(4999))).toThrow(new RangeError('flags must be 5000 flags, got 4999'));
    expect(() => hashKeys(['a']).pick(new Uint8Array(2))).toThrow('flags must be 1 flags, got 2');
    expect(() => hashed.pick([1] as never)).toThrow(TypeError);
  });

  it('gives each of several equal hashes once, in order, and changes nothing', () => {
    const key = fc.oneof(fc.nat(50), fc.integer({ min: 50, max: 99 }).map(String));
    const property = fc.property(fc.array(key, { maxLength: 400, size: 'max' }), fc.nat(2 ** 32 - 1), (given, seed) => {
      const hashed = hashKeys(given, { seed });
      const before = hashed.bytes.slice();
      const distinct = hashed.distinct();
      expect(distinct).toBeInstanceOf(HashedKeys);
      expect(distinct).toMatchObject({ seed, bytes: hashesOf([...new Set(given)], seed) });
      expect(distinct.bytes.buffer.byteLength).toBe(distinct.bytes.length);
      expect(hashed.bytes).toEqual(before);
    });
    fc.assert(property, { seed: 36, numRuns: 40 });
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

  it('refuses wrong options, and bytes that are not hashes', () => {
    expect(() => hashKeys(names, { seed: -1 })).toThrow(/^seed must be/);
    expect(() => hashKeys(names, { sed: 1 } as never)).toThrow('unknown option sed; the options are seed');
    expect(() => hashKeys(['a', null as never])).toThrow(/^keys\[1\] must be/);
    for (const length of [8, 17]) {
      const message = `bytes must be a multiple of 16 bytes, got ${length}`;
      expect(() => new HashedKeys(new Uint8Array(length))).toThrow(new RangeError(message));
    }
    expect(() => new HashedKeys('a' as never)).toThrow(TypeError);
    const ofSeed = /^seed must be an integer from 0 to 8589934591, got/;
    for (const seed of [1.5, -1, 2 ** 33]) expect(() => new HashedKeys(new Uint8Array(16), seed)).toThrow(ofSeed);
    const hashed = hashKeys(names);
    structuredClone(hashed.bytes, { transfer: [hashed.bytes.buffer] });
    expect(() => BloomFilter.from(hashed, { capacity: 10 })).toThrow(TypeError);
  });
});

// test/filters/every-kind.test.ts gives them to every kind; test/filters/keyed.test.ts has those of another seed.
describe('hashed keys', () => {
  it('can be removed', () => {
    expect(CountingBloomFilter.from(names).removeMany(wasm.hashKeys(names)).fillRatio()).toBe(0);
    expect(CuckooFilter.from(names).removeMany(js.hashKeys(names)).count).toBe(0);
  });

  it('are built into binary fuse filters once, and as two if half of their bits are equal', () => {
    const bytes = new Uint8Array(Uint32Array.of(1, 2, 0, 0, 1, 3, 0, 0, 1, 2, 9, 9).buffer);
    const hashes = new wasm.HashedKeys(bytes, 0);
    const filter = BinaryFuseFilter.from(hashes);
    expect(filter.capacity).toBe(2);
    expect(filter.hasMany(hashes)).toEqual(Uint8Array.of(1, 1, 1));
  });

  it('stay hashes when they are picked', () => {
    const filter = BloomFilter.from(names);
    const picked = filter.pick(wasm.hashKeys(names));
    expectTypeOf(picked).toEqualTypeOf<wasm.HashedKeys<ArrayBuffer>>();
    expect(picked).toBeInstanceOf(wasm.HashedKeys);
    const moved = Uint8Array.of(...new Uint8Array(16), ...picked.bytes).subarray(16);
    expect(filter.pick(new wasm.HashedKeys(moved)).bytes).toEqual(picked.bytes);
  });
});
