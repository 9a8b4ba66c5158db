import type { Kind, Parameters } from '../format/header.ts';
import { readBytes, readChunks } from '../format/load.ts';
import { toBytes, toChunks } from '../format/save.ts';
import type { Engine } from '../kernel/kernel.ts';
import type { Region } from '../kernel/region.ts';
import { CHUNK_BYTES } from '../kernel/scratch.ts';
import type { Key } from '../keys/key.ts';
import type { Keys, NotOne, Picked } from '../keys/source.ts';
import { capacityFor, estimateCount, expectedErrorRate, MAX_HASHES, sizeFor } from '../sizing.ts';
import { mustBe, requireInteger } from '../validate.ts';
import { changeAll, hasAll, select } from './batch.ts';
import { Bits, type BloomFilter } from './bloom.ts';
import { areEqual, type Cells, combine, copyOf, requireAlike } from './cells.ts';
import { Counters } from './counters.ts';
import { disposeSymbol, type Filter } from './filter.ts';
import { type Inspect, inspectAs, inspectSymbol } from './inspect.ts';
import { optionsFor, type PromiseOptions, readPromise, type Without } from './options.ts';

/** What a filter is made for, and with what: from a promise, or from the counters themselves. */
export type CountingBloomFilterOptions =
  | (PromiseOptions & Without<'counters' | 'hashes'>)
  | ({
      /** The number of counters m, 1 … 2^53 − 1. */
      counters: number;
      /** The number of counters that each key increments, k, 1 … 255. */
      hashes: number;
      /** The seed of the hash, 0 … 2^32 − 1; 0 unless given. */
      seed?: number | undefined;
    } & Without<'capacity' | 'errorRate'>);

const KIND: Kind = { id: 3, name: 'counting', cells: 'counters', cellBits: 4 };
const SIZES = ['counters', 'hashes'];

function parametersOf(options: CountingBloomFilterOptions): Parameters {
  const { capacity, errorRate, seed } = readPromise(options, SIZES);
  if (capacity > 0) {
    const { bits, hashes } = sizeFor(capacity, errorRate);
    return { cells: bits, hashes, seed, capacity, errorRate };
  }
  const cells = requireInteger('counters', options.counters, 1, Number.MAX_SAFE_INTEGER);
  const hashes = requireInteger('hashes', options.hashes, 1, MAX_HASHES);
  return { cells, hashes, seed, capacity, errorRate };
}

/** Writes a bit for every counter, a scratch full at a time. */
function writeBits(counters: Region, bits: Region): void {
  const { kernel, scratch } = counters.instance;
  const target = bits.bytes;
  for (let at = 0; at < counters.paddedLength; at += 4 * CHUNK_BYTES) {
    const length = Math.min(4 * CHUNK_BYTES, counters.paddedLength - at);
    kernel.counting_bits(counters.pointer + at, length, scratch.keys);
    target.set(scratch.keyBytes.subarray(0, length / 4), at / 4);
  }
}

/**
 * A Bloom filter from which keys can be removed, for four times the memory.
 *
 * **Remove only what was added.** To remove a key that was never added, but looks present, takes counts away from other
 * keys, which may then be missed.
 *
 * Where a classic filter has a bit, it has a counter from 0 to 15: a key increments k of them, and is said to be
 * present if none of its counters is 0. A counter that has reached 15 stays there for ever, so that no key is lost;
 * the keys that share it then look present after they are removed.
 */
export class CountingBloomFilter implements Filter {
  /** The engine of all filters of this class. */
  declare static readonly engine: Engine;
  /** The classic filter of the same engine. */
  declare static readonly classic: typeof BloomFilter;

  readonly #counters: Counters;

  /**
   * An empty filter: of as many counters as keep the promise of `errorRate` at `capacity`, or of these counters and hashes.
   *
   * @throws TypeError | RangeError if an option is missing or out of range, or the filter too large for the engine
   */
  constructor(options: CountingBloomFilterOptions) {
    if (options instanceof Counters) {
      this.#counters = options;
    } else {
      const parameters = parametersOf(options);
      this.#counters = new Counters(new.target.engine.reserve(Math.ceil(parameters.cells / 2)), parameters);
    }
  }

  /** A filter of cells that are there. A subclass's own constructor is not called. */
  static #of(Same: unknown, { region, parameters }: Cells): CountingBloomFilter {
    return Reflect.construct(
      CountingBloomFilter,
      [new Counters(region, parameters)],
      Same as typeof CountingBloomFilter,
    );
  }

  /**
   * A filter that holds these keys.
   *
   * @param keys what `addMany` takes
   * @param options those of the constructor. `capacity` is the number of keys unless given; it must be given for an
   *   iterable whose length cannot be told
   * @throws TypeError | RangeError if an option or a key is wrong
   */
  static from<K extends Keys>(keys: NotOne<K>, options: Partial<CountingBloomFilterOptions> = {}): CountingBloomFilter {
    const filter = new this(optionsFor(keys, options, SIZES) as CountingBloomFilterOptions);
    changeAll(filter.#counters, 'add', 'add', keys);
    return filter;
  }

  /**
   * A filter that was saved by `toBytes` or `toChunks`, on whichever engine.
   *
   * @throws TypeError | RangeError if the bytes are not all of such a filter, undamaged, or it is of another kind
   */
  static fromBytes(bytes: Uint8Array): CountingBloomFilter {
    return CountingBloomFilter.#of(this, readBytes(bytes, this.engine, KIND));
  }

  /**
   * The same from chunks of any size, in order, at once or as they come. Memory grows with what
   * has come; where growth copies, in plain JavaScript, it is twice the filter's at the end.
   *
   * @throws TypeError | RangeError if they are not all of such a filter, undamaged, or it is of another kind
   */
  static fromChunks(chunks: Iterable<Uint8Array>): CountingBloomFilter;
  static fromChunks(chunks: AsyncIterable<Uint8Array>): Promise<CountingBloomFilter>;
  static fromChunks(
    chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): CountingBloomFilter | Promise<CountingBloomFilter> {
    return readChunks(chunks, this.engine, KIND, (cells) => CountingBloomFilter.#of(this, cells));
  }

  toBytes(): Uint8Array<ArrayBuffer> {
    return toBytes(KIND, this.#counters);
  }

  toChunks(): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    return toChunks(KIND, this.#counters);
  }

  add(key: Key): boolean {
    return this.#counters.addKey(key);
  }

  has(key: Key): boolean {
    return this.#counters.countOf(key) > 0;
  }

  addMany<K extends Keys>(keys: NotOne<K>, out?: Uint8Array): this {
    changeAll(this.#counters, 'add', 'add', keys, out);
    return this;
  }

  hasMany<K extends Keys, B extends ArrayBufferLike = ArrayBuffer>(
    keys: NotOne<K>,
    out?: Uint8Array<B>,
  ): Uint8Array<B> {
    return hasAll(this.#counters, keys, out);
  }

  pick<K extends Keys>(keys: NotOne<K>): Picked<K> {
    return select(this.#counters, 'has', keys, 1);
  }

  omit<K extends Keys>(keys: NotOne<K>): Picked<K> {
    return select(this.#counters, 'has', keys, 0);
  }

  dedupe<K extends Keys>(keys: NotOne<K>): Picked<K> {
    return select(this.#counters, 'add', keys, 1);
  }

  /**
   * Removes a key, once. One that looks absent changes nothing.
   *
   * A key that was never added, but looks present, is removed at the cost of others: see the class.
   *
   * @returns true if the key looked present before
   * @throws TypeError | RangeError if it is no key
   */
  remove(key: Key): boolean {
    return this.#counters.removeKey(key);
  }

  /**
   * Removes many keys, each once.
   *
   * @param keys an array or iterable of keys, an integer array, lines or a column
   * @param out gets a flag for each key, in order: 1 where `remove` would have said true
   * @throws TypeError | RangeError if one of them is no key, after those before it were removed; before anything is
   *   removed if `out` is too short, or the number of keys unknown
   */
  removeMany<K extends Keys>(keys: NotOne<K>, out?: Uint8Array): this {
    changeAll(this.#counters, 'remove', 'remove', keys, out);
    return this;
  }

  /**
   * How often a key was added and not removed, at most: keys that share its counters may have raised it, and so may the
   * key itself where two of its counters are one.
   *
   * @returns 0 … 15, where 15 says 15 or more, and 0 that the key is certainly absent
   * @throws TypeError | RangeError if it is no key
   */
  countOf(key: Key): number {
    return this.#counters.countOf(key);
  }

  /** The classic filter of the same keys: a quarter of the memory, and no way to remove. */
  toBloomFilter(): BloomFilter {
    const { parameters, region } = this.#counters;
    const { classic } = this.constructor as typeof CountingBloomFilter;
    const bits = classic.engine.reserve(Math.ceil(parameters.cells / 8));
    writeBits(region, bits);
    return Reflect.construct(classic, [new Bits(bits, parameters)]);
  }

  /**
   * A new filter of the keys of both, counted together. It is what adding all of them to one filter would have made,
   * with the capacity and the error rate of this one.
   *
   * @throws TypeError | RangeError unless `other` is a CountingBloomFilter of the same counters, hashes and seed
   */
  union(other: CountingBloomFilter): CountingBloomFilter {
    this.#requireAlike(other);
    return this.clone().merge(other);
  }

  /**
   * A new filter that has every key that is in both. It may keep some more than a filter of just those keys would.
   * Of counts it keeps the lesser.
   *
   * @throws TypeError | RangeError unless `other` is a CountingBloomFilter of the same counters, hashes and seed
   */
  intersection(other: CountingBloomFilter): CountingBloomFilter {
    this.#requireAlike(other);
    const both = this.clone();
    combine(both.#counters.region, other.#counters.region, (kernel) => kernel.counting_least);
    return both;
  }

  /**
   * Adds all keys of another filter: `union` in place.
   *
   * @throws TypeError | RangeError unless `other` is a CountingBloomFilter of the same counters, hashes and seed
   */
  merge(other: CountingBloomFilter): this {
    this.#requireAlike(other);
    combine(this.#counters.region, other.#counters.region, (kernel) => kernel.counting_sum);
    return this;
  }

  /** A new filter of the same parameters and the same keys. A subclass's own constructor is not called. */
  clone(): CountingBloomFilter {
    const { region, parameters } = this.#counters;
    const { engine } = this.constructor as typeof CountingBloomFilter;
    return CountingBloomFilter.#of(this.constructor, { region: copyOf(region, engine), parameters });
  }

  /**
   * Whether another filter has the same counters, hashes and seed, and the same counts. The engine, the capacity and
   * the error rate do not matter.
   *
   * @throws TypeError unless `other` is a CountingBloomFilter
   */
  equals(other: CountingBloomFilter): boolean {
    this.#requireOther(other);
    return areEqual(this.#counters, other.#counters);
  }

  #requireOther(other: unknown): asserts other is CountingBloomFilter {
    if (typeof other !== 'object' || other === null || !(#counters in other)) {
      throw new TypeError(mustBe('other', 'a CountingBloomFilter', other));
    }
  }

  #requireAlike(other: unknown): void {
    this.#requireOther(other);
    requireAlike(KIND, this.#counters, other.#counters);
  }

  clear(): void {
    this.#counters.region.clear();
  }

  fillRatio(): number {
    const { instance, pointer, paddedLength } = this.#counters.region;
    return instance.kernel.counting_used(pointer, paddedLength) / this.#counters.parameters.cells;
  }

  estimateCount(): number {
    const { cells, hashes } = this.#counters.parameters;
    return estimateCount(this.fillRatio(), cells, hashes);
  }

  estimateErrorRate(): number {
    return this.fillRatio() ** this.hashes;
  }

  dispose(): void {
    this.#counters.region.dispose();
  }

  [disposeSymbol](): void {
    this.dispose();
  }

  get kind(): 'counting' {
    return 'counting';
  }

  get engine(): 'wasm' | 'js' {
    return (this.constructor as typeof CountingBloomFilter).engine.name;
  }

  get capacity(): number {
    const { capacity, cells, hashes } = this.#counters.parameters;
    return capacity || capacityFor(cells, hashes);
  }

  get errorRate(): number {
    const { errorRate, cells, hashes } = this.#counters.parameters;
    return errorRate || expectedErrorRate(this.capacity, cells, hashes);
  }

  /** The number of counters, m. */
  get counters(): number {
    return this.#counters.parameters.cells;
  }

  /** The number of counters that each key increments, k. */
  get hashes(): number {
    return this.#counters.parameters.hashes;
  }

  get seed(): number {
    return this.#counters.seed;
  }

  get byteLength(): number {
    return this.#counters.region.byteLength;
  }

  [inspectSymbol](depth: number, options: object, inspect: Inspect): string {
    const { capacity, errorRate, counters, hashes, seed, engine } = this;
    const shown = { capacity, errorRate, counters, hashes, seed, engine };
    return inspectAs(
      'CountingBloomFilter',
      shown,
      this.#counters.region.disposed ? undefined : this.fillRatio(),
      depth,
      options,
      inspect,
    );
  }
}
