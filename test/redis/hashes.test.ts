// Keys of one call: read and hashed once, and kept after their flags are known. Needs no server.

import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { hashKeys } from '../../src/hash.ts';
import { column, type Keys, lines } from '../../src/index.ts';
import { engine, readKeys } from '../../src/redis/hashes.ts';
import { bytesOf, murmur3 } from '../shared/oracle.ts';

/** More than two parts, the last of which is short. */
const COUNT = 70_000;
const SEED = 7;
const HASH = { engine, seed: SEED };
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
    for (const _ of readKeys(['another', 'call'], { engine, seed: 0 }).parts());
    for (const _ of readKeys(lines(new Uint8Array(200_000).fill(10)), { engine, seed: 0 }).parts());
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
  const data = new Uint8Array(offsets.at(-1) ?? 0);
  for (const [i, bytes] of texts.entries()) data.set(bytes, offsets[i]);
  return column(data, offsets);
}

const textOf = (texts: readonly string[], end: string): Uint8Array =>
  new TextEncoder().encode(texts.map((text) => text + end).join(''));

/** Without the difference, which takes minutes to print. */
function expectSame(actual: unknown, expected: unknown): void {
  expect(isDeepStrictEqual(actual, expected)).toBe(true);
}

const chosen = (wanted = true): number[] => names.flatMap((_, i) => (isWanted(i) === wanted ? [i] : []));

describe('keys that are kept after their flags are known', () => {
  it('have the hashes that the format specifies, in order', () => {
    const { hashes, parts } = keep(names);
    expect(parts).toBe(3);
    expect(hashes).toHaveLength(2 * COUNT);
    for (const i of [0, 1, 4999, 5001, 32_767, 32_768, COUNT - 1]) {
      const [high] = murmur3(bytesOf(names[i] as string), SEED);
      expect((BigInt(hashes[2 * i + 1] as number) << 32n) | BigInt(hashes[2 * i] as number)).toBe(high);
    }
  });

  it.each<[string, () => Keys, () => Keys]>([
    ['an array', () => names, () => chosen().map((i) => names[i] as string)],
    ['a set', () => new Set(encoded), () => chosen().map((i) => encoded[i] as Uint8Array)],
    ['a generator that reuses one buffer', reusingOneBuffer, () => chosen().map((i) => encoded[i] as Uint8Array)],
    [
      'an array of all types',
      () => names.map((name, i) => [name, i, BigInt(i), encoded[i] as Uint8Array][i % 4] as string),
      () => chosen().map((i) => [names[i] as string, i, BigInt(i), encoded[i] as Uint8Array][i % 4] as string),
    ],
    ['32-bit integers', () => Uint32Array.from(names.keys()), () => Uint32Array.from(chosen())],
    [
      '64-bit integers',
      () => BigInt64Array.from(names, (_, i) => -BigInt(i)),
      () => BigInt64Array.from(chosen(), (i) => -BigInt(i)),
    ],
  ])('come back as %s', (_, keys, expected) => {
    expectSame(keep(keys()).kept, expected());
  });

  it.each(['\n', '\r\n'])('come back as lines that end with %j', (end) => {
    const { kept } = keep(lines(textOf(names, end)));
    const { bytes, crlf } = kept as ReturnType<typeof lines>;
    expect(crlf).toBe(true);
    expect(
      Buffer.compare(
        bytes,
        textOf(
          chosen().map((i) => names[i] as string),
          end,
        ),
      ),
    ).toBe(0);
    expect((kept as ReturnType<typeof lines>).count()).toBe(chosen().length);
  });

  it('come back as a column', () => {
    const { data, offsets } = keep(columnOf(encoded)).kept as ReturnType<typeof column>;
    const wanted = columnOf(chosen().map((i) => encoded[i] as Uint8Array));
    expectSame(offsets, wanted.offsets);
    expect(Buffer.compare(data, wanted.data)).toBe(0);
  });

  it('come back as hashes', () => {
    const { kept } = keep(hashKeys(names, { seed: SEED }));
    const wanted = chosen().map((i) => names[i] as string);
    expectSame(kept, hashKeys(wanted, { seed: SEED }));
  });

  it('may be those whose flag is 0', () => {
    expectSame(
      keep(names, 0).kept,
      chosen(false).map((i) => names[i]),
    );
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
    for (const part of readKeys(endless(), { engine, seed: 0 }).parts()) {
      expect(part.length / 2).toBeGreaterThanOrEqual(32_768);
      // A window of keys more, at most.
      expect(reads).toBeLessThan(32_768 + 2 * 768);
      break;
    }
    expect(isEnded).toBe(true);
  });

  it('yields the keys before one that is invalid, which can be kept, and then throws', () => {
    const reader = readKeys([...names.slice(0, 40_000), 1.5, 'after'], HASH, true);
    let count = 0;
    const read = (): void => {
      for (const part of reader.parts()) {
        reader.keep(new Uint8Array(part.length / 2).fill(1), 1);
        count += part.length / 2;
      }
    };
    expect(read).toThrow(/^keys\[40000\] must be a safe integer/);
    expect(count).toBe(40_000);
    expectSame(reader.source.kept(), names.slice(0, 40_000));
  });
});
