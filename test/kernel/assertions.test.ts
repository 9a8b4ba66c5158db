import { describe, expect, it } from 'vitest';
import { debug, release } from './builds.ts';
import { Layout } from './layout.ts';

// The other tests run debug.wasm with assertions on. These tests show that the assertions can fail.

describe.each([
  { ...debug, asserts: true },
  { ...release, asserts: false },
])('assertions in $name', ({ open, asserts }) => {
  const { kernel, memory } = open(2);
  const layout = new Layout(memory);
  const ends = layout.take(Uint32Array, 2);
  ends.set([10, 5]);
  const hashes = layout.take(Uint8Array, 64).byteOffset;
  const place = layout.take(Uint8Array, 64).byteOffset;

  it.each([
    ['a key ends before it starts', () => kernel.hash_packed(place, ends.byteOffset, 2, 0, hashes)],
    ['bloom_add has no bits', () => kernel.bloom_add(place, 0, 1, hashes, 1)],
    ['bloom_add_flags has no bits', () => kernel.bloom_add_flags(place, 0, 1, hashes, 1, hashes)],
    ['bloom_has has no bits', () => kernel.bloom_has(place, 0, 1, hashes, 1, hashes)],
    ['a string is too long to be read', () => kernel.bloom_has_key(place, 1, 1, 'é'.repeat(5440), 0, 5440, 0)],
  ])(asserts ? 'fail if %s' : 'are absent if %s', (_, call) => {
    if (asserts) expect(call).toThrow(/unreachable|abort/);
    else expect(call).not.toThrow();
  });
});
