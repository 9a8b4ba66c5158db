// The buckets of a cuckoo filter: four slots each, of `bits` bits, 7 … 32. A slot of 0 is empty. Slot s of bucket i is
// the field of `bits` bits at bit (4 i + s) · bits of the body, so a bucket may begin at any half byte.

import { MOST_IN_WORD, readField, writeField } from "./fields";

/** `slotOf` returns this if there is no such slot. */
export const NONE: u32 = 4;

/** The address of the byte that contains the first bit of a bucket. */
@inline
function byteOf(body: usize, bits: u32, bucket: u32): usize {
  return body + bucket * (bits >> 1) + ((bucket & -(bits & 1)) >> 1);
}

/** The position of the bucket's first bit in that byte: 0 or 4. */
@inline
function startOf(bits: u32, bucket: u32): u32 {
  return (bucket & bits & 1) << 2;
}

@inline
export function read(body: usize, bits: u32, bucket: u32, slot: u32): u32 {
  return readField(byteOf(body, bits, bucket), startOf(bits, bucket) + slot * bits, bits);
}

export function write(body: usize, bits: u32, bucket: u32, slot: u32, value: u32): void {
  writeField(byteOf(body, bits, bucket), startOf(bits, bucket) + slot * bits, bits, value);
}

/**
 * The highest bit of the lowest field that equals the fingerprint, in a bucket of up to 64 bits; 0 if there is none.
 * Higher bits may be set as well.
 */
@inline
function matches(body: usize, bits: u32, ones: u64, bucket: u32, fingerprint: u32): u64 {
  const word = load<u64>(byteOf(body, bits, bucket), 0, 1) >> startOf(bits, bucket);
  const others = word ^ (fingerprint * ones);
  return (others - ones) & ~others & (ones << (bits - 1));
}

/** Whether a slot of the bucket has the fingerprint, for any width. */
function isIn(body: usize, bits: u32, bucket: u32, fingerprint: u32): bool {
  const byte = byteOf(body, bits, bucket);
  const start = startOf(bits, bucket);
  return (
    readField(byte, start, bits) == fingerprint || readField(byte, start + bits, bits) == fingerprint ||
    readField(byte, start + 2 * bits, bits) == fingerprint || readField(byte, start + 3 * bits, bits) == fingerprint
  );
}

/** The first slot of a bucket that has this value, or NONE. */
export function slotOf(body: usize, bits: u32, bucket: u32, value: u32): u32 {
  const byte = byteOf(body, bits, bucket);
  const start = startOf(bits, bucket);
  let slot: u32 = 0;
  while (slot < 4 && readField(byte, start + slot * bits, bits) != value) slot++;
  return slot;
}

/** Whether a fingerprint is in one of two buckets. `ones` is `onesOf(bits)`. */
@inline
export function isInEither(body: usize, bits: u32, ones: u64, first: u32, second: u32, fingerprint: u32): bool {
  if (ASC_FEATURE_SIMD) {
    if (bits <= MOST_IN_WORD) {
      return (matches(body, bits, ones, first, fingerprint) | matches(body, bits, ones, second, fingerprint)) != 0;
    }
  }
  return isIn(body, bits, first, fingerprint) || isIn(body, bits, second, fingerprint);
}

/** Stores a fingerprint in a bucket. Returns false if the bucket has no empty slot. */
@inline
export function fill(body: usize, bits: u32, bucket: u32, fingerprint: u32): bool {
  const slot = slotOf(body, bits, bucket, 0);
  if (slot == NONE) return false;
  write(body, bits, bucket, slot, fingerprint);
  return true;
}

/** Empties the first slot of a bucket that has the fingerprint. Returns false if there is none. */
@inline
export function take(body: usize, bits: u32, bucket: u32, fingerprint: u32): bool {
  const slot = slotOf(body, bits, bucket, fingerprint);
  if (slot == NONE) return false;
  write(body, bits, bucket, slot, 0);
  return true;
}

/** The number of slots of a bucket that have a value. */
export function countIn(body: usize, bits: u32, bucket: u32, value: u32): u32 {
  let count: u32 = 0;
  for (let slot: u32 = 0; slot < 4; slot++) count += u32(read(body, bits, bucket, slot) == value);
  return count;
}
