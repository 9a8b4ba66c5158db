// The binary fuse filter: cells of 1 to 32 bits in segments of 2^exponent cells. A key has one cell in each of three
// adjacent segments, and may be present if the XOR of the three is its fingerprint.
//
// h1 is mixed with the number of the attempt at building that succeeded. The high bits of the mixed hash give the first
// cell, its low bits the places of the others in their segments; its halves, combined, give the fingerprint. The format
// freezes this. Cell i is the bits from i · bits on. The module is linked to the kernel.
//
// Building works in memory of 13 bytes per cell: the XOR of the mixed hashes of its keys (8), a queue (4), and the
// number of its keys (1).

import { add, multiply, multiplyConstant } from "./arithmetic";
import { scaleNarrow } from "./classic";
import { maskOf } from "./fields";
import { hash_key } from "./linked";
import { ONE_FLAG, WORK } from "./memory";
import { avalanche } from "./murmur3";

const STEP: u64 = 0x9e3779b97f4a7c15;

/** The number that an attempt adds to each h1. */
@inline
function offsetOf(attempt: u32): u64 {
  return multiply(attempt + 1, STEP);
}

@inline
function mix(h1: u64, offset: u64): u64 {
  return avalanche(add(h1, offset));
}

/** The h1 of a mixed hash: undoes `mix`. The XOR with a shift by more than half of the bits is its own inverse. */
@inline
function unmix(mixed: u64, offset: u64): u64 {
  let k = multiplyConstant(mixed ^ (mixed >> 33), 0x9cb4b2f8129337db);
  k = multiplyConstant(k ^ (k >> 33), 0x4f74430c22a54005);
  return (k ^ (k >> 33)) - offset;
}

@inline
function firstCell(mixed: u64, exponent: u32, segments: u32): u32 {
  return <u32>scaleNarrow(mixed, segments << exponent);
}

@inline
function secondCell(mixed: u64, first: u32, exponent: u32): u32 {
  const length: u32 = 1 << exponent;
  return (first + length) ^ (<u32>(mixed >> 18) & (length - 1));
}

@inline
function thirdCell(mixed: u64, first: u32, exponent: u32): u32 {
  const length: u32 = 1 << exponent;
  return (first + 2 * length) ^ (<u32>mixed & (length - 1));
}

/** The fingerprint in the low bits; the bits above it must be ignored. */
@inline
function fingerprint(mixed: u64): u32 {
  return <u32>(mixed >> 32) ^ <u32>mixed;
}

// The bit i · bits of a body is the bit `shift` of the byte at `offset`. The product itself may exceed 32 bits.

@inline
function fieldOffset(cell: u32, bits: u32): u32 {
  return (cell >> 3) * bits + (((cell & 7) * bits) >> 3);
}

@inline
function fieldShift(cell: u32, bits: u32): u32 {
  return ((cell & 7) * bits) & 7;
}

/** The field of up to 32 bits at bit `shift` of a byte; the bits above it must be ignored. */
@inline
function loadField(at: usize, shift: u32): u32 {
  if (ASC_FEATURE_SIMD) return <u32>(load<u64>(at, 0, 1) >> shift);
  // Two shifts to the left, because a single one by 32 would shift by 0.
  return (load<u32>(at, 0, 1) >> shift) | ((<u32>load<u8>(at, 4) << 1) << (31 - shift));
}

/** Writes the mixed hashes of the first attempt, 8 bytes each, in place of the hashes. */
export function fuse_mix(hashes: usize, count: u32): void {
  const offset = offsetOf(0);
  for (let i: u32 = 0; i < count; i++) store<u64>(hashes + (i << 3), mix(load<u64>(hashes + (i << 4)), offset));
}

@inline
function countIn(cell: u32, mixed: u64, sums: usize, counts: usize): bool {
  const count = <u32>load<u8>(counts + cell) + 1;
  store<u8>(counts + cell, count);
  const sum = sums + (cell << 3);
  store<u64>(sum, load<u64>(sum) ^ mixed);
  return count < 256;
}

/**
 * Counts keys in their cells, given the mixed hashes of the first attempt. Returns 0 if a cell gets more keys than a
 * byte can count, else 1. The memory at `work` must be zero before the first call.
 */
export function fuse_count(work: usize, exponent: u32, segments: u32, attempt: u32, mixed: usize, count: u32): u32 {
  const counts = work + 12 * ((segments + 2) << exponent);
  const start = offsetOf(0);
  const offset = offsetOf(attempt);
  for (const end = mixed + (count << 3); mixed < end; mixed += 8) {
    let hash = load<u64>(mixed);
    if (attempt) hash = mix(unmix(hash, start), offset);
    const first = firstCell(hash, exponent, segments);
    if (!countIn(first, hash, work, counts)) return 0;
    if (!countIn(secondCell(hash, first, exponent), hash, work, counts)) return 0;
    if (!countIn(thirdCell(hash, first, exponent), hash, work, counts)) return 0;
  }
  return 1;
}

/** Takes a key out of one of its cells. If one other key is left there, appends the cell to the queue. */
@inline
function takeFrom(cell: u32, peeled: u32, mixed: u64, sums: usize, counts: usize, queueEnd: usize): usize {
  const left = load<u8>(counts + cell) - 1;
  store<u8>(counts + cell, left);
  // The cell that is peeled keeps the hash of its key.
  if (cell == peeled) return queueEnd;
  const sum = sums + (cell << 3);
  store<u64>(sum, load<u64>(sum) ^ mixed);
  if (left != 1) return queueEnd;
  store<u32>(queueEnd, cell);
  return queueEnd + 4;
}

/**
 * Peels the filter: takes out one key after another that is alone in one of its cells. Returns the number of keys
 * taken, and leaves their cells in the queue, in the order of taking.
 */
@inline
function peel(sums: usize, queue: usize, counts: usize, exponent: u32, segments: u32): u32 {
  const cells = (segments + 2) << exponent;
  let end = queue;
  for (let cell: u32 = 0; cell < cells; cell++) {
    if (load<u8>(counts + cell) != 1) continue;
    store<u32>(end, cell);
    end += 4;
  }
  let last = queue;
  for (let at = queue; at < end; at += 4) {
    const cell = load<u32>(at);
    if (load<u8>(counts + cell) != 1) continue;
    store<u32>(last, cell);
    last += 4;
    const mixed = load<u64>(sums + (cell << 3));
    const first = firstCell(mixed, exponent, segments);
    end = takeFrom(first, cell, mixed, sums, counts, end);
    end = takeFrom(secondCell(mixed, first, exponent), cell, mixed, sums, counts, end);
    end = takeFrom(thirdCell(mixed, first, exponent), cell, mixed, sums, counts, end);
  }
  return <u32>((last - queue) >> 2);
}

@inline
function loadCell(body: usize, cell: u32, bits: u32): u32 {
  return loadField(body + fieldOffset(cell, bits), fieldShift(cell, bits));
}

/**
 * Writes the cells of a filter that holds the `count` keys counted by `fuse_count`. The body must be zero. Returns 1;
 * or, if the keys cannot all be peeled, writes nothing and returns 0.
 */
export function fuse_build(work: usize, exponent: u32, segments: u32, count: u32, body: usize, bits: u32): u32 {
  const cells = (segments + 2) << exponent;
  const queue = work + 8 * cells;
  if (peel(work, queue, work + 12 * cells, exponent, segments) != count) return 0;
  const mask = maskOf(bits);
  for (let at = queue + (count << 2); at > queue; ) {
    at -= 4;
    const cell = load<u32>(at);
    const mixed = load<u64>(work + (cell << 3));
    const first = firstCell(mixed, exponent, segments);
    // The cell itself is still 0. No key that is written later changes the other two.
    const value =
      fingerprint(mixed) ^
      loadCell(body, first, bits) ^
      loadCell(body, secondCell(mixed, first, exponent), bits) ^
      loadCell(body, thirdCell(mixed, first, exponent), bits);
    const place = body + fieldOffset(cell, bits);
    const field = <u64>(value & mask) << fieldShift(cell, bits);
    store<u64>(place, load<u64>(place, 0, 1) | field, 0, 1);
  }
  return 1;
}

/** The number of hashes that are looked up at once. */
const TILE: u32 = 256;
/** The bytes of each hash of a tile in WORK: three offsets, the fingerprint, and three shifts in one integer. */
const PLACE: u32 = 20;

/**
 * Writes the places of the cells of a tile of hashes. The loop that follows does little but load, so the processor
 * overlaps its waits for memory. `bytes` is the size of a cell if that is a number of whole bytes, else 0.
 */
@inline
function locate(bytes: u32, exponent: u32, segments: u32, offset: u64, bits: u32, hashes: usize, count: u32): void {
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

@inline
function probe(
  bytes: u32, body: usize, exponent: u32, segments: u32, offset: u64, bits: u32, hashes: usize, count: u32,
  flags: usize,
): u32 {
  const mask = maskOf(bits);
  let flagged: u32 = 0;
  while (count) {
    const size = min(count, TILE);
    locate(bytes, exponent, segments, offset, bits, hashes, size);
    let place = WORK;
    for (const end = flags + size; flags < end; flags++, place += PLACE) {
      const shifts = bytes ? 0 : load<u32>(place, 16);
      const difference =
        load<u32>(place, 12) ^
        loadLocated(bytes, body, load<u32>(place), shifts) ^
        loadLocated(bytes, body, load<u32>(place, 4), shifts >> 8) ^
        loadLocated(bytes, body, load<u32>(place, 8), shifts >> 16);
      const flag = u32((difference & mask) == 0);
      store<u8>(flags, flag);
      flagged += flag;
    }
    count -= size;
    hashes += size << 4;
  }
  return flagged;
}

/** Flags with 1 those of `count` hashes that may be present, and returns their number. */
export function fuse_has(
  body: usize, exponent: u32, segments: u32, attempt: u32, bits: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  const offset = offsetOf(attempt);
  // In plain JavaScript hashing takes most of the time, so a specialized loop is not worth its code.
  if (ASC_FEATURE_SIMD) {
    if (bits == 8) return probe(1, body, exponent, segments, offset, bits, hashes, count, flags);
    if (bits == 16) return probe(2, body, exponent, segments, offset, bits, hashes, count, flags);
  }
  return probe(0, body, exponent, segments, offset, bits, hashes, count, flags);
}

/** Returns 1 if a key may be present, else 0. */
export function fuse_has_key(
  body: usize, exponent: u32, segments: u32, attempt: u32, bits: u32, text: externref, key: usize, length: u32,
  seed: u32,
): u32 {
  return fuse_has(body, exponent, segments, attempt, bits, hash_key(text, key, length, seed), 1, ONE_FLAG);
}
