import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { slowSparkHash } from '../foreign/slow-spark-hash.ts';
import { type KeyGroup, keysOf, readVectors } from '../foreign/vectors.ts';
import { randomBytes } from '../shared/awkward.ts';
import { builds } from './builds.ts';
import { Layout } from './layout.ts';

interface Hashes {
  readonly algorithm: string;
  readonly seed: string;
  readonly inputs?: readonly string[];
  readonly hashes: readonly string[];
}

const { inputs, vectors } = readVectors<{ inputs: readonly KeyGroup[]; vectors: readonly Hashes[] }>('hashes');
const text = new TextEncoder();
const bytesOf = (key: unknown): Uint8Array => (typeof key === 'string' ? text.encode(key) : (key as Uint8Array));

const keys = inputs.flatMap(keysOf);
const encoded = keys.map(bytesOf);
const named = (name: string): { seed: number; longs: bigint[]; expected: number[] }[] =>
  vectors
    .filter(({ algorithm }) => algorithm === name)
    .map(({ seed, inputs: longs = [], hashes }) => ({
      seed: Number(seed),
      longs: longs.map(BigInt),
      expected: hashes.map(Number),
    }));
const ofBytes = named('spark_murmur3_x86_32_hashUnsafeBytes');
const ofLongs = named('spark_murmur3_x86_32_hashLong');

const alignments = Array.from({ length: 16 }, (_, i) => i);
/** Values for the bytes around a key, which must not matter. */
const poisons = [0x00, 0xff, 0x0a];
const PAGE = 65536;
const PAGES = 3;

it('the slow hash is right, and the vectors are complete', () => {
  expect([ofBytes.length, ofLongs.length]).toEqual([4, 4]);
  expect(encoded.slice(0, 71).map(({ length }) => length)).toEqual(Array.from({ length: 71 }, (_, i) => i));
  for (const { seed, expected } of ofBytes) {
    expect(encoded.map((key) => slowSparkHash(key, seed))).toEqual(expected);
  }
});

describe.each(builds)('the hash of Spark in $name', ({ open }) => {
  const { kernel, memory } = open(PAGES, PAGES, { module: 'spark' });
  const layout = new Layout(memory);
  const chunk = layout.take(Uint8Array, PAGE);
  const ends = layout.take(Uint32Array, encoded.length);
  const hashes = layout.take(Int32Array, 4 * encoded.length);

  /** Both hashes of a key at an address. */
  const pairAt = (pointer: number): number[] => [...new Int32Array(memory.buffer, pointer, 2)];
  const pairOf = (key: Uint8Array, seed: number): number[] => {
    const first = slowSparkHash(key, seed);
    return [first, slowSparkHash(key, first)];
  };

  function put(bytes: Uint8Array, alignment: number, poison: number): void {
    chunk.fill(poison, 0, alignment + bytes.length + 32);
    chunk.set(bytes, alignment);
  }

  it.each(ofBytes)('hashes packed keys as Spark does, with seed $seed', ({ seed, expected }) => {
    for (const alignment of alignments) {
      chunk.fill(0xff);
      chunk.set(Buffer.concat(encoded), alignment);
      let end = 0;
      ends.set(encoded.map(({ length }) => (end += length)));
      kernel.hash_packed(chunk.byteOffset + alignment, ends.byteOffset, encoded.length, seed >>> 0, hashes.byteOffset);
      expect(encoded.map((_, i) => hashes[4 * i])).toEqual(expected);
      expect(encoded.map((key, i) => [pairOf(key, seed), i])).toEqual(
        encoded.map((_, i) => [pairAt(hashes.byteOffset + 16 * i), i]),
      );
    }
    expect(layout.intact).toBe(true);
  });

  it.each(ofLongs)('hashes integers as Spark does, with seed $seed', ({ seed, longs, expected }) => {
    new BigInt64Array(memory.buffer, chunk.byteOffset, longs.length).set(longs);
    kernel.hash_u64(chunk.byteOffset, longs.length, seed >>> 0, hashes.byteOffset);
    expect(longs.map((_, i) => hashes[4 * i])).toEqual(expected);
    const pairs = longs.map((value) => pairOf(new Uint8Array(BigInt64Array.of(value).buffer), seed));
    expect(longs.map((_, i) => pairAt(hashes.byteOffset + 16 * i))).toEqual(pairs);
  });

  it.each(poisons)('hashes a single key at every alignment, whatever is around it: %i', (poison) => {
    for (const alignment of alignments) {
      const found = encoded.map((key) => {
        put(key, alignment, poison);
        return pairAt(kernel.hash_key(null, chunk.byteOffset + alignment, key.length, alignment));
      });
      expect(found).toEqual(encoded.map((key) => pairOf(key, alignment)));
    }
    expect(layout.intact).toBe(true);
  });

  it('reads strings', () => {
    const texts = keys.filter((key) => typeof key === 'string');
    const found = texts.map((key) => pairAt(kernel.hash_key(key, 0, key.length, 7)));
    expect(found).toEqual(texts.map((key) => pairOf(text.encode(key), 7)));
  });

  it('hashes a long key', () => {
    const key = randomBytes(1, 60_000);
    put(key, 3, 0xff);
    ends[0] = key.length;
    kernel.hash_packed(chunk.byteOffset + 3, ends.byteOffset, 1, 5, hashes.byteOffset);
    expect(pairAt(hashes.byteOffset)).toEqual(pairOf(key, 5));
  });

  it('hashes a key in pieces of any multiple of 16 bytes, once', () => {
    const cases = fc.record({
      i: fc.nat(encoded.length - 1),
      blocks: fc.array(fc.nat(6)),
      alignment: fc.constantFrom(...alignments),
      poison: fc.constantFrom(...poisons),
    });
    const property = fc.property(cases, ({ i, blocks, alignment, poison }) => {
      const key = encoded[i] as Uint8Array;
      const piece = chunk.byteOffset + alignment;
      const whole = key.length & ~15;
      kernel.hash_begin(hashes.byteOffset, 1 + i);
      let at = 0;
      for (const length of [...blocks.map((count) => 16 * count), whole]) {
        const next = Math.min(at + length, whole);
        put(key.subarray(at, next), alignment, poison);
        kernel.hash_continue(hashes.byteOffset, piece, next - at);
        at = next;
      }
      put(key.subarray(whole), alignment, poison);
      kernel.hash_end(hashes.byteOffset, piece, key.length);
      expect(hashes[0]).toBe(slowSparkHash(key, 1 + i));
    });
    fc.assert(property, { numRuns: 200 });
    expect(layout.intact).toBe(true);
  });

  it('reads no more than 4 bytes behind a key', () => {
    const end = PAGES * PAGE - 4;
    for (const key of encoded.slice(0, 71)) {
      new Uint8Array(memory.buffer).set(key, end - key.length);
      expect(pairAt(kernel.hash_key(null, end - key.length, key.length, 1))).toEqual(pairOf(key, 1));
    }
  });
});
