import { changeAll } from '../../filters/batch.ts';
import { type Like, requireAlike, requireSameKind } from '../../filters/compatible.ts';
import type { RemovingFilter, UnitingFilter } from '../../filters/filter.ts';
import { optionsFor } from '../../filters/filter-options.ts';
import { GrowingFilter } from '../../filters/growing-filter.ts';
import { CELLS, type FilterClass, KIND, type Kind } from '../../filters/kind.ts';
import { wrapCells } from '../../filters/stored-filter.ts';
import { copyToBytes, copyToChunks } from '../../format/save-copy.ts';
import { type ManyKeys, sourceOf } from '../../keys/collections.ts';
import type { Key } from '../../keys/key.ts';
import { requireOptions } from '../../util/checks/options.ts';
import { requireInteger, requireSeed } from '../../util/checks/validate.ts';
import { FINGERPRINT_SET, Fingerprints, SAME_FINGERPRINT } from './cells.ts';

/** The options of a `FingerprintSet`. */
export interface FingerprintSetOptions {
  /** The number of keys to reserve memory for, 0 … 2^53 − 1; default 0. The set grows beyond it. */
  capacity?: number | undefined;
  /** The seed of the hash, 0 … 2^32 − 1; default 0. */
  seed?: number | undefined;
}

const EXAMPLE = '{ capacity: 1000 }';

/**
 * An exact set of keys. It stores 96 bits of each key's hash, and takes 14 to 24 bytes for each key from a thousand
 * keys on, however long keys are.
 *
 * **It does not err.** Two keys count as one only if their hashes agree in 96 bits: among a billion keys, the chance
 * that there is any such pair is less than 1 in 10^11, unless somebody chose the keys. For keys from strangers, use a
 * class with a secret, made by `keyed` of `bloomery/keyed`.
 *
 * **It grows** as keys are added, up to some 200 million keys in WebAssembly and half of that in plain JavaScript. In plain
 * JavaScript, growing copies the memory from time to time; `capacity` reserves it.
 *
 * Unlike a `Set`, it cannot list its keys. It is saved in the order of the fingerprints, so that equal sets are saved
 * as the same bytes.
 *
 * ```ts
 * const seen = new FingerprintSet();
 * seen.add('https://example.org/'); // true
 * seen.add('https://example.org/'); // false
 * seen.count; // 1
 * seen.remove('https://example.org/'); // true
 * ```
 */
export class FingerprintSet extends GrowingFilter<Fingerprints> implements RemovingFilter, UnitingFilter {
  /** @internal */
  static override readonly [KIND]: Kind<Fingerprints> = FINGERPRINT_SET;
  /** @internal */
  declare readonly [CELLS]: Fingerprints;

  /**
   * Makes an empty set.
   *
   * @throws TypeError | RangeError if an option is unknown or out of range
   * @throws FilterMemoryError if there is no memory for `capacity` keys
   */
  constructor(options: FingerprintSetOptions = {}) {
    const { engine } = new.target;
    const { capacity = 0, seed = engine.seed ?? 0 } = requireOptions(options, EXAMPLE, ['capacity', 'seed']);
    const room = requireInteger('capacity', capacity, 0, Number.MAX_SAFE_INTEGER);
    super(Fingerprints.reserve(engine, requireSeed(seed, engine.seed), room));
  }

  /**
   * Makes a set that holds `keys`.
   *
   * @param keys an array or iterable of keys, such as a generator, an integer array, lines, a column or hashes
   * @param options the constructor's options; `capacity` is by default the number of keys, if that is known
   * @throws TypeError | RangeError if an option is unknown or out of range, or if one of `keys` is not a key
   * @throws FilterMemoryError if there is no memory for the capacity; FilterFullError if there is none for more keys
   */
  static override from<F extends GrowingFilter, Options, K>(
    this: FilterClass<F> & (new (options: Options) => F),
    keys: ManyKeys<K>,
    options?: Partial<Options>,
  ): F {
    return new this(optionsFor(sourceOf(keys), this[KIND], options) as Options).addMany(keys);
  }

  get kind(): 'fingerprint-set' {
    return 'fingerprint-set';
  }

  /** The exact number of keys. */
  get count(): number {
    return this[CELLS].table.count;
  }

  /** The number of keys, as `count`: a set is made for as many keys as it has. */
  override get capacity(): number {
    return this.count;
  }

  /** The chance that a key which is absent looks present, 0 … 1: `count` / 2^96. */
  override get errorRate(): number {
    return this.count * SAME_FINGERPRINT;
  }

  /** The number of fingerprints. */
  override get cellCount(): number {
    return this.count;
  }

  /**
   * The memory of the table that has been in use, in bytes. `remove` and `clear` do not free it, because it is used
   * again for other keys. `dispose` does.
   */
  override get byteLength(): number {
    return super.byteLength;
  }

  /**
   * Adds a key.
   *
   * @returns true if the key was absent before
   * @throws TypeError | RangeError if `key` is not a key
   * @throws FilterFullError if there is no memory for it; then nothing has changed
   */
  add(key: Key): boolean {
    return this[CELLS].addKey(key);
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }

  /**
   * Removes a key.
   *
   * @returns true if the key was present before
   * @throws TypeError | RangeError if `key` is not a key
   */
  remove(key: Key): boolean {
    return this[CELLS].removeKey(key);
  }

  removeMany<K>(keys: ManyKeys<K>, out?: Uint8Array): this {
    const cells = this[CELLS];
    changeAll(cells, keys, cells.remove, out, 'removeKey');
    return this;
  }

  /**
   * Makes a new set of the keys that are in either.
   *
   * @throws TypeError | RangeError unless `other` is a set with the same seed
   * @throws FilterMemoryError if there is no memory
   */
  union<F extends FingerprintSet>(this: F, other: Like<F>): F {
    const cells = this[CELLS].union(requireAlike(this[CELLS], other));
    return wrapCells(this.constructor as object as FilterClass<F>, cells);
  }

  /**
   * Adds all keys of another set to this one: `union` in place.
   *
   * @throws TypeError | RangeError unless `other` is a set with the same seed
   * @throws FilterFullError if there is no memory; then some of the keys have been added
   */
  merge<F extends FingerprintSet>(this: F, other: Like<F>): F {
    this[CELLS].merge(requireAlike(this[CELLS], other));
    return this;
  }

  /**
   * Makes a new set of the keys that are in both.
   *
   * @throws TypeError | RangeError unless `other` is a set with the same seed
   * @throws FilterMemoryError if there is no memory
   */
  intersection<F extends FingerprintSet>(this: F, other: Like<F>): F {
    const cells = this[CELLS].intersection(requireAlike(this[CELLS], other));
    return wrapCells(this.constructor as object as FilterClass<F>, cells);
  }

  /**
   * Makes a new set of the keys that are in this set, and not in the other.
   *
   * @throws TypeError | RangeError unless `other` is a set with the same seed
   * @throws FilterMemoryError if there is no memory
   */
  difference<F extends FingerprintSet>(this: F, other: Like<F>): F {
    const cells = this[CELLS].difference(requireAlike(this[CELLS], other));
    return wrapCells(this.constructor as object as FilterClass<F>, cells);
  }

  /**
   * Whether another set has the same seed and the same keys. The engine does not matter.
   *
   * @throws TypeError unless `other` is a `FingerprintSet`
   */
  equals<F extends FingerprintSet>(this: F, other: Like<F>): boolean {
    return this[CELLS].equals(requireSameKind(this[CELLS], other));
  }

  /** The share of cells in use, 0 … 1. */
  override fillRatio(): number {
    return this.count / this[CELLS].table.room;
  }

  /** The exact number of keys: `count`. */
  override estimateCount(): number {
    return this.count;
  }

  /** The chance that a key which is absent looks present, 0 … 1: `errorRate`. */
  override estimateErrorRate(): number {
    return this.errorRate;
  }

  override clear(): void {
    this[CELLS].table.clear();
  }

  override toBytes(): Uint8Array<ArrayBuffer> {
    return copyToBytes(FINGERPRINT_SET, this[CELLS].toSave());
  }

  /**
   * Saves the set as the same file as `toBytes`, in chunks of at most 1 MiB. The file holds the set as it is when you
   * ask for the first chunk. Takes 12 bytes of memory for each key until the last chunk has been read.
   */
  override *toChunks(): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    yield* copyToChunks(FINGERPRINT_SET, this[CELLS].toSave());
  }

  /** Copies the set. The constructors of user subclasses do not run. */
  override clone(): this {
    return wrapCells(this.constructor as object as FilterClass<this>, this[CELLS].clone());
  }

  /**
   * Frees the memory: at once if the set has never had room for more than some 20,000 keys, otherwise at the next
   * garbage collection. After that, methods that need the keys throw a TypeError. Calling `dispose` again does nothing.
   */
  override dispose(): void {
    this[CELLS].dispose();
  }
}
