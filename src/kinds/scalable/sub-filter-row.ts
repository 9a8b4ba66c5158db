// A row of classic filters, the sub-filters. The last takes new keys until it is full; then another is opened.

import { FEW } from '../../filters/batch.ts';
import { type Layer, LayeredCells } from '../../filters/layered-filter.ts';
import { type FilterParameters, sum } from '../../format/header.ts';
import type { Instance } from '../../kernel/instance.ts';
import type { Engine, Region } from '../../kernel/region.ts';
import { HASH_WORDS } from '../../kernel/scratch.ts';
import { hashKey } from '../../keys/encode.ts';
import type { Key } from '../../keys/key.ts';
import { FilterFullError, FilterMemoryError } from '../../util/checks/errors.ts';
import { showBytes } from '../../util/checks/validate.ts';
import type { Bits } from '../classic/filter.ts';
import { UnansweredHashes } from './unanswered.ts';

/** A classic filter that holds some of the keys. */
export interface SubFilter {
  readonly cells: Bits;
  readonly parameters: FilterParameters;
  count: number;
}

/**
 * The next sub-filter takes at most this many bytes, or `MOST_GROWTH` times those of all sub-filters: a forged file of
 * some hundred bytes could say that it is to grow by gigabytes.
 */
const MOST_BYTES: number = 64 * 2 ** 20;
const MOST_GROWTH = 256;

/** Cells in sub-filters. A key that looks present in any of them is not added. */
export abstract class SubFilterRow<S extends SubFilter = SubFilter> extends LayeredCells {
  declare parameters: FilterParameters;
  /** Never empty. */
  abstract readonly subFilters: S[];

  /** Adds the next sub-filter to the row, or throws if there can be none. */
  protected abstract grow(): void;
  /** The number of cells of all sub-filters, as the filter counts them. */
  protected abstract cellCount(): number;

  /** Memory for the next sub-filter. Throws a RangeError if that would be out of proportion. */
  protected reserve(engine: Engine, byteLength: number): Region {
    const most = Math.max(MOST_BYTES, MOST_GROWTH * sum(this.segments.map((region) => region.byteLength)));
    if (byteLength <= most) return engine.reserve(byteLength);
    throw new RangeError(`it would grow by ${showBytes(byteLength)}, of at most ${showBytes(most)}`);
  }

  override get segments(): readonly [Region, ...Region[]] {
    return this.subFilters.map(({ cells }) => cells.region) as [Region, ...Region[]];
  }

  override get byteLength(): number {
    return this.subFilters.reduce((bytes, { cells }) => bytes + cells.byteLength, 0);
  }

  /** With several sub-filters, more than some 64 lookups in them take less time in a chunk, which asks one after the other. */
  get few(): number {
    const { length } = this.subFilters;
    return length > 1 ? 64 / length : FEW;
  }

  protected get last(): S {
    return this.subFilters.at(-1) as S;
  }

  get count(): number {
    return sum(this.subFilters.map(({ count }) => count));
  }

  /**
   * Opens the next sub-filter. If there is no memory for it, throws and changes nothing.
   *
   * @param position the position of the key that needs it, for the error
   */
  #open(position: number): void {
    try {
      this.grow();
    } catch (cause) {
      const reason = `a filter of ${this.count} keys cannot grow: ${(cause as Error).message}`;
      const code = cause instanceof FilterMemoryError ? 'MEMORY' : 'FULL';
      throw new FilterFullError(reason, { code, reason, position }, { cause });
    }
    this.#resize();
  }

  #resize(): void {
    const { hashes, seed, capacity, errorRate } = this.parameters;
    this.parameters = { cellCount: this.cellCount(), hashes, seed, capacity, errorRate };
  }

  /**
   * How many new keys the last sub-filter takes. It may have more keys than it should, if another system has saved it.
   */
  #room(): number {
    return this.last.parameters.capacity - this.last.count;
  }

  has(count: number): number {
    const { subFilters } = this;
    if (subFilters.length === 1) return this.last.cells.has(count);
    const unanswered = new UnansweredHashes(this.region.instance, count);
    for (const { cells } of [...subFilters].reverse()) unanswered.drop(cells, 1);
    unanswered.writeFlags();
    return count - unanswered.count;
  }

  addFlags(count: number, before: number): void {
    const unanswered = new UnansweredHashes(this.region.instance, count);
    for (const { cells } of this.subFilters.slice(0, -1).reverse()) unanswered.drop(cells, 0);
    try {
      while (unanswered.count > 0) {
        const { last } = this;
        const room = this.#room();
        // Drop the keys that are in the last sub-filter: only a new key may open another one.
        if (room < unanswered.count) unanswered.drop(last.cells, 0);
        if (room > 0) last.count += unanswered.addTo(last.cells, Math.min(room, unanswered.count));
        else if (unanswered.count > 0) this.#open(before + unanswered.first);
      }
    } finally {
      unanswered.writeFlags();
    }
  }

  add(count: number, before: number): void {
    this.addFlags(count, before);
  }

  /** Hashes a key, once for all sub-filters. Returns where the hash is, in the memory of the first. */
  #hash(key: Key): number {
    return hashKey(key, this.region.instance, this.seed);
  }

  /** The address of a hash in the memory of a sub-filter. It is copied there if that is another memory. */
  #hashIn({ memory, scratch }: Instance, hash: number): number {
    const { memory: home } = this.region.instance;
    if (memory === home) return hash;
    const copy = new Uint32Array(memory.buffer, scratch.hashes, HASH_WORDS);
    copy.set(new Uint32Array(home.buffer, hash, HASH_WORDS));
    return scratch.hashes;
  }

  /** Whether a hash is in one of the first `count` sub-filters. */
  #isIn(count: number, hash: number): boolean {
    for (let i = count - 1; i >= 0; i--) {
      const { region, parameters } = (this.subFilters[i] as S).cells;
      const { instance } = region;
      const { kernel, scratch } = instance;
      const at = this.#hashIn(instance, hash);
      const { cellCount, hashes } = parameters;
      if (kernel.bloom_has(region.pointer, cellCount, hashes, at, 1, scratch.flags) === 1) return true;
    }
    return false;
  }

  /**
   * Adds a hash to the last sub-filter. Returns whether it was absent there. It does not share the call with `#isIn`: a
   * function of the kernel that was chosen by its name made lookups 1.6 times as slow.
   */
  #addToLast(hash: number): boolean {
    const { region, parameters } = this.last.cells;
    const { instance } = region;
    const { kernel, scratch } = instance;
    const at = this.#hashIn(instance, hash);
    const { cellCount, hashes } = parameters;
    return kernel.bloom_add_flags(region.pointer, cellCount, hashes, at, 1, scratch.flags) === 1;
  }

  addKey(key: Key): boolean {
    const { length } = this.subFilters;
    const hasRoom = this.#room() > 0;
    let added: boolean;
    if (length === 1 && hasRoom) {
      added = this.last.cells.addKey(key);
    } else {
      const hash = this.#hash(key);
      if (this.#isIn(hasRoom ? length - 1 : length, hash)) return false;
      if (!hasRoom) this.#open(0);
      added = this.#addToLast(hash);
    }
    if (added) this.last.count++;
    return added;
  }

  hasKey(key: Key): boolean {
    const { length } = this.subFilters;
    return length === 1 ? this.last.cells.hasKey(key) : this.#isIn(length, this.#hash(key));
  }

  layers(): Layer[] {
    return this.subFilters.map(({ cells, parameters: { cellCount, hashes } }) => {
      const used = cells.used();
      return { cellCount, hashes, used, errorRate: (used / cellCount) ** hashes };
    });
  }

  clear(): void {
    const [first, ...others] = this.subFilters as [S, ...S[]];
    first.cells.region.clear();
    first.count = 0;
    for (const { cells } of others) cells.region.dispose();
    this.subFilters.length = 1;
    this.#resize();
  }
}
