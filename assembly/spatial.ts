// The spatial Bloom filter: the classic filter with a label in place of each bit. A key has the cells that its indices
// in a classic filter choose. Adding it raises them to its label, and the least of them is the label that it seems to
// have; 0 if it was never added.
//
// Labels have 1, 2, 4, 8 or 16 bits: 2^width of them. Cell i is the bits from i · 2^width on, so no cell lies across
// two 16-bit words. The format freezes this. The module is linked to the kernel.
//
// In batches, labels are 16-bit integers, whatever the width of the cells.

import { OFFSET, scale, step } from "./classic";
import { hashKey } from "./linked";

const MOST: u32 = 0xffff;

/** The address of the 16-bit word that contains a cell. */
@inline
function wordOf(body: usize, width: u32, index: u64): usize {
  return body + (<usize>(index >> (4 - width)) << 1);
}

/** The position of a cell in its word. */
@inline
function shiftOf(width: u32, index: u64): u32 {
  return (<u32>index << width) & 15;
}

@inline
function maskOf(width: u32): u32 {
  return (1 << (1 << width)) - 1;
}

// Not inlined: a key's k cells cost far more than a call.

/** The least of a key's cells. */
function least(body: usize, m: u64, k: u32, width: u32, hash: usize): u32 {
  const mask = maskOf(width);
  let s = load<u64>(hash);
  const d = load<u64>(hash, 8) ^ OFFSET;
  let label = MOST;
  for (let i: u32 = 0; i < k && label; i++, s = step(s, d)) {
    const index = scale(s, m);
    label = min(label, (<u32>load<u16>(wordOf(body, width, index)) >> shiftOf(width, index)) & mask);
  }
  return label;
}

/** Raises a key's cells to a label. Returns the least label that they had before. */
function raise(body: usize, m: u64, k: u32, width: u32, label: u32, hash: usize): u32 {
  const mask = maskOf(width);
  let s = load<u64>(hash);
  const d = load<u64>(hash, 8) ^ OFFSET;
  let before = MOST;
  for (let i: u32 = 0; i < k; i++, s = step(s, d)) {
    const index = scale(s, m);
    assert(index < m);
    const at = wordOf(body, width, index);
    const shift = shiftOf(width, index);
    const word = <u32>load<u16>(at);
    const old = (word >> shift) & mask;
    before = min(before, old);
    if (old < label) store<u16>(at, (word & ~(mask << shift)) | (label << shift));
  }
  return before;
}

/** Adds `count` hashes with their labels. Replaces each label with the one that the key seemed to have before. */
export function spatial_add(
  body: usize, cells: f64, k: u32, width: u32, hashes: usize, count: u32, labels: usize,
): void {
  const m = <u64>cells;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16, labels += 2) {
    store<u16>(labels, raise(body, m, k, width, load<u16>(labels), hashes));
  }
}

/** Writes the labels that `count` hashes seem to have. */
export function spatial_labels(
  body: usize, cells: f64, k: u32, width: u32, hashes: usize, count: u32, labels: usize,
): void {
  const m = <u64>cells;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16, labels += 2) {
    store<u16>(labels, least(body, m, k, width, hashes));
  }
}

/** Flags with 1 those of `count` hashes that may be present, and returns their number. */
export function spatial_has(
  body: usize, cells: f64, k: u32, width: u32, hashes: usize, count: u32, flags: usize,
): u32 {
  const m = <u64>cells;
  let present: u32 = 0;
  for (const end = hashes + (count << 4); hashes < end; hashes += 16, flags++) {
    const flag = u32(least(body, m, k, width, hashes) > 0);
    store<u8>(flags, flag);
    present += flag;
  }
  return present;
}

/** Adds a key with a label. Returns the label that it seemed to have before. */
export function spatial_add_key(
  body: usize, cells: f64, k: u32, width: u32, label: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  return raise(body, <u64>cells, k, width, label, hashKey(text, key, length, seed));
}

/** The label that a key seems to have. */
export function spatial_label_key(
  body: usize, cells: f64, k: u32, width: u32, text: externref, key: usize, length: u32, seed: u32,
): u32 {
  return least(body, <u64>cells, k, width, hashKey(text, key, length, seed));
}

// Many cells at once: every other cell of a word, so that there is room for a carry after each.

/** The number 1 in every other cell. */
@inline
function onesOf(width: u32): u64 {
  let ones: u64 = 1;
  for (let shift: u64 = 2 << width; shift < 64; shift <<= 1) ones |= ones << shift;
  return ones;
}

/** The carry after each of these cells that is at least as large as that of `others`. */
@inline
function notLess(cells: u64, others: u64, carries: u64): u64 {
  return ((cells | carries) - others) & carries;
}

/** The number of cells in `length` bytes that have a label of `label` or more, which may exceed 2^32. */
export function spatial_used(at: usize, length: usize, width: u32, label: u32): f64 {
  const bits: u64 = 1 << width;
  const ones = onesOf(width);
  const carries = ones << bits;
  const mask = carries - ones;
  const labels = ones * label;
  let count: u64 = 0;
  for (const end = at + length; at < end; at += 8) {
    const cells = load<u64>(at);
    count += popcnt(notLess(cells & mask, labels, carries)) + popcnt(notLess((cells >> bits) & mask, labels, carries));
  }
  return <f64>count;
}

/** The larger of two labels, in every other cell. */
@inline
function larger(cells: u64, others: u64, bits: u64, carries: u64): u64 {
  const over = notLess(cells, others, carries);
  const mask = over - (over >> bits);
  return (cells & mask) | (others & ~mask);
}

/** target = max(target, source), cell by cell */
export function spatial_max(target: usize, source: usize, length: usize, width: u32): void {
  const bits: u64 = 1 << width;
  const ones = onesOf(width);
  const carries = ones << bits;
  const mask = carries - ones;
  for (const end = target + length; target < end; target += 8, source += 8) {
    const a = load<u64>(target);
    const b = load<u64>(source);
    const low = larger(a & mask, b & mask, bits, carries);
    store<u64>(target, low | (larger((a >> bits) & mask, (b >> bits) & mask, bits, carries) << bits));
  }
}
