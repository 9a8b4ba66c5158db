// Builds binary fuse filters, and maps, which are `valued`: there, a key has a value, which its cells hold below its
// fingerprint.
//
// Each cell gets the XOR of the mixed hashes of its keys, of their values, and their number. A key that is alone in a
// cell is taken out of all its cells, which leaves others alone, until all are taken (peeling). In the reverse order, each
// key then chooses what the cell holds in which it was alone.
//
// The memory for building has, for each cell: the XOR of hashes (8 bytes), a queue (4), in a map the XOR of values (4),
// and the number of keys (1).

import { maskOf } from "./fields";
import {
  fieldOffset, fieldShift, fingerprint, firstCell, loadCell, mix, offsetOf, secondCell, thirdCell, unmix,
} from "./fuse-places";

/** Writes the mixed hashes of the first attempt, 8 bytes each, in place of the hashes. */
export function mixAll(hashes: usize, count: u32): void {
  const offset = offsetOf(0);
  for (let i: u32 = 0; i < count; i++) store<u64>(hashes + (i << 3), mix(load<u64>(hashes + (i << 4)), offset));
}

@inline
function queueIn(work: usize, cells: u32): usize {
  return work + 8 * cells;
}

@inline
function valuesIn(work: usize, cells: u32): usize {
  return work + 12 * cells;
}

@inline
function countsIn(valued: bool, work: usize, cells: u32): usize {
  return work + (valued ? 16 : 12) * cells;
}

/** Takes a key out of the sums of a cell, or into them. */
@inline
function toggle(valued: bool, cell: u32, mixed: u64, value: u32, sums: usize, values: usize): void {
  const sum = sums + (cell << 3);
  store<u64>(sum, load<u64>(sum) ^ mixed);
  if (!valued) return;
  const at = values + (cell << 2);
  store<u32>(at, load<u32>(at) ^ value);
}

@inline
function countIn(
  valued: bool, cell: u32, mixed: u64, value: u32, sums: usize, values: usize, counts: usize,
): bool {
  const count = <u32>load<u8>(counts + cell) + 1;
  store<u8>(counts + cell, count);
  toggle(valued, cell, mixed, value, sums, values);
  return count < 256;
}

/**
 * Counts keys in their cells, given the mixed hashes of the first attempt, each with its value in a map. Returns 0 if a
 * cell gets more keys than a byte can count, else 1. The memory at `work` must be zero before the first call.
 */
@inline
export function countKeys(
  valued: bool, work: usize, exponent: u32, segments: u32, attempt: u32, keys: usize, count: u32,
): u32 {
  const cells = (segments + 2) << exponent;
  const values = valuesIn(work, cells);
  const counts = countsIn(valued, work, cells);
  const start = offsetOf(0);
  const offset = offsetOf(attempt);
  const stride: u32 = valued ? 12 : 8;
  for (const end = keys + stride * count; keys < end; keys += stride) {
    let hash = valued ? load<u64>(keys, 0, 4) : load<u64>(keys);
    const value = valued ? load<u32>(keys, 8) : 0;
    if (attempt) hash = mix(unmix(hash, start), offset);
    const first = firstCell(hash, exponent, segments);
    if (!countIn(valued, first, hash, value, work, values, counts)) return 0;
    if (!countIn(valued, secondCell(hash, first, exponent), hash, value, work, values, counts)) return 0;
    if (!countIn(valued, thirdCell(hash, first, exponent), hash, value, work, values, counts)) return 0;
  }
  return 1;
}

/** Takes a key out of one of its cells. If one other key is left there, appends the cell to the queue. */
@inline
function takeFrom(
  valued: bool, cell: u32, peeled: u32, mixed: u64, value: u32, sums: usize, values: usize, counts: usize,
  queueEnd: usize,
): usize {
  const left = load<u8>(counts + cell) - 1;
  store<u8>(counts + cell, left);
  // The cell that is peeled keeps the hash of its key, and the value.
  if (cell == peeled) return queueEnd;
  toggle(valued, cell, mixed, value, sums, values);
  if (left != 1) return queueEnd;
  store<u32>(queueEnd, cell);
  return queueEnd + 4;
}

/**
 * Peels the filter: takes out one key after another that is alone in one of its cells. Returns the number of keys
 * taken, and leaves their cells in the queue, in the order of taking.
 */
@inline
function peel(valued: bool, work: usize, exponent: u32, segments: u32): u32 {
  const cells = (segments + 2) << exponent;
  const queue = queueIn(work, cells);
  const values = valuesIn(work, cells);
  const counts = countsIn(valued, work, cells);
  let end = queue;
  for (let cell: u32 = 0; cell < cells; cell++) {
    if (load<u8>(counts + cell) != 1) continue;
    store<u32>(end, cell);
    end += 4;
  }
  let last = queue;
  for (let at = queue; at < end; at += 4) {
    const cell = load<u32>(at);
    if (load<u8>(counts + cell) != 1) continue;
    store<u32>(last, cell);
    last += 4;
    const mixed = load<u64>(work + (cell << 3));
    const value = valued ? load<u32>(values + (cell << 2)) : 0;
    const first = firstCell(mixed, exponent, segments);
    const second = secondCell(mixed, first, exponent);
    end = takeFrom(valued, first, cell, mixed, value, work, values, counts, end);
    end = takeFrom(valued, second, cell, mixed, value, work, values, counts, end);
    end = takeFrom(valued, thirdCell(mixed, first, exponent), cell, mixed, value, work, values, counts, end);
  }
  return <u32>((last - queue) >> 2);
}

/**
 * Writes the cells of a filter that holds the `count` keys counted by `countKeys`. The body must be zero. Returns 1;
 * or, if the keys cannot all be peeled, writes nothing and returns 0.
 *
 * @param valueBits the low bits of a cell that hold a value; 0 unless `valued`
 */
@inline
export function buildCells(
  valued: bool, work: usize, exponent: u32, segments: u32, count: u32, body: usize, valueBits: u32, bits: u32,
): u32 {
  const cells = (segments + 2) << exponent;
  const queue = queueIn(work, cells);
  if (peel(valued, work, exponent, segments) != count) return 0;
  const mask = maskOf(bits);
  for (let at = queue + (count << 2); at > queue; ) {
    at -= 4;
    const cell = load<u32>(at);
    const mixed = load<u64>(work + (cell << 3));
    const first = firstCell(mixed, exponent, segments);
    const content = valued
      ? withValue(fingerprint(mixed), load<u32>(valuesIn(work, cells) + (cell << 2)), valueBits)
      : fingerprint(mixed);
    // The cell itself is still 0. No key that is written later changes the other two.
    const field =
      content ^
      loadCell(body, first, bits) ^
      loadCell(body, secondCell(mixed, first, exponent), bits) ^
      loadCell(body, thirdCell(mixed, first, exponent), bits);
    const place = body + fieldOffset(cell, bits);
    store<u64>(place, load<u64>(place, 0, 1) | (<u64>(field & mask) << fieldShift(cell, bits)), 0, 1);
  }
  return 1;
}

/** A fingerprint above a value of `valueBits` bits. */
@inline
export function withValue(fingerprint: u32, value: u32, valueBits: u32): u32 {
  return <u32>(<u64>fingerprint << valueBits) | value;
}
