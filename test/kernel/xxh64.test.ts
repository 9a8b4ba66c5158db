import { expect, it } from 'vitest';
import { randomBytes } from '../shared/awkward.ts';
import { builds } from './builds.ts';
import { Layout } from './layout.ts';

const MOST = 200;

// test/foreign/parquet.test.ts proves the hash of a whole key right.
it.each(builds)('XXH64 of a key in pieces is that of the whole key: $name', ({ open }) => {
  const { kernel, memory } = open(2, 2, { module: 'parquet' });
  const layout = new Layout(memory);
  const bytes = layout.take(Uint8Array, MOST + 32);
  const ends = layout.take(Uint32Array, 1);
  const hashes = layout.take(BigUint64Array, 2);
  const state = layout.take(BigUint64Array, 7);
  for (let length = 0; length <= MOST; length++) {
    bytes.fill(0xff).set(randomBytes(length, length));
    ends[0] = length;
    kernel.hash_packed(bytes.byteOffset, ends.byteOffset, 1, 0, hashes.byteOffset);
    const whole = length - (length % 16);
    for (const size of [16, 32, 48, 208]) {
      kernel.hash_begin(state.byteOffset, 0);
      for (let at = 0; at < whole; at += size) {
        kernel.hash_continue(state.byteOffset, bytes.byteOffset + at, Math.min(size, whole - at));
      }
      kernel.hash_end(state.byteOffset, bytes.byteOffset + whole, length);
      expect(state[0], `${length} bytes in pieces of ${size}`).toBe(hashes[0]);
    }
  }
  expect(layout.intact).toBe(true);
});
