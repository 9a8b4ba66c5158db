// The wide-block Bloom filter: a key sets one bit in each of the sixteen 32-bit words of one block of 64 bytes, which
// is one cache line. Sixteen bits per key allow lower error rates than the eight of blocked.ts.
//
// The high half of h1 chooses the block, the low half of h1 the bits in words 0 to 7, and the low half of h2 the bits
// in words 8 to 15: see `part` for the exception. The format freezes this. The module is linked to the kernel.

import { hashKey } from "./linked";
import { ONE_FLAG } from "./memory";
import { areMultiples } from "./murmur3";
import {
  bitsBefore, blockOf, copies, errorRate, firstSalts, lastSalts, powers, TILE, touch, TOUCH_BYTES, visitVectors,
  visitWords,
} from "./split-block";

const SHIFT: u32 = 6;

/** The longest key with h1 = 2 x and h2 = 3 x if the seed is its length: see `areMultiples`. */
const MAX_LENGTH: u32 = 8;

/**
 * If h1 = 2 x and h2 = 3 x, the low half of h2 follows from that of h1, so a mixture with the high half of h2 replaces
 * it. Only seeds from 1 to 8 need this, so it has a pass of its own: in the loops over hashes it would cost time with
 * every seed.
 */
@inline
function part(hashes: usize, count: u32, seed: u32): void {
  if (seed - 1 < MAX_LENGTH) partAll(hashes, count);
}

function partAll(hashes: usize, count: u32): void {
  for (const end = hashes + (count << 4); hashes < end; hashes += 16) {
    if (!areMultiples(hashes)) continue;
    store<u32>(hashes, load<u32>(hashes) * 0x9e3779b1 + load<u32>(hashes, 12), 8);
  }
}

/** Returns the bits of a hash that are not set yet in its block. If `add`, sets them. */
@inline
function visitBlock(
  add: bool, body: usize, blocks: u32, hash: usize, first: v128, last: v128, copy: v128, before: v128, table: v128,
): v128 {
  const block = blockOf(body, hash, blocks, SHIFT);
  const low1 = v128.load32_splat(hash);
  const low2 = v128.load32_splat(hash, 8);
  return v128.or(
    visitVectors(add, block, low1, first, last, copy, before, table),
    visitVectors(add, block + 32, low2, first, last, copy, before, table),
  );
}

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
    const absent = v128.any_true(visitBlock(add, body, blocks, hashes, first, last, copy, before, table));
    const flag = u32(add ? absent : !absent);
    store<u8>(flags, flag);
    flagged += flag;
  }
  return flagged;
}

/** Probes one hash with vectors: for single calls, without loops over tiles and hashes. */
@inline
function probeOne(add: bool, body: usize, blocks: u32, hash: usize): u32 {
  const missing = visitBlock(
    add, body, blocks, hash, firstSalts(), lastSalts(), copies(), bitsBefore(), powers(),
  );
  const absent = v128.any_true(missing);
  return u32(add ? absent : !absent);
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
    const block = blockOf(body, hashes, blocks, SHIFT);
    const absent = visitWords(add, block, load<u32>(hashes)) | visitWords(add, block + 32, load<u32>(hashes, 8));
    const flag = u32(add ? absent != 0 : absent == 0);
    store<u8>(flags, flag);
    flagged += flag;
  }
  return flagged;
}

/**
 * Adds `count` hashes, which it may overwrite, flags with 1 those that were certainly absent, and returns their number.
 * Flags are free: the words are loaded anyway.
 */
export function wide_add(body: usize, blocks: u32, hashes: usize, count: u32, flags: usize, seed: u32): u32 {
  part(hashes, count, seed);
  if (ASC_FEATURE_SIMD) return probeTiles(true, body, blocks, hashes, count, flags);
  return probeWords(true, body, blocks, hashes, count, flags);
}

/** Flags with 1 those of `count` hashes that may be present, and returns their number. May overwrite the hashes. */
export function wide_has(body: usize, blocks: u32, hashes: usize, count: u32, flags: usize, seed: u32): u32 {
  part(hashes, count, seed);
  if (ASC_FEATURE_SIMD) return probeTiles(false, body, blocks, hashes, count, flags);
  return probeWords(false, body, blocks, hashes, count, flags);
}

/** Adds a key. Returns 1 if it was certainly absent, else 0. */
export function wide_add_key(body: usize, blocks: u32, text: externref, key: usize, length: u32, seed: u32): u32 {
  const hash = hashKey(text, key, length, seed);
  if (!ASC_FEATURE_SIMD) return wide_add(body, blocks, hash, 1, ONE_FLAG, seed);
  part(hash, 1, seed);
  return probeOne(true, body, blocks, hash);
}

/** Returns 1 if a key may be present, else 0. */
export function wide_has_key(body: usize, blocks: u32, text: externref, key: usize, length: u32, seed: u32): u32 {
  const hash = hashKey(text, key, length, seed);
  if (!ASC_FEATURE_SIMD) return wide_has(body, blocks, hash, 1, ONE_FLAG, seed);
  part(hash, 1, seed);
  return probeOne(false, body, blocks, hash);
}

/** The error rate: the mean, over all blocks, of the share of absent keys whose sixteen bits are all set there. */
export function wide_error_rate(body: usize, blocks: u32): f64 {
  return errorRate(body, blocks, 1 << SHIFT, 1 << SHIFT);
}
