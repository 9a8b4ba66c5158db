// A hash table of fingerprints, 96 bits each: the first twelve bytes of a hash. It grows by one page at a time.
//
// A page is a table of its own with linear probing, whose cells ascend. A directory of 2^D entries gives the page of a
// fingerprint. When a page is full, half of its cells go to a new page; then two entries, or halves of what were its
// entries, lead to the two (extendible hashing: R. Fagin et al., ACM Transactions on Database Systems 4(3), 1979).
//
// A cell does not hold the fingerprint itself, but an image of it under a secret permutation of the process. Keys that
// fall together can be chosen only by somebody who knows the secret. With a = h1, c = the low half of h2, and x modulo 2^64:
//
//   x = a ⊕ (a >> 32)      x = x k1      x = x ⊕ (x >> 32)      x = (x + c k2) k3
//   x = x ⊕ (x >> 32)      x = x k4      x = x ⊕ (x >> 32)
//   cell = w, u, c         w the low and u the high half of x, so that zeros are the image of zeros alone
//
// k1 to k4 are odd. Without k4, fingerprints whose c differ by equal steps could crowd in a few places. w gives the place
// in a page. The page follows from v = (4 u − u²) / 3, for u and v as shares of 2^32. Through this curve, some entries of
// the directory get up to twice as many fingerprints as others, so pages fill at different times, and the memory for a
// fingerprint stays the same while the table grows.
//
// A cell whose w, u and c are zeros is free. The fingerprint of zeros counts as that with c = 1. The last cell of a page
// stays free: it ends every search.
//
// A table may have cells of 16 bytes. Then a value of four bytes stands after each fingerprint, and goes where it goes.
//
// src/kinds/fingerprint-set/table.ts makes tables, and has the same offsets.

import { add, multiply, multiplyHigh } from "./arithmetic";

/** The bytes of a cell with a value. */
export const WIDE: u32 = 16;
/** The offset of the value. */
export const VALUE: usize = 12;
/** The most entries of a directory are 2 to the power of this. */
const MOST_DEPTH: u32 = 18;

// The table begins with these numbers, four bytes each.

/** The directory has 2^D entries. */
const DEPTH: usize = 0;
const PAGES: usize = 4;
/** The number of pages that there is memory for. */
const LIMIT: usize = 8;
const PAGE_BYTES: usize = 12;
/** The number of cells of a page in which a search may begin. The others, at its end, take what overflows. */
const HOMES: usize = 16;
/** The most fingerprints in a page. */
const MOST: usize = 20;
const COUNT: usize = 24;
/** The number of pages that may not be zero, because they have been in use. */
const USED: usize = 28;
/** The offset of what is known of each page: the number of its fingerprints, and above these 24 bits its depth. */
const FACTS: usize = 32;
/** The offset of the first page. */
const FIRST: usize = 36;

// The secret: k1 to k4, and the inverses of k1, k3 and k4 modulo 2^64.

const K1: usize = 40;
const K2: usize = 48;
const K3: usize = 56;
const K4: usize = 64;
const INVERSE1: usize = 72;
const INVERSE3: usize = 80;
const INVERSE4: usize = 88;

/** 12, or WIDE with values */
const WIDTH: usize = 96;

/** The offset of the directory, whose entries are page numbers of two bytes. */
const DIRECTORY: usize = 128;

const COUNT_BITS: u32 = 24;
const COUNT_MASK: u32 = (1 << COUNT_BITS) - 1;

@inline
function fold(x: u64): u64 {
  return x ^ (x >> 32);
}

/** Writes the cell of a fingerprint. */
@inline
export function toCell(table: usize, fingerprint: usize, cell: usize): void {
  const a = load<u64>(fingerprint, 0, 4);
  let c = load<u32>(fingerprint, 8);
  if ((a | c) == 0) c = 1;
  const x = fold(multiply(fold(a), load<u64>(table, K1)));
  const y = fold(multiply(add(x, multiply(c, load<u64>(table, K2))), load<u64>(table, K3)));
  store<u64>(cell, fold(multiply(y, load<u64>(table, K4))), 0, 4);
  store<u32>(cell, c, 8);
}

/** Writes the fingerprint of a cell. */
export function fromCell(table: usize, cell: usize, fingerprint: usize): void {
  const c = load<u32>(cell, 8);
  const z = multiply(fold(load<u64>(cell, 0, 4)), load<u64>(table, INVERSE4));
  const y = multiply(fold(z), load<u64>(table, INVERSE3));
  const x = y - multiply(c, load<u64>(table, K2));
  store<u64>(fingerprint, fold(multiply(fold(x), load<u64>(table, INVERSE1))), 0, 4);
  store<u32>(fingerprint, c, 8);
}

/** Whether a fingerprint counts as that of zeros, without being it. */
@inline
export function countsAsZeros(fingerprint: usize): bool {
  return load<u64>(fingerprint, 0, 4) == 0 && load<u32>(fingerprint, 8) == 1;
}

@inline
export function isFree(cell: usize): bool {
  return (load<u32>(cell) | load<u32>(cell, 4) | load<u32>(cell, 8)) == 0;
}

@inline
function isSame(cell: usize, other: usize): bool {
  return (
    load<u32>(cell) == load<u32>(other) && load<u32>(cell, 4) == load<u32>(other, 4) &&
    load<u32>(cell, 8) == load<u32>(other, 8)
  );
}

/** The number of fingerprints in a table. */
@inline
export function countOf(table: usize): u32 {
  return load<u32>(table, COUNT);
}

/** The bytes of a cell of a table. */
@inline
export function widthOf(table: usize): u32 {
  return load<u32>(table, WIDTH);
}

@inline
export function copy(width: u32, from: usize, to: usize): void {
  store<u32>(to, load<u32>(from));
  store<u32>(to, load<u32>(from, 4), 4);
  store<u32>(to, load<u32>(from, 8), 8);
  if (width == WIDE) store<u32>(to, load<u32>(from, VALUE), VALUE);
}

@inline
function free(cell: usize): void {
  store<u32>(cell, 0);
  store<u32>(cell, 0, 4);
  store<u32>(cell, 0, 8);
}

/** v of a cell */
@inline
function prefixOf(cell: usize): u32 {
  const u = load<u32>(cell, 4);
  const t = u - (multiplyHigh(u, u) >> 2);
  return t + multiplyHigh(t, 0x55555555);
}

/** The first `bits` bits of v. */
@inline
function firstBits(v: u32, bits: u32): u32 {
  return (v >> 1) >> (31 - bits);
}

@inline
function entry(table: usize, index: u32): usize {
  return table + DIRECTORY + (index << 1);
}

@inline
function factsOf(table: usize, page: u32): usize {
  return table + load<u32>(table, FACTS) + (page << 2);
}

/** The number of the page that a cell belongs to. */
@inline
function pageOf(table: usize, cell: usize): u32 {
  return load<u16>(entry(table, firstBits(prefixOf(cell), load<u32>(table, DEPTH))));
}

@inline
function addressOf(table: usize, page: u32): usize {
  return table + load<u32>(table, FIRST) + page * load<u32>(table, PAGE_BYTES);
}

/** The cell of a page in which the search for another begins. */
@inline
function homeOf(table: usize, address: usize, cell: usize): usize {
  return address + widthOf(table) * multiplyHigh(load<u32>(cell), load<u32>(table, HOMES));
}

/** The place where the search for a cell begins. */
@inline
export function placeOf(table: usize, cell: usize): usize {
  return homeOf(table, addressOf(table, pageOf(table, cell)), cell);
}

/** The place of a cell in the page at an address, or else the place where it would be. */
@inline
function findIn(table: usize, address: usize, cell: usize): usize {
  const w = load<u32>(cell);
  const width = widthOf(table);
  let place = homeOf(table, address, cell);
  for (; ; place += width) {
    const found = load<u32>(place);
    if (found > w) break;
    if (found == w ? isSame(place, cell) || isFree(place) : found == 0 && isFree(place)) break;
  }
  return place;
}

/** Whether a cell is in the table. */
@inline
export function has(table: usize, cell: usize): bool {
  return isSame(findIn(table, addressOf(table, pageOf(table, cell)), cell), cell);
}

/** Empties a table, or makes a new one of memory that is zero. There must be memory for one page. */
export function empty(table: usize): void {
  store<u32>(table, 0, DEPTH);
  store<u32>(table, 0, COUNT);
  store<u32>(table, 0, PAGES);
  store<u16>(entry(table, 0), u16(addPage(table)));
  store<u32>(factsOf(table, 0), 0);
}

/** Adds a page of free cells, and returns its number. */
function addPage(table: usize): u32 {
  const page = load<u32>(table, PAGES);
  store<u32>(table, page + 1, PAGES);
  if (page < load<u32>(table, USED)) memory.fill(addressOf(table, page), 0, load<u32>(table, PAGE_BYTES));
  else store<u32>(table, page + 1, USED);
  return page;
}

/** Doubles the directory. */
function deepen(table: usize): void {
  const depth = load<u32>(table, DEPTH);
  for (let index: u32 = 1 << depth; index-- > 0; ) {
    const page = load<u16>(entry(table, index));
    store<u16>(entry(table, 2 * index), page);
    store<u16>(entry(table, 2 * index + 1), page);
  }
  store<u32>(table, depth + 1, DEPTH);
}

/** Moves half of the cells of a page to a new one. Returns false, and changes nothing, if there can be no other page. */
function split(table: usize, page: u32, v: u32): bool {
  const facts = factsOf(table, page);
  const depth = load<u32>(facts) >> COUNT_BITS;
  if (load<u32>(table, PAGES) == load<u32>(table, LIMIT) || depth == MOST_DEPTH) return false;
  if (depth == load<u32>(table, DEPTH)) deepen(table);
  const other = addPage(table);
  const below = load<u32>(table, DEPTH) - depth;
  const end = (firstBits(v, depth) + 1) << below;
  for (let index = end - (1 << (below - 1)); index < end; index++) store<u16>(entry(table, index), u16(other));
  const width = widthOf(table);
  const address = addressOf(table, page);
  const last = address + load<u32>(table, PAGE_BYTES) - width;
  let place = address;
  let otherPlace = addressOf(table, other);
  const distance = otherPlace - place;
  let moved: u32 = 0;
  // Cells ascend and stay in that order, so none has to be searched for.
  for (let cell = address; cell < last; cell += width) {
    if (isFree(cell)) continue;
    const home = homeOf(table, address, cell);
    if ((prefixOf(cell) >> (31 - depth)) & 1) {
      otherPlace = max(otherPlace, home + distance);
      copy(width, cell, otherPlace);
      free(cell);
      otherPlace += width;
      moved++;
    } else {
      place = max(place, home);
      if (place != cell) {
        copy(width, cell, place);
        free(cell);
      }
      place += width;
    }
  }
  const deeper = (depth + 1) << COUNT_BITS;
  store<u32>(facts, ((load<u32>(facts) & COUNT_MASK) - moved) | deeper);
  store<u32>(factsOf(table, other), moved | deeper);
  return true;
}

/**
 * Spreads the `cells` cells of a smaller table, which stand at the end of the first page. A cell never moves to a higher
 * address, so none is overwritten before it is read.
 */
export function spread(table: usize, cells: u32): void {
  const width = widthOf(table);
  const address = addressOf(table, 0);
  const end = address + load<u32>(table, PAGE_BYTES);
  let place = address;
  let count: u32 = 0;
  for (let cell = end - width * cells; cell < end; cell += width) {
    if (isFree(cell)) continue;
    place = max(place, homeOf(table, address, cell));
    if (place != cell) {
      copy(width, cell, place);
      free(cell);
    }
    place += width;
    count++;
  }
  store<u32>(table, count, COUNT);
  store<u32>(factsOf(table, 0), count);
}

const ABSENT: u32 = 1;
const PRESENT: u32 = 0;
/** There is no memory for another page. */
export const REFUSED: u32 = 2;

/** Stores a cell, or, if it is there, fetches its value. Returns what it was before, or REFUSED. */
export function insert(table: usize, cell: usize): u32 {
  const width = widthOf(table);
  let page: u32;
  do {
    page = pageOf(table, cell);
    const address = addressOf(table, page);
    const place = findIn(table, address, cell);
    if (isSame(place, cell)) {
      if (width == WIDE) store<u32>(cell, load<u32>(place, VALUE), VALUE);
      return PRESENT;
    }
    const facts = factsOf(table, page);
    if ((load<u32>(facts) & COUNT_MASK) < load<u32>(table, MOST)) {
      let end = place;
      while (!isFree(end)) end += width;
      if (end < address + load<u32>(table, PAGE_BYTES) - width) {
        for (; end > place; end -= width) copy(width, end - width, end);
        copy(width, cell, place);
        store<u32>(facts, load<u32>(facts) + 1);
        store<u32>(table, countOf(table) + 1, COUNT);
        return ABSENT;
      }
    }
  } while (split(table, page, prefixOf(cell)));
  return REFUSED;
}

/** Removes a cell. Returns whether it was there. */
export function take(table: usize, cell: usize): bool {
  const width = widthOf(table);
  const page = pageOf(table, cell);
  const address = addressOf(table, page);
  let place = findIn(table, address, cell);
  if (!isSame(place, cell)) return false;
  for (let next = place + width; !isFree(next) && homeOf(table, address, next) < next; next += width) {
    copy(width, next, place);
    place = next;
  }
  free(place);
  const facts = factsOf(table, page);
  store<u32>(facts, load<u32>(facts) - 1);
  store<u32>(table, countOf(table) - 1, COUNT);
  return true;
}

/** The address of the cell with this number, counted through all pages. */
@inline
export function cellAt(table: usize, index: u32): usize {
  return table + load<u32>(table, FIRST) + widthOf(table) * index;
}
