import { changeAll } from '../../filters/batch.ts';
import type { Filter, RemovingFilter } from '../../filters/filter.ts';
import { CELLS, type FilterClass, KIND, type Kind } from '../../filters/kind.ts';
import { type LoadableClass, readAround } from '../../filters/load.ts';
import { StoredFilter, wrapCells } from '../../filters/stored-filter.ts';
import { readBytes, readChunks } from '../../format/load.ts';
import { copyToBytes, copyToChunks } from '../../format/save-copy.ts';
import type { ManyKeys } from '../../keys/collections.ts';
import type { Key } from '../../keys/key.ts';
import type { ByteSource } from '../../util/byte-source.ts';
import { TOMBSTONE, Tombstones } from './cells.ts';

/** The type of a file without the classes for its base. The compiler's error shows the text. */
type Incomplete = 'give the classes of the base too, as in fromBytes(file, [BloomFilter])';

/**
 * Removes some keys, or known false positives, from a filter of any other kind, even one that is made of all its keys
 * at once. For many removals a kind with `remove` is better, and a filter that is rebuilt each day needs no removals.
 *
 * Beside the filter, called its base, it keeps an exact set of the hashes of the removed keys. So a removed key looks
 * absent until it is added again, and any other key is lost with a probability of 2^−96 for each removed key. Removing
 * a key that was never added does no harm: at most, it corrects a false positive. From a thousand removed keys on, each
 * takes 18 to 32 bytes in memory; in a file it takes 16. A key that looks present in the base takes one more search.
 * `needsRebuild` says when to make a new base.
 *
 * **It owns its base.** `dispose` disposes of both, and `clone` copies both. Make only one such filter for a base. You
 * may go on using the base, to look up keys, to add some, and to combine it with others. A removed key stays removed,
 * whatever is done to the base.
 *
 * The `traits` of this class only say what it adds to its base; see also the `traits` of the base's class.
 *
 * ```ts
 * const names = new TombstoneFilter(BinaryFuseFilter.from(['ada', 'bob', 'eve']));
 * names.remove('eve'); // true
 * names.has('eve'); // false
 * const file = names.toBytes(); // holds the base too
 * TombstoneFilter.fromBytes(file, [BinaryFuseFilter]).has('bob'); // true
 * ```
 */
export class TombstoneFilter extends StoredFilter<Tombstones> implements RemovingFilter {
  /** @internal */
  static override readonly [KIND]: Kind<Tombstones> = TOMBSTONE;
  /** @internal */
  declare readonly [CELLS]: Tombstones;

  /**
   * Makes a filter around another, from which no key has been removed.
   *
   * @param base a filter of any other kind, on any engine, from the same copy of the package
   * @throws TypeError if `base` is something else, or was disposed of; RangeError if its secret is not that of this
   *   class: see `keyed` of `bloomery/keyed`
   * @throws FilterMemoryError if there is no memory
   */
  constructor(base: Filter) {
    super(Tombstones.around(base, new.target.engine));
  }

  /**
   * Loads a filter with its base.
   *
   * @param classes the classes for the base to choose from, one for each kind, from any entry of the package
   * @throws SavedFilterError unless the bytes are one whole, undamaged filter of this kind, and its base is of one of
   *   these classes
   * @throws TypeError if an argument is something else; FilterMemoryError if there is no memory for the filter
   */
  static override fromBytes<F extends TombstoneFilter>(this: FilterClass<F>, bytes: Uint8Array & Incomplete): F;
  static override fromBytes<F extends TombstoneFilter>(
    this: FilterClass<F>,
    bytes: Uint8Array | ArrayBuffer,
    classes: readonly LoadableClass[],
  ): F;
  static override fromBytes<F extends TombstoneFilter>(
    this: FilterClass<F>,
    bytes: Uint8Array | ArrayBuffer,
    classes?: readonly LoadableClass[],
  ): F {
    return readBytes(bytes, readAround(this, classes));
  }

  /**
   * Loads a filter with its base from chunks of any size, in order, as the method of other classes does.
   *
   * @param classes the classes for the base to choose from, one for each kind, from any entry of the package
   * @throws SavedFilterError unless the chunks are one whole, undamaged filter of this kind, and its base is of one of
   *   these classes
   * @throws TypeError if an argument is something else; FilterMemoryError if there is no memory for the filter;
   *   RangeError for a response that is not OK, such as a 404, or has no unused body
   */
  static override fromChunks<F extends TombstoneFilter>(
    this: FilterClass<F>,
    chunks: Iterable<Uint8Array> & Incomplete,
  ): F;
  static override fromChunks<F extends TombstoneFilter>(
    this: FilterClass<F>,
    chunks: ByteSource & Incomplete,
  ): Promise<F>;
  static override fromChunks<F extends TombstoneFilter>(
    this: FilterClass<F>,
    chunks: Iterable<Uint8Array>,
    classes: readonly LoadableClass[],
  ): F;
  static override fromChunks<F extends TombstoneFilter>(
    this: FilterClass<F>,
    chunks: ByteSource,
    classes: readonly LoadableClass[],
  ): Promise<F>;
  static override fromChunks<F extends TombstoneFilter>(
    this: FilterClass<F>,
    chunks: Iterable<Uint8Array> | ByteSource,
    classes?: readonly LoadableClass[],
  ): F | Promise<F> {
    return readChunks(chunks, readAround(this, classes));
  }

  get kind(): 'tombstone' {
    return 'tombstone';
  }

  /** The filter from which keys are removed. */
  get base(): Filter {
    return this[CELLS].base;
  }

  /** The number of keys that were removed, or excluded, and not added again. */
  get removedCount(): number {
    return this[CELLS].removed.count;
  }

  /**
   * Whether a new base of the keys that are left would be better. This is so if the removed keys, at 32 bytes each,
   * take more than a quarter of the memory of the base. It is also so if, among at least 1000 lookups that the base
   * answered with yes since this object was made or loaded, most were of removed keys.
   */
  get needsRebuild(): boolean {
    return this[CELLS].needsRebuild;
  }

  /** The capacity of the base. */
  override get capacity(): number {
    return this.base.capacity;
  }

  /** The error rate of the base. */
  override get errorRate(): number {
    return this.base.errorRate;
  }

  /** The memory of the base and of the removed keys, in bytes. */
  override get byteLength(): number {
    return super.byteLength;
  }

  /**
   * Adds a key to the base, and brings it back if it was removed.
   *
   * @returns true if the key was certainly absent before
   * @throws TypeError if the base takes no keys, unless the key looks present there
   * @throws TypeError | RangeError if `key` is not a key
   * @throws FilterFullError if the base has no room; then nothing has changed
   */
  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  /**
   * Adds many keys, as `add` does.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @param out receives a flag for each key, in order: 1 where `add` would return true
   * @throws TypeError if the base takes no keys and one of `keys` looks absent there; the keys before it have been
   *   added
   * @throws TypeError | RangeError if one of `keys` is not a key; the keys before it have been added
   * @throws FilterFullError if the base has no room for one of `keys`, whose position the error has; the keys before it
   *   have been added
   * @throws TypeError | RangeError, before adding anything, if `out` is too short, or if `out` is given and the number
   *   of keys is unknown
   */
  addMany<K>(keys: ManyKeys<K>, out?: Uint8Array): this {
    const cells = this[CELLS];
    changeAll(cells, keys, cells.add, out);
    return this;
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }

  /**
   * Removes a key: `has` returns false for it until it is added again.
   *
   * @returns true if the key looked present before
   * @throws TypeError | RangeError if `key` is not a key
   * @throws FilterMemoryError if there is no memory for its hash; then nothing has changed
   */
  remove(key: Key): boolean {
    return this[CELLS].removeKey(key);
  }

  /**
   * Removes many keys.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @param out receives a flag for each key, in order: 1 where `remove` would return true
   * @throws TypeError | RangeError if one of `keys` is not a key; the keys before it have been removed
   * @throws FilterMemoryError if there is no memory for the hash of one of `keys`; those before it have been removed
   * @throws TypeError | RangeError, before removing anything, if `out` is too short, or if `out` is given and the
   *   number of keys is unknown
   */
  removeMany<K>(keys: ManyKeys<K>, out?: Uint8Array): this {
    const cells = this[CELLS];
    changeAll(cells, keys, cells.remove, out);
    return this;
  }

  /**
   * Excludes a key that is known to be absent although it looks present: a false positive. The same as `remove`.
   *
   * @returns true if the key looked present before
   * @throws TypeError | RangeError if `key` is not a key
   * @throws FilterMemoryError if there is no memory for its hash; then nothing has changed
   */
  exclude(key: Key): boolean {
    return this.remove(key);
  }

  /** The share of cells in use in the base, 0 … 1. */
  fillRatio(): number {
    return this.base.fillRatio();
  }

  /**
   * The estimate of the base, less the number of removed keys, but at least 0. Too low by the number of excluded keys
   * that were never added. Too high by the copies that a base with `remove` stores of keys that were removed and
   * added again.
   */
  estimateCount(): number {
    return Math.max(0, this.base.estimateCount() - this.removedCount);
  }

  /** The estimate of the base: the share of absent keys that look present now, if they were never removed. */
  estimateErrorRate(): number {
    return this.base.estimateErrorRate();
  }

  override toBytes(): Uint8Array<ArrayBuffer> {
    return copyToBytes(TOMBSTONE, this[CELLS].toSave());
  }

  override *toChunks(): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    yield* copyToChunks(TOMBSTONE, this[CELLS].toSave());
  }

  /** Copies the filter with its base. The constructors of user subclasses do not run. */
  override clone(): this {
    return wrapCells(this.constructor as object as FilterClass<this>, this[CELLS].clone());
  }

  /** Frees the memory, and disposes of the base. Calling `dispose` again does nothing. */
  override dispose(): void {
    this.base.dispose();
    this[CELLS].removed.dispose();
  }
}
