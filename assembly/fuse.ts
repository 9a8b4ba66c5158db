// The binary fuse filter: a key may be present if the XOR of its three cells is its fingerprint. fuse-places.ts says
// which cells it has, and fuse-building.ts how they are filled. The module is linked to the kernel.

import { maskOf } from "./fields";
import { buildCells, countKeys } from "./fuse-building";
import { loadAll, locate, locatedFingerprint, offsetOf, PLACE, TILE } from "./fuse-places";
import { hashKey } from "./linked";
import { ONE_FLAG, WORK } from "./memory";

export { mixAll as fuse_mix } from "./fuse-building";

/** Counts keys in their cells: see `countKeys`. */
export function fuse_count(work: usize, exponent: u32, segments: u32, attempt: u32, mixed: usize, count: u32): u32 {
  return countKeys(false, work, exponent, segments, attempt, mixed, count);
}

/** Writes the cells of the keys that were counted: see `buildCells`. */
export function fuse_build(work: usize, exponent: u32, segments: u32, count: u32, body: usize, bits: u32): u32 {
  return buildCells(false, work, exponent, segments, count, body, 0, bits);
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
      const flag = u32(((locatedFingerprint(place) ^ loadAll(bytes, body, place)) & mask) == 0);
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
  return fuse_has(body, exponent, segments, attempt, bits, hashKey(text, key, length, seed), 1, ONE_FLAG);
}
