import type { GrowingFilter } from '../../filters/filter.ts';
import { CELLS, Cells, GrowingCells, type Kind } from '../../filters/kind.ts';
import type { StoredFilter } from '../../filters/stored-filter.ts';
import {
  type FilterParameters,
  fileLengthOf,
  HEADER_BYTES,
  requireSaved,
  requireZeros,
  type Saved,
} from '../../format/header.ts';
import { openBaseFile } from '../../format/load.ts';
import { fileOf, type Saving } from '../../format/save.ts';
import type { Engine } from '../../kernel/region.ts';
import { CHUNK_KEYS, HASH_BYTES, HASH_WORDS } from '../../kernel/scratch.ts';
import type { Key } from '../../keys/key.ts';
import { FilterFullError } from '../../util/checks/errors.ts';
import { requireSameSecret } from '../../util/checks/secrets.ts';
import { FOREIGN, mustBe, mustBeSeed } from '../../util/checks/validate.ts';
import type { GrowingTable, Verb } from '../fingerprint-set/growing-table.ts';
import { emptyTable, tableOf, tombstoneBytes } from './table.ts';

/** The kind's own parameters. */
interface Own {
  /** The byte length of the base's file. */
  readonly baseLength: number;
}

/** The bytes of the kind's own parameters in a file. */
const OWN_BYTES = 8;
/** More hashes fit no memory. */
const MAX_TOMBSTONES: number = 2 ** 32;
/** Of fewer answers than this, the shares say little. */
const LEAST_ANSWERS = 1000;

export const TOMBSTONE: Kind<Tombstones> = {
  id: 11,
  name: 'tombstone',
  className: 'TombstoneFilter',
  traits: {
    removes: true,
    canBeFull: false,
    grows: false,
    forgets: false,
    forgetsAny: false,
    leastErrorRate: () => 0,
  },
  cellName: 'tombstones',
  cellBits: [8 * HASH_BYTES, 8 * HASH_BYTES],
  mayBeEmpty: true,
  wraps: openBaseFile,
  allows: ({ cellCount, hashes, capacity }) => cellCount <= MAX_TOMBSTONES && hashes === 1 && capacity === 0,
  own: {
    maxSegments: 2,
    byteLength: () => OWN_BYTES,
    write(view, { baseLength }: Own) {
      view.setBigUint64(0, BigInt(baseLength), true);
    },
    read(view) {
      requireZeros(view, OWN_BYTES);
      const baseLength = Number(view.getBigUint64(0, true));
      const isLength = baseLength >= HEADER_BYTES && Number.isSafeInteger(baseLength);
      requireSaved(isLength, `the length of its base is ${baseLength}`);
      return { baseLength };
    },
    segmentLengths: ({ parameters, own }) => [tombstoneBytes(parameters.cellCount), (own as Own).baseLength],
  },
  sizes: [],
  shown: ['removedCount', 'base'],
  isTimed: ({ baseCells }) => baseCells.kind.isTimed?.(baseCells) ?? false,
  cellsOf({ parameters: { cellCount, seed }, segments: [tombstones], base }: Saved, engine) {
    const filter = base as StoredFilter;
    try {
      requireSaved(seed === filter.seed, mustBeSeed('seed of base', seed, filter.seed));
      return new Tombstones(filter, tableOf(tombstones, cellCount, engine));
    } catch (error) {
      filter.dispose();
      throw error;
    } finally {
      tombstones.dispose();
    }
  },
};

// What is kept of a chunk. No user code runs while it is in use.

/** A copy of the hashes, four words each. */
const kept: Int32Array<ArrayBuffer> = /* @__PURE__ */ new Int32Array(HASH_WORDS * CHUNK_KEYS);
const keptBytes: Uint8Array<ArrayBuffer> = /* @__PURE__ */ new Uint8Array(kept.buffer);
/** The numbers of the keys that look present. */
const places: Uint16Array<ArrayBuffer> = /* @__PURE__ */ new Uint16Array(CHUNK_KEYS);
/** For each of these, what the table answers. */
const answers: Uint8Array<ArrayBuffer> = /* @__PURE__ */ new Uint8Array(CHUNK_KEYS);

/** Returns the base of a new filter. Throws a TypeError unless it is a filter of another kind. */
function requireBase(base: unknown): StoredFilter {
  const cells = (base as Partial<StoredFilter> | null | undefined)?.[CELLS];
  if (cells?.kind === undefined) {
    const isFilter = typeof (base as Partial<StoredFilter> | null | undefined)?.toBytes === 'function';
    if (isFilter && cells) throw new TypeError(mustBe('base', 'a filter of one thread', base));
    const hint = isFilter ? ' that is not from this copy of bloomery' : '';
    throw new TypeError(mustBe('base', 'a filter', base) + hint);
  }
  if (cells.region.disposed) throw new TypeError(`${mustBe('base', 'a filter', base)} after dispose()`);
  if (cells.kind.wraps) throw new TypeError(mustBe('base', 'a filter without tombstones', base));
  if (cells.seed >= FOREIGN) throw new TypeError(mustBe('base', 'a filter that is not of another system', base));
  return base as StoredFilter;
}

/** A filter, and the exact set of the hashes that it must not find. Keys are hashed into the scratch of the filter. */
export class Tombstones extends Cells {
  readonly base: StoredFilter;
  readonly removed: GrowingTable;
  /** The cells of the base. */
  readonly baseCells: Cells;
  declare parameters: FilterParameters;
  /** How often the base found a key that was not removed. */
  #found = 0;
  /** How often the base found a key that was removed. */
  #hidden = 0;

  constructor(base: StoredFilter, removed: GrowingTable) {
    const cells = base[CELLS];
    const { region, seed } = cells;
    super({ segments: [region], parameters: parametersOf(removed, seed), cellBits: 8 * HASH_BYTES, own: undefined });
    this.base = base;
    this.removed = removed;
    this.baseCells = cells;
  }

  /** The memory of the base and of the removed keys. */
  override get byteLength(): number {
    return this.base.byteLength + this.removed.byteLength;
  }

  /** Makes the cells of a new filter. */
  static around(given: unknown, engine: Engine): Tombstones {
    const base = requireBase(given);
    // The set hashes single keys, and a file has one hash.
    requireSameSecret('base', base.seed, engine.seed);
    return new Tombstones(base, emptyTable(engine, 0));
  }

  get kind(): Kind<Tombstones> {
    return TOMBSTONE;
  }

  override begin(): void {
    this.baseCells.begin?.();
  }

  /** Whether most answers, or much of the memory, are about keys that were removed. */
  get needsRebuild(): boolean {
    const isHidden = this.#found + this.#hidden >= LEAST_ANSWERS && this.#hidden > this.#found;
    return isHidden || 2 * HASH_BYTES * this.removed.count > this.base.byteLength / 4;
  }

  /** Copies the first `count` hashes in the scratch, which the base may change there. */
  #keep(count: number): void {
    const { memory, scratch } = this.region.instance;
    kept.set(new Int32Array(memory.buffer, scratch.hashes, HASH_WORDS * count));
  }

  /** The flags of the first `count` keys, in a view that is valid until anything is allocated. */
  #flags(count: number): Uint8Array<ArrayBuffer> {
    return this.region.instance.scratch.flagBytes.subarray(0, count);
  }

  /** Moves the hashes of the keys that are flagged with 1 to the front of those kept. Returns their number. */
  #pick(count: number): number {
    const flags = this.#flags(count);
    let length = 0;
    for (let i = 0; i < count; i++) {
      // Of many keys, few look present: the engine finds the next one faster than a loop.
      if (flags[i] !== 1) i = flags.indexOf(1, i);
      if (i < 0) break;
      const from = HASH_WORDS * i;
      const to = HASH_WORDS * length;
      for (let word = 0; word < HASH_WORDS && from > to; word++) kept[to + word] = kept[from + word] as number;
      places[length++] = i;
    }
    return length;
  }

  /**
   * Asks the table about the keys that are flagged with 1, and flags with 1 those for which it answers `wanted`, and no
   * others. Returns their number. If it throws, the flags say which keys were changed.
   */
  #ask(verb: Verb, count: number, wanted: 0 | 1): number {
    const length = this.#pick(count);
    let sum = 0;
    answers.fill(1 - wanted, 0, length);
    try {
      this.removed.give(verb, keptBytes, length, answers);
    } finally {
      // The memory of the table may be the same.
      const flags = this.#flags(count).fill(0);
      for (let i = 0; i < length; i++) {
        const flag = answers[i] === wanted ? 1 : 0;
        flags[places[i] as number] = flag;
        sum += flag;
      }
      this.#resize();
    }
    return sum;
  }

  has(count: number): number {
    const { baseCells, removed } = this;
    const isSearched = removed.count > 0;
    if (isSearched) this.#keep(count);
    const found = baseCells.has(count);
    if (!isSearched || found === 0) {
      this.#found += found;
      return found;
    }
    const left = this.#ask('fingerprints_has', count, 0);
    this.#found += left;
    this.#hidden += found - left;
    return left;
  }

  /** Of the first `count` hashes in the scratch, removes those that look present, and flags them with 1. */
  remove(count: number): void {
    this.#keep(count);
    this.baseCells.has(count);
    this.#ask('fingerprints_add', count, 1);
  }

  /** As `addFlags`. */
  add(count: number, before: number): void {
    this.addFlags(count, before);
  }

  /**
   * Adds the first `count` hashes in the scratch, and flags with 1 those that were absent. Errors count positions from
   * `before`, the number of keys in earlier chunks.
   */
  addFlags(count: number, before: number): void {
    this.#keep(count);
    const { baseCells } = this;
    if (!(baseCells instanceof GrowingCells)) {
      baseCells.has(count);
      const unknown = this.#flags(count).indexOf(0);
      const known = unknown < 0 ? count : unknown;
      this.#flags(count).fill(0, known);
      this.#ask('fingerprints_remove', known, 1);
      if (known < count) throw this.#refusal(`keys[${before + known}]`);
      return;
    }
    let added = count;
    try {
      baseCells.addFlags(count, before);
    } catch (error) {
      if (!(error instanceof FilterFullError)) throw error;
      added = error.position - before;
    }
    this.#addBack(added);
    if (added < count) this.#addEach(baseCells, added, count, before);
  }

  /** Adds back those of the first `count` kept hashes that were removed, and sets their flags to 1 as well. */
  #addBack(count: number): void {
    if (this.removed.count === 0) return;
    const flags = this.#flags(count).slice();
    this.removed.give('fingerprints_remove', keptBytes, count, answers);
    this.#flags(count).set(flags.map((flag, i) => flag | (answers[i] as number)));
    this.#resize();
  }

  /**
   * Adds the hashes from `from` on one by one, because the base refuses the first of them. A removed key needs no room:
   * the base has it still.
   */
  #addEach(baseCells: GrowingCells, from: number, count: number, before: number): void {
    const { instance } = this.region;
    const flags = this.#flags(count).slice();
    const send = (hash: Uint8Array): void => {
      new Uint8Array(instance.memory.buffer, instance.scratch.hashes, HASH_BYTES).set(hash);
    };
    const ask = (verb: Verb, hash: Uint8Array): boolean => {
      this.removed.give(verb, hash, 1, answers);
      return answers[0] === 1;
    };
    try {
      for (let i = from; i < count; i++) {
        const hash = keptBytes.subarray(HASH_BYTES * i, HASH_BYTES * (i + 1));
        send(hash);
        let isNew = false;
        try {
          baseCells.addFlags(1, before + i);
          isNew = this.#flags(1)[0] === 1;
        } catch (error) {
          const isRemoved = ask('fingerprints_has', hash);
          send(hash);
          if (!isRemoved || baseCells.has(1) === 0) throw error;
        }
        flags[i] = ask('fingerprints_remove', hash) || isNew ? 1 : 0;
      }
    } finally {
      this.#flags(count).set(flags);
      this.#resize();
    }
  }

  /** The error for a key that a base without `add` does not have. */
  #refusal(name: string): TypeError {
    const { className } = this.baseCells.kind;
    return new TypeError(`${name} must be a key of the base, because a ${className} takes no others`);
  }

  addKey(key: Key): boolean {
    const { base, removed, seed, baseCells } = this;
    const canGrow = baseCells instanceof GrowingCells;
    if (!canGrow && !base.has(key)) throw this.#refusal('key');
    let isNew = false;
    try {
      isNew = canGrow && (base as object as GrowingFilter).add(key);
    } catch (error) {
      // A removed key needs no room: the base has it still.
      if (!(error instanceof FilterFullError && removed.hasKey(key, seed) && base.has(key))) throw error;
    }
    if (removed.count === 0 || !removed.removeKey(key, seed)) return isNew;
    this.#resize();
    return true;
  }

  hasKey(key: Key): boolean {
    const { base, removed, seed } = this;
    if (!base.has(key)) return false;
    const isHidden = removed.count > 0 && removed.hasKey(key, seed);
    if (isHidden) this.#hidden++;
    else this.#found++;
    return !isHidden;
  }

  removeKey(key: Key): boolean {
    const { base, removed, seed } = this;
    if (!base.has(key) || !removed.addKey(key, seed)) return false;
    this.#resize();
    return true;
  }

  #resize(): void {
    this.parameters = parametersOf(this.removed, this.seed);
  }

  /** What a file holds: a copy of the hashes, in order, and the file of the base. */
  override toSave(): Saving {
    const { removed, baseCells, parameters, cellBits, region } = this;
    const tombstones = removed.sorted(tombstoneBytes(removed.count));
    let base: Saving | undefined;
    const dispose = (): void => {
      tombstones.dispose();
      base?.dispose?.();
    };
    try {
      base = baseCells.toSave?.() ?? baseCells;
      const copy: Saving['segments'][number] = {
        byteLength: tombstones.byteLength,
        get instance() {
          return region.instance;
        },
        // The copy goes with the filter.
        get disposed() {
          return region.disposed;
        },
        view: (from, to) => tombstones.view(from, to),
      };
      const own = { baseLength: fileLengthOf(baseCells.kind, base) };
      return { parameters, cellBits, own, segments: [copy, fileOf(baseCells.kind, base)], dispose };
    } catch (error) {
      dispose();
      throw error;
    }
  }

  clone(): Tombstones {
    const base = this.base.clone();
    try {
      return new Tombstones(base, this.removed.clone());
    } catch (error) {
      base.dispose();
      throw error;
    }
  }
}

/** The parameters in the header of a file. */
function parametersOf({ count }: GrowingTable, seed: number): FilterParameters {
  return { cellCount: count, hashes: 1, seed, capacity: 0, errorRate: 0 };
}
