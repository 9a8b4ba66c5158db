// A table of fingerprints that grows: what sets of fingerprints and tombstone filters do with it.

import { REFUSED } from '../../filters/bounded-kind.ts';
import type { Instance } from '../../kernel/instance.ts';
import type { Engine, Region } from '../../kernel/region.ts';
import { CHUNK_KEYS, HASH_BYTES } from '../../kernel/scratch.ts';
import { textOf, writeKey } from '../../keys/encode.ts';
import type { Key } from '../../keys/key.ts';
import type { FilterMemoryError } from '../../util/checks/errors.ts';
import { cellsIn, copyOf, countIn, emptied, grown, newTable, type Table, usedBytes, widthOf } from './table.ts';

/** Cells are visited every so many of them. */
const STEP = 8;
/** The cells that are visited before any others. */
const STRETCH: number = STEP * CHUNK_KEYS;

/** The functions of the module that take the fingerprints of a chunk. */
export type Verb = 'fingerprints_add' | 'fingerprints_has' | 'fingerprints_remove';

/** A function for some thousands of fingerprints, which lie one after the other. */
export type Visit = (fingerprints: Uint8Array<ArrayBuffer>, count: number) => void;

/**
 * Makes the error for a fingerprint that has no room, of why the table cannot grow.
 *
 * @param position the position of the fingerprint among those that are added
 */
export type Refusal = (cause: FilterMemoryError, count: number, position: number) => Error;

function bytesAt({ memory }: Instance, at: number, length: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(memory.buffer, at, length);
}

/** The number of fingerprints, or hashes, in a region before the first that does not ascend, or no table gives back. */
export function ascendingIn(region: Region, count: number, width: number): number {
  const { instance, pointer } = region as Table;
  return instance.kernel.fingerprints_ascending(pointer, count, width);
}

export class GrowingTable {
  readonly #engine: Engine;
  readonly #refusal: Refusal;
  #table: Table;
  /** The number of fingerprints. It stays after `dispose`. */
  count: number;

  constructor(engine: Engine, table: Table, refusal: Refusal) {
    this.#engine = engine;
    this.#table = table;
    this.#refusal = refusal;
    this.count = countIn(table);
  }

  /**
   * Makes an empty table.
   *
   * @param width the bytes of a cell: FINGERPRINT_BYTES, or HASH_BYTES for whole hashes
   */
  static reserve(engine: Engine, capacity: number, width: number, refusal: Refusal): GrowingTable {
    return new GrowingTable(engine, newTable(engine, capacity, width), refusal);
  }

  /** The number of cells, most of which are in use. */
  get room(): number {
    return cellsIn(this.#table);
  }

  /** The memory that has been in use, in bytes; 0 after `dispose`. */
  get byteLength(): number {
    return this.#table.disposed ? 0 : usedBytes(this.#table);
  }

  /** Makes the table larger. If it cannot, throws an error, and nothing has changed. */
  #grow(position: number): void {
    try {
      this.#table = grown(this.#table, this.#engine);
    } catch (cause) {
      throw this.#refusal(cause as FilterMemoryError, this.count, position);
    }
  }

  /**
   * Runs a function on the first `count` hashes in the scratch of an instance, where it writes flags. Returns what the
   * function returns.
   *
   * @param before the number of keys in earlier chunks, for the error
   */
  run(verb: Verb, home: Instance, count: number, before = 0): number {
    for (let done = 0; ; this.#grow(before + done)) {
      const { pointer, instance } = this.#table;
      const { kernel, scratch } = instance;
      const at = HASH_BYTES * done;
      const left = count - done;
      if (instance !== home) {
        const hashes = bytesAt(home, home.scratch.hashes + at, HASH_BYTES * left);
        bytesAt(instance, scratch.hashes + at, hashes.length).set(hashes);
      }
      const result = kernel[verb](pointer, scratch.hashes + at, HASH_BYTES, left, scratch.flags + done);
      if (instance !== home) home.scratch.flagBytes.set(scratch.flagBytes.subarray(done, count), done);
      if (verb !== 'fingerprints_has') this.count = countIn(this.#table);
      if (verb !== 'fingerprints_add') return result;
      done += result;
      if (done === count) return count;
    }
  }

  /**
   * Runs a function on fingerprints that lie one after the other, at most a chunk. Changes hashes and flags in the
   * scratch of the table.
   *
   * @param flags receives the flags, also if a fingerprint has no room: then 0 for that one and all after it
   */
  give(verb: Verb, fingerprints: Uint8Array, count: number, flags?: Uint8Array): void {
    for (let done = 0; ; this.#grow(0)) {
      const { pointer, instance } = this.#table;
      const { kernel, scratch } = instance;
      const width = widthOf(this.#table);
      const left = count - done;
      bytesAt(instance, scratch.hashes, width * left).set(fingerprints.subarray(width * done, width * count));
      const result = kernel[verb](pointer, scratch.hashes, width, left, scratch.flags);
      flags?.set(scratch.flagBytes.subarray(0, left), done);
      if (verb !== 'fingerprints_has') this.count = countIn(this.#table);
      done += verb === 'fingerprints_add' ? result : left;
      if (done === count) return;
    }
  }

  /**
   * Visits all fingerprints, some thousands at a time, as copies. Each time, it is every eighth of a stretch of cells:
   * these ascend, and in that order fingerprints would crowd at the beginning of a table that is still small.
   */
  visit(visit: Visit): void {
    const { room } = this;
    const width = widthOf(this.#table);
    for (let start = 0; start < room; start += STRETCH) {
      const end = Math.min(start + STRETCH, room);
      for (let from = start; from < start + STEP; from++) {
        const { instance, pointer } = this.#table;
        const { hashes } = instance.scratch;
        const count = instance.kernel.fingerprints_read(pointer, from, end, STEP, hashes);
        if (count > 0) visit(bytesAt(instance, hashes, width * count).slice(), count);
      }
    }
  }

  /** Visits `count` fingerprints, or hashes, of a region, as many at a time. They are copied, because its memory may grow. */
  load(region: Region, count: number, visit: Visit): void {
    const width = widthOf(this.#table);
    for (let at = 0; at < count; at += CHUNK_KEYS) {
      const some = Math.min(CHUNK_KEYS, count - at);
      visit(region.view(width * at, width * (at + some)).slice(), some);
    }
  }

  addKey(key: Key, seed: number): boolean {
    for (;;) {
      const { pointer, instance } = this.#table;
      const text = textOf(key, instance);
      const length = text === null ? writeKey(key, instance, seed) : text.length;
      const { kernel, scratch } = instance;
      if (length < 0) {
        const added = kernel.fingerprints_add(pointer, scratch.hashes, HASH_BYTES, 1, scratch.flags);
        if (added === 1) return this.#counted(scratch.flagBytes[0] === 1, 1);
      } else {
        const answer = kernel.fingerprints_add_key(pointer, text, scratch.keys, length, seed);
        if (answer !== REFUSED) return this.#counted(answer === 1, 1);
      }
      this.#grow(0);
    }
  }

  hasKey(key: Key, seed: number): boolean {
    const { pointer, instance } = this.#table;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    const { kernel, scratch } = instance;
    if (length < 0) return kernel.fingerprints_has(pointer, scratch.hashes, HASH_BYTES, 1, scratch.flags) === 1;
    return kernel.fingerprints_has_key(pointer, text, scratch.keys, length, seed) === 1;
  }

  removeKey(key: Key, seed: number): boolean {
    const { pointer, instance } = this.#table;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    const { kernel, scratch } = instance;
    const removed =
      length < 0
        ? kernel.fingerprints_remove(pointer, scratch.hashes, HASH_BYTES, 1, scratch.flags)
        : kernel.fingerprints_remove_key(pointer, text, scratch.keys, length, seed);
    return this.#counted(removed === 1, -1);
  }

  #counted(isChanged: boolean, change: number): boolean {
    if (isChanged) this.count += change;
    return isChanged;
  }

  clone(): GrowingTable {
    return new GrowingTable(this.#engine, copyOf(this.#table, this.#engine), this.#refusal);
  }

  clear(): void {
    emptied(this.#table);
    this.count = 0;
  }

  /** A copy of the fingerprints, in order, with zeros after them up to `byteLength`. */
  sorted(byteLength: number): Region {
    const width = widthOf(this.#table);
    const region = this.#engine.reserve(byteLength) as Table;
    let at = 0;
    this.visit((fingerprints) => {
      region.view(at, at + fingerprints.length).set(fingerprints);
      at += fingerprints.length;
    });
    const { kernel, scratch } = region.instance;
    kernel.fingerprints_sort(region.pointer, this.count, width, scratch.keys);
    return region;
  }

  dispose(): void {
    this.#table.dispose();
  }
}
