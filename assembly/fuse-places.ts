// Where the cells of a key are, in binary fuse filters and maps: in segments of 2^exponent cells, one in each of three
// adjacent segments.
//
// h1 is mixed with the number of the attempt at building that succeeded. The high bits of the mixed hash give the first
// cell, its low bits the places of the others in their segments; its halves, combined, give the fingerprint. The format
// freezes this. A cell has 1 to 32 bits, and cell i is the bits from i · bits on.

import { add, multiply, multiplyConstant } from "./arithmetic";
import { scaleNarrow } from "./classic";
import { WORK } from "./memory";
import { avalanche } from "./murmur3";

const STEP: u64 = 0x9e3779b97f4a7c15;

/** The number that an attempt adds to each h1. */
@inline
export function offsetOf(attempt: u32): u64 {
  return multiply(attempt + 1, STEP);
}

@inline
export function mix(h1: u64, offset: u64): u64 {
  return avalanche(add(h1, offset));
}

/** The h1 of a mixed hash: undoes `mix`. The XOR with a shift by more than half of the bits is its own inverse. */
@inline
export function unmix(mixed: u64, offset: u64): u64 {
  let k = multiplyConstant(mixed ^ (mixed >> 33), 0x9cb4b2f8129337db);
  k = multiplyConstant(k ^ (k >> 33), 0x4f74430c22a54005);
  return (k ^ (k >> 33)) - offset;
}

@inline
export function firstCell(mixed: u64, exponent: u32, segments: u32): u32 {
  return <u32>scaleNarrow(mixed, segments << exponent);
}

@inline
export function secondCell(mixed: u64, first: u32, exponent: u32): u32 {
  const length: u32 = 1 << exponent;
  return (first + length) ^ (<u32>(mixed >> 18) & (length - 1));
}

@inline
export function thirdCell(mixed: u64, first: u32, exponent: u32): u32 {
  const length: u32 = 1 << exponent;
  return (first + 2 * length) ^ (<u32>mixed & (length - 1));
}

/** The fingerprint in the low bits; the bits above it must be ignored. */
@inline
export function fingerprint(mixed: u64): u32 {
  return <u32>(mixed >> 32) ^ <u32>mixed;
}

// The bit i · bits of a body is the bit `shift` of the byte at `offset`. The product itself may exceed 32 bits.

@inline
export function fieldOffset(cell: u32, bits: u32): u32 {
  return (cell >> 3) * bits + (((cell & 7) * bits) >> 3);
}

@inline
export function fieldShift(cell: u32, bits: u32): u32 {
  return ((cell & 7) * bits) & 7;
}

/** The field of up to 32 bits at bit `shift` of a byte; the bits above it must be ignored. */
@inline
function loadField(at: usize, shift: u32): u32 {
  if (ASC_FEATURE_SIMD) return <u32>(load<u64>(at, 0, 1) >> shift);
  // Two shifts to the left, because a single one by 32 would shift by 0.
  return (load<u32>(at, 0, 1) >> shift) | ((<u32>load<u8>(at, 4) << 1) << (31 - shift));
}

@inline
export function loadCell(body: usize, cell: u32, bits: u32): u32 {
  return loadField(body + fieldOffset(cell, bits), fieldShift(cell, bits));
}

/** The number of hashes that are looked up at once. */
export const TILE: u32 = 256;
/** The bytes of each hash of a tile in WORK: three offsets, the fingerprint, and three shifts in one integer. */
export const PLACE: u32 = 20;

/**
 * Writes the places of the cells of a tile of hashes. The loop that follows does little but load, so the processor
 * overlaps its waits for memory. `bytes` is the size of a cell if that is a number of whole bytes, else 0.
 */
@inline
export function locate(bytes: u32, exponent: u32, segments: u32, offset: u64, bits: u32, hashes: usize, count: u32): void {
  let place = WORK;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16, place += PLACE) {
    const mixed = mix(load<u64>(hashes), offset);
    const first = firstCell(mixed, exponent, segments);
    const second = secondCell(mixed, first, exponent);
    const third = thirdCell(mixed, first, exponent);
    store<u32>(place, bytes ? first * bytes : fieldOffset(first, bits));
    store<u32>(place, bytes ? second * bytes : fieldOffset(second, bits), 4);
    store<u32>(place, bytes ? third * bytes : fieldOffset(third, bits), 8);
    store<u32>(place, fingerprint(mixed), 12);
    if (bytes) continue;
    const shifts = fieldShift(first, bits) | (fieldShift(second, bits) << 8) | (fieldShift(third, bits) << 16);
    store<u32>(place, shifts, 16);
  }
}

@inline
function loadLocated(bytes: u32, body: usize, offset: u32, shift: u32): u32 {
  if (bytes == 1) return load<u8>(body + offset);
  if (bytes == 2) return load<u16>(body + offset);
  return loadField(body + offset, shift & 7);
}

/** The XOR of three cells that were located; the bits above theirs must be ignored. */
@inline
export function loadAll(bytes: u32, body: usize, place: usize): u32 {
  const shifts = bytes ? 0 : load<u32>(place, 16);
  return (
    loadLocated(bytes, body, load<u32>(place), shifts) ^
    loadLocated(bytes, body, load<u32>(place, 4), shifts >> 8) ^
    loadLocated(bytes, body, load<u32>(place, 8), shifts >> 16)
  );
}

/** The fingerprint of a hash that was located. */
@inline
export function locatedFingerprint(place: usize): u32 {
  return load<u32>(place, 12);
}
