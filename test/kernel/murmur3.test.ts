import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { builds } from './builds.ts';
import { Layout } from './layout.ts';

interface Vectors {
  readonly keys: readonly string[];
  readonly vectors: readonly { readonly seed: number; readonly hashes: readonly string[] }[];
}

const file = new URL('../vectors/murmur3-x64-128.json', import.meta.url);
const { keys: keysInHex, vectors }: Vectors = JSON.parse(readFileSync(file, 'utf8'));
const keys = keysInHex.map((key) => Buffer.from(key, 'hex'));
const total = keys.reduce((sum, key) => sum + key.length, 0);

const NEWLINE = 0x0a;
const alignments = Array.from({ length: 16 }, (_, i) => i);
/** Values for the bytes after a key, which must not matter. */
const poisons = [0x00, 0xff, NEWLINE];

/** The last steps of the hash, the only ones for a key without bytes: to test lengths that do not fit into memory. */
function seal(state: readonly [bigint, bigint], length: bigint): bigint[] {
  const u64 = (x: bigint): bigint => BigInt.asUintN(64, x);
  const avalanche = (k: bigint): bigint => {
    const first = u64((k ^ (k >> 33n)) * 0xff51afd7ed558ccdn);
    const second = u64((first ^ (first >> 33n)) * 0xc4ceb9fe1a85ec53n);
    return second ^ (second >> 33n);
  };
  const h1 = u64((state[0] ^ length) + (state[1] ^ length));
  const h2 = u64((state[1] ^ length) + h1);
  const sum = u64(avalanche(h1) + avalanche(h2));
  return [sum, u64(sum + avalanche(h2))];
}

it('the test vectors are complete', () => {
  expect(vectors.map(({ seed }) => seed)).toEqual([0, 1, 42, 0x9747b28c, 0xffffffff, 0x7fffffff, 123456789]);
  expect(keys.slice(0, 71).map(({ length }) => length)).toEqual(Array.from({ length: 71 }, (_, length) => length));
  expect(keys.map(String).slice(71)).toContain('The quick brown fox jumps over the lazy dog');
  for (const { hashes } of vectors) expect(hashes).toHaveLength(keys.length);
});

describe.each(builds)('MurmurHash3 x64_128 in $name', ({ open }) => {
  const { kernel, memory } = open(2);
  const layout = new Layout(memory);
  const chunk = layout.take(Uint8Array, total + 32);
  const ends = layout.take(Uint32Array, keys.length);
  const hashes = layout.take(Uint8Array, 16 * keys.length);
  const big = new BigUint64Array(hashes.buffer, hashes.byteOffset, 2);

  const hashAt = (i: number): string => Buffer.from(hashes.subarray(16 * i, 16 * i + 16)).toString('hex');

  function put(bytes: Uint8Array, alignment: number, poison: number): void {
    chunk.fill(poison, 0, alignment + bytes.length + 32);
    chunk.set(bytes, alignment);
  }

  describe.each(vectors)('with seed $seed', (vector) => {
    it('hashes packed keys at every alignment', () => {
      for (const alignment of alignments) {
        chunk.fill(0xff);
        chunk.set(Buffer.concat(keys), alignment);
        let end = 0;
        ends.set(keys.map(({ length }) => (end += length)));
        hashes.fill(0);
        kernel.hash_packed(chunk.byteOffset + alignment, ends.byteOffset, keys.length, vector.seed, hashes.byteOffset);
        expect(keys.map((_, i) => hashAt(i))).toEqual(vector.hashes);
      }
      expect(layout.intact).toBe(true);
    });

    it.each(poisons)('hashes a key at every alignment, whatever byte follows it: %i', (poison) => {
      for (const alignment of alignments) {
        const found = keys.map((key) => {
          put(key, alignment, poison);
          ends[0] = key.length;
          kernel.hash_packed(chunk.byteOffset + alignment, ends.byteOffset, 1, vector.seed, hashes.byteOffset);
          return hashAt(0);
        });
        expect(found).toEqual(vector.hashes);
      }
      expect(layout.intact).toBe(true);
    });

    it.each(poisons)('hashes a line at every alignment, whatever byte follows it: %i', (poison) => {
      const lines = keys.flatMap((key, i) => (key.includes(NEWLINE) ? [] : [{ key, hash: vector.hashes[i] }]));
      expect(lines.length).toBeGreaterThan(70);
      for (const alignment of alignments) {
        for (const newline of [0, 1]) {
          // Without a newline, the empty key is not a line.
          const some = lines.filter(({ key }) => key.length + newline > 0);
          const found = some.map(({ key }) => {
            put(key, alignment, poison);
            if (newline) chunk[alignment + key.length] = NEWLINE;
            const text = chunk.byteOffset + alignment;
            const length = key.length + newline;
            const at = [hashes.byteOffset, ends.byteOffset] as const;
            const count = kernel.hash_lines(text, length, 1, 0, 9, vector.seed, ...at);
            return [count, ends[0], hashAt(0)];
          });
          expect(found).toEqual(some.map(({ key, hash }) => [1, key.length + newline, hash]));
        }
      }
      expect(layout.intact).toBe(true);
    });

    it('hashes a key in pieces of any multiple of 16 bytes', () => {
      const cases = fc.record({
        i: fc.nat(keys.length - 1),
        blocks: fc.array(fc.nat(6)),
        alignment: fc.constantFrom(...alignments),
        poison: fc.constantFrom(...poisons),
      });
      const property = fc.property(cases, ({ i, blocks, alignment, poison }) => {
        const key = keys[i] ?? Buffer.of();
        const piece = chunk.byteOffset + alignment;
        const whole = key.length & ~15;
        kernel.hash_begin(hashes.byteOffset, vector.seed);
        let at = 0;
        for (const length of [...blocks.map((count) => 16 * count), whole]) {
          const next = Math.min(at + length, whole);
          put(key.subarray(at, next), alignment, poison);
          kernel.hash_continue(hashes.byteOffset, piece, next - at);
          at = next;
        }
        put(key.subarray(whole), alignment, poison);
        kernel.hash_end(hashes.byteOffset, piece, key.length);
        expect(hashAt(0)).toBe(vector.hashes[i]);
      });
      fc.assert(property, { numRuns: 200 });
      expect(layout.intact).toBe(true);
    });

    it('counts lengths above 2^32', () => {
      for (const length of [0, 2 ** 32 - 16, 2 ** 32, 2 ** 32 + 16, 2 ** 40, 2 ** 53 - 16]) {
        kernel.hash_begin(hashes.byteOffset, vector.seed);
        expect([...big]).toEqual([BigInt(vector.seed), BigInt(vector.seed)]);
        kernel.hash_continue(hashes.byteOffset, chunk.byteOffset, 16);
        const state = [big[0] ?? 0n, big[1] ?? 0n] as const;
        kernel.hash_end(hashes.byteOffset, chunk.byteOffset, length);
        expect([...big]).toEqual(seal(state, BigInt(length)));
      }
    });
  });
});
