// How the keys of one call are read. Needs no server. That all collections of keys are kept: test/open/every-kind.test.ts.

import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { engine, readKeys } from '../../src/redis/hashes.ts';

/** The keys of a part. */
const PART = 32_768;
const HASH = { engine, seed: 7 };
const names = Array.from({ length: PART + 1000 }, (_, i) => `käse ${i}`);

/** Reads keys a part at a time, and keeps all of them. Uses other memory of the kernel in between. */
function keep(reader: ReturnType<typeof readKeys>): unknown {
  for (const part of reader.parts()) {
    // Other calls overwrite the scratch while this one waits for its answers.
    for (const _ of readKeys(['another', 'call'], HASH).parts());
    reader.keep(new Uint8Array(part.length / 2).fill(1), 1);
  }
  return reader.source.kept();
}

describe('reading keys', () => {
  it('asks for each of them once', () => {
    let reads = 0;
    const keys = new Proxy(names, {
      get(target, name, receiver) {
        if (typeof name === 'string' && /^\d+$/.test(name)) reads++;
        return Reflect.get(target, name, receiver);
      },
    });
    // Without the difference, which takes minutes to print.
    expect(isDeepStrictEqual(keep(readKeys(keys, HASH, true)), names)).toBe(true);
    expect(reads).toBe(names.length);
  });

  it('copies those of a generator that reuses one buffer', () => {
    const encoded = names.map((name) => new TextEncoder().encode(name));
    const reusing = function* (): Generator<Uint8Array> {
      const buffer = new Uint8Array(20);
      for (const bytes of encoded) {
        buffer.set(bytes);
        yield buffer.subarray(0, bytes.length);
      }
    };
    expect(isDeepStrictEqual(keep(readKeys(reusing(), HASH, true)), encoded)).toBe(true);
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
      // At most as many keys more as are read ahead.
      expect(reads).toBeLessThan(PART + 2 * 768);
      break;
    }
    expect(isEnded).toBe(true);
  });

  it('yields the keys before one that is invalid, which can be kept, and then throws', () => {
    const keys = names.slice(0, PART + 9);
    const reader = readKeys([...keys, 1.5, 'after'], HASH, true);
    expect(() => keep(reader)).toThrow(new RegExp(`^keys\\[${PART + 9}\\] must be a safe integer`));
    expect(isDeepStrictEqual(reader.source.kept(), keys)).toBe(true);
  });
});
