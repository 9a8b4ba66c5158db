import { requireSaved } from '../../format/header.ts';
import { align, type Engine, type Region } from '../../kernel/region.ts';
import { CHUNK_KEYS, HASH_BYTES, HASH_WORDS } from '../../kernel/scratch.ts';
import { scatterAt } from '../../keys/distinct.ts';
import { hashKey } from '../../keys/encode.ts';
import type { Key } from '../../keys/key.ts';

const LEAST_CELLS = 8;

/** The bytes that `count` tombstones take in a file. */
export function tombstoneBytes(count: number): number {
  return align(HASH_BYTES * count);
}

/** For each hash that is looked up: its number in the set, and its place in the chunk. No user code runs meanwhile. */
let searched: Int32Array | undefined;

function isFree(words: Int32Array, cell: number): boolean {
  return !words[cell] && !words[cell + 1] && !words[cell + 2] && !words[cell + 3];
}

function copyHash(from: Int32Array | Uint32Array, at: number, to: Int32Array | Uint32Array, place: number): void {
  for (let i = 0; i < HASH_WORDS; i++) to[place + i] = from[at + i] as number;
}

/** Whether the hash at `at` is greater, as a pair of numbers, than the one before it. */
function ascends(words: Uint32Array, at: number): boolean {
  for (const word of [1, 0, 3, 2]) {
    const difference = (words[at + word] as number) - (words[at + word - HASH_WORDS] as number);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/**
 * Sorts hashes as pairs of numbers, h1 first. A radix sort, because its time does not depend on the hashes.
 *
 * @param words may be overwritten
 */
function sorted(words: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  let from = words;
  let to = new Uint32Array(words.length);
  // The least significant byte comes first: h2, then h1, and of each the low half.
  for (const word of [2, 3, 0, 1]) {
    for (let shift = 0; shift < 32; shift += 8) {
      const digitAt = (at: number): number => ((from[at + word] as number) >>> shift) & 0xff;
      const starts = new Uint32Array(257);
      for (let at = 0; at < from.length; at += HASH_WORDS) {
        const next = digitAt(at) + 1;
        starts[next] = (starts[next] as number) + HASH_WORDS;
      }
      for (let i = 1; i < 257; i++) starts[i] = (starts[i] as number) + (starts[i - 1] as number);
      for (let at = 0; at < from.length; at += HASH_WORDS) {
        const digit = digitAt(at);
        const place = starts[digit] as number;
        copyHash(from, at, to, place);
        starts[digit] = place + HASH_WORDS;
      }
      [from, to] = [to, from];
    }
  }
  return from;
}

/**
 * An exact set of 128-bit hashes in the memory of an engine: a hash table with linear probing, at most half full. A
 * free cell is zero, so the hash of zeros has a flag of its own.
 */
export class HashSet {
  readonly #engine: Engine;
  #region: Region;
  #words = new Int32Array(0);
  /** A view of the scratch that is as old as `#words`. */
  #current: Uint8Array | undefined;
  #hasZero = false;
  /** The number of hashes. */
  size = 0;

  constructor(engine: Engine, cellCount: number = LEAST_CELLS) {
    this.#engine = engine;
    this.#region = engine.reserve(HASH_BYTES * cellCount);
  }

  /**
   * Makes a set of the `size` hashes of a file. Throws a SavedFilterError unless they ascend strictly, as pairs of
   * numbers, with zeros after the last.
   */
  static from(engine: Engine, tombstones: Region, size: number): HashSet {
    const bytes = tombstones.view(0, tombstones.byteLength);
    requireSaved(!bytes.subarray(HASH_BYTES * size).some(Boolean), 'its padding bytes are not zero');
    let cellCount = LEAST_CELLS;
    while (cellCount < 2 * size) cellCount *= 2;
    const set = new HashSet(engine, cellCount);
    // A view taken after reserving, which may replace the buffer.
    const hashes = new Int32Array(tombstones.instance.memory.buffer, tombstones.pointer, HASH_WORDS * size);
    const words = new Uint32Array(hashes.buffer, hashes.byteOffset, hashes.length);
    try {
      for (let at = 0; at < hashes.length; at += HASH_WORDS) {
        requireSaved(
          at === 0 || ascends(words, at),
          `its tombstone ${at / HASH_WORDS} is not greater than the one before`,
        );
        set.add(hashes, at);
      }
    } catch (error) {
      set.dispose();
      throw error;
    }
    return set;
  }

  get cellCount(): number {
    return this.#region.byteLength / HASH_BYTES;
  }

  get byteLength(): number {
    return this.#region.byteLength;
  }

  /** The memory that the set lies in now. Throws a TypeError after `dispose`. */
  get region(): Region {
    return this.#region;
  }

  /** The whole memory, in a view that is valid until it grows. */
  get #memory(): Int32Array<ArrayBuffer> {
    const { memory, scratch } = this.#region.instance;
    // Asking a memory for its buffer takes longer than a search. When it has grown, the scratch has new views.
    if (this.#current !== scratch.flagBytes) {
      this.#current = scratch.flagBytes;
      this.#words = new Int32Array(memory.buffer);
    }
    return this.#words;
  }

  /** The index of the cell that has a hash, or of the free one that would take it. */
  #find(words: Int32Array, hashes: Int32Array, at: number): number {
    return this.#search(words, hashes, at, scatterAt(hashes, at));
  }

  /** @param number the number of the hash */
  #search(words: Int32Array, hashes: Int32Array, at: number, number: number): number {
    const { pointer, byteLength } = this.#region;
    const start = pointer / 4;
    const mask = byteLength / 4 - 1;
    const a = hashes[at] as number;
    const b = hashes[at + 1] as number;
    const c = hashes[at + 2] as number;
    const d = hashes[at + 3] as number;
    let offset = (number << 2) & mask;
    for (;;) {
      const cell = start + offset;
      const first = words[cell] as number;
      const second = words[cell + 1] as number;
      const third = words[cell + 2] as number;
      const fourth = words[cell + 3] as number;
      if (first === a && second === b && third === c && fourth === d) return cell;
      if ((first | second | third | fourth) === 0) return cell;
      offset = (offset + HASH_WORDS) & mask;
    }
  }

  /** Whether the set has the hash whose words begin at `hashes[at]`. */
  has(hashes: Int32Array, at: number): boolean {
    return this.#hasAt(this.#memory, hashes, at, scatterAt(hashes, at));
  }

  #hasAt(words: Int32Array, hashes: Int32Array, at: number, number: number): boolean {
    return isFree(hashes, at) ? this.#hasZero : !isFree(words, this.#search(words, hashes, at, number));
  }

  /**
   * Clears those of the first `count` flags that are set although the set has the hash. Returns their number.
   *
   * The cells where searches begin are loaded first, in a loop that does nothing else: so the processor waits for many
   * of them at once.
   */
  clearFlags(hashes: Int32Array, flags: Uint8Array, count: number): number {
    searched ??= new Int32Array(2 * CHUNK_KEYS + 1);
    const [numbers, places] = [searched.subarray(0, CHUNK_KEYS), searched.subarray(CHUNK_KEYS)];
    let found = 0;
    for (let i = 0; i < count; i++) {
      if (flags[i] === 0) continue;
      numbers[found] = scatterAt(hashes, HASH_WORDS * i);
      places[found++] = i;
    }
    const words = this.#memory;
    const { pointer, byteLength } = this.#region;
    let sum = 0;
    for (let i = 0; i < found; i++) {
      sum ^= words[pointer / 4 + (((numbers[i] as number) << 2) & (byteLength / 4 - 1))] as number;
    }
    // Without this store, the compiler drops the loads.
    places[found] = sum;
    let cleared = 0;
    for (let i = 0; i < found; i++) {
      const place = places[i] as number;
      if (!this.#hasAt(words, hashes, HASH_WORDS * place, numbers[i] as number)) continue;
      flags[place] = 0;
      cleared++;
    }
    return cleared;
  }

  /**
   * Adds the hash whose words begin at `hashes[at]`. Returns false if the set has it. Throws a FilterMemoryError if
   * there is no memory for it; then nothing has changed.
   */
  add(hashes: Int32Array, at: number): boolean {
    if (this.has(hashes, at)) return false;
    if (isFree(hashes, at)) this.#hasZero = true;
    else this.#put(hashes, at);
    this.size++;
    return true;
  }

  #put(hashes: Int32Array, at: number): void {
    if (2 * (this.size + 1) <= this.cellCount) {
      const words = this.#memory;
      copyHash(hashes, at, words, this.#find(words, hashes, at));
    } else {
      // A copy, because to grow may replace the memory that the hash lies in.
      const hash = hashes.slice(at, at + HASH_WORDS);
      this.#grow();
      const words = this.#memory;
      copyHash(hash, 0, words, this.#find(words, hash, 0));
    }
  }

  /** Deletes the hash whose words begin at `hashes[at]`. Returns false if the set does not have it. */
  delete(hashes: Int32Array, at: number): boolean {
    if (!this.has(hashes, at)) return false;
    const words = this.#memory;
    if (isFree(hashes, at)) this.#hasZero = false;
    else this.#empty(words, this.#find(words, hashes, at));
    this.size--;
    return true;
  }

  /** Frees a cell, and moves those that follow it and would no longer be found. */
  #empty(words: Int32Array, cell: number): void {
    const { pointer, byteLength } = this.#region;
    const start = pointer / 4;
    const mask = byteLength / 4 - 1;
    let hole = cell - start;
    for (let at = (hole + HASH_WORDS) & mask; !isFree(words, start + at); at = (at + HASH_WORDS) & mask) {
      const from = start + at;
      const home = (scatterAt(words, from) << 2) & mask;
      if (((at - home) & mask) < ((at - hole) & mask)) continue;
      copyHash(words, from, words, start + hole);
      hole = at;
    }
    words.fill(0, start + hole, start + hole + HASH_WORDS);
  }

  #grow(): void {
    const old = this.#region;
    this.#region = this.#engine.reserve(2 * old.byteLength);
    // Views are taken after reserving, which may replace the buffer.
    const words = this.#memory;
    const hashes = new Int32Array(old.instance.memory.buffer, old.pointer, old.byteLength / 4);
    for (let at = 0; at < hashes.length; at += HASH_WORDS) {
      if (!isFree(hashes, at)) copyHash(hashes, at, words, this.#find(words, hashes, at));
    }
    old.dispose();
  }

  /** Hashes a key into the memory, and returns the index of the hash in `words`. */
  #locate(key: Key, seed: number): number {
    return hashKey(key, this.#region.instance, seed) / 4;
  }

  hasKey(key: Key, seed: number): boolean {
    const at = this.#locate(key, seed);
    return this.has(this.#memory, at);
  }

  addKey(key: Key, seed: number): boolean {
    const at = this.#locate(key, seed);
    return this.add(this.#memory, at);
  }

  deleteKey(key: Key, seed: number): boolean {
    const at = this.#locate(key, seed);
    return this.delete(this.#memory, at);
  }

  /** The hashes in the order of a file, with padding. */
  toBytes(): Uint8Array<ArrayBuffer> {
    const { size } = this;
    const { pointer, byteLength } = this.#region;
    const words = this.#memory.subarray(pointer / 4, (pointer + byteLength) / 4);
    // The hash of zeros may stay in the first place.
    const hashes = new Uint32Array(HASH_WORDS * size);
    let end = this.#hasZero ? HASH_WORDS : 0;
    for (let at = 0; at < words.length; at += HASH_WORDS) {
      if (isFree(words, at)) continue;
      copyHash(words, at, hashes, end);
      end += HASH_WORDS;
    }
    const bytes = new Uint8Array(tombstoneBytes(size));
    bytes.set(new Uint8Array(sorted(hashes).buffer));
    return bytes;
  }

  clone(): HashSet {
    const copy = new HashSet(this.#engine, this.cellCount);
    // Both views are taken after reserving.
    copy.#region.bytes.set(this.#region.bytes);
    copy.#hasZero = this.#hasZero;
    copy.size = this.size;
    return copy;
  }

  dispose(): void {
    this.#region.dispose();
  }
}
