import type { Kind, Parameters } from '../format/header.ts';
import { readBytes, readChunks } from '../format/load.ts';
import { toBytes, toChunks } from '../format/save.ts';
import type { Engine, Instance } from '../kernel/kernel.ts';
import type { Region } from '../kernel/region.ts';
import { textOf, writeKey } from '../keys/encode.ts';
import type { Key } from '../keys/key.ts';
import type { Keys, NotOne, Picked } from '../keys/source.ts';
import { capacityFor, estimateCount, expectedErrorRate, MAX_HASHES, sizeFor } from '../sizing.ts';
import { mustBe, requireInteger } from '../validate.ts';
import { changeAll, hasAll, select } from './batch.ts';
import { areEqual, type Cells, combine, copyOf, requireAlike } from './cells.ts';
import { disposeSymbol, type Filter } from './filter.ts';
import { type Inspect, inspectAs, inspectSymbol } from './inspect.ts';
import { optionsFor, type PromiseOptions, readPromise, type Without } from './options.ts';

/** What a filter is made for, and with what: from a promise, or from the bits themselves. */
export type BloomFilterOptions =
  | (PromiseOptions & Without<'bits' | 'hashes'>)
  | ({
      /** The number of bits m, 1 … 2^53 − 1. */
      bits: number;
      /** The number of bits that each key sets, k, 1 … 255. */
      hashes: number;
      /** The seed of the hash, 0 … 2^32 − 1; 0 unless given. */
      seed?: number | undefined;
    } & Without<'capacity' | 'errorRate'>);

const KIND: Kind = { id: 1, name: 'classic', cells: 'bits', cellBits: 1 };
const SIZES = ['bits', 'hashes'];

function parametersOf(options: BloomFilterOptions): Parameters {
  const { capacity, errorRate, seed } = readPromise(options, SIZES);
  if (capacity > 0) {
    const { bits, hashes } = sizeFor(capacity, errorRate);
    return { cells: bits, hashes, seed, capacity, errorRate };
  }
  const cells = requireInteger('bits', options.bits, 1, Number.MAX_SAFE_INTEGER);
  const hashes = requireInteger('hashes', options.hashes, 1, MAX_HASHES);
  return { cells, hashes, seed, capacity, errorRate };
}

/** m bits, of which every key sets k: the kernel knows which. */
export class Bits implements Cells {
  readonly region: Region;
  readonly parameters: Parameters;
  readonly seed: number;

  constructor(region: Region, parameters: Parameters) {
    this.region = region;
    this.parameters = parameters;
    this.seed = parameters.seed;
  }

  add({ kernel, scratch }: Instance, count: number): void {
    const { cells, hashes } = this.parameters;
    kernel.bloom_add(this.region.pointer, cells, hashes, scratch.hashes, count);
  }

  addFlags({ kernel, scratch }: Instance, count: number): number {
    const { cells, hashes } = this.parameters;
    return kernel.bloom_add_flags(this.region.pointer, cells, hashes, scratch.hashes, count, scratch.flags);
  }

  has({ kernel, scratch }: Instance, count: number): number {
    const { cells, hashes } = this.parameters;
    return kernel.bloom_has(this.region.pointer, cells, hashes, scratch.hashes, count, scratch.flags);
  }

  addKey(key: Key): boolean {
    const { region, seed, parameters } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.addFlags(instance, 1) === 1;
    const { kernel, scratch } = instance;
    const { cells, hashes } = parameters;
    return kernel.bloom_add_key(region.pointer, cells, hashes, text, scratch.keys, length, seed) === 1;
  }

  hasKey(key: Key): boolean {
    const { region, seed, parameters } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.has(instance, 1) === 1;
    const { kernel, scratch } = instance;
    const { cells, hashes } = parameters;
    return kernel.bloom_has_key(region.pointer, cells, hashes, text, scratch.keys, length, seed) === 1;
  }
}

/**
 * A set of keys that takes a fixed number of bits, and at times takes an absent key for a present one.
 *
 * A key sets k of m bits, and is said to be present if all its k bits are set. So a key that was added is always
 * found, and one that was not is found with a probability that grows with the share of bits that are set: `errorRate`
 * once `capacity` keys are in it. Keys cannot be listed or removed.
 *
 * ```ts
 * const taken = new BloomFilter({ capacity: 1_000_000, errorRate: 0.001 });
 * taken.add('ada');
 * taken.has('ada'); // true: always, for a key that was added
 * taken.has('bob'); // false: certainly absent. For 1 absent key in 1000, true
 * ```
 */
export class BloomFilter implements Filter {
  /** The engine of all filters of this class. */
  declare static readonly engine: Engine;

  readonly #bits: Bits;

  /**
   * An empty filter: of as many bits as keep the promise of `errorRate` at `capacity`, or of these bits and hashes.
   *
   * @throws TypeError | RangeError if an option is missing or out of range, or the filter too large for the engine
   */
  constructor(options: BloomFilterOptions) {
    if (options instanceof Bits) {
      this.#bits = options;
    } else {
      const parameters = parametersOf(options);
      this.#bits = new Bits(new.target.engine.reserve(Math.ceil(parameters.cells / 8)), parameters);
    }
  }

  /** A filter of cells that are there. A subclass's own constructor is not called. */
  static #of(Same: unknown, { region, parameters }: Cells): BloomFilter {
    return Reflect.construct(BloomFilter, [new Bits(region, parameters)], Same as typeof BloomFilter);
  }

  /**
   * A filter that holds these keys.
   *
   * @param keys what `addMany` takes
   * @param options those of the constructor. `capacity` is the number of keys unless given; it must be given for an
   *   iterable whose length cannot be told
   * @throws TypeError | RangeError if an option or a key is wrong
   */
  static from<K extends Keys>(keys: NotOne<K>, options: Partial<BloomFilterOptions> = {}): BloomFilter {
    const filter = new this(optionsFor(keys, options, SIZES) as BloomFilterOptions);
    changeAll(filter.#bits, 'add', 'addFlags', keys);
    return filter;
  }

  /**
   * A filter that was saved by `toBytes` or `toChunks`, on whichever engine.
   *
   * @throws TypeError | RangeError if the bytes are not all of such a filter, undamaged, or it is of another kind
   */
  static fromBytes(bytes: Uint8Array): BloomFilter {
    return BloomFilter.#of(this, readBytes(bytes, this.engine, KIND));
  }

  /**
   * The same from chunks of any size, in order, at once or as they come. Memory grows with what
   * has come; where growth copies, in plain JavaScript, it is twice the filter's at the end.
   *
   * @throws TypeError | RangeError if they are not all of such a filter, undamaged, or it is of another kind
   */
  static fromChunks(chunks: Iterable<Uint8Array>): BloomFilter;
  static fromChunks(chunks: AsyncIterable<Uint8Array>): Promise<BloomFilter>;
  static fromChunks(chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): BloomFilter | Promise<BloomFilter> {
    return readChunks(chunks, this.engine, KIND, (cells) => BloomFilter.#of(this, cells));
  }

  toBytes(): Uint8Array<ArrayBuffer> {
    return toBytes(KIND, this.#bits);
  }

  toChunks(): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    return toChunks(KIND, this.#bits);
  }

  add(key: Key): boolean {
    return this.#bits.addKey(key);
  }

  has(key: Key): boolean {
    return this.#bits.hasKey(key);
  }

  addMany<K extends Keys>(keys: NotOne<K>, out?: Uint8Array): this {
    changeAll(this.#bits, 'add', 'addFlags', keys, out);
    return this;
  }

  hasMany<K extends Keys, B extends ArrayBufferLike = ArrayBuffer>(
    keys: NotOne<K>,
    out?: Uint8Array<B>,
  ): Uint8Array<B> {
    return hasAll(this.#bits, keys, out);
  }

  pick<K extends Keys>(keys: NotOne<K>): Picked<K> {
    return select(this.#bits, 'has', keys, 1);
  }

  omit<K extends Keys>(keys: NotOne<K>): Picked<K> {
    return select(this.#bits, 'has', keys, 0);
  }

  dedupe<K extends Keys>(keys: NotOne<K>): Picked<K> {
    return select(this.#bits, 'addFlags', keys, 1);
  }

  /**
   * A new filter of the keys of both. It is what adding all of them to one filter would have made, with the capacity
   * and the error rate of this one.
   *
   * @throws TypeError | RangeError unless `other` is a BloomFilter of the same bits, hashes and seed
   */
  union(other: BloomFilter): BloomFilter {
    this.#requireAlike(other);
    return this.clone().merge(other);
  }

  /**
   * A new filter that has every key that is in both. It may keep some more than a filter of just those keys would.
   *
   * @throws TypeError | RangeError unless `other` is a BloomFilter of the same bits, hashes and seed
   */
  intersection(other: BloomFilter): BloomFilter {
    this.#requireAlike(other);
    const both = this.clone();
    combine(both.#bits.region, other.#bits.region, (kernel) => kernel.bits_and);
    return both;
  }

  /**
   * Adds all keys of another filter: `union` in place.
   *
   * @throws TypeError | RangeError unless `other` is a BloomFilter of the same bits, hashes and seed
   */
  merge(other: BloomFilter): this {
    this.#requireAlike(other);
    combine(this.#bits.region, other.#bits.region, (kernel) => kernel.bits_or);
    return this;
  }

  /** A new filter of the same parameters and the same keys. A subclass's own constructor is not called. */
  clone(): BloomFilter {
    const { region, parameters } = this.#bits;
    const { engine } = this.constructor as typeof BloomFilter;
    return BloomFilter.#of(this.constructor, { region: copyOf(region, engine), parameters });
  }

  /**
   * Whether another filter has the same bits, hashes and seed, and the same bits set. The engine, the capacity and
   * the error rate do not matter.
   *
   * @throws TypeError unless `other` is a BloomFilter
   */
  equals(other: BloomFilter): boolean {
    this.#requireOther(other);
    return areEqual(this.#bits, other.#bits);
  }

  #requireOther(other: unknown): asserts other is BloomFilter {
    if (typeof other !== 'object' || other === null || !(#bits in other)) {
      throw new TypeError(mustBe('other', 'a BloomFilter', other));
    }
  }

  #requireAlike(other: unknown): void {
    this.#requireOther(other);
    requireAlike(KIND, this.#bits, other.#bits);
  }

  clear(): void {
    this.#bits.region.clear();
  }

  fillRatio(): number {
    const { instance, pointer, paddedLength } = this.#bits.region;
    return instance.kernel.bits_count(pointer, paddedLength) / this.#bits.parameters.cells;
  }

  estimateCount(): number {
    const { cells, hashes } = this.#bits.parameters;
    return estimateCount(this.fillRatio(), cells, hashes);
  }

  estimateErrorRate(): number {
    return this.fillRatio() ** this.hashes;
  }

  dispose(): void {
    this.#bits.region.dispose();
  }

  [disposeSymbol](): void {
    this.dispose();
  }

  get kind(): 'classic' {
    return 'classic';
  }

  get engine(): 'wasm' | 'js' {
    return (this.constructor as typeof BloomFilter).engine.name;
  }

  get capacity(): number {
    const { capacity, cells, hashes } = this.#bits.parameters;
    return capacity || capacityFor(cells, hashes);
  }

  get errorRate(): number {
    const { errorRate, cells, hashes } = this.#bits.parameters;
    return errorRate || expectedErrorRate(this.capacity, cells, hashes);
  }

  /** The number of bits, m. */
  get bits(): number {
    return this.#bits.parameters.cells;
  }

  /** The number of bits that each key sets, k. */
  get hashes(): number {
    return this.#bits.parameters.hashes;
  }

  get seed(): number {
    return this.#bits.seed;
  }

  get byteLength(): number {
    return this.#bits.region.byteLength;
  }

  [inspectSymbol](depth: number, options: object, inspect: Inspect): string {
    const { capacity, errorRate, bits, hashes, seed, engine } = this;
    const shown = { capacity, errorRate, bits, hashes, seed, engine };
    return inspectAs(
      'BloomFilter',
      shown,
      this.#bits.region.disposed ? undefined : this.fillRatio(),
      depth,
      options,
      inspect,
    );
  }
}
