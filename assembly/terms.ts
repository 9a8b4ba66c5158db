// How filters of other systems make of the 16 bytes of a hash the terms of a sequence, whose residues modulo the number
// of bits are the bits of a key. The formats freeze these rules.
//
// MITZ_64, of Guava: c = h1, h1 + h2, h1 + 2 h2 …, modulo 2^64, each without its highest bit. So the terms are a
// sequence modulo 2^63.
//
// MITZ_32, of Guava and of version 1 of Spark: with a and b the first two words of the hash, c = a + b, a + 2 b …,
// modulo 2^32. A negative c stands for ~c. All terms are below 2^31, so bits from there on are never used.
//
// SPARK_2, of version 2 of Spark: with a and b as before, but signed, c = a (2^31 − 1) + b, a (2^31 − 1) + 2 b …, as
// signed integers of 64 bits, which cannot overflow. A negative c stands for ~c.

import { add } from "./arithmetic";
import { SPARK } from "./hash";

export const MITZ_64: u32 = 0;
export const MITZ_32: u32 = 1;
export const SPARK_2: u32 = 2;
/** The rule that a module has besides MITZ_32. */
export const WIDE: u32 = HASH == SPARK ? SPARK_2 : MITZ_64;

const LOW_63: u64 = i64.MAX_VALUE;

/** All ones if a signed integer is negative, else 0. */
@inline
export function sign(c: u64): u64 {
  return <u64>(<i64>c >> 63);
}

/** What is added to a term to give the next one. */
@inline
export function step(rule: u32, hash: usize): u64 {
  if (rule == MITZ_64) return load<u64>(hash, 8) & LOW_63;
  if (rule == MITZ_32) return load<u32>(hash, 4);
  return <u64><i64>load<i32>(hash, 4);
}

/** The first term. */
@inline
export function firstTerm(rule: u32, hash: usize): u64 {
  if (rule == MITZ_64) return load<u64>(hash) & LOW_63;
  if (rule == MITZ_32) return load<u32>(hash) + load<u32>(hash, 4);
  const a = <i64>load<i32>(hash);
  return add(<u64>((a << 31) - a), step(rule, hash));
}

/** The sum of a term and the step. For MITZ_64, its highest bit is set where the sequence wraps. */
@inline
export function sumOf(rule: u32, c: u64, d: u64): u64 {
  return rule == MITZ_32 ? <u64>(<u32>c + <u32>d) : add(c, d);
}

/** The next term, given that sum. */
@inline
export function termOf(rule: u32, sum: u64): u64 {
  return rule == MITZ_64 ? sum & LOW_63 : sum;
}

/** A term or a step without its sign. */
@inline
export function unsigned(rule: u32, c: u64): u64 {
  if (rule == MITZ_64) return c;
  return rule == MITZ_32 ? <u64>(<u32>(<i32>c >> 31) ^ <u32>c) : c ^ sign(c);
}
