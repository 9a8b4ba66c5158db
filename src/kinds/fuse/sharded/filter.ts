import { changeAll } from '../../../filters/batch.ts';
import { CELLS, type FilterClass, KIND, type Kind } from '../../../filters/kind.ts';
import { wrap } from '../../../filters/stored-filter.ts';
import type { Engine } from '../../../kernel/region.ts';
import { HASH_BYTES } from '../../../kernel/scratch.ts';
import type { ManyKeys } from '../../../keys/collections.ts';
import { hashKey } from '../../../keys/encode.ts';
import type { Key } from '../../../keys/key.ts';
import { requireOptions } from '../../../util/checks/options.ts';
import { requireInteger, requireSeed } from '../../../util/checks/validate.ts';
import { fingerprintsOf } from '../build.ts';
import { CELLS_PER_KEY } from '../file.ts';
import { FuseFilter, type FuseOptions, readFuseOptions } from '../fuse-filter.ts';
import type { ShardedSize } from '../sizing.ts';
import { HashBuckets, MemoryStore, shardsOf, sizeInShards } from './build.ts';
import { SHARDED_FUSE, type ShardedFuseCells } from './cells.ts';
import { headerOf } from './file.ts';
import { TOP_BYTE } from './shards.ts';
import { MAX_SHARDS, shardBitsOf } from './sizing.ts';

/** The options of a `ShardedFuseFilter`: an error rate, or the number of bits of a fingerprint. */
export type ShardedFuseFilterOptions = FuseOptions & {
  /** The number of shards, a power of two from 1 to 256; default that of `optimalFuseShards` for the distinct keys. */
  shards?: number | undefined;
};

/** What the options say. */
export interface ShardedSettings {
  readonly bits: number;
  readonly seed: number;
  /** Undefined if the number of keys decides. */
  readonly shards: number | undefined;
}

function requireShards(shards: unknown): number {
  const count = requireInteger('shards', shards, 1, MAX_SHARDS);
  if (shardBitsOf(count) !== undefined) return count;
  throw new RangeError(`shards must be a power of two, got ${count}`);
}

/**
 * Reads the options of a `ShardedFuseFilter`.
 *
 * @param more the names of further options, which are not read
 * @param least the least number of bits of a fingerprint
 */
export function readShardedOptions(
  options: unknown,
  engine: Pick<Engine, 'seed'>,
  more: readonly string[] = [],
  least?: number,
): ShardedSettings {
  const { bits, seed } = readFuseOptions(options, engine, ['shards', ...more], least);
  const { shards } = options as ShardedFuseFilterOptions;
  return { bits, seed, shards: shards === undefined ? undefined : requireShards(shards) };
}

/**
 * Fuse filters for a list of any length: the top bits of the hash of a key choose one of up to 256 shards, each of which
 * is a fuse filter of its own.
 *
 * It takes the same keys, and has the same error rate and size per key, as a `BinaryFuseFilter`, which can have some 2
 * · 10^8 keys. It is built one shard at a time, so building takes 8 bytes per key, and half a GB for a shard.
 * `buildOnDisk` of `bloomery/disk` keeps these 8 bytes on a disk, and so builds a filter of a billion keys in half a GB
 * of memory. With `loadShard` of `bloomery/open`, a process can load one shard, as a `BinaryFuseFilter`.
 *
 * Filters of the same keys, bits per cell, seed and shards have the same `toBytes()`, in whatever order the keys came.
 *
 * ```ts
 * const leaked = ShardedFuseFilter.from(hashes, { errorRate: 0.001 });
 * leaked.has('password1');
 * leaked.shards; // 1 for up to 16.7 million keys, 2 for up to 33.5 million, ...
 * ```
 */
export class ShardedFuseFilter extends FuseFilter {
  /** @internal */
  static override readonly [KIND]: Kind<ShardedFuseCells> = SHARDED_FUSE;
  /** @internal */
  declare readonly [CELLS]: ShardedFuseCells;

  /**
   * Makes a filter that holds `keys`. Duplicates among them do no harm.
   *
   * Building takes memory besides the filter: at most 8 bytes for each of the keys, duplicates included, and up to 16 MB
   * for buffers; then, for one shard at a time, 8 bytes for each of its keys and 13 + b/8 for each of its cells, of which
   * there are 1.13 per key. With up to 2^32 keys, a shard takes half a GB.
   *
   * @param keys an array or iterable of keys, an integer array, lines, a column or hashes
   * @param options the error rate or the bits per cell, the seed, and the number of shards; default `{ errorRate: 0.01 }`
   * @throws TypeError | RangeError if an option is unknown or out of range, or if one of `keys` is not a key
   * @throws FilterMemoryError if there are too many keys for a shard, or no memory
   */
  static from<F extends ShardedFuseFilter, K>(
    this: FilterClass<F>,
    keys: ManyKeys<K>,
    options: ShardedFuseFilterOptions = {},
  ): F {
    const engine = this.engine as Engine;
    const { bits, seed, shards: wanted } = readShardedOptions(options, engine);
    const hashes = new HashBuckets(new MemoryStore());
    const region = engine.reserve(1);
    try {
      changeAll({ region, seed }, keys, (count) => hashes.add(region.instance, count));
    } finally {
      region.dispose();
    }
    const { shards, regions } = shardsOf(engine, hashes, fingerprintsOf(bits), wanted);
    const { cellCount, capacity, errorRate } = headerOf({ shards }, bits);
    return wrap(this, {
      parameters: { cellCount, hashes: CELLS_PER_KEY, seed, capacity, errorRate },
      cellBits: bits,
      own: { shards },
      segments: regions,
    });
  }

  /**
   * Estimates the size of a filter of `count` distinct keys, without making it. By chance, some shards get more keys
   * than others, which changes the size by less than a thousandth where shards have millions of keys.
   *
   * @param count the number of distinct keys, 0 … 2^31 for each shard
   * @param options the options of `from`
   * @throws TypeError | RangeError if `count` or an option is wrong
   * @throws FilterMemoryError if a shard cannot be built of so many keys
   */
  static sizeFor(count: number, options: ShardedFuseFilterOptions = {}): ShardedSize {
    const { engine } = this;
    const { bits, shards } = readShardedOptions(options, engine);
    return sizeInShards(engine, count, fingerprintsOf(bits), shards);
  }

  /**
   * The number of the shard, from 0, in which a filter of so many shards has a key. It is the same for every filter
   * with this number of shards, seed and secret.
   *
   * @param key a key
   * @param options the number of shards, and the seed of the filter; default 0
   * @throws TypeError | RangeError if `key` is not a key, or an option is wrong
   */
  static shardOf(key: Key, options: { shards: number; seed?: number | undefined }): number {
    const engine = this.engine as Engine;
    const { shards, seed = engine.seed ?? 0 } = requireOptions(options, '{ shards: 16 }', ['shards', 'seed']);
    const count = requireShards(shards);
    const own = requireSeed(seed, engine.seed);
    const region = engine.reserve(1);
    try {
      const { instance } = region;
      const at = hashKey(key, instance, own);
      const top = new Uint8Array(instance.memory.buffer, at, HASH_BYTES)[TOP_BYTE] as number;
      return Math.floor((top * count) / MAX_SHARDS);
    } finally {
      region.dispose();
    }
  }

  get kind(): 'sharded-fuse' {
    return 'sharded-fuse';
  }

  /** The number of shards. */
  get shards(): number {
    return this[CELLS].own.shards.length;
  }

  has(key: Key): boolean {
    return this[CELLS].hasKey(key);
  }
}
