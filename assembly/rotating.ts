// The rotating filter: generations of split blocks, side by side. A key chooses one block of each generation, and in it
// one bit of each of the eight 32-bit words, as in blocked.ts. It is added to the current generation, and may be
// present if any generation has all its bits.
//
// Block b of a generation is the 32 bytes at 32 · (b · generations + generation), so all that a key needs is in one
// place of the memory. The format freezes this. The module is linked to the kernel.

import { multiplyHigh } from "./arithmetic";
import { hashKey } from "./linked";
import { ONE_FLAG } from "./memory";
import {
  bitsBefore, copies, errorRate, firstSalts, lastSalts, masks, powers, TILE, TOUCH_BYTES, visitWords,
} from "./split-block";

const SHIFT: u32 = 5;
const BLOCK_BYTES: u32 = 1 << SHIFT;

/** A pointer to the blocks, one of each generation, that the high half of h1 chooses. */
@inline
function blocksOf(body: usize, hash: usize, blocks: u32, generations: u32): usize {
  return body + multiplyHigh(load<u32>(hash, 4), blocks) * (generations << SHIFT);
}

/** Loads a word of each cache line that a tile of hashes will need: see `touch` in split-block.ts. */
@inline
function touch(body: usize, blocks: u32, generations: u32, hashes: usize, count: u32, flags: usize): void {
  let sum: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16) {
    const block = blocksOf(body, hashes, blocks, generations);
    for (let at: u32 = 0; at < generations << SHIFT; at += 64) sum += load<u32>(block + at);
  }
  // Without this store, which a flag will overwrite, the compiler drops the loads.
  store<u8>(flags, sum);
}

// The probe loops find the generations that have all of a key's bits, as a mask with a bit for each generation. If
// `add` is true, they add the key unless the current generation has it, even if another generation does: it would be
// forgotten with that generation. Else they only look up.
//
// Adding flags with 1 the hashes that no generation had. The result is the number of hashes processed, and in its high
// half the number added to the current generation. After adding `room` hashes, the loops stop before the next one to
// add, and still write its flag: the rotation that must follow may clear the only generation with that key.
//
// Looking up flags with 1 the hashes that may be present, and returns their number.

@inline
function probeVectors(
  add: bool, body: usize, blocks: u32, generations: u32, current: u32, room: u32, hashes: usize, count: u32,
  flags: usize,
): u32 {
  const firsts = firstSalts();
  const lasts = lastSalts();
  const copy = copies();
  const before = bitsBefore();
  const table = powers();
  let taken: u32 = 0;
  let counted: u32 = 0;
  for (; taken < count; taken++, hashes += 16) {
    const block = blocksOf(body, hashes, blocks, generations);
    const half = v128.load32_splat(hashes);
    const first = masks(half, firsts, copy, before, table);
    const last = masks(half, lasts, copy, before, table);
    let found: u32 = 0;
    for (let generation: u32 = 0, at = block; generation < generations; generation++, at += BLOCK_BYTES) {
      const missing = v128.or(v128.andnot(first, v128.load(at)), v128.andnot(last, v128.load(at, 16)));
      found |= u32(!v128.any_true(missing)) << generation;
    }
    store<u8>(flags + taken, u32(add ? !found : found != 0));
    if (!add) {
      counted += u32(found != 0);
    } else if (!((found >> current) & 1)) {
      if (counted == room) break;
      counted++;
      const at = block + (current << SHIFT);
      v128.store(at, v128.or(v128.load(at), first));
      v128.store(at, v128.or(v128.load(at, 16), last), 16);
    }
  }
  return add ? (counted << 16) | taken : counted;
}

@inline
function probeWords(
  add: bool, body: usize, blocks: u32, generations: u32, current: u32, room: u32, hashes: usize, count: u32,
  flags: usize,
): u32 {
  let taken: u32 = 0;
  let counted: u32 = 0;
  for (; taken < count; taken++, hashes += 16) {
    const block = blocksOf(body, hashes, blocks, generations);
    const half = load<u32>(hashes);
    let found: u32 = 0;
    for (let generation: u32 = 0, at = block; generation < generations; generation++, at += BLOCK_BYTES) {
      found |= u32(visitWords(false, at, half) == 0) << generation;
    }
    store<u8>(flags + taken, u32(add ? !found : found != 0));
    if (!add) {
      counted += u32(found != 0);
    } else if (!((found >> current) & 1)) {
      if (counted == room) break;
      counted++;
      visitWords(true, block + (current << SHIFT), half);
    }
  }
  return add ? (counted << 16) | taken : counted;
}

/** Probes a tile at a time. Unless the filter is small, each tile is touched first. */
@inline
function probeTiles(
  add: bool, body: usize, blocks: u32, generations: u32, current: u32, room: u32, hashes: usize, count: u32,
  flags: usize,
): u32 {
  const isFar = blocks >= TOUCH_BYTES / (generations << SHIFT);
  let all: u32 = 0;
  while (count) {
    const size = min(count, TILE);
    if (isFar) touch(body, blocks, generations, hashes, size, flags);
    const some = probeVectors(add, body, blocks, generations, current, room, hashes, size, flags);
    all += some;
    if (add) {
      room -= some >> 16;
      if ((some & 0xffff) < size) break;
    }
    count -= size;
    hashes += size << 4;
    flags += size;
  }
  return all;
}

/**
 * Adds to the current generation the hashes that it lacks, at most `room` of them: see above. Returns the number of
 * hashes processed, and in the high half the number added. `count` must be less than 2^16.
 */
export function rotating_add(
  body: usize, blocks: u32, generations: u32, current: u32, room: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  if (ASC_FEATURE_SIMD) return probeTiles(true, body, blocks, generations, current, room, hashes, count, flags);
  return probeWords(true, body, blocks, generations, current, room, hashes, count, flags);
}

/** Flags with 1 those of `count` hashes that may be present, and returns their number. */
export function rotating_has(body: usize, blocks: u32, generations: u32, hashes: usize, count: u32, flags: usize): u32 {
  if (ASC_FEATURE_SIMD) return probeTiles(false, body, blocks, generations, 0, 0, hashes, count, flags);
  return probeWords(false, body, blocks, generations, 0, 0, hashes, count, flags);
}

/**
 * Adds a key. Returns 1 if no generation had it, plus 2 if the current generation lacked it. If `room` is 0, adds no
 * key that the current generation lacks, and returns 4 instead of 2.
 */
export function rotating_add_key(
  body: usize, blocks: u32, generations: u32, current: u32, room: u32, text: externref, key: usize, length: u32,
  seed: u32,
): u32 {
  const taken = rotating_add(body, blocks, generations, current, room, hashKey(text, key, length, seed), 1, ONE_FLAG);
  return load<u8>(ONE_FLAG) | (taken ? (taken >> 16) << 1 : 4);
}

/** Returns 1 if a key may be present, else 0. */
export function rotating_has_key(
  body: usize, blocks: u32, generations: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  return rotating_has(body, blocks, generations, hashKey(text, key, length, seed), 1, ONE_FLAG);
}

/** Clears a generation. */
export function rotating_clear(body: usize, blocks: u32, generations: u32, generation: u32): void {
  let at = body + (generation << SHIFT);
  for (let b: u32 = 0; b < blocks; b++, at += generations << SHIFT) {
    for (let word: usize = 0; word < BLOCK_BYTES; word += 8) store<u64>(at + word, 0);
  }
}

/** The number of set bits in a generation, which may exceed 2^32. */
export function rotating_used(body: usize, blocks: u32, generations: u32, generation: u32): f64 {
  let count: u64 = 0;
  let at = body + (generation << SHIFT);
  for (let b: u32 = 0; b < blocks; b++, at += generations << SHIFT) {
    for (let word: usize = 0; word < BLOCK_BYTES; word += 8) count += popcnt(load<u64>(at + word));
  }
  return <f64>count;
}

/**
 * The error rate of a generation: the mean, over all its blocks, of the share of absent keys whose bits are all set
 * there.
 */
export function rotating_error_rate(body: usize, blocks: u32, generations: u32, generation: u32): f64 {
  return errorRate(body + (generation << SHIFT), blocks, BLOCK_BYTES, generations << SHIFT);
}
