// The order of fingerprints in a file: by h1 as a number, then by the rest. They are sorted in place.
//
// A radix sort by bytes, the highest first (P. McIlroy et al., Engineering Radix Sort, Computing Systems 6(1), 1993):
// its time does not depend on the fingerprints, which strangers may have chosen.

import { CELL as BYTES, copy, isFree } from "./fingerprint-table";
import { WORK } from "./memory";

/** Fewer fingerprints than this are sorted by insertion. */
const FEW: u32 = 24;
/** For each level, the ends of the 256 runs that a byte makes; then where the next of each run goes. */
const ENDS: usize = WORK;
const NEXT: usize = WORK + 1024 * BYTES;
/** A fingerprint on its way. */
const HELD: usize = NEXT + 1024;

/** The offset of a byte of a fingerprint, from the highest on: those of h1, then those of the rest. */
@inline
function offsetOf(level: u32): usize {
  return level < 8 ? 7 - level : 19 - level;
}

@inline
function isLess(one: usize, other: usize): bool {
  const a = load<u32>(one, 4);
  const b = load<u32>(other, 4);
  if (a != b) return a < b;
  const c = load<u32>(one);
  const d = load<u32>(other);
  return c == d ? load<u32>(one, 8) < load<u32>(other, 8) : c < d;
}

function sortFew(at: usize, end: usize): void {
  for (let next = at + BYTES; next < end; next += BYTES) {
    copy(next, HELD);
    let place = next;
    for (; place > at && isLess(HELD, place - BYTES); place -= BYTES) copy(place - BYTES, place);
    copy(HELD, place);
  }
}

@inline
function endOf(level: u32, byte: u32): usize {
  return ENDS + (level << 10) + (byte << 2);
}

@inline
function nextOf(byte: u32): usize {
  return NEXT + (byte << 2);
}

function sort(at: usize, count: u32, level: u32): void {
  if (count < FEW) {
    sortFew(at, at + BYTES * count);
    return;
  }
  const offset = offsetOf(level);
  memory.fill(endOf(level, 0), 0, 1024);
  for (let i: u32 = 0; i < count; i++) {
    const end = endOf(level, load<u8>(at + BYTES * i + offset));
    store<u32>(end, load<u32>(end) + 1);
  }
  let sum: u32 = 0;
  for (let byte: u32 = 0; byte < 256; byte++) {
    store<u32>(nextOf(byte), sum);
    sum += load<u32>(endOf(level, byte));
    store<u32>(endOf(level, byte), sum);
  }
  for (let byte: u32 = 0; byte < 256; byte++) {
    const end = load<u32>(endOf(level, byte));
    for (let place = load<u32>(nextOf(byte)); place < end; place = load<u32>(nextOf(byte))) {
      const from = at + BYTES * place;
      const found = nextOf(load<u8>(from + offset));
      const to = load<u32>(found);
      store<u32>(found, to + 1);
      if (to == place) continue;
      // The next of each run is not in place yet, so the two change places.
      copy(from, HELD);
      copy(at + BYTES * to, from);
      copy(HELD, at + BYTES * to);
    }
  }
  if (level == BYTES - 1) return;
  let from: u32 = 0;
  for (let byte: u32 = 0; byte < 256; byte++) {
    const end = load<u32>(endOf(level, byte));
    if (end - from > 1) sort(at + BYTES * from, end - from, level + 1);
    from = end;
  }
}

/** Sorts `count` fingerprints, which stand one after the other. */
export function fingerprints_sort(fingerprints: usize, count: u32): void {
  sort(fingerprints, count, 0);
}

/** The number of fingerprints before the first that is zero, or not greater than the one before it. */
export function fingerprints_ascending(fingerprints: usize, count: u32): u32 {
  if (count > 0 && isFree(fingerprints)) return 0;
  for (let i: u32 = 1; i < count; i++) {
    const at = fingerprints + BYTES * i;
    if (!isLess(at - BYTES, at)) return i;
  }
  return count;
}
