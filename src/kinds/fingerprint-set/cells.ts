import { REFUSED } from '../../filters/bounded-kind.ts';
import { GrowingCells, type Kind } from '../../filters/kind.ts';
import { type FilterParameters, requireSaved, type Saved } from '../../format/header.ts';
import type { Saving } from '../../format/save.ts';
import type { Engine } from '../../kernel/region.ts';
import { CHUNK_KEYS, HASH_BYTES } from '../../kernel/scratch.ts';
import { textOf, writeKey } from '../../keys/encode.ts';
import type { Key } from '../../keys/key.ts';
import { FilterFullError } from '../../util/checks/errors.ts';
import { cellsIn, copyOf, countIn, FINGERPRINT_BYTES, grown, newTable, type Table, usedBytes } from './table.ts';

/** The chance that two keys have the same fingerprint. */
export const SAME_FINGERPRINT: number = 2 ** -96;

export const FINGERPRINT_SET: Kind<Fingerprints> = {
  id: 14,
  name: 'fingerprint-set',
  className: 'FingerprintSet',
  traits: {
    removes: true,
    canBeFull: false,
    grows: true,
    forgets: false,
    forgetsAny: false,
    leastErrorRate: (capacity) => capacity * SAME_FINGERPRINT,
  },
  cellName: 'fingerprints',
  cellBits: [8 * FINGERPRINT_BYTES, 8 * FINGERPRINT_BYTES],
  mayBeEmpty: true,
  allows: ({ hashes, capacity }) => hashes === 1 && capacity === 0,
  sizes: [],
  shown: ['count'],
  cellsOf: (saved: Saved, engine) => Fingerprints.of(saved, engine),
};

/** The parameters in the header of a file. */
function parametersOf(count: number, seed: number): FilterParameters {
  return { cellCount: count, hashes: 1, seed, capacity: 0, errorRate: 0 };
}

/** Cells are visited every so many of them. */
const STEP = 8;
/** The cells that are visited before any others. */
const STRETCH: number = STEP * CHUNK_KEYS;

/** The functions of the module that take the fingerprints of a chunk. */
type Verb = 'fingerprints_add' | 'fingerprints_has' | 'fingerprints_remove';

/** A function for the fingerprints of a chunk, which lie one after the other. */
type Visit = (fingerprints: Uint8Array<ArrayBuffer>, count: number) => void;

/** Fills new cells. Frees them if that fails, and throws a FilterMemoryError if there is no memory. */
function filled(cells: Fingerprints, fill: (cells: Fingerprints) => void): Fingerprints {
  try {
    fill(cells);
    return cells;
  } catch (error) {
    cells.dispose();
    throw error instanceof FilterFullError ? error.cause : error;
  }
}

/** A growing table of fingerprints. Keys of batches are hashed in a memory that stays the same while the table moves. */
export class Fingerprints extends GrowingCells {
  readonly #engine: Engine;
  #table: Table;
  #lastCount = 0;

  constructor(engine: Engine, seed: number, table: Table) {
    const region = engine.reserve(1);
    super({ segments: [region], parameters: parametersOf(0, seed), cellBits: 8 * FINGERPRINT_BYTES, own: undefined });
    this.#engine = engine;
    this.#table = table;
  }

  /** Makes the cells of a new set, with memory for `capacity` keys. */
  static reserve(engine: Engine, seed: number, capacity: number): Fingerprints {
    return new Fingerprints(engine, seed, newTable(engine, capacity));
  }

  /** Makes the cells of a saved set. Throws a SavedFilterError unless its fingerprints ascend. */
  static of({ segments: [region], parameters: { cellCount: count, seed } }: Saved, engine: Engine): Fingerprints {
    const { instance, pointer } = region as Table;
    try {
      const ascending = instance.kernel.fingerprints_ascending(pointer, count);
      const fault = ascending > 0 ? 'is not greater than the one before' : 'is zero';
      requireSaved(ascending === count, `its fingerprint ${ascending} ${fault}`);
      return filled(Fingerprints.reserve(engine, seed, count), (cells) => {
        for (let at = 0; at < count; at += CHUNK_KEYS) {
          const some = Math.min(CHUNK_KEYS, count - at);
          // Copied, because the memory of the table may be the same, and grow.
          const part = region.view(FINGERPRINT_BYTES * at, FINGERPRINT_BYTES * (at + some)).slice();
          cells.#give('fingerprints_add', part, some);
        }
      });
    } finally {
      region.dispose();
    }
  }

  get kind(): Kind<Fingerprints> {
    return FINGERPRINT_SET;
  }

  /** The number of keys. After `dispose`, that of before. */
  get count(): number {
    return this.#table.disposed ? this.#lastCount : countIn(this.#table);
  }

  /** The number of cells, most of which are in use. */
  get room(): number {
    return cellsIn(this.#table);
  }

  /** The memory of the table that has been in use, in bytes; 0 after `dispose`. */
  get byteLength(): number {
    return this.#table.disposed ? 0 : usedBytes(this.#table);
  }

  /**
   * Makes the table larger. If it cannot, throws a FilterFullError, and nothing has changed.
   *
   * @param position the position of the key that needs it, for the error
   */
  #grow(position: number): void {
    try {
      this.#table = grown(this.#table, this.#engine);
    } catch (cause) {
      const reason =
        `a set of ${this.count} keys cannot grow: ${(cause as Error).message}. A ScalableBloomFilter takes a tenth of ` +
        'the memory, and a CuckooFilter, from which keys can be removed, an eighth';
      throw new FilterFullError(reason, { code: 'MEMORY', reason, position }, { cause });
    }
  }

  /**
   * Runs a function on the first `count` hashes in the scratch, which writes flags, and returns what it returns.
   *
   * @param before the number of keys in earlier chunks, for the error
   */
  #run(verb: Verb, count: number, before = 0): number {
    const { instance: home } = this.region;
    for (let done = 0; ; this.#grow(before + done)) {
      const { pointer, instance } = this.#table;
      const { kernel, memory, scratch } = instance;
      const hashes = scratch.hashes + HASH_BYTES * done;
      const left = count - done;
      if (instance !== home) {
        const from = new Uint8Array(home.memory.buffer, home.scratch.hashes + HASH_BYTES * done, HASH_BYTES * left);
        new Uint8Array(memory.buffer, hashes, from.length).set(from);
      }
      const result = kernel[verb](pointer, hashes, HASH_BYTES, left, scratch.flags + done);
      if (instance !== home) home.scratch.flagBytes.set(scratch.flagBytes.subarray(done, count), done);
      if (verb !== 'fingerprints_add') return result;
      done += result;
      if (done === count) return count;
    }
  }

  /** Runs a function on fingerprints that lie one after the other, and returns their flags, valid until the next call. */
  #give(verb: Verb, fingerprints: Uint8Array, count: number): Uint8Array {
    for (let done = 0; ; this.#grow(0)) {
      const { pointer, instance } = this.#table;
      const { kernel, scratch } = instance;
      scratch.keyBytes.set(fingerprints);
      const at = scratch.keys + FINGERPRINT_BYTES * done;
      done += kernel[verb](pointer, at, FINGERPRINT_BYTES, count - done, scratch.flags + done);
      if (verb !== 'fingerprints_add' || done === count) return scratch.flagBytes.subarray(0, count);
    }
  }

  /**
   * Visits all fingerprints, some thousands at a time, as copies. Each time, it is every eighth of a stretch of cells:
   * these ascend, and in that order fingerprints would crowd at the beginning of a table that is still small.
   */
  #visit(visit: Visit): void {
    const { room } = this;
    for (let start = 0; start < room; start += STRETCH) {
      const end = Math.min(start + STRETCH, room);
      for (let from = start; from < start + STEP; from++) {
        const { instance, pointer } = this.#table;
        const { kernel, scratch } = instance;
        const count = kernel.fingerprints_read(pointer, from, end, STEP, scratch.keys);
        if (count > 0) visit(scratch.keyBytes.slice(0, FINGERPRINT_BYTES * count), count);
      }
    }
  }

  add(count: number, before: number): void {
    this.#run('fingerprints_add', count, before);
  }

  addFlags(count: number, before: number): void {
    this.#run('fingerprints_add', count, before);
  }

  has(count: number): number {
    return this.#run('fingerprints_has', count);
  }

  /** Removes the first `count` hashes in the scratch, and flags with 1 those that were present. */
  remove(count: number): number {
    return this.#run('fingerprints_remove', count);
  }

  addKey(key: Key): boolean {
    for (;;) {
      const { pointer, instance } = this.#table;
      const text = textOf(key, instance);
      const length = text === null ? writeKey(key, instance, this.seed) : text.length;
      const { kernel, scratch } = instance;
      if (length < 0) {
        const added = kernel.fingerprints_add(pointer, scratch.hashes, HASH_BYTES, 1, scratch.flags);
        if (added === 1) return scratch.flagBytes[0] === 1;
      } else {
        const answer = kernel.fingerprints_add_key(pointer, text, scratch.keys, length, this.seed);
        if (answer !== REFUSED) return answer === 1;
      }
      this.#grow(0);
    }
  }

  hasKey(key: Key): boolean {
    const { pointer, instance } = this.#table;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, this.seed) : text.length;
    const { kernel, scratch } = instance;
    if (length < 0) return kernel.fingerprints_has(pointer, scratch.hashes, HASH_BYTES, 1, scratch.flags) === 1;
    return kernel.fingerprints_has_key(pointer, text, scratch.keys, length, this.seed) === 1;
  }

  removeKey(key: Key): boolean {
    const { pointer, instance } = this.#table;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, this.seed) : text.length;
    const { kernel, scratch } = instance;
    if (length < 0) return kernel.fingerprints_remove(pointer, scratch.hashes, HASH_BYTES, 1, scratch.flags) === 1;
    return kernel.fingerprints_remove_key(pointer, text, scratch.keys, length, this.seed) === 1;
  }

  /** Adds all keys of other cells. */
  merge(others: Fingerprints): void {
    others.#visit((fingerprints, count) => this.#give('fingerprints_add', fingerprints, count));
  }

  /** Removes all keys of other cells. */
  subtract(others: Fingerprints): void {
    others.#visit((fingerprints, count) => this.#give('fingerprints_remove', fingerprints, count));
  }

  /** Makes new cells with the keys that are in either. */
  union(others: Fingerprints): Fingerprints {
    return filled(this.clone(), (both) => both.merge(others));
  }

  /** Makes new cells with the keys that are in both. */
  intersection(others: Fingerprints): Fingerprints {
    return filled(Fingerprints.reserve(this.#engine, this.seed, 0), (both) => {
      others.#visit((fingerprints, count) => {
        const flags = this.#give('fingerprints_has', fingerprints, count);
        let length = 0;
        for (let i = 0; i < count; i++) {
          if (flags[i] === 0) continue;
          fingerprints.copyWithin(length, FINGERPRINT_BYTES * i, FINGERPRINT_BYTES * (i + 1));
          length += FINGERPRINT_BYTES;
        }
        both.#give('fingerprints_add', fingerprints.subarray(0, length), length / FINGERPRINT_BYTES);
      });
    });
  }

  /** Whether other cells have the same keys. */
  equals(others: Fingerprints): boolean {
    let areSame = this.seed === others.seed && this.count === others.count;
    if (!areSame) return false;
    others.#visit((fingerprints, count) => {
      areSame &&= !this.#give('fingerprints_has', fingerprints, count).includes(0);
    });
    return areSame;
  }

  clone(): Fingerprints {
    return new Fingerprints(this.#engine, this.seed, copyOf(this.#table, this.#engine));
  }

  clear(): void {
    const { instance, pointer } = this.#table;
    instance.kernel.fingerprints_empty(pointer);
  }

  dispose(): void {
    this.#lastCount = this.count;
    this.region.dispose();
    this.#table.dispose();
  }

  /** What a file holds: a copy of the fingerprints, in order. */
  override toSave(): Saving {
    const { count, seed, cellBits } = this;
    const region = this.#engine.reserve(FINGERPRINT_BYTES * count) as Table;
    let at = 0;
    this.#visit((fingerprints) => {
      region.view(at, at + fingerprints.length).set(fingerprints);
      at += fingerprints.length;
    });
    region.instance.kernel.fingerprints_sort(region.pointer, count);
    return {
      parameters: parametersOf(count, seed),
      cellBits,
      own: undefined,
      segments: [region],
      dispose: () => region.dispose(),
    };
  }
}
