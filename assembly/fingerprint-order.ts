// The order of fingerprints in a file: by h1 as a number, then by the rest. They are sorted in place. `width` is the number
// of their bytes: 12, or those of whole hashes, which are in the order of h1 and then of h2.
//
// A radix sort by bytes, the highest first (P. McIlroy et al., Engineering Radix Sort, Computing Systems 6(1), 1993):
// its time does not depend on the fingerprints, which strangers may have chosen.

import { copy, countsAsZeros, isFree, WIDE } from "./fingerprint-table";
import { WORK } from "./memory";

/** Fewer fingerprints than this are sorted by insertion. */
const FEW: u32 = 24;
/** A fingerprint on its way. */
const HELD: usize = WORK;
/** Where the next of each of 256 runs goes. */
const NEXT: usize = WORK + WIDE;

/** The offset of a byte of a fingerprint, from the highest on: those of h1, then those of the rest. */
@inline
function offsetOf(level: u32, width: u32): usize {
  return level < 8 ? 7 - level : 7 + width - level;
}

@inline
function isLess(width: u32, one: usize, other: usize): bool {
  const a = load<u32>(one, 4);
  const b = load<u32>(other, 4);
  if (a != b) return a < b;
  const c = load<u32>(one);
  const d = load<u32>(other);
  if (c != d) return c < d;
  const e = load<u32>(one + width - 4);
  const f = load<u32>(other + width - 4);
  return e == f ? load<u32>(one, 8) < load<u32>(other, 8) : e < f;
}

function sortFew(at: usize, end: usize, width: u32): void {
  for (let next = at + width; next < end; next += width) {
    copy(width, next, HELD);
    let place = next;
    for (; place > at && isLess(width, HELD, place - width); place -= width) copy(width, place - width, place);
    copy(width, HELD, place);
  }
}

@inline
function nextOf(byte: u32): usize {
  return NEXT + (byte << 2);
}

/** @param ends where the ends of the 256 runs go that a byte makes, and behind them those of the next level */
function sort(at: usize, count: u32, width: u32, level: u32, ends: usize): void {
  if (count < FEW) {
    sortFew(at, at + width * count, width);
    return;
  }
  const offset = offsetOf(level, width);
  memory.fill(ends, 0, 1024);
  for (let i: u32 = 0; i < count; i++) {
    const end = ends + (u32(load<u8>(at + width * i + offset)) << 2);
    store<u32>(end, load<u32>(end) + 1);
  }
  let sum: u32 = 0;
  for (let byte: u32 = 0; byte < 256; byte++) {
    const end = ends + (byte << 2);
    store<u32>(nextOf(byte), sum);
    sum += load<u32>(end);
    store<u32>(end, sum);
  }
  for (let byte: u32 = 0; byte < 256; byte++) {
    const end = load<u32>(ends + (byte << 2));
    for (let place = load<u32>(nextOf(byte)); place < end; place = load<u32>(nextOf(byte))) {
      const from = at + width * place;
      const found = nextOf(load<u8>(from + offset));
      const to = load<u32>(found);
      store<u32>(found, to + 1);
      if (to == place) continue;
      // The next of each run is not in place yet, so the two change places.
      copy(width, from, HELD);
      copy(width, at + width * to, from);
      copy(width, HELD, at + width * to);
    }
  }
  if (level == width - 1) return;
  let from: u32 = 0;
  for (let byte: u32 = 0; byte < 256; byte++) {
    const end = load<u32>(ends + (byte << 2));
    if (end - from > 1) sort(at + width * from, end - from, width, level + 1, ends + 1024);
    from = end;
  }
}

/** Sorts `count` fingerprints, which stand one after the other. `work` is room for 1,024 bytes for each of their bytes. */
export function fingerprints_sort(fingerprints: usize, count: u32, width: u32, work: usize): void {
  sort(fingerprints, count, width, 0, work);
}

/**
 * The number of fingerprints before the first that is not greater than the one before it, or that no table gives back:
 * zeros, or among whole hashes what counts as zeros.
 */
export function fingerprints_ascending(fingerprints: usize, count: u32, width: u32): u32 {
  for (let i: u32 = 0; i < count; i++) {
    const at = fingerprints + width * i;
    if (width == WIDE ? countsAsZeros(at) : isFree(at)) return i;
    if (i > 0 && !isLess(width, at - width, at)) return i;
  }
  return count;
}
