// Keys of one call: read once, and kept after their flags are known. Needs no server. Other collections of keys are kept
// in test/open/every-kind.test.ts.

import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { lines } from '../../src/index.ts';
import { engine, readKeys } from '../../src/redis/hashes.ts';

/** The keys of a part. */
const PART = 32_768;
const COUNT = PART + 1000;
const HASH = { engine, seed: 7 };
const names = Array.from({ length: COUNT }, (_, i) => (i % 9973 === 5000 ? 'long'.repeat(40_000) : `käse ${i}`));
const encoded = names.map((name) => new TextEncoder().encode(name));
const isWanted = (i: number): boolean => Math.imul(i, 0x9e3779b1) >>> 31 === 1;

/** Reads keys a part at a time, and keeps those that are wanted. Uses other memory of the kernel in between. */
function keep(keys: unknown, wanted: 0 | 1 = 1): unknown {
  const reader = readKeys(keys, HASH, true);
  let at = 0;
  for (const part of reader.parts()) {
    const flags = Uint8Array.from({ length: part.length / 2 }, () => Number(isWanted(at++)));
    // Other calls overwrite the scratch while this one waits for its answers.
    for (const _ of readKeys(['another', 'call'], HASH).parts());
    for (const _ of readKeys(lines(new Uint8Array(200_000).fill(10)), HASH).parts());
    reader.keep(flags, wanted);
  }
  return reader.source.kept();
}

function* reusingOneBuffer(): Generator<Uint8Array> {
  const buffer = new Uint8Array(200_000);
  for (const bytes of encoded) {
    buffer.set(bytes);
    yield buffer.subarray(0, bytes.length);
  }
}

const mixed = names.map((name, i) => [name, i, -BigInt(i), encoded[i]][i % 4]);

describe('keys that are kept after their flags are known', () => {
  it.each<[string, () => unknown, readonly unknown[]]>([
    ['an array of all types', () => mixed, mixed],
    ['a generator that reuses one buffer', reusingOneBuffer, encoded],
    ['a set', () => new Set(encoded), encoded],
  ])('come back as they came, those with either flag: %s', (_, keys, all) => {
    for (const wanted of [0, 1] as const) {
      const expected = all.filter((_, i) => isWanted(i) === (wanted === 1));
      // Without the difference, which takes minutes to print.
      expect(isDeepStrictEqual(keep(keys(), wanted), expected)).toBe(true);
    }
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
    keep(keys);
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
