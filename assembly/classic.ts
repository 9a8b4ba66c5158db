// The classic Bloom filter: a key sets k of m bits, and may be present if all k are set.
//
// With (h1, h2) the key's hash, s starts at h1 and steps as a linear congruential generator whose increment is derived
// from h2; each s gives the index floor(s · m / 2^64). The file format freezes this: another derivation would be
// another kind. m is passed as f64, exact up to 2^53. Bit i is bit i & 31 of the little-endian word i >> 5.

import { add, multiply, multiplyConstant, multiplyHigh } from "./arithmetic";
import { ONE_FLAG, workArea } from "./memory";
import { hashKey } from "./hash-key";
import { setBit } from "./threads";

const STEP: u64 = 0xd1342543de82ef95;
/** Part of the increment: the empty key hashes to (0, 0), and without it, all indices of that key would be 0. */
export const OFFSET: u64 = 0x9e3779b97f4a7c15;
const LOW: u64 = 0xffffffff;

/** The next s of the generator. */
@inline
export function step(s: u64, d: u64): u64 {
  return add(multiplyConstant(s, STEP), d);
}

/** `scaleNarrow` of 32-bit operations. The low half adds less than m, which seldom carries into the result. */
@inline
function scaleHalves(high: u32, low: u32, m: u32): u32 {
  const index = multiplyHigh(high, m);
  const rest = high * m;
  if (rest > 0 - m) return index + u32(rest + multiplyHigh(low, m) < rest);
  return index;
}

/** floor(s · m / 2^64) for m < 2^32, in halves of 32 bits: two multiplications. */
@inline
export function scaleNarrow(s: u64, m: u64): u64 {
  const index = ASC_FEATURE_SIMD
    ? ((s >> 32) * m + (((s & LOW) * m) >> 32)) >> 32
    : <u64>scaleHalves(<u32>(s >> 32), <u32>s, <u32>m);
  assert(index < m);
  return index;
}

/** floor(s · m / 2^64) for m ≥ 2^32: two more multiplications. */
@inline
export function scaleWide(s: u64, m: u64): u64 {
  const wide = m >> 32;
  const high = s >> 32;
  const low = s & LOW;
  const middle = multiply(high, m & LOW) + (multiply(low, m & LOW) >> 32);
  const index = multiply(high, wide) + (middle >> 32) + (((middle & LOW) + multiply(low, wide)) >> 32);
  assert(index < m);
  return index;
}

/** floor(s · m / 2^64) for any m. */
@inline
export function scale(s: u64, m: u64): u64 {
  return m >> 32 ? scaleWide(s, m) : scaleNarrow(s, m);
}

/** Returns the word of a bit, shifted to put that bit lowest. If `set`, then sets the bit. */
@inline
export function visit(set: bool, body: usize, index: u64): u32 {
  const word = body + (<usize>(index >> 5) << 2);
  const old = load<u32>(word);
  if (ASC_FEATURE_THREADS) return (set ? setBit(word, old, 1 << <u32>index) : old) >> <u32>index;
  if (set) store<u32>(word, old | (1 << <u32>index));
  return old >> <u32>index;
}

@inline
function first(hash: usize): u64 {
  return load<u64>(hash);
}

@inline
function increment(hash: usize): u64 {
  return load<u64>(hash, 8) ^ OFFSET;
}

// Loops with one contract, each the fastest where it is used: in WebAssembly one for filters that fit in the cache and
// one for larger ones, in plain JavaScript one for filters below 2^32 bits and one for others (`probe` chooses). They
// set the bits of the hashes, if `set`, flag with 1 those whose k bits were all set (`wanted` = 1) or were not (0), and
// return their number. With `wanted` = NONE they write no flags, which makes `addMany` a fifth faster.

const NONE: u32 = 2;

/**
 * Probes one bit at a time. A lookup stops at the first bit that is not set. `narrow` says that m < 2^32. The loop has
 * two exits: wasm2js would compute one condition of both as a number, which is slower in V8 than two branches.
 */
@inline
function probeSimply(
  narrow: bool, set: bool, wanted: u32, body: usize, m: u64, k: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  let flagged: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16, flags++) {
    let s = first(hashes);
    const d = increment(hashes);
    let all: u32 = 1;
    let left = k;
    do {
      all &= visit(set, body, narrow ? scaleNarrow(s, m) : scaleWide(s, m));
      if (!--left) break;
      s = step(s, d);
    } while (set || all);
    if (wanted == NONE) continue;
    const flag = all ^ wanted ^ 1;
    store<u8>(flags, flag);
    flagged += flag;
  }
  return flagged;
}

/** Called in plain JavaScript for filters of 512 MiB and more. Not inlined, because few filters are that large. */
function probeWide(
  set: bool, wanted: u32, body: usize, m: u64, k: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  return probeSimply(false, set, wanted, body, m, k, hashes, count, flags);
}

/** For filters that fit in the cache, where instructions are the cost: eight bits per round, and only for m < 2^32. */
@inline
function probeNear(set: bool, wanted: u32, body: usize, m: u64, k: u32, hashes: usize, count: u32, flags: usize): u32 {
  let flagged: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16, flags++) {
    let s = first(hashes);
    const d = increment(hashes);
    let all: u32 = 1;
    for (let left = k; ; left -= 8) {
      switch (left) {
        default: all &= visit(set, body, scaleNarrow(s, m)); s = step(s, d);
        case 7: all &= visit(set, body, scaleNarrow(s, m)); s = step(s, d);
        case 6: all &= visit(set, body, scaleNarrow(s, m)); s = step(s, d);
        case 5: all &= visit(set, body, scaleNarrow(s, m)); s = step(s, d);
        case 4: all &= visit(set, body, scaleNarrow(s, m)); s = step(s, d);
        case 3: all &= visit(set, body, scaleNarrow(s, m)); s = step(s, d);
        case 2: all &= visit(set, body, scaleNarrow(s, m)); s = step(s, d);
        case 1: all &= visit(set, body, scaleNarrow(s, m)); s = step(s, d);
      }
      if (left <= 8) break;
    }
    if (wanted == NONE) continue;
    const flag = u32(all == wanted);
    store<u8>(flags, flag);
    flagged += flag;
  }
  return flagged;
}

const INDICES: u32 = 1024;

/**
 * For filters larger than the cache, where waiting for memory is the cost: computes the indices of several keys first,
 * then loads. The fewer other instructions lie between loads, the more of them overlap.
 */
@inline
function probeFar(set: bool, wanted: u32, body: usize, m: u64, k: u32, hashes: usize, count: u32, flags: usize): u32 {
  const indices = workArea();
  let flagged: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; ) {
    const next = min(end, hashes + (<usize>(INDICES / k) << 4));
    let index = indices;
    for (; hashes < next; hashes += 16) {
      let s = first(hashes);
      const d = increment(hashes);
      for (let i: u32 = 0; i < k; i++, s = step(s, d), index += 8) store<u64>(index, scale(s, m));
    }
    for (let at = indices; at < index; flags++) {
      let all: u32 = 1;
      for (const stop = at + (k << 3); at < stop; at += 8) all &= visit(set, body, load<u64>(at));
      if (wanted == NONE) continue;
      const flag = u32(all == wanted);
      store<u8>(flags, flag);
      flagged += flag;
    }
  }
  return flagged;
}

/** Filters up to this size, 4 MiB in bits, count as fitting in the cache, which other programs use too. */
const NEAR: u64 = 1 << 25;

@inline
function probe(set: bool, wanted: u32, body: usize, m: u64, k: u32, hashes: usize, count: u32, flags: usize): u32 {
  if (!ASC_FEATURE_SIMD) {
    if (m >> 32) return probeWide(set, wanted, body, m, k, hashes, count, flags);
    return probeSimply(true, set, wanted, body, m, k, hashes, count, flags);
  }
  if (m <= NEAR) return probeNear(set, wanted, body, m, k, hashes, count, flags);
  return probeFar(set, wanted, body, m, k, hashes, count, flags);
}

/** Adds `count` hashes. */
export function bloom_add(body: usize, bits: f64, k: u32, hashes: usize, count: u32): void {
  probe(true, NONE, body, <u64>bits, k, hashes, count, 0);
}

/** Sets all k bits of each hash, and writes flags. Not inlined, because it has several callers. */
function mark(body: usize, m: u64, k: u32, hashes: usize, count: u32, flags: usize): u32 {
  return probe(true, 0, body, m, k, hashes, count, flags);
}

/** Adds `count` hashes, flags with 1 those that were certainly absent, and returns their number. */
export function bloom_add_flags(body: usize, bits: f64, k: u32, hashes: usize, count: u32, flags: usize): u32 {
  return mark(body, <u64>bits, k, hashes, count, flags);
}

/** Looks up all k bits of each hash. Not inlined, because it has several callers. */
function look(body: usize, m: u64, k: u32, hashes: usize, count: u32, flags: usize): u32 {
  return probe(false, 1, body, m, k, hashes, count, flags);
}

const TILE: u32 = 256;
const ROUND: u32 = 2;
/**
 * What `has` keeps in the work area, after the indices, of the keys that pass the first round: their positions in the
 * tile, their next s, their flags.
 */
const POSITIONS: usize = 8 * INDICES;
const WALKS: usize = POSITIONS + TILE;
const FOUND: usize = WALKS + 16 * TILE;

/** Looks up a tile of keys in two rounds: two bits of each key, then the other bits of the keys that have both. */
@inline
function lookInRounds(body: usize, m: u64, k: u32, hashes: usize, count: u32, flags: usize): u32 {
  const positions = workArea() + POSITIONS;
  const walks = workArea() + WALKS;
  const found = workArea() + FOUND;
  for (let i: u32 = 0; i < count; i++) {
    const hash = hashes + (i << 4);
    const s = first(hash);
    const flag = visit(false, body, scale(s, m)) & visit(false, body, scale(step(s, increment(hash)), m)) & 1;
    store<u8>(flags + i, flag);
  }
  let left: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    // No branch, because it would be mispredicted: the next key overwrites one that failed.
    store<u8>(positions + left, i);
    left += load<u8>(flags + i);
  }
  for (let i: u32 = 0; i < left; i++) {
    const hash = hashes + (<u32>load<u8>(positions + i) << 4);
    const d = increment(hash);
    store<u64>(walks + (i << 4), step(step(first(hash), d), d));
    store<u64>(walks + (i << 4), d ^ OFFSET, 8);
  }
  const present = look(body, m, k - ROUND, walks, left, found);
  for (let i: u32 = 0; i < left; i++) store<u8>(flags + load<u8>(positions + i), load<u8>(found + i));
  return present;
}

/** Looks up `count` hashes, flags with 1 those that may be present, and returns their number. */
export function bloom_has(body: usize, bits: f64, k: u32, hashes: usize, count: u32, flags: usize): u32 {
  const m = <u64>bits;
  if (!ASC_FEATURE_SIMD || k <= ROUND) return look(body, m, k, hashes, count, flags);
  let present: u32 = 0;
  let inRounds = true;
  while (count) {
    const size = min(count, TILE);
    const some = inRounds
      ? lookInRounds(body, m, k, hashes, size, flags)
      : look(body, m, k, hashes, size, flags);
    present += some;
    // Rounds pay off when most keys are absent. Each tile predicts the next.
    inRounds = some * 2 < size;
    count -= size;
    hashes += size << 4;
    flags += size;
  }
  return present;
}

// For single keys the call from JavaScript is the main cost, so one call hashes and probes.

/** Adds a key. Returns 1 if it was certainly absent, else 0. */
export function bloom_add_key(
  body: usize, bits: f64, k: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  return mark(body, <u64>bits, k, hashKey(text, key, length, seed), 1, ONE_FLAG);
}

/** 1 if a key may be present, else 0. */
export function bloom_has_key(
  body: usize, bits: f64, k: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  return look(body, <u64>bits, k, hashKey(text, key, length, seed), 1, ONE_FLAG);
}
