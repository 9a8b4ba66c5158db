// The hashes of keys, wherever they lie and in whatever form they come, against vectors of other implementations.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeyedExports } from '../../src/kernel/generated/keyed/exports.ts';
import { type HashFile, keysOf, readVectors } from '../foreign/vectors.ts';
import { avalanche, bytesOf, MASK } from '../shared/oracle.ts';
import { hexOf, siphash13 } from '../shared/siphash.ts';
import { type Beside, type Build, builds, Layout } from './builds.ts';

const { inputs, vectors } = readVectors<HashFile>('hashes');
const keys = inputs.flatMap(keysOf).map(bytesOf);

interface SipVector {
  readonly key: string;
  /** The hashes of 0, 1, 2, … by the number of these bytes. */
  readonly hashes: Readonly<Record<string, string>>;
}

const file = new URL('../vectors/siphash.json', import.meta.url);
const { vectors: sipVectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: readonly SipVector[] };
const unhex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const messageOf = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => i);

it.each(sipVectors)('the slow SipHash is right under $key', ({ key, hashes }) => {
  for (const [length, hash] of Object.entries(hashes)) {
    expect(hexOf(siphash13(messageOf(Number(length)), unhex(key))), `${length} bytes`).toBe(hash);
  }
});

/** A hash function, and the hashes of keys under some seeds, in hexadecimal. */
interface Hash {
  readonly name: string;
  readonly beside?: Beside;
  readonly keys: readonly Uint8Array[];
  readonly seeded: readonly { readonly seed: number; readonly hashes: readonly string[] }[];
  /** How many bytes of the hash a key in parts has. */
  readonly inParts: number;
  /** How many bytes behind a key must be readable. */
  readonly readable: number;
}

function seededOf(algorithm: string, hexOf: (hash: string) => string): Hash['seeded'] {
  return vectors
    .filter((each) => each.algorithm === algorithm)
    .map(({ seed, hashes }) => ({ seed: Number(seed) >>> 0, hashes: hashes.map(hexOf) }));
}

const sips = sipVectors.map(({ key: hex, hashes }): Hash => {
  const secret = unhex(hex);
  const lengths = Object.keys(hashes).map(Number);
  const ofKeys = keys.map((key) => hexOf(siphash13(key, secret)));
  return {
    name: `SipHash-1-3-128 under ${hex}`,
    beside: { module: 'keyed', secret },
    keys: [...keys, ...lengths.map(messageOf)],
    // The seed does not matter. Without one, `hash_begin` is for files.
    seeded: [1, 7, 2 ** 32 - 1].map((seed) => ({ seed, hashes: [...ofKeys, ...Object.values(hashes)] })),
    inParts: 16,
    readable: 20,
  };
});
const unkeyed: readonly Hash[] = [
  { name: 'MurmurHash3', keys, seeded: seededOf('murmur3_x64_128', (hash) => hash), inParts: 16, readable: 20 },
  {
    name: 'XXH64',
    beside: { module: 'parquet' },
    keys,
    seeded: seededOf('xxh64', (hash) => hexOf([BigInt(hash)])).filter(({ seed }) => seed === 0),
    inParts: 8,
    readable: 24,
  },
  {
    name: 'the hash of Spark',
    beside: { module: 'spark' },
    keys,
    // Of the second hash, whose seed is the first one, test/foreign/spark.slow.test.ts has the bits.
    seeded: seededOf('spark_murmur3_x86_32_hashUnsafeBytes', (hash) =>
      Buffer.from(Int32Array.of(Number(hash)).buffer).toString('hex'),
    ),
    inParts: 4,
    readable: 4,
  },
];

const PAGE = 65_536;
const PAGES = 6;
const alignments = Array.from({ length: 16 }, (_, i) => i);
/** Values for the bytes around a key, which must not matter. */
const poisons = [0x00, 0xff, 0x0a];
const places = alignments.flatMap((alignment) => poisons.map((poison) => ({ alignment, poison })));

function open(build: Build, beside: Beside | undefined) {
  const { kernel, memory } = build.open(PAGES, PAGES, beside);
  const layout = new Layout(memory);
  const chunk = layout.take(Uint8Array, 3 * PAGE);
  const ends = layout.take(Uint32Array, 256);
  const hashes = layout.take(Uint8Array, 16 * 256);
  return {
    kernel: kernel as typeof kernel & KeyedExports,
    memory,
    layout,
    chunk,
    ends,
    hashes,
    hexAt: (pointer: number, bytes: number) => Buffer.from(memory.buffer, pointer, bytes).toString('hex'),
    put(bytes: Uint8Array, alignment: number, poison: number): number {
      chunk.fill(poison, 0, alignment + bytes.length + 32).set(bytes, alignment);
      return chunk.byteOffset + alignment;
    },
  };
}

describe.each(builds.map((build, i) => ({ ...build, secret: i })))('$name', ({ secret, ...build }) => {
  // The last test compares all secrets in all builds.
  describe.each([...unkeyed, sips[secret] as Hash])('$name', ({ beside, keys, seeded, inParts, readable }) => {
    const { kernel, memory, layout, chunk, ends, hashes, hexAt, put } = open(build, beside);
    const bytes = (seeded[0]?.hashes[0]?.length ?? 0) / 2;
    const seedAt = (i: number) => seeded[i % seeded.length] as Hash['seeded'][number];

    function hashPacked(some: readonly Uint8Array[], seed: number, alignment = 0, poison = 0xff): string[] {
      const at = put(Buffer.concat(some), alignment, poison);
      let end = 0;
      ends.set(some.map(({ length }) => (end += length)));
      kernel.hash_packed(at, ends.byteOffset, some.length, seed, hashes.byteOffset);
      return some.map((_, i) => hexAt(hashes.byteOffset + 16 * i, bytes));
    }

    it('of packed keys and of single ones, at every alignment, whatever is around them', () => {
      for (const [i, { alignment, poison }] of places.entries()) {
        const { seed, hashes: expected } = seedAt(i);
        expect(hashPacked(keys, seed, alignment, poison)).toEqual(expected);
        const singles = keys.map((key) => {
          kernel.hash_key(null, put(key, alignment, poison), key.length, seed, hashes.byteOffset);
          return hexAt(hashes.byteOffset, bytes);
        });
        expect(singles).toEqual(expected);
      }
      expect(layout.intact).toBe(true);
    });

    it('of a key in parts of any multiple of 16 bytes', () => {
      const cases = fc.record({
        i: fc.nat(keys.length - 1),
        blocks: fc.array(fc.nat(6)),
        place: fc.constantFrom(...places),
        seeds: fc.constantFrom(...seeded),
      });
      const property = fc.property(cases, ({ i, blocks, place: { alignment, poison }, seeds }) => {
        const key = keys[i] as Uint8Array;
        const whole = key.length & ~15;
        kernel.hash_begin(hashes.byteOffset, seeds.seed);
        let at = 0;
        for (const length of [...blocks.map((count) => 16 * count), whole]) {
          const next = Math.min(at + length, whole);
          kernel.hash_continue(hashes.byteOffset, put(key.subarray(at, next), alignment, poison), next - at);
          at = next;
        }
        kernel.hash_end(hashes.byteOffset, put(key.subarray(whole), alignment, poison), key.length);
        expect(hexAt(hashes.byteOffset, inParts)).toBe(seeds.hashes[i]?.slice(0, 2 * inParts));
      });
      fc.assert(property, { numRuns: 300 });
      expect(layout.intact).toBe(true);
    });

    it('of integers is that of their 8 bytes', () => {
      const extremes = [0n, 1n, -1n, 2n ** 31n, -(2n ** 31n), 2n ** 32n - 1n, 2n ** 63n - 1n, -(2n ** 63n)];
      const anyInteger = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
      const property = fc.property(fc.array(anyInteger, { maxLength: 100 }), fc.nat(9), (more, i) => {
        const { seed } = seedAt(i);
        const values = [...extremes, ...more];
        for (const [View, wrap, signed] of [
          [BigInt64Array, (value: bigint) => BigInt.asIntN(64, value)],
          [Int32Array, (value: bigint) => BigInt.asIntN(32, value), 1],
          [Uint32Array, (value: bigint) => BigInt.asUintN(32, value), 0],
        ] as const) {
          const wrapped = values.map(wrap);
          const expected = hashPacked(wrapped.map(bytesOf), seed);
          const view = new View(chunk.buffer, chunk.byteOffset, values.length);
          for (const [at, value] of wrapped.entries()) view[at] = signed === undefined ? value : Number(value);
          hashes.fill(0);
          if (signed === undefined) kernel.hash_u64(chunk.byteOffset, values.length, seed, hashes.byteOffset);
          else kernel.hash_32(chunk.byteOffset, values.length, signed, seed, hashes.byteOffset);
          expect(values.map((_, at) => hexAt(hashes.byteOffset + 16 * at, bytes))).toEqual(expected);
          expect(hashes[16 * values.length]).toBe(0);
        }
      });
      fc.assert(property, { numRuns: 30 });
      expect(layout.intact).toBe(true);
    });

    it(`reads no more than ${readable} bytes behind a key, and needs nothing before it`, () => {
      const end = PAGES * PAGE - readable;
      const { seed, hashes: expected } = seedAt(1);
      for (const [i, key] of keys.entries()) {
        const at = end - key.length;
        new Uint8Array(memory.buffer).set(key, at);
        ends[0] = key.length;
        kernel.hash_packed(at, ends.byteOffset, 1, seed, hashes.byteOffset);
        expect(hexAt(hashes.byteOffset, bytes)).toBe(expected[i]);
        hashes.fill(0);
        kernel.hash_key(null, at, key.length, seed, hashes.byteOffset);
        expect(hexAt(hashes.byteOffset, bytes)).toBe(expected[i]);
      }
    });
  });

  it('counts lengths of keys in parts above 2^32: MurmurHash3', () => {
    const { kernel, chunk, hashes } = open(build, undefined);
    const state = new BigUint64Array(hashes.buffer, hashes.byteOffset, 2);
    for (const length of [0n, 2n ** 32n - 16n, 2n ** 32n, 2n ** 32n + 16n, 2n ** 40n, 2n ** 53n - 16n]) {
      kernel.hash_begin(hashes.byteOffset, 42);
      expect([...state]).toEqual([42n, 42n]);
      kernel.hash_continue(hashes.byteOffset, chunk.byteOffset, 16);
      const [h1, h2] = [...state].map((half) => half ^ length) as [bigint, bigint];
      kernel.hash_end(hashes.byteOffset, chunk.byteOffset, Number(length));
      const [first, second] = [avalanche((h1 + h2) & MASK), avalanche((h1 + 2n * h2) & MASK)];
      expect([...state]).toEqual([(first + second) & MASK, (first + 2n * second) & MASK]);
    }
  });

  it.each(sips)('$name counts lengths modulo 256, and has another secret for files, whose seed is 0', ({ beside }) => {
    const { kernel, chunk, hashes, hexAt } = open(build, beside);
    const { secret = chunk } = beside ?? {};
    const message = messageOf(79);
    chunk.set(message);
    const hashOf = (whole: number, length: number, seed: number): string => {
      kernel.hash_begin(hashes.byteOffset, seed);
      kernel.hash_continue(hashes.byteOffset, chunk.byteOffset, whole);
      kernel.hash_end(hashes.byteOffset, chunk.byteOffset + whole, length);
      return hexAt(hashes.byteOffset, 16);
    };
    const expected = hexOf(siphash13(message.subarray(0, 16), secret));
    for (const length of [16, 2 ** 32 + 16, 2 ** 40 + 16, 2 ** 53 - 240]) expect(hashOf(16, length, 1)).toBe(expected);
    expect(hashOf(16, 2 ** 32 + 32, 1)).not.toBe(expected);
    const other = secret.map((byte) => byte ^ 0x5c);
    for (const length of [0, 7, 16, 31, 64, 79]) {
      expect(hashOf(length & ~15, length, 0)).toBe(hexOf(siphash13(message.subarray(0, length), other)));
    }
    expect(hexAt(kernel.secret_at(), 16)).toBe(Buffer.from(secret).toString('hex'));
  });
});
