// Residues modulo m, the number of bits of a filter, without divisions.
//
// In WebAssembly, for m up to 2^31, by multiplication: an estimate of x / m without its integer part is a fraction, and
// m times the fraction is the residue. Estimates are never too small, and too large by an e: if e · m < 1, the integer
// part of the product is exactly the residue. See D. Lemire, O. Kaser, N. Kurz, Faster remainder by direct computation,
// 2019.
//
// Residues of a sequence follow from each other by additions. Their type T is u32 in plain JavaScript if m is less than
// 2^31, so that the sum of two is one too.

import { residueOf } from "./residues";
import { MITZ_32, MITZ_64, SPARK_2, unsigned } from "./terms";

const LOW: u64 = 0xffffffff;

/** x / m as a multiple of 2^−64, rounded up, for x < m < 2^32 */
@inline
function ratio(x: u64, m: u64): u64 {
  const high = (x << 32) / m;
  const rest = ((x << 32) % m) << 32;
  return (high << 32) + (rest + m - 1) / m;
}

// The constants of the last m, in variables: V8 would compute them again in the loops that use them.

let known: u64 = 0;
/** The fraction of 1 / m, as a multiple of 2^−64, rounded up. */
export let one: u64 = 0;
/** The fraction of 2^32 / m, as a multiple of 2^−64, rounded up. */
export let high: u64 = 0;
/** 2^63 mod m */
export let wrap: u64 = 0;
/** The fraction of −2^63 / m, as a multiple of 2^−32, rounded up. */
export let wrapStep: u32 = 0;

function compute(m: u64): void {
  known = m;
  wrap = residueOf(1 << 63, m);
  if (!ASC_FEATURE_SIMD || m > 1 << 31) return;
  one = u64.MAX_VALUE / m + 1;
  high = ratio((<u64>1 << 32) % m, m);
  wrapStep = upper(ratio(wrap ? m - wrap : 0, m));
}

/** Computes the constants of m, which the other functions take. */
@inline
export function prepare(m: u64): void {
  if (m != known) compute(m);
}

/**
 * The fraction of x / m, as a multiple of 2^−64, for x < 2^63, given `high` and `one`. Each half of x adds less than 2^32
 * to the error, so e < 2^−31.4.
 */
@inline
export function fraction(x: u64, high: u64, one: u64): u64 {
  return (x >> 32) * high + (x & LOW) * one;
}

/** The upper half of a fraction, rounded up. */
@inline
export function upper(f: u64): u32 {
  return <u32>(f >> 32) + 1;
}

/** floor(f · m / 2^64) */
@inline
function scaled(f: u64, m: u64): u64 {
  return ((f >> 32) * m + (((f & LOW) * m) >> 32)) >> 32;
}

/**
 * The residue of a term of MITZ_32 without its sign, for m up to 2^31: e < 2^−33, as a term is below 2^31, and 2^−32 more
 * after rounding up.
 */
@inline
function narrowResidue(x: u64, one: u64, m: u64): u64 {
  return (((one * x) >> 32) + 1) * m >> 32;
}

/** The residue of c, given that of c without its sign. */
@inline
function signed<T>(rule: u32, c: u64, rest: T, m: T): T {
  // The residue of ~x = −x − 1 is that of x, counted from the other end.
  return rule == SPARK_2 ? select<T>(<T>(m - 1 - rest), rest, <i64>c < 0) : rest;
}

/** The residue of a term or a step, from 0 to m − 1. MITZ_32 does without: its terms are divided one by one. */
@inline
export function residue<T>(rule: u32, c: u64, m: T, high: u64, one: u64): T {
  if (rule == MITZ_32) return <T>0;
  const x = unsigned(rule, c);
  if (!ASC_FEATURE_SIMD) return signed<T>(rule, c, <T>residueOf(x, <u64>m), m);
  return signed<T>(rule, c, <T>(<u64>m >> 31 ? x % <u64>m : scaled(fraction(x, high, one), <u64>m)), m);
}

/** The residue of the next term, given that of the last one, r, that of the step, e, and the sum of both. */
@inline
export function nextResidue<T>(rule: u32, r: T, e: T, sum: u64, wrap: T, m: T): T {
  if (rule == MITZ_32) return r;
  let next = <T>(r + e);
  next = select<T>(<T>(next - m), next, next >= m);
  if (rule == SPARK_2) return next;
  // A wrap is random, so a branch would be mispredicted. Where next is less than the wrap, the difference is above it
  // until m is added.
  const rest = <T>(next - select<T>(wrap, <T>0, <i64>sum < 0));
  return select<T>(<T>(rest + m), rest, rest > next);
}

/** The bit of a term whose residue is r. */
@inline
export function bitOf<T>(rule: u32, c: u64, r: T, m: T, one: u64): T {
  if (rule != MITZ_32) return signed<T>(rule, c, r, m);
  const x = unsigned(rule, c);
  if (ASC_FEATURE_SIMD) return <T>narrowResidue(x, one, <u64>m);
  return sizeof<T>() == 8 ? <T>x : <T>(<u32>x % <u32>m);
}

/** The m of a filter of `bits` bits: from 2^31 on, MITZ_32 has all terms as they are. */
@inline
export function divisorOf(rule: u32, bits: u64): u64 {
  return rule == MITZ_32 ? min<u64>(bits, 1 << 31) : bits;
}
