// The split-block Bloom filter, as defined by Parquet: a key sets one bit in each of the eight 32-bit words of one
// block of 32 bytes, and touches one cache line instead of k.
//
// The high half of h1 chooses the block, the low half the bits. The format freezes this.

import { ONE_FLAG } from "./memory";
import { hashKey } from "./hash-key";
import {
  bitsBefore, blockOf, copies, errorRate, firstSalts, lastSalts, powers, TILE, touch, TOUCH_BYTES, visitVectors,
  visitWords,
} from "./split-block";

const SHIFT: u32 = 5;

/** The loop with vectors: adds, or only looks up if `add` is false. */
@inline
function probeVectors(add: bool, body: usize, blocks: u32, hashes: usize, count: u32, flags: usize): u32 {
  const first = firstSalts();
  const last = lastSalts();
  const copy = copies();
  const before = bitsBefore();
  const table = powers();
  let flagged: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16, flags++) {
    const block = blockOf(body, hashes, blocks, SHIFT);
    const low = v128.load32_splat(hashes);
    const missing = visitVectors(add, block, low, first, last, copy, before, table);
    const absent = v128.any_true(missing);
    const flag = u32(add ? absent : !absent);
    store<u8>(flags, flag);
    flagged += flag;
  }
  return flagged;
}

/** Probes a tile at a time. Unless the filter is small, each tile is touched first. */
@inline
function probeTiles(add: bool, body: usize, blocks: u32, hashes: usize, count: u32, flags: usize): u32 {
  let flagged: u32 = 0;
  while (count) {
    const size = min(count, TILE);
    if (blocks >= TOUCH_BYTES >> SHIFT) touch(body, blocks, SHIFT, hashes, size, flags);
    flagged += probeVectors(add, body, blocks, hashes, size, flags);
    count -= size;
    hashes += size << 4;
    flags += size;
  }
  return flagged;
}

/** The loop without vectors: adds, or only looks up if `add` is false. */
@inline
function probeWords(add: bool, body: usize, blocks: u32, hashes: usize, count: u32, flags: usize): u32 {
  let flagged: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16, flags++) {
    const absent = visitWords(add, blockOf(body, hashes, blocks, SHIFT), load<u32>(hashes));
    const flag = u32(add ? absent != 0 : absent == 0);
    store<u8>(flags, flag);
    flagged += flag;
  }
  return flagged;
}

/**
 * Adds `count` hashes, flags with 1 those that were certainly absent, and returns their number. Flags are free: the
 * words are loaded anyway.
 */
export function blocked_add(body: usize, blocks: u32, hashes: usize, count: u32, flags: usize): u32 {
  if (ASC_FEATURE_SIMD) return probeTiles(true, body, blocks, hashes, count, flags);
  return probeWords(true, body, blocks, hashes, count, flags);
}

/** Flags with 1 those of `count` hashes that may be present, and returns their number. */
export function blocked_has(body: usize, blocks: u32, hashes: usize, count: u32, flags: usize): u32 {
  if (ASC_FEATURE_SIMD) return probeTiles(false, body, blocks, hashes, count, flags);
  return probeWords(false, body, blocks, hashes, count, flags);
}

/** Adds a key. Returns 1 if it was certainly absent, else 0. */
export function blocked_add_key(body: usize, blocks: u32, text: externref, key: usize, length: u32, seed: u32): u32 {
  return blocked_add(body, blocks, hashKey(text, key, length, seed), 1, ONE_FLAG);
}

/** Returns 1 if a key may be present, else 0. */
export function blocked_has_key(body: usize, blocks: u32, text: externref, key: usize, length: u32, seed: u32): u32 {
  return blocked_has(body, blocks, hashKey(text, key, length, seed), 1, ONE_FLAG);
}

/**
 * The error rate: the mean, over all blocks, of the share of absent keys whose eight bits are all set in the block.
 */
export function blocked_error_rate(body: usize, blocks: u32): f64 {
  return errorRate(body, blocks, 1 << SHIFT, 1 << SHIFT);
}
