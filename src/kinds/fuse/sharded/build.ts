// Builds sharded fuse filters, and maps. All hashes, with the values of a map, are put into 256 buckets by the top byte of
// h1 first, so that each shard is built of some of the buckets. Where full blocks of them are kept is up to the caller: in
// memory, or in a file.

import type { Instance } from '../../../kernel/instance.ts';
import type { Engine, Region } from '../../../kernel/region.ts';
import { CHUNK_KEYS, HASH_BYTES } from '../../../kernel/scratch.ts';
import { FilterMemoryError } from '../../../util/checks/errors.ts';
import { requireInteger, showBytes } from '../../../util/checks/validate.ts';
import {
  type Content,
  copyCells,
  type Filled,
  fillCells,
  mixHashes,
  requireRoom,
  sizeOf,
  sortDistinct,
} from '../build.ts';
import { CELLS_PER_KEY, type FuseParameters } from '../file.ts';
import type { ShardedSize } from '../sizing.ts';
import { shardBytes } from './file.ts';
import { TOP_BYTE } from './shards.ts';
import { MAX_SHARDS, optimalFuseShards } from './sizing.ts';

const BUCKETS = MAX_SHARDS;
/** The words of a mixed hash. */
const WORDS = 2;
/** A bucket's block has room for so many keys at first, and later for twice as many, up to the most. */
const LEAST_KEYS = 32;
const MOST_KEYS: number = 2 ** 13;
/**
 * So many keys are remembered, a power of two. So a key is kept no more than about once among 8192 others, and however
 * often one comes, its bucket gets hardly larger than others.
 */
const RECENT: number = 2 ** 13;
/** The words of such a key. */
const RECENT_WORDS = 3;
/** By how much more than the first shard needs memory is reserved, because shards differ by chance. */
const SPARE = 0.01;

/** Keeps blocks of words that are full. */
export interface BlockStore {
  /** Keeps a copy of a block. */
  write(bucket: number, block: Uint32Array): void;
  /** Copies all words of a bucket to the beginning of `target`. */
  read(bucket: number, target: Uint32Array): void;
}

/** Keeps blocks in memory. */
export class MemoryStore implements BlockStore {
  readonly #blocks: Uint32Array[][] = Array.from({ length: BUCKETS }, () => []);

  write(bucket: number, block: Uint32Array): void {
    this.#blocks[bucket]?.push(block.slice());
  }

  read(bucket: number, target: Uint32Array): void {
    let at = 0;
    for (const block of this.#blocks[bucket] ?? []) {
      target.set(block, at);
      at += block.length;
    }
  }
}

/**
 * Memory for the keys of a shard of `words` words, and for those of some that have more by chance. Where there are many
 * duplicates, the system provides only as much of it as is written to.
 *
 * @param Buffer the class of the buffer
 * @throws FilterMemoryError if there is no memory, or if no array can have so many words
 */
export function memoryFor<B extends ArrayBufferLike>(words: number, Buffer: new (length: number) => B): Uint32Array<B> {
  const length = 4 * Math.ceil(words * (1 + SPARE));
  try {
    return new Uint32Array(new Buffer(length));
  } catch (cause) {
    throw new FilterMemoryError(`no memory for a shard of ${words} words, ${showBytes(length)}`, length, { cause });
  }
}

/** Remembers keys that came last, to leave them out when they come again: each at the place that its low bits give. */
export class RecentKeys {
  /** A mixed hash and a value, or 0. */
  readonly #words = new Uint32Array(RECENT_WORDS * RECENT);

  constructor() {
    // A hash that has its place elsewhere: 0 would be taken for the hash 0, as if that had come.
    this.#words[0] = 1;
  }

  /** Whether this key is remembered with this value. If not, it is from now on. */
  has(low: number, high: number, value = 0): boolean {
    const words = this.#words;
    const place = RECENT_WORDS * (low % RECENT);
    if (words[place] === low && words[place + 1] === high && words[place + 2] === value) return true;
    words[place] = low;
    words[place + 1] = high;
    words[place + 2] = value;
    return false;
  }
}

/** Keys in buckets by the top byte of h1: for each its mixed hash, and the words that follow it. */
export abstract class Buckets {
  readonly #store: BlockStore;
  readonly #words: number;
  readonly #sortedWords: number;
  /** The last block of each bucket, and how many words of it are in use. */
  protected readonly blocks: Uint32Array[] = Array.from({ length: BUCKETS }, () => new Uint32Array(0));
  readonly #used: number[] = new Array(BUCKETS).fill(0);
  /** The words of each bucket that are in the store. */
  readonly #stored: number[] = new Array(BUCKETS).fill(0);
  /** The bucket of each key of a chunk. */
  readonly #buckets = new Uint8Array(CHUNK_KEYS);
  /** Memory for the keys of a shard. */
  #all = new Uint32Array(0);
  /** The number of keys, duplicates included. */
  count = 0;

  /**
   * @param words the words of each key
   * @param sortedWords those that `sortDistinct` leaves of them
   */
  constructor(store: BlockStore, words: number, sortedWords: number) {
    this.#store = store;
    this.#words = words;
    this.#sortedWords = sortedWords;
  }

  /** Sorts the words of keys, removes duplicates, and returns those that are left: a view of the same memory. */
  protected abstract sortDistinct(words: Uint32Array): Uint32Array;

  /** The buckets of the first `count` hashes in the scratch, valid until the next call. */
  protected bucketsOf({ memory, scratch }: Instance, count: number): Uint8Array {
    const bytes = new Uint8Array(memory.buffer, scratch.hashes, HASH_BYTES * count);
    for (let i = 0; i < count; i++) this.#buckets[i] = bytes[HASH_BYTES * i + TOP_BYTE] as number;
    return this.#buckets;
  }

  /** Makes room for a key in the block of a bucket, and returns its place there. */
  protected placeIn(bucket: number): number {
    const used = this.#used[bucket] as number;
    const at = used === (this.blocks[bucket] as Uint32Array).length ? this.#openBlock(bucket) : used;
    this.#used[bucket] = at + this.#words;
    return at;
  }

  /** Makes room in a bucket whose block is full. Returns how many words of its block are in use. */
  #openBlock(bucket: number): number {
    const block = this.blocks[bucket] as Uint32Array;
    if (block.length === this.#words * MOST_KEYS) {
      this.#store.write(bucket, block);
      this.#stored[bucket] = (this.#stored[bucket] as number) + block.length;
      return 0;
    }
    const longer = new Uint32Array(Math.max(this.#words * LEAST_KEYS, 2 * block.length));
    longer.set(block);
    this.blocks[bucket] = longer;
    return block.length;
  }

  /** The words in the buckets from one up to another, duplicates included. */
  wordsIn(from: number, to = from + 1): number {
    let words = 0;
    for (let bucket = from; bucket < to; bucket++) {
      words += (this.#stored[bucket] as number) + (this.#used[bucket] as number);
    }
    return words;
  }

  /** Copies the words of a bucket to `target`, which has just room for them. */
  read(bucket: number, target: Uint32Array): void {
    this.#store.read(bucket, target);
    target.set((this.blocks[bucket] as Uint32Array).subarray(0, this.#used[bucket]), this.#stored[bucket]);
  }

  /** About how many distinct keys there are; exact if there are no duplicates. */
  estimateDistinct(): number {
    const keys = this.wordsIn(0) / this.#words;
    const share = keys === 0 ? 1 : this.distinct(0, 1).length / this.#sortedWords / keys;
    // Whoever builds in other threads has memory there.
    this.#all = new Uint32Array(0);
    return Math.ceil((this.wordsIn(0, BUCKETS) / this.#words) * share);
  }

  /**
   * The words of the keys in the buckets from one up to another, without duplicates: sorted in each bucket. They are
   * valid until the next call.
   */
  distinct(from: number, to: number): Uint32Array {
    const most = this.wordsIn(from, to);
    if (most > this.#all.length) this.#all = memoryFor(most, ArrayBuffer);
    let end = 0;
    for (let bucket = from; bucket < to; bucket++) {
      const words = this.#all.subarray(end, end + this.wordsIn(bucket));
      this.read(bucket, words);
      end += this.sortDistinct(words).length;
    }
    return this.#all.subarray(0, end);
  }
}

/** Mixed hashes in buckets by the top byte of h1. */
export class HashBuckets extends Buckets {
  readonly #recent = new RecentKeys();

  constructor(store: BlockStore) {
    super(store, WORDS, WORDS);
  }

  protected sortDistinct(words: Uint32Array): Uint32Array {
    return sortDistinct(words);
  }

  /** Adds the first `count` hashes in the scratch, and mixes them there. */
  add(instance: Instance, count: number): void {
    const buckets = this.bucketsOf(instance, count);
    mixHashes(instance, count);
    const mixed = new Uint32Array(instance.memory.buffer, instance.scratch.hashes, WORDS * count);
    const recent = this.#recent;
    for (let i = 0; i < count; i++) {
      const low = mixed[WORDS * i] as number;
      const high = mixed[WORDS * i + 1] as number;
      if (recent.has(low, high)) continue;
      const bucket = buckets[i] as number;
      const at = this.placeIn(bucket);
      const block = this.blocks[bucket] as Uint32Array;
      block[at] = low;
      block[at + 1] = high;
    }
    this.count += count;
  }
}

/** The cells of a shard that was built. */
export interface BuiltCells {
  readonly parameters: FuseParameters;
  /** Where the cells are in the builder, until the next ones are made. */
  readonly filled: Filled;
}

/** Builds the cells of shards, one after another. It keeps its memory from one to the next. */
export class ShardBuilder {
  readonly #engine: Engine;
  readonly #content: Content;
  #work: Region | undefined;

  constructor(engine: Engine, content: Content) {
    this.#engine = engine;
    this.#content = content;
  }

  /** Makes the memory hold `length` zeros from its beginning on. */
  #reserve(length: number, count: number): Region {
    const engine = this.#engine;
    const work = this.#work;
    if (work && work.byteLength >= length) {
      work.clear(work.pointer + length);
      return work;
    }
    work?.dispose();
    this.#work = undefined;
    requireRoom(engine, length, count);
    this.#work = engine.reserve(Math.min(engine.maxBytes, Math.ceil(length * (1 + SPARE))));
    return this.#work;
  }

  /** Makes the cells that hold these keys. They stay until the next ones are made. */
  build(keys: Uint32Array): BuiltCells {
    const filled = fillCells((length, count) => this.#reserve(length, count), keys, this.#content);
    const { exponent, segments, attempt } = filled;
    return { parameters: { exponent, segments, attempt, count: keys.length / this.#content.words }, filled };
  }

  /** A view of cells that were built last. */
  view({ bodyAt, length }: Filled): Uint8Array<ArrayBuffer> {
    return (this.#work as Region).view(bodyAt, length);
  }

  /** Copies cells that were built last to memory of their own, of `byteLength` bytes. */
  copy(filled: Filled, byteLength: number): Region {
    return copyCells(this.#engine, this.#work as Region, filled, byteLength);
  }

  dispose(): void {
    this.#work?.dispose();
  }
}

/** Where a shard is among all. */
export interface ShardPlace {
  readonly index: number;
  /** The number of shards. */
  readonly shards: number;
}

/** From which bucket on, and up to which, the hashes of a shard are. */
export function bucketsOf({ index, shards }: ShardPlace): [from: number, to: number] {
  const width = BUCKETS / shards;
  return [width * index, width * (index + 1)];
}

/**
 * Builds one shard after another. If duplicates among the keys make fewer shards right than there seemed to be, begins
 * again: all shards before must be dropped.
 *
 * @param begin called with the number of shards, before those are built
 * @param wanted the number of shards; undefined for that which `optimalFuseShards` gives for the distinct keys
 */
export function* buildShards(
  builder: ShardBuilder,
  keys: Pick<Buckets, 'estimateDistinct' | 'distinct'>,
  wanted: number | undefined,
  begin: (shards: number) => void,
): Generator<ShardPlace & BuiltCells, void, undefined> {
  for (let shards = wanted ?? optimalFuseShards(keys.estimateDistinct()); ; ) {
    let all = 0;
    begin(shards);
    for (let index = 0; index < shards; index++) {
      const place = { index, shards };
      const built = builder.build(keys.distinct(...bucketsOf(place)));
      all += built.parameters.count;
      yield { ...place, ...built };
    }
    const right = wanted ?? optimalFuseShards(all);
    if (right === shards) return;
    shards = right;
  }
}

/**
 * About the size of `count` distinct keys in shards. Throws a RangeError if there are too many, and a FilterMemoryError if
 * a shard cannot be built of so many.
 */
export function sizeInShards(
  engine: Engine,
  count: number,
  content: Content,
  shards = optimalFuseShards(count),
): ShardedSize {
  requireInteger('count', count, 0, shards * 2 ** 31);
  const shard = sizeOf(engine, Math.ceil(count / shards), content);
  const cellCount = shards * 8 * Math.ceil(shard.cellCount / 8);
  const byteLength = (cellCount / 8) * content.bits;
  return { cellCount, cellBits: content.bits, hashes: CELLS_PER_KEY, byteLength, shards };
}

/**
 * Builds all shards in memory of their own.
 *
 * @param wanted the number of shards, as in `buildShards`
 */
export function shardsOf(
  engine: Engine,
  keys: Buckets,
  content: Content,
  wanted: number | undefined,
): { shards: FuseParameters[]; regions: [Region, ...Region[]] } {
  const builder = new ShardBuilder(engine, content);
  let shards: FuseParameters[] = [];
  const regions: Region[] = [];
  const drop = (): void => {
    shards = [];
    for (const region of regions.splice(0)) region.dispose();
  };
  try {
    for (const { parameters, filled } of buildShards(builder, keys, wanted, drop)) {
      shards.push(parameters);
      regions.push(builder.copy(filled, shardBytes(parameters, content.bits)));
    }
  } catch (error) {
    drop();
    throw error;
  } finally {
    builder.dispose();
  }
  return { shards, regions: regions as [Region, ...Region[]] };
}
