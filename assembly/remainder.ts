// Loops of Bloom filters of other systems: a key sets the k bits that are the residues of a sequence of terms modulo the
// number of bits. terms.ts has the sequences, and divisor.ts the residues.
//
// Bit i is bit i & 31 of the little-endian word i >> 5.

import {
  bitOf, divisorOf, fraction, high, nextResidue, one, prepare, residue, upper, wrap, wrapStep,
} from "./divisor";
import { WORK } from "./memory";
import { firstTerm, MITZ_32, MITZ_64, sign, SPARK_2, step, sumOf, termOf, WIDE } from "./terms";

/** Returns the word of a bit, shifted to put that bit lowest. If `set`, then sets the bit. */
@inline
function visit<T>(set: bool, body: usize, bit: T): u32 {
  const word = body + (<usize>(bit >> 5) << 2);
  const old = load<u32>(word);
  if (set) store<u32>(word, old | (1 << <u32>bit));
  return old >> <u32>bit;
}

// Three probe loops with one contract, each the fastest where it is used. They flag with 1 the hashes whose k bits were
// all set (`wanted` = 1) or were not (0), and return their number. With `wanted` = NONE they write no flags, which makes
// `add` a fifth faster.

const NONE: u32 = 2;

/** One key after the other; a lookup stops at the first bit that is not set. For single keys, and in plain JavaScript. */
@inline
function probeSimply<T>(
  rule: u32, set: bool, wanted: u32, body: usize, m: T, k: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  let flagged: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16, flags++) {
    let c = firstTerm(rule, hashes);
    let r = residue<T>(rule, c, m, high, one);
    let all = visit<T>(set, body, bitOf<T>(rule, c, r, m, one));
    // Most absent keys need no second term.
    if (k > 1 && (set || all & 1)) {
      const d = step(rule, hashes);
      const e = residue<T>(rule, d, m, high, one);
      let left = k - 1;
      do {
        const sum = sumOf(rule, c, d);
        r = nextResidue<T>(rule, r, e, sum, <T>wrap, m);
        c = termOf(rule, sum);
        all &= visit<T>(set, body, bitOf<T>(rule, c, r, m, one));
        if (!--left) break;
      } while (set || all & 1);
    }
    if (wanted == NONE) continue;
    const flag = (all & 1) ^ wanted ^ 1;
    store<u8>(flags, flag);
    flagged += flag;
  }
  return flagged;
}

/** Visits all bits of a hash in turn. */
@inline
function visitTerms(rule: u32, set: bool, body: usize, m: u64, k: u32, hash: usize, high: u64, one: u64): u32 {
  let c = firstTerm(rule, hash);
  const d = step(rule, hash);
  let r = residue<u64>(rule, c, m, high, one);
  const e = residue<u64>(rule, d, m, high, one);
  let all: u32 = 1;
  for (let left = k; ; ) {
    all &= visit<u64>(set, body, bitOf<u64>(rule, c, r, m, one));
    if (!--left) break;
    const sum = sumOf(rule, c, d);
    r = nextResidue<u64>(rule, r, e, sum, wrap, m);
    c = termOf(rule, sum);
  }
  return all;
}

/** As `visitTerms`, for MITZ_64, where a step takes few instructions: the fraction of a term wraps by itself. */
@inline
function visitWide(set: bool, body: usize, m: u64, k: u32, hash: usize, high: u64, one: u64, wrapStep: u32): u32 {
  let c = firstTerm(MITZ_64, hash);
  const d = step(MITZ_64, hash);
  let f = upper(fraction(c, high, one));
  const e = upper(fraction(d, high, one));
  let all: u32 = 1;
  for (let left = k; ; ) {
    all &= visit<u64>(set, body, (<u64>f * m) >> 32);
    if (!--left) break;
    const sum = sumOf(MITZ_64, c, d);
    f += e + (wrapStep & <u32>sign(sum));
    c = termOf(MITZ_64, sum);
  }
  return all;
}

/** Not inlined, because it has several callers. */
function visitMixed(set: bool, body: usize, m: u64, k: u32, hash: usize): u32 {
  return visitTerms(SPARK_2, set, body, m, k, hash, high, one);
}

/** As `visitTerms`, for SPARK_2: few keys have both terms with a sign and terms without. */
@inline
function visitSpark(set: bool, body: usize, m: u64, k: u32, hash: usize, high: u64, one: u64): u32 {
  const c = firstTerm(SPARK_2, hash);
  const d = step(SPARK_2, hash);
  const negative = sign(c);
  if (sign(c + (k - 1) * d) != negative) return visitMixed(set, body, m, k, hash);
  // Terms without their sign: ~(c + d) = ~c − d. A fraction that is subtracted must be rounded down.
  const distance = (d ^ negative) - negative;
  let f = upper(fraction(c ^ negative, high, one));
  const e = upper(distance * one - (distance & sign(distance)));
  let all: u32 = 1;
  for (let left = k; ; f += e) {
    all &= visit<u64>(set, body, (<u64>f * m) >> 32);
    if (!--left) break;
  }
  return all;
}

/**
 * For filters that fit in the cache, where instructions are the cost, and branches that are mispredicted. The upper half
 * of a fraction grows too large by less than 4 · 2^−32 in each step, so 4 k · m must be at most 2^32.
 */
@inline
function probeNear(
  rule: u32, set: bool, wanted: u32, body: usize, m: u64, k: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  const up = high;
  const low = one;
  const back = wrapStep;
  let flagged: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16, flags++) {
    let all: u32;
    if (rule == MITZ_64) all = visitWide(set, body, m, k, hashes, up, low, back);
    else if (rule == SPARK_2) all = visitSpark(set, body, m, k, hashes, up, low);
    else all = visitTerms(rule, set, body, m, k, hashes, up, low);
    if (wanted == NONE) continue;
    const flag = u32(all == wanted);
    store<u8>(flags, flag);
    flagged += flag;
  }
  return flagged;
}

const INDICES: u32 = 1024;

/**
 * For filters larger than the cache, where waiting for memory is the cost: computes the bits of several keys first, then
 * loads. The fewer other instructions lie between loads, the more of them overlap. k is at most INDICES.
 */
@inline
function probeFar(
  rule: u32, set: bool, wanted: u32, body: usize, m: u64, k: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  const up = high;
  const low = one;
  const back = wrap;
  let flagged: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; ) {
    const next = min(end, hashes + (<usize>(INDICES / k) << 4));
    let at = WORK;
    for (; hashes < next; hashes += 16) {
      let c = firstTerm(rule, hashes);
      const d = step(rule, hashes);
      let r = residue<u64>(rule, c, m, up, low);
      const e = residue<u64>(rule, d, m, up, low);
      for (const stop = at + (k << 3); ; ) {
        store<u64>(at, bitOf<u64>(rule, c, r, m, low));
        at += 8;
        if (at >= stop) break;
        const sum = sumOf(rule, c, d);
        r = nextResidue<u64>(rule, r, e, sum, back, m);
        c = termOf(rule, sum);
      }
    }
    const filled = at;
    for (at = WORK; at < filled; flags++) {
      let all: u32 = 1;
      for (const stop = at + (k << 3); at < stop; at += 8) all &= visit<u64>(set, body, load<u64>(at));
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
function probe(
  rule: u32, set: bool, wanted: u32, body: usize, bits: f64, k: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  const m = divisorOf(rule, <u64>bits);
  prepare(m);
  if (ASC_FEATURE_SIMD && count > 1 && k <= INDICES) {
    if (m <= NEAR && m * (k << 2) <= 1 << 32) return probeNear(rule, set, wanted, body, m, k, hashes, count, flags);
    return probeFar(rule, set, wanted, body, m, k, hashes, count, flags);
  }
  if (ASC_FEATURE_SIMD || m >> 31) return probeSimply<u64>(rule, set, wanted, body, m, k, hashes, count, flags);
  return probeSimply<u32>(rule, set, wanted, body, <u32>m, k, hashes, count, flags);
}

/** Adds `count` hashes. The rule is MITZ_32 if `narrow` is 1. */
export function addAll(body: usize, bits: f64, k: u32, narrow: u32, hashes: usize, count: u32): void {
  if (narrow) probe(MITZ_32, true, NONE, body, bits, k, hashes, count, 0);
  else probe(WIDE, true, NONE, body, bits, k, hashes, count, 0);
}

/** Adds `count` hashes, flags with 1 those that were certainly absent, and returns their number. */
export function flagAll(body: usize, bits: f64, k: u32, narrow: u32, hashes: usize, count: u32, flags: usize): u32 {
  if (narrow) return probe(MITZ_32, true, 0, body, bits, k, hashes, count, flags);
  return probe(WIDE, true, 0, body, bits, k, hashes, count, flags);
}

/** Looks up all bits of each hash. Not inlined, because it has several callers. */
function look(body: usize, bits: f64, k: u32, narrow: u32, hashes: usize, count: u32, flags: usize): u32 {
  if (narrow) return probe(MITZ_32, false, 1, body, bits, k, hashes, count, flags);
  return probe(WIDE, false, 1, body, bits, k, hashes, count, flags);
}

/** The number of hashes that are looked up in rounds together. */
const TILE: u32 = 256;
/** The number of bits in the first round. */
const ROUND: u32 = 2;
/** What rounds keep in the work area, after the bits: positions in the tile, and the hashes and flags there. */
const POSITIONS: usize = WORK + 8 * INDICES;
const LEFT: usize = POSITIONS + TILE;
const FOUND: usize = LEFT + 16 * TILE;

/** Flags with 1 the hashes of which two bits are set. */
@inline
function lookFirst(rule: u32, body: usize, bits: f64, hashes: usize, count: u32, flags: usize): void {
  const m = divisorOf(rule, <u64>bits);
  prepare(m);
  const up = high;
  const low = one;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16, flags++) {
    const c = firstTerm(rule, hashes);
    const next = termOf(rule, sumOf(rule, c, step(rule, hashes)));
    const first = visit<u64>(false, body, bitOf<u64>(rule, c, residue<u64>(rule, c, m, up, low), m, low));
    const second = visit<u64>(false, body, bitOf<u64>(rule, next, residue<u64>(rule, next, m, up, low), m, low));
    store<u8>(flags, first & second & 1);
  }
}

/** Looks up a tile of hashes in two rounds: two bits of each, then all bits of those that have both. */
@inline
function lookInRounds(body: usize, bits: f64, k: u32, narrow: u32, hashes: usize, count: u32, flags: usize): u32 {
  if (narrow) lookFirst(MITZ_32, body, bits, hashes, count, flags);
  else lookFirst(WIDE, body, bits, hashes, count, flags);
  let left: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    // No branch, because it would be mispredicted: the next key overwrites one that failed.
    store<u8>(POSITIONS + left, i);
    left += load<u8>(flags + i);
  }
  for (let i: u32 = 0; i < left; i++) {
    v128.store(LEFT + (i << 4), v128.load(hashes + (<u32>load<u8>(POSITIONS + i) << 4)));
  }
  const present = look(body, bits, k, narrow, LEFT, left, FOUND);
  for (let i: u32 = 0; i < left; i++) store<u8>(flags + load<u8>(POSITIONS + i), load<u8>(FOUND + i));
  return present;
}

/** Flags with 1 those of `count` hashes that may be present, and returns their number. */
export function hasAll(body: usize, bits: f64, k: u32, narrow: u32, hashes: usize, count: u32, flags: usize): u32 {
  if (!ASC_FEATURE_SIMD || count == 1 || k <= ROUND) return look(body, bits, k, narrow, hashes, count, flags);
  let present: u32 = 0;
  let inRounds = true;
  while (count) {
    const size = min(count, TILE);
    const some = inRounds
      ? lookInRounds(body, bits, k, narrow, hashes, size, flags)
      : look(body, bits, k, narrow, hashes, size, flags);
    present += some;
    // Rounds pay off when most keys are absent. Each tile predicts the next.
    inRounds = some * 2 < size;
    count -= size;
    hashes += size << 4;
    flags += size;
  }
  return present;
}
