import type { Instance } from '../kernel/instance.ts';
import { encoder } from '../kernel/runtime.ts';
import { CHUNK_BYTES, CHUNK_UNITS } from '../kernel/scratch.ts';
import { requireBytes } from './key.ts';

// Keys that do not fit the scratch are hashed in pieces. Each piece but the last is a multiple of 16 bytes; the 0–15
// bytes left over are moved to the front, and the next piece is written after them.

/** Hashes bytes of any length. The hash becomes the first in the scratch. */
export function hashLongBytes(key: Uint8Array, { kernel, scratch }: Instance, seed: number): void {
  const bytes = requireBytes('key', key);
  kernel.murmur3_begin(scratch.hashes, seed);
  const whole = bytes.length - (bytes.length % 16);
  for (let at = 0; at < whole; at += CHUNK_BYTES) {
    const piece = bytes.subarray(at, Math.min(at + CHUNK_BYTES, whole));
    scratch.keyBytes.set(piece);
    kernel.murmur3_continue(scratch.hashes, scratch.keys, piece.length);
  }
  scratch.keyBytes.set(bytes.subarray(whole));
  kernel.murmur3_end(scratch.hashes, scratch.keys, bytes.length);
}

/** Hashes a string of any length. The hash becomes the first in the scratch. */
export function hashLongString(key: string, { kernel, scratch }: Instance, seed: number): void {
  const { keyBytes } = scratch;
  kernel.murmur3_begin(scratch.hashes, seed);
  let length = 0;
  let left = 0;
  // 16 units fewer than would fit, to leave room for the leftover bytes.
  for (let start = 0; start < key.length; ) {
    let end = Math.min(start + CHUNK_UNITS - 16, key.length);
    // A surrogate pair must not be cut in half.
    if (end < key.length && (key.codePointAt(end - 1) ?? 0) > 0xffff) end--;
    const { written } = encoder.encodeInto(key.slice(start, end), keyBytes.subarray(left));
    length += written;
    const filled = left + written;
    left = filled % 16;
    kernel.murmur3_continue(scratch.hashes, scratch.keys, filled - left);
    keyBytes.copyWithin(0, filled - left, filled);
    start = end;
  }
  kernel.murmur3_end(scratch.hashes, scratch.keys, length);
}
