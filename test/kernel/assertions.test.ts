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
  const hashes = layout.take(Uint8Array, 64);
  const place = layout.take(Uint8Array, 64);

  it.each([
    {
      what: 'a key ends before it starts',
      call(): void {
        ends.set([10, 5]);
        kernel.hash_packed(place.byteOffset, ends.byteOffset, 2, 0, hashes.byteOffset);
      },
    },
    { what: 'bloom_add has no bits', call: () => kernel.bloom_add(place.byteOffset, 0, 1, hashes.byteOffset, 1) },
    {
      what: 'bloom_add_flags has no bits',
      call: () => kernel.bloom_add_flags(place.byteOffset, 0, 1, hashes.byteOffset, 1, hashes.byteOffset),
    },
    {
      what: 'bloom_has has no bits',
      call: () => kernel.bloom_has(place.byteOffset, 0, 1, hashes.byteOffset, 1, hashes.byteOffset),
    },
    {
      what: 'a string is too long to be read',
      call: () => kernel.bloom_has_key(place.byteOffset, 1, 1, 'é'.repeat(5440), 0, 5440, 0),
    },
  ])(asserts ? 'fail if $what' : 'are absent if $what', ({ call }) => {
    if (asserts) expect(call).toThrow(/unreachable|abort/);
    else expect(call).not.toThrow();
  });
});
