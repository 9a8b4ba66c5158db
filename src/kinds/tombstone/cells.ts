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
import { HashSet, tombstoneBytes } from './set.ts';

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
      return new Tombstones(filter, HashSet.from(engine, tombstones, cellCount));
    } catch (error) {
      filter.dispose();
      throw error;
    } finally {
      tombstones.dispose();
    }
  },
};

/** A copy of the hashes of a chunk. No user code runs while it is in use. */
let kept: Int32Array<ArrayBuffer> | undefined;

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
  readonly removed: HashSet;
  /** The cells of the base. */
  readonly baseCells: Cells;
  declare parameters: FilterParameters;
  /** How often the base found a key that was not removed. */
  #found = 0;
  /** How often the base found a key that was removed. */
  #hidden = 0;

  constructor(base: StoredFilter, removed: HashSet) {
    const cells = base[CELLS];
    const { region, seed } = cells;
    super({ segments: [region], parameters: parametersOf(removed, seed), cellBits: 8 * HASH_BYTES, own: undefined });
    this.base = base;
    this.removed = removed;
    this.baseCells = cells;
  }

  /** Makes the cells of a new filter. */
  static around(given: unknown, engine: Engine): Tombstones {
    const base = requireBase(given);
    // The set hashes single keys, and a file has one hash.
    requireSameSecret('base', base.seed, engine.seed);
    return new Tombstones(base, new HashSet(engine));
  }

  get kind(): Kind<Tombstones> {
    return TOMBSTONE;
  }

  override begin(): void {
    this.baseCells.begin?.();
  }

  /** Whether most answers, or much of the memory, are about keys that were removed. */
  get needsRebuild(): boolean {
    const answers = this.#found + this.#hidden;
    const isHidden = answers >= LEAST_ANSWERS && this.#hidden > this.#found;
    return isHidden || 2 * HASH_BYTES * this.removed.size > this.base.byteLength / 4;
  }

  /** Copies the first `count` hashes in the scratch, which the base may change there. */
  #keep(count: number): Int32Array<ArrayBuffer> {
    kept ??= new Int32Array(HASH_WORDS * CHUNK_KEYS);
    const { memory, scratch } = this.region.instance;
    kept.set(new Int32Array(memory.buffer, scratch.hashes, HASH_WORDS * count));
    return kept;
  }

  has(count: number): number {
    const { baseCells, removed, region } = this;
    const hashes = removed.size > 0 ? this.#keep(count) : undefined;
    const found = baseCells.has(count);
    const isSearched = hashes !== undefined && found > 0;
    const hidden = isSearched ? removed.clearFlags(hashes, region.instance.scratch.flagBytes, count) : 0;
    this.#hidden += hidden;
    this.#found += found - hidden;
    return found - hidden;
  }

  /** Of the first `count` hashes in the scratch, removes those that look present, and flags them with 1. */
  remove(count: number): void {
    const hashes = this.#keep(count);
    this.baseCells.has(count);
    this.#change(count, (flag, at) => flag === 1 && this.removed.add(hashes, at));
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
    const hashes = this.#keep(count);
    const { baseCells, removed } = this;
    if (!(baseCells instanceof GrowingCells)) {
      baseCells.has(count);
      this.#change(count, (flag, at) => {
        if (flag === 0) throw this.#refusal(`keys[${before + at / HASH_WORDS}]`);
        return removed.delete(hashes, at);
      });
      return;
    }
    const addBack = (flag: number, at: number): boolean => removed.delete(hashes, at) || flag === 1;
    try {
      baseCells.addFlags(count, before);
    } catch (error) {
      if (!(error instanceof FilterFullError)) throw error;
      const added = error.position - before;
      this.#change(added, addBack);
      this.#addEach(baseCells, hashes, added, count, before);
      return;
    }
    this.#change(count, addBack);
  }

  /**
   * Adds the hashes from `from` on one by one, because the base refuses the first of them. A removed key needs no room:
   * the base has it still.
   */
  #addEach(baseCells: GrowingCells, hashes: Int32Array, from: number, count: number, before: number): void {
    const { instance } = this.region;
    const flags = instance.scratch.flagBytes.slice(0, count);
    const send = (at: number): void => {
      const words = new Int32Array(instance.memory.buffer, instance.scratch.hashes, HASH_WORDS);
      words.set(hashes.subarray(at, at + HASH_WORDS));
    };
    try {
      for (let i = from; i < count; i++) {
        const at = HASH_WORDS * i;
        send(at);
        let isNew = false;
        try {
          isNew = baseCells.addFlags(1, before + i) === 1;
        } catch (error) {
          send(at);
          if (!this.removed.has(hashes, at) || baseCells.has(1) === 0) throw error;
        }
        flags[i] = this.removed.delete(hashes, at) || isNew ? 1 : 0;
      }
    } finally {
      instance.scratch.flagBytes.set(flags);
      this.#resize();
    }
  }

  /** Replaces the flags of the first `count` keys. If `flagOf` throws, that flag and all after it become 0. */
  #change(count: number, flagOf: (flag: number, at: number) => boolean): void {
    const { instance } = this.region;
    let i = 0;
    try {
      for (; i < count; i++) {
        // Read each time, because the set may have grown, and growth of the memory replaces the buffer.
        const { flagBytes } = instance.scratch;
        flagBytes[i] = flagOf(flagBytes[i] as number, HASH_WORDS * i) ? 1 : 0;
      }
    } finally {
      instance.scratch.flagBytes.fill(0, i, count);
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
    if (removed.size === 0 || !removed.deleteKey(key, seed)) return isNew;
    this.#resize();
    return true;
  }

  hasKey(key: Key): boolean {
    const { base, removed, seed } = this;
    if (!base.has(key)) return false;
    const isHidden = removed.size > 0 && removed.hasKey(key, seed);
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

  /** What a file holds: the hashes, and the file of the base. */
  override toSave(): Saving {
    const { removed, baseCells, parameters, cellBits, region } = this;
    const tombstones = removed.toBytes();
    const base: Saving = baseCells.toSave?.() ?? baseCells;
    return {
      parameters,
      cellBits,
      own: { baseLength: fileLengthOf(baseCells.kind, base) },
      segments: [
        {
          byteLength: tombstones.length,
          get instance() {
            return region.instance;
          },
          get disposed() {
            return region.disposed;
          },
          view: (from, to) => tombstones.subarray(from, to),
        },
        fileOf(baseCells.kind, base),
      ],
      dispose: () => base.dispose?.(),
    };
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
function parametersOf({ size }: HashSet, seed: number): FilterParameters {
  return { cellCount: size, hashes: 1, seed, capacity: 0, errorRate: 0 };
}
