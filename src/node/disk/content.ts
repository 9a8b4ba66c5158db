// What `buildOnDisk` builds: a filter of keys, or a map of keys and values.

import { changeAll } from '../../filters/batch.ts';
import type { FileKind, FilterParameters } from '../../format/header.ts';
import type { Engine, Region } from '../../kernel/region.ts';
import { type Content, fingerprintsOf, sortDistinct } from '../../kinds/fuse/build.ts';
import { CELLS_PER_KEY, type FuseParameters } from '../../kinds/fuse/file.ts';
import { type BlockStore, type Buckets, HashBuckets, RecentKeys } from '../../kinds/fuse/sharded/build.ts';
import { cellCountOf, countOf, headerOf, SHARDED_FUSE_FILE } from '../../kinds/fuse/sharded/file.ts';
import { readShardedOptions, type ShardedFuseFilter } from '../../kinds/fuse/sharded/filter.ts';
import * as filters from '../../kinds/fuse/sharded/wasm.ts';
import { FUSE_MAP_FILE } from '../../kinds/fuse-map/file.ts';
import { cellBitsOf, type FuseMap } from '../../kinds/fuse-map/filter.ts';
import { copyValues, sortDistinctKeys, ValueBuckets, valueBitsOf, valuesOf } from '../../kinds/fuse-map/values.ts';
import * as maps from '../../kinds/fuse-map/wasm.ts';

/** What is told of any file that was built. */
type Told = 'capacity' | 'errorRate' | 'seed' | 'cellCount' | 'cellBits' | 'byteLength' | 'shards';

/** The filter that was built. */
export interface BuiltOnDisk extends Pick<ShardedFuseFilter, 'kind' | Told> {}

/** The map that was built. */
export interface MapBuiltOnDisk extends Pick<FuseMap, 'kind' | 'valueBits' | Told> {}

/** How shards are built. */
export interface ShardTask {
  /** The number of bits per cell. */
  readonly bits: number;
  /** How many of them hold a value; undefined for filters. */
  readonly valueBits?: number;
}

/** What the cells of shards hold. */
export function contentOf({ bits, valueBits }: ShardTask): Content {
  return valueBits === undefined ? fingerprintsOf(bits) : valuesOf(valueBits, bits);
}

/** The engine on which other threads build shards. */
export function engineOf({ valueBits }: ShardTask): Engine {
  return valueBits === undefined ? filters.ShardedFuseFilter.engine : maps.FuseMap.engine;
}

/** Sorts the words of keys, removes duplicates, and returns those that are left: a view of the same memory. */
export function sortFor({ valueBits }: ShardTask, engine: Engine, words: Uint32Array): Uint32Array {
  return valueBits === undefined ? sortDistinct(words) : sortDistinctKeys(engine, words);
}

/** What a file says of the shards in it, and what is told of it. */
interface Described {
  readonly parameters: FilterParameters;
  readonly own: object;
  readonly told: Omit<BuiltOnDisk | MapBuiltOnDisk, 'byteLength'>;
}

/** All keys of a file, and how it is built of them. */
export interface DiskContent {
  readonly file: FileKind;
  /** The number of shards; undefined if the number of keys decides. */
  readonly shards: number | undefined;
  readonly buckets: Buckets;
  /**
   * Adds what `addMany` was given.
   *
   * @param region memory in whose scratch keys are hashed
   * @param each called after each chunk of keys
   */
  add(region: Region, keys: unknown, values: unknown, each: () => void): void;
  /** How shards are built, when all keys are there. */
  task(): ShardTask;
  describe(shards: readonly FuseParameters[]): Described;
}

/** Makes what takes keys, and keeps them in a store. */
export type MakeContent = (store: BlockStore) => DiskContent;

/**
 * Reads the options of a filter.
 *
 * @param more the names of further options, which are not read
 */
export function filterContent(options: unknown, engine: Engine, more: readonly string[]): MakeContent {
  const { bits, seed, shards } = readShardedOptions(options, engine, more);
  return (store) => {
    const buckets = new HashBuckets(store);
    return {
      file: SHARDED_FUSE_FILE,
      shards,
      buckets,
      add(region, keys, _, each) {
        changeAll({ region, seed }, keys, (count) => {
          buckets.add(region.instance, count);
          each();
        });
      },
      task: () => ({ bits }),
      describe(all) {
        const own = { shards: all };
        const parameters = { ...headerOf(own, bits), seed };
        const { cellCount, capacity, errorRate } = parameters;
        const told = { capacity, errorRate, seed, cellCount, cellBits: bits, shards: all.length };
        return { parameters, own, told: { kind: 'sharded-fuse', ...told } };
      },
    };
  };
}

/**
 * Reads the options of a map.
 *
 * @param more the names of further options, which are not read
 */
export function mapContent(options: unknown, engine: Engine, more: readonly string[]): MakeContent {
  const { bits: fingerprintBits, seed, shards } = readShardedOptions(options, engine, more, 0);
  cellBitsOf(fingerprintBits, 1);
  return (store) => {
    const buckets = new ValueBuckets(engine, store, undefined, new RecentKeys());
    let valueBits = 1;
    return {
      file: FUSE_MAP_FILE,
      shards,
      buckets,
      add(region, keys, values, each) {
        const copy = copyValues(values);
        cellBitsOf(fingerprintBits, valueBitsOf(copy));
        buckets.addAll(region, seed, keys, copy, (added) => {
          valueBits = Math.max(valueBits, valueBitsOf(added));
          each();
        });
      },
      task: () => ({ bits: cellBitsOf(fingerprintBits, valueBits), valueBits }),
      describe(all) {
        const own = { shards: all, valueBits };
        const [cellCount, capacity] = [cellCountOf(own), countOf(own)];
        const parameters = { cellCount, hashes: CELLS_PER_KEY, seed, capacity: 0, errorRate: 0 };
        const errorRate = capacity && 2 ** -fingerprintBits;
        const cellBits = fingerprintBits + valueBits;
        const told = { capacity, errorRate, seed, cellCount, cellBits, valueBits, shards: all.length };
        return { parameters, own, told: { kind: 'fuse-map', ...told } };
      },
    };
  };
}
