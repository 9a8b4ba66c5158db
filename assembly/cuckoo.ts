// The cuckoo filter: of each stored key a fingerprint of f bits, 7 … 32, in one of two buckets of four slots each. A
// slot of 0 is empty. Keys can be removed, and the same key can be stored up to eight times.
//
//   first  = floor(h1 · n / 2^64)                         n buckets, an even number of at most 2^30
//   fp     = 1 + floor(half · (2^f − 1) / 2^32)           so fingerprints are uniform, and never 0
//   half   = h2 >> 32, or the low half of h2 if 3 · h1 = 2 · h2, modulo 2^64
//   H      = 2 · floor(fmix32(fp) · (n / 2) / 2^32) + 1
//   second = (H − first) mod n
//
// H is odd and n even, so the two buckets of a fingerprint are never the same, and each gives the other. The format
// freezes all this, and the search for a free slot too; cuckoo-buckets.ts has the layout of a bucket. The module is
// linked to the kernel.

import { multiplyHigh, scaleLoaded } from "./arithmetic";
import { countIn, fill, isInEither, NONE, read, slotOf, take, write } from "./cuckoo-buckets";
import { maskOf, onesOf } from "./fields";
import { hashKey } from "./linked";
import { WORK } from "./memory";
import { avalanche32, fingerprintHalf } from "./murmur3";

/**
 * The number of hashes in a tile. Their places are computed first, so that the probe waits for many buckets at once.
 */
const TILE: u32 = 256;
/** The places of a tile of hashes, 16 bytes each: the first bucket, the second one, the fingerprint. */
const PLACES: usize = WORK;
/** The nodes of the search for a free slot, 8 bytes each: a bucket, and the link to its parent. */
const NODES: usize = PLACES + 16 * TILE;
const MAX_NODES: u32 = 1024;

/** `cuckoo_add_key` returns this if there is no room. */
const REFUSED: u32 = 2;

/** The other of the two buckets of a fingerprint. */
@inline
function alternate(buckets: u32, bucket: u32, fingerprint: u32): u32 {
  const odd: u32 = 2 * multiplyHigh(avalanche32(fingerprint), buckets >> 1) + 1;
  return odd >= bucket ? odd - bucket : odd - bucket + buckets;
}

/** Writes the place of a hash. */
@inline
function locate(buckets: u32, mask: u32, hash: usize, place: usize): void {
  const first = scaleLoaded(hash, buckets);
  const fingerprint = 1 + multiplyHigh(fingerprintHalf(hash), mask);
  store<u32>(place, first);
  store<u32>(place, alternate(buckets, first, fingerprint), 4);
  store<u32>(place, fingerprint, 8);
}

/** Writes the places of at most a tile of hashes. */
@inline
function locateAll(buckets: u32, mask: u32, hashes: usize, count: u32): void {
  for (let place = PLACES, end = PLACES + (count << 4); place < end; place += 16, hashes += 16) {
    locate(buckets, mask, hashes, place);
  }
}

/** Whether the fingerprint of a place is in one of its buckets. */
@inline
function isPresent(body: usize, bits: u32, ones: u64, place: usize): bool {
  return isInEither(body, bits, ones, load<u32>(place), load<u32>(place, 4), load<u32>(place, 8));
}

@inline
function bucketOf(node: u32): u32 {
  return load<u32>(NODES + (node << 3));
}

/** The parent of a node, with the slot of the entry that would move: `parent << 2 | slot`. */
@inline
function linkOf(node: u32): u32 {
  return load<u32>(NODES + (node << 3), 4);
}

@inline
function putNode(node: u32, bucket: u32, link: u32): void {
  store<u32>(NODES + (node << 3), bucket);
  store<u32>(NODES + (node << 3), link, 4);
}

/** Whether a bucket belongs to a node or to one of its ancestors. Nodes 0 and 1 are the roots. */
@inline
function isOnWay(node: u32, bucket: u32): bool {
  while (bucketOf(node) != bucket) {
    if (node < 2) return false;
    node = linkOf(node) >> 2;
  }
  return true;
}

/** Moves entries from the root toward a node with an empty slot, and stores the fingerprint in the root's bucket. */
function shift(body: usize, bits: u32, node: u32, slot: u32, fingerprint: u32): void {
  while (node > 1) {
    const link = linkOf(node);
    const parent = link >> 2;
    write(body, bits, bucketOf(node), slot, read(body, bits, bucketOf(parent), link & 3));
    slot = link & 3;
    node = parent;
  }
  write(body, bits, bucketOf(node), slot, fingerprint);
}

/**
 * Searches breadth first, over the buckets that entries could move to, for an empty slot, and only then moves entries.
 * If no slot is near, returns false, and nothing has changed.
 */
function search(body: usize, buckets: u32, bits: u32, place: usize): bool {
  putNode(0, load<u32>(place), 0);
  putNode(1, load<u32>(place, 4), 0);
  let size: u32 = 2;
  for (let head: u32 = 0; head < size; head++) {
    const bucket = bucketOf(head);
    const empty = slotOf(body, bits, bucket, 0);
    if (empty != NONE) {
      shift(body, bits, head, empty, load<u32>(place, 8));
      return true;
    }
    for (let slot: u32 = 0; slot < 4 && size < MAX_NODES; slot++) {
      const other = alternate(buckets, bucket, read(body, bits, bucket, slot));
      if (!isOnWay(head, other)) putNode(size++, other, (head << 2) | slot);
    }
  }
  return false;
}

/** Stores the fingerprint of a place. Returns false, and changes nothing, if there is no room. */
function insert(body: usize, buckets: u32, bits: u32, place: usize): bool {
  const fingerprint = load<u32>(place, 8);
  return (
    fill(body, bits, load<u32>(place), fingerprint) || fill(body, bits, load<u32>(place, 4), fingerprint) ||
    search(body, buckets, bits, place)
  );
}

function takeOne(body: usize, bits: u32, place: usize): u32 {
  const fingerprint = load<u32>(place, 8);
  return u32(
    take(body, bits, load<u32>(place), fingerprint) || take(body, bits, load<u32>(place, 4), fingerprint),
  );
}

/** The number of times that the fingerprint of a place is stored in its buckets. */
function copiesOf(body: usize, bits: u32, place: usize): u32 {
  const fingerprint = load<u32>(place, 8);
  return countIn(body, bits, load<u32>(place), fingerprint) + countIn(body, bits, load<u32>(place, 4), fingerprint);
}

/**
 * Stores `count` hashes, or only those that look absent if `onlyAbsent`, and flags with 1 those that looked absent.
 * Stops at the first hash without room, and flags it and the hashes after it with 0. Returns the number of hashes
 * before it.
 */
function addAll(
  onlyAbsent: bool, body: usize, buckets: u32, bits: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  const mask = maskOf(bits);
  const ones = onesOf(bits);
  for (let done: u32 = 0; done < count; ) {
    const size = min(count - done, TILE);
    locateAll(buckets, mask, hashes + (done << 4), size);
    for (let place = PLACES, end = PLACES + (size << 4); place < end; place += 16, done++) {
      const absent = !isPresent(body, bits, ones, place);
      if ((absent || !onlyAbsent) && !insert(body, buckets, bits, place)) {
        memory.fill(flags + done, 0, count - done);
        return done;
      }
      store<u8>(flags + done, u8(absent));
    }
  }
  return count;
}

/**
 * Stores `count` hashes and flags with 1 those that looked absent. Stops at the first hash without room, and flags it
 * and the hashes after it with 0. Returns the number of hashes that it stored.
 */
export function cuckoo_add(body: usize, buckets: u32, bits: u32, hashes: usize, count: u32, flags: usize): u32 {
  return addAll(false, body, buckets, bits, hashes, count, flags);
}

/**
 * Of `count` hashes, stores those that look absent, and flags them with 1. Stops at the first hash without room, and
 * flags it and the hashes after it with 0. Returns the number of hashes before it.
 */
export function cuckoo_add_absent(body: usize, buckets: u32, bits: u32, hashes: usize, count: u32, flags: usize): u32 {
  return addAll(true, body, buckets, bits, hashes, count, flags);
}

/** Of `count` hashes, flags with 1 those that may be present, removes them if `removes`, and returns their number. */
@inline
function flagAll(
  removes: bool, body: usize, buckets: u32, bits: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  const mask = maskOf(bits);
  const ones = onesOf(bits);
  let present: u32 = 0;
  while (count) {
    const size = min(count, TILE);
    locateAll(buckets, mask, hashes, size);
    for (let place = PLACES, end = PLACES + (size << 4); place < end; place += 16, flags++) {
      const flag = removes ? takeOne(body, bits, place) : u32(isPresent(body, bits, ones, place));
      store<u8>(flags, flag);
      present += flag;
    }
    count -= size;
    hashes += size << 4;
  }
  return present;
}

/** Flags with 1 those of `count` hashes that may be present, and returns their number. */
export function cuckoo_has(body: usize, buckets: u32, bits: u32, hashes: usize, count: u32, flags: usize): u32 {
  return flagAll(false, body, buckets, bits, hashes, count, flags);
}

/** Of `count` hashes, removes those that may be present, flags them with 1, and returns their number. */
export function cuckoo_remove(body: usize, buckets: u32, bits: u32, hashes: usize, count: u32, flags: usize): u32 {
  return flagAll(true, body, buckets, bits, hashes, count, flags);
}

/**
 * Stores the entries of `count` pairs of buckets of another filter of the same size. The pairs are at `others`, and
 * begin with pair `from`. Returns 0 if all entries fit. Stops at the first entry without room, and returns 1 more than
 * the number of times that its fingerprint is stored.
 */
export function cuckoo_merge(body: usize, buckets: u32, bits: u32, from: u32, others: usize, count: u32): u32 {
  for (let i: u32 = 0; i < 2 * count; i++) {
    const bucket = 2 * from + i;
    store<u32>(PLACES, bucket);
    for (let slot: u32 = 0; slot < 4; slot++) {
      const fingerprint = read(others, bits, i, slot);
      if (!fingerprint) continue;
      store<u32>(PLACES, alternate(buckets, bucket, fingerprint), 4);
      store<u32>(PLACES, fingerprint, 8);
      if (!insert(body, buckets, bits, PLACES)) return 1 + copiesOf(body, bits, PLACES);
    }
  }
  return 0;
}

/**
 * An upper bound on how often the key of a hash is stored, 0 … 8. Keys with the same fingerprint and buckets count too.
 */
export function cuckoo_count(body: usize, buckets: u32, bits: u32, hash: usize): u32 {
  locate(buckets, maskOf(bits), hash, PLACES);
  return copiesOf(body, bits, PLACES);
}

/** Adds a key. Returns 1 if it looked absent, else 0; 2 if there is no room. */
export function cuckoo_add_key(
  body: usize, buckets: u32, bits: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  locate(buckets, maskOf(bits), hashKey(text, key, length, seed), PLACES);
  const absent = !isPresent(body, bits, onesOf(bits), PLACES);
  return insert(body, buckets, bits, PLACES) ? u32(absent) : REFUSED;
}

/** Returns 1 if a key may be present, else 0. */
export function cuckoo_has_key(
  body: usize, buckets: u32, bits: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  locate(buckets, maskOf(bits), hashKey(text, key, length, seed), PLACES);
  return u32(isPresent(body, bits, onesOf(bits), PLACES));
}

/** Removes a key if it may be present. Returns 1 if so, else 0. */
export function cuckoo_remove_key(
  body: usize, buckets: u32, bits: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  locate(buckets, maskOf(bits), hashKey(text, key, length, seed), PLACES);
  return takeOne(body, bits, PLACES);
}

/** An upper bound on how often a key is stored, 0 … 8. Keys with the same fingerprint and buckets count too. */
export function cuckoo_count_key(
  body: usize, buckets: u32, bits: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  return cuckoo_count(body, buckets, bits, hashKey(text, key, length, seed));
}

/** The number of slots that are in use. */
export function cuckoo_used(body: usize, buckets: u32, bits: u32): f64 {
  let empty: f64 = 0;
  for (let bucket: u32 = 0; bucket < buckets; bucket++) empty += <f64>countIn(body, bits, bucket, 0);
  return 4 * <f64>buckets - empty;
}
