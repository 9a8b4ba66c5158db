import type { Engine, Instance } from '../kernel/kernel.ts';
import type { Region } from '../kernel/region.ts';
import type { Key } from '../keys/key.ts';
import { type Keys, type NotOne, type Picked, sourceOf } from '../keys/source.ts';
import { capacityFor, expectedErrorRate, MAX_HASHES, sizeFor } from '../sizing.ts';
import { mustBe, requireInteger, requireObject, requireRate } from '../validate.ts';
import { addAll, addOne, hasAll, hasOne, select } from './batch.ts';
import { combine, differenceOf, requireAlike } from './combine.ts';
import { disposeSymbol, type Filter } from './filter.ts';
import { type Inspect, inspectAs, inspectSymbol } from './inspect.ts';
import type { Probe } from './probe.ts';

/** What a filter is made for, and with what: from a promise, or from the bits themselves. */
export type BloomFilterOptions =
  | {
      /** The number of distinct keys to hold, 1 … 2^53 − 1. */
      capacity: number;
      /** The share of absent keys that may look present at capacity, between 0 and 1; 0.01 unless given. */
      errorRate?: number | undefined;
      /** The seed of the hash, 0 … 2^32 − 1; 0 unless given. */
      seed?: number | undefined;
      bits?: undefined;
      hashes?: undefined;
    }
  | {
      /** The number of bits m, 1 … 2^53 − 1. */
      bits: number;
      /** The number of bits that each key sets, k, 1 … 255. */
      hashes: number;
      /** The seed of the hash, 0 … 2^32 − 1; 0 unless given. */
      seed?: number | undefined;
      capacity?: undefined;
      errorRate?: undefined;
    };

const DEFAULT_ERROR_RATE = 0.01;
const MAX_SEED: number = 2 ** 32 - 1;

interface Parameters {
  readonly bits: number;
  readonly hashes: number;
  readonly seed: number;
  readonly capacity: number;
  readonly errorRate: number;
}

function parametersOf(options: unknown): Parameters {
  const wanted = '{ capacity, errorRate?, seed? } or { bits, hashes, seed? }';
  const { capacity, errorRate, bits, hashes, seed = 0 } = requireObject('options', wanted, options);
  const checkedSeed = requireInteger('seed', seed, 0, MAX_SEED);
  if (bits === undefined && hashes === undefined) {
    const n = requireInteger('capacity', capacity, 1, Number.MAX_SAFE_INTEGER);
    const p = errorRate === undefined ? DEFAULT_ERROR_RATE : requireRate('errorRate', errorRate);
    return { ...sizeFor(n, p), seed: checkedSeed, capacity: n, errorRate: p };
  }
  if (capacity !== undefined || errorRate !== undefined) {
    throw new TypeError(`options must be ${wanted}, got something of both`);
  }
  const m = requireInteger('bits', bits, 1, Number.MAX_SAFE_INTEGER);
  const k = requireInteger('hashes', hashes, 1, MAX_HASHES);
  const n = capacityFor(m, k);
  return { bits: m, hashes: k, seed: checkedSeed, capacity: n, errorRate: expectedErrorRate(n, m, k) };
}

/** In what two filters must agree to be combined. */
const SHAPE = ['bits', 'hashes', 'seed'] as const;

/** m bits, of which every key sets k: the kernel knows which. */
class Bits implements Probe {
  readonly region: Region;
  readonly parameters: Parameters;

  constructor(region: Region, parameters: Parameters) {
    this.region = region;
    this.parameters = parameters;
  }

  get seed(): number {
    return this.parameters.seed;
  }

  add({ kernel, scratch }: Instance, count: number): void {
    const { bits, hashes } = this.parameters;
    kernel.bloom_add(this.region.pointer, bits, hashes, scratch.hashes, count);
  }

  addFlags({ kernel, scratch }: Instance, count: number): number {
    const { bits, hashes } = this.parameters;
    return kernel.bloom_add_flags(this.region.pointer, bits, hashes, scratch.hashes, count, scratch.flags);
  }

  has({ kernel, scratch }: Instance, count: number): number {
    const { bits, hashes } = this.parameters;
    return kernel.bloom_has(this.region.pointer, bits, hashes, scratch.hashes, count, scratch.flags);
  }

  /** The number of bits that are set. */
  count(): number {
    const { instance, pointer, paddedLength } = this.region;
    return instance.kernel.bits_count(pointer, paddedLength);
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
    const parameters = options instanceof Bits ? options.parameters : parametersOf(options);
    this.#bits = new Bits(new.target.engine.reserve(Math.ceil(parameters.bits / 8)), parameters);
  }

  /**
   * A filter that holds these keys.
   *
   * @param keys what `addMany` takes
   * @param options those of the constructor. `capacity` is the number of keys unless given; it must be given for an
   *   iterable whose length cannot be told
   */
  static from<K extends Keys>(keys: K & NotOne<K>, options: Partial<BloomFilterOptions> = {}): BloomFilter {
    const source = sourceOf(keys);
    const { capacity, errorRate, bits, hashes, seed } = requireObject('options', 'an object', options);
    let count = capacity;
    if (capacity === undefined && bits === undefined && hashes === undefined) {
      if (source.count === undefined) {
        throw new TypeError('options.capacity must be given, for the number of keys is unknown, got undefined');
      }
      count = Math.max(1, source.count());
    }
    const filter = new this({ capacity: count, errorRate, bits, hashes, seed } as BloomFilterOptions);
    addAll(filter.#bits, keys);
    return filter;
  }

  add(key: Key): boolean {
    return addOne(this.#bits, key);
  }

  has(key: Key): boolean {
    return hasOne(this.#bits, key);
  }

  addMany<K extends Keys>(keys: K & NotOne<K>, out?: Uint8Array): this {
    addAll(this.#bits, keys, out);
    return this;
  }

  hasMany<K extends Keys, B extends ArrayBufferLike = ArrayBuffer>(
    keys: K & NotOne<K>,
    out?: Uint8Array<B>,
  ): Uint8Array<B> {
    return hasAll(this.#bits, keys, out);
  }

  pick<K extends Keys>(keys: K & NotOne<K>): Picked<K> {
    return select(this.#bits, 'has', keys, 1);
  }

  omit<K extends Keys>(keys: K & NotOne<K>): Picked<K> {
    return select(this.#bits, 'has', keys, 0);
  }

  dedupe<K extends Keys>(keys: K & NotOne<K>): Picked<K> {
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
    combine(both.#bits.region, other.#bits.region, 'bits_and');
    return both;
  }

  /**
   * Adds all keys of another filter: `union` in place.
   *
   * @throws TypeError | RangeError unless `other` is a BloomFilter of the same bits, hashes and seed
   */
  merge(other: BloomFilter): this {
    this.#requireAlike(other);
    combine(this.#bits.region, other.#bits.region, 'bits_or');
    return this;
  }

  /** A new filter of the same parameters and the same keys. A subclass's own constructor is not called. */
  clone(): BloomFilter {
    const copy: BloomFilter = Reflect.construct(BloomFilter, [this.#bits], this.constructor);
    // Both views are taken after the reservation, which may have moved the memory.
    copy.#bits.region.bytes.set(this.#bits.region.bytes);
    return copy;
  }

  /**
   * Whether another filter has the same bits, hashes and seed, and the same bits set. The engine, the capacity and
   * the error rate do not matter.
   *
   * @throws TypeError unless `other` is a BloomFilter
   */
  equals(other: BloomFilter): boolean {
    this.#requireOther(other);
    return (
      differenceOf(this.#bits.parameters, other.#bits.parameters, SHAPE) === undefined &&
      combine(this.#bits.region, other.#bits.region, 'bits_equal')
    );
  }

  #requireOther(other: unknown): asserts other is BloomFilter {
    if (typeof other !== 'object' || other === null || !(#bits in other)) {
      throw new TypeError(mustBe('other', 'a BloomFilter', other));
    }
  }

  #requireAlike(other: unknown): void {
    this.#requireOther(other);
    requireAlike(this.#bits.parameters, other.#bits.parameters, SHAPE);
  }

  clear(): void {
    this.#bits.region.clear();
  }

  fillRatio(): number {
    return this.#bits.count() / this.bits;
  }

  /** @see S. J. Swamidass, P. Baldi, Mathematical correction for fingerprint similarity measures, 2007: −m/k · ln(1 − X/m) */
  estimateCount(): number {
    return (-this.bits / this.hashes) * Math.log1p(-this.fillRatio());
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
    return this.#bits.parameters.capacity;
  }

  get errorRate(): number {
    return this.#bits.parameters.errorRate;
  }

  /** The number of bits, m. */
  get bits(): number {
    return this.#bits.parameters.bits;
  }

  /** The number of bits that each key sets, k. */
  get hashes(): number {
    return this.#bits.parameters.hashes;
  }

  get seed(): number {
    return this.#bits.parameters.seed;
  }

  get byteLength(): number {
    return this.#bits.region.byteLength;
  }

  [inspectSymbol](depth: number, options: object, inspect: Inspect): string {
    const { capacity, errorRate, bits, hashes, seed, engine } = this;
    const state = this.#bits.region.disposed
      ? { disposed: true }
      : { fillRatio: Number(this.fillRatio().toPrecision(3)) };
    return inspectAs(
      'BloomFilter',
      { capacity, errorRate, bits, hashes, seed, engine, ...state },
      depth,
      options,
      inspect,
    );
  }
}
