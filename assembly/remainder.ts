// Loops of Bloom filters of other systems whose indices are remainders: a key sets the k bits at the terms of a
// sequence, modulo the number of bits m. Three rules make the terms of the 16 bytes of a hash; the formats freeze them.
//
// MITZ_64, of Guava: c = h1, h1 + h2, h1 + 2 h2 …, modulo 2^64, each without its highest bit. So the terms are a
// sequence modulo 2^63, whose residues follow from each other by additions: see residues.ts.
//
// MITZ_32, of Guava and of version 1 of Spark: with a and b the first two words of the hash, c = a + b, a + 2 b …,
// modulo 2^32. A negative c stands for ~c. All terms are below 2^31, so bits from there on are never used.
//
// SPARK_2, of version 2 of Spark: with a and b as before, but signed, c = a (2^31 − 1) + b, a (2^31 − 1) + 2 b …, as
// signed integers of 64 bits, which cannot overflow. A negative c stands for ~c.
//
// Bit i is bit i & 31 of the little-endian word i >> 5.

import { add } from "./arithmetic";
import { WORK } from "./memory";
import { nextResidue, reduce, residueOf } from "./residues";

export const MITZ_64: u32 = 0;
export const MITZ_32: u32 = 1;
export const SPARK_2: u32 = 2;

const LOW_63: u64 = i64.MAX_VALUE;

/** The first term. */
@inline
function firstTerm(rule: u32, hash: usize): u64 {
  if (rule == MITZ_64) return load<u64>(hash) & LOW_63;
  if (rule == MITZ_32) return load<u32>(hash) + load<u32>(hash, 4);
  const a = <i64>load<i32>(hash);
  return add(<u64>((a << 31) - a), step(rule, hash));
}

/** What is added to a term to give the next one. */
@inline
function step(rule: u32, hash: usize): u64 {
  if (rule == MITZ_64) return load<u64>(hash, 8) & LOW_63;
  if (rule == MITZ_32) return load<u32>(hash, 4);
  return <u64><i64>load<i32>(hash, 4);
}

/** All ones if a signed integer is negative, else 0. */
@inline
function sign(c: u64): u64 {
  return <u64>(<i64>c >> 63);
}

// Residues are u32 if m < 2^31, when no sum of two exceeds 32 bits, and u64 for larger filters.

/** The residue of a term or a step, from 0 to m − 1. MITZ_32 does without: its terms are divided one by one. */
@inline
function residue<T>(rule: u32, c: u64, m: T): T {
  if (rule == MITZ_32) return <T>0;
  if (rule == MITZ_64) return <T>residueOf(c, <u64>m);
  // The residue of ~x = −x − 1 is that of x, counted from the other end.
  const rest = <T>residueOf(c ^ sign(c), <u64>m);
  return select<T>(<T>(m - 1 - rest), rest, <i64>c < 0);
}

/** The index for a term whose residue is r. */
@inline
function indexOf<T>(rule: u32, c: u64, r: T, m: T): T {
  if (rule == MITZ_64) return r;
  if (rule == SPARK_2) return select<T>(<T>(m - 1 - r), r, <i64>c < 0);
  const term = <u32>(<i32>c >> 31) ^ <u32>c;
  // Terms are below 2^31, as is m if it is a u32.
  return sizeof<T>() == 4 ? <T>(term % <u32>m) : <T>(<u64>term % <u64>m);
}

/** Returns the word of a bit, shifted to put that bit lowest. If `set`, then sets the bit. */
@inline
function visit<T>(set: bool, body: usize, index: T): u32 {
  const word = body + (<usize>(index >> 5) << 2);
  const old = load<u32>(word);
  if (set) store<u32>(word, old | (1 << <u32>index));
  return old >> <u32>index;
}

/**
 * The term after c: its sum with the step d, which for MITZ_64 has its highest bit set where the sequence wraps at 2^63.
 */
@inline
function sumOf(rule: u32, c: u64, d: u64): u64 {
  return rule == MITZ_32 ? <u64>(<u32>c + <u32>d) : add(c, d);
}

@inline
function termOf(rule: u32, sum: u64): u64 {
  return rule == MITZ_64 ? sum & LOW_63 : sum;
}

/** The residue of a term, given that of the one before, r, and of the step, e. `wrap` is 2^63 mod m. */
@inline
function nextOf<T>(rule: u32, r: T, e: T, wrap: T, sum: u64, m: T): T {
  if (rule == MITZ_32) return r;
  if (sizeof<T>() == 8) {
    const wrapped = rule == MITZ_64 && <i64>sum < 0;
    return <T>nextResidue(<u64>r, <u64>e, <u64>wrap, wrapped, <u64>m);
  }
  let next = <u32>r + <u32>e;
  next = select<u32>(next - <u32>m, next, next >= <u32>m);
  if (rule == SPARK_2) return <T>next;
  // A wrap is random, so a branch would be mispredicted. Where next is less than the wrap, the difference is 2^32 too
  // large until m is added.
  const least = next - select<u32>(<u32>wrap, 0, <i64>sum < 0);
  return <T>select<u32>(least + <u32>m, least, least > next);
}

@inline
function wrapOf<T>(rule: u32, m: T): T {
  return rule == MITZ_64 ? <T>residueOf(LOW_63 + 1, <u64>m) : <T>0;
}

/**
 * Flags with 1 the hashes whose k bits were all set (`wanted` = 1) or were not (0), and returns their number. A lookup
 * stops at the first bit that is not set.
 */
@inline
function probeSimply<T>(
  rule: u32, set: bool, wanted: u32, body: usize, m: T, k: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  const wrap = wrapOf<T>(rule, m);
  let flagged: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16, flags++) {
    let c = firstTerm(rule, hashes);
    const d = step(rule, hashes);
    let r = residue<T>(rule, c, m);
    let all = visit<T>(set, body, indexOf<T>(rule, c, r, m));
    // Not needed for most absent keys.
    if (k > 1 && (set || all & 1)) {
      const e = residue<T>(rule, d, m);
      let left = k;
      do {
        if (!--left) break;
        const sum = sumOf(rule, c, d);
        r = nextOf<T>(rule, r, e, wrap, sum, m);
        c = termOf(rule, sum);
        all &= visit<T>(set, body, indexOf<T>(rule, c, r, m));
      } while (set || all & 1);
    }
    const flag = (all & 1) ^ wanted ^ 1;
    store<u8>(flags, flag);
    flagged += flag;
  }
  return flagged;
}

const INDICES: u32 = 1024;

/**
 * For filters larger than the cache, where waiting for memory is the cost: computes the indices of several keys first,
 * then loads. The fewer other instructions lie between loads, the more of them overlap. k is at most INDICES.
 */
@inline
function probeFar<T>(
  rule: u32, set: bool, wanted: u32, body: usize, m: T, k: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  const wrap = wrapOf<T>(rule, m);
  let flagged: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; ) {
    const next = min(end, hashes + (<usize>(INDICES / k) << 4));
    let index = WORK;
    for (; hashes < next; hashes += 16) {
      let c = firstTerm(rule, hashes);
      const d = step(rule, hashes);
      let r = residue<T>(rule, c, m);
      const e = residue<T>(rule, d, m);
      for (const stop = index + k * sizeof<T>(); ; ) {
        store<T>(index, indexOf<T>(rule, c, r, m));
        index += sizeof<T>();
        if (index >= stop) break;
        const sum = sumOf(rule, c, d);
        r = nextOf<T>(rule, r, e, wrap, sum, m);
        c = termOf(rule, sum);
      }
    }
    for (let at = WORK; at < index; flags++) {
      let all: u32 = 1;
      for (const stop = at + k * sizeof<T>(); at < stop; at += sizeof<T>()) all &= visit<T>(set, body, load<T>(at));
      const flag = u32(all == wanted);
      store<u8>(flags, flag);
      flagged += flag;
    }
  }
  return flagged;
}

/** For filters of 256 MiB and more. Not inlined, because few are that large. */
function probeWide(
  rule: u32, set: bool, wanted: u32, body: usize, m: u64, k: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  if (rule == MITZ_64) return probeSimply<u64>(MITZ_64, set, wanted, body, m, k, hashes, count, flags);
  if (rule == MITZ_32) return probeSimply<u64>(MITZ_32, set, wanted, body, m, k, hashes, count, flags);
  return probeSimply<u64>(SPARK_2, set, wanted, body, m, k, hashes, count, flags);
}

/** Filters up to this size, 4 MiB in bits, count as fitting in the cache, which other programs use too. */
const NEAR: u64 = 1 << 25;

/** Adds the hashes if `set`, else looks them up: `wanted` is 0 or 1 accordingly. */
@inline
export function probe(
  rule: u32, set: bool, body: usize, bits: f64, k: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  const m = <u64>bits;
  const wanted = u32(!set);
  if (m >> 31) return probeWide(rule, set, wanted, body, m, k, hashes, count, flags);
  if (ASC_FEATURE_SIMD && m > NEAR && k <= INDICES)
    return probeFar<u32>(rule, set, wanted, body, <u32>m, k, hashes, count, flags);
  return probeSimply<u32>(rule, set, wanted, body, <u32>m, k, hashes, count, flags);
}
