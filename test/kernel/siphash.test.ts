import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeyedExports } from '../../src/kernel/generated/keyed/exports.ts';
import { randomBytes } from '../shared/awkward.ts';
import { hexOf, siphash, siphash13, type Variant } from '../shared/siphash.ts';
import { builds } from './builds.ts';
import { Layout } from './layout.ts';

interface Vectors extends Variant {
  readonly key: string;
  /** The hashes by the length of the message. */
  readonly hashes: Readonly<Record<string, string>>;
}

const file = new URL('../vectors/siphash.json', import.meta.url);
const { variants } = JSON.parse(readFileSync(file, 'utf8')) as { variants: readonly Vectors[] };

const NEWLINE = 0x0a;
const alignments = Array.from({ length: 16 }, (_, i) => i);
/** Values for the bytes around a key, which must not matter. */
const poisons = [0x00, 0xff, NEWLINE];
const PAGE = 65536;
const PAGES = 3;
/** How many bytes behind a key must be readable. */
const READABLE = 20;

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const nameOf = ({ c, d, bits, key }: Vectors): string => `SipHash-${c}-${d}-${bits} under ${key}`;
const messageOf = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => i);

it('the test vectors are complete', () => {
  const lengths = variants.map(({ hashes }) => Object.keys(hashes).map(Number));
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
  expect(variants.slice(0, 2).map(nameOf)).toEqual(
    [64, 128].map((bits) => `SipHash-2-4-${bits} under 000102030405060708090a0b0c0d0e0f`),
  );
  expect(lengths.slice(0, 2)).toEqual([upTo(64), upTo(64)]);
  expect(lengths[2]?.slice(0, 71)).toEqual(upTo(71));
  for (const own of variants.slice(2)) expect(own).toMatchObject({ c: 1, d: 3, bits: 128 });
});

it.each(variants.map((each) => ({ ...each, name: nameOf(each) })))('the slow hash is right: $name', (variant) => {
  const key = bytesOf(variant.key);
  for (const [length, hash] of Object.entries(variant.hashes)) {
    expect(hexOf(siphash(messageOf(Number(length)), key, variant)), `${length} bytes`).toBe(hash);
  }
});

/** SipHash-1-3-128 of the package siphash. The key is four words, and so is the hash, from its highest to its lowest. */
const { hash: hashOfOthers } = createRequire(import.meta.url)('siphash/lib/siphash13-double.js') as {
  hash(key: Uint32Array, message: Uint8Array): Uint32Array;
};

it('the slow hash is that of another implementation, under any key', () => {
  const anyKey = fc.uint8Array({ minLength: 16, maxLength: 16 });
  const property = fc.property(anyKey, fc.uint8Array({ maxLength: 300 }), (key, message) => {
    const words = hashOfOthers(new Uint32Array(key.slice().buffer), message).reverse();
    expect(hexOf(siphash13(message, key))).toBe(Buffer.from(words.buffer).toString('hex'));
  });
  fc.assert(property, { numRuns: 1000 });
});

/** Keys of every length from 0 to 70, and some that are longer. */
const keys = [...Array.from({ length: 71 }, (_, i) => i), 127, 128, 255, 256, 257, 1000].map((length) =>
  randomBytes(length, length),
);
const units = ['a', '\x7f', '\x80', 'é', '\u07ff', '\u0800', '漢', '\uffff', '😀', '\ud83d', '\ude00'];
/** Strings of every length, of which all units are alike, or only the last or the first is not ASCII. */
const texts = units.flatMap((unit) =>
  Array.from({ length: 70 }, (_, length) => {
    const others = 'x'.repeat(length);
    return [unit.repeat(length), `${others}${unit}`, `${unit}${others}`];
  }).flat(),
);
/** The secrets, with all hashes under them, so that the slow hash runs once for all builds. */
const secrets = variants.slice(2).map(({ key: hex, hashes }) => {
  const secret = bytesOf(hex);
  return {
    hex,
    secret,
    vectors: Object.entries(hashes),
    expected: keys.map((key) => hexOf(siphash13(key, secret))),
    ofTexts: texts.map((text) => hexOf(siphash13(new TextEncoder().encode(text), secret))),
  };
});
/** The size of the longest message of the vectors, and of all keys together. */
const ROOM = PAGE;
const SEEDS = [0, 7, 2 ** 32 - 1];

describe.each(builds)('SipHash-1-3-128 in $name', ({ open }) => {
  describe.each(secrets)('under the secret $hex', ({ hex, secret, vectors, expected, ofTexts }) => {
    const opened = open(PAGES, PAGES, { module: 'keyed', secret });
    const { memory } = opened;
    const kernel = opened.kernel as typeof opened.kernel & KeyedExports;
    const layout = new Layout(memory);
    const chunk = layout.take(Uint8Array, ROOM + 64);
    const ends = layout.take(Uint32Array, keys.length);
    const hashes = layout.take(Uint8Array, 16 * keys.length + 32);

    const hashAt = (i: number): string => Buffer.from(hashes.subarray(16 * i, 16 * i + 16)).toString('hex');
    const hexAt = (pointer: number): string => Buffer.from(memory.buffer, pointer, 16).toString('hex');

    function put(bytes: Uint8Array, alignment: number, poison: number): void {
      chunk.fill(poison, 0, alignment + bytes.length + 32);
      chunk.set(bytes, alignment);
    }

    it('hashes the messages of the test vectors', () => {
      expect(vectors.map(([length]) => length)).toContain(String(ROOM));
      const found = vectors.map(([length]) => {
        const message = messageOf(Number(length));
        put(message, 0, 0xff);
        return [length, hexAt(kernel.hash_key(null, chunk.byteOffset, message.length, 0))];
      });
      expect(found).toEqual(vectors);
    });

    it('hashes packed keys at every alignment', () => {
      for (const alignment of alignments) {
        chunk.fill(0xff);
        chunk.set(Buffer.concat(keys), alignment);
        let end = 0;
        ends.set(keys.map(({ length }) => (end += length)));
        hashes.fill(0);
        kernel.hash_packed(chunk.byteOffset + alignment, ends.byteOffset, keys.length, alignment, hashes.byteOffset);
        expect(keys.map((_, i) => hashAt(i))).toEqual(expected);
      }
      expect(layout.intact).toBe(true);
    });

    it.each(poisons)('hashes a key at every alignment, whatever is around it, and whatever the seed: %i', (poison) => {
      for (const alignment of alignments) {
        const found = keys.map((key, i) => {
          put(key, alignment, poison);
          return hexAt(kernel.hash_key(null, chunk.byteOffset + alignment, key.length, SEEDS[i % 3] as number));
        });
        expect(found).toEqual(expected);
      }
      expect(layout.intact).toBe(true);
    });

    it.each(poisons)('hashes a line at every alignment, whatever is around it: %i', (poison) => {
      const some = keys.flatMap((key, i) => (key.includes(NEWLINE) ? [] : [{ key, hash: expected[i] }]));
      expect(some.length).toBeGreaterThan(60);
      for (const mark of ['\n', '\r\n', ''].map((text) => Buffer.from(text))) {
        for (const alignment of alignments) {
          // Without its end, the empty key is not a line.
          const lines = some.filter(({ key }) => key.length + mark.length > 0);
          const found = lines.map(({ key }) => {
            const text = Buffer.concat([key, mark]);
            put(text, alignment, poison);
            const at = chunk.byteOffset + alignment;
            const crlf = Number(mark.length === 2);
            const count = kernel.hash_lines(at, text.length, 1, crlf, 9, 1, hashes.byteOffset, ends.byteOffset);
            return [count, ends[0], hashAt(0)];
          });
          expect(found).toEqual(lines.map(({ key, hash }) => [1, key.length + mark.length, hash]));
        }
      }
      expect(layout.intact).toBe(true);
    });

    it('hashes integers as their 8 bytes', () => {
      const extremes = [0n, 1n, -1n, 2n ** 31n, -(2n ** 31n), 2n ** 32n - 1n, 2n ** 63n - 1n, -(2n ** 63n)];
      const expectedOf = (value: bigint): string =>
        hexOf(siphash13(new Uint8Array(BigInt64Array.of(value).buffer), secret));
      const integers = new BigInt64Array(chunk.buffer, chunk.byteOffset, extremes.length);
      integers.set(extremes);
      kernel.hash_u64(chunk.byteOffset, extremes.length, 1, hashes.byteOffset);
      expect(extremes.map((_, i) => hashAt(i))).toEqual(extremes.map(expectedOf));
      for (const [signed, wrap] of [BigInt.asUintN, BigInt.asIntN].entries()) {
        const words = new Int32Array(chunk.buffer, chunk.byteOffset, extremes.length);
        words.set(extremes.map((value) => Number(BigInt.asIntN(32, value))));
        kernel.hash_32(chunk.byteOffset, extremes.length, signed, 1, hashes.byteOffset);
        expect(extremes.map((_, i) => hashAt(i))).toEqual(extremes.map((value) => expectedOf(wrap(32, value))));
      }
      expect(layout.intact).toBe(true);
    });

    it('reads strings of every length and width', () => {
      const found = texts.map((text) => hexAt(kernel.hash_key(text, 0, text.length, 1)));
      expect(found).toEqual(ofTexts);
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
        const key = keys[i] as Uint8Array;
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
        expect(hashAt(0)).toBe(expected[i]);
      });
      fc.assert(property, { numRuns: 200 });
      expect(layout.intact).toBe(true);
    });

    it('counts lengths modulo 256, also above 2^32', () => {
      const hashOf = (length: number): string => {
        kernel.hash_begin(hashes.byteOffset, 1);
        kernel.hash_continue(hashes.byteOffset, chunk.byteOffset, 16);
        kernel.hash_end(hashes.byteOffset, chunk.byteOffset, length);
        return hashAt(0);
      };
      chunk.set(messageOf(16));
      const expectedHash = hashOf(16);
      expect(expectedHash).toBe(hexOf(siphash13(messageOf(16), secret)));
      for (const length of [2 ** 32 + 16, 2 ** 40 + 16, 2 ** 53 - 240]) expect(hashOf(length)).toBe(expectedHash);
      expect(hashOf(2 ** 32 + 32)).not.toBe(expectedHash);
    });

    it('hashes files, which have the seed 0, under another secret', () => {
      const other = secret.map((byte) => byte ^ 0x5c);
      for (const length of [0, 7, 16, 31, 64]) {
        chunk.set(messageOf(length));
        const whole = length & ~15;
        kernel.hash_begin(hashes.byteOffset, 0);
        kernel.hash_continue(hashes.byteOffset, chunk.byteOffset, whole);
        kernel.hash_end(hashes.byteOffset, chunk.byteOffset + whole, length);
        expect(hashAt(0)).toBe(hexOf(siphash13(messageOf(length), other)));
      }
    });

    it('reads no more than 20 bytes behind a key, and needs nothing before it', () => {
      const end = PAGES * PAGE - READABLE;
      for (const [i, key] of keys.entries()) {
        new Uint8Array(memory.buffer).set(key, end - key.length);
        ends[0] = key.length;
        kernel.hash_packed(end - key.length, ends.byteOffset, 1, 0, hashes.byteOffset);
        expect(hashAt(0)).toBe(expected[i]);
        expect(hexAt(kernel.hash_key(null, end - key.length, key.length, 0))).toBe(expected[i]);
      }
    });

    it('never changes the secret', () => {
      expect(hexAt(kernel.secret_at())).toBe(hex);
    });
  });
});
