// The stable Bloom filter: m cells of 1, 2, 4 or 8 bits. Adding a key first takes 1 from a run of adjacent cells, then
// sets the key's k cells to the maximum. A key may be present if none of its cells is 0. So keys are forgotten, most of
// them in the order in which they came, and the share of cells in use settles.
//
// The cells of a key are the bits of the classic filter. Cell i is in byte i · d >> 3, above the cells before it. The
// run begins at floor(state · m / 2^64) and goes on from cell 0 after the last one. The state is a linear congruential
// generator that makes one step for each key added; TypeScript keeps it between two calls. The format freezes all this.
// The module is linked to the kernel.

import { OFFSET, scaleNarrow, scaleWide, step } from "./classic";
import { hashKey } from "./linked";
import { ONE_FLAG, WORK } from "./memory";
import { TILE, TOUCH_BYTES } from "./split-block";

/** The state after the last call that added keys. */
let latest: u64 = 0;

// A tile of keys is placed first, so that the loops after that only load and store. The place of a key has 8 bytes for
// each of its cells: the address of a byte, and a mask of the cell in it. A key to be added also has the first cell of
// its run, before those.

const PLACES: usize = WORK;
const PLACES_BYTES: u32 = 15 * 1024;

/** The number of keys in a tile, whose places have `length` bytes each. */
@inline
function tileOf(length: u32): u32 {
  return min(TILE, PLACES_BYTES / length);
}

/** floor(s · m / 2^64); `narrow` says that m < 2^32. */
@inline
function indexOf(narrow: bool, s: u64, m: u64): u64 {
  return narrow ? scaleNarrow(s, m) : scaleWide(s, m);
}

/** index >> shift; 32-bit operations suffice if `narrow`. */
@inline
function shifted(narrow: bool, index: u64, shift: u32): usize {
  return narrow ? <usize>(<u32>index >> shift) : <usize>(index >> shift);
}

/** Writes the places of the k cells of a hash, each of which has `1 << width` bits. Returns where they end. */
@inline
function placeCells(narrow: bool, body: usize, m: u64, width: u32, k: u32, hash: usize, place: usize): usize {
  const most: u32 = (1 << (1 << width)) - 1;
  let s = load<u64>(hash);
  const d = load<u64>(hash, 8) ^ OFFSET;
  for (const end = place + (k << 3); place < end; place += 8, s = step(s, d)) {
    const index = indexOf(narrow, s, m);
    store<u32>(place, <u32>(body + shifted(narrow, index, 3 - width)));
    store<u32>(place, most << ((<u32>index << width) & 7), 4);
  }
  return place;
}

/** Whether none of the cells of a place is 0. */
@inline
function isPresent(place: usize, end: usize): bool {
  for (; place < end; place += 8) {
    if (!(load<u8>(load<u32>(place)) & load<u32>(place, 4))) return false;
  }
  return true;
}

/** Sets the cells of a place to the maximum. */
@inline
function fill(place: usize, end: usize): void {
  for (; place < end; place += 8) {
    const at = <usize>load<u32>(place);
    store<u8>(at, load<u8>(at) | load<u32>(place, 4));
  }
}

/**
 * Loads a byte of each cache line that the keys of a tile need first: of their cells, and of the beginnings of their
 * runs. See `touch` in split-block.ts.
 */
@inline
function touch(narrow: bool, body: usize, width: u32, k: u32, end: usize, flags: usize): void {
  let sum: u32 = 0;
  for (let place = PLACES; place < end; ) {
    sum += load<u8>(body + shifted(narrow, load<u64>(place), 3 - width));
    place += 8;
    for (const next = place + (k << 3); place < next; place += 8) sum += load<u8>(load<u32>(place));
  }
  store<u8>(flags, sum);
}

/** The lowest bit of each cell of `1 << width` bits. */
@inline
function lowest<Word>(width: u32): Word {
  if (width == 0) return <Word>-1;
  if (width == 1) return <Word>0x5555555555555555;
  return <Word>(width == 2 ? 0x1111111111111111 : 0x0101010101010101);
}

/**
 * A word that has the lowest bit of a cell set if and only if the cell of `x` is not 0. Its other bits mean nothing.
 */
@inline
function used<Word>(x: Word, width: u32): Word {
  if (width > 0) x |= x >> 1;
  if (width > 1) x |= x >> 2;
  if (width > 2) x |= x >> 4;
  return x;
}

/** Takes 1 from the cells of a word that are not 0 and that have their lowest bit in `mask`. */
@inline
function lower<Word>(at: usize, width: u32, mask: Word): void {
  const x = load<Word>(at);
  store<Word>(at, x - (used<Word>(x, width) & mask));
}

/** Takes 1 from the cells that are not 0, from cell `from` up to cell `to`. */
@inline
function lowerRange<Word>(narrow: bool, body: usize, width: u32, from: u64, to: u64): void {
  const logarithm: u32 = alignof<Word>() + 3 - width;
  const inWord: u32 = (1 << logarithm) - 1;
  const ones = lowest<Word>(width);
  const last = body + (shifted(narrow, to, logarithm) << alignof<Word>());
  const after = ~(<Word>-1 << <Word>((<u32>to & inWord) << width));
  let at = body + (shifted(narrow, from, logarithm) << alignof<Word>());
  let mask = ones & (<Word>-1 << <Word>((<u32>from & inWord) << width));
  for (; at < last; at += sizeof<Word>(), mask = ones) lower<Word>(at, width, mask);
  // Nothing follows if the range ends with a word, which may be the last one of the body.
  if (after) lower<Word>(at, width, mask & after);
}

/** Takes 1 from the cells of a run of `length` cells. */
@inline
function lowerRun<Word>(narrow: bool, body: usize, m: u64, width: u32, start: u64, length: u64): void {
  const end = start + length;
  lowerRange<Word>(narrow, body, width, start, min(end, m));
  if (end > m) lowerRange<Word>(narrow, body, width, 0, end - m);
}

@inline
function addTiles(
  narrow: bool, body: usize, m: u64, width: u32, k: u32, run: u64, state: u64, hashes: usize, count: u32, flags: usize,
): u32 {
  const length = (k + 1) << 3;
  const tile = tileOf(length);
  // In plain JavaScript the loops wait for instructions rather than for memory.
  const isFar = ASC_FEATURE_SIMD && shifted(narrow, m, 3 - width) >= TOUCH_BYTES;
  let fresh: u32 = 0;
  while (count) {
    const size = min(count, tile);
    let place = PLACES;
    for (const end = hashes + (size << 4); hashes < end; hashes += 16) {
      state = step(state, OFFSET);
      store<u64>(place, indexOf(narrow, state, m));
      place = placeCells(narrow, body, m, width, k, hashes, place + 8);
    }
    if (isFar) touch(narrow, body, width, k, place, flags);
    for (let at = PLACES; at < place; at += length, flags++) {
      const flag = u32(!isPresent(at + 8, at + length));
      if (ASC_FEATURE_SIMD) lowerRun<u64>(narrow, body, m, width, load<u64>(at), run);
      else lowerRun<u32>(narrow, body, m, width, load<u64>(at), run);
      fill(at + 8, at + length);
      store<u8>(flags, flag);
      fresh += flag;
    }
    count -= size;
  }
  latest = state;
  return fresh;
}

@inline
function hasTiles(
  narrow: bool, body: usize, m: u64, width: u32, k: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  const length = k << 3;
  const tile = tileOf(length);
  let present: u32 = 0;
  while (count) {
    const size = min(count, tile);
    let place = PLACES;
    for (const end = hashes + (size << 4); hashes < end; hashes += 16) {
      place = placeCells(narrow, body, m, width, k, hashes, place);
    }
    for (let at = PLACES; at < place; at += length, flags++) {
      const flag = u32(isPresent(at, at + length));
      store<u8>(flags, flag);
      present += flag;
    }
    count -= size;
  }
  return present;
}

/**
 * Adds `count` hashes, flags with 1 those that were certainly not remembered, and returns their number. `low` and `high`
 * are the halves of the state; `stable_state` then returns those of the state after the call.
 *
 * @param width the logarithm of the number of bits per cell, 0 … 3
 * @param run the number of cells from which each key takes 1, at most `cells`
 */
export function stable_add(
  body: usize, cells: f64, width: u32, k: u32, run: f64, low: u32, high: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  const m = <u64>cells;
  const state = (<u64>high << 32) | low;
  if (m >> 32) return addTiles(false, body, m, width, k, <u64>run, state, hashes, count, flags);
  return addTiles(true, body, m, width, k, <u64>run, state, hashes, count, flags);
}

/** Flags with 1 those of `count` hashes that may be present, and returns their number. */
export function stable_has(
  body: usize, cells: f64, width: u32, k: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  const m = <u64>cells;
  if (m >> 32) return hasTiles(false, body, m, width, k, hashes, count, flags);
  return hasTiles(true, body, m, width, k, hashes, count, flags);
}

/** Adds a key, as `stable_add` does. Returns 1 if it was certainly not remembered, else 0. */
export function stable_add_key(
  body: usize, cells: f64, width: u32, k: u32, run: f64, low: u32, high: u32,
  text: externref, key: usize, length: u32, seed: u32,
): u32 {
  return stable_add(body, cells, width, k, run, low, high, hashKey(text, key, length, seed), 1, ONE_FLAG);
}

/** Returns 1 if a key may be present, else 0. */
export function stable_has_key(
  body: usize, cells: f64, width: u32, k: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  return stable_has(body, cells, width, k, hashKey(text, key, length, seed), 1, ONE_FLAG);
}

/** Returns the low half of the state after the last call that added keys, or its high half. */
export function stable_state(high: u32): u32 {
  return <u32>(high ? latest >> 32 : latest);
}

/** The number of cells that are not 0. */
export function stable_used(at: usize, length: usize, width: u32): f64 {
  let count: u64 = 0;
  const ones = lowest<u64>(width);
  for (const end = at + length; at < end; at += 8) count += popcnt(used<u64>(load<u64>(at), width) & ones);
  return <f64>count;
}
