// The buckets of a d-left counting filter: eight cells each, of `bits` bits, 6 … 32, so that a bucket begins at a whole
// byte. Cell c is the field of `bits` bits at bit c · bits of the bucket: a count in its low two bits, 0 … 3, and a
// remainder above them. A cell of 0 is empty, and one with a remainder has a count.

import { MOST_IN_WORD, readField, writeField } from "./fields";

/** The number of cells of a bucket. */
export const CELLS: u32 = 8;
/** The bits of a cell that hold its count. */
const COUNT: u32 = 3;

/** The remainder of a cell. */
@inline
export function remainderOf(cell: u32): u32 {
  return cell >> 2;
}

/** The count of a cell. */
@inline
export function countOf(cell: u32): u32 {
  return cell & COUNT;
}

/** The highest bit of each of four fields that is not 0. */
@inline
function nonzero(fields: u64, ones: u64, bits: u32): u64 {
  const highest = ones << (bits - 1);
  const others = highest - ones;
  return (((fields & others) + others) | fields) & highest;
}

/** The first or the last four cells of a bucket, of at most MOST_IN_WORD bits each. The bits above them may be set. */
@inline
function fourCells(last: bool, bucket: usize, bits: u32): u64 {
  return last ? load<u64>(bucket + (bits >> 1), 0, 1) >> ((bits & 1) << 2) : load<u64>(bucket, 0, 1);
}

/** The highest bit of each of four cells that has the remainder. */
@inline
function matches(cells: u64, ones: u64, bits: u32, remainder: u32): u64 {
  const differences = cells ^ ((remainder << 2) * ones);
  // What remains of a cell with this remainder is its count, which is 0 if the cell is empty.
  return nonzero(differences, ones, bits) & ~nonzero(differences & ~(COUNT * ones), ones, bits);
}

@inline
function has(cell: u32, remainder: u32): bool {
  return countOf(cell) != 0 && remainderOf(cell) == remainder;
}

/** Whether a bucket has the remainder, for any width. */
function isInBucket(bucket: usize, bits: u32, remainder: u32): bool {
  for (let start: u32 = 0; start < CELLS * bits; start += bits) {
    if (has(readField(bucket, start, bits), remainder)) return true;
  }
  return false;
}

/** Whether a bucket has the remainder. `ones` is `onesOf(bits)`. */
@inline
export function isIn(bucket: usize, bits: u32, ones: u64, remainder: u32): bool {
  if (ASC_FEATURE_SIMD) {
    if (bits <= MOST_IN_WORD) {
      const first = matches(fourCells(false, bucket, bits), ones, bits, remainder);
      return (first | matches(fourCells(true, bucket, bits), ones, bits, remainder)) != 0;
    }
  }
  return isInBucket(bucket, bits, remainder);
}

/** The number of empty cells of a bucket, for any width. */
function countEmpty(bucket: usize, bits: u32): u32 {
  let empty: u32 = 0;
  for (let start: u32 = 0; start < CELLS * bits; start += bits) empty += u32(!readField(bucket, start, bits));
  return empty;
}

/** The number of empty cells of a bucket. `ones` is `onesOf(bits)`. */
@inline
export function emptyIn(bucket: usize, bits: u32, ones: u64): u32 {
  if (ASC_FEATURE_SIMD) {
    if (bits <= MOST_IN_WORD) {
      const first = nonzero(fourCells(false, bucket, bits), ones, bits);
      const last = nonzero(fourCells(true, bucket, bits), ones, bits);
      return CELLS - <u32>(popcnt(first) + popcnt(last));
    }
  }
  return countEmpty(bucket, bits);
}

/** Increments the first count below 3 of a remainder. Returns false if there is none. */
export function increment(bucket: usize, bits: u32, remainder: u32): bool {
  for (let start: u32 = 0; start < CELLS * bits; start += bits) {
    const cell = readField(bucket, start, bits);
    if (!has(cell, remainder) || countOf(cell) == COUNT) continue;
    writeField(bucket, start, bits, cell + 1);
    return true;
  }
  return false;
}

/** Decrements the last count of a remainder, and empties the cell at 0. Returns false if there is none. */
export function decrement(bucket: usize, bits: u32, remainder: u32): bool {
  for (let start = CELLS * bits; start; ) {
    start -= bits;
    const cell = readField(bucket, start, bits);
    if (!has(cell, remainder)) continue;
    writeField(bucket, start, bits, countOf(cell) == 1 ? 0 : cell - 1);
    return true;
  }
  return false;
}

/** Stores a remainder in the first empty cell of a bucket that has one. */
export function fill(bucket: usize, bits: u32, remainder: u32): void {
  let start: u32 = 0;
  while (readField(bucket, start, bits)) start += bits;
  writeField(bucket, start, bits, (remainder << 2) | 1);
}

/** The sum of all counts of a remainder in a bucket. */
export function copiesIn(bucket: usize, bits: u32, remainder: u32): u32 {
  let copies: u32 = 0;
  for (let start: u32 = 0; start < CELLS * bits; start += bits) {
    const cell = readField(bucket, start, bits);
    if (remainderOf(cell) == remainder) copies += countOf(cell);
  }
  return copies;
}
