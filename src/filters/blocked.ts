import type { Kind, Parameters } from '../format/header.ts';
import { readBytes, readChunks } from '../format/load.ts';
import { toBytes, toChunks } from '../format/save.ts';
import type { Engine, Instance } from '../kernel/kernel.ts';
import type { Region } from '../kernel/region.ts';
import { textOf, writeKey } from '../keys/encode.ts';
import type { Key } from '../keys/key.ts';
import type { Keys, NotOne, Picked } from '../keys/source.ts';
import { capacityFor, estimateCount } from '../sizing.ts';
import { BLOCK_BITS, expectedBlockedErrorRate, optimalBlocks, WORDS } from '../sizing-blocked.ts';
import { mustBe, requireInteger } from '../validate.ts';
import { changeAll, hasAll, select } from './batch.ts';
import { areEqual, type Cells, combine, copyOf, requireAlike } from './cells.ts';
import { disposeSymbol, type Filter } from './filter.ts';
import { type Inspect, inspectAs, inspectSymbol } from './inspect.ts';
import { optionsFor, type PromiseOptions, readPromise, type Without } from './options.ts';

/** What a filter is made for, and with what: from a promise, or from the bits themselves. */
export type BlockedBloomFilterOptions =
  | (PromiseOptions & Without<'bits'>)
  | ({
      /** The number of bits, 1 … 2^40 − 256; rounded up to whole blocks of 256. */
      bits: number;
      /** The seed of the hash, 0 … 2^32 − 1; 0 unless given. */
      seed?: number | undefined;
    } & Without<'capacity' | 'errorRate'>);

const MAX_BLOCKS = 2 ** 32 - 1;
const SIZES = ['bits'];
const KIND: Kind = {
  id: 2,
  name: 'blocked',
  cells: 'bits',
  cellBits: 1,
  allows: ({ cells, hashes }) => hashes === WORDS && cells % BLOCK_BITS === 0 && cells <= MAX_BLOCKS * BLOCK_BITS,
};

function parametersOf(options: BlockedBloomFilterOptions): Parameters {
  const { capacity, errorRate, seed } = readPromise(options, SIZES);
  const blocks =
    capacity > 0
      ? optimalBlocks(capacity, errorRate)
      : Math.ceil(requireInteger('bits', options.bits, 1, MAX_BLOCKS * BLOCK_BITS) / BLOCK_BITS);
  return { cells: blocks * BLOCK_BITS, hashes: WORDS, seed, capacity, errorRate };
}

/** Blocks of 256 bits, of one of which every key sets eight: the kernel knows which. */
class Blocks implements Cells {
  readonly region: Region;
  readonly parameters: Parameters;
  readonly seed: number;
  readonly blocks: number;

  constructor(region: Region, parameters: Parameters) {
    this.region = region;
    this.parameters = parameters;
    this.seed = parameters.seed;
    this.blocks = parameters.cells / BLOCK_BITS;
  }

  add({ kernel, scratch }: Instance, count: number): number {
    return kernel.blocked_add(this.region.pointer, this.blocks, scratch.hashes, count, scratch.flags);
  }

  has({ kernel, scratch }: Instance, count: number): number {
    return kernel.blocked_has(this.region.pointer, this.blocks, scratch.hashes, count, scratch.flags);
  }

  addKey(key: Key): boolean {
    const { region, seed } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.add(instance, 1) === 1;
    const { kernel, scratch } = instance;
    return kernel.blocked_add_key(region.pointer, this.blocks, text, scratch.keys, length, seed) === 1;
  }

  hasKey(key: Key): boolean {
    const { region, seed } = this;
    const { instance } = region;
    const text = textOf(key, instance);
    const length = text === null ? writeKey(key, instance, seed) : text.length;
    if (length < 0) return this.has(instance, 1) === 1;
    const { kernel, scratch } = instance;
    return kernel.blocked_has_key(region.pointer, this.blocks, text, scratch.keys, length, seed) === 1;
  }
}

/**
 * A Bloom filter in which all bits of a key lie in one cache line: the fastest kind, for some more bits a key (10 % at
 * an error rate of 1 %, 37 % at 0.01 %), and for error rates of 10^-5 and above.
 *
 * A key's hash chooses one block of 32 bytes, and sets one bit in each of its eight words of 32 bits: the split-block
 * filter that Parquet files have.
 */
export class BlockedBloomFilter implements Filter {
  /** The engine of all filters of this class. */
  declare static readonly engine: Engine;

  readonly #blocks: Blocks;

  /**
   * An empty filter: of as many bits as keep the promise of `errorRate` at `capacity`, or of these bits.
   *
   * @throws TypeError | RangeError if an option is missing or out of range, or the filter too large for the engine
   */
  constructor(options: BlockedBloomFilterOptions) {
    if (options instanceof Blocks) {
      this.#blocks = options;
    } else {
      const parameters = parametersOf(options);
      this.#blocks = new Blocks(new.target.engine.reserve(Math.ceil(parameters.cells / 8)), parameters);
    }
  }

  /** A filter of cells that are there. A subclass's own constructor is not called. */
  static #of(Same: unknown, { region, parameters }: Cells): BlockedBloomFilter {
    return Reflect.construct(BlockedBloomFilter, [new Blocks(region, parameters)], Same as typeof BlockedBloomFilter);
  }

  /**
   * A filter that holds these keys.
   *
   * @param keys what `addMany` takes
   * @param options those of the constructor. `capacity` is the number of keys unless given; it must be given for an
   *   iterable whose length cannot be told
   * @throws TypeError | RangeError if an option or a key is wrong
   */
  static from<K extends Keys>(keys: NotOne<K>, options: Partial<BlockedBloomFilterOptions> = {}): BlockedBloomFilter {
    const filter = new this(optionsFor(keys, options, SIZES) as BlockedBloomFilterOptions);
    changeAll(filter.#blocks, 'add', 'add', keys);
    return filter;
  }

  /**
   * A filter that was saved by `toBytes` or `toChunks`, on whichever engine.
   *
   * @throws TypeError | RangeError if the bytes are not all of such a filter, undamaged, or it is of another kind
   */
  static fromBytes(bytes: Uint8Array): BlockedBloomFilter {
    return BlockedBloomFilter.#of(this, readBytes(bytes, this.engine, KIND));
  }

  /**
   * The same from chunks of any size, in order, at once or as they come. Memory grows with what
   * has come; where growth copies, in plain JavaScript, it is twice the filter's at the end.
   *
   * @throws TypeError | RangeError if they are not all of such a filter, undamaged, or it is of another kind
   */
  static fromChunks(chunks: Iterable<Uint8Array>): BlockedBloomFilter;
  static fromChunks(chunks: AsyncIterable<Uint8Array>): Promise<BlockedBloomFilter>;
  static fromChunks(
    chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): BlockedBloomFilter | Promise<BlockedBloomFilter> {
    return readChunks(chunks, this.engine, KIND, (cells) => BlockedBloomFilter.#of(this, cells));
  }

  toBytes(): Uint8Array<ArrayBuffer> {
    return toBytes(KIND, this.#blocks);
  }

  toChunks(): Generator<Uint8Array<ArrayBuffer>, void, undefined> {
    return toChunks(KIND, this.#blocks);
  }

  add(key: Key): boolean {
    return this.#blocks.addKey(key);
  }

  has(key: Key): boolean {
    return this.#blocks.hasKey(key);
  }

  addMany<K extends Keys>(keys: NotOne<K>, out?: Uint8Array): this {
    changeAll(this.#blocks, 'add', 'add', keys, out);
    return this;
  }

  hasMany<K extends Keys, B extends ArrayBufferLike = ArrayBuffer>(
    keys: NotOne<K>,
    out?: Uint8Array<B>,
  ): Uint8Array<B> {
    return hasAll(this.#blocks, keys, out);
  }

  pick<K extends Keys>(keys: NotOne<K>): Picked<K> {
    return select(this.#blocks, 'has', keys, 1);
  }

  omit<K extends Keys>(keys: NotOne<K>): Picked<K> {
    return select(this.#blocks, 'has', keys, 0);
  }

  dedupe<K extends Keys>(keys: NotOne<K>): Picked<K> {
    return select(this.#blocks, 'add', keys, 1);
  }

  /**
   * A new filter of the keys of both. It is what adding all of them to one filter would have made, with the capacity
   * and the error rate of this one.
   *
   * @throws TypeError | RangeError unless `other` is a BlockedBloomFilter of the same bits and seed
   */
  union(other: BlockedBloomFilter): BlockedBloomFilter {
    this.#requireAlike(other);
    return this.clone().merge(other);
  }

  /**
   * A new filter that has every key that is in both. It may keep some more than a filter of just those keys would.
   *
   * @throws TypeError | RangeError unless `other` is a BlockedBloomFilter of the same bits and seed
   */
  intersection(other: BlockedBloomFilter): BlockedBloomFilter {
    this.#requireAlike(other);
    const both = this.clone();
    combine(both.#blocks.region, other.#blocks.region, (kernel) => kernel.bits_and);
    return both;
  }

  /**
   * Adds all keys of another filter: `union` in place.
   *
   * @throws TypeError | RangeError unless `other` is a BlockedBloomFilter of the same bits and seed
   */
  merge(other: BlockedBloomFilter): this {
    this.#requireAlike(other);
    combine(this.#blocks.region, other.#blocks.region, (kernel) => kernel.bits_or);
    return this;
  }

  /** A new filter of the same parameters and the same keys. A subclass's own constructor is not called. */
  clone(): BlockedBloomFilter {
    const { region, parameters } = this.#blocks;
    const { engine } = this.constructor as typeof BlockedBloomFilter;
    return BlockedBloomFilter.#of(this.constructor, { region: copyOf(region, engine), parameters });
  }

  /**
   * Whether another filter has the same bits and seed, and the same bits set. The engine, the capacity and
   * the error rate do not matter.
   *
   * @throws TypeError unless `other` is a BlockedBloomFilter
   */
  equals(other: BlockedBloomFilter): boolean {
    this.#requireOther(other);
    return areEqual(this.#blocks, other.#blocks);
  }

  #requireOther(other: unknown): asserts other is BlockedBloomFilter {
    if (typeof other !== 'object' || other === null || !(#blocks in other)) {
      throw new TypeError(mustBe('other', 'a BlockedBloomFilter', other));
    }
  }

  #requireAlike(other: unknown): void {
    this.#requireOther(other);
    requireAlike(KIND, this.#blocks, other.#blocks);
  }

  clear(): void {
    this.#blocks.region.clear();
  }

  fillRatio(): number {
    const { instance, pointer, paddedLength } = this.#blocks.region;
    return instance.kernel.bits_count(pointer, paddedLength) / this.#blocks.parameters.cells;
  }

  estimateCount(): number {
    const { cells, hashes } = this.#blocks.parameters;
    return estimateCount(this.fillRatio(), cells, hashes);
  }

  /** The mean over the blocks: those that are fuller than others count for more than the mean fill tells. */
  estimateErrorRate(): number {
    const { region, blocks } = this.#blocks;
    return region.instance.kernel.blocked_error_rate(region.pointer, blocks);
  }

  dispose(): void {
    this.#blocks.region.dispose();
  }

  [disposeSymbol](): void {
    this.dispose();
  }

  get kind(): 'blocked' {
    return 'blocked';
  }

  get engine(): 'wasm' | 'js' {
    return (this.constructor as typeof BlockedBloomFilter).engine.name;
  }

  get capacity(): number {
    const { capacity, cells, hashes } = this.#blocks.parameters;
    return capacity || capacityFor(cells, hashes);
  }

  get errorRate(): number {
    const { errorRate, cells } = this.#blocks.parameters;
    return errorRate || expectedBlockedErrorRate(this.capacity, cells);
  }

  /** The number of bits: whole blocks of 256. */
  get bits(): number {
    return this.#blocks.parameters.cells;
  }

  /** The number of bits that each key sets: 8. */
  get hashes(): number {
    return this.#blocks.parameters.hashes;
  }

  get seed(): number {
    return this.#blocks.seed;
  }

  get byteLength(): number {
    return this.#blocks.region.byteLength;
  }

  [inspectSymbol](depth: number, options: object, inspect: Inspect): string {
    const { capacity, errorRate, bits, seed, engine } = this;
    const shown = { capacity, errorRate, bits, seed, engine };
    return inspectAs(
      'BlockedBloomFilter',
      shown,
      this.#blocks.region.disposed ? undefined : this.fillRatio(),
      depth,
      options,
      inspect,
    );
  }
}
