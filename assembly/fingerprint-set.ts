// The loops of fingerprint sets: exact sets of the first twelve bytes of hashes, which are called fingerprints. See
// fingerprint-table.ts for how they are stored. The module is linked to the kernel.
//
// Fingerprints come as the beginnings of hashes, 16 bytes apart, or one after the other: `stride` says which. In a table
// with values, the value of a hash is its last four bytes.

import { hashKey } from "./linked";
import { WORK } from "./memory";
import {
  cellAt, countOf, countsAsZeros, fromCell, has, insert, isFree, placeOf, REFUSED, take, toCell, VALUE, WIDE, widthOf
} from "./fingerprint-table";

export { fingerprints_sort, fingerprints_ascending } from "./fingerprint-order";
export { empty as fingerprints_empty, spread as fingerprints_spread } from "./fingerprint-table";

/** The number of fingerprints in a tile. */
const TILE: u32 = 256;
/** The cells of a tile. All have values, which a table without values does not take. */
const CELLS: usize = WORK;
const TOUCHED: usize = CELLS + WIDE * TILE;
/** All cells are visited in so many sweeps. */
const SWEEPS: u32 = 64;

/**
 * Writes the cells of at most a tile of fingerprints, with their values if it `adds`. Loads the places where the searches
 * begin, so that the processor waits for many of them at once.
 */
@inline
function begin(adds: bool, table: usize, fingerprints: usize, stride: u32, count: u32): void {
  let sum: u32 = 0;
  for (let cell = CELLS, end = CELLS + WIDE * count; cell < end; cell += WIDE, fingerprints += stride) {
    toCell(table, fingerprints, cell);
    if (adds) store<u32>(cell, load<u32>(fingerprints, VALUE), VALUE);
    sum += load<u32>(placeOf(table, cell));
  }
  // Without this store, the compiler drops the loads.
  store<u32>(TOUCHED, sum);
}

/**
 * Adds what is in `cells` cells of another table with the same secret. Returns 0 if there is no memory for it, else 1.
 *
 * Cells ascend. If they came in that order, they would crowd at the beginning of a page, so they come in sweeps.
 */
export function fingerprints_move(table: usize, others: usize, cells: u32): u32 {
  const width = widthOf(table);
  const end = others + width * cells;
  for (let first = others; first < others + width * SWEEPS; first += width) {
    for (let cell = first; cell < end; cell += width * SWEEPS) {
      if (!isFree(cell) && insert(table, cell) == REFUSED) return 0;
    }
  }
  return 1;
}

/**
 * Adds `count` fingerprints, and flags with 1 those that were absent. Stops at the first for which there is no memory,
 * and flags it and those after it with 0. Returns the number of fingerprints before it.
 */
export function fingerprints_add(table: usize, fingerprints: usize, stride: u32, count: u32, flags: usize): u32 {
  for (let done: u32 = 0; done < count; ) {
    const size = min(count - done, TILE);
    begin(true, table, fingerprints + done * stride, stride, size);
    for (let cell = CELLS, end = CELLS + WIDE * size; cell < end; cell += WIDE, done++) {
      const answer = insert(table, cell);
      if (answer == REFUSED) {
        memory.fill(flags + done, 0, count - done);
        return done;
      }
      store<u8>(flags + done, u8(answer));
    }
  }
  return count;
}

/**
 * Adds `count` hashes to a table with values. The value of each is the number of others before it, which it puts in place
 * of the last four bytes. Writes the values of all to `numbers`. Stops at the first hash for which there is no memory.
 * Returns the number of hashes before it.
 */
export function fingerprints_number(table: usize, fingerprints: usize, count: u32, numbers: usize): u32 {
  for (let done: u32 = 0; done < count; done++, fingerprints += WIDE, numbers += 4) {
    store<u32>(fingerprints, countOf(table), VALUE);
    // The number takes the place of the flag.
    if (fingerprints_add(table, fingerprints, WIDE, 1, numbers) == 0) return done;
    store<u32>(numbers, load<u32>(CELLS, VALUE));
  }
  return count;
}

/**
 * Of `count` fingerprints, flags with 1 those that are present, removes them if `removes`, and returns their number.
 */
@inline
function flagAll(removes: bool, table: usize, fingerprints: usize, stride: u32, count: u32, flags: usize): u32 {
  let present: u32 = 0;
  for (let done: u32 = 0; done < count; ) {
    const size = min(count - done, TILE);
    begin(false, table, fingerprints + done * stride, stride, size);
    for (let cell = CELLS, end = CELLS + WIDE * size; cell < end; cell += WIDE, done++) {
      const flag = u32(removes ? take(table, cell) : has(table, cell));
      store<u8>(flags + done, u8(flag));
      present += flag;
    }
  }
  return present;
}

/** Of `count` fingerprints, flags with 1 those that are present, and returns their number. */
export function fingerprints_has(table: usize, fingerprints: usize, stride: u32, count: u32, flags: usize): u32 {
  return flagAll(false, table, fingerprints, stride, count, flags);
}

/** Of `count` fingerprints, removes those that are present, flags them with 1, and returns their number. */
export function fingerprints_remove(table: usize, fingerprints: usize, stride: u32, count: u32, flags: usize): u32 {
  return flagAll(true, table, fingerprints, stride, count, flags);
}

/** Adds a key. Returns 1 if it was absent, else 0; 2 if there is no memory for it. */
export function fingerprints_add_key(table: usize, text: externref, key: usize, length: u32, seed: u32): u32 {
  const hash = hashKey(text, key, length, seed);
  toCell(table, hash, CELLS);
  store<u32>(CELLS, load<u32>(hash, VALUE), VALUE);
  return insert(table, CELLS);
}

/** Returns 1 if a key is present, else 0. */
export function fingerprints_has_key(table: usize, text: externref, key: usize, length: u32, seed: u32): u32 {
  toCell(table, hashKey(text, key, length, seed), CELLS);
  return u32(has(table, CELLS));
}

/** Removes a key. Returns 1 if it was present, else 0. */
export function fingerprints_remove_key(table: usize, text: externref, key: usize, length: u32, seed: u32): u32 {
  toCell(table, hashKey(text, key, length, seed), CELLS);
  return u32(take(table, CELLS));
}

/**
 * Writes the fingerprints in every `step`th cell from number `from` on, up to number `to`, one after the other. If the
 * table has values, writes hashes. Returns how many there are.
 */
export function fingerprints_read(table: usize, from: u32, to: u32, step: u32, out: usize): u32 {
  const width = widthOf(table);
  const start = out;
  for (let cell = cellAt(table, from), end = cellAt(table, to); cell < end; cell += width * step) {
    if (isFree(cell)) continue;
    fromCell(table, cell, out);
    if (width == WIDE) {
      // The hash of the empty key is zeros.
      if (countsAsZeros(out)) store<u32>(out, 0, 8);
      store<u32>(out, load<u32>(cell, VALUE), VALUE);
    }
    out += width;
  }
  return u32(out - start) / width;
}
