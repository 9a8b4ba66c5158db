// Hashes in place of keys: whatever takes many keys takes them, and gives the same.

import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { BinaryFuseFilter } from '../src/entries/fuse.ts';
import * as wasm from '../src/entries/hash.ts';
import * as js from '../src/entries/hash-js.ts';
import { RotatingBloomFilter } from '../src/entries/rotating.ts';
import { RotatingBloomFilter as JsRotatingBloomFilter } from '../src/entries/rotating-js.ts';
import { ScalableBloomFilter } from '../src/entries/scalable.ts';
import { ScalableBloomFilter as JsScalableBloomFilter } from '../src/entries/scalable-js.ts';
import { BloomFilter, CountingBloomFilter, column, type Keys, lines } from '../src/index.ts';
import { kinds } from './kinds.ts';
import { bytesOf, murmur3 } from './oracle.ts';

const encoder = new TextEncoder();
const names = Array.from({ length: 5000 }, (_, i) => `name ${i}`);
const others = Array.from({ length: 5000 }, (_, i) => `name ${i + 3000}`);

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

/** Several chunks of keys, computed once, because the oracle is slow. */
const hashesOfNames = hashesOf(names, 0);

/** Compares as `toEqual` does, which takes its time with large arrays. */
function expectSameBytes(one: Uint8Array, other: Uint8Array): void {
  expect(Buffer.compare(one, other)).toBe(0);
}

function expectSame(one: object, other: wasm.HashedKeys): void {
  expect(one).toMatchObject({ length: other.length, seed: other.seed });
  expectSameBytes((one as wasm.HashedKeys).bytes, other.bytes);
}

describe.each(engines)('hashKeys: $name', ({ hashKeys, HashedKeys }) => {
  it('gives the hashes of all keys, in order', () => {
    const keys = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.uint8Array(), fc.maxSafeInteger());
    fc.assert(
      fc.property(fc.array(keys, { maxLength: 50 }), fc.nat(2 ** 32 - 1), (given, seed) => {
        const hashed = hashKeys(given, { seed });
        expectSameBytes(hashed.bytes, hashesOf(given, seed));
        expect(hashed).toMatchObject({ length: given.length, seed });
      }),
      { seed: 4, numRuns: 200 },
    );
  });

  it.each<[string, Keys, Uint8Array]>([
    ['an array of several chunks', names, hashesOfNames],
    ['a Set', new Set(names), hashesOfNames],
    ['a long string', ['x'.repeat(200_000), 'y'], hashesOf(['x'.repeat(200_000), 'y'], 0)],
    ['integers', Int32Array.of(-1, 0, 7), hashesOf([-1, 0, 7], 0)],
    ['64-bit integers', BigUint64Array.of(5n, 2n ** 63n), hashesOf([5n, 2n ** 63n], 0)],
    ['lines', lines(encoder.encode('a\r\n\nb')), hashesOf(['a', '', 'b'], 0)],
    ['a column', column(encoder.encode('abc'), Int32Array.of(0, 1, 1, 3)), hashesOf(['a', '', 'bc'], 0)],
    ['no keys', [], new Uint8Array(0)],
  ])('takes %s', (_, keys, expected) => {
    expectSameBytes(hashKeys(keys as string[]).bytes, expected);
  });

  it('takes hashes', () => {
    const hashed = hashKeys(names, { seed: 3 });
    expectSame(hashKeys(hashed, { seed: 3 }), hashed);
  });

  it('gives hashes that can be sent elsewhere and made anew', () => {
    const { bytes, seed } = hashKeys(names);
    const sent = structuredClone({ bytes, seed }, { transfer: [bytes.buffer] });
    const hashed = new HashedKeys(sent.bytes, sent.seed);
    expectSameBytes(hashed.bytes, hashesOfNames);
    expect(bytes.length).toBe(0);
  });

  it('picks by flags', () => {
    const hashed = hashKeys(names);
    const flags = Uint8Array.from(names, (_, i) => Number(i % 3 === 0));
    expectSame(hashed.pick(flags), hashKeys(names.filter((_, i) => i % 3 === 0)));
    expect(hashed.pick(new Uint8Array(5000)).length).toBe(0);
    expect(() => hashed.pick(new Uint8Array(4999))).toThrow('flags must be 5000 flags, got 4999');
    expect(() => hashed.pick([1] as never)).toThrow(TypeError);
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

describe.each(kinds)('filters take hashes: $name', ({ Filter, minErrorRate }) => {
  const options = { capacity: 10_000, errorRate: Math.max(minErrorRate, 0.01), seed: 5 };
  const hashed = wasm.hashKeys(names, { seed: 5 });
  const hashedOthers = js.hashKeys(others, { seed: 5 });

  it('to add', () => {
    const filter = new Filter(options).addMany(hashed);
    expectSameBytes(filter.toBytes(), new Filter(options).addMany(names).toBytes());
    const { capacity: _, ...rest } = options;
    expectSameBytes(Filter.from(hashed, rest).toBytes(), Filter.from(names, rest).toBytes());
    const flags = new Uint8Array(5000);
    new Filter(options).addMany(hashed, flags);
    const expected = new Uint8Array(5000);
    new Filter(options).addMany(names, expected);
    expect(flags).toEqual(expected);
  });

  it('to look up, pick, omit and dedupe, from either engine and at any place in memory', () => {
    const filter = new Filter(options).addMany(names);
    const flags = filter.hasMany(others);
    expect(filter.hasMany(hashedOthers)).toEqual(flags);
    expectSame(filter.pick(hashedOthers), hashedOthers.pick(flags));
    expectSame(filter.omit(hashedOthers), hashedOthers.pick(flags.map((flag) => 1 - flag)));
    const odd = new Uint8Array(hashedOthers.bytes.length + 3);
    odd.set(hashedOthers.bytes, 3);
    expect(filter.hasMany(new wasm.HashedKeys(odd.subarray(3), 5))).toEqual(flags);
    const copy = filter.clone();
    expectSame(filter.dedupe(hashedOthers), wasm.hashKeys(copy.dedupe(others), { seed: 5 }));
    expectSameBytes(filter.toBytes(), copy.toBytes());
  });

  it('of their own seed only', () => {
    const filter = new Filter({ ...options, seed: 6 });
    expect(() => filter.addMany(hashed)).toThrow('keys were hashed with seed 5, but the filter has seed 6');
    expect(() => filter.hasMany(hashed)).toThrow(RangeError);
    expectSameBytes(filter.toBytes(), new Filter({ ...options, seed: 6 }).toBytes());
  });
});

describe.each([
  { name: 'rotating', Filter: RotatingBloomFilter },
  { name: 'rotating, js', Filter: JsRotatingBloomFilter },
  { name: 'scalable', Filter: ScalableBloomFilter },
  { name: 'scalable, js', Filter: JsScalableBloomFilter },
])('filters without end take hashes: $name', ({ Filter }) => {
  it('to add and to look up', () => {
    const filter = new Filter({ capacity: 2000 }).addMany(js.hashKeys(names));
    const expected = new Filter({ capacity: 2000 }).addMany(names);
    expectSameBytes(filter.toBytes(), expected.toBytes());
    const hashed = wasm.hashKeys(others);
    const flags = expected.hasMany(others);
    expect(filter.hasMany(hashed)).toEqual(flags);
    expectSame(filter.pick(hashed), hashed.pick(flags));
    expectSame(filter.dedupe(hashed), wasm.hashKeys(expected.dedupe(others)));
  });
});

describe('hashes', () => {
  it('can be removed from counting filters', () => {
    const filter = CountingBloomFilter.from(names);
    filter.removeMany(wasm.hashKeys(names));
    expect(filter.fillRatio()).toBe(0);
  });

  it('can be built into binary fuse filters', () => {
    const filter = BinaryFuseFilter.from(js.hashKeys(names));
    expectSameBytes(filter.toBytes(), BinaryFuseFilter.from(names).toBytes());
  });

  it('stay hashes when they are picked', () => {
    const picked = BloomFilter.from(names).pick(wasm.hashKeys(names));
    expectTypeOf(picked).toEqualTypeOf<wasm.HashedKeys<ArrayBuffer>>();
    expect(picked).toBeInstanceOf(wasm.HashedKeys);
  });
});
