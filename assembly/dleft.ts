// The d-left counting Bloom filter: four tables of buckets of eight cells. A key has one bucket in each table. Of each
// stored key, a cell in one of its buckets has a remainder of r bits, 4 … 30, and a count from 1 to 3; further copies
// take further cells. A cell of 0 is empty.
//
//   base      = floor(h1 · n / 2^64)                      n buckets in each table, at most 2^27
//   remainder = floor(half / 2^(32 − r))                  half: see `fingerprintHalf`
//   step t    = floor(fmix32(remainder + t · 0x9e3779b9) · n / 2^32), or 0 for t = 0
//   bucket t  = (base + step t) mod n                     in the tables t = 0 … 3
//
// Each remainder moves the buckets of a table by a distance of its own. So if two keys with the same remainder share a
// bucket, they share all four, and look the same: no key can be removed through a cell of another key.
//
// Bucket x of table t is the bytes from (t · n + x) · (r + 2) on; dleft-buckets.ts has the layout of a bucket. The
// format freezes all this, and the choice of a cell too. The module is linked to the kernel.

import { multiplyHigh, scaleLoaded } from "./arithmetic";
import { CELLS, copiesIn, countOf, decrement, emptyIn, fill, increment, isIn, remainderOf } from "./dleft-buckets";
import { onesOf, readField } from "./fields";
import { hashKey } from "./linked";
import { WORK } from "./memory";
import { avalanche32, fingerprintHalf } from "./murmur3";

const TABLES: u32 = 4;

/**
 * The number of hashes in a tile. Their places are computed first, so that the probe waits for many buckets at once.
 */
const TILE: u32 = 256;
/** The places of a tile of hashes, 32 bytes each: the addresses of the four buckets, and the remainder. */
const PLACES: usize = WORK;
const PLACE: u32 = 32;
const REMAINDER: u32 = 4 * TABLES;

/** `dleft_add_key` returns this if there is no room. */
const REFUSED: u32 = 2;

/** How far the bucket of a remainder in a table is from its bucket in the first table. */
@inline
function stepOf(buckets: u32, remainder: u32, table: u32): u32 {
  return table ? multiplyHigh(avalanche32(remainder + table * 0x9e3779b9), buckets) : 0;
}

@inline
function addressOf(body: usize, buckets: u32, bits: u32, table: u32, bucket: u32): usize {
  return body + (table * buckets + bucket) * bits;
}

/** Writes the place of a remainder whose bucket in the first table is `base`. */
function putPlace(body: usize, buckets: u32, bits: u32, base: u32, remainder: u32, place: usize): void {
  store<u32>(place + REMAINDER, remainder);
  for (let table: u32 = 0; table < TABLES; table++) {
    const bucket = base + stepOf(buckets, remainder, table);
    const inTable = bucket < buckets ? bucket : bucket - buckets;
    store<u32>(place + (table << 2), <u32>addressOf(body, buckets, bits, table, inTable));
  }
}

/** Writes the place of a hash. */
@inline
function locate(body: usize, buckets: u32, bits: u32, hash: usize, place: usize): void {
  const remainder = fingerprintHalf(hash) >> (34 - bits);
  putPlace(body, buckets, bits, scaleLoaded(hash, buckets), remainder, place);
}

/** Writes the places of at most a tile of hashes. */
@inline
function locateAll(body: usize, buckets: u32, bits: u32, hashes: usize, count: u32): void {
  for (let place = PLACES, end = PLACES + PLACE * count; place < end; place += PLACE, hashes += 16) {
    locate(body, buckets, bits, hashes, place);
  }
}

/** The address of a key's bucket in one of the four tables. */
@inline
function bucketOf(place: usize, table: u32): usize {
  return load<u32>(place + (table << 2));
}

/** Whether one of the buckets of a place has its remainder. */
function isPresent(bits: u32, ones: u64, place: usize): bool {
  const remainder = load<u32>(place + REMAINDER);
  return (
    isIn(bucketOf(place, 0), bits, ones, remainder) || isIn(bucketOf(place, 1), bits, ones, remainder) ||
    isIn(bucketOf(place, 2), bits, ones, remainder) || isIn(bucketOf(place, 3), bits, ones, remainder)
  );
}

/** Increments the first count below 3 of the remainder of a place. Returns false if there is none. */
@inline
function incrementOne(bits: u32, place: usize): bool {
  const remainder = load<u32>(place + REMAINDER);
  return (
    increment(bucketOf(place, 0), bits, remainder) || increment(bucketOf(place, 1), bits, remainder) ||
    increment(bucketOf(place, 2), bits, remainder) || increment(bucketOf(place, 3), bits, remainder)
  );
}

/**
 * Stores a copy of the remainder of a place: in a cell that has it already, or else in the bucket with the most empty
 * cells. Returns false, and changes nothing, if there is no room. `present` is `isPresent` of the place.
 */
function insert(bits: u32, ones: u64, place: usize, present: bool): bool {
  if (present && incrementOne(bits, place)) return true;
  let most: u32 = 0;
  let best: usize = 0;
  for (let table: u32 = 0; table < TABLES; table++) {
    const bucket = bucketOf(place, table);
    const empty = emptyIn(bucket, bits, ones);
    if (empty <= most) continue;
    most = empty;
    best = bucket;
  }
  if (!most) return false;
  fill(best, bits, load<u32>(place + REMAINDER));
  return true;
}

/** Takes away a copy of the remainder of a place, if there is one, from the last cell that has it. Returns 1 if so. */
function takeOne(bits: u32, ones: u64, place: usize): u32 {
  if (!isPresent(bits, ones, place)) return 0;
  const remainder = load<u32>(place + REMAINDER);
  return u32(
    decrement(bucketOf(place, 3), bits, remainder) || decrement(bucketOf(place, 2), bits, remainder) ||
    decrement(bucketOf(place, 1), bits, remainder) || decrement(bucketOf(place, 0), bits, remainder),
  );
}

/** The number of copies of the remainder that is written at a place. */
function copiesOf(bits: u32, place: usize): u32 {
  const remainder = load<u32>(place + REMAINDER);
  let copies: u32 = 0;
  for (let table: u32 = 0; table < TABLES; table++) copies += copiesIn(bucketOf(place, table), bits, remainder);
  return copies;
}

/**
 * Stores `count` hashes, or only those that look absent if `onlyAbsent`, and flags with 1 those that looked absent.
 * Stops at the first hash without room, and flags it and the hashes after it with 0. Returns the number of hashes
 * before it.
 */
@inline
function addAll(
  onlyAbsent: bool, body: usize, buckets: u32, bits: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  const ones = onesOf(bits);
  for (let done: u32 = 0; done < count; ) {
    const size = min(count - done, TILE);
    locateAll(body, buckets, bits, hashes + (done << 4), size);
    for (let place = PLACES, end = PLACES + PLACE * size; place < end; place += PLACE, done++) {
      const present = isPresent(bits, ones, place);
      if (!(onlyAbsent && present) && !insert(bits, ones, place, present)) {
        memory.fill(flags + done, 0, count - done);
        return done;
      }
      store<u8>(flags + done, u8(!present));
    }
  }
  return count;
}

/**
 * Adds `count` hashes, and flags with 1 those that were absent. Stops at the first hash without room, and flags it and
 * the hashes after it with 0. Returns the number of hashes before it.
 */
export function dleft_add(body: usize, buckets: u32, bits: u32, hashes: usize, count: u32, flags: usize): u32 {
  return addAll(false, body, buckets, bits, hashes, count, flags);
}

/**
 * Of `count` hashes, adds those that look absent, and flags them with 1. Stops at the first hash without room, and
 * flags it and the hashes after it with 0. Returns the number of hashes before it.
 */
export function dleft_add_absent(body: usize, buckets: u32, bits: u32, hashes: usize, count: u32, flags: usize): u32 {
  return addAll(true, body, buckets, bits, hashes, count, flags);
}

/** Of `count` hashes, flags with 1 those that may be present, removes them if `removes`, and returns their number. */
@inline
function flagAll(
  removes: bool, body: usize, buckets: u32, bits: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  const ones = onesOf(bits);
  let present: u32 = 0;
  while (count) {
    const size = min(count, TILE);
    locateAll(body, buckets, bits, hashes, size);
    for (let place = PLACES, end = PLACES + PLACE * size; place < end; place += PLACE, flags++) {
      const flag = removes ? takeOne(bits, ones, place) : u32(isPresent(bits, ones, place));
      store<u8>(flags, flag);
      present += flag;
    }
    count -= size;
    hashes += size << 4;
  }
  return present;
}

/** Flags with 1 those of `count` hashes that may be present, and returns their number. */
export function dleft_has(body: usize, buckets: u32, bits: u32, hashes: usize, count: u32, flags: usize): u32 {
  return flagAll(false, body, buckets, bits, hashes, count, flags);
}

/** Of `count` hashes, removes those that may be present, flags them with 1, and returns their number. */
export function dleft_remove(body: usize, buckets: u32, bits: u32, hashes: usize, count: u32, flags: usize): u32 {
  return flagAll(true, body, buckets, bits, hashes, count, flags);
}

/**
 * Stores the entries of `count` buckets of another filter of the same size. The buckets are at `others`, and begin with
 * bucket `from`, counted through all tables. Returns 0 if all entries fit. Stops at the first entry without room, and
 * returns 1 more than the number of times that its remainder is stored.
 */
export function dleft_merge(body: usize, buckets: u32, bits: u32, from: u32, others: usize, count: u32): u32 {
  const ones = onesOf(bits);
  for (let i: u32 = 0; i < count; i++, others += bits) {
    const table = (from + i) / buckets;
    const bucket = (from + i) % buckets;
    for (let start: u32 = 0; start < CELLS * bits; start += bits) {
      const cell = readField(others, start, bits);
      if (!cell) continue;
      const remainder = remainderOf(cell);
      const step = stepOf(buckets, remainder, table);
      putPlace(body, buckets, bits, bucket >= step ? bucket - step : bucket - step + buckets, remainder, PLACES);
      for (let copies = countOf(cell); copies; copies--) {
        if (!insert(bits, ones, PLACES, isPresent(bits, ones, PLACES))) return 1 + copiesOf(bits, PLACES);
      }
    }
  }
  return 0;
}

/** How often the key of a hash is stored, 0 … 96. Keys with the same remainder and buckets count too. */
export function dleft_count(body: usize, buckets: u32, bits: u32, hash: usize): u32 {
  locate(body, buckets, bits, hash, PLACES);
  return copiesOf(bits, PLACES);
}

/** Adds a key. Returns 1 if it looked absent, else 0; 2 if there is no room. */
export function dleft_add_key(
  body: usize, buckets: u32, bits: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  locate(body, buckets, bits, hashKey(text, key, length, seed), PLACES);
  const ones = onesOf(bits);
  const present = isPresent(bits, ones, PLACES);
  return insert(bits, ones, PLACES, present) ? u32(!present) : REFUSED;
}

/** Returns 1 if a key may be present, else 0. */
export function dleft_has_key(
  body: usize, buckets: u32, bits: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  locate(body, buckets, bits, hashKey(text, key, length, seed), PLACES);
  return u32(isPresent(bits, onesOf(bits), PLACES));
}

/** Removes a key if it may be present. Returns 1 if so, else 0. */
export function dleft_remove_key(
  body: usize, buckets: u32, bits: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  locate(body, buckets, bits, hashKey(text, key, length, seed), PLACES);
  return takeOne(bits, onesOf(bits), PLACES);
}

/** How often a key is stored, 0 … 96. Keys with the same remainder and buckets count too. */
export function dleft_count_key(
  body: usize, buckets: u32, bits: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  return dleft_count(body, buckets, bits, hashKey(text, key, length, seed));
}

/** What `tally` sums up over all cells. */
const USED: u32 = 0;
const STORED: u32 = 1;
const FLAWS: u32 = 2;

@inline
function tally(what: u32, body: usize, buckets: u32, bits: u32): f64 {
  let sum: f64 = 0;
  for (const end = addressOf(body, buckets, bits, TABLES, 0); body < end; body += bits) {
    let inBucket: u32 = 0;
    for (let start: u32 = 0; start < CELLS * bits; start += bits) {
      const cell = readField(body, start, bits);
      if (what == USED) inBucket += u32(cell != 0);
      else if (what == STORED) inBucket += countOf(cell);
      else inBucket += u32(cell != 0 && !countOf(cell));
    }
    sum += <f64>inBucket;
  }
  return sum;
}

/** The number of cells that are in use. */
export function dleft_used(body: usize, buckets: u32, bits: u32): f64 {
  return tally(USED, body, buckets, bits);
}

/** The number of keys that are stored, each with all its copies. */
export function dleft_stored(body: usize, buckets: u32, bits: u32): f64 {
  return tally(STORED, body, buckets, bits);
}

/** The number of cells that no filter has: those with a remainder and a count of 0. */
export function dleft_flaws(body: usize, buckets: u32, bits: u32): f64 {
  return tally(FLAWS, body, buckets, bits);
}
