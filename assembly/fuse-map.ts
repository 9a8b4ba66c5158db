// The binary fuse map: the XOR of a key's three cells is its value, and its fingerprint above that. fuse-places.ts says
// which cells it has, and fuse-building.ts how they are filled. The module is linked to the kernel.
//
// Such a map is a Bloomier filter (B. Chazelle et al., The Bloomier Filter, SODA 2004) over the graph of a binary fuse
// filter (T. M. Graf and D. Lemire, Binary Fuse Filters, ACM Journal of Experimental Algorithmics 27, 2022).

import { maskOf } from "./fields";
import { buildCells, countKeys, withValue } from "./fuse-building";
import { loadAll, locate, locatedFingerprint, offsetOf, PLACE, TILE } from "./fuse-places";
import { hashKey } from "./linked";
import { ONE_FLAG, WORK } from "./memory";

export { fingerprints_sort as fuse_map_sort } from "./fingerprint-order";
export { mixAll as fuse_map_mix } from "./fuse-building";

/** In place of the value of a key that is absent. */
const ABSENT: u32 = 0xffffffff;

/** Counts keys in their cells, given mixed hashes and values, 12 bytes each: see `countKeys`. */
export function fuse_map_count(work: usize, exponent: u32, segments: u32, attempt: u32, keys: usize, count: u32): u32 {
  return countKeys(true, work, exponent, segments, attempt, keys, count);
}

/** Writes the cells of the keys that were counted: see `buildCells`. */
export function fuse_map_build(
  work: usize, exponent: u32, segments: u32, count: u32, body: usize, valueBits: u32, bits: u32,
): u32 {
  return buildCells(true, work, exponent, segments, count, body, valueBits, bits);
}

@inline
function probe(
  bytes: u32, body: usize, exponent: u32, segments: u32, offset: u64, valueBits: u32, bits: u32, hashes: usize,
  count: u32, flags: usize,
): u32 {
  const mask = maskOf(bits);
  const valueMask = maskOf(valueBits);
  let value = hashes;
  let flagged: u32 = 0;
  while (count) {
    const size = min(count, TILE);
    locate(bytes, exponent, segments, offset, bits, hashes, size);
    let place = WORK;
    for (const end = flags + size; flags < end; flags++, value += 4, place += PLACE) {
      // The fingerprint of a key of the map cancels that in its cells, which leaves the value alone.
      const rest = (withValue(locatedFingerprint(place), 0, valueBits) ^ loadAll(bytes, body, place)) & mask;
      const flag = u32(rest <= valueMask);
      store<u32>(value, flag ? rest : ABSENT);
      store<u8>(flags, flag);
      flagged += flag;
    }
    count -= size;
    hashes += size << 4;
  }
  return flagged;
}

/**
 * Flags with 1 those of `count` hashes that may be present, and returns their number. Writes the value of each, or
 * ABSENT, of 4 bytes, in place of the hashes.
 */
export function fuse_map_get(
  body: usize, exponent: u32, segments: u32, attempt: u32, valueBits: u32, bits: u32, hashes: usize, count: u32,
  flags: usize,
): u32 {
  const offset = offsetOf(attempt);
  // In plain JavaScript hashing takes most of the time, so a specialized loop is not worth its code.
  if (ASC_FEATURE_SIMD && bits == 16) {
    return probe(2, body, exponent, segments, offset, valueBits, bits, hashes, count, flags);
  }
  return probe(0, body, exponent, segments, offset, valueBits, bits, hashes, count, flags);
}

/** Returns the value of a key, or ABSENT. */
export function fuse_map_get_key(
  body: usize, exponent: u32, segments: u32, attempt: u32, valueBits: u32, bits: u32, text: externref, key: usize,
  length: u32, seed: u32,
): u32 {
  const hash = hashKey(text, key, length, seed);
  fuse_map_get(body, exponent, segments, attempt, valueBits, bits, hash, 1, ONE_FLAG);
  return load<u32>(hash);
}
