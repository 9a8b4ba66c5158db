import type { Saved } from '../format/header.ts';
import type { KernelExports } from '../kernel/instance.ts';
import type { RegionWith } from '../kernel/region.ts';
import { CHUNK_BYTES } from '../kernel/scratch.ts';
import { hashKey, textOf, writeKey } from '../keys/encode.ts';
import type { Key } from '../keys/key.ts';
import { FilterFullError } from '../util/checks/errors.ts';
import { GrowingCells, type Kind } from './kind.ts';

/**
 * A kernel function on the cells of a filter. Its first arguments are the address of the cells, the number of buckets
 * and the bits per cell.
 */
type CellFunction<Rest extends readonly unknown[]> = (
  body: number,
  buckets: number,
  cellBits: number,
  ...rest: Rest
) => number;

/** On a chunk of hashes: writes a flag for each. */
type ChunkFunction = CellFunction<[hashes: number, count: number, flags: number]>;

/** On a single key: its text, or `length` bytes at `key`. */
type KeyFunction = CellFunction<[text: string | null, key: number, length: number, seed: number]>;

/** The functions of a kind's module, taken from the kernel that it is linked to. */
interface BoundedFunctions<Exports> {
  /** Adds hashes until one has no room, and returns the number of hashes before that. */
  add(kernel: Exports): ChunkFunction;
  /** As `add`, but adds only hashes that look absent. */
  addAbsent(kernel: Exports): ChunkFunction;
  has(kernel: Exports): ChunkFunction;
  /** Removes hashes that look present, and returns their number. */
  remove(kernel: Exports): ChunkFunction;
  removeKey(kernel: Exports): KeyFunction;
  /** How often a hash is stored. */
  count(kernel: Exports): CellFunction<[hash: number]>;
  countKey(kernel: Exports): KeyFunction;
  /**
   * Stores the entries of `count` groups of eight cells of another filter of the same size, from group `from` on.
   * Returns 0, or for an entry without room 1 more than the number of times that it is stored.
   */
  merge(kernel: Exports): CellFunction<[from: number, others: number, count: number]>;
  /** The number of keys in all cells, each counted with its copies. */
  stored(kernel: Exports): CellFunction<[]>;
}

/** A kind whose filters can be full. Its cells come in buckets. */
export interface BoundedKind<Exports> extends Kind<BoundedCells<Exports>> {
  readonly functions: BoundedFunctions<KernelExports & Exports>;
  /** The most copies of a key. */
  readonly mostCopies: number;
  /** The number of keys for which a filter of this many buckets is made, if its size was given. */
  capacityOf(buckets: number): number;
}

/** What the kernel returns for a single key without room. */
export const REFUSED = 2;

/**
 * Buckets of cells, in which a linked module stores something of each key. A key has room in few buckets, and its
 * copies are stored one by one, so that each can be removed. `Exports` are the functions of the module.
 */
export abstract class BoundedCells<Exports> extends GrowingCells {
  declare readonly region: RegionWith<Exports>;
  abstract override readonly kind: BoundedKind<Exports>;
  abstract hasKey(key: Key): boolean;
  readonly buckets: number;
  /**
   * The number of keys stored since the cells were made, less those removed. A kind with an `addKey` of its own must
   * count there too.
   */
  protected change = 0;
  /** The number of keys when the cells were made; undefined until they have been counted. */
  #before: number | undefined;

  constructor(saved: Saved, buckets: number) {
    super(saved);
    this.buckets = buckets;
  }

  /** The number of keys that the filter is made for. */
  get capacity(): number {
    return this.parameters.capacity || this.kind.capacityOf(this.buckets);
  }

  /**
   * Makes an error.
   *
   * @param name what does not fit
   * @param isCopied whether all cells that it may take hold copies of it
   * @param what the beginning of the reason
   */
  #refusal(name: string, isCopied: boolean, what: string, position = 0): FilterFullError {
    const { parameters, capacity, kind } = this;
    const where = isCopied
      ? `, in all ${kind.cellName} of its buckets`
      : ` in ${parameters.cellCount} ${kind.cellName}, made for ${capacity} keys`;
    const reason = what + where;
    const code = isCopied ? 'COPIES' : 'FULL';
    return new FilterFullError(`${name} does not fit: ${reason}`, { code, reason, position });
  }

  /** The error for a key without room that is stored `copies` times already. */
  #full(name: string, copies: number, position: number): FilterFullError {
    const isCopied = copies === this.kind.mostCopies;
    const what = isCopied
      ? `its fingerprint is stored ${copies} times already`
      : `its buckets are full; the filter has ${this.stored()} keys`;
    return this.#refusal(name, isCopied, what, position);
  }

  /** The error for the hash at this position in the scratch. */
  #fullAt(position: number, before: number): FilterFullError {
    const { region, buckets, cellBits, kind } = this;
    const { kernel, scratch } = region.instance;
    const copies = kind.functions.count(kernel)(region.pointer, buckets, cellBits, scratch.hashes + 16 * position);
    return this.#full(`keys[${before + position}]`, copies, before + position);
  }

  /** The error for a single key without room. */
  protected fullFor(key: Key): FilterFullError {
    return this.#full('key', this.countOf(key), 0);
  }

  /** Calls a function on the first `count` hashes, which are in the scratch unless they are said to be elsewhere. */
  #call(
    name: 'add' | 'addAbsent' | 'has' | 'remove',
    count: number,
    hashes = this.region.instance.scratch.hashes,
  ): number {
    const { region, buckets, cellBits, kind } = this;
    const { kernel, scratch } = region.instance;
    return kind.functions[name](kernel)(region.pointer, buckets, cellBits, hashes, count, scratch.flags);
  }

  /** Adds the key whose hash is the first in the scratch. Returns whether it was absent. */
  protected addHashed(key: Key): boolean {
    if (this.#call('add', 1) === 0) throw this.fullFor(key);
    this.change++;
    return this.region.instance.scratch.flagBytes[0] === 1;
  }

  add(count: number, before: number): void {
    const added = this.#call('add', count);
    this.change += added;
    if (added < count) throw this.#fullAt(added, before);
  }

  addFlags(count: number, before: number): void {
    this.add(count, before);
  }

  /** Of the first `count` hashes in the scratch, adds those that look absent, and flags them with 1. */
  addAbsent(count: number, before: number): void {
    const passed = this.#call('addAbsent', count);
    const { flagBytes } = this.region.instance.scratch;
    for (let i = 0; i < passed; i++) this.change += flagBytes[i] as number;
    if (passed < count) throw this.#fullAt(passed, before);
  }

  /** Adds a key unless it looks present. Returns whether it did. */
  addAbsentKey(key: Key): boolean {
    const { instance } = this.region;
    if (this.#call('addAbsent', 1, hashKey(key, instance, this.seed)) === 0) throw this.fullFor(key);
    const added = instance.scratch.flagBytes[0] as number;
    this.change += added;
    return added === 1;
  }

  has(count: number): number {
    return this.#call('has', count);
  }

  /** Of the first `count` hashes in the scratch, removes those that look present, each once, and flags them with 1. */
  remove(count: number): number {
    const removed = this.#call('remove', count);
    this.change -= removed;
    return removed;
  }

  removeKey(key: Key): boolean {
    const { region, seed, buckets, cellBits, kind } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    const { kernel, scratch } = instance;
    if (length < 0) return this.remove(1) === 1;
    const removed = kind.functions.removeKey(kernel)(
      region.pointer,
      buckets,
      cellBits,
      text,
      scratch.keys,
      length,
      seed,
    );
    this.change -= removed;
    return removed === 1;
  }

  countOf(key: Key): number {
    const { region, seed, buckets, cellBits, kind } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    const { kernel, scratch } = instance;
    if (length < 0) return kind.functions.count(kernel)(region.pointer, buckets, cellBits, scratch.hashes);
    return kind.functions.countKey(kernel)(region.pointer, buckets, cellBits, text, scratch.keys, length, seed);
  }

  /** The number of keys, each counted with its copies. Reads all cells the first time. */
  stored(): number {
    const { region, buckets, cellBits, kind } = this;
    const { kernel } = region.instance;
    this.#before ??= kind.functions.stored(kernel)(region.pointer, buckets, cellBits) - this.change;
    return this.#before + this.change;
  }

  /**
   * Stores the entries of other cells of this size. Throws a FilterFullError if there is no room for one; some entries
   * have been stored by then.
   */
  merge(others: BoundedCells<Exports>): void {
    const { region, buckets, cellBits, kind, parameters } = this;
    const { kernel, scratch } = region.instance;
    const { mostCopies, functions } = kind;
    const before = this.stored();
    const added = others.stored();
    const bytes = others.region.bytes;
    const merge = functions.merge(kernel);
    // A group of eight cells takes as many bytes as a cell has bits.
    const groups = parameters.cellCount / 8;
    const step = Math.floor(CHUNK_BYTES / cellBits);
    for (let from = 0; from < groups; from += step) {
      const count = Math.min(step, groups - from);
      scratch.keyBytes.set(bytes.subarray(from * cellBits, (from + count) * cellBits));
      const refused = merge(region.pointer, buckets, cellBits, from, scratch.keys, count);
      if (refused === 0) continue;
      const isCopied = refused > mostCopies;
      const what = isCopied
        ? `a fingerprint would be stored more than ${mostCopies} times`
        : `no room for ${added} keys beside ${before}`;
      throw this.#refusal('other', isCopied, what);
    }
    this.change += added;
  }

  /** Replaces all entries with those of other cells of this size. */
  replaceWith(others: BoundedCells<Exports>): void {
    this.region.bytes.set(others.region.bytes);
    this.#before = others.stored();
    this.change = 0;
  }

  /** Empties all cells. */
  clear(): void {
    this.region.clear();
    this.#before = 0;
    this.change = 0;
  }
}
