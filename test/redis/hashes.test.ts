// Keys of one call: read and hashed once, and kept after their flags are known. Needs no server.

import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hashKeys } from '../../src/entries/hash.ts';
import { column, type Keys, lines } from '../../src/index.ts';
import { engine, readKeys } from '../../src/redis/hashes.ts';
import { bytesOf, murmur3 } from '../shared/oracle.ts';

/** The keys of a part. */
const PART = 32_768;
/** Two parts, and a short one. */
const COUNT = 2 * PART + 1000;
const HASH = { engine, seed: 7 };
const names = Array.from({ length: COUNT }, (_, i) => (i % 9973 === 5000 ? 'long'.repeat(40_000) : `käse ${i}`));
const encoded = names.map((name) => new TextEncoder().encode(name));
const isWanted = (i: number): boolean => Math.imul(i, 0x9e3779b1) >>> 31 === 1;

/** Reads keys a part at a time, and keeps those that are wanted. Uses other memory of the kernel in between. */
function keep(keys: unknown, wanted: 0 | 1 = 1): { kept: unknown; hashes: number[]; parts: number } {
  const reader = readKeys(keys, HASH, true);
  const hashes: number[] = [];
  let parts = 0;
  let at = 0;
  for (const part of reader.parts()) {
    for (const word of part) hashes.push(word);
    const flags = Uint8Array.from({ length: part.length / 2 }, (_, i) => Number(isWanted(at + i)));
    at += flags.length;
    parts++;
    // Other calls overwrite the scratch while this one waits for its answers.
    for (const _ of readKeys(['another', 'call'], HASH).parts());
    for (const _ of readKeys(lines(new Uint8Array(200_000).fill(10)), HASH).parts());
    reader.keep(flags, wanted);
  }
  return { kept: reader.source.kept(), hashes, parts };
}

function* reusingOneBuffer(): Generator<Uint8Array> {
  const buffer = new Uint8Array(200_000);
  for (const bytes of encoded) {
    buffer.set(bytes);
    yield buffer.subarray(0, bytes.length);
  }
}

function columnOf(texts: readonly Uint8Array[]): ReturnType<typeof column> {
  const offsets = new Int32Array(texts.length + 1);
  for (const [i, { length }] of texts.entries()) offsets[i + 1] = (offsets[i] ?? 0) + length;
  return column(new Uint8Array(Buffer.concat(texts)), offsets);
}

const linesOf = (texts: readonly string[], end: string): ReturnType<typeof lines> =>
  lines(new TextEncoder().encode(texts.map((text) => text + end).join('')));

const chosen = (wanted = true): number[] => [...names.keys()].filter((i) => isWanted(i) === wanted);

describe('keys that are kept after their flags are known', () => {
  it('have the hashes that the format specifies, in order', () => {
    const { hashes, parts } = keep(names);
    expect(parts).toBe(3);
    expect(hashes).toHaveLength(2 * COUNT);
    for (const i of [0, 1, 4999, 5001, PART - 1, PART, COUNT - 1]) {
      const [high] = murmur3(bytesOf(names[i] as string), HASH.seed);
      expect((BigInt(hashes[2 * i + 1] as number) << 32n) | BigInt(hashes[2 * i] as number)).toBe(high);
    }
  });

  it.each<[string, (texts: string[], bytes: Uint8Array[], all: readonly number[]) => Keys]>([
    ['an array', (texts) => texts],
    ['an array of bytes', (_, bytes) => bytes],
    ['an array of all types', (_, __, all) => all.map((i) => [names[i], i, BigInt(i), encoded[i]][i % 4] as string)],
    ['32-bit integers', (_, __, all) => Uint32Array.from(all)],
    ['64-bit integers', (_, __, all) => BigInt64Array.from(all, (i) => -BigInt(i))],
    ['lines', (texts) => linesOf(texts, '\n')],
    ['lines of Windows', (texts) => linesOf(texts, '\r\n')],
    ['a column', (_, bytes) => columnOf(bytes)],
    ['hashes', (texts) => hashKeys(texts, { seed: HASH.seed })],
  ])('come back as %s', (_, shape) => {
    const { kept } = keep(shape(names, encoded, [...names.keys()]));
    const wanted = chosen();
    const [texts, bytes] = [wanted.map((i) => names[i] as string), wanted.map((i) => encoded[i] as Uint8Array)];
    // Without the difference, which takes minutes to print.
    expect(isDeepStrictEqual(kept, shape(texts, bytes, wanted))).toBe(true);
  });

  it('come back as an array of copies from a generator that reuses one buffer, and from a set', () => {
    const wanted = chosen().map((i) => encoded[i]);
    expect(isDeepStrictEqual(keep(reusingOneBuffer()).kept, wanted)).toBe(true);
    expect(isDeepStrictEqual(keep(new Set(encoded)).kept, wanted)).toBe(true);
  });

  it('may be those whose flag is 0', () => {
    const wanted = chosen(false).map((i) => names[i]);
    expect(isDeepStrictEqual(keep(names, 0).kept, wanted)).toBe(true);
  });
});

describe('reading keys', () => {
  it('asks for each of them once', () => {
    let reads = 0;
    const keys = new Proxy(names, {
      get(target, name, receiver) {
        if (typeof name === 'string' && /^\d+$/.test(name)) reads++;
        return Reflect.get(target, name, receiver);
      },
    });
    expect(keep(keys).kept).toHaveLength(chosen().length);
    expect(reads).toBe(COUNT);
  });

  it('reads no further than the part that is sent, and ends the iterator if the call fails', () => {
    let reads = 0;
    let isEnded = false;
    function* endless(): Generator<number> {
      try {
        for (;;) yield reads++;
      } finally {
        isEnded = true;
      }
    }
    for (const part of readKeys(endless(), HASH).parts()) {
      expect(part.length / 2).toBeGreaterThanOrEqual(PART);
      // A window of keys more, at most.
      expect(reads).toBeLessThan(PART + 2 * 768);
      break;
    }
    expect(isEnded).toBe(true);
  });

  it('yields the keys before one that is invalid, which can be kept, and then throws', () => {
    const reader = readKeys([...names.slice(0, PART + 9), 1.5, 'after'], HASH, true);
    const read = (): void => {
      for (const part of reader.parts()) reader.keep(new Uint8Array(part.length / 2).fill(1), 1);
    };
    expect(read).toThrow(new RegExp(`^keys\\[${PART + 9}\\] must be a safe integer`));
    expect(isDeepStrictEqual(reader.source.kept(), names.slice(0, PART + 9))).toBe(true);
  });
});
