import { GrowingCells, type Kind } from '../../filters/kind.ts';
import { type FilterParameters, requireSaved, type Saved } from '../../format/header.ts';
import type { Saving } from '../../format/save.ts';
import type { Engine, Region } from '../../kernel/region.ts';
import { CHUNK_KEYS } from '../../kernel/scratch.ts';
import type { Key } from '../../keys/key.ts';
import { FilterFullError, type FilterMemoryError } from '../../util/checks/errors.ts';
import { ascendingIn, GrowingTable } from './growing-table.ts';
import { FINGERPRINT_BYTES } from './table.ts';

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
  allows: ({ cellCount, hashes, capacity }) => cellCount <= 2 ** 32 && hashes === 1 && capacity === 0,
  sizes: [],
  guess: 0,
  shown: ['count'],
  cellsOf: (saved: Saved, engine) => Fingerprints.of(saved, engine),
};

/** The parameters in the header of a file. */
function parametersOf(count: number, seed: number): FilterParameters {
  return { cellCount: count, hashes: 1, seed, capacity: 0, errorRate: 0 };
}

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

/** Why a set takes no more keys. */
function refusal(cause: FilterMemoryError, count: number, position: number): FilterFullError {
  const reason =
    `a set of ${count} keys cannot grow: ${cause.message}. A ScalableBloomFilter takes a tenth of the memory, and a ` +
    'CuckooFilter, from which keys can be removed, an eighth';
  return new FilterFullError(reason, { code: 'MEMORY', reason, position }, { cause });
}

/** Reserves memory for hashing. Frees the table if there is none. */
function reserveBeside(table: GrowingTable, engine: Engine): Region {
  try {
    return engine.reserve(1);
  } catch (error) {
    table.dispose();
    throw error;
  }
}

/** A growing table of fingerprints. Keys of batches are hashed in a memory that stays the same while the table moves. */
export class Fingerprints extends GrowingCells {
  readonly #engine: Engine;
  readonly table: GrowingTable;

  /** Frees the table if there is no memory besides it. */
  constructor(engine: Engine, seed: number, table: GrowingTable) {
    const region = reserveBeside(table, engine);
    super({ segments: [region], parameters: parametersOf(0, seed), cellBits: 8 * FINGERPRINT_BYTES, own: undefined });
    this.#engine = engine;
    this.table = table;
  }

  /** Makes the cells of a new set, with memory for `capacity` keys. */
  static reserve(engine: Engine, seed: number, capacity: number): Fingerprints {
    return new Fingerprints(engine, seed, GrowingTable.reserve(engine, capacity, FINGERPRINT_BYTES, refusal));
  }

  /** Makes the cells of a saved set. Throws a SavedFilterError unless its fingerprints ascend. */
  static of({ segments: [region], parameters: { cellCount: count, seed } }: Saved, engine: Engine): Fingerprints {
    try {
      const ascending = ascendingIn(region, count, FINGERPRINT_BYTES);
      const fault = ascending > 0 ? 'is not greater than the one before' : 'is zero';
      requireSaved(ascending === count, `its fingerprint ${ascending} ${fault}`);
      return filled(Fingerprints.reserve(engine, seed, count), ({ table }) => {
        table.load(region, count, (part, some) => table.give('fingerprints_add', part, some));
      });
    } finally {
      region.dispose();
    }
  }

  get kind(): Kind<Fingerprints> {
    return FINGERPRINT_SET;
  }

  override get byteLength(): number {
    return this.table.byteLength;
  }

  add(count: number, before: number): void {
    this.table.run('fingerprints_add', this.region.instance, count, before);
  }

  addFlags(count: number, before: number): void {
    this.table.run('fingerprints_add', this.region.instance, count, before);
  }

  has(count: number): number {
    return this.table.run('fingerprints_has', this.region.instance, count);
  }

  /** Removes the first `count` hashes in the scratch, and flags with 1 those that were present. */
  remove(count: number): number {
    return this.table.run('fingerprints_remove', this.region.instance, count);
  }

  addKey(key: Key): boolean {
    return this.table.addKey(key, this.seed);
  }

  hasKey(key: Key): boolean {
    return this.table.hasKey(key, this.seed);
  }

  removeKey(key: Key): boolean {
    return this.table.removeKey(key, this.seed);
  }

  /** Adds all keys of other cells. */
  merge(others: Fingerprints): void {
    others.table.visit((fingerprints, count) => this.table.give('fingerprints_add', fingerprints, count));
  }

  /** Makes new cells with the keys that are in either. */
  union(others: Fingerprints): Fingerprints {
    return filled(this.clone(), (both) => both.merge(others));
  }

  /** Makes new cells with the keys that are in both. */
  intersection(others: Fingerprints): Fingerprints {
    return filled(Fingerprints.reserve(this.#engine, this.seed, 0), (both) => {
      const flags = new Uint8Array(CHUNK_KEYS);
      others.table.visit((fingerprints, count) => {
        this.table.give('fingerprints_has', fingerprints, count, flags);
        let length = 0;
        for (let i = 0; i < count; i++) {
          if (flags[i] === 0) continue;
          fingerprints.copyWithin(length, FINGERPRINT_BYTES * i, FINGERPRINT_BYTES * (i + 1));
          length += FINGERPRINT_BYTES;
        }
        both.table.give('fingerprints_add', fingerprints, length / FINGERPRINT_BYTES);
      });
    });
  }

  /** Makes new cells with the keys that are in these, and not in others. */
  difference(others: Fingerprints): Fingerprints {
    return filled(this.clone(), ({ table }) => {
      others.table.visit((fingerprints, count) => table.give('fingerprints_remove', fingerprints, count));
    });
  }

  /** Whether other cells have the same keys. */
  equals(others: Fingerprints): boolean {
    let areSame = this.seed === others.seed && this.table.count === others.table.count;
    if (!areSame) return false;
    const flags = new Uint8Array(CHUNK_KEYS);
    others.table.visit((fingerprints, count) => {
      this.table.give('fingerprints_has', fingerprints, count, flags);
      areSame &&= !flags.subarray(0, count).includes(0);
    });
    return areSame;
  }

  clone(): Fingerprints {
    return new Fingerprints(this.#engine, this.seed, this.table.clone());
  }

  dispose(): void {
    this.region.dispose();
    this.table.dispose();
  }

  /** What a file holds: a copy of the fingerprints, in order. */
  override toSave(): Saving {
    const { count } = this.table;
    const region = this.table.sorted(FINGERPRINT_BYTES * count);
    return {
      parameters: parametersOf(count, this.seed),
      cellBits: this.cellBits,
      own: undefined,
      segments: [region],
      dispose: () => region.dispose(),
    };
  }
}
