// The counting Bloom filter: the classic filter with a 4-bit counter in place of each bit, so that keys can be
// removed.
//
// Counter i is in byte i >> 1, in the low nibble if i is even. A counter that has reached 15 no longer knows its
// count, and stays at 15 forever. If two of a key's indices are equal, their counter counts twice.

import { OFFSET, scale, step } from "./classic";
import { ONE_FLAG } from "./memory";
import { hashKey } from "./hash-key";

const FULL: u32 = 15;
const LOW_NIBBLES: u64 = 0x0f0f0f0f0f0f0f0f;
const FIFTH_BITS: u64 = 0x1010101010101010;
const NIBBLES: u64 = 0x1111111111111111;

@inline
function read(body: usize, index: u64): u32 {
  return (<u32>load<u8>(body + <usize>(index >> 1)) >> ((<u32>index & 1) << 2)) & FULL;
}

@inline
function write(body: usize, index: u64, value: u32): void {
  const at = body + <usize>(index >> 1);
  const shift = (<u32>index & 1) << 2;
  store<u8>(at, (<u32>load<u8>(at) & ~(FULL << shift)) | (value << shift));
}

// Not inlined: a key's k counters cost far more than a call.

/** The smallest of a key's counters. */
function least(body: usize, m: u64, k: u32, hash: usize): u32 {
  let s = load<u64>(hash);
  const d = load<u64>(hash, 8) ^ OFFSET;
  let count = FULL;
  for (let i: u32 = 0; i < k && count; i++, s = step(s, d)) count = min(count, read(body, scale(s, m)));
  return count;
}

/**
 * Adds `change`, 1 or −1, to a key's counters. Returns 1 if one of them was 0, else 0. A counter at 0 is not
 * decremented: it can only be met by removing a key that was never added.
 */
function count(body: usize, m: u64, k: u32, hash: usize, change: i32): u32 {
  let s = load<u64>(hash);
  const d = load<u64>(hash, 8) ^ OFFSET;
  let fresh: u32 = 0;
  for (let i: u32 = 0; i < k; i++, s = step(s, d)) {
    const index = scale(s, m);
    assert(index < m);
    const old = read(body, index);
    if (!old) fresh = 1;
    if (old < FULL && (old > 0 || change > 0)) write(body, index, old + change);
  }
  return fresh;
}

/** Adds `keys` hashes, flags with 1 those that were certainly absent, and returns their number. */
export function counting_add(body: usize, counters: f64, k: u32, hashes: usize, keys: u32, flags: usize): u32 {
  const m = <u64>counters;
  let added: u32 = 0;
  for (const end = hashes + (keys << 4); hashes < end; hashes += 16, flags++) {
    const flag = count(body, m, k, hashes, 1);
    store<u8>(flags, flag);
    added += flag;
  }
  return added;
}

/** Looks up `keys` hashes, flags with 1 those that may be present, and returns their number. */
export function counting_has(body: usize, counters: f64, k: u32, hashes: usize, keys: u32, flags: usize): u32 {
  const m = <u64>counters;
  let present: u32 = 0;
  for (const end = hashes + (keys << 4); hashes < end; hashes += 16, flags++) {
    const flag = u32(least(body, m, k, hashes) > 0);
    store<u8>(flags, flag);
    present += flag;
  }
  return present;
}

/** Of `keys` hashes, removes those that may be present, flags them with 1, and returns their number. */
export function counting_remove(body: usize, counters: f64, k: u32, hashes: usize, keys: u32, flags: usize): u32 {
  const m = <u64>counters;
  let removed: u32 = 0;
  for (const end = hashes + (keys << 4); hashes < end; hashes += 16, flags++) {
    const flag = u32(least(body, m, k, hashes) > 0);
    if (flag) count(body, m, k, hashes, -1);
    store<u8>(flags, flag);
    removed += flag;
  }
  return removed;
}

/** An upper bound on how often the key of a hash was added: other keys may share its counters. 15 means 15 or more. */
export function counting_count(body: usize, counters: f64, k: u32, hash: usize): u32 {
  return least(body, <u64>counters, k, hash);
}

/** Adds a key. Returns 1 if it was certainly absent, else 0. */
export function counting_add_key(
  body: usize, counters: f64, k: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  return count(body, <u64>counters, k, hashKey(text, key, length, seed), 1);
}

/** An upper bound on how often a key was added: other keys may share its counters. 15 means 15 or more. */
export function counting_count_key(
  body: usize, counters: f64, k: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  return least(body, <u64>counters, k, hashKey(text, key, length, seed));
}

/** Removes a key if it may be present. Returns 1 if so, else 0. */
export function counting_remove_key(
  body: usize, counters: f64, k: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  return counting_remove(body, counters, k, hashKey(text, key, length, seed), 1, ONE_FLAG);
}

/** The number of counters that are not 0. */
export function counting_used(at: usize, length: usize): f64 {
  let count: u64 = 0;
  for (const end = at + length; at < end; at += 8) {
    const pairs = load<u64>(at) | (load<u64>(at) >> 1);
    count += popcnt((pairs | (pairs >> 2)) & NIBBLES);
  }
  return <f64>count;
}

/** Adds the low nibbles of each byte. A sum stops at 15. */
@inline
function addNibbles(a: u64, b: u64): u64 {
  const sum = (a & LOW_NIBBLES) + (b & LOW_NIBBLES);
  const over = sum & FIFTH_BITS;
  return (sum | (over - (over >> 4))) & LOW_NIBBLES;
}

/** The smaller of the low nibbles of each byte. */
@inline
function leastNibbles(a: u64, b: u64): u64 {
  const notLess = (((a & LOW_NIBBLES) | FIFTH_BITS) - (b & LOW_NIBBLES)) & FIFTH_BITS;
  const mask = notLess - (notLess >> 4);
  return (b & mask) | (a & (LOW_NIBBLES ^ mask));
}

/** target += source, counter by counter, stopping at 15 */
export function counting_sum(target: usize, source: usize, length: usize): void {
  for (const end = target + length; target < end; target += 8, source += 8) {
    const a = load<u64>(target);
    const b = load<u64>(source);
    store<u64>(target, addNibbles(a, b) | (addNibbles(a >> 4, b >> 4) << 4));
  }
}

/** target = min(target, source), counter by counter */
export function counting_least(target: usize, source: usize, length: usize): void {
  for (const end = target + length; target < end; target += 8, source += 8) {
    const a = load<u64>(target);
    const b = load<u64>(source);
    store<u64>(target, leastNibbles(a, b) | (leastNibbles(a >> 4, b >> 4) << 4));
  }
}

/**
 * Writes one bit per counter, 1 if the counter is not 0: `length` bytes of counters give `length / 4` bytes of bits.
 */
export function counting_bits(counters: usize, length: usize, bits: usize): void {
  for (const end = counters + length; counters < end; counters += 4, bits++) {
    let nibbles = load<u32>(counters);
    let byte: u32 = 0;
    for (let i: u32 = 0; i < 8; i++, nibbles >>= 4) byte |= u32((nibbles & FULL) != 0) << i;
    store<u8>(bits, byte);
  }
}
